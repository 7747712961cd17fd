"""Live matches: what offered and playing matches hold, and every way in which an attempt ends without a result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlmodel import Session, col, delete, select

from kawuxing.scheduler.store.encoding import bots_of, to_json
from kawuxing.scheduler.store.models import AttemptRow, EntrantRow, MatchRow, ReservationRow
from kawuxing.scheduler.store.values import MAX_VOIDS, LiveMatch, MatchState, Reservation


class Claim(NamedTuple):
    """What a worker believes to be playing; a worker that is late or revoked believes wrongly."""

    match: int
    attempt: int
    incarnation: str


def number(row: MatchRow) -> int:
    """Return the number of a match that is in the database."""
    if row.id is None:
        raise ValueError(f"match {row.match_id} has no number yet: expected one from the database")
    return row.id


def owned(session: Session, claim: Claim) -> MatchRow | None:
    """Return the match if exactly this attempt is being played by exactly this worker."""
    return session.exec(
        select(MatchRow).where(
            MatchRow.id == claim.match,
            MatchRow.state == MatchState.PLAYING,
            MatchRow.attempt == claim.attempt,
            MatchRow.incarnation == claim.incarnation,
        )
    ).one_or_none()


def with_reservations(session: Session, rows: Sequence[MatchRow]) -> tuple[LiveMatch, ...]:
    """Return live matches as values, with what they have reserved."""
    reserved: dict[int, list[Reservation]] = {number(row): [] for row in rows}
    for row in session.exec(
        select(ReservationRow)
        .where(col(ReservationRow.match).in_(reserved))
        .order_by(col(ReservationRow.match), col(ReservationRow.entrant))
    ):
        reserved[row.match].append(Reservation(bot=row.bot, instance=row.instance, ticket=row.ticket))
    return tuple(_value(row, tuple(reserved[number(row)])) for row in rows)


def _value(row: MatchRow, entrants: tuple[Reservation, ...]) -> LiveMatch:
    if row.deal_seed is None or row.offer_expires_at is None:
        raise ValueError(f"match {row.match_id} is {row.state}: expected a live one")
    return LiveMatch(
        match=number(row),
        tournament=row.tournament,
        index=row.schedule_index,
        deal=row.deal,
        match_id=row.match_id,
        state=MatchState(row.state),
        attempt=row.attempt,
        voids=row.voids,
        deal_seed=row.deal_seed,
        entrants=entrants,
        offer_expires_at=row.offer_expires_at,
        incarnation=row.incarnation,
        address=row.address,
    )


def leave(session: Session, row: MatchRow, state: MatchState) -> None:
    """End a live attempt: the match goes to ``state``; instances, tickets and the seed are given up."""
    row.state = state
    row.offered_at = None
    row.offer_expires_at = None
    row.deal_seed = None
    row.incarnation = None
    row.address = None
    session.execute(delete(ReservationRow).where(col(ReservationRow.match) == number(row)))


def requeue(session: Session, row: MatchRow) -> MatchState:
    """End a live attempt without counting it: to pending, or cancelled if a bot was withdrawn meanwhile."""
    withdrawn = session.exec(
        select(EntrantRow)
        .where(
            EntrantRow.tournament == row.tournament,
            col(EntrantRow.bot).in_(bots_of(row.bots)),
            col(EntrantRow.withdrawn).is_not(None),
        )
        .order_by(col(EntrantRow.position))
    ).first()
    if withdrawn is None:
        leave(session, row, MatchState.PENDING)
    else:
        leave(session, row, MatchState.CANCELLED)
        row.reason = cancellation(withdrawn.bot, str(withdrawn.withdrawn))
    return MatchState(row.state)


def void(session: Session, row: MatchRow, reason: str, log: Mapping[str, Any], now: datetime) -> MatchState:
    """End a live attempt that failed: as requeue, but counted; the last that is allowed fails the match."""
    write_log(session, row, {**log, "outcome": "voided", "reason": reason}, now)
    row.voids += 1
    row.reason = reason
    if row.voids >= MAX_VOIDS:
        leave(session, row, MatchState.FAILED)
        return MatchState.FAILED
    return requeue(session, row)


def requeue_all(session: Session, rows: Iterable[MatchRow], outcome: str, now: datetime) -> int:
    """Requeue each of ``rows``, log the outcome, and return how many there were."""
    count = 0
    for row in rows:
        write_log(session, row, {"outcome": outcome}, now)
        requeue(session, row)
        count += 1
    return count


def write_log(session: Session, row: MatchRow, entry: Mapping[str, Any], now: datetime) -> None:
    """Append to the attempt log of the match's present attempt."""
    session.add(AttemptRow(match=number(row), attempt=row.attempt, at=now, entry=to_json(entry)))


def cancellation(bot: str, reason: str) -> str:
    """Return why matches of a withdrawn bot are cancelled."""
    return f"{bot} is withdrawn: {reason}"
