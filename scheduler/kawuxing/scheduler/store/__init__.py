"""The only truth about tournaments: matches, offers, leases, results and records, in SQLite or PostgreSQL.

Nothing outside this package knows how it is stored; what goes in and out are the values of ``values``.
"""

from __future__ import annotations

from kawuxing.scheduler.store.errors import (
    BotExistsError,
    CommitmentChangedError,
    NotEnteredError,
    StoreError,
    StoreUnavailableError,
    StoreVersionError,
    TournamentChangedError,
    UnknownBotError,
    UnknownTournamentError,
)
from kawuxing.scheduler.store.offers import SeedOf
from kawuxing.scheduler.store.store import Clock, Store, utc_now
from kawuxing.scheduler.store.values import (
    MAX_REPORTED_FAULTS,
    MAX_STRIKES,
    MAX_VOIDS,
    AttemptEntry,
    Bot,
    Entrant,
    FinishedMatch,
    Instance,
    LiveMatch,
    MatchState,
    MatchStatus,
    NewMatch,
    NewTournament,
    NewWorker,
    Report,
    ReportedDecision,
    ReportedFault,
    Reservation,
    StoredRecord,
    StoredResult,
    Tournament,
    TournamentState,
    Worker,
)

__all__ = [
    "MAX_REPORTED_FAULTS",
    "MAX_STRIKES",
    "MAX_VOIDS",
    "AttemptEntry",
    "Bot",
    "BotExistsError",
    "Clock",
    "CommitmentChangedError",
    "Entrant",
    "FinishedMatch",
    "Instance",
    "LiveMatch",
    "MatchState",
    "MatchStatus",
    "NewMatch",
    "NewTournament",
    "NewWorker",
    "NotEnteredError",
    "Report",
    "ReportedDecision",
    "ReportedFault",
    "Reservation",
    "SeedOf",
    "Store",
    "StoreError",
    "StoreUnavailableError",
    "StoreVersionError",
    "StoredRecord",
    "StoredResult",
    "Tournament",
    "TournamentChangedError",
    "TournamentState",
    "UnknownBotError",
    "UnknownTournamentError",
    "Worker",
    "utc_now",
]
