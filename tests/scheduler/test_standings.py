"""From results to a leaderboard."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kawuxing.engine.faults import Fault
from kawuxing.engine.match import EntrantResult, MatchResult
from kawuxing.runner.decision_times import DecisionTimes
from kawuxing.scheduler.config import TournamentConfig
from kawuxing.scheduler.leaderboard import Flag, Leaderboard, Row
from kawuxing.scheduler.seating import ScheduledMatch, schedule
from kawuxing.scheduler.standings import MatchOutcome, Tally, leaderboard

NAMES = ("a", "b", "c")


def tournament(*names: str, **tables: Any) -> TournamentConfig:
    bots = [{"name": name, "command": ["bot"], "process": "match", "version": "1"} for name in names or NAMES]
    return TournamentConfig.from_json({"name": "Cup", "match": {"hands": 4}, "bots": bots, **tables})


def entrant(
    hand_points: Sequence[int], rank: int, faults: Sequence[Fault] = (), forfeited_in: int = -1, **counts: int
) -> EntrantResult:
    numbers = {"wins": 0, "deal_ins": 0, "reveals": 0, **counts}
    return EntrantResult(
        points=sum(hand_points),
        rank=rank,
        hand_points=tuple(hand_points),
        hands_played=len(hand_points),
        faults=tuple(faults),
        forfeited_in=forfeited_in,
        **numbers,
    )


def outcome(index: int, *entrants: EntrantResult, bots: tuple[str, ...] = NAMES, deal: int = 0) -> MatchOutcome:
    return MatchOutcome(index, deal, bots, MatchResult(entrants))


def by_points(index: int, *points: int, bots: tuple[str, ...] = NAMES, deal: int = 0) -> MatchOutcome:
    entrants = [entrant([own, 0, 0, 0], 1 + sum(other > own for other in points)) for own in points]
    return outcome(index, *entrants, bots=bots, deal=deal)


def played(match: ScheduledMatch, random: Random) -> MatchOutcome:
    first, second = random.randint(-9, 9), random.randint(-9, 9)
    return by_points(match.index, first, second, -first - second, bots=match.entrants, deal=match.deal)


def seeded(text: str) -> Random:
    return Random(text)


def row(board: Leaderboard, bot: str) -> Row:
    return next(row for row in board.rows if row.bot == bot)


def test_the_bot_that_wins_more_ranks_higher() -> None:
    """Rows are ordered by Elo, and their places, ranks and points are counted."""
    board = leaderboard(tournament(), [by_points(0, 4, 0, -4), by_points(1, 8, -5, -3), by_points(2, 1, 3, -4)])

    assert [(1, "a"), (2, "b"), (3, "c")] == [(row.rank, row.bot) for row in board.rows]
    assert [(2, 1, 0), (1, 1, 1), (0, 1, 2)] == [row.places for row in board.rows]
    assert [1.333, 2.0, 2.667] == [row.average_rank for row in board.rows]
    assert [(13, 12, 1.083), (-2, 12, -0.167), (-11, 12, -0.917)] == [
        (row.points, row.hands, row.points_per_hand) for row in board.rows
    ]
    assert (3, 3, 6) == (board.played, board.rated, board.scheduled)


def test_what_bots_did_is_counted() -> None:
    """Wins, deal-ins, reveals, forfeits and faults of every kind add up over matches."""
    faults = [Fault.TIMEOUT, Fault.ILLEGAL_CHOICE, Fault.TIMEOUT]
    first = entrant([5, 0], 1, wins=2, reveals=1)
    second = entrant([-5, 0], 3, faults, forfeited_in=1, deal_ins=1)
    board = leaderboard(tournament(), [outcome(index, first, entrant([0, 0], 2, wins=1), second) for index in range(2)])

    assert (4, 2, 0, 0) == (
        row(board, "a").wins,
        row(board, "a").reveals,
        row(board, "a").deal_ins,
        row(board, "a").forfeits,
    )
    assert (2, 2) == (row(board, "c").deal_ins, row(board, "c").forfeits)
    assert {Fault.TIMEOUT: 4, Fault.ILLEGAL_CHOICE: 2, Fault.PROTOCOL_ERROR: 0, Fault.DISCONNECTED: 0} == row(
        board, "c"
    ).faults
    assert 2 == row(board, "b").wins


def test_hands_after_a_forfeit_do_not_count_for_points() -> None:
    """The hand in which it happens still does, for everybody."""
    board = leaderboard(
        tournament(),
        [
            outcome(
                0, entrant([1, 2, 30, 30], 1), entrant([0, 1, 0, 0], 2), entrant([-1, -3, -30, -30], 3, forfeited_in=1)
            )
        ],
    )

    assert [("a", 3, 2), ("b", 1, 2), ("c", -4, 2)] == [(row.bot, row.points, row.hands) for row in board.rows]


def test_a_match_that_everybody_forfeits_is_not_rated() -> None:
    """It is played, but gives no place and no Elo."""
    board = leaderboard(tournament(), [outcome(0, *[entrant([0, 0], 1, forfeited_in=0)] * 3)])

    assert (1, 0) == (board.played, board.rated)
    assert {(None, None, 1, (0, 0, 0), None)} == {
        (row.rank, row.elo, row.matches, row.places, row.average_rank) for row in board.rows
    }


def test_tied_bots_share_places() -> None:
    """Two who tie for first are both first, with the mean rank of their places, and the same rank of equal Elo."""
    board = leaderboard(tournament(), [by_points(0, 2, 2, -4), by_points(1, 3, 3, -6)])

    assert [(1, "a", (2, 0, 0), 1.5), (1, "b", (2, 0, 0), 1.5), (3, "c", (0, 0, 2), 3.0)] == [
        (row.rank, row.bot, row.places, row.average_rank) for row in board.rows
    ]


def test_a_few_matches_give_no_intervals_and_say_so() -> None:
    """Under twenty matches, intervals of Elo and points are left out."""
    config = tournament()
    random = seeded("few")
    board = leaderboard(config, [played(match, random) for match in schedule(config)])

    assert board.too_few
    assert {(None, None, None)} == {(row.low, row.high, row.points_margin) for row in board.rows}
    assert "too few matches: 6, and intervals need at least 20" in board.notes


def test_enough_matches_give_intervals() -> None:
    """From twenty matches on, every row has intervals around its values, rounded as published."""
    config = tournament(schedule={"deals": 10})
    random = seeded("enough")
    board = leaderboard(config, [played(match, random) for match in schedule(config)])

    assert not board.too_few
    for own in board.rows:
        assert own.low is not None
        assert own.elo is not None
        assert own.high is not None
        assert own.low < own.elo < own.high
        assert [own.low, own.elo, own.high] == [round(value, 1) for value in (own.low, own.elo, own.high)]
        assert sorted(set(NAMES) - {own.bot}) == sorted(own.stronger)


def test_the_interval_of_points_is_that_of_a_mean_over_matches() -> None:
    """With equally many hands in all matches it is the t interval of the matches' means."""
    outcomes = [by_points(index, (index % 5) * 4, 0, (index % 5) * -4) for index in range(25)]
    board = leaderboard(tournament(schedule={"deals": 9}), outcomes)

    # Means 0, 1, 2, 3, 4, five times each: variance 50 / 24; t with 24 degrees of freedom is 2.0639.
    assert (2.0, 0.596) == (row(board, "a").points_per_hand, row(board, "a").points_margin)


