"""Migrations, and what the database itself refuses."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, text
from sqlalchemy.exc import IntegrityError

from kawuxing.engine.faults import Fault
from kawuxing.scheduler.store import ReportedFault, Store, StoreVersionError
from kawuxing.scheduler.store.models import Row
from kawuxing.scheduler.store.schema import HEAD, alembic_config, bring_up_to_date, revision_of
from kawuxing.scheduler.store.testing import small_tournament


@pytest.fixture
def engine(database: str) -> Iterator[Engine]:
    """A plain engine on an empty database."""
    made = create_engine(database.replace("postgresql:", "postgresql+psycopg:"))
    yield made
    made.dispose()


def _definitions(connection: Connection) -> dict[str, str]:
    rows = connection.execute(text("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
    return {name: " ".join(sql.split()) for name, sql in rows if name != "alembic_version"}


def test_migrations_lead_to_the_models(engine: Engine) -> None:
    """From an empty database the migrations make what the models say: there is nothing left to generate."""
    bring_up_to_date(engine, engine)

    with engine.connect() as connection:
        assert HEAD == revision_of(connection)
        context = MigrationContext.configure(connection, opts={"compare_server_default": True})
        assert [] == compare_metadata(context, Row.metadata)


def test_migrations_lead_to_the_same_definitions(tmp_path: Path) -> None:
    """Also constraints, which generating does not compare, are the models' own."""
    migrated = create_engine(f"sqlite:///{tmp_path / 'migrated.db'}")
    made = create_engine(f"sqlite:///{tmp_path / 'made.db'}")
    bring_up_to_date(migrated, migrated)
    Row.metadata.create_all(made)

    with migrated.connect() as one, made.connect() as other:
        assert _definitions(other) == _definitions(one)
    migrated.dispose()
    made.dispose()


def test_one_line_of_migrations(engine: Engine) -> None:
    """The migrations have one end, and it is the revision that the code works with."""
    with engine.connect() as connection:
        assert [HEAD] == ScriptDirectory.from_config(alembic_config(connection)).get_heads()


def test_database_of_a_newer_version(database: str, engine: Engine) -> None:
    """A database that a newer version has migrated is refused and stays as it is."""
    Store(database).close()
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))

    with pytest.raises(StoreVersionError, match="revision '9999': expected at most '0002'"):
        Store(database)
    with engine.connect() as connection:
        assert "9999" == revision_of(connection)


_FIRST_VERSION = """
INSERT INTO tournament VALUES ('cup', 'Cup', '{}', 'd', true, 'c', 'running', 2, '2026-01-01 00:00:00');
INSERT INTO entrant VALUES ('cup', 'ada', 0, 0, NULL, NULL, NULL), ('cup', 'ben', 1, 0, NULL, NULL, 'absent');
INSERT INTO match (id, tournament, schedule_index, deal, match_id, bots, state, attempt, voids) VALUES
    (1, 'cup', 0, 0, 'm1', '["ada","ben"]', 'done', 2, 1), (2, 'cup', 1, 0, 'm2', '["ben","ada"]', 'done', 1, 0);
INSERT INTO match_result VALUES (1, '[]', 'x', 0, '[[1,2],[0,0,5]]', 2), (2, '[]', 'y', 0, '[[1],[0,1,1]]', 1);
INSERT INTO attempt_log (id, match, attempt, at, entry) VALUES
    (1, 1, 1, '2026-01-01 00:00:00', '{"outcome":"voided","reason":"a storm"}'),
    (2, 1, 2, '2026-01-01 00:00:00', '{"faults":[FAULT],"host":"here","outcome":"done"}'),
    (3, 2, 1, '2026-01-01 00:00:00', '{"faults":[],"host":"here","outcome":"done"}')
"""
_FIRST_FAULT = '{"decision":7,"detail":"choice 9 of 3 legal actions","entrant":1,"fault":"ILLEGAL_CHOICE","hand":2}'


def test_what_the_first_version_kept_for_authors_is_found_again(database: str, engine: Engine) -> None:
    """Faults leave the attempt log for the report of the bot that made them, and the times of its results add up."""
    with engine.begin() as connection:
        command.upgrade(alembic_config(connection), "0001")
        for statement in _FIRST_VERSION.replace("FAULT", _FIRST_FAULT).split(";"):
            connection.exec_driver_sql(statement)

    with Store(database) as store:
        ada, ben = (store.report("cup", bot) for bot in ("ada", "ben"))
        assert (
            ReportedFault(
                match_id="m1",
                hand=2,
                decision_id=7,
                fault=Fault.ILLEGAL_CHOICE,
                legal=(),
                detail="choice 9 of 3 legal actions",
            ),
        ) == ben.faults
        assert ({Fault.ILLEGAL_CHOICE: 1}, (1, 0, 5), ()) == (ben.fault_counts, ben.decision_times, ben.slowest)
        assert ((), {}, (1, 3, 1)) == (ada.faults, ada.fault_counts, ada.decision_times)
        assert [
            {"outcome": "voided", "reason": "a storm"},
            {"host": "here", "outcome": "done"},
            {"host": "here", "outcome": "done"},
        ] == [attempt.entry for attempt in store.attempts("cup")]


@pytest.mark.parametrize(
    ("state", "seed", "owner"),
    [
        ("lost", None, None),
        ("pending", b"seed", None),
        ("done", b"seed", None),
        ("offered", None, None),
        ("playing", b"seed", None),
        ("pending", None, "w"),
    ],
)
def test_impossible_matches(database: str, engine: Engine, state: str, seed: bytes | None, owner: str | None) -> None:
    """The database itself refuses unknown states, seeds of matches not live, and owners of matches not played."""
    Store(database).close()

    with engine.connect() as connection:
        connection.execute(
            text("INSERT INTO tournament VALUES ('t', 'T', '{}', 'd', true, 'c', 'running', 1, '2026-01-01 00:00:00')")
        )
        connection.execute(
            text("INSERT INTO worker VALUES ('w', 'here', 1, 'here:1', 1, '2026-01-01 00:00:00', false)")
        )
        with pytest.raises(IntegrityError, match=r"(?i)check"):
            connection.execute(
                text(
                    "INSERT INTO match (id, tournament, schedule_index, deal, match_id, bots, attempt, voids, "
                    "state, deal_seed, incarnation) VALUES (1, 't', 0, 0, 'm', '[]', 0, 0, :state, :seed, :owner)"
                ),
                {"state": state, "seed": seed, "owner": owner},
            )


def test_a_database_is_its_owners_alone(tmp_path: Path) -> None:
    """It holds the seeds and tickets of the matches being played: whoever reads them knows the walls."""
    path = tmp_path / "arena.db"
    with Store(f"sqlite:///{path}") as store:
        store.create_tournament(small_tournament())
        assert {0o600} == {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.glob("arena.db*")}


def test_a_database_that_others_could_read_is_shut(tmp_path: Path) -> None:
    """Made by hand, or under another umask, it becomes its owner's alone when it is opened."""
    path = tmp_path / "arena.db"
    path.touch(mode=0o644)
    Store(f"sqlite:///{path}").close()

    assert 0o600 == stat.S_IMODE(path.stat().st_mode)
