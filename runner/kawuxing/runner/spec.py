"""What a match to be played is, and what can become of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from kawuxing.engine.actions import Action
from kawuxing.engine.faults import Fault
from kawuxing.engine.hand import Hand
from kawuxing.engine.record import Record
from kawuxing.engine.rules import RuleSet
from kawuxing.engine.tiles import Kind
from kawuxing.runner.clock import ClockSettings
from kawuxing.runner.decision_times import DecisionTimes

MAX_SLOWEST: Final = 20
"""How many of a bot's slowest decisions are kept: of a match, and of a tournament."""


@dataclass(frozen=True, slots=True)
class EntrantSpec:
    """An entrant of a match that is about to be played."""

    name: str
    """The bot's name, as the record has it. No bot is told it."""
    version: str
    """The version that the organiser configured, or empty; as the record has it."""
    ticket: str = field(repr=False)
    """The secret with which the bot sits down; unique among the matches that one server plays."""
    bot_seed: bytes = field(repr=False)
    """8 bytes for the bot's own randomness."""


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """Everything that is needed to play one match once."""

    tournament: str
    match_id: str
    rules: RuleSet
    hands: int
    """How many hands, at least 1."""
    deal_seed: bytes = field(repr=False)
    """32 bytes from which the walls follow. No bot is told them."""
    clock: ClockSettings
    max_faults: int
    """As many faults forfeit the match, at least 1."""
    entrants: tuple[EntrantSpec, ...]
    """As many as ``rules.entrants``."""
    commitment: str
    """SHA-256, in hex, of the tournament's master seed."""
    join_time: timedelta
    """How long the match waits for all of its bots to sit down."""
    void_when_all_drop: bool = True
    """Whether the attempt is voided when all bots are disconnected at once: the arena's network may have failed."""
    wall_of: Callable[[int], tuple[Kind, ...]] | None = None
    """The wall of each hand, by its number from 0; None for those that follow from ``deal_seed``."""
    house: Mapping[int, HousePlayer] = field(default_factory=dict)
    """The entrants that are played without a bot, where a bot is tried and not rated: nobody sits down for them."""

    def __post_init__(self) -> None:
        """Raise ValueError, naming the field, its value and what was expected, if this match cannot be played."""
        if len(self.entrants) != self.rules.entrants:
            raise ValueError(f"match {self.match_id}: {len(self.entrants)} entrants, expected {self.rules.entrants}")
        if len({entrant.ticket for entrant in self.entrants}) != len(self.entrants):
            raise ValueError(f"match {self.match_id}: two entrants have the same ticket")
        for name, value in (("hands", self.hands), ("max_faults", self.max_faults)):
            if value < 1:
                raise ValueError(f"match {self.match_id}: {name} is {value}, expected at least 1")


@dataclass(frozen=True, slots=True)
class FaultEvidence:
    """What lay behind one fault."""

    entrant: int
    hand: int
    """Number of the hand, from 0."""
    decision_id: int
    """The entrant's decision that was made for it."""
    fault: Fault
    asked: tuple[Action, ...]
    """The legal actions of that decision."""
    detail: str
    """What was wrong: the index out of range, the refusal's text, the time that ran out."""


@dataclass(frozen=True, slots=True)
class SlowDecision:
    """One of the decisions that an entrant took longest for."""

    hand: int
    """Number of the hand, from 0."""
    decision_id: int
    time: timedelta


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a match leaves beside its record. It depends on time and hosts, so it is in no digest."""

    faults: tuple[FaultEvidence, ...]
    slowest: tuple[tuple[SlowDecision, ...], ...]
    """By entrant: its MAX_SLOWEST slowest decisions, faulty ones included, the slowest first."""
    notes: tuple[str, ...]
    """Connections, their ends, and stalls of the arena, in order; bounded."""
    lag: timedelta
    """For how long in all the arena's own loop was late while the match was played; charged to nobody."""


@dataclass(frozen=True, slots=True)
class Played:
    """The match was played to its end."""

    record: Record
    times: tuple[DecisionTimes, ...]
    """By entrant."""
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class NoShow:
    """Not every bot sat down within ``join_time``; nothing was played."""

    absent: tuple[int, ...]
    """The entrants that did not, ascending."""


@dataclass(frozen=True, slots=True)
class Voided:
    """The attempt does not count, and no bot is to blame; the match can be played again."""

    reason: str


Outcome = Played | NoShow | Voided

Commit = Callable[[Played], Awaitable[bool]]
"""Stores what was played, and says whether it counts."""

Step = Callable[[], Awaitable[None]]
"""Takes note that a match has reached some point; the match goes on when it returns."""

HousePlayer = Callable[[Hand, int, Sequence[Action]], Action]
"""Decides without a bot: takes the hand, of which it may look at everything, the asked seat and its legal actions."""
