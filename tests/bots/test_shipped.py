"""The shipped bots: legal under every rule set, reproducible, and each with its own idea of a good move."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Mapping
from datetime import timedelta
from functools import cache
from typing import Any

import pytest

from kawuxing.bots import Bot, BotFactory, Clock, MatchInfo, Turn
from kawuxing.bots.bot import decision_random
from kawuxing.bots.local import play_match
from kawuxing.bots.main import SHIPPED, shipped_bot
from kawuxing.engine.actions import PASS, Action, parse_action
from kawuxing.engine.events import MeldType
from kawuxing.engine.observation import NOBODY, Meld, Observation, SeatView
from kawuxing.engine.rules import RuleSet, load_preset, preset_names
from kawuxing.engine.tiles import parse_kind, parse_kinds
from kawuxing.engine.wall import practice_seed

DAY = timedelta(days=1)
_HANDS = 4


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
    """Of two reveals, the one that waits on both sides."""
    asked = turn("123456789p 24599s", "DISCARD 2s, DISCARD 5s, REVEAL 2s, REVEAL 5s")
    assert "REVEAL 2s" == str(make("greedy", xiangyang).choose(asked))


@pytest.mark.parametrize("name", ["greedy", "careful"])
def test_does_not_reveal_into_a_hand_that_can_win_nothing(name: str, xiangyang: RuleSet) -> None:
    """All four of the tiles waited on lie on the table."""
    concealed = "123456789p 2499s 7z"
    asked = turn(
        concealed,
        f"{discards(concealed)}, REVEAL 7z",
        seat(1, discards=parse_kinds("333s")),
        seat(2, discards=parse_kinds("3s")),
    )
    assert "DISCARD" == str(make(name, xiangyang).choose(asked)).split(" ")[0]


@pytest.mark.parametrize("name", ["greedy", "careful"])
def test_drops_the_suit_that_it_has_least_of(name: str, three_suits: RuleSet) -> None:
    """A complete hand has at most two suits, so the third one goes, although it is a pair and a neighbour."""
    concealed = "1245678p 13468s 22m"
    chosen = make(name, three_suits).choose(turn(concealed, discards(concealed)))
    assert "DISCARD 2m" == str(chosen)


@pytest.mark.parametrize("name", ["greedy", "careful"])
def test_leaves_a_pung_of_a_third_suit(name: str, three_suits: RuleSet) -> None:
    """With melds of three suits a hand can never be complete."""
    melds = tuple(Meld(MeldType.PUNG, kind, 2) for kind in parse_kinds("9p 9s"))
    asked = turn("22m 345p 46s", "PUNG 2m, PASS", me=seat(0, melds=melds), offered=parse_kind("2m"), offered_by=1)
    assert PASS == make(name, three_suits).choose(asked)


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


def waiting(rules: RuleSet) -> str:
    """Return what careful discards that may wait for six tiles of a plain hand or for two of middle_five."""
    concealed = "123456789p 46799s"
    asked = turn(concealed, discards(concealed), seat(1, discards=parse_kinds("55s")), seat(2))
    return str(make("careful", rules).choose(asked))


def test_careful_prefers_a_hand_that_may_win_on_a_discard(xiangyang: RuleSet) -> None:
    """With a minimum of 2, the few tiles of middle_five, which others may discard, beat the many of a plain hand."""
    without_reveal = xiangyang.replace({"reveal": "off"})
    assert "DISCARD 4s" == waiting(without_reveal)
    assert "DISCARD 7s" == waiting(without_reveal.replace({"min_discard_multiplier": 2}))


def test_careful_does_not_go_beyond_the_cap(xiangyang: RuleSet) -> None:
    """A full flush pays no more than the quick hand once the cap is what a revealed plain hand makes."""
    concealed = "112234567889p 34s"
    asked = turn(concealed, discards(concealed))
    assert "s" == str(make("careful", xiangyang).choose(asked))[-1]
    assert "DISCARD 8p" == str(make("careful", xiangyang.replace({"cap": 2})).choose(asked))


def test_careful_does_not_reveal_when_only_the_penalty_is_left(xiangyang: RuleSet) -> None:
    """With no draw to come, a revealed seat can only pay for the exhausted hand."""
    concealed = "123456p 3456799s 7z"
    asked = turn(concealed, f"{discards(concealed)}, REVEAL 7z", remaining=2)
    assert "DISCARD" == str(make("careful", xiangyang).choose(asked)).split(" ")[0]


def test_careful_keeps_face_down_what_it_need_not_show(hubei: RuleSet) -> None:
    """Hidden pungs cost nothing in a hand of several suits."""
    asked = turn("12345p 44s 555666z 7z", "REVEAL 7z, REVEAL 7z 5z, REVEAL 7z 5z 6z, REVEAL 7z 6z")
    assert "REVEAL 7z 5z 6z" == str(make("careful", hubei).choose(asked))


def test_careful_shows_a_full_flush(hubei: RuleSet) -> None:
    """With a pung face down it would not count."""
    asked = turn("11144466678p 99p 7z", "REVEAL 7z, REVEAL 7z 1p")
    assert "REVEAL 7z" == str(make("careful", hubei).choose(asked))


NAMES = ("careful", "greedy", "random")


@cache
def strength(preset: str) -> Mapping[str, float]:
    """Return the points per hand of each bot, in units of base, over all seat orders on the walls of two deals.

    Where there are four entrants, a second random bot fills the table.
    """
    rules = load_preset(preset)
    table = NAMES + ("random",) * (rules.entrants - len(NAMES))
    points: dict[str, list[int]] = {name: [] for name in NAMES}
    for deal, order in itertools.product(range(2), sorted(set(itertools.permutations(table)))):
        seed = practice_seed(f"strength {deal}")
        result = play_match(rules, [shipped_bot(name) for name in order], hands=_HANDS, deal_seed=seed)
        for name, entrant in zip(order, result.entrants, strict=True):
            points[name].append(entrant.points)
    return {name: statistics.mean(values) / _HANDS / rules.base for name, values in points.items()}


@pytest.mark.parametrize("preset", preset_names())
def test_both_are_far_stronger_than_random(preset: str) -> None:
    """Under every preset, by more than a point a hand; and nobody chooses what is not legal, which would raise."""
    points = strength(preset)
    assert points["careful"] - 1 > points["random"]
    assert points["greedy"] - 1 > points["random"]


def test_careful_is_stronger_than_greedy() -> None:
    """Taken over all presets: one of them alone would need more hands than a test has time for."""
    ahead = [strength(preset)["careful"] - strength(preset)["greedy"] for preset in preset_names()]
    assert statistics.mean(ahead) > 0


def test_a_bot_that_is_not_shipped_is_refused() -> None:
    """The message lists those that are."""
    with pytest.raises(ValueError, match="name is 'bold': expected one of random, greedy, careful"):
        shipped_bot("bold")
