"""``tournament.toml``: what is played, by whom and how (docs/tournament.md).

:func:`load_config` reads it, :attr:`TournamentConfig.digest` identifies what is played, and :func:`changed_fields` says
what a new version of the file would change of that.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final, Self

from pydantic import Field, TypeAdapter, ValidationError

from kawuxing.engine.rules import load_preset
from kawuxing.scheduler.config_errors import ConfigError, problems_of, shown
from kawuxing.scheduler.config_tables import (
    MAX_MATCHES,
    BotConfig,
    ClockConfig,
    MatchConfig,
    Process,
    RunConfig,
    ScheduleConfig,
    Seatings,
    SeatOrders,
    Table,
    Walls,
    schedule_length,
)
from kawuxing.scheduler.config_together import Location, marked, problems_together
from kawuxing.scheduler.config_values import SLUG_TEXT, Line, Rules, Slug, Text, slug_of

__all__ = [
    "MAX_MATCHES",
    "BotConfig",
    "ClockConfig",
    "ConfigError",
    "FieldChange",
    "MatchConfig",
    "Process",
    "RunConfig",
    "ScheduleConfig",
    "SeatOrders",
    "Seatings",
    "TournamentConfig",
    "Walls",
    "changed_fields",
    "load_config",
    "parse_config",
]

_CLOCK: Final = "match.clock."
"""Where a tournament's identity has durations."""
_DURATION: Final = TypeAdapter(timedelta)


