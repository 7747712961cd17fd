"""What every subcommand that uses the arena's home folder begins with: settings, logs, and the store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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


class SettingsError(KawuxingError):
    """An option or environment variable of this machine's settings that cannot be used."""


class NoStoreError(KawuxingError):
    """There is no arena in the home folder yet."""


def load_settings(home: Path | None = None, log_level: str | None = None) -> Settings:
    """Return the settings of the environment with the given options over them, and set the logs up.

    Raises SettingsError, naming the setting, its value and what was expected.
    """
    from pydantic import ValidationError

    from kawuxing.scheduler.settings import LogFormat, Settings

    options: dict[str, Any] = {}
    if home is not None:
        options["home"] = home
    if log_level is not None:
        options["log_level"] = log_level
    try:
        settings = Settings(**options)
    except ValidationError as error:
        problem = error.errors()[0]
        name = "_".join(str(part) for part in problem["loc"])
        raise SettingsError(
            f"setting {name} (KAWUXING_{name.upper()}) is {problem['input']!r}: {problem['msg']}"
        ) from error
    as_json = None if settings.log_format is LogFormat.AUTO else settings.log_format is LogFormat.JSON
    configure_logs(settings.log_level.value, json=as_json)
    return settings


@contextmanager
def open_store(settings: Settings, *, create: bool = False) -> Iterator[Store]:
    """Open the store of the settings' home folder; only with ``create`` is a new one made.

    Raises NoStoreError if there is none, HomeError and StoreError as they do.
    """
    from kawuxing.scheduler.home import prepare_home
    from kawuxing.scheduler.store import Store

    if create:
        prepare_home(settings.home)
    elif settings.database_url.startswith("sqlite:///"):
        path = Path(settings.database_url.removeprefix("sqlite:///"))
        if not path.exists():
            raise NoStoreError(f"no arena in {settings.home} (there is no {path}): expected --home to name its folder")
    with Store(settings.database_url) as store:
        yield store
