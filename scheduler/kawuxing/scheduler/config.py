"""``tournament.toml``: what is played, by whom and how (docs/tournament.md).

:func:`load_config` reads it, :attr:`TournamentConfig.digest` identifies what is played, and :func:`changed_fields` says
what a new version of the file would change of that.
"""

from __future__ import annotations

import hashlib
import json
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from kawuxing.engine.rules import load_preset
from kawuxing.scheduler.config_errors import ConfigError, FieldProblemsError, problems_of, shown
from kawuxing.scheduler.config_values import (
    MILLISECOND,
    SLUG_TEXT,
    Duration,
    Line,
    OptionalSlug,
    Rules,
    Slug,
    Text,
    is_loopback,
    is_slug,
    slug_of,
    split_address,
)

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

MAX_MATCHES: Final = 1_000_000
"""The longest schedule that is accepted."""

_RESERVED_ENVIRONMENT: Final = "KAWUXING_"


class Seatings(StrEnum):
    """Which bots meet."""

    ROUND_ROBIN = "round-robin"
    """Every set of bots that fills a table."""


class SeatOrders(StrEnum):
    """In which orders the bots of a table sit."""

    ALL = "all"
    """All n! orders: every bot has every seat, and every other bot on either side, equally often."""
    ROTATIONS = "rotations"
    """n orders: every bot has every seat equally often, but always the same neighbours."""


class Walls(StrEnum):
    """Which matches share walls."""

    FRESH = "fresh"
    """None: every match has its own."""
    DUPLICATE = "duplicate"
    """All matches of a deal."""


class Process(StrEnum):
    """How long the process of a launched bot lives."""

    SHARED = "shared"
    """For the whole run, playing up to ``capacity`` matches at once."""
    MATCH = "match"
    """For one match; up to ``capacity`` such processes live at once."""


