"""Reading the guide in docs/rules: its blocks, hands in mpsz notation, and the drawing of a hand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kawuxing.engine.tiles import TEXT, parse_kinds

FOLDER: Final = Path(__file__).parents[2] / "docs" / "rules"
PAGES: Final = ("guide.md", "patterns.md", "authors.md")
NAMES: Final = ("ann", "bob", "cai", "dan")
"""Who plays in the examples, by seat."""

_BLOCK: Final = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PART: Final = re.compile(r"\[(?P<meld>\d+[mpsz])(?: (?P<kong>\w+))?\]|\+(?P<winning>\d[mpsz])|(?P<tiles>\d+[mpsz])")
_SINGLE: Final = ("┌┬┐", "│││", "└┴┘")
_DOUBLE: Final = ("╔╦╗", "║║║", "╚╩╝")


def blocks(language: str, text: str) -> list[list[str]]:
    """Return the lines of every code block of a language in a page or a part of one."""
    return [block.splitlines() for found, block in _BLOCK.findall(text) if found == language]


def page(name: str) -> str:
    """Return the text of a page."""
    return (FOLDER / name).read_text("utf-8")


@dataclass(frozen=True)
class DrawnHand:
    """A hand such as ``[111s] [2222p concealed_kong] 46p 55z +5p``: melds, concealed tiles, the winning tile."""

    melds: tuple[tuple[str, str], ...]
    """The meld's type by the name that the oracle has for it, and its tiles."""
    groups: tuple[str, ...]
    """The concealed tiles as they are grouped."""
    winning_tile: str
    """Empty for a hand that only waits."""

    @classmethod
    def parse(cls, text: str) -> DrawnHand:
        """Return the hand that ``text`` says. Raises ValueError for text that is not such a hand."""
        parts = list(_PART.finditer(text))
        if " ".join(part[0] for part in parts) != text:
            raise ValueError(f"hand {text!r}: expected melds in brackets, tiles, and +t for the winning tile")
        return cls(
            tuple((part["kong"] or "pung", part["meld"]) for part in parts if part["meld"]),
            tuple(part["tiles"] for part in parts if part["tiles"]),
            "".join(part["winning"] or "" for part in parts),
        )

    def drawing(self) -> list[str]:
        """Return the three lines that draw the hand: melds in double frames, the winning tile behind a plus."""
        boxes = [_box(tiles, _DOUBLE) for _, tiles in self.melds] + [_box(tiles, _SINGLE) for tiles in self.groups]
        if self.winning_tile:
            boxes += [(" ", "+", " "), _box(self.winning_tile, _SINGLE)]
        return [" ".join(lines) for lines in zip(*boxes, strict=True)]

    def query(self, preset: str, flags: list[str]) -> dict[str, Any]:
        """Return the question to the oracle about the hand, as docs/rules/tools.md has it."""
        concealed = [*_texts("".join(self.groups)), *_texts(self.winning_tile)]
        melds = [[kind, _texts(tiles)[0]] for kind, tiles in self.melds]
        asked = {"winning_tile": self.winning_tile, "flags": flags} if self.winning_tile else {"waits": True}
        return {"rules": preset, "melds": melds, "concealed": concealed} | asked


@dataclass(frozen=True)
class Claim:
    """What a line under a drawing says: ``PRESET …, FLAG … → RESULT``."""

    hand: DrawnHand
    presets: tuple[str, ...]
    flags: tuple[str, ...]
    result: str


def claims(text: str) -> Iterator[Claim]:
    """Yield every claim under the drawings in a page or a part of one."""
    for _, _, _, hand, *lines in blocks("tiles", text):
        for line in lines:
            how, _, result = line.partition(" → ")
            presets, _, flags = how.partition(", ")
            yield Claim(DrawnHand.parse(hand), tuple(presets.split()), tuple(flags.split()), result)


def _texts(tiles: str) -> list[str]:
    return [TEXT[kind] for kind in parse_kinds(tiles)]


def _box(tiles: str, frame: Sequence[str]) -> tuple[str, ...]:
    """Return the lines of a box; each of the frame says what stands left of the tiles, between them, and right."""
    texts = _texts(tiles)
    edge = [("──" if frame is _SINGLE else "══")] * len(texts)
    rows = zip(frame, (edge, texts, edge), strict=True)
    return tuple(line[0] + line[1].join(row) + line[2] for line, row in rows)
