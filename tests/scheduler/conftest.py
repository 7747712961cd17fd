"""Databases for tests that use the store: SQLite, and with the marker ``servers`` PostgreSQL."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import psycopg
import pytest

from kawuxing.scheduler.store import Store
from kawuxing.scheduler.store.testing import ManualClock


def _program(name: str) -> str:
    installed = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[4]))
    found = shutil.which(name) or (str(installed[-1]) if installed else None)
    assert found is not None, f"expected PostgreSQL's {name} on PATH or in /usr/lib/postgresql: install postgresql"
    return found


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The URL of the one database of a private PostgreSQL server."""
    # PostgreSQL refuses to run as root.
    user = pwd.getpwnam("nobody").pw_name if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
    folder = Path(tempfile.mkdtemp(prefix="kawuxing-pg-"))
    shutil.chown(folder, user)
    as_user = user if os.geteuid() == 0 else None
    data = folder / "data"
    try:
        subprocess.run(
            [_program("initdb"), "-D", str(data), "-U", "arena", "--auth=trust", "--no-sync"],
            check=True,
            capture_output=True,
            user=as_user,
            cwd=folder,
        )
        options = f"-k {folder} -c listen_addresses='' -c fsync=off"
        control = [_program("pg_ctl"), "-D", str(data), "-w"]
        subprocess.run(
            [*control, "-l", str(folder / "log"), "-o", options, "start"],
            check=True,
            stdout=subprocess.DEVNULL,
            user=as_user,
            cwd=folder,
        )
        try:
            yield f"postgresql://arena@/postgres?host={folder}"
        finally:
            subprocess.run(
                [*control, "-m", "immediate", "stop"], check=True, capture_output=True, user=as_user, cwd=folder
            )
    finally:
        shutil.rmtree(folder)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.servers)])
def new_database(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], str]:
    """Each call gives the URL of an empty database, in place of the one before."""
    numbers = count()
    if request.param == "sqlite":
        return lambda: f"sqlite:///{tmp_path / f'arena{next(numbers)}.db'}"
    server: str = request.getfixturevalue("postgresql")

    def empty() -> str:
        # Emptied, not another one: a PostgreSQL database is hundreds of files.
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute("DROP SCHEMA public CASCADE")
            connection.execute("CREATE SCHEMA public")
        return server

    return empty


@pytest.fixture
def database(new_database: Callable[[], str]) -> str:
    """The URL of an empty database."""
    return new_database()


@pytest.fixture
def clock() -> ManualClock:
    """A clock that stands still until it is moved."""
    return ManualClock()


@pytest.fixture
def store(database: str, clock: ManualClock) -> Iterator[Store]:
    """An empty store."""
    with Store(database, clock=clock) as opened:
        yield opened
