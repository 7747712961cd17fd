"""What the kit offers authors: hand mathematics that agree with the engine, and a reference page that runs."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kawuxing.bots import Holding, Sight, analysis, encoding
from kawuxing.bots.sight import count
from kawuxing.engine.actions import PASS, WIN, Action, ActionType, parse_action
from kawuxing.engine.events import HandStarted, HandWon, MeldType
from kawuxing.engine.hand import Hand
from kawuxing.engine.observation import NOBODY, Meld, Observation, observe
from kawuxing.engine.rules import RuleSet, load_preset
from kawuxing.engine.scoring import Circumstances
from kawuxing.engine.testing import LivelyPlay, answer, arranged_wall
from kawuxing.engine.tiles import TEXT, parse_kind, parse_kinds

WRONGLY: Any = Holding
"""For arguments that its types do not allow."""
ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "bots" / "kit.md"


def examples() -> list[str]:
    """Return the blocks of Python of the reference page, in order."""
    return re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def texts(kinds: dict[int, int]) -> dict[str, int]:
    return {TEXT[kind]: left for kind, left in kinds.items()}


def lively_hands(rules: RuleSet, count: int) -> Iterator[tuple[Hand, LivelyPlay]]:
    """Yield hands that have begun, each with what plays it on."""
    lively = LivelyPlay(11)
    for _ in range(count):
        hand = Hand(rules, lively.wall(rules), 0)
        hand.start()
        yield hand, lively


def test_the_examples_in_the_docstrings_hold() -> None:
    """The doctests of the public module of hand mathematics."""
    failed, attempted = doctest.testmod(analysis)
    assert 0 == failed
    assert attempted > 5


def test_the_examples_of_the_reference_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All Python of docs/bots/kit.md runs in order; what it prints stands on the page."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "kit"}
    for program in examples():
        exec(program, names)  # noqa: S102  (the page's own examples)

    table = capsys.readouterr().out.rpartition("\n")[0].rpartition("\n")[0]
    assert f"```\n{table}\n```" in PAGE.read_text("utf-8")
    assert {"match.jsonl", "seed.json"} == {path.name for path in tmp_path.iterdir()}


def test_the_examples_of_the_reference_are_typed(tmp_path: Path) -> None:
    """A program that uses the kit as the page does passes `mypy --strict`."""
    program = tmp_path / "kit.py"
    program.write_text("".join(examples()), "utf-8")
    # A cache of its own: that of the project is of other settings.
    command = [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={ROOT / '.mypy_cache' / 'kit'}", program.name]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (0, "Success: no issues found in 1 source file\n") == (ran.returncode, ran.stdout)


def test_the_reference_lists_the_layout() -> None:
    """Every field of the encoded observation, and every field of what bots see, is named on the page."""
    page = PAGE.read_text("utf-8")
    fields = [*encoding.OWN_FIELDS, *encoding.SEAT_FIELDS]
    assert [] == [field.name for field in fields if f"`{field.name}`" not in page]
    assert [] == [name for name in Observation.__dataclass_fields__ if f"`{name}`" not in page]
    assert f"{encoding.OBSERVATION_SIZE} numbers" in page
    assert f"mask of {encoding.ACTIONS}" in page


def test_a_win_scores_what_was_foretold(any_rules: RuleSet) -> None:
    """For every win that is declared, would_win has given the total and patterns that the engine announces."""
    checked = 0
    for hand, lively in lively_hands(any_rules, 60):
        while hand.pending():
            foretold = {}
            for seat, legal in hand.pending().items():
                if WIN in legal and not hand.table.seats[seat].hid_pungs:
                    seen = observe(hand, seat)
                    mine = seen.offered_by == NOBODY
                    robbing = not mine and seen.offered not in seen.seats[seen.offered_by].discards
                    how = Circumstances(
                        self_draw=mine,
                        kong_draw=mine and hand.table.replacement,
                        kong_discard=not mine and not robbing and hand.table.replacement,
                        rob_kong=robbing,
                        last_draw=mine and not seen.remaining,
                        last_discard=not mine and not seen.remaining,
                    )
                    tile = seen.drawn if mine else seen.offered
                    foretold[seat] = Holding.of(any_rules, seen).would_win(tile, how)
            for event in hand.apply(lively.answers(hand)):
                if isinstance(event, HandWon) and event.seat in foretold:
                    score = foretold[event.seat]
                    assert score is not None
                    assert (event.total, event.patterns) == (score.total, score.patterns)
                    checked += 1
    assert checked


def test_after_an_action_a_seat_holds_what_was_foretold(any_rules: RuleSet) -> None:
    """Concealed tiles and melds after an action are those of the engine, but for a kong's replacement."""
    checked: set[ActionType] = set()
    for hand, lively in lively_hands(any_rules, 40):
        while pending := hand.pending():
            answers = lively.answers(hand)
            seat, action = next(iter(answers.items()))
            if len(pending) == 1 and action.type not in {ActionType.WIN, ActionType.PASS}:
                expected = Holding.of(any_rules, observe(hand, seat)).after(action)
                hand.apply(answers)
                state = hand.table.seats[seat]
                concealed = list(state.concealed.counts)
                if hand.outcome is None and hand.table.turn == seat and state.drawn >= 0:
                    concealed[state.drawn] -= 1
                if hand.table.offered_by in {seat, NOBODY}:
                    assert concealed == list(expected.concealed)
                    assert {(meld.type, meld.tile) for meld in state.melds} == {
                        (meld.type, meld.tile) for meld in expected.melds
                    }
                    checked.add(action.type)
            else:
                hand.apply(answers)
    assert {ActionType.DISCARD, ActionType.PUNG} <= checked


