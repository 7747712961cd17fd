"""The store's public face: every transition is one method and one transaction."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Any, Self

from kawuxing.scheduler.store import (
    bots,
    entrants,
    matches,
    offers,
    readings,
    reports,
    tournaments,
    workers,
)
from kawuxing.scheduler.store.database import Database
from kawuxing.scheduler.store.encoding import compress
from kawuxing.scheduler.store.live import Claim
from kawuxing.scheduler.store.offers import SeedOf
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
    Report,
    StoredRecord,
    StoredResult,
    Tournament,
    TournamentState,
    Worker,
)

Clock = Callable[[], datetime]
"""Tells the time, aware and in UTC."""


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
        self._database = Database(url)
        self._clock = clock

    def close(self) -> None:
        """Close every connection."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    # Tournaments

    def create_tournament(self, new: NewTournament) -> bool:
        """Create the tournament with its whole schedule; return False if it is there already, to be gone on with.

        Then its config takes the place of the stored one: of equal digest, they differ at most in how it is run.

        Raises TournamentChangedError if it is there with another config digest, CommitmentChangedError if only the
        commitment differs; either changes nothing.
        """
        with self._database.writing() as session:
            return tournaments.create(session, new, self._clock())

    def begin_run(self, tournament: str) -> bool:
        """Go from created or running to running, and count every entrant's absence from now.

        Return False if the tournament is over.
        """
        with self._database.writing() as session:
            return tournaments.begin_run(session, tournament, self._clock())

    def finish(self, tournament: str) -> TournamentState | None:
        """End the tournament if no match is left to play: finished, or incomplete if some failed.

        Return the final state (also if it was reached earlier), None if there is still something to play.
        """
        with self._database.writing() as session:
            return tournaments.finish(session, tournament)

    def tournament(self, tournament: str) -> Tournament:
        """Return the tournament."""
        with self._database.reading() as session:
            return readings.tournament(session, tournament)

    def tournaments(self) -> tuple[Tournament, ...]:
        """Return every tournament, the oldest first."""
        with self._database.reading() as session:
            return readings.tournaments(session)

    def progress(self, tournament: str) -> Mapping[MatchState, int]:
        """Return how many matches are in each state, zeros included."""
        with self._database.reading() as session:
            return readings.progress(session, tournament)

    # Bots

    def add_bot(self, name: str) -> str:
        """Register a remote bot and return its token, which is kept only as a hash.

        Raises BotExistsError.
        """
        with self._database.writing() as session:
            return bots.add(session, name, self._clock())

    def launched_bot(self, name: str) -> str:
        """Register a bot that the arena launches, or give it a new token; return the token.

        Raises BotExistsError if ``name`` is a remote bot.
        """
        with self._database.writing() as session:
            return bots.launched(session, name, self._clock())

    def rotate_token(self, name: str) -> str:
        """Replace the token of a bot and return the new one. Raises UnknownBotError."""
        with self._database.writing() as session:
            return bots.rotate(session, name)

    def remove_bot(self, name: str) -> None:
        """Forget a bot's registration; its results stay. Raises UnknownBotError."""
        with self._database.writing() as session:
            bots.remove(session, name)

    def authenticate(self, token: str) -> str | None:
        """Return the name of the bot whose token this is, None if it is nobody's."""
        with self._database.reading() as session:
            return bots.authenticate(session, token)

    def bots(self) -> tuple[Bot, ...]:
        """Return every registered bot by name."""
        with self._database.reading() as session:
            return readings.bots(session)

    # Entrants

    def entrants(self, tournament: str) -> tuple[Entrant, ...]:
        """Return the tournament's bots in the order of its config."""
        with self._database.reading() as session:
            return readings.entrants(session, tournament)

    def set_present(self, tournament: str, present: Collection[str]) -> None:
        """Say which bots are connected; the absence of the others counts from when they were first missed."""
        with self._database.writing() as session:
            entrants.set_present(session, tournament, present, self._clock())

    def withdraw_absent(self, tournament: str, limit: timedelta) -> tuple[str, ...]:
        """Withdraw every bot that has been absent for longer than ``limit``; return their names."""
        with self._database.writing() as session:
            return entrants.withdraw_absent(session, tournament, limit, self._clock())

    def withdraw(self, tournament: str, bot: str, reason: str) -> bool:
        """Withdraw a bot: its pending and offered matches are cancelled, with the reason; those being played go on.

        Return False if it is withdrawn already or not an entrant.
        """
        with self._database.writing() as session:
            return entrants.withdraw(session, tournament, bot, reason)

    # What a bot's author is told

    def tournaments_of(self, bot: str) -> tuple[str, ...]:
        """Return the ids of the tournaments in which a bot is entered, the newest first."""
        with self._database.reading() as session:
            return reports.tournaments_of(session, bot)

    def report(self, tournament: str, bot: str) -> Report:
        """Return what is known of one bot in a tournament. Raises NotEnteredError."""
        with self._database.reading() as session:
            return reports.report(session, tournament, bot)

    # Workers and their leases

    def register_worker(self, worker: NewWorker) -> None:
        """Enter a new worker incarnation; its lease begins now."""
        with self._database.writing() as session:
            workers.register(session, worker, self._clock())

    def heartbeat(self, incarnation: str) -> bool:
        """Renew a lease; False means that it was revoked and that the worker must abort its tables."""
        with self._database.writing() as session:
            return workers.heartbeat(session, incarnation, self._clock())

    def sign_off(self, incarnation: str) -> int:
        """End a lease in good order: its matches go back to pending, none is counted as voided. Return how many."""
        with self._database.writing() as session:
            return workers.sign_off(session, incarnation, self._clock())

    def take_over(self, incarnation: str) -> int:
        """Make ``incarnation`` the only worker, as an arena with an embedded worker does when it starts.

        Every other lease is revoked at once; every match offered, and every match played by another, goes back to
        pending without being counted as voided. Return how many.
        """
        with self._database.writing() as session:
            return workers.take_over(session, incarnation, self._clock())

    def expire_leases(self, ttl: timedelta) -> tuple[str, ...]:
        """Revoke every lease not renewed for longer than ``ttl``; their matches are voided. Return the incarnations.

        The time is this process's: on many machines the clocks must agree to much less than ``ttl``.
        """
        with self._database.writing() as session:
            return workers.expire(session, ttl, self._clock())

    def workers(self) -> tuple[Worker, ...]:
        """Return every worker incarnation that has not been revoked, by name."""
        with self._database.reading() as session:
            return readings.workers(session)

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
        with self._database.writing() as session:
            return offers.offer_next(
                session,
                tournament,
                instances,
                concurrency=concurrency,
                now=self._clock(),
                expires_in=expires_in,
                deal_seed_of=deal_seed_of,
            )

    def expire_offers(self) -> int:
        """Take back every offer that no worker has taken in time; return how many. Nobody is blamed."""
        with self._database.writing() as session:
            return offers.expire(session, self._clock())

    def adopt(self, instance: Instance, connected: Collection[str]) -> tuple[LiveMatch, ...]:
        """Move what this bot has reserved on instances not in ``connected`` to ``instance``, which has just joined.

        Return all playing matches that are reserved on it now: their Assignments are sent again. It may hold more than
        its capacity then; it is offered nothing until it does not.
        """
        with self._database.writing() as session:
            return offers.adopt(session, instance, connected)

    def live_matches(self, tournament: str | None = None) -> tuple[LiveMatch, ...]:
        """Return the offered and playing matches in schedule order, of one tournament or of all."""
        with self._database.reading() as session:
            return readings.live_matches(session, tournament)

    # Matches

    def start_match(self, match: int, attempt: int, incarnation: str) -> LiveMatch | None:
        """Take up an offer: offered → playing by this worker. Return what to play, None if the offer is not there.

        An offer that has expired but was not taken back yet can still be taken up; a revoked worker takes none.
        """
        with self._database.writing() as session:
            return matches.start(session, Claim(match, attempt, incarnation))

    def publish(self, match: int, attempt: int, incarnation: str, address: str) -> bool:
        """Say where the match's table waits, once it knows its tickets; only then are Assignments to be sent."""
        with self._database.writing() as session:
            return matches.publish(session, Claim(match, attempt, incarnation), address)

    def taken_up(self, match: int, attempt: int, incarnation: str) -> bool:
        """Say that all of the match's bots are at the table: their strikes are forgotten."""
        with self._database.writing() as session:
            return matches.taken_up(session, Claim(match, attempt, incarnation))

    def release(
        self, match: int, attempt: int, incarnation: str, absent: Collection[str] = ()
    ) -> tuple[str, ...] | None:
        """Give a match back, playing → pending, not counted as voided: bots did not come, or the arena is stopping.

        Each bot in ``absent`` gets a strike, unless this match was offered before its last one: matches offered side by
        side tell of one absence. At MAX_STRIKES in a row it is withdrawn. If some are absent, the others did come and
        their strikes are forgotten. Return the bots withdrawn by this, None if it did not happen.
        """
        with self._database.writing() as session:
            return matches.release(session, Claim(match, attempt, incarnation), absent, self._clock())

    def void(
        self, match: int, attempt: int, incarnation: str, reason: str, log: Mapping[str, Any] | None = None
    ) -> MatchState | None:
        """Void an attempt that failed through no bot's fault, and log why.

        Return what the match is now: pending; failed after MAX_VOIDS; cancelled if one of its bots is withdrawn. None
        if it did not happen.
        """
        with self._database.writing() as session:
            return matches.void(session, Claim(match, attempt, incarnation), reason, log or {}, self._clock())

    def commit_result(self, match: int, attempt: int, incarnation: str, finished: FinishedMatch) -> bool:
        """Enter result, record and log, playing → done, if attempt and incarnation still own the match.

        Return whether this attempt's result counts; asking again, after StoreUnavailableError, changes nothing more.
        """
        packed = compress(finished.record)
        with self._database.writing() as session:
            return matches.commit_result(session, Claim(match, attempt, incarnation), finished, packed, self._clock())

    def log_attempt(self, match: int, attempt: int, entry: Mapping[str, Any]) -> None:
        """Append to the attempt log (a JSON object)."""
        with self._database.writing() as session:
            matches.log_attempt(session, match, attempt, entry, self._clock())

    # Reading matches

    def match(self, tournament: str, index: int) -> MatchStatus | None:
        """Return one match of the schedule, None if the schedule has no such index."""
        with self._database.reading() as session:
            return readings.match(session, tournament, index)

    def matches(
        self, tournament: str, *, states: Collection[MatchState] = (), bot: str | None = None
    ) -> tuple[MatchStatus, ...]:
        """Return matches in schedule order; ``states`` and ``bot`` each restrict them if given."""
        with self._database.reading() as session:
            return readings.matches(session, tournament, states, bot)

    def results(self, tournament: str) -> tuple[StoredResult, ...]:
        """Return every result, in schedule order."""
        with self._database.reading() as session:
            return readings.results(session, tournament)

    def record(self, tournament: str, index: int) -> StoredRecord | None:
        """Return the record of one match, None if it is not done."""
        with self._database.reading() as session:
            return readings.record(session, tournament, index)

    def records(self, tournament: str) -> Iterator[StoredRecord]:
        """Yield every record in schedule order, as they were when the first was asked for."""
        with self._database.reading() as session:
            yield from readings.records(session, tournament)

    def attempts(self, tournament: str) -> tuple[AttemptEntry, ...]:
        """Return the attempt log by match in schedule order, each match's in the order of writing."""
        with self._database.reading() as session:
            return readings.attempts(session, tournament)
