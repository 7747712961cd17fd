"""Offers: reserving all of a match's bots, or none."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta

from sqlmodel import Session, col, func, not_, select, update

from kawuxing.scheduler.store import workers
from kawuxing.scheduler.store.encoding import bots_of, quoted
from kawuxing.scheduler.store.live import number, requeue_all, with_reservations
from kawuxing.scheduler.store.models import LIVE, EntrantRow, MatchRow, ReservationRow
from kawuxing.scheduler.store.tournaments import tournament_row
from kawuxing.scheduler.store.values import Instance, LiveMatch, MatchState, TournamentState

SeedOf = Callable[[int, int], bytes]
"""Derives a match's deal seed from its schedule index and its deal number."""

_TICKET_BYTES = 24


class _Capacity:
    """Free capacity by bot and instance, as matches are reserved."""

    def __init__(self, instances: Sequence[Instance], reserved: dict[str, int]) -> None:
        self._free: dict[str, dict[str, int]] = {}
        for instance in instances:
            free = instance.capacity - reserved.get(instance.id, 0)
            if free > 0:
                self._free.setdefault(instance.bot, {})[instance.id] = free

    def has(self, bot: str) -> bool:
        """Return whether some instance of the bot is free."""
        return bot in self._free

    def take(self, bot: str) -> str:
        """Take one from the bot's instance with most free capacity (of equals, the first by id)."""
        of_bot = self._free[bot]
        instance = min(of_bot, key=lambda name: (-of_bot[name], name))
        of_bot[instance] -= 1
        if of_bot[instance] == 0:
            del of_bot[instance]
        if not of_bot:
            del self._free[bot]
        return instance


def offer_next(
    session: Session,
    tournament: str,
    instances: Sequence[Instance],
    *,
    concurrency: int,
    now: datetime,
    expires_in: timedelta,
    deal_seed_of: SeedOf,
) -> tuple[LiveMatch, ...]:
    """Offer the first pending matches whose bots are all free, while there are free slots."""
    if tournament_row(session, tournament).state != TournamentState.RUNNING:
        return ()
    free_slots = min(workers.slots(session) - _live(session), concurrency - _live(session, tournament))
    if free_slots <= 0:
        return ()
    bots = session.exec(select(EntrantRow.bot).where(EntrantRow.tournament == tournament)).all()
    capacity = _Capacity(instances, _reserved(session))
    offered: list[MatchRow] = []
    while len(offered) < free_slots:
        busy = [bot for bot in bots if not capacity.has(bot)]
        after = offered[-1].schedule_index if offered else -1
        row = None if len(busy) == len(bots) else _first_pending(session, tournament, after, busy)
        if row is None:
            break
        row.state = MatchState.OFFERED
        row.attempt += 1
        row.offered_at = now
        row.offer_expires_at = now + expires_in
        row.deal_seed = deal_seed_of(row.schedule_index, row.deal)
        for entrant, bot in enumerate(bots_of(row.bots)):
            session.add(
                ReservationRow(
                    match=number(row),
                    entrant=entrant,
                    bot=bot,
                    instance=capacity.take(bot),
                    ticket=secrets.token_urlsafe(_TICKET_BYTES),
                )
            )
        offered.append(row)
    return with_reservations(session, offered)


def expire(session: Session, now: datetime) -> int:
    """Requeue every offer that expired before ``now``."""
    rows = session.exec(
        select(MatchRow)
        .where(MatchRow.state == MatchState.OFFERED, col(MatchRow.offer_expires_at) < now)
        .order_by(col(MatchRow.id))
    ).all()
    return requeue_all(session, rows, "offer expired", now)


def adopt(session: Session, instance: Instance, connected: Collection[str]) -> tuple[LiveMatch, ...]:
    """Move a bot's reservations on instances that are gone to ``instance``; return what it plays now."""
    session.execute(
        update(ReservationRow)
        .where(col(ReservationRow.bot) == instance.bot, col(ReservationRow.instance).not_in(connected))
        .values(instance=instance.id)
    )
    rows = session.exec(
        select(MatchRow)
        .where(
            MatchRow.state == MatchState.PLAYING,
            col(MatchRow.id).in_(select(ReservationRow.match).where(ReservationRow.instance == instance.id)),
        )
        .order_by(col(MatchRow.id))
    ).all()
    return with_reservations(session, rows)


def _live(session: Session, tournament: str | None = None) -> int:
    query = select(func.count()).select_from(MatchRow).where(col(MatchRow.state).in_(LIVE))
    if tournament is not None:
        query = query.where(MatchRow.tournament == tournament)
    return session.exec(query).one()


def _reserved(session: Session) -> dict[str, int]:
    query = select(ReservationRow.instance, func.count()).group_by(col(ReservationRow.instance))
    return dict(session.exec(query).all())


def _first_pending(session: Session, tournament: str, after: int, busy: Sequence[str]) -> MatchRow | None:
    return session.exec(
        select(MatchRow)
        .where(
            MatchRow.state == MatchState.PENDING,
            MatchRow.tournament == tournament,
            MatchRow.schedule_index > after,
            *(not_(col(MatchRow.bots).contains(quoted(bot), autoescape=True)) for bot in busy),
        )
        .order_by(col(MatchRow.schedule_index))
        .limit(1)
    ).first()