@settings(max_examples=15)
@given(seed=st.integers(0, 2**32))
def test_waits_are_what_would_win(seed: int) -> None:
    """After any discard a kind is among the waits just if winning on it scores; acceptance lowers the shanten."""
    rules = load_preset("hubei")
    hand = Hand(rules, LivelyPlay(seed).wall(rules), 0)
    hand.start()
    now = Holding.of(rules, observe(hand, 0))
    for action in hand.pending()[0]:
        if action.type is not ActionType.DISCARD:
            continue
        held = now.after(action)
        wins = [kind for kind in range(30) if held.would_win(kind, Circumstances()) is not None]
        assert list(held.waits) == wins
        for kind in held.acceptance:
            drawn = [count + (other == kind) for other, count in enumerate(held.concealed)]
            assert held.shanten - 1 == replace(held, concealed=tuple(drawn)).shanten


def test_counts_what_is_unseen() -> None:
    """Waits and acceptance come with the tiles that no one else is known to hold."""
    rules = load_preset("xiangyang")
    wall = arranged_wall(rules, ["123456p 345679s 7z"], draws="9s 5s")
    hand = Hand(rules, wall, 0)
    hand.start()
    answer(hand, "0 DISCARD 7z")
    ready = Holding.of(rules, observe(hand, 0))

    assert 0 == ready.shanten
    assert {"2s": 4, "5s": 3, "8s": 4} == texts(ready.waits)
    assert ready.waits == ready.acceptance

    answer(hand, "1 DISCARD 5s")
    assert {"2s": 4, "5s": 2, "8s": 4} == texts(Holding.of(rules, observe(hand, 0)).waits)


def test_reads_a_hand_that_a_rival_shows(xiangyang: RuleSet) -> None:
    """What discarding to a revealed hand would cost is known; nobody's unrevealed hand is."""
    hand = Hand(xiangyang, arranged_wall(xiangyang, ["123456p 345679s 7z", "", ""], draws="9s 6z"), 0)
    hand.start()
    answer(hand, "0 REVEAL 7z")
    seen = observe(hand, 1)
    shown = Holding.shown_by(xiangyang, seen, 0)

    assert tuple(shown.waits) == seen.seats[0].waits
    score = shown.would_win(parse_kind("2s"), Circumstances())
    assert score is not None
    assert 2 == score.total
    with pytest.raises(ValueError, match="seat 2 does not show its whole hand"):
        Holding.shown_by(xiangyang, seen, 2)


