"""Transitions of a match that a worker plays."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from sqlmodel import Session, select

from kawuxing.scheduler.store import live, reports, workers
from kawuxing.scheduler.store.encoding import result_to_json, to_json
from kawuxing.scheduler.store.entrants import forget_strikes, strike
from kawuxing.scheduler.store.models import AttemptRow, MatchRow, RecordRow, ResultRow
from kawuxing.scheduler.store.values import FinishedMatch, LiveMatch, MatchState


def start(session: Session, claim: live.Claim) -> LiveMatch | None:
    """Go from offered to playing if the offer stands and the worker's lease does."""
    row = session.exec(
        select(MatchRow).where(
            MatchRow.id == claim.match, MatchRow.state == MatchState.OFFERED, MatchRow.attempt == claim.attempt
        )
    ).one_or_none()
    if row is None or workers.lease(session, claim.incarnation) is None:
        return None
    row.state = MatchState.PLAYING
    row.incarnation = claim.incarnation
    return live.with_reservations(session, [row])[0]


def publish(session: Session, claim: live.Claim, address: str) -> bool:
    """Enter the address of the match's table."""
    row = live.owned(session, claim)
    if row is None:
        return False
    row.address = address
    return True


def taken_up(session: Session, claim: live.Claim) -> bool:
    """Forget the strikes of all of the match's bots."""
    row = live.owned(session, claim)
    if row is None:
        return False
    forget_strikes(session, row)
    return True


def release(session: Session, claim: live.Claim, absent: Collection[str], now: datetime) -> tuple[str, ...] | None:
    """Requeue a match; give the absent bots strikes and return those withdrawn by it."""
    row = live.owned(session, claim)
    if row is None:
        return None
    withdrawn: tuple[str, ...] = ()
    if absent:
        forget_strikes(session, row, absent)
        withdrawn = strike(session, row, absent, now)
    live.write_log(session, row, {"outcome": "released", "absent": sorted(absent)}, now)
    live.requeue(session, row)
    return withdrawn


def void(session: Session, claim: live.Claim, reason: str, log: Mapping[str, Any], now: datetime) -> MatchState | None:
    """Void the attempt if it is still this worker's."""
    row = live.owned(session, claim)
    return None if row is None else live.void(session, row, reason, log, now)


def commit_result(
    session: Session,
    claim: live.Claim,
    finished: FinishedMatch,
    packed: bytes,
    now: datetime,
) -> bool:
    """Enter result, record (``packed``), evidence and log, and go to done, if the attempt is still this worker's."""
    row = live.owned(session, claim)
    if row is None:
        # It may be there already: a worker that lost the connection while committing cannot know, and asks again.
        done = session.get(ResultRow, claim.match)
        return done is not None and (done.attempt, done.sha256) == (claim.attempt, finished.sha256)
    session.add(
        ResultRow(
            match=claim.match,
            result=result_to_json(finished.result),
            sha256=finished.sha256,
            time_faults=finished.time_faults,
            decision_times=to_json(finished.decision_times),
            attempt=claim.attempt,
        )
    )
    session.add(RecordRow(match=claim.match, data=packed))
    reports.keep(session, row, finished)
    live.write_log(session, row, {**finished.log, "outcome": "done"}, now)
    live.leave(session, row, MatchState.DONE)
    row.reason = None
    return True


def log_attempt(session: Session, match: int, attempt: int, entry: Mapping[str, Any], now: datetime) -> None:
    """Append to the attempt log."""
    session.add(AttemptRow(match=match, attempt=attempt, at=now, entry=to_json(entry)))
