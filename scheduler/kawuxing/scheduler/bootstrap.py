"""The composition root: the only place that knows all parts of an arena and puts them together."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Final

import structlog

from kawuxing.engine.revealed_seed import RevealedSeed
from kawuxing.runner.command import BotCommand
from kawuxing.runner.errors import LaunchError
from kawuxing.runner.launcher import Launcher, LauncherEvent, SupervisorLost
from kawuxing.runner.lobby import Farewell
from kawuxing.runner.server import ArenaServer
from kawuxing.scheduler.celery_app import CeleryThread, enqueue_play_match, make_celery, register_play_match
from kawuxing.scheduler.config import TournamentConfig
from kawuxing.scheduler.dispatcher import Dispatcher
from kawuxing.scheduler.home import prepare_private
from kawuxing.scheduler.reports import StoreReports
from kawuxing.scheduler.store import Store, TournamentState
from kawuxing.scheduler.worker import Worker

HERE: Final = ""
"""The address that an Assignment has for a table on the lobby's own server."""
_FAREWELL: Final = 2.0
"""Seconds that bots have to leave after Goodbye."""

_log = structlog.get_logger(__name__)


class StoreDirectory:
    """Lets the bots in whose tokens the store knows."""

    def __init__(self, store: Store) -> None:
        """Look tokens up in ``store``."""
        self._store = store

    async def authenticate(self, token: str) -> str | None:
        """Return the name of the bot whose token this is, None if it is nobody's."""
        return await asyncio.to_thread(self._store.authenticate, token)


class EmbeddedArena:
    """A whole arena in one process: lobby, tables, dispatcher, Celery worker and launched bots, for one tournament."""

    def __init__(
        self,
        config: TournamentConfig,
        seed: RevealedSeed,
        store: Store,
        *,
        broker_url: str,
        logs: Path,
        on_listening: Callable[[str], None] | None = None,
    ) -> None:
        """Prepare to play ``config``, which is in the store.

        What launched bots print goes to a folder of the tournament's in ``logs``, which is made its owner's alone.

        ``on_listening`` is called with host:port once remote bots can join.
        """
        self._config = config
        self._seed = seed
        self._store = store
        self._broker_url = broker_url
        self._logs = logs
        self._on_listening = on_listening
        self._stop = asyncio.Event()
        self._dispatcher: Dispatcher | None = None
        self._supervisor_lost = False
        self._ending: set[asyncio.Future[None]] = set()

    def stop(self) -> None:
        """Offer no more matches, let those in progress end for ``drain_time``, then return from :meth:`run`."""
        self._stop.set()

    async def run(self) -> TournamentState | None:
        """Play until the tournament is over and return its state, or None if it was stopped before.

        Raises ListenError if the address cannot be used, HomeError or LaunchError if logs cannot be written,
        LaunchError if a bot cannot be started, StoreError if the store fails.
        """
        run = self._config.run
        logs = prepare_private(self._logs)
        server = ArenaServer(
            StoreDirectory(self._store),
            listen=run.listen,
            insecure=run.insecure,
            reports=StoreReports(self._store, logs),
            on_change=self._wake,
        )
        address = await server.start()
        try:
            await asyncio.to_thread(self._store.begin_run, self._config.slug)
            if self._on_listening is not None:
                self._on_listening(address)
            async with Launcher(logs / self._config.slug, on_event=self._take_launcher_event) as launcher:
                state = await self._run_worker(server, launcher, _reachable(address))
                # First, so that no bot that leaves at its Goodbye is started again.
                launcher.retire()
                farewell = Farewell.STOPPING if state is None else Farewell.FINISHED
                server.lobby.goodbye(farewell, "stopping" if state is None else "the tournament is over")
                await server.stop(_FAREWELL)
                return state
        finally:
            await server.stop(0)

    async def _run_worker(self, server: ArenaServer, launcher: Launcher, address: str) -> TournamentState | None:
        celery = make_celery(self._broker_url)
        slots = self._config.run.concurrency
        worker = Worker(self._store, server, HERE, slots=slots, on_change=self._wake)
        register_play_match(celery, worker.play)
        await worker.start()
        await asyncio.to_thread(self._store.take_over, worker.incarnation)
        self._dispatcher = Dispatcher(
            self._store,
            server.lobby,
            partial(enqueue_play_match, celery),
            self._config,
            self._seed,
            on_withdrawn=partial(self._end_bot, launcher),
        )
        celery_thread = CeleryThread(celery, concurrency=slots)
        await asyncio.to_thread(celery_thread.__enter__)
        try:
            await self._launch_bots(launcher, address)
            return await self._dispatch(self._dispatcher, worker)
        finally:
            await worker.stop()
            await asyncio.to_thread(celery_thread.__exit__, None, None, None)

    async def _launch_bots(self, launcher: Launcher, address: str) -> None:
        entrants = await asyncio.to_thread(self._store.entrants, self._config.slug)
        withdrawn = {entrant.bot for entrant in entrants if entrant.withdrawn is not None}
        for bot in self._config.bots:
            if not bot.remote and bot.name not in withdrawn:
                token = await asyncio.to_thread(self._store.launched_bot, bot.name)
                await launcher.launch(
                    BotCommand(
                        name=bot.name,
                        command=bot.command,
                        address=address,
                        token=token,
                        env=bot.env,
                        process=bot.process.value,
                        capacity=bot.capacity,
                    )
                )

    async def _dispatch(self, dispatcher: Dispatcher, worker: Worker) -> TournamentState | None:
        dispatching = asyncio.create_task(dispatcher.run(), name="dispatcher")
        stopping = asyncio.create_task(self._stop.wait(), name="stop")
        try:
            await asyncio.wait((dispatching, stopping), return_when=asyncio.FIRST_COMPLETED)
            if not dispatching.done():
                dispatcher.stop_offering()
                await worker.drain(timedelta(0) if self._supervisor_lost else self._config.run.drain_time)
            if self._supervisor_lost:
                raise LaunchError(
                    "the supervisor of the bots was killed, and the bots with it; the same command goes on"
                )
            return await dispatching if dispatching.done() else None
        finally:
            for task in (dispatching, stopping):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task

    def _take_launcher_event(self, event: LauncherEvent) -> None:
        if isinstance(event, SupervisorLost):
            self._supervisor_lost = True
            self._stop.set()

    def _end_bot(self, launcher: Launcher, bot: str) -> None:
        """End a launched bot that has nothing more to play."""
        if bot in launcher.bots:
            ending = asyncio.ensure_future(launcher.stop(bot))
            self._ending.add(ending)
            ending.add_done_callback(self._ending.discard)

    def _wake(self) -> None:
        if self._dispatcher is not None:
            self._dispatcher.wake()


def _reachable(address: str) -> str:
    """Return where this machine's own bots find a server that listens on ``address``."""
    host, _, port = address.rpartition(":")
    return f"127.0.0.1:{port}" if host in {"0.0.0.0", "[::]"} else address  # noqa: S104
