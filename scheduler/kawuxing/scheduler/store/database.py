"""Connections and transactions, the same for SQLite and PostgreSQL.

One writer at a time, whole database: in SQLite by BEGIN IMMEDIATE, in PostgreSQL by an advisory lock held until the
transaction ends, among the threads of a process by a pool of one connection. So a transition may read, decide and write
without anything changing in between, and behaves the same on both. Readers never wait and see one moment.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, InterfaceError, NoSuchModuleError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlmodel import Session

from kawuxing.scheduler.store.errors import StoreUnavailableError
from kawuxing.scheduler.store.schema import bring_up_to_date

_WAIT_SECONDS = 30
"""How long a writer waits for its turn before it gives up."""

_OWNER_ONLY = 0o600
"""The mode of a database: it holds seeds and tickets of the matches being played, and what only authors are told."""

_WRITER_LOCK = 0x6B617775
"""The advisory lock of PostgreSQL that the one writer holds; advisory locks are per database."""

_READERS = 8
_MORE_READERS = 56


class Database:
    """Two engines on one database: one writes, the other only reads."""

    def __init__(self, url: str) -> None:
        """Connect to ``url`` and bring the schema up to date.

        Raises StoreUnavailableError if it cannot be opened, StoreVersionError if a newer version has written it.
        """
        try:
            parsed = make_url(url)
        except ArgumentError as error:
            raise StoreUnavailableError(
                "database_url: expected a URL such as sqlite:///arena.db or postgresql://host/name"
            ) from error
        self._shown = parsed.render_as_string(hide_password=True)
        if parsed.drivername in {"sqlite", "sqlite+pysqlite"}:
            if not parsed.database or parsed.database == ":memory:":
                raise StoreUnavailableError(f"database_url {self._shown!r}: expected the path of a file")
            folder = Path(parsed.database).parent
            if not folder.is_dir():
                raise StoreUnavailableError(f"database {self._shown}: folder {str(folder)!r} does not exist")
            self._make_private(Path(parsed.database))
            self._writer, self._reader = _sqlite_engines(url)
        elif parsed.drivername in {"postgresql", "postgresql+psycopg"}:
            self._writer, self._reader = _postgresql_engines(
                parsed.set(drivername="postgresql+psycopg").render_as_string(hide_password=False)
            )
        else:
            raise StoreUnavailableError(f"database_url {self._shown!r}: expected sqlite:///… or postgresql://…")
        try:
            with self._told():
                bring_up_to_date(self._writer, self._reader)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close every connection that is not in use."""
        self._writer.dispose()
        self._reader.dispose()

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """One transaction of the one writer: committed at the end, rolled back by any exception."""
        with self._told(), Session(self._writer) as session, session.begin():
            yield session

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """One snapshot to read from."""
        with self._told(), Session(self._reader) as session, session.begin():
            yield session

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn the database's own failures, not our mistakes, into StoreUnavailableError."""
        try:
            yield
        except (OperationalError, InterfaceError, PoolTimeoutError, NoSuchModuleError) as error:
            raise self._unavailable(error) from error
        except DatabaseError as error:
            # Only the bare class: SQLite says so of a file that is no database. The subclasses left are our mistakes.
            if type(error) is DatabaseError:
                raise self._unavailable(error) from error
            raise

    def _make_private(self, path: Path) -> None:
        """Make the file where there is none, and ours its owner's alone; its journals are as private as it is."""
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, _OWNER_ONLY)
            try:
                found = os.fstat(descriptor)
                if stat.S_IMODE(found.st_mode) & ~_OWNER_ONLY and found.st_uid == os.geteuid():
                    os.fchmod(descriptor, _OWNER_ONLY)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise StoreUnavailableError(f"database {self._shown}: {error.strerror}") from error

    def _unavailable(self, error: Exception) -> StoreUnavailableError:
        cause = error.orig if isinstance(error, DatabaseError | InterfaceError) else error
        return StoreUnavailableError(f"database {self._shown}: {str(cause).strip()}")


def _sqlite_engines(url: str) -> tuple[Engine, Engine]:
    def engine(begin: str, *pragmas: str, **pool: int) -> Engine:
        made = create_engine(url, connect_args={"timeout": _WAIT_SECONDS}, pool_timeout=_WAIT_SECONDS, **pool)

        @event.listens_for(made, "connect")
        def connected(connection: Any, _record: object) -> None:
            # The driver must not begin transactions by itself: it begins them as readers, and of several readers that
            # want to write all but one fail at once, without waiting.
            connection.isolation_level = None
            for pragma in ("foreign_keys = ON", *pragmas):
                connection.execute(f"PRAGMA {pragma}").close()

        @event.listens_for(made, "begin")
        def begun(connection: Connection) -> None:
            connection.exec_driver_sql(begin)

        return made

    writer = engine("BEGIN IMMEDIATE", "journal_mode = WAL", "synchronous = NORMAL", pool_size=1, max_overflow=0)
    reader = engine("BEGIN", "query_only = ON", pool_size=_READERS, max_overflow=_MORE_READERS)
    return writer, reader


def _postgresql_engines(url: str) -> tuple[Engine, Engine]:
    writer = create_engine(
        url,
        isolation_level="READ COMMITTED",
        pool_pre_ping=True,
        pool_timeout=_WAIT_SECONDS,
        pool_size=1,
        max_overflow=0,
    )
    reader = create_engine(
        url,
        isolation_level="REPEATABLE READ",
        execution_options={"postgresql_readonly": True},
        pool_pre_ping=True,
        pool_timeout=_WAIT_SECONDS,
        pool_size=_READERS,
        max_overflow=_MORE_READERS,
    )

    @event.listens_for(writer, "begin")
    def begun(connection: Connection) -> None:
        # Every later statement sees what was committed before the lock was had: READ COMMITTED looks anew each time.
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{_WAIT_SECONDS}s'")
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_WRITER_LOCK})")

    return writer, reader
