"""The schedule: who plays whom, how often and where."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from itertools import combinations, permutations
from math import factorial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kawuxing.scheduler.config import TournamentConfig
from kawuxing.scheduler.seating import audit, schedule


def tournament(bots: int, *, rules: dict[str, Any] | None = None, **tables: Any) -> TournamentConfig:
    listed = [{"name": f"bot-{number}", "command": ["bot"]} for number in range(bots)]
    return TournamentConfig.from_json({"name": "Cup", "rules": rules or {}, "bots": listed, **tables})


def test_three_bots_play_their_one_table_in_all_six_seat_orders() -> None:
    """With three bots, a deal is the six orders of one trio."""
    matches = schedule(tournament(3))

    assert sorted(permutations(["bot-0", "bot-1", "bot-2"])) == sorted(match.entrants for match in matches)


@pytest.mark.parametrize("preset", ["four-seat", "sit-out"])
def test_four_bots_play_their_one_table_in_all_24_seat_orders(preset: str) -> None:
    """Each has each seat six times and sits right after each other eight times; rotations are four, in a ring."""
    names = ["bot-0", "bot-1", "bot-2", "bot-3"]
    config = tournament(4, rules={"preset": preset})
    matches = schedule(config)
    told = audit(config, matches)

    assert sorted(permutations(names)) == sorted(match.entrants for match in matches)
    assert {(6, 6, 6, 6)} == set(told.seats.values())
    assert ({24}, {8}) == (set(told.pairs.values()), set(told.neighbours.values()))
    rotations = tournament(4, rules={"preset": preset}, schedule={"seat_orders": "rotations"})
    assert [(*names[turn:], *names[:turn]) for turn in range(4)] == [match.entrants for match in schedule(rotations)]


def test_rotations_keep_everybodys_neighbours() -> None:
    """With rotations, a deal of three bots is three matches, in all of which bot 1 sits after bot 0."""
    config = tournament(3, schedule={"seat_orders": "rotations"})
    result = audit(config, schedule(config))

    assert 3 == result.matches
    assert {(1, 1, 1)} == set(result.seats.values())
    assert (3, 0) == (result.neighbours["bot-0", "bot-1"], result.neighbours["bot-1", "bot-0"])
    assert not result.balanced


@settings(max_examples=20)
@given(
    bots=st.integers(min_value=4, max_value=8),
    sit_out=st.booleans(),
    deals=st.integers(min_value=1, max_value=2),
    orders=st.sampled_from(["all", "rotations"]),
)
def test_every_table_is_played_in_every_seat_order_once_a_deal(
    bots: int, deals: int, orders: str, *, sit_out: bool
) -> None:
    """A deal is every set of bots in every seat order, and deals follow each other."""
    config = tournament(bots, rules={"sit_out": sit_out}, schedule={"deals": deals, "seat_orders": orders})
    matches = schedule(config)
    entrants = 4 if sit_out else 3
    seat_orders = factorial(entrants) if orders == "all" else entrants
    tables = Counter((match.deal, frozenset(match.entrants)) for match in matches)
    names = [bot.name for bot in config.bots]

    assert list(range(config.matches)) == [match.index for match in matches]
    assert sorted(match.deal for match in matches) == [match.deal for match in matches]
    assert {(deal, frozenset(table)) for deal in range(deals) for table in combinations(names, entrants)} == set(tables)
    assert {seat_orders} == set(tables.values())
    assert len(matches) == len({(match.deal, match.entrants) for match in matches})


@settings(max_examples=10)
@given(bots=st.integers(min_value=3, max_value=9), four=st.booleans())
def test_all_seat_orders_are_balanced(bots: int, *, four: bool) -> None:
    """With all seat orders, seats, opponents and neighbours are equal for all bots."""
    config = tournament(bots + four, rules={"sit_out": four})

    assert audit(config, schedule(config)).balanced


@settings(max_examples=15)
@given(bots=st.integers(min_value=3, max_value=14), four=st.booleans())
def test_no_bot_gets_far_ahead_in_matches_played(bots: int, *, four: bool) -> None:
    """However far the tournament is, two bots have played about equally often."""
    config = tournament(bots + four, rules={"sit_out": four}, schedule={"seat_orders": "rotations"})
    played = Counter({bot.name: 0 for bot in config.bots})

    for match in schedule(config):
        played.update(match.entrants)
        assert max(played.values()) - min(played.values()) <= config.rules.entrants


def test_the_schedule_is_a_function_of_the_config_alone() -> None:
    """The same config gives the same schedule."""
    assert schedule(tournament(5)) == schedule(tournament(5))


def test_how_the_tournament_is_run_does_not_change_the_schedule() -> None:
    """Concurrency is not part of the schedule."""
    assert schedule(tournament(5)) == schedule(tournament(5, run={"concurrency": 9}))


def test_the_audit_tells_its_counts_as_text() -> None:
    """In sentences, with each count once if it is the same for all bots."""
    config = tournament(4)

    assert (
        "each bot plays 18 matches, 6 in each seat\n"
        "two bots meet 12 times, each right after the other 6 times\n"
        "about 1:46:00, if every bot uses all of its time"
    ) == str(audit(config, schedule(config)))


def test_the_audit_tells_spans_where_bots_differ() -> None:
    """A schedule that has only begun gives the least and the greatest count; a single one is one match, not matches."""
    config = tournament(4)
    lines = str(audit(config, schedule(config)[:1])).splitlines()

    assert "each bot plays 0 to 1 match, 0 to 1 in each seat" == lines[0]
    assert "two bots meet 0 to 1 time, each right after the other 0 to 1 time" == lines[1]


@pytest.mark.parametrize(
    ("preset", "by_clocks", "by_moves"),
    [
        # Four clocks; 120 - 52 + 16 turns, 84 claim rounds and 16 added kongs a hand.
        ("four-seat", timedelta(seconds=4 * 90 + 10), timedelta(seconds=4 * 1 + 8 * 0.184 + 10)),
        # Four clocks at three seats: 84 - 39 + 12 turns.
        ("sit-out", timedelta(seconds=4 * 90 + 10), timedelta(seconds=4 * 1 + 8 * 0.126 + 10)),
        # Three clocks: 108 - 39 + 12 turns.
        ("three-suit", timedelta(seconds=3 * 90 + 10), timedelta(seconds=3 * 1 + 8 * 0.174 + 10)),
    ],
)
def test_the_longest_match_follows_from_seats_entrants_and_tiles(
    preset: str, by_clocks: timedelta, by_moves: timedelta
) -> None:
    """Whoever rests has a clock too; more tiles make longer hands."""
    slow = {"bank": 60, "increment": 0, "start": 30, "move_max": 15}
    quick = {"bank": 3600, "increment": 1, "start": 1, "move_max": 0.001}
    for clock, expected in ((slow, by_clocks), (quick, by_moves)):
        config = tournament(4, rules={"preset": preset}, match={"clock": clock})
        assert expected == audit(config, schedule(config)).longest_match


@pytest.mark.parametrize(
    ("clock", "expected"),
    [
        # Clocks bind: three entrants use 30 s + 60 s, and no increment.
        ({"bank": 60, "increment": 0, "start": 30, "move_max": 15}, timedelta(seconds=3 * 90 + 10)),
        # The limit of a decision binds: 57 turns, as many claim rounds and 12 added kongs a hand, 1 ms each.
        ({"bank": 3600, "increment": 1, "start": 1, "move_max": 0.001}, timedelta(seconds=3 * 1 + 8 * 0.126 + 10)),
    ],
)
def test_the_longest_match_follows_from_the_clock(clock: dict[str, Any], expected: timedelta) -> None:
    """The bound is what the clocks allow, and joining."""
    config = tournament(3, match={"clock": clock})

    assert expected == audit(config, schedule(config)).longest_match


@pytest.mark.parametrize(
    ("concurrency", "capacity", "rounds"),
    [(1, 4, 24), (8, 64, 3), (8, 1, 24), (4, 2, 12), (2, 2, 12)],
)
def test_the_longest_duration_follows_from_concurrency_and_capacity(
    concurrency: int, capacity: int, rounds: int
) -> None:
    """Four bots play 24 matches, 18 each: as many at once as concurrency and the bots' capacities allow."""
    bots = [{"name": f"bot-{number}", "command": ["bot"], "capacity": capacity} for number in range(4)]
    config = TournamentConfig.from_json({"name": "Cup", "bots": bots, "run": {"concurrency": concurrency}})
    result = audit(config, schedule(config))

    assert rounds * result.longest_match == result.longest
