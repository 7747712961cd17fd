"""Transitions of a tournament's bots: absence, strikes, withdrawal."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from sqlmodel import Session, col, select, update

from kawuxing.scheduler.store.encoding import bots_of, quoted
from kawuxing.scheduler.store.live import cancellation, leave
from kawuxing.scheduler.store.models import EntrantRow, MatchRow
from kawuxing.scheduler.store.tournaments import tournament_row
from kawuxing.scheduler.store.values import MAX_STRIKES, MatchState


def set_present(session: Session, tournament: str, present: Collection[str], now: datetime) -> None:
    """Begin, go on with, or end each bot's absence."""
    tournament_row(session, tournament)
    for row in session.exec(select(EntrantRow).where(EntrantRow.tournament == tournament)):
        if row.bot in present:
            row.absent_since = None
        elif row.absent_since is None:
            row.absent_since = now


def withdraw_absent(session: Session, tournament: str, limit: timedelta, now: datetime) -> tuple[str, ...]:
    """Withdraw every bot that has been absent for longer than ``limit``."""
    tournament_row(session, tournament)
    rows = session.exec(
        select(EntrantRow)
        .where(
            EntrantRow.tournament == tournament,
            col(EntrantRow.withdrawn).is_(None),
            col(EntrantRow.absent_since) < now - limit,
        )
        .order_by(col(EntrantRow.position))
    ).all()
    for row in rows:
        _withdraw(session, row, f"absent for longer than {limit.total_seconds():g} s")
    return tuple(row.bot for row in rows)


def withdraw(session: Session, tournament: str, bot: str, reason: str) -> bool:
    """Withdraw a bot unless it is withdrawn already."""
    tournament_row(session, tournament)
    row = session.get(EntrantRow, (tournament, bot))
    if row is None or row.withdrawn is not None:
        return False
    _withdraw(session, row, reason)
    return True


def forget_strikes(session: Session, match: MatchRow, absent: Collection[str] = ()) -> None:
    """Forget the strikes of the match's bots that did come."""
    came = [bot for bot in bots_of(match.bots) if bot not in absent]
    session.execute(
        update(EntrantRow)
        .where(
            col(EntrantRow.tournament) == match.tournament, col(EntrantRow.bot).in_(came), col(EntrantRow.strikes) > 0
        )
        .values(strikes=0)
    )


def strike(session: Session, match: MatchRow, absent: Collection[str], now: datetime) -> tuple[str, ...]:
    """Give each of the match's ``absent`` bots a strike; return those withdrawn by it.

    Of matches that were offered side by side only one counts: they tell of the same absence.
    """
    withdrawn = []
    for row in session.exec(
        select(EntrantRow)
        .where(
            EntrantRow.tournament == match.tournament,
            col(EntrantRow.bot).in_([bot for bot in bots_of(match.bots) if bot in absent]),
            col(EntrantRow.withdrawn).is_(None),
        )
        .order_by(col(EntrantRow.position))
    ).all():
        if row.struck_at is not None and match.offered_at is not None and match.offered_at < row.struck_at:
            continue
        row.strikes += 1
        row.struck_at = now
        if row.strikes >= MAX_STRIKES:
            _withdraw(session, row, f"did not take up {MAX_STRIKES} matches in a row")
            withdrawn.append(row.bot)
    return tuple(withdrawn)


def _withdraw(session: Session, row: EntrantRow, reason: str) -> None:
    row.withdrawn = reason
    its_matches = (
        col(MatchRow.tournament) == row.tournament,
        col(MatchRow.bots).contains(quoted(row.bot), autoescape=True),
    )
    for match in session.exec(select(MatchRow).where(*its_matches, MatchRow.state == MatchState.OFFERED)).all():
        leave(session, match, MatchState.CANCELLED)
        match.reason = cancellation(row.bot, reason)
    session.execute(
        update(MatchRow)
        .where(*its_matches, col(MatchRow.state) == MatchState.PENDING)
        .values(state=MatchState.CANCELLED, reason=cancellation(row.bot, reason))
    )
