"""What every subcommand that uses the arena's home folder begins with: settings, logs, and the store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kawuxing.cli.logs import configure_logs
from kawuxing.engine.errors import KawuxingError

if TYPE_CHECKING:
    from kawuxing.scheduler.settings import Settings
    from kawuxing.scheduler.store import Store

HomeOption = Annotated[
    Path | None,
    typer.Option(
        "--home", help="The folder of everything the arena keeps.", envvar="KAWUXING_HOME", show_default="arena"
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
LogLevelOption = Annotated[
    str | None,
    typer.Option("--log-level", help="debug, info, warning or error.", show_default="warning"),
]


class NoStoreError(KawuxingError):
    """There is no arena in the home folder yet."""


def load_settings(home: Path | None = None, log_level: str | None = None) -> Settings:
    """Return the settings of the environment with the given options over them, and set the logs up.

    Raises SettingsError, naming the setting, its value and what was expected.
    """
    from kawuxing.scheduler import settings as machine
    from kawuxing.scheduler.settings import LogFormat

    settings = machine.load_settings(home=home, log_level=log_level)
    as_json = None if settings.log_format is LogFormat.AUTO else settings.log_format is LogFormat.JSON
    configure_logs(settings.log_level.value, json=as_json)
    return settings


def has_store(settings: Settings) -> bool:
    """Return whether there is a store to open; of a database on a server that is not asked."""
    path = _sqlite_path(settings)
    return path is None or path.exists()


@contextmanager
def open_store(settings: Settings, *, create: bool = False) -> Iterator[Store]:
    """Open the store of the settings' home folder; only with ``create`` is a new one made.

    Raises NoStoreError if there is none, HomeError and StoreError as they do.
    """
    from kawuxing.scheduler.home import prepare_home
    from kawuxing.scheduler.store import Store

    if create:
        prepare_home(settings.home)
    elif not has_store(settings):
        path = _sqlite_path(settings)
        raise NoStoreError(f"no arena in {settings.home} (there is no {path}): expected --home to name its folder")
    with Store(settings.database_url) as store:
        yield store


def _sqlite_path(settings: Settings) -> Path | None:
    url = settings.database_url
    return Path(url.removeprefix("sqlite:///")) if url.startswith("sqlite:///") else None
