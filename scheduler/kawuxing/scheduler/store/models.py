"""The tables.

Rows never leave this package; enums are strings, and JSON is text, replaced as a whole, never changed in place.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, ClassVar

from sqlalchemy import CheckConstraint, DateTime, Dialect, Index, LargeBinary, MetaData, Text, UniqueConstraint
from sqlalchemy.types import TypeDecorator
from sqlmodel import Field, SQLModel

from kawuxing.scheduler.store.values import MatchState, TournamentState


class UtcDateTime(TypeDecorator[datetime]):
    """An aware UTC time, also where the database forgets zones (SQLite)."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert to UTC. Raises ValueError for a naive time."""
        del dialect
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"time {value} is naive: expected an aware one")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return it aware and in UTC."""
        del dialect
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


LIVE = (MatchState.OFFERED, MatchState.PLAYING)
"""The states in which a match holds instances, tickets and a seed."""


def _one_of(column: str, states: type[MatchState | TournamentState]) -> str:
    return f"{column} IN ({', '.join(repr(state.value) for state in states)})"


class Row(SQLModel):
    """Base of the tables: every constraint has a name, so that a later migration can change it."""

    metadata: ClassVar[MetaData] = MetaData(
        naming_convention={
            "ix": "%(table_name)s_%(column_0_N_name)s_index",
            "uq": "%(table_name)s_%(column_0_N_name)s_unique",
            "ck": "%(table_name)s_%(constraint_name)s",
            "fk": "%(table_name)s_%(column_0_N_name)s_refers",
            "pk": "%(table_name)s_key",
        }
    )


class TournamentRow(Row, table=True):
    """A tournament."""

    __tablename__ = "tournament"
    __table_args__: ClassVar[Any] = (CheckConstraint(_one_of("state", TournamentState), name="known_state"),)

    id: str = Field(primary_key=True)
    name: str
    config: str = Field(sa_type=Text)
    config_digest: str
    practice: bool
    commitment: str
    state: str
    matches: int
    created_at: datetime = Field(sa_type=UtcDateTime)


class EntrantRow(Row, table=True):
    """A bot in a tournament."""

    __tablename__ = "entrant"

    tournament: str = Field(primary_key=True, foreign_key="tournament.id")
    bot: str = Field(primary_key=True)
    position: int
    strikes: int
    struck_at: datetime | None = Field(sa_type=UtcDateTime)
    absent_since: datetime | None = Field(sa_type=UtcDateTime)
    withdrawn: str | None


class BotRow(Row, table=True):
    """A registered bot."""

    __tablename__ = "bot"

    name: str = Field(primary_key=True)
    token_hash: str = Field(unique=True)
    remote: bool
    created_at: datetime = Field(sa_type=UtcDateTime)


class WorkerRow(Row, table=True):
    """A worker incarnation and its lease."""

    __tablename__ = "worker"

    incarnation: str = Field(primary_key=True)
    host: str
    pid: int
    address: str
    slots: int
    heartbeat_at: datetime = Field(sa_type=UtcDateTime)
    revoked: bool


class MatchRow(Row, table=True):
    """A match of a schedule, and the truth about it."""

    __tablename__ = "match"
    __table_args__: ClassVar[Any] = (
        UniqueConstraint("tournament", "schedule_index"),
        UniqueConstraint("tournament", "match_id"),
        CheckConstraint(_one_of("state", MatchState), name="known_state"),
        CheckConstraint("(deal_seed IS NOT NULL) = (state IN ('offered', 'playing'))", name="seed_only_while_live"),
        CheckConstraint("(incarnation IS NOT NULL) = (state = 'playing')", name="owned_only_while_playing"),
        Index(None, "state", "tournament", "schedule_index"),
    )

    id: int | None = Field(default=None, primary_key=True)
    tournament: str = Field(foreign_key="tournament.id")
    schedule_index: int
    deal: int
    match_id: str
    bots: str = Field(sa_type=Text)
    state: str
    attempt: int
    voids: int
    reason: str | None
    offered_at: datetime | None = Field(sa_type=UtcDateTime)
    offer_expires_at: datetime | None = Field(sa_type=UtcDateTime)
    deal_seed: bytes | None = Field(sa_type=LargeBinary)
    incarnation: str | None = Field(foreign_key="worker.incarnation")
    address: str | None


class ReservationRow(Row, table=True):
    """An entrant's place in a live match; it is gone when the attempt ends."""

    __tablename__ = "reservation"

    match: int = Field(primary_key=True, foreign_key="match.id")
    entrant: int = Field(primary_key=True)
    bot: str
    instance: str = Field(index=True)
    ticket: str


class ResultRow(Row, table=True):
    """The one result of a match."""

    __tablename__ = "match_result"

    match: int = Field(primary_key=True, foreign_key="match.id")
    result: str = Field(sa_type=Text)
    sha256: str
    time_faults: int
    decision_times: str = Field(sa_type=Text)
    attempt: int


class TimesRow(Row, table=True):
    """How long a bot took for its decisions in a tournament: all results that count, and the slowest of them."""

    __tablename__ = "entrant_times"

    tournament: str = Field(primary_key=True, foreign_key="tournament.id")
    bot: str = Field(primary_key=True)
    decision_times: str = Field(sa_type=Text)
    slowest: str = Field(sa_type=Text)


class FaultRow(Row, table=True):
    """A fault in a match that counts, and what lay behind it."""

    __tablename__ = "fault"
    __table_args__: ClassVar[Any] = (Index(None, "tournament", "bot"),)

    id: int | None = Field(default=None, primary_key=True)
    tournament: str = Field(foreign_key="tournament.id")
    bot: str
    match: int = Field(foreign_key="match.id")
    hand: int
    decision: int
    fault: str
    legal: str = Field(sa_type=Text)
    detail: str = Field(sa_type=Text)


class RecordRow(Row, table=True):
    """The one record of a match, compressed; apart from the result, which is read far more often."""

    __tablename__ = "record"

    match: int = Field(primary_key=True, foreign_key="match.id")
    data: bytes = Field(sa_type=LargeBinary)


class AttemptRow(Row, table=True):
    """An entry of the attempt log."""

    __tablename__ = "attempt_log"

    id: int | None = Field(default=None, primary_key=True)
    match: int = Field(foreign_key="match.id", index=True)
    attempt: int
    at: datetime = Field(sa_type=UtcDateTime)
    entry: str = Field(sa_type=Text)
