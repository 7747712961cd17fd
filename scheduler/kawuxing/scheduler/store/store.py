"""The store's public face: every transition is one method and one transaction."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Any, Self

from kawuxing.scheduler.store.values import (
    AttemptEntry,
    Bot,
    Entrant,
    FinishedMatch,
    Instance,
    LiveMatch,
    MatchState,
    MatchStatus,
    NewTournament,
    NewWorker,
    StoredRecord,
    StoredResult,
    Tournament,
    TournamentState,
    Worker,
)

Clock = Callable[[], datetime]
"""Tells the time, aware and in UTC."""

SeedOf = Callable[[int, int], bytes]
"""Derives a match's deal seed from its schedule index and its deal number."""


def utc_now() -> datetime:
    """Return the time, aware and in UTC."""
    return datetime.now(UTC)


class Store:
    """The only truth about tournaments, safe to share between threads, one object (or more) for each process.

    Every transition happens wholly or not at all and compares what it expects with what is there; what it returns says
    whether it happened. Open it in the process that uses it: it does not survive a fork.

    Any method can raise StoreUnavailableError; those that take a tournament's id raise UnknownTournamentError.
    """

    def __init__(self, url: str, *, clock: Clock = utc_now) -> None:
        """Connect to the database at the SQLAlchemy ``url`` (SQLite or PostgreSQL) and bring its schema up to date.

        Raises StoreUnavailableError if it cannot be opened, StoreVersionError if a newer version has written it.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Close every connection."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    # Tournaments

    def create_tournament(self, new: NewTournament) -> bool:
        """Create the tournament with its whole schedule; return False if it is there already, to be gone on with.

        Raises TournamentChangedError if it is there with another config digest, CommitmentChangedError if only the
        commitment differs; either changes nothing.
        """
        raise NotImplementedError

    def begin_run(self, tournament: str) -> bool:
        """Go from created or running to running, and count every entrant's absence from now.

        Return False if the tournament is over.
        """
        raise NotImplementedError

    def finish(self, tournament: str) -> TournamentState | None:
        """End the tournament if no match is left to play: finished, or incomplete if some failed.

        Return the final state (also if it was reached earlier), None if there is still something to play.
        """
        raise NotImplementedError

    def tournament(self, tournament: str) -> Tournament:
        """Return the tournament."""
        raise NotImplementedError

    def tournaments(self) -> tuple[Tournament, ...]:
        """Return every tournament, the oldest first."""
        raise NotImplementedError

    def progress(self, tournament: str) -> Mapping[MatchState, int]:
        """Return how many matches are in each state, zeros included."""
        raise NotImplementedError

    # Bots

    def add_bot(self, name: str) -> str:
        """Register a remote bot and return its token, which is kept only as a hash.

        Raises BotExistsError.
        """
        raise NotImplementedError

    def launched_bot(self, name: str) -> str:
        """Register a bot that the arena launches, or give it a new token; return the token.

        Raises BotExistsError if ``name`` is a remote bot.
        """
        raise NotImplementedError

    def rotate_token(self, name: str) -> str:
        """Replace the token of a bot and return the new one. Raises UnknownBotError."""
        raise NotImplementedError

    def remove_bot(self, name: str) -> None:
        """Forget a bot's registration; its results stay. Raises UnknownBotError."""
        raise NotImplementedError

    def authenticate(self, token: str) -> str | None:
        """Return the name of the bot whose token this is, None if it is nobody's."""
        raise NotImplementedError

    def bots(self) -> tuple[Bot, ...]:
        """Return every registered bot by name."""
        raise NotImplementedError

    # Entrants

    def entrants(self, tournament: str) -> tuple[Entrant, ...]:
        """Return the tournament's bots in the order of its config."""
        raise NotImplementedError

    def set_present(self, tournament: str, present: Collection[str]) -> None:
        """Say which bots are connected; the absence of the others counts from when they were first missed."""
        raise NotImplementedError

    def withdraw_absent(self, tournament: str, limit: timedelta) -> tuple[str, ...]:
        """Withdraw every bot that has been absent for longer than ``limit``; return their names."""
        raise NotImplementedError

    def withdraw(self, tournament: str, bot: str, reason: str) -> bool:
        """Withdraw a bot: its pending and offered matches are cancelled, with the reason; those being played go on.

        Return False if it is withdrawn already or not an entrant.
        """
        raise NotImplementedError

    # Workers and their leases

    def register_worker(self, worker: NewWorker) -> None:
        """Enter a new worker incarnation; its lease begins now."""
        raise NotImplementedError

    def heartbeat(self, incarnation: str) -> bool:
        """Renew a lease; False means that it was revoked and that the worker must abort its tables."""
        raise NotImplementedError

    def sign_off(self, incarnation: str) -> int:
        """End a lease in good order: its matches go back to pending, none is counted as voided. Return how many."""
        raise NotImplementedError

    def take_over(self, incarnation: str) -> int:
        """Make ``incarnation`` the only worker, as an arena with an embedded worker does when it starts.

        Every other lease is revoked at once; every match offered, and every match played by another, goes back to
        pending without being counted as voided. Return how many.
        """
        raise NotImplementedError

    def expire_leases(self, ttl: timedelta) -> tuple[str, ...]:
        """Revoke every lease not renewed for longer than ``ttl``; their matches are voided. Return the incarnations.

        The time is this process's: on many machines the clocks must agree to much less than ``ttl``.
        """
        raise NotImplementedError

    def workers(self) -> tuple[Worker, ...]:
        """Return every worker incarnation that has not been revoked, by name."""
        raise NotImplementedError

    # Offers

    def offer_next(
        self,
        tournament: str,
        instances: Sequence[Instance],
        *,
        concurrency: int,
        expires_in: timedelta,
        deal_seed_of: SeedOf,
    ) -> tuple[LiveMatch, ...]:
        """Offer the first pending matches, in schedule order, whose bots all have free capacity in ``instances``.

        Offers no more than the unrevoked workers have free slots, nor than leaves ``concurrency`` matches of this
        tournament live. What is reserved is what the store's offered and playing matches hold, not what callers
        believe. Each offer reserves all of its match's bots: of a bot's instances the one with most free capacity.
        """
        raise NotImplementedError

    def expire_offers(self) -> int:
        """Take back every offer that no worker has taken in time; return how many. Nobody is blamed."""
        raise NotImplementedError

    def adopt(self, instance: Instance, connected: Collection[str]) -> tuple[LiveMatch, ...]:
        """Move what this bot has reserved on instances not in ``connected`` to ``instance``, which has just joined.

        Return all playing matches that are reserved on it now: their Assignments are sent again. It may hold more than
        its capacity then; it is offered nothing until it does not.
        """
        raise NotImplementedError

    def live_matches(self, tournament: str | None = None) -> tuple[LiveMatch, ...]:
        """Return the offered and playing matches in schedule order, of one tournament or of all."""
        raise NotImplementedError

    # Matches

    def start_match(self, match: int, attempt: int, incarnation: str) -> LiveMatch | None:
        """Take up an offer: offered → playing by this worker. Return what to play, None if the offer is not there.

        An offer that has expired but was not taken back yet can still be taken up; a revoked worker takes none.
        """
        raise NotImplementedError

    def publish(self, match: int, attempt: int, incarnation: str, address: str) -> bool:
        """Say where the match's table waits, once it knows its tickets; only then are Assignments to be sent."""
        raise NotImplementedError

    def taken_up(self, match: int, attempt: int, incarnation: str) -> bool:
        """Say that all of the match's bots are at the table: their strikes are forgotten."""
        raise NotImplementedError

    def release(
        self, match: int, attempt: int, incarnation: str, absent: Collection[str] = ()
    ) -> tuple[str, ...] | None:
        """Give a match back, playing → pending, not counted as voided: bots did not come, or the arena is stopping.

        Each bot in ``absent`` gets a strike, at MAX_STRIKES in a row it is withdrawn; if some are absent, the others
        did come and their strikes are forgotten. Return the bots withdrawn by this, None if it did not happen.
        """
        raise NotImplementedError

    def void(
        self, match: int, attempt: int, incarnation: str, reason: str, log: Mapping[str, Any] | None = None
    ) -> MatchState | None:
        """Void an attempt that failed through no bot's fault, and log why.

        Return what the match is now: pending; failed after MAX_VOIDS; cancelled if one of its bots is withdrawn. None
        if it did not happen.
        """
        raise NotImplementedError

    def commit_result(self, match: int, attempt: int, incarnation: str, finished: FinishedMatch) -> bool:
        """Enter result, record and log, playing → done, if attempt and incarnation still own the match."""
        raise NotImplementedError

    def log_attempt(self, match: int, attempt: int, entry: Mapping[str, Any]) -> None:
        """Append to the attempt log (a JSON object)."""
        raise NotImplementedError

    # Reading matches

    def match(self, tournament: str, index: int) -> MatchStatus | None:
        """Return one match of the schedule, None if the schedule has no such index."""
        raise NotImplementedError

    def matches(
        self, tournament: str, *, states: Collection[MatchState] = (), bot: str | None = None
    ) -> tuple[MatchStatus, ...]:
        """Return matches in schedule order; ``states`` and ``bot`` each restrict them if given."""
        raise NotImplementedError

    def results(self, tournament: str) -> tuple[StoredResult, ...]:
        """Return every result, in schedule order."""
        raise NotImplementedError

    def record(self, tournament: str, index: int) -> StoredRecord | None:
        """Return the record of one match, None if it is not done."""
        raise NotImplementedError

    def records(self, tournament: str) -> Iterator[StoredRecord]:
        """Yield every record in schedule order, as they were when the first was asked for."""
        raise NotImplementedError

    def attempts(self, tournament: str) -> tuple[AttemptEntry, ...]:
        """Return the attempt log by match in schedule order, each match's in the order of writing."""
        raise NotImplementedError
