"""The tables of tournament.toml below the top, one model each (docs/tournament.md)."""

from __future__ import annotations

import math
from datetime import timedelta
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, field_validator

from kawuxing.scheduler.config_errors import FieldProblemsError
from kawuxing.scheduler.config_values import (
    MILLISECOND,
    SLUG_TEXT,
    Duration,
    OptionalSlug,
    Slug,
    Text,
    split_address,
)

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


def schedule_length(bots: int, entrants: int, orders: SeatOrders, deals: int) -> int:
    """Return how many matches ``bots`` play, in each of which there are ``entrants`` of them."""
    seat_orders = math.factorial(entrants) if orders is SeatOrders.ALL else entrants
    return math.comb(bots, entrants) * seat_orders * deals


class Table(BaseModel):
    """A table of tournament.toml: frozen, no unknown keys, no conversions between types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, arbitrary_types_allowed=True)


class ClockConfig(Table):
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


class MatchConfig(Table):
    """What a match is."""

    hands: int = Field(default=8, ge=1, le=1000, description="a whole number from 1 to 1000")
    max_faults: int = Field(default=3, ge=1, le=1000, description="a whole number from 1 to 1000")
    """Faults with which an entrant forfeits."""
    clock: ClockConfig = Field(
        default_factory=ClockConfig, description="a table of bank, increment, move_max and start"
    )


class ScheduleConfig(Table):
    """Who meets whom, how often, and on which walls."""

    seatings: Seatings = Field(default=Seatings.ROUND_ROBIN, strict=False, description='"round-robin"')
    deals: int = Field(default=1, ge=1, le=MAX_MATCHES, description=f"a whole number from 1 to {MAX_MATCHES}")
    """How often every table is played in every seat order."""
    seat_orders: SeatOrders = Field(default=SeatOrders.ALL, strict=False, description='"all" or "rotations"')
    walls: Walls = Field(default=Walls.FRESH, strict=False, description='"fresh" or "duplicate"')
    trusted_bots: bool = Field(default=False, description="true or false")
    """Whether the organiser trusts remote bots not to remember duplicate deals."""


class RunConfig(Table):
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
        default=timedelta(seconds=300),
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


class BotConfig(Table):
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
