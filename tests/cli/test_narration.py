"""What is told of a hand agrees with what happened in it."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kawuxing.cli.narration import Narrator
from kawuxing.engine.events import HandWon, PaymentReason, PointsPaid
from kawuxing.engine.hand import Hand
from kawuxing.engine.observation import NOBODY, redact
from kawuxing.engine.rules import RuleSet
from kawuxing.engine.testing import LivelyPlay, answer, arranged_wall


def told(rules: RuleSet, seed: int, viewer: int | None = None) -> list[tuple[object, list[str]]]:
    """Return the events of a lively hand with their lines, as a seat sees them if one is named."""
    play = LivelyPlay(seed)
    hand = Hand(rules, play.wall(rules), 0, entrants=range(rules.seats), match_points=[0] * rules.entrants)
    events = hand.start()
    while hand.pending():
        events += hand.apply(play.answers(hand))
    narrator = Narrator(rules, [f"bot-{entrant}" for entrant in range(rules.entrants)])
    seen = events if viewer is None else [redact(event, viewer) for event in events]
    return [(event, list(narrator.tell(event))) for event in seen]


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (
            ["0 REVEAL 8p", "1 DISCARD 5p", "0 WIN"],
            [
                "  a wins on 5p from you: ×4 (middle_five, reveal)",
                "    score: middle_five ×2, reveal ×2 makes ×4",
                "    to pay by you: 4 × 2 since the winner is revealed: the payer pays for all = 8",
                "    win: a +8, you -8, c +0",
            ],
        ),
        (
            ["0 DISCARD 8p", "1 DISCARD 5p", "0 WIN"],
            [
                "  a wins on 5p from you: ×2 (middle_five)",
                "    score: middle_five ×2 makes ×2",
                "    to pay by you: 2",
                "    win: a +2, you -2, c +0",
            ],
        ),
        (
            ["0 DISCARD 8p", "1 DISCARD 1p", "2 DISCARD 1p", "0 WIN"],
            [
                "  a wins on 5p by self-draw: ×2 (middle_five)",
                "    score: middle_five ×2 makes ×2",
                "    to pay by every other seat: 2",
                "    win: a +4, you -2, c -2",
            ],
        ),
    ],
    ids=["revealed", "discard", "self-draw"],
)
def test_a_win_is_explained(xiangyang: RuleSet, answers: list[str], expected: list[str]) -> None:
    """By the multipliers of its patterns and the factors of its payment; the person is `you`."""
    hands = ["46p 123s 456s 789s 77z", "159p 15s", "19p"]
    hand = Hand(xiangyang, arranged_wall(xiangyang, hands, draws="8p 1p 1p 5p"), 0)
    events = hand.start()
    for text in answers:
        if hand.pending() and int(text[0]) not in hand.pending():
            events += answer(hand)
        events += answer(hand, text)
    narrator = Narrator(xiangyang, ["a", "you", "c"])
    lines = [line for event in events for line in narrator.tell(event)]

    first = lines.index(expected[0])
    assert expected == lines[first : first + 4]


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6))
def test_the_explained_payment_is_what_is_paid(any_rules: RuleSet, seed: int) -> None:
    """The factors make the points that the payer loses, and the patterns the total before the cap."""
    lines_of = told(any_rules, seed)
    for (won, lines), (paid, _) in pairwise(lines_of):
        if isinstance(won, HandWon):
            assert isinstance(paid, PointsPaid)
            assert PaymentReason.WIN == paid.reason
            _, score, payment = lines
            payer = (
                next(seat for seat in range(any_rules.seats) if seat != won.seat)
                if won.source == won.seat
                else won.source
            )
            assert -paid.points[payer] == int(re.findall(r"\d+", payment.rpartition("=")[2] or payment)[-1])
            product = int(re.findall(r"makes ×(\d+)", score)[0])
            assert won.total == product if "capped" not in score else won.total < product


@pytest.mark.parametrize("viewer", [NOBODY, 0, 1])
@settings(max_examples=10)
@given(seed=st.integers(0, 10**6))
def test_redacted_events_are_told_without_what_is_hidden(any_rules: RuleSet, viewer: int, seed: int) -> None:
    """No line tells a tile that is hidden from the viewer, and none is left out."""
    open_lines = told(any_rules, seed)
    seen_lines = told(any_rules, seed, viewer)

    for (event, lines), (seen, redacted) in zip(open_lines, seen_lines, strict=True):
        if event == seen:
            assert lines == redacted
        else:
            assert "\n".join(lines) != "\n".join(redacted)
