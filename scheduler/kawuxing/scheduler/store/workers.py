"""Worker incarnations and their leases."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlmodel import Session, col, func, or_, select, update

from kawuxing.scheduler.store.live import requeue_all, void
from kawuxing.scheduler.store.models import MatchRow, WorkerRow
from kawuxing.scheduler.store.values import MatchState, NewWorker


def register(session: Session, worker: NewWorker, now: datetime) -> None:
    """Enter a new incarnation."""
    session.add(
        WorkerRow(
            incarnation=worker.incarnation,
            host=worker.host,
            pid=worker.pid,
            address=worker.address,
            slots=worker.slots,
            heartbeat_at=now,
            revoked=False,
        )
    )


def lease(session: Session, incarnation: str) -> WorkerRow | None:
    """Return the worker if it has not been revoked."""
    return session.exec(
        select(WorkerRow).where(WorkerRow.incarnation == incarnation, col(WorkerRow.revoked).is_(False))
    ).one_or_none()


def heartbeat(session: Session, incarnation: str, now: datetime) -> bool:
    """Renew a lease if it is not revoked."""
    row = lease(session, incarnation)
    if row is None:
        return False
    row.heartbeat_at = now
    return True


def sign_off(session: Session, incarnation: str, now: datetime) -> int:
    """Revoke the lease and requeue its matches."""
    row = lease(session, incarnation)
    if row is None:
        return 0
    row.revoked = True
    return requeue_all(session, _playing(session, incarnation), "worker signed off", now)


def take_over(session: Session, incarnation: str, now: datetime) -> int:
    """Revoke every other lease; requeue what was offered and what others played."""
    session.execute(update(WorkerRow).where(col(WorkerRow.incarnation) != incarnation).values(revoked=True))
    matches = session.exec(
        select(MatchRow)
        .where(
            or_(
                MatchRow.state == MatchState.OFFERED,
                (col(MatchRow.state) == MatchState.PLAYING) & (col(MatchRow.incarnation) != incarnation),
            )
        )
        .order_by(col(MatchRow.id))
    ).all()
    return requeue_all(session, matches, "arena restarted", now)


def expire(session: Session, ttl: timedelta, now: datetime) -> tuple[str, ...]:
    """Revoke leases not renewed for longer than ``ttl`` and void their matches."""
    workers = session.exec(
        select(WorkerRow)
        .where(col(WorkerRow.revoked).is_(False), col(WorkerRow.heartbeat_at) < now - ttl)
        .order_by(col(WorkerRow.incarnation))
    ).all()
    for worker in workers:
        worker.revoked = True
        for match in _playing(session, worker.incarnation):
            reason = f"the worker on {worker.host} (process {worker.pid}) was lost"
            void(session, match, reason, {"incarnation": worker.incarnation}, now)
    return tuple(worker.incarnation for worker in workers)


def slots(session: Session) -> int:
    """Return how many matches all unrevoked workers play at once."""
    return session.exec(
        select(func.coalesce(func.sum(WorkerRow.slots), 0)).where(col(WorkerRow.revoked).is_(False))
    ).one()


def _playing(session: Session, incarnation: str) -> Sequence[MatchRow]:
    return session.exec(
        select(MatchRow)
        .where(MatchRow.state == MatchState.PLAYING, MatchRow.incarnation == incarnation)
        .order_by(col(MatchRow.id))
    ).all()