def test_duplicate_deals_count_by_deal() -> None:
    """Matches of one deal are one cluster, and the table says what the tournament was."""
    config = tournament(schedule={"deals": 19, "walls": "duplicate"})
    random = seeded("duplicate")
    board = leaderboard(config, [played(match, random) for match in schedule(config)])

    assert board.duplicate
    assert board.too_few
    assert "duplicate deals, trusted bots" in board.notes
    assert "too few deals: 19, and intervals need at least 20" in board.notes
    assert {None} == {row.points_margin for row in board.rows}


def test_unfinished_and_practice_tournaments_say_so() -> None:
    """Nobody takes live standings, or those of a guessable seed, for more than they are."""
    board = leaderboard(tournament(seed="x"), [by_points(0, 1, 0, -1)], provisional=True)

    assert board.provisional
    assert board.practice
    assert "provisional: 1 of 6 matches played" in board.notes
    assert "practice tournament: its seed is a text, which can be guessed" in board.notes


@pytest.mark.parametrize(
    ("fault", "reproducible"),
    [
        (Fault.TIMEOUT, False),
        (Fault.DISCONNECTED, False),
        (Fault.ILLEGAL_CHOICE, True),
        (Fault.PROTOCOL_ERROR, True),
    ],
)
def test_faults_that_depended_on_time_are_told(fault: Fault, *, reproducible: bool) -> None:
    """After a timeout the same seed need not give the same games; after an illegal choice it does."""
    board = leaderboard(tournament(), [outcome(0, entrant([1], 1, [fault]), entrant([0], 2), entrant([-1], 3))])

    assert reproducible == board.reproducible
    assert reproducible == ("not reproducible: 1 faults depended on time" not in board.notes)


def test_a_withdrawn_bot_is_listed_unranked() -> None:
    """Its matches count for the others, but it has no rank and takes none."""
    board = leaderboard(tournament(), [by_points(0, 2, 0, -2), by_points(1, 2, 0, -2)], withdrawn={"a": "absent"})

    assert [(1, "b"), (2, "c"), (None, "a")] == [(row.rank, row.bot) for row in board.rows]
    assert "absent" == row(board, "a").withdrawn
    assert (Flag.ALWAYS_AHEAD, Flag.WITHDRAWN) == row(board, "a").flags
    assert (Flag.NEVER_AHEAD,) == row(board, "c").flags


