"""The shipped bots: legal under every rule set, reproducible, and each with its own idea of a good move."""

from __future__ import annotations

import itertools
from datetime import timedelta
from typing import Any

import pytest

from kawuxing.bots import Bot, BotFactory, Clock, MatchInfo, Turn
from kawuxing.bots.bot import decision_random
from kawuxing.bots.local import play_match
from kawuxing.bots.main import SHIPPED, shipped_bot
from kawuxing.engine.actions import PASS, Action, parse_action
from kawuxing.engine.events import MeldType
from kawuxing.engine.observation import NOBODY, Meld, Observation, SeatView
from kawuxing.engine.rules import RuleSet
from kawuxing.engine.tiles import parse_kind, parse_kinds
from kawuxing.engine.wall import practice_seed

DAY = timedelta(days=1)


def make(name: str, rules: RuleSet) -> Bot:
    info = MatchInfo(
        match_id="test",
        rules=rules,
        entrant=0,
        entrants=rules.entrants,
        hands=8,
        clock=Clock(bank=DAY, increment=DAY, move_max=DAY, start=DAY),
        max_faults=3,
        bot_seed=b"12345678",
        commitment="",
    )
    return shipped_bot(name)(info)


def seat(entrant: int, **changes: Any) -> SeatView:
    values: dict[str, Any] = {
        "entrant": entrant,
        "points": 0,
        "concealed_count": 13,
        "melds": (),
        "discards": (),
        "revealed": False,
        "shown": (),
        "face_down": 0,
        "waits": (),
    }
    return SeatView(**values | changes)


def turn(concealed: str, legal: str, *rivals: SeatView, me: SeatView | None = None, **changes: Any) -> Turn:
    """Return a question to seat 0 with these concealed tiles; ``legal`` are actions separated by commas."""
    values: dict[str, Any] = {
        "hand": 0,
        "seat": 0,
        "dealer": 0,
        "turn": 0,
        "remaining": 30,
        "concealed": tuple(sorted(parse_kinds(concealed))),
        "drawn": -1,
        "face_down": (),
        "offered": -1,
        "offered_by": NOBODY,
        "seats": (me or seat(0), *(rivals or (seat(1), seat(2)))),
    }
    return Turn(
        observation=Observation(**values | changes),
        legal=tuple(parse_action(text) for text in legal.split(", ")),
        random=decision_random(b"12345678", 0),
        decision_id=0,
        time_left=DAY,
    )


def discards(concealed: str) -> str:
    return ", ".join(str(action) for action in _discards(concealed))


def _discards(concealed: str) -> list[Action]:
    return [parse_action(f"DISCARD {text}") for text in _texts(concealed)]


def _texts(concealed: str) -> list[str]:
    suits = [part for part in concealed.split(" ") if part]
    return list(dict.fromkeys(f"{rank}{part[-1]}" for part in suits for rank in part[:-1]))


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_plays_legally_under_every_rule_set(name: str, any_rules: RuleSet) -> None:
    """Several hands against itself; an illegal choice would raise."""
    bots: list[BotFactory] = [shipped_bot(name)] * any_rules.entrants
    result = play_match(any_rules, bots, hands=3, deal_seed=practice_seed(name))
    assert 0 == sum(entrant.points for entrant in result.entrants)


def test_random_plays_legally_for_thousands_of_decisions(any_rules: RuleSet) -> None:
    """The bot that goes everywhere goes nowhere it may not."""
    asked = 0

    class Counting(shipped_bot("random")):  # type: ignore[misc]
        def choose(self, turn: Turn) -> Action:
            nonlocal asked
            asked += 1
            return super().choose(turn)  # type: ignore[no-any-return]

    for match in itertools.count():
        result = play_match(any_rules, [Counting] * any_rules.entrants, hands=20, deal_seed=practice_seed(str(match)))
        assert 0 == sum(entrant.points for entrant in result.entrants)
        if asked > 2000:
            break


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_games_are_reproducible(name: str, xiangyang: RuleSet) -> None:
    """The same deal seed, and so the same bot_seeds, give the same match."""
    first, second = (
        play_match(xiangyang, [shipped_bot(name)] * 3, hands=2, deal_seed=practice_seed("again")) for _ in range(2)
    )
    assert first == second


@pytest.mark.parametrize("name", ["greedy", "careful"])
def test_takes_a_win(name: str, xiangyang: RuleSet) -> None:
    """A self-drawn win is taken before anything else."""
    concealed = "123456p 11123455s"
    asked = turn(concealed, f"WIN, CONCEALED_KONG 1s, {discards(concealed)}")
    assert "WIN" == str(make(name, xiangyang).choose(asked))


@pytest.mark.parametrize("name", ["greedy", "careful"])
def test_discards_the_tile_that_helps_nothing(name: str, xiangyang: RuleSet) -> None:
    """The lone dragon goes; everything else is a set, a pair or a run."""
    concealed = "123456p 3445599s 7z"
    assert "DISCARD 7z" == str(make(name, xiangyang).choose(turn(concealed, discards(concealed))))


def test_greedy_reveals_on_the_most_tiles(xiangyang: RuleSet) -> None:
    """Of two reveals, the one whose waits have more tiles left."""
    concealed = "123456p 1123399s"
    asked = turn(concealed, f"{discards(concealed)}, REVEAL 1s, REVEAL 3s")
    assert "REVEAL" == str(make("greedy", xiangyang).choose(asked)).split(" ")[0]


def test_greedy_takes_a_kong_that_costs_no_progress(xiangyang: RuleSet) -> None:
    """Four dragons are a set and a payment."""
    concealed = "123456p 3459s 5555z"
    asked = turn(concealed, f"CONCEALED_KONG 5z, {discards(concealed)}")
    assert "CONCEALED_KONG 5z" == str(make("greedy", xiangyang).choose(asked))


def test_greedy_leaves_a_pung_that_brings_it_no_nearer(xiangyang: RuleSet) -> None:
    """The only pair of a ready hand stays concealed."""
    asked = turn("123456789p 3499s", "PUNG 9s, PASS", offered=parse_kind("9s"), offered_by=1)
    chosen = make("greedy", xiangyang).choose(asked)
    assert PASS == chosen


def test_careful_reveals_a_ready_hand(xiangyang: RuleSet) -> None:
    """With every tile of its waits left, there is nothing to wait for."""
    concealed = "123456p 3456799s 7z"
    asked = turn(concealed, f"{discards(concealed)}, REVEAL 7z")
    assert "REVEAL 7z" == str(make("careful", xiangyang).choose(asked))


def test_careful_does_not_feed_a_revealed_hand(xiangyang: RuleSet) -> None:
    """The tile that a revealed seat waits on is kept although it is the one that helps nothing."""
    concealed = "123456p 3445599s 7z"
    revealed = seat(
        1,
        concealed_count=4,
        revealed=True,
        shown=parse_kinds("123s 7z"),
        waits=parse_kinds("7z"),
        melds=tuple(Meld(MeldType.PUNG, kind, 2) for kind in parse_kinds("78p 6z")),
    )
    asked = turn(concealed, discards(concealed), revealed, seat(2))
    assert "DISCARD 7z" == str(make("greedy", xiangyang).choose(asked))
    assert "DISCARD 7z" != str(make("careful", xiangyang).choose(asked))


def test_careful_keeps_to_one_suit_when_it_nearly_has_it(xiangyang: RuleSet) -> None:
    """With twelve dots, the two bamboo that make a quick pair are worth less than a full flush."""
    concealed = "1122345678889p 4s"
    assert "DISCARD 4s" == str(make("careful", xiangyang).choose(turn(concealed, discards(concealed))))
