"""Settings of this machine, from the environment (``KAWUXING_…``): nothing here changes what a tournament is."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Self

from pydantic import Field, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

DATABASE_NAME = "arena.db"
"""The SQLite database inside the home folder, where no other database is named."""


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


class Settings(BaseSettings):
    """Where the arena keeps its things and whom it talks to.

    Raises pydantic.ValidationError, naming field and value, if the environment holds something else.
    """

    model_config = SettingsConfigDict(env_prefix="KAWUXING_", frozen=True, extra="ignore")

    home: Path = Path("arena")
    """The folder of everything the arena keeps."""
    database_url: str = ""
    """An SQLAlchemy URL, sqlite:///… or postgresql://…; empty means DATABASE_NAME in the home folder."""
    broker_url: str = "memory://"
    """Celery's broker; memory:// is the embedded one, for a single process."""
    log_level: LogLevel = Field(default=LogLevel.WARNING)
    log_format: LogFormat = Field(default=LogFormat.AUTO)

    @model_validator(mode="after")
    def _database_in_home(self) -> Self:
        if self.database_url:
            return self
        return self.model_copy(update={"database_url": f"sqlite:///{self.home / DATABASE_NAME}"})