class TournamentConfig(Table):
    """A whole tournament.toml. :meth:`to_json` and :meth:`from_json` are each other's inverse."""

    name: Line = Field(min_length=1, max_length=200, description="a text of 1 to 200 characters in one line")
    slug: Slug = Field(description=SLUG_TEXT)
    """The tournament's id; made from the name if the file does not tell it."""
    seed: Text | None = Field(default=None, min_length=1, max_length=1000, description="a text of 1 to 1000 characters")
    """Makes this a practice tournament; None: 32 secret bytes from the operating system."""
    public_entropy: Text = Field(default="", max_length=1000, description="a text of at most 1000 characters")
    """Published after the commitment and mixed into every seed."""
    rules: Rules = Field(default_factory=load_preset, description="a table of a preset and rule options")
    match: MatchConfig = Field(default_factory=MatchConfig, description="a table of hands, max_faults and clock")
    schedule: ScheduleConfig = Field(default_factory=ScheduleConfig, description="a table")
    run: RunConfig = Field(default_factory=RunConfig, description="a table")
    bots: tuple[BotConfig, ...] = Field(strict=False, description="a [[bots]] table for every bot")

    @property
    def practice(self) -> bool:
        """Whether the seed is a text, which can be guessed: the tournament's fairness rests on trust."""
        return self.seed is not None

    @property
    def matches(self) -> int:
        """The length of the schedule."""
        schedule = self.schedule
        return schedule_length(len(self.bots), self.rules.entrants, schedule.seat_orders, schedule.deals)

    def with_concurrency(self, concurrency: int) -> Self:
        """Return the same tournament run with another number of matches at once.

        Raises ConfigError if it is out of range.
        """
        data = self.to_json()
        data["run"]["concurrency"] = concurrency
        return self.from_json(data, "the command line")

    def by_preset(self, preset: str) -> Self:
        """Return this tournament as it is played by a preset of the rules instead of its own, under a name of its own.

        Name and slug then end in the preset's, but for a slug that this makes too long; if these are its rules already,
        it is the same tournament. Raises RulesError if there is no such preset, ConfigError if there are too few bots.
        """
        rules = load_preset(preset)
        if rules == self.rules:
            return self
        data = self.to_json()
        data |= {"name": f"{self.name} {preset}", "slug": slug_of(f"{self.slug}-{preset}"), "rules": rules.to_options()}
        return self.from_json(data, "the command line")

    def bot(self, name: str) -> BotConfig:
        """Return the bot of this name. Raises KeyError if there is none."""
        for bot in self.bots:
            if bot.name == name:
                return bot
        raise KeyError(name)

    def to_json(self) -> dict[str, Any]:
        """Return the whole config as plain JSON data without null and floats; durations are ISO 8601 texts.

        Rules are written in full, so that they mean the same under a version with other presets.
        """
        return self.model_dump(mode="json", exclude_none=True)

    @classmethod
    def from_json(cls, data: Mapping[str, Any], source: str = "the stored config") -> Self:
        """Return the config of the data of a tournament.toml or of :meth:`to_json`.

        Raises ConfigError, listing every problem of ``source``.
        """
        data = {"slug": _made_slug(data.get("name")), **data}
        config = None
        problems: list[str] = []
        wrong: list[Location] = []
        try:
            config = cls.model_validate(data)
        except ValidationError as error:
            problems += problems_of(error, cls)
            wrong += [detail["loc"] for detail in error.errors(include_url=False)]
        problems += [f"{path} {text}" for path, text in problems_together(marked(data, wrong))]
        if config is None or problems:
            raise ConfigError(source, problems)
        return config

    def identity(self) -> dict[str, Any]:
        """Return, as plain JSON data, what this tournament is: everything but [run] and how bots are launched."""
        data = self.to_json()
        del data["run"]
        data["bots"] = [{"name": bot.name, "version": bot.version, "remote": bot.remote} for bot in self.bots]
        return data

    @property
    def digest(self) -> str:
        """SHA-256, in hex, over the canonical JSON of :meth:`identity`."""
        return hashlib.sha256(json.dumps(self.identity(), sort_keys=True, separators=(",", ":")).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field of a tournament's identity that differs between two configs."""

    field: str
    """Its dotted path."""
    old: Any
    """Its value in plain JSON data, None where the field was not there."""
    new: Any

    def __str__(self) -> str:
        """Return ``field: old → new``, as the file has them."""
        return f"{self.field}: {self._shown(self.old)} → {self._shown(self.new)}"

    def _shown(self, value: Any) -> str:
        if value is None:
            return "(absent)"
        return shown(_DURATION.validate_python(value) if self.field.startswith(_CLOCK) else value)


def changed_fields(old: TournamentConfig, new: TournamentConfig) -> tuple[FieldChange, ...]:
    """Return every field of the identity in which the two differ, sorted by path; none if the digests are equal."""
    before, after = _flat("", old.identity()), _flat("", new.identity())
    return tuple(
        FieldChange(path, before.get(path), after.get(path))
        for path in sorted(before.keys() | after.keys())
        if before.get(path) != after.get(path)
    )


def parse_config(text: str, source: str = "tournament.toml") -> TournamentConfig:
    """Return the config that this TOML text describes.

    Raises ConfigError, naming ``source``, with line and column for a syntax error and else with every problem.
    """
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # Beside its own error, what Python says of numbers too long and tables too deep.
        raise ConfigError(source, [f"not TOML: {error}"]) from error
    return TournamentConfig.from_json(data, source)


def load_config(path: Path) -> TournamentConfig:
    """Return the config in the file ``path``.

    Raises ConfigError if the file cannot be read, and as :func:`parse_config` does.
    """
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise ConfigError(str(path), [f"cannot be read: {error.strerror or error}"]) from error
    except UnicodeDecodeError as error:
        raise ConfigError(str(path), [f"not UTF-8 at byte {error.start}: expected a TOML file"]) from error
    return parse_config(text, str(path))


def _flat(path: str, value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return {key: leaf for name, item in value.items() for key, leaf in _flat(f"{path}.{name}", item).items()}
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return {key: leaf for index, item in enumerate(value) for key, leaf in _flat(f"{path}[{index}]", item).items()}
    return {path.removeprefix("."): value}


def _made_slug(name: Any) -> str:
    # Without a name, the missing name is the problem to tell, not a slug that could not be made.
    return slug_of(name) if isinstance(name, str) else "nameless"
