"""The guide in docs/rules: whatever it draws, scores, settles or tells is what the engine makes of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from tests.docs.guide_text import FOLDER, PAGES, Claim, DrawnHand, blocks, claims, page
from tests.docs.settlements import next_deal, settlement
from tests.docs.told_hands import replayed

from kawuxing.bots import local
from kawuxing.cli.record_text import tiles_text
from kawuxing.engine.oracle import score_query
from kawuxing.engine.patterns import BEST_PATTERN, MULTIPLIED, Pattern
from kawuxing.engine.preset_texts import PRESET_TEXTS
from kawuxing.engine.rules import load_preset
from kawuxing.engine.tiles import parse_kind

LANGUAGES = {"tiles", "hand", "points", "dealers"}
PLACES = ["patterns.md", "guide.md"]
MULTIPLIED_PART, BEST_PART = page("patterns.md").split("\n## In `three-suit`\n")
SECTION = re.compile(r"^### `(\w+)` \S+ ×(\d+)\n(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]*)(?:#([^)]*))?\)")


def told(claim: Claim, preset: str) -> str:
    """Return what the engine makes of a drawn hand, in the words of the guide."""
    answer = score_query(claim.hand.query(preset, list(claim.flags)))
    if "waits" in answer:
        return f"waits {tiles_text(map(parse_kind, answer['waits']))}" if answer["waits"] else "not ready"
    if "total" not in answer:
        return "not complete"
    too_little = "self_draw" not in claim.flags and answer["total"] < load_preset(preset).min_discard_multiplier
    score = f"×{answer['total']} {', '.join(answer['patterns'])}".strip()
    return score + ", below the minimum" * too_little


def sections() -> Iterator[tuple[str, int, str, dict[Pattern, int]]]:
    """Yield pattern, multiplier, text and the multipliers of its scoring, for every section about a pattern."""
    for part, multipliers in ((MULTIPLIED_PART, MULTIPLIED), (BEST_PART, BEST_PATTERN)):
        for name, multiplier, text in SECTION.findall(part):
            yield name, int(multiplier), text, multipliers


@pytest.mark.parametrize("name", PLACES)
def test_drawings_show_the_hand_below_them(name: str) -> None:
    """Tile by tile, melds in double frames."""
    drawn = [block[:4] for block in blocks("tiles", page(name))]

    assert drawn
    for *drawing, hand in drawn:
        assert DrawnHand.parse(hand).drawing() == drawing


@pytest.mark.parametrize("name", PLACES)
def test_drawn_hands_are_worth_what_is_said(name: str) -> None:
    """Totals, patterns, waits and what is no hand at all, under every preset named."""
    found = list(claims(page(name)))

    assert found
    for claim in found:
        for preset in claim.presets:
            assert told(claim, preset) == claim.result, (preset, claim)


def test_told_hands_are_played_so() -> None:
    """Every line of them is what `kawuxing record show` prints."""
    hands = blocks("hand", page("guide.md"))

    assert hands
    for first, *lines in hands:
        assert replayed(load_preset(first.removeprefix("rules ")), lines) == lines


@pytest.mark.parametrize(("language", "state"), [("points", settlement), ("dealers", next_deal)])
def test_settlements_and_dealers_are_as_stated(language: str, state: Any) -> None:
    """Each line of every block."""
    lines = [line for block in blocks(language, page("guide.md")) for line in block]

    assert lines
    for line in lines:
        what, _, expected = line.partition(" → ")
        preset, _, what = what.partition(": ")
        assert expected == state(load_preset(preset), what), line


def test_every_pattern_has_a_section_with_its_multiplier() -> None:
    """Those of both ways of scoring; last_discard by the preset in which it counts."""
    stated = [(multipliers is BEST_PATTERN, name, multiplier) for name, multiplier, _, multipliers in sections()]
    last_discard = (False, Pattern.LAST_DISCARD, load_preset("hubei").last_discard)

    assert sorted(
        [
            *((False, pattern, multiplier) for pattern, multiplier in MULTIPLIED.items()),
            *((True, pattern, multiplier) for pattern, multiplier in BEST_PATTERN.items()),
            last_discard,
        ]
    ) == sorted(stated)


def test_every_pattern_has_a_hand_that_has_it_and_one_that_fails() -> None:
    """In its own section."""
    for name, _, text, _ in sections():
        has = {name in claim.result.replace(",", "").split() for claim in claims(text)}
        assert {True, False} == has, name


def test_no_block_is_left_unread() -> None:
    """The pages have no code blocks but those that are checked here, and TOML and Python."""
    for name in PAGES:
        assert set(re.findall(r"^```(\w+)$", page(name), re.MULTILINE)) <= LANGUAGES | {"toml", "python"}


def test_every_preset_is_named_and_no_other() -> None:
    """Where the guide says which to choose."""
    section = page("guide.md").partition("\n## Presets and which to choose\n")[2].partition("\n## ")[0]

    assert set(PRESET_TEXTS) == set(re.findall(r"`([a-z0-9-]+)`", section))


def test_presets_are_recommended_where_they_are_played() -> None:
    """In the row of the guide's table that names the preset stands every place that its document names."""
    rows = [line for line in page("guide.md").splitlines() if line.startswith("| ")]

    for name, text in PRESET_TEXTS.items():
        for place in filter(None, text.played_in.split(", ")):
            place_name = place.rpartition(" ")[0]
            assert any(f"`{name}`" in row.split(" | ")[1] and place_name in row for row in rows), (name, place)


def test_links_lead_somewhere() -> None:
    """To files that exist, and to headings in them."""
    for name in (*PAGES, "README.md"):
        for target, anchor in LINK.findall(page(name)):
            text = (FOLDER / (target or name)).read_text("utf-8")
            headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
            anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
            assert not anchor or anchor in anchors, (name, target, anchor)


def test_the_program_that_counts_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """On fewer hands than the guide's, and prints what is counted a hand."""
    (program,) = blocks("python", page("authors.md"))
    play = local.play_match
    monkeypatch.setattr(local, "play_match", lambda *args, **given: play(*args, **given | {"hands": 2}))
    exec("\n".join(program), {"__name__": "guide"})  # noqa: S102  (the page's own program)

    counted = dict(line.split() for line in capsys.readouterr().out.splitlines())
    assert {"decision", "TileDrawn", "HandEnded"} <= set(counted)
