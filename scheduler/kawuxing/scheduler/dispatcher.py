"""The dispatcher: offers matches to workers, and sends bots to the tables that wait for them.

It runs beside the lobby, one for each tournament, and keeps nothing that the store does not know: what it remembers is
only what it has said already.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Final

import structlog

from kawuxing.engine.revealed_seed import RevealedSeed
from kawuxing.runner.lobby import Instance as Joined
from kawuxing.runner.lobby import Lobby
from kawuxing.scheduler.config import TournamentConfig
from kawuxing.scheduler.store import Instance, LiveMatch, MatchState, Store, StoreUnavailableError, TournamentState
from kawuxing.scheduler.worker import LEASE

POLL: Final = 0.2
"""Seconds between looks at the store when nothing wakes the dispatcher: workers elsewhere cannot."""
HOUSEKEEPING: Final = 1.0
"""Seconds between looks at what only time changes: expired offers and leases, absent bots."""
OFFER: Final = timedelta(seconds=15)
"""For how long an offer waits for a worker: a broker may have lost its task."""

Enqueue = Callable[[int, int], None]
"""Sends a worker the hint to play (match, attempt)."""

_log = structlog.get_logger(__name__)


class Dispatcher:
    """Brings one tournament to its end. To be used from the thread of the lobby's loop only."""

    def __init__(
        self,
        store: Store,
        lobby: Lobby,
        enqueue: Enqueue,
        config: TournamentConfig,
        seed: RevealedSeed,
        *,
        on_withdrawn: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Dispatch the matches of ``config`` through ``enqueue`` to the bots in ``lobby``.

        ``on_withdrawn`` is called with the name of each bot that is withdrawn, once it plays no more.
        """
        self._on_withdrawn = on_withdrawn
        self._store = store
        self._lobby = lobby
        self._enqueue = enqueue
        self._config = config
        self._seed = seed
        self._tournament = config.slug
        self._log = _log.bind(tournament=config.slug)
        self._wake = asyncio.Event()
        self._offering = True
        self._adopted: set[str] = set()
        self._present: frozenset[str] | None = None
        self._withdrawn: set[str] = set()
        self._leaving: set[str] = set()
        self._assigned: dict[str, LiveMatch] = {}
        self._housekeeping_at = 0.0

    def wake(self) -> None:
        """Look at the store at once: a bot came or went, or a match waits or is over."""
        self._wake.set()

    def stop_offering(self) -> None:
        """Let what is being played end, and offer no more."""
        self._offering = False

    async def run(self) -> TournamentState:
        """Return the state of the tournament once it is over. Runs for ever if offering was stopped before that."""
        while True:
            self._wake.clear()
            try:
                state = await self._look()
            except StoreUnavailableError as error:
                # What was done is in the store, and what was not is done at the next look.
                self._log.warning("store unavailable", error=str(error))
                state = None
            if state is not None:
                return state
            try:
                async with asyncio.timeout(POLL):
                    await self._wake.wait()
            except TimeoutError:
                continue

    async def _look(self) -> TournamentState | None:
        joined = self._lobby.instances()
        await self._note_presence(joined)
        now = asyncio.get_running_loop().time()
        if now >= self._housekeeping_at:
            await self._keep_house()
            self._housekeeping_at = now + HOUSEKEEPING
        if self._offering:
            await self._offer(joined)
        live = await asyncio.to_thread(self._store.live_matches, self._tournament)
        await self._assign(live)
        self._let_go(live)
        return None if live else await asyncio.to_thread(self._store.finish, self._tournament)

    async def _note_presence(self, joined: tuple[Joined, ...]) -> None:
        connected = {instance.id for instance in joined}
        self._adopted &= connected
        for instance in joined:
            if instance.id not in self._adopted:
                await asyncio.to_thread(self._store.adopt, _stored(instance), connected)
                self._adopted.add(instance.id)
        present = frozenset(instance.bot for instance in joined)
        if present != self._present:
            await asyncio.to_thread(self._store.set_present, self._tournament, present)
            self._present = present

    async def _keep_house(self) -> None:
        await asyncio.to_thread(self._store.expire_offers)
        for incarnation in await asyncio.to_thread(self._store.expire_leases, LEASE):
            self._log.warning("lease expired", incarnation=incarnation)
        if self._offering:
            limit = self._config.run.absence_limit
            await asyncio.to_thread(self._store.withdraw_absent, self._tournament, limit)
        for entrant in await asyncio.to_thread(self._store.entrants, self._tournament):
            if entrant.withdrawn is not None and entrant.bot not in self._withdrawn:
                self._withdrawn.add(entrant.bot)
                self._log.warning("bot withdrawn", bot=entrant.bot, reason=entrant.withdrawn)
                self._lobby.withdraw(entrant.bot, entrant.withdrawn)
                self._leaving.add(entrant.bot)

    def _let_go(self, live: tuple[LiveMatch, ...]) -> None:
        playing = {reserved.bot for match in live for reserved in match.entrants}
        for bot in sorted(self._leaving - playing):
            self._leaving.discard(bot)
            self._on_withdrawn(bot)

    async def _offer(self, joined: tuple[Joined, ...]) -> None:
        offers = await asyncio.to_thread(
            self._store.offer_next,
            self._tournament,
            [_stored(instance) for instance in joined],
            concurrency=self._config.run.concurrency,
            expires_in=OFFER,
            deal_seed_of=lambda index, _: self._seed.deal_seed(index),
        )
        for offer in offers:
            self._log.debug("match offered", match=offer.match_id, index=offer.index, attempt=offer.attempt)
            # Publishing may block on a broker that is away.
            await asyncio.to_thread(self._enqueue, offer.match, offer.attempt)

    async def _assign(self, live: tuple[LiveMatch, ...]) -> None:
        """Tell bots of tables that wait for them, and forget those that are over."""
        waiting = {match.match_id: match for match in live if match.address is not None}
        for match_id, told in list(self._assigned.items()):
            if match_id not in waiting or waiting[match_id].attempt != told.attempt:
                del self._assigned[match_id]
                status = await asyncio.to_thread(self._store.match, self._tournament, told.index)
                done = status is not None and status.state is MatchState.DONE
                self._lobby.release(match_id, None if done else "the attempt was given up")
        for match_id, match in waiting.items():
            if match_id not in self._assigned:
                self._assigned[match_id] = match
                for reserved in match.entrants:
                    self._lobby.assign(match_id, reserved.bot, reserved.instance, match.address or "", reserved.ticket)


def _stored(instance: Joined) -> Instance:
    return Instance(id=instance.id, bot=instance.bot, capacity=instance.capacity)