class _Table(BaseModel):
    """A table of tournament.toml: frozen, no unknown keys, no conversions between types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, arbitrary_types_allowed=True)


class ClockConfig(_Table):
    """Thinking time of an entrant in a match, as in chess (docs/protocol.md)."""

    bank: Duration = Field(
        default=timedelta(seconds=60), ge=timedelta(0), le=timedelta(days=1), description="seconds from 0 to 86400"
    )
    """For the whole match."""
    increment: Duration = Field(
        default=timedelta(milliseconds=500),
        ge=timedelta(0),
        le=timedelta(hours=1),
        description="seconds from 0 to 3600",
    )
    """Added for every decision."""
    move_max: Duration = Field(
        default=timedelta(seconds=15), ge=MILLISECOND, le=timedelta(hours=1), description="seconds from 0.001 to 3600"
    )
    """The most that one decision may take."""
    start: Duration = Field(
        default=timedelta(seconds=30), ge=MILLISECOND, le=timedelta(hours=1), description="seconds from 0.001 to 3600"
    )
    """For the first answer alone, in which a bot may load its model."""

    @model_validator(mode="after")
    def _check_some_time(self) -> Self:
        if not self.bank and not self.increment:
            raise FieldProblemsError([("bank", "and increment are 0: expected some time to think")])
        return self


class MatchConfig(_Table):
    """What a match is."""

    hands: int = Field(default=8, ge=1, le=1000, description="a whole number from 1 to 1000")
    max_faults: int = Field(default=3, ge=1, le=1000, description="a whole number from 1 to 1000")
    """Faults with which an entrant forfeits."""
    clock: ClockConfig = Field(
        default_factory=ClockConfig, description="a table of bank, increment, move_max and start"
    )


class ScheduleConfig(_Table):
    """Who meets whom, how often, and on which walls."""

    seatings: Seatings = Field(default=Seatings.ROUND_ROBIN, strict=False, description='"round-robin"')
    deals: int = Field(default=1, ge=1, le=MAX_MATCHES, description=f"a whole number from 1 to {MAX_MATCHES}")
    """How often every table is played in every seat order."""
    seat_orders: SeatOrders = Field(default=SeatOrders.ALL, strict=False, description='"all" or "rotations"')
    walls: Walls = Field(default=Walls.FRESH, strict=False, description='"fresh" or "duplicate"')
    trusted_bots: bool = Field(default=False, description="true or false")
    """Whether the organiser trusts remote bots not to remember duplicate deals."""


class RunConfig(_Table):
    """How the tournament is run: no part of what it is."""

    concurrency: int = Field(default=4, ge=1, le=256, description="a whole number of matches at once, from 1 to 256")
    listen: str = Field(default="127.0.0.1:0", description='"host:port", port 0 for any free one, as in "127.0.0.1:0"')
    insecure: bool = Field(default=False, description="true or false")
    """Whether to listen without encryption on an address that other machines reach."""
    join_time: Duration = Field(
        default=timedelta(seconds=10),
        ge=timedelta(seconds=1),
        le=timedelta(hours=1),
        description="seconds from 1 to 3600",
    )
    """For taking up an assigned match."""
    absence_limit: Duration = Field(
        default=timedelta(seconds=60),
        ge=timedelta(seconds=1),
        le=timedelta(days=7),
        description="seconds from 1 to 604800",
    )
    """A bot that is not connected for longer is withdrawn."""
    drain_time: Duration = Field(
        default=timedelta(seconds=30), ge=timedelta(0), le=timedelta(days=1), description="seconds from 0 to 86400"
    )
    """For matches in progress to end after the first Ctrl-C."""

    @property
    def host(self) -> str:
        """The host of ``listen``, an IPv6 address without its brackets."""
        return split_address(self.listen)[0]

    @property
    def port(self) -> int:
        """The port of ``listen``, 0 for any free one."""
        return split_address(self.listen)[1]

    @field_validator("listen")
    @classmethod
    def _check_listen(cls, value: str) -> str:
        split_address(value)
        return value

    @model_validator(mode="after")
    def _check_secure(self) -> Self:
        if not self.insecure and not is_loopback(self.host):
            text = (
                f"is {shown(self.listen)}: expected this machine's own address, or insecure = true as there is no TLS"
            )
            raise FieldProblemsError([("listen", text)])
        return self


class BotConfig(_Table):
    """A bot: started by the arena with ``command``, or connecting by itself (``remote``)."""

    name: Slug = Field(description=SLUG_TEXT)
    version: OptionalSlug = Field(default="", description=f'"" or {SLUG_TEXT}')
    """As the organiser tells it; raise it when the bot changes."""
    command: tuple[Text, ...] = Field(
        default=(), strict=False, description='a list of texts, as in ["kawuxing-bot", "greedy"]'
    )
    """The program and its arguments; empty for a remote bot."""
    remote: bool = Field(default=False, description="true or false")
    process: Process = Field(default=Process.SHARED, strict=False, description='"shared" or "match"')
    capacity: int = Field(default=4, ge=1, le=64, description="a whole number of matches at once, from 1 to 64")
    env: dict[str, Text] = Field(
        default={}, description="a table of texts whose keys are names of environment variables"
    )
    """Added to the environment of the process."""

    @field_validator("command")
    @classmethod
    def _check_command(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if value and not value[0].strip():
            raise ValueError("no program")
        return value

    @field_validator("env")
    @classmethod
    def _check_env(cls, value: dict[str, str]) -> dict[str, str]:
        for key in value:
            if not key or "=" in key or "\0" in key:
                raise ValueError("not a variable's name")
            if key.startswith(_RESERVED_ENVIRONMENT):
                text = f"is set: expected no variable starting with {_RESERVED_ENVIRONMENT}, which the arena sets"
                raise FieldProblemsError([(key, text)])
        return value

    @model_validator(mode="after")
    def _check_kind(self) -> Self:
        if self.remote and self.command:
            raise FieldProblemsError([("command", "is there and remote is true: expected exactly one of the two")])
        if not self.remote and not self.command:
            raise FieldProblemsError([("command", "is missing and remote is false: expected exactly one of the two")])
        if self.remote:
            launch = [name for name in ("process", "capacity", "env") if getattr(self, name) != _default(name)]
            if launch:
                text = "is set and remote is true: expected it only beside command; a remote bot tells its own"
                raise FieldProblemsError([(name, text) for name in launch])
        return self


class TournamentConfig(_Table):
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
    def seat_order_count(self) -> int:
        """In how many seat orders each table is played."""
        entrants = self.rules.entrants
        return math.factorial(entrants) if self.schedule.seat_orders is SeatOrders.ALL else entrants

    @property
    def matches(self) -> int:
        """The length of the schedule."""
        return math.comb(len(self.bots), self.rules.entrants) * self.seat_order_count * self.schedule.deals

    def with_concurrency(self, concurrency: int) -> Self:
        """Return the same tournament run with another number of matches at once.

        Raises ConfigError if it is out of range.
        """
        data = self.to_json()
        data["run"]["concurrency"] = concurrency
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
        try:
            return cls.model_validate(dict(data))
        except ValidationError as error:
            raise ConfigError(source, problems_of(error, cls)) from error

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

    @model_validator(mode="before")
    @classmethod
    def _make_slug(cls, data: Any) -> Any:
        if isinstance(data, Mapping) and "slug" not in data:
            name = data.get("name")
            # Without a name, the missing name is the problem to tell, not a slug that could not be made.
            return {**data, "slug": slug_of(name) if isinstance(name, str) else "nameless"}
        return data

    @field_validator("slug", mode="before")
    @classmethod
    def _check_made_slug(cls, value: Any) -> Any:
        if isinstance(value, str) and not is_slug(value):
            text = f"is {shown(value)}, if not told then made from the name: expected {SLUG_TEXT}"
            raise FieldProblemsError([("", text)])
        return value

    @model_validator(mode="after")
    def _check_whole(self) -> Self:
        problems = [*self._bot_problems(), *self._duplicate_problems()]
        if not problems and self.matches > MAX_MATCHES:
            text = f"makes the schedule {self.matches} matches long: expected at most {MAX_MATCHES}"
            problems.append(("schedule.deals", f"is {self.schedule.deals} and {text}"))
        if problems:
            raise FieldProblemsError(problems)
        return self

    def _bot_problems(self) -> list[tuple[str, str]]:
        problems: list[tuple[str, str]] = []
        names = [bot.name for bot in self.bots]
        for index, name in enumerate(names):
            if name in names[:index]:
                text = f"is {shown(name)} like bots[{names.index(name)}].name: expected a name of its own"
                problems.append((f"bots[{index}].name", text))
        if len(self.bots) < self.rules.entrants:
            text = (
                f"are {len(self.bots)}: expected at least {self.rules.entrants}, the entrants of a match by these rules"
            )
            problems.append(("bots", text))
        return problems

    def _duplicate_problems(self) -> list[tuple[str, str]]:
        if self.schedule.walls is not Walls.DUPLICATE:
            return []
        problems: list[tuple[str, str]] = []
        for index, bot in enumerate(self.bots):
            if bot.remote and not self.schedule.trusted_bots:
                text = 'is true with schedule.walls = "duplicate": expected schedule.trusted_bots = true, as a bot can '
                problems.append((f"bots[{index}].remote", text + "remember a deal and then knows the other hands"))
            if not bot.remote and bot.process is not Process.MATCH:
                text = 'is "shared" with schedule.walls = "duplicate": expected "match", so that no deal is remembered'
                problems.append((f"bots[{index}].process", text))
        return problems


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field of a tournament's identity that differs between two configs."""

    field: str
    """Its dotted path."""
    old: Any
    """Its value in plain JSON data, None where the field was not there."""
    new: Any

    def __str__(self) -> str:
        """Return ``field: old → new``."""
        return f"{self.field}: {_shown_or_absent(self.old)} → {_shown_or_absent(self.new)}"


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
    except tomllib.TOMLDecodeError as error:
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


def _default(name: str) -> Any:
    return BotConfig.model_fields[name].default


def _flat(path: str, value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return {key: leaf for name, item in value.items() for key, leaf in _flat(f"{path}.{name}", item).items()}
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return {key: leaf for index, item in enumerate(value) for key, leaf in _flat(f"{path}[{index}]", item).items()}
    return {path.removeprefix("."): value}


def _shown_or_absent(value: Any) -> str:
    return "(absent)" if value is None else shown(value)
