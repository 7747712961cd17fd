"""The schema's version, and how a database gets there: Alembic migrations from the first table on."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, Engine

from kawuxing.scheduler.store.errors import StoreVersionError

HEAD = "0002"
"""The revision that this version of the software works with."""


def bring_up_to_date(writer: Engine, reader: Engine) -> None:
    """Migrate the database to HEAD, in one transaction; a current one is only looked at.

    Raises StoreVersionError if the database is at a revision unknown here.
    """
    with reader.connect() as connection:
        if revision_of(connection) == HEAD:
            return
    with writer.begin() as connection:
        # Read again: another process may have migrated it while this one waited for its turn.
        revision = revision_of(connection)
        if revision != HEAD:
            _upgrade(connection, revision)


def revision_of(connection: Connection) -> str | None:
    """Return the revision a database is at, None if it is empty."""
    return MigrationContext.configure(connection).get_current_revision()


def alembic_config(connection: Connection) -> Config:
    """Return the config with which Alembic's commands work on ``connection``."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def _upgrade(connection: Connection, revision: str | None) -> None:
    config = alembic_config(connection)
    if revision is not None:
        try:
            ScriptDirectory.from_config(config).get_revision(revision)
        except CommandError as error:
            raise StoreVersionError(
                f"the database has schema revision {revision!r}: expected at most {HEAD!r}; "
                "use the version of this software that wrote it, or a newer one"
            ) from error
    command.upgrade(config, HEAD)
