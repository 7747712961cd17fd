"""A worker: plays offered matches on this process's server, and holds the lease that makes them its own.

Tasks arrive in Celery's threads and wait there while the match is played in the event loop; the heartbeat has a thread
of its own, so that a stalled loop, not a busy database, is what ends a lease (docs/threading.md).
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import platform
import socket
import threading
import time
import uuid
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError as FutureCancelledError
from concurrent.futures import TimeoutError as FutureTimeoutError
from datetime import timedelta
from importlib.metadata import version
from typing import Any, Final, ParamSpec, TypeVar

import structlog

from kawuxing.engine.faults import Fault
from kawuxing.engine.wall import bot_seed
from kawuxing.runner.clock import ClockSettings
from kawuxing.runner.server import ArenaServer
from kawuxing.runner.spec import EntrantSpec, MatchSpec, NoShow, Outcome, Played, Voided
from kawuxing.scheduler.config import TournamentConfig
from kawuxing.scheduler.store import FinishedMatch, LiveMatch, NewWorker, Store, StoreError, StoreUnavailableError

HEARTBEAT: Final = timedelta(seconds=2)
"""How often a lease is renewed."""
LEASE: Final = timedelta(seconds=15)
"""For how long a lease holds without being renewed."""

EXCUSED_DROPS: Final = 2
"""With so many voided attempts, bots that all drop at once are to blame for it: they must not fail a match together."""

_TIME_FAULTS: Final = (Fault.TIMEOUT, Fault.DISCONNECTED)

_RETRY_PAUSES: Final = (0.1, 0.5, 2.0)

P = ParamSpec("P")
T = TypeVar("T")

_log = structlog.get_logger(__name__)


class Worker:
    """Plays matches; one for each process, made and used in the thread of its event loop but for :meth:`play`."""

    def __init__(
        self, store: Store, server: ArenaServer, address: str, *, slots: int, on_change: Callable[[], None]
    ) -> None:
        """Prepare to play ``slots`` matches at once on ``server``, which bots reach at ``address``.

        ``on_change`` is called in the loop whenever a match was published or is over.
        """
        self.incarnation = uuid.uuid4().hex
        """Whose matches this worker's are; another one after its lease was revoked."""
        self._store = store
        self._server = server
        self._address = address
        self._slots = slots
        self._on_change = on_change
        self._loop = asyncio.get_running_loop()
        self._plays: set[asyncio.Task[None]] = set()
        self._accepting = False
        self._stopped = threading.Event()
        self._heart = threading.Thread(target=self._beat, name="kawuxing-heartbeat", daemon=True)
        self._configs: dict[str, tuple[TournamentConfig, str]] = {}

    async def start(self) -> None:
        """Register this incarnation; its lease begins."""
        await self._register()
        self._accepting = True
        self._heart.start()

    def play(self, match: int, attempt: int) -> None:
        """Play an offer and return once it is over; a stale or repeated one does nothing. Not for the loop's thread.

        Raises StoreError if the store fails.
        """
        future = asyncio.run_coroutine_threadsafe(self._play(match, attempt), self._loop)
        try:
            future.result()
        except FutureCancelledError:
            _log.info("attempt cancelled", match=match, attempt=attempt)

    async def drain(self, within: timedelta) -> None:
        """Take up nothing more; wait for the matches in progress, and give back those that last longer."""
        self._accepting = False
        if self._plays:
            await asyncio.wait(self._plays, timeout=within.total_seconds())
        await self._abort()

    async def stop(self) -> None:
        """Give back what is still being played and end the lease."""
        self._accepting = False
        await self._abort()
        if not self._stopped.is_set():
            self._stopped.set()
            await asyncio.to_thread(self._heart.join)
            await asyncio.to_thread(self._store.sign_off, self.incarnation)

    async def _register(self) -> None:
        worker = NewWorker(
            incarnation=self.incarnation,
            host=socket.gethostname(),
            pid=os.getpid(),
            address=self._address,
            slots=self._slots,
        )
        await asyncio.to_thread(self._store.register_worker, worker)

    async def _abort(self) -> None:
        for play in self._plays:
            play.cancel()
        if self._plays:
            await asyncio.wait(self._plays)

    async def _play(self, match: int, attempt: int) -> None:
        if not self._accepting:
            return
        incarnation = self.incarnation
        play = asyncio.current_task()
        assert play is not None  # noqa: S101  a coroutine always runs in a task
        self._plays.add(play)
        try:
            live = await self._start_match(match, attempt, incarnation)
            if live is None:
                _log.debug("offer gone", match=match, attempt=attempt)
                return
            with structlog.contextvars.bound_contextvars(
                tournament=live.tournament, match=live.match_id, index=live.index, attempt=attempt
            ):
                await self._play_taken(live, incarnation)
        finally:
            self._plays.discard(play)
            self._on_change()

    async def _start_match(self, match: int, attempt: int, incarnation: str) -> LiveMatch | None:
        try:
            return await asyncio.to_thread(self._store.start_match, match, attempt, incarnation)
        except StoreUnavailableError:
            # It may have happened all the same, and then the match would be this worker's for ever.
            await _persist(self._store.release, match, attempt, incarnation)
            raise

    async def _play_taken(self, live: LiveMatch, incarnation: str) -> None:
        started = time.monotonic()
        key = (live.match, live.attempt, incarnation)

        async def publish() -> None:
            await _persist(self._store.publish, *key, self._address)
            self._on_change()

        async def seated() -> None:
            await _persist(self._store.taken_up, *key)

        async def commit(played: Played) -> bool:
            finished = _finished(played, incarnation, time.monotonic() - started)
            return await _to_the_end(_persist(self._store.commit_result, *key, finished))

        try:
            spec = await self._spec(live)
            outcome: Outcome = await self._server.play(spec, commit, waiting=publish, seated=seated)
        except asyncio.CancelledError:
            # Not for asyncio.to_thread: what gives the match back must not be cancelled with it.
            self._store.release(*key)
            raise
        except Exception as error:  # noqa: BLE001
            # Whatever breaks here is the arena's own failure and must harm this attempt alone.
            _log.exception("attempt failed")
            outcome = Voided(f"{type(error).__name__}: {error}")
        await self._enter(live, incarnation, outcome)

    async def _enter(self, live: LiveMatch, incarnation: str, outcome: Outcome) -> None:
        key = (live.match, live.attempt, incarnation)
        match outcome:
            case Played():
                _log.debug("match done", sha256=outcome.record.sha256)
            case NoShow():
                absent = [live.entrants[entrant].bot for entrant in outcome.absent]
                _log.warning("match not taken up", absent=absent)
                await _persist(self._store.release, *key, absent)
            case Voided():
                state = await _persist(self._store.void, *key, outcome.reason, {"voided": outcome.reason})
                _log.warning("attempt voided", reason=outcome.reason, match_is_now=state)

    async def _spec(self, live: LiveMatch) -> MatchSpec:
        if live.tournament not in self._configs:
            tournament = await asyncio.to_thread(self._store.tournament, live.tournament)
            config = TournamentConfig.from_json(json.loads(tournament.config))
            self._configs[live.tournament] = config, tournament.commitment
        config, commitment = self._configs[live.tournament]
        clock = config.match.clock
        return MatchSpec(
            tournament=live.tournament,
            match_id=live.match_id,
            rules=config.rules,
            hands=config.match.hands,
            deal_seed=live.deal_seed,
            clock=ClockSettings(clock.bank, clock.increment, clock.move_max, clock.start),
            max_faults=config.match.max_faults,
            entrants=tuple(
                EntrantSpec(
                    name=reserved.bot,
                    version=config.bot(reserved.bot).version,
                    ticket=reserved.ticket,
                    bot_seed=bot_seed(live.deal_seed, entrant),
                )
                for entrant, reserved in enumerate(live.entrants)
            ),
            commitment=commitment,
            join_time=config.run.join_time,
            void_when_all_drop=live.voids < EXCUSED_DROPS,
        )

    def _beat(self) -> None:
        """Renew the lease for as long as the loop answers; once it is revoked, begin anew with another."""
        while not self._stopped.wait(HEARTBEAT.total_seconds()):
            answer = asyncio.run_coroutine_threadsafe(_answer(), self._loop)
            try:
                answer.result(HEARTBEAT.total_seconds())
            except FutureTimeoutError:
                answer.cancel()
                _log.warning("loop does not answer", incarnation=self.incarnation)
                continue
            try:
                if not self._store.heartbeat(self.incarnation):
                    _log.error("lease revoked", incarnation=self.incarnation)
                    asyncio.run_coroutine_threadsafe(self._begin_anew(), self._loop).result()
            except StoreError as error:
                _log.warning("heartbeat failed", error=str(error))

    async def _begin_anew(self) -> None:
        """Abort every table and take a new lease. If that fails, the next heartbeat finds no lease and tries again.

        A lease can be lost by a process that is well: the clock was set, the machine slept.
        """
        await self._abort()
        self.incarnation = uuid.uuid4().hex
        await self._register()
        self._on_change()


