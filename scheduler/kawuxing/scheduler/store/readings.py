"""Everything that is only read."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sqlmodel import Session, col, func, select

from kawuxing.scheduler.store.encoding import bots_of, decompress, object_of, quoted, result_of, times_of
from kawuxing.scheduler.store.live import number, with_reservations
from kawuxing.scheduler.store.models import (
    LIVE,
    AttemptRow,
    BotRow,
    EntrantRow,
    MatchRow,
    RecordRow,
    ResultRow,
    TournamentRow,
    WorkerRow,
)
from kawuxing.scheduler.store.tournaments import tournament_row
from kawuxing.scheduler.store.values import (
    AttemptEntry,
    Bot,
    Entrant,
    LiveMatch,
    MatchState,
    MatchStatus,
    StoredRecord,
    StoredResult,
    Tournament,
    TournamentState,
    Worker,
)

_RECORDS_AT_ONCE = 64


def tournament(session: Session, name: str) -> Tournament:
    """Return one tournament. Raises UnknownTournamentError."""
    return _tournament(tournament_row(session, name))


def tournaments(session: Session) -> tuple[Tournament, ...]:
    """Return every tournament, the oldest first."""
    query = select(TournamentRow).order_by(col(TournamentRow.created_at), col(TournamentRow.id))
    return tuple(_tournament(row) for row in session.exec(query))


def progress(session: Session, name: str) -> dict[MatchState, int]:
    """Count matches by state."""
    tournament_row(session, name)
    counts = dict.fromkeys(MatchState, 0)
    for state in MatchState:
        query = select(func.count()).select_from(MatchRow).where(MatchRow.state == state, MatchRow.tournament == name)
        counts[state] = session.exec(query).one()
    return counts


def bots(session: Session) -> tuple[Bot, ...]:
    """Return every registered bot by name."""
    query = select(BotRow).order_by(col(BotRow.name))
    return tuple(Bot(name=row.name, remote=row.remote, created_at=row.created_at) for row in session.exec(query))


def entrants(session: Session, name: str) -> tuple[Entrant, ...]:
    """Return a tournament's bots in the order of its config."""
    tournament_row(session, name)
    query = select(EntrantRow).where(EntrantRow.tournament == name).order_by(col(EntrantRow.position))
    return tuple(
        Entrant(bot=row.bot, strikes=row.strikes, absent_since=row.absent_since, withdrawn=row.withdrawn)
        for row in session.exec(query)
    )


def workers(session: Session) -> tuple[Worker, ...]:
    """Return every unrevoked worker."""
    query = select(WorkerRow).where(col(WorkerRow.revoked).is_(False)).order_by(col(WorkerRow.incarnation))
    return tuple(
        Worker(
            incarnation=row.incarnation,
            host=row.host,
            pid=row.pid,
            address=row.address,
            slots=row.slots,
            heartbeat_at=row.heartbeat_at,
        )
        for row in session.exec(query)
    )


def live_matches(session: Session, name: str | None) -> tuple[LiveMatch, ...]:
    """Return offered and playing matches."""
    query = select(MatchRow).where(col(MatchRow.state).in_(LIVE))
    if name is not None:
        tournament_row(session, name)
        query = query.where(MatchRow.tournament == name)
    query = query.order_by(col(MatchRow.tournament), col(MatchRow.schedule_index))
    return with_reservations(session, session.exec(query).all())


def match(session: Session, name: str, index: int) -> MatchStatus | None:
    """Return one match of a schedule."""
    tournament_row(session, name)
    query = select(MatchRow).where(MatchRow.tournament == name, MatchRow.schedule_index == index)
    row = session.exec(query).one_or_none()
    return None if row is None else _status(row)


def matches(session: Session, name: str, states: Collection[MatchState], bot: str | None) -> tuple[MatchStatus, ...]:
    """Return matches in schedule order."""
    tournament_row(session, name)
    query = select(MatchRow).where(MatchRow.tournament == name)
    if states:
        query = query.where(col(MatchRow.state).in_(states))
    if bot is not None:
        query = query.where(col(MatchRow.bots).contains(quoted(bot), autoescape=True))
    return tuple(_status(row) for row in session.exec(query.order_by(col(MatchRow.schedule_index))))


def results(session: Session, name: str) -> tuple[StoredResult, ...]:
    """Return every result in schedule order."""
    tournament_row(session, name)
    query = (
        select(MatchRow, ResultRow)
        .where(MatchRow.id == ResultRow.match, MatchRow.tournament == name)
        .order_by(col(MatchRow.schedule_index))
    )
    return tuple(
        StoredResult(
            index=row.schedule_index,
            deal=row.deal,
            match_id=row.match_id,
            bots=bots_of(row.bots),
            result=result_of(result.result),
            sha256=result.sha256,
            time_faults=result.time_faults,
            decision_times=times_of(result.decision_times),
            attempt=result.attempt,
        )
        for row, result in session.exec(query)
    )


def record(session: Session, name: str, index: int) -> StoredRecord | None:
    """Return the record of one match."""
    tournament_row(session, name)
    return next(_records(session, name, index), None)


def records(session: Session, name: str) -> Iterator[StoredRecord]:
    """Yield every record in schedule order."""
    tournament_row(session, name)
    yield from _records(session, name, None)


def attempts(session: Session, name: str) -> tuple[AttemptEntry, ...]:
    """Return the attempt log."""
    tournament_row(session, name)
    query = (
        select(MatchRow.schedule_index, AttemptRow)
        .where(MatchRow.id == AttemptRow.match, MatchRow.tournament == name)
        .order_by(col(MatchRow.schedule_index), col(AttemptRow.id))
    )
    return tuple(
        AttemptEntry(index=index, attempt=row.attempt, at=row.at, entry=object_of(row.entry))
        for index, row in session.exec(query)
    )


def _records(session: Session, name: str, index: int | None) -> Iterator[StoredRecord]:
    query = (
        select(MatchRow.schedule_index, MatchRow.match_id, ResultRow.sha256, RecordRow.data)
        .where(MatchRow.id == ResultRow.match, MatchRow.id == RecordRow.match, MatchRow.tournament == name)
        .order_by(col(MatchRow.schedule_index))
        .execution_options(yield_per=_RECORDS_AT_ONCE)
    )
    if index is not None:
        query = query.where(MatchRow.schedule_index == index)
    for schedule_index, match_id, sha256, data in session.exec(query):
        yield StoredRecord(index=schedule_index, match_id=match_id, sha256=sha256, record=decompress(data))


def _tournament(row: TournamentRow) -> Tournament:
    return Tournament(
        id=row.id,
        name=row.name,
        config=row.config,
        config_digest=row.config_digest,
        practice=row.practice,
        commitment=row.commitment,
        state=TournamentState(row.state),
        matches=row.matches,
        created_at=row.created_at,
    )


def _status(row: MatchRow) -> MatchStatus:
    return MatchStatus(
        match=number(row),
        tournament=row.tournament,
        index=row.schedule_index,
        deal=row.deal,
        match_id=row.match_id,
        bots=bots_of(row.bots),
        state=MatchState(row.state),
        attempt=row.attempt,
        voids=row.voids,
        reason=row.reason,
    )
