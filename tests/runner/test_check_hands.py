"""The hands of the check bring a bot that goes along into every kind of decision that a rule set knows."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from kawuxing.engine.actions import Action, ActionType
from kawuxing.engine.match import Answer
from kawuxing.engine.record import RecordedEntrant, RecordedMatch, RecordHeader
from kawuxing.engine.rules import RuleSet, load_preset, preset_names
from kawuxing.runner.check.hands import SCRIPTED, Opponents, ScriptedHand
from kawuxing.runner.check.situations import Situation, known_situations, situations_in

_FIRST = (ActionType.REVEAL, ActionType.PUNG, ActionType.ADDED_KONG, ActionType.DISCARD)


def go_along(legal: Sequence[Action]) -> Action:
    """Choose as the hands want it: reveal, pung, discard bamboo, and win only if there is nothing else."""
    ranked = [action for kind in _FIRST for action in reversed(legal) if action.type is kind]
    return ranked[0] if ranked else legal[-1]


def play(script: ScriptedHand, rules: RuleSet) -> bytes:
    """Play a scripted hand with a bot that goes along, and return the record."""
    entrants = tuple(RecordedEntrant(name) for name in "abcd"[: rules.entrants])
    header = RecordHeader("check", "m0", script.hand_count, 1, entrants, rules, "0" * 64)
    recorded = RecordedMatch(header, lambda _: script.wall(rules))
    opponents = Opponents(script)
    recorded.start()
    while pending := recorded.pending():
        match = recorded.match
        recorded.apply(
            {
                entrant: Answer(
                    go_along(legal) if entrant == script.bot else opponents(match.hand, match.seat_of(entrant), legal)
                )
                for entrant, legal in pending.items()
            }
        )
    return recorded.finish().data


@pytest.mark.parametrize("preset", preset_names())
def test_every_hand_reaches_what_it_aims_at(preset: str) -> None:
    """By every preset, as far as that knows the situation; together they reach all that the preset knows."""
    rules = load_preset(preset)
    known = set(known_situations(rules))
    reached: set[Situation] = set()
    for script in SCRIPTED:
        aims = known.intersection(script.aims)
        if aims:
            found = situations_in(play(script, rules), script.bot)
            assert set() == aims - found, script.name
            reached |= found
    assert known == reached


def test_a_scripted_hand_is_soon_over() -> None:
    """An opponent wins once the hand has served its purpose, so that slow bots are not asked for long."""
    rules = load_preset()
    for script in SCRIPTED[:-1]:
        decisions = play(script, rules).count(b'"type":"decision"')
        assert 50 > decisions, script.name


@pytest.mark.parametrize(
    ("preset", "unknown"),
    [
        ("three-suit", {Situation.REVEAL, Situation.WHILE_REVEALED, Situation.ROB_KONG, Situation.REST}),
        ("xiangyang", {Situation.REVEAL_FACE_DOWN, Situation.CONCEALED_KONG_AFTER_PUNG, Situation.REST}),
        ("hubei", {Situation.REST}),
    ],
)
def test_what_a_preset_does_not_know_is_not_expected(preset: str, unknown: set[Situation]) -> None:
    """No bot can be asked for a reveal where there is none."""
    assert unknown.isdisjoint(known_situations(load_preset(preset)))
    assert Situation.PUNG in known_situations(load_preset(preset))