def _finished(played: Played, incarnation: str, seconds: float) -> FinishedMatch:
    result = played.record.result
    return FinishedMatch(
        result=result,
        record=played.record.data,
        sha256=played.record.sha256,
        time_faults=sum(fault in _TIME_FAULTS for entrant in result.entrants for fault in entrant.faults),
        decision_times=tuple(times.buckets for times in played.times),
        faults=played.evidence.faults,
        slowest=played.evidence.slowest,
        log=_log_entry(played, incarnation, seconds),
    )


def _log_entry(played: Played, incarnation: str, seconds: float) -> dict[str, Any]:
    evidence = played.evidence
    return {
        "host": socket.gethostname(),
        "incarnation": incarnation,
        "software": version("kawuxing"),
        "python": platform.python_version(),
        "seconds": round(seconds, 3),
        "lag_seconds": round(evidence.lag.total_seconds(), 3),
        "notes": list(evidence.notes),
    }


async def _to_the_end(commit: Coroutine[Any, Any, bool]) -> bool:
    """Return what a commit returns, and see it through when cancelled: what counts must not be voided."""
    committing = asyncio.ensure_future(commit)
    try:
        return await asyncio.shield(committing)
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if not await committing or task is None:
            raise
        task.uncancel()
        return True


async def _persist(transition: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Make a transition of the store, again until the store can be reached: a match must not stay in no state.

    A transition compares before it changes anything, so that a repeated one does no harm, and once the lease is gone
    it only says that it did not happen.
    """
    for pause in itertools.chain(_RETRY_PAUSES, itertools.repeat(_RETRY_PAUSES[-1])):
        try:
            return await asyncio.to_thread(transition, *args, **kwargs)
        except StoreUnavailableError as error:
            _log.warning("store unavailable", error=str(error), again_in_seconds=pause)
            await asyncio.sleep(pause)
    raise AssertionError("unreachable: the pauses never end")


async def _answer() -> None:
    """Show that the loop runs."""