def test_an_entrant_that_rests_holds_nothing(xiangyang: RuleSet) -> None:
    """It has no hand to think about."""
    hand = Hand(xiangyang, xiangyang.tile_list, 0)
    assert isinstance(hand.start()[0], HandStarted)
    for look in (Holding.of, Sight):
        with pytest.raises(ValueError, match="the observer rests"):
            look(xiangyang, observe(hand, NOBODY))


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda _, seen, __: WRONGLY.of("xiangyang", seen), "rules is 'xiangyang': expected RuleSet"),
        (lambda rules, _, __: WRONGLY.of(rules, None), "observation is None: expected Observation"),
        (lambda rules, seen, _: WRONGLY.shown_by(rules, seen, 3), "seat is 3: expected a whole number from 0 to 2"),
        (lambda rules, seen, _: WRONGLY.shown_by(rules, seen, -1), "seat is -1: expected a whole number from 0 to 2"),
        (lambda rules, seen, _: WRONGLY.shown_by(rules, seen, "1"), "seat is '1': expected a whole number from 0 to 2"),
        (lambda _, __, held: held.would_win(30, Circumstances()), "tile is 30: expected a whole number from 0 to 29"),
        (lambda _, __, held: held.would_win(-1, Circumstances()), "tile is -1: expected a whole number from 0 to 29"),
        (lambda _, __, held: held.would_win("2s", Circumstances()), "tile is '2s': expected a whole number"),
        (lambda _, __, held: held.would_win(True, Circumstances()), "tile is True: expected a whole number"),
        (lambda _, __, held: held.would_win(19, None), "how is None: expected Circumstances"),
        (lambda _, __, held: held.after("DISCARD 9s"), "action is 'DISCARD 9s': expected Action"),
        (lambda rules, _, __: WRONGLY.imagine(rules, None), "concealed is None: expected str"),
        (lambda rules, _, __: WRONGLY.imagine(rules, "123p 55z"), "are 5: expected 13 or 14 with 0 melds"),
        (lambda rules, _, __: WRONGLY.imagine(rules, "123p 55z", [5]), r"melds\[0\] is 5: expected Meld"),
        (
            lambda rules, _, __: WRONGLY.imagine(rules, "123p 55z", [Meld(MeldType.PUNG, 99, NOBODY)]),
            r"melds\[0\]\.tile is 99: expected a whole number from 0 to 29",
        ),
    ],
)
def test_what_cannot_be_thought_about_is_refused(ask: Callable[..., object], message: str, xiangyang: RuleSet) -> None:
    """The message names the argument, its value and what was expected."""
    hand = Hand(xiangyang, arranged_wall(xiangyang, ["123456p 345679s 7z"], draws="9s 5s"), 0)
    hand.start()
    seen = observe(hand, 0)
    with pytest.raises(ValueError, match=message):
        ask(xiangyang, seen, Holding.of(xiangyang, seen).after(parse_action("DISCARD 7z")))


def test_melds_count_towards_a_win(xiangyang: RuleSet) -> None:
    """A made-up holding with pungs on the table scores as one."""
    melds = [Meld(MeldType.PUNG, kind, NOBODY) for kind in parse_kinds("1p 2s 5z")]
    held = Holding.imagine(xiangyang, "333s 7z", melds)

    assert {"7z": 3} == texts(held.waits)
    score = held.would_win(parse_kind("7z"), Circumstances())
    assert score is not None
    assert (2, ("all_pungs",)) == (score.total, score.patterns)


def test_pungs_and_kongs_become_melds(xiangyang: RuleSet) -> None:
    """An added kong takes the place of its pung; the others are new sets."""
    held = Holding.imagine(xiangyang, "1122223337s 4p", [Meld(MeldType.PUNG, parse_kind("7s"), NOBODY)])
    for text, concealed, meld in (
        ("PUNG 1s", "2222333s 7s 4p", MeldType.PUNG),
        ("CONCEALED_KONG 2s", "11333s 7s 4p", MeldType.CONCEALED_KONG),
        ("DIRECT_KONG 3s", "112222s 7s 4p", MeldType.DIRECT_KONG),
        ("ADDED_KONG 7s", "112222333s 4p", MeldType.ADDED_KONG),
    ):
        after = held.after(parse_action(text))
        assert count(parse_kinds(concealed)) == after.concealed
        assert meld == after.melds[-1].type
    assert held is held.after(PASS)


@pytest.mark.parametrize("action", [WIN, parse_action("DISCARD 9s"), parse_action("PUNG 4p")])
def test_an_action_that_cannot_be_is_refused(action: Action, xiangyang: RuleSet) -> None:
    """After a win there is no hand, and what is not held cannot be given."""
    held = Holding.imagine(xiangyang, "112233445566s 4p")
    with pytest.raises(ValueError, match=f"action {action}"):
        held.after(action)


def test_a_fifth_tile_does_not_win(xiangyang: RuleSet) -> None:
    """A kind of which all four are held is no wait."""
    held = Holding.imagine(xiangyang, "2222s 123456p 555z")
    assert held.would_win(parse_kind("2s"), Circumstances()) is None


def test_the_drawn_tile_must_be_there(xiangyang: RuleSet) -> None:
    """With fourteen tiles the winning one is among them."""
    held = Holding.imagine(xiangyang, "11122233344455s")
    assert held.would_win(parse_kind("1s"), Circumstances(self_draw=True)) is not None
    with pytest.raises(ValueError, match="expected the one drawn"):
        held.would_win(parse_kind("9p"), Circumstances(self_draw=True))


@pytest.mark.parametrize("tiles", ["11111s", "1m", "x"])
def test_tiles_that_there_are_not_are_refused(tiles: str, xiangyang: RuleSet) -> None:
    """A made-up holding has tiles of its rules, four of a kind at most."""
    with pytest.raises(ValueError, match=tiles):
        Holding.imagine(xiangyang, tiles)
