"""What lies on the table, as lines of text, and the console that colours tiles where it is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from io import TextIOWrapper

from rich.console import Console
from rich.highlighter import RegexHighlighter
from rich.theme import Theme

from kawuxing.cli.record_text import face_down_text, tiles_text
from kawuxing.engine.events import HIDDEN
from kawuxing.engine.observation import Observation, SeatView
from kawuxing.engine.tiles import TEXT


class _Tiles(RegexHighlighter):
    base_style = "tile."
    highlights = (r"\b(?:(?P<m>[1-9]+m)|(?P<p>[1-9]+p)|(?P<s>[1-9]+s)|(?P<z>[5-7]+z))\b",)


_COLOURS = Theme({"tile.m": "red", "tile.p": "cyan", "tile.s": "green", "tile.z": "bold magenta"})


class TileConsole(Console):
    """Prints lines as they are to stdout, with a colour for each suit if that is a terminal; asks on stdin."""

    def __init__(self) -> None:
        """Use stdin and stdout."""
        super().__init__(theme=_COLOURS, highlighter=_Tiles(), markup=False, emoji=False)
        if isinstance(sys.stdin, TextIOWrapper):
            # What is no text is no answer, and no reason to end.
            sys.stdin.reconfigure(errors="replace")

    def say(self, line: str = "", *, end: str = "\n") -> None:
        """Print a line, which the terminal may break."""
        self.print(line, end=end, soft_wrap=True)

    def ask(self, question: str) -> str | None:
        """Return the line that is answered, in lower case and without the space around it; None if there is no more."""
        self.say(question, end="")
        # Without a stdin (`<&-`) there is no file either.
        line = sys.stdin.readline() if sys.stdin else ""
        if not line or not sys.stdin.isatty():
            # What a terminal would have shown while it was typed.
            self.say(line.rstrip("\n"))
        return line.strip().lower() if line else None


def board_lines(seen: Observation, names: Sequence[str], hands: Mapping[int, Observation]) -> Iterator[str]:
    """Yield a line for every seat: points, hand, melds, discards.

    ``names`` are those of the entrants; ``hands`` has, by seat, what those seats see whose hands are to be told.
    """
    width = max(len(names[view.entrant]) for view in seen.seats)
    for seat, view in enumerate(seen.seats):
        parts = [_own_hand(hands[seat]) if seat in hands else _hidden_hand(view)]
        if view.revealed:
            parts.append(f"revealed, waits on {tiles_text(view.waits)}")
        parts += [f"{meld.type.value.replace('_', ' ')} {TEXT[meld.tile]}" for meld in view.melds]
        if view.discards:
            parts.append(f"discards {tiles_text(view.discards)}")
        turn = "*" if seat == seen.turn else " "
        yield f"{turn} {names[view.entrant]:<{width}} {view.points:+4d}  {'; '.join(parts)}"


def _own_hand(own: Observation) -> str:
    held = list(own.concealed)
    drawn = ""
    if own.drawn != HIDDEN:
        held.remove(own.drawn)
        drawn = f" + {TEXT[own.drawn]}"
    face_down = f" (face down {tiles_text(own.face_down)})" if own.face_down else ""
    return f"{tiles_text(held)}{drawn}{face_down}"


def _hidden_hand(view: SeatView) -> str:
    if not view.revealed:
        return f"{view.concealed_count} tiles"
    face_down = f", face down {face_down_text([HIDDEN] * view.face_down)}" if view.face_down else ""
    return f"shows {tiles_text(view.shown)}{face_down}"
