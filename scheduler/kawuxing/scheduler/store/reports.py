"""What is kept of each bot for its author alone: evidence of its faults, and how long its decisions took."""

from __future__ import annotations

import json
from collections import Counter
from datetime import timedelta

from sqlmodel import Session, col, func, select

from kawuxing.engine.faults import Fault
from kawuxing.runner.decision_times import DecisionTimes
from kawuxing.runner.spec import MAX_SLOWEST, SlowDecision
from kawuxing.scheduler.store.encoding import bots_of, quoted, to_json
from kawuxing.scheduler.store.errors import NotEnteredError
from kawuxing.scheduler.store.live import number
from kawuxing.scheduler.store.models import EntrantRow, FaultRow, MatchRow, TimesRow, TournamentRow
from kawuxing.scheduler.store.tournaments import tournament_row
from kawuxing.scheduler.store.values import (
    MAX_REPORTED_FAULTS,
    Entrant,
    FinishedMatch,
    MatchState,
    Report,
    ReportedDecision,
    ReportedFault,
)

_MICROSECOND = timedelta(microseconds=1)


def keep(session: Session, row: MatchRow, finished: FinishedMatch) -> None:
    """Keep what a match that counts adds to the reports of its bots."""
    bots = bots_of(row.bots)
    session.add_all(
        FaultRow(
            tournament=row.tournament,
            bot=bots[fault.entrant],
            match=number(row),
            hand=fault.hand,
            decision=fault.decision_id,
            fault=fault.fault.value,
            legal=to_json([str(action) for action in fault.asked]),
            detail=fault.detail,
        )
        for fault in finished.faults
    )
    for bot, times, slowest in zip(bots, finished.decision_times, finished.slowest, strict=True):
        _add_times(session, row, bot, times, slowest)


def tournaments_of(session: Session, bot: str) -> tuple[str, ...]:
    """Return the ids of the tournaments in which a bot is entered, the newest first."""
    query = (
        select(TournamentRow.id)
        .where(TournamentRow.id == EntrantRow.tournament, EntrantRow.bot == bot)
        .order_by(col(TournamentRow.created_at).desc(), col(TournamentRow.id).desc())
    )
    return tuple(session.exec(query))


def report(session: Session, tournament: str, bot: str) -> Report:
    """Return a bot's report. Raises UnknownTournamentError, NotEnteredError."""
    tournament_row(session, tournament)
    entrant = session.get(EntrantRow, (tournament, bot))
    if entrant is None:
        raise NotEnteredError(bot, tournament)
    times = session.get(TimesRow, (tournament, bot))
    return Report(
        matches=_matches(session, tournament, bot),
        entrant=Entrant(
            bot=bot, strikes=entrant.strikes, absent_since=entrant.absent_since, withdrawn=entrant.withdrawn
        ),
        fault_counts=_fault_counts(session, tournament, bot),
        faults=_faults(session, tournament, bot),
        decision_times=() if times is None else tuple(json.loads(times.decision_times)),
        slowest=() if times is None else _slowest(times),
    )


def _add_times(
    session: Session, match: MatchRow, bot: str, times: tuple[int, ...], slowest: tuple[SlowDecision, ...]
) -> None:
    row = session.get(TimesRow, (match.tournament, bot))
    if row is None:
        row = TimesRow(tournament=match.tournament, bot=bot, decision_times="[]", slowest="[]")
        session.add(row)
    row.decision_times = to_json((DecisionTimes(tuple(json.loads(row.decision_times))) + DecisionTimes(times)).buckets)
    new = (
        ReportedDecision(match.match_id, decision.hand, decision.decision_id, decision.time // _MICROSECOND)
        for decision in slowest
    )
    merged = sorted((*_slowest(row), *new), key=lambda decision: -decision.microseconds)
    row.slowest = to_json(
        [
            [decision.match_id, decision.hand, decision.decision_id, decision.microseconds]
            for decision in merged[:MAX_SLOWEST]
        ]
    )


def _slowest(row: TimesRow) -> tuple[ReportedDecision, ...]:
    return tuple(ReportedDecision(*decision) for decision in json.loads(row.slowest))


def _matches(session: Session, tournament: str, bot: str) -> dict[MatchState, int]:
    query = (
        select(MatchRow.state, func.count())
        .where(MatchRow.tournament == tournament, col(MatchRow.bots).contains(quoted(bot), autoescape=True))
        .group_by(MatchRow.state)
    )
    return dict.fromkeys(MatchState, 0) | {MatchState(state): count for state, count in session.exec(query)}


def _fault_counts(session: Session, tournament: str, bot: str) -> Counter[Fault]:
    query = (
        select(FaultRow.fault, func.count())
        .where(FaultRow.tournament == tournament, FaultRow.bot == bot)
        .group_by(FaultRow.fault)
    )
    return Counter({Fault(fault): count for fault, count in session.exec(query)})


def _faults(session: Session, tournament: str, bot: str) -> tuple[ReportedFault, ...]:
    query = (
        select(MatchRow.match_id, FaultRow)
        .where(MatchRow.id == FaultRow.match, FaultRow.tournament == tournament, FaultRow.bot == bot)
        .order_by(col(FaultRow.id).desc())
        .limit(MAX_REPORTED_FAULTS)
    )
    last_first = [
        ReportedFault(
            match_id=match_id,
            hand=row.hand,
            decision_id=row.decision,
            fault=Fault(row.fault),
            legal=tuple(json.loads(row.legal)),
            detail=row.detail,
        )
        for match_id, row in session.exec(query)
    ]
    return tuple(reversed(last_first))
