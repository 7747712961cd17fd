"""What the store keeps of each bot for its author."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from kawuxing.engine.actions import DISCARD, PASS
from kawuxing.engine.faults import Fault
from kawuxing.runner.spec import MAX_SLOWEST, FaultEvidence, SlowDecision
from kawuxing.scheduler.store import (
    MAX_REPORTED_FAULTS,
    FinishedMatch,
    Instance,
    MatchState,
    NewWorker,
    NotEnteredError,
    ReportedDecision,
    ReportedFault,
    Store,
    UnknownTournamentError,
)
from kawuxing.scheduler.store.testing import ManualClock, finished_match, small_tournament

BOTS = ("ada", "ben", "cyd")
SECOND = timedelta(seconds=1)


@pytest.fixture
def running(store: Store) -> Store:
    """A store with a running tournament of three bots (six matches a deal, twenty deals) and one worker."""
    store.create_tournament(small_tournament(BOTS, deals=20))
    store.begin_run("cup")
    store.register_worker(NewWorker(incarnation="w", host="here", pid=1, address="here:1", slots=8))
    return store


def play(store: Store, **kept: Any) -> tuple[str, tuple[str, ...]]:
    """Play the next match, of which ``kept`` is left beside the record; return its id and its bots by entrant."""
    instances = [Instance(id=bot, bot=bot, capacity=1) for bot in BOTS]
    (live,) = store.offer_next("cup", instances, concurrency=1, expires_in=SECOND, deal_seed_of=lambda *_: b"seed")
    assert store.start_match(live.match, live.attempt, "w") is not None
    finished: FinishedMatch = replace(finished_match(), **kept)
    assert store.commit_result(live.match, live.attempt, "w", finished)
    return live.match_id, tuple(reserved.bot for reserved in live.entrants)


def test_a_fault_is_told_in_the_report_of_its_bot_alone(running: Store) -> None:
    """With the match as the bot knows it, what was asked, and what was wrong."""
    fault = FaultEvidence(1, 0, 4, Fault.ILLEGAL_CHOICE, (PASS, DISCARD[4]), "choice is 7: expected 0 to 1")
    match_id, bots = play(running, faults=(fault,))
    reports = {bot: running.report("cup", bot) for bot in BOTS}

    told = ReportedFault(
        match_id=match_id,
        hand=0,
        decision_id=4,
        fault=Fault.ILLEGAL_CHOICE,
        legal=("PASS", str(DISCARD[4])),
        detail="choice is 7: expected 0 to 1",
    )
    assert {bots[0]: (), bots[1]: (told,), bots[2]: ()} == {bot: report.faults for bot, report in reports.items()}
    assert [{}, {Fault.ILLEGAL_CHOICE: 1}, {}] == [reports[bot].fault_counts for bot in bots]


def test_the_last_faults_are_told_and_all_are_counted(running: Store) -> None:
    """However many a bot makes, its report stays small. Ada is the first entrant of the first two matches."""
    made = 0
    while made <= MAX_REPORTED_FAULTS:
        play(running, faults=tuple(FaultEvidence(0, 0, made + n, Fault.TIMEOUT, (), "") for n in range(60)))
        made += 60
    report = running.report("cup", "ada")

    assert {Fault.TIMEOUT: made} == report.fault_counts
    told = report.faults
    assert list(range(made - len(told), made)) == [fault.decision_id for fault in told]
    assert MAX_REPORTED_FAULTS == len(told)


def test_times_of_all_matches_add_up_and_the_slowest_of_all_are_kept(running: Store) -> None:
    """Each bot's own, whichever entrant it was."""
    totals = dict.fromkeys(BOTS, 0)
    times: dict[str, list[tuple[int, str]]] = {bot: [] for bot in BOTS}
    for number in range(6):
        slowest = tuple(
            tuple(SlowDecision(0, n, timedelta(microseconds=1000 * n + 100 * entrant + number)) for n in range(15))
            for entrant in range(3)
        )
        match_id, bots = play(running, decision_times=((1,), (0, 10), (0, 0, 100)), slowest=slowest)
        for entrant, bot in enumerate(bots):
            totals[bot] += 10**entrant
            times[bot] += [(1000 * n + 100 * entrant + number, match_id) for n in range(15)]

    for bot in BOTS:
        report = running.report("cup", bot)
        assert totals[bot] == sum(report.decision_times)
        slow = sorted(times[bot], reverse=True)[:MAX_SLOWEST]
        assert slow == [(told.microseconds, told.match_id) for told in report.slowest]
        assert isinstance(report.slowest[0], ReportedDecision)


def test_a_match_that_does_not_count_leaves_nothing(running: Store) -> None:
    """A result that comes too late is not in the report either, and one that is asked for again is in it once."""
    instances = [Instance(id=bot, bot=bot, capacity=1) for bot in BOTS]
    (live,) = running.offer_next("cup", instances, concurrency=1, expires_in=SECOND, deal_seed_of=lambda *_: b"seed")
    assert running.start_match(live.match, 1, "w") is not None
    finished = replace(finished_match(), faults=(FaultEvidence(0, 0, 0, Fault.TIMEOUT, (), "late"),))

    assert not running.commit_result(live.match, 2, "w", finished)
    assert [(), (), ()] == [running.report("cup", bot).faults for bot in BOTS]
    assert running.commit_result(live.match, 1, "w", finished)
    assert running.commit_result(live.match, 1, "w", finished)
    assert 1 == len(running.report("cup", live.entrants[0].bot).faults)


def test_a_report_says_how_far_the_bots_matches_are(running: Store) -> None:
    """In all states, with strikes and the reason of a withdrawal; those of others are not counted."""
    running.create_tournament(small_tournament(("ada", "ben", "cyd", "dan"), tournament="cup4"))
    running.begin_run("cup4")
    running.withdraw("cup4", "dan", "absent")
    report = running.report("cup4", "ada")

    assert {MatchState.PENDING: 6, MatchState.CANCELLED: 12} == {
        state: count for state, count in report.matches.items() if count
    }
    assert set(MatchState) == set(report.matches)
    assert ("ada", 0, None) == (report.entrant.bot, report.entrant.strikes, report.entrant.withdrawn)
    assert "absent" == running.report("cup4", "dan").entrant.withdrawn


def test_a_bots_tournaments_are_found_the_newest_first(store: Store, clock: ManualClock) -> None:
    """Only those in which it is entered."""
    for tournament, bots in (("old", BOTS), ("others", ("dan", "eve", "fay")), ("new", ("ada", "eve", "fay"))):
        clock.advance(SECOND)
        store.create_tournament(small_tournament(bots, tournament=tournament))

    assert [("new", "old"), ("old",), ("new", "others"), ()] == [
        store.tournaments_of(bot) for bot in ("ada", "ben", "eve", "gus")
    ]


def test_a_bot_that_is_not_entered_has_no_report(running: Store) -> None:
    """Neither there nor in a tournament that is none."""
    with pytest.raises(NotEnteredError, match="bot 'eve' is not entered in tournament 'cup'"):
        running.report("cup", "eve")
    with pytest.raises(UnknownTournamentError):
        running.report("cap", "ada")
