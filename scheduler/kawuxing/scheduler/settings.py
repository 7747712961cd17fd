"""Settings of this machine, from the environment (``KAWUXING_…``): nothing here changes what a tournament is."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from kawuxing.engine.errors import KawuxingError

DATABASE_NAME: Final = "arena.db"
"""The SQLite database inside the home folder, where no other database is named."""

_PREFIX: Final = "KAWUXING_"


class SettingsError(KawuxingError):
    """The environment holds a setting that cannot be used."""


class LogLevel(StrEnum):
    """The least important messages that are shown."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class LogFormat(StrEnum):
    """How log lines look."""

    AUTO = "auto"
    """Console on a terminal, JSON elsewhere."""
    CONSOLE = "console"
    JSON = "json"


def _database_in(given: dict[str, Any]) -> str:
    return f"sqlite:///{given['home'] / DATABASE_NAME}"


class Settings(BaseSettings):
    """Where the arena keeps its things and whom it talks to; an empty variable counts as none."""

    model_config = SettingsConfigDict(env_prefix=_PREFIX, env_ignore_empty=True, frozen=True)

    home: Path = Field(default=Path("arena"), description="the path of a folder")
    """The folder of everything the arena keeps."""
    database_url: str = Field(
        default_factory=_database_in,
        pattern=r"^(sqlite:///|postgresql(\+psycopg)?://).",
        description="a URL, sqlite:///… or postgresql://…",
    )
    """The store's database; by default DATABASE_NAME in the home folder."""
    broker_url: str = Field(
        default="memory://",
        pattern=r"^(memory://|(amqps?|rediss?)://.)",
        description="a URL, memory://, amqp://… or redis://…",
    )
    """Celery's broker; memory:// is the embedded one, for a single process."""
    log_level: LogLevel = Field(default=LogLevel.WARNING, description=f"one of {', '.join(LogLevel)}")
    log_format: LogFormat = Field(default=LogFormat.AUTO, description=f"one of {', '.join(LogFormat)}")

    @property
    def bot_logs(self) -> Path:
        """The folder with a folder for each tournament, of what its launched bots print."""
        return self.home / "logs"


def load_settings(**overrides: Any) -> Settings:
    """Return the settings of the environment; ``overrides`` (by field, None meaning not given) go before it.

    Raises SettingsError, which names each wrong variable, its value and what was expected.
    """
    try:
        return Settings(**{field: value for field, value in overrides.items() if value is not None})
    except ValidationError as error:
        problems = [
            f"{_PREFIX}{str(detail['loc'][0]).upper()} is {detail['input']!r}: "
            f"expected {Settings.model_fields[str(detail['loc'][0])].description}"
            for detail in error.errors(include_url=False)
        ]
        raise SettingsError("; ".join(problems)) from error