def test_bots_without_matches_are_not_ranked() -> None:
    """They do not keep the others from being ranked."""
    board = leaderboard(tournament("a", "b", "c", "d"), [by_points(0, 2, 0, -2)])

    assert [1, 2, 3, None] == [row.rank for row in board.rows]
    assert (Flag.NO_MATCHES,) == row(board, "d").flags


def test_disconnected_bots_are_not_ranked_and_it_is_told_why() -> None:
    """Early on, groups that have not met yet cannot be compared; figures that need no comparison stay."""
    config = tournament(*"abcdef")
    board = leaderboard(config, [by_points(0, 4, 0, -4), by_points(1, 4, 0, -4, bots=("d", "e", "f"))])

    assert {(None, None)} == {(row.rank, row.elo) for row in board.rows}
    assert 1.0 == row(board, "a").points_per_hand
    assert "not ranked: no chain of matches connects {a, b, c} with {d, e, f}" in board.notes[0]


def test_before_the_first_result_the_table_is_empty() -> None:
    """All bots are there, and nothing is told about them."""
    board = leaderboard(tournament(), [], provisional=True)

    assert {(None, None, None, 0)} == {(row.rank, row.elo, row.points_per_hand, row.matches) for row in board.rows}
    assert ("provisional: 0 of 6 matches played",) == board.notes


def test_decision_times_are_summed_up() -> None:
    """Median, 95th percentile and maximum are those of all matches together."""
    times = (DecisionTimes.of([1.0] * 18), DecisionTimes.of([]), DecisionTimes.of([8.0, 64.0]))
    base = by_points(0, 1, 0, -1)
    other = MatchOutcome(1, 0, ("c", "b", "a"), base.result, times)
    board = leaderboard(tournament(), [MatchOutcome(0, 0, NAMES, base.result, times), other])
    summary = row(board, "a").times

    assert summary is not None
    assert (20, 1.0, 8.0, 64.0) == (summary.decisions, summary.median, summary.p95, summary.max)
    assert None is row(board, "b").times


def test_a_match_counts_once() -> None:
    """The same match twice, or a stranger's, is a mistake of the caller."""
    tally = Tally(tournament())
    tally.add(by_points(0, 1, 0, -1))

    with pytest.raises(ValueError, match="match 0 is counted already"):
        tally.add(by_points(0, 1, 0, -1))
    with pytest.raises(ValueError, match="match 1 has 'z'"):
        tally.add(by_points(1, 1, 0, -1, bots=("a", "b", "z")))


@settings(max_examples=25)
@given(shuffle=st.randoms(use_true_random=False), walls=st.sampled_from(["fresh", "duplicate"]))
def test_the_order_of_results_does_not_show(shuffle: Random, walls: str) -> None:
    """Whatever order results come in, the published leaderboard is the same text."""
    config = tournament(*"abcd", schedule={"deals": 22, "seat_orders": "rotations", "walls": walls})
    random = seeded("order")
    outcomes = [played(match, random) for match in schedule(config)]
    moved = shuffle.sample(outcomes, len(outcomes))

    assert json.dumps(leaderboard(config, outcomes).to_json()) == json.dumps(leaderboard(config, moved).to_json())


def test_the_csv_has_a_line_for_each_bot() -> None:
    """What cannot be told is empty, and columns are named."""
    board = leaderboard(tournament(), [by_points(0, 4, 0, -4)], withdrawn={"c": "absent"})
    lines = list(csv.DictReader(io.StringIO(board.to_csv())))

    assert ["a", "b", "c"] == [line["bot"] for line in lines]
    assert ("1", "1", "1.0", "", "always-ahead") == tuple(
        lines[0][column] for column in ("rank", "firsts", "points_per_hand", "low", "flags")
    )
    assert ("", "0", "never-ahead withdrawn") == tuple(
        lines[2][column] for column in ("rank", "faults_timeout", "flags")
    )


def test_the_json_is_plain_data() -> None:
    """It survives JSON, and without times it holds only what follows from the records."""
    times = (DecisionTimes.of([1.0]),) * 3
    base = by_points(0, 4, 0, -4)
    board = leaderboard(tournament(), [MatchOutcome(0, 0, NAMES, base.result, times)])
    data = board.to_json()

    assert data == json.loads(json.dumps(data))
    assert {"decisions": 1, "median": 1.0, "p95": 1.0, "max": 1.0} == data["rows"][0]["times"]
    assert ["always ahead"] == data["rows"][0]["flags"]
    assert data["reproducible"]
    assert leaderboard(tournament(), [base]).to_json(times=False) == board.to_json(times=False)
