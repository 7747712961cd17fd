"""What goes into the store and comes out of it: frozen values, never rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from kawuxing.engine.faults import Fault
from kawuxing.engine.match import MatchResult
from kawuxing.runner.spec import FaultEvidence, SlowDecision

MAX_VOIDS = 5
"""A match with so many voided attempts has failed."""

MAX_STRIKES = 3
"""A bot that did not take up so many matches in a row is withdrawn."""

MAX_REPORTED_FAULTS = 100
"""Faults that a bot's report has, the last ones; it counts all."""


class TournamentState(StrEnum):
    """How far a tournament is."""

    CREATED = "created"
    """Its schedule is in the store; nothing was offered yet."""
    RUNNING = "running"
    """Matches are, or were, being played; a killed run leaves it so."""
    FINISHED = "finished"
    """Every match is done or cancelled. Final."""
    INCOMPLETE = "incomplete"
    """No match is left to play, but some failed. Final."""


class MatchState(StrEnum):
    """Where a match stands: pending → offered → playing → done, back to pending, cancelled or failed."""

    PENDING = "pending"
    """To be played; it has no seed, no reserved instances and no tickets in the store."""
    OFFERED = "offered"
    """Its bots' instances are reserved and a task was, or will be, sent; no worker has it yet."""
    PLAYING = "playing"
    """It belongs to one worker incarnation."""
    DONE = "done"
    """Its result and record are in the store. Final."""
    CANCELLED = "cancelled"
    """It will not be played: one of its bots is withdrawn. Final."""
    FAILED = "failed"
    """MAX_VOIDS attempts were voided. Final."""


@dataclass(frozen=True, slots=True)
class NewMatch:
    """A match of the schedule, as a tournament is created with it."""

    index: int
    """Its place in the schedule, from 0."""
    deal: int
    match_id: str
    """What bots and records call it; derived from the seed, unique in its tournament."""
    bots: tuple[str, ...]
    """By entrant."""


@dataclass(frozen=True, slots=True)
class NewTournament:
    """A tournament to be created, or to be gone on with."""

    id: str
    """The slug of its name, unique in the store."""
    name: str
    config: str
    """The whole config as JSON text."""
    config_digest: str
    """SHA-256, in hex, of what makes the tournament this one."""
    practice: bool
    commitment: str
    """SHA-256, in hex, of the master seed. The seed itself is never in the store."""
    bots: tuple[str, ...]
    matches: tuple[NewMatch, ...]
    """The schedule, in its order."""


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament in the store."""

    id: str
    name: str
    config: str
    config_digest: str
    practice: bool
    commitment: str
    state: TournamentState
    matches: int
    """The length of its schedule."""
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot in a tournament."""

    bot: str
    strikes: int
    """Matches in a row that it did not take up."""
    absent_since: datetime | None
    """None while an instance of it is connected."""
    withdrawn: str | None
    """Why it is withdrawn; None if it is not."""


@dataclass(frozen=True, slots=True)
class Bot:
    """A registered bot; its token is nowhere but with its author."""

    name: str
    remote: bool
    """Whether it connects from elsewhere; otherwise the arena launches it."""
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Instance:
    """One connected Join stream of a bot."""

    id: str
    """Unique for ever, not only while it is connected."""
    bot: str
    capacity: int
    """Matches at once."""


@dataclass(frozen=True, slots=True)
class Reservation:
    """An entrant's place in a live match."""

    bot: str
    instance: str
    ticket: str = field(repr=False)
    """What the bot says Hello with; secret between the arena and this bot."""


@dataclass(frozen=True, slots=True)
class LiveMatch:
    """An offered or playing match, with all that a worker needs to play it."""

    match: int
    """The store's own number of the match, unique over all tournaments: what tasks carry."""
    tournament: str
    index: int
    deal: int
    match_id: str
    state: MatchState
    attempt: int
    """From 1; with ``match`` it names this offer and nothing else."""
    voids: int
    """How many attempts were voided before."""
    deal_seed: bytes = field(repr=False)
    """Every wall follows from it; it leaves the store when the attempt ends."""
    entrants: tuple[Reservation, ...]
    """By entrant."""
    offer_expires_at: datetime
    incarnation: str | None
    """The worker incarnation that plays it; None while offered."""
    address: str | None
    """Where its table waits; None until the worker has published it."""


@dataclass(frozen=True, slots=True)
class MatchStatus:
    """A match as listings show it."""

    match: int
    tournament: str
    index: int
    deal: int
    match_id: str
    bots: tuple[str, ...]
    state: MatchState
    attempt: int
    voids: int
    reason: str | None
    """Why it is cancelled, failed, or was voided last."""


@dataclass(frozen=True, slots=True)
class FinishedMatch:
    """What a worker commits when a match has been played."""

    result: MatchResult
    record: bytes = field(repr=False)
    """The record's canonical bytes."""
    sha256: str
    """The record's own digest, in hex."""
    time_faults: int
    """Faults that depended on time (TIMEOUT, DISCONNECTED); 0 means that the bytes can be reproduced."""
    decision_times: tuple[tuple[int, ...], ...]
    """By entrant: its histogram of decision times. In no digest."""
    faults: tuple[FaultEvidence, ...]
    """What lay behind every fault. In no digest."""
    slowest: tuple[tuple[SlowDecision, ...], ...]
    """By entrant: its slowest decisions. In no digest."""
    log: Mapping[str, Any]
    """The attempt's log entry (JSON object): hosts, versions, timings. In no digest."""


@dataclass(frozen=True, slots=True)
class StoredResult:
    """The one result of a match."""

    index: int
    deal: int
    match_id: str
    bots: tuple[str, ...]
    result: MatchResult
    sha256: str
    time_faults: int
    decision_times: tuple[tuple[int, ...], ...]
    attempt: int


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """The one record of a match."""

    index: int
    match_id: str
    sha256: str
    record: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class AttemptEntry:
    """An entry of the attempt log, which is apart from all records."""

    index: int
    attempt: int
    at: datetime
    entry: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ReportedFault:
    """One of a bot's faults, as its author is told."""

    match_id: str
    hand: int
    decision_id: int
    fault: Fault
    legal: tuple[str, ...]
    """The legal actions of that decision, as text; empty where an older version did not keep them."""
    detail: str


@dataclass(frozen=True, slots=True)
class ReportedDecision:
    """One of a bot's slowest decisions, as its author is told."""

    match_id: str
    hand: int
    decision_id: int
    microseconds: int


@dataclass(frozen=True, slots=True)
class Report:
    """What is known of one bot in one tournament: for its author, and for nobody else."""

    matches: Mapping[MatchState, int]
    """How many of its matches are in each state, zeros included."""
    entrant: Entrant
    fault_counts: Mapping[Fault, int]
    """By kind, without kinds that it has not."""
    faults: tuple[ReportedFault, ...]
    """The last MAX_REPORTED_FAULTS, in the order in which its matches ended."""
    decision_times: tuple[int, ...]
    """Its histogram of decision times."""
    slowest: tuple[ReportedDecision, ...]
    """At most MAX_SLOWEST, the slowest first."""


@dataclass(frozen=True, slots=True)
class NewWorker:
    """A worker process that registers; it gets a new incarnation each time it starts."""

    incarnation: str
    host: str
    pid: int
    address: str
    """Where bots reach its tables."""
    slots: int
    """Matches at once."""


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker incarnation that has its lease."""

    incarnation: str
    host: str
    pid: int
    address: str
    slots: int
    heartbeat_at: datetime
