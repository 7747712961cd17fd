"""A worker that loses its lease, or its database for a moment, while the process lives on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import cast

import pytest

from kawuxing.engine.revealed_seed import RevealedSeed
from kawuxing.runner.server import ArenaServer
from kawuxing.runner.spec import Commit, MatchSpec, Outcome, Step, Voided
from kawuxing.scheduler import worker as worker_module
from kawuxing.scheduler.config import parse_config
from kawuxing.scheduler.opening import new_tournament
from kawuxing.scheduler.seeds import seed_of
from kawuxing.scheduler.store import Instance, LiveMatch, MatchState, Store, StoreUnavailableError
from kawuxing.scheduler.store.testing import ManualClock
from kawuxing.scheduler.worker import LEASE, Worker

CONFIG = parse_config(
    """
    name = "Cup"
    seed = "text"
    """
    + "".join(f'[[bots]]\nname = "{name}"\ncommand = ["{name}"]\n' for name in ("ada", "ben", "cyd"))
)
INSTANCES = tuple(Instance(id=name, bot=name, capacity=4) for name in ("ada", "ben", "cyd"))


class SlowServer:
    """Plays each match until it is told to void it."""

    def __init__(self) -> None:
        """Begin without a match."""
        self.playing = asyncio.Event()
        self.cancelled = asyncio.Event()
        self.void = asyncio.Event()

    async def play(
        self, spec: MatchSpec, commit: Commit, *, waiting: Step | None = None, seated: Step | None = None
    ) -> Outcome:
        """Stand in for ArenaServer.play."""
        del spec, commit, waiting, seated
        self.playing.set()
        try:
            await self.void.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        return Voided("told to")


@pytest.fixture
def seed() -> RevealedSeed:
    """The tournament's seed."""
    return seed_of(CONFIG, bytes(32))


@pytest.fixture
def store(tmp_path: Path, clock: ManualClock, seed: RevealedSeed) -> Iterator[Store]:
    """A store with the tournament in it."""
    with Store(f"sqlite:///{tmp_path / 'arena.db'}", clock=clock) as opened:
        new = new_tournament(CONFIG, seed)
        opened.create_tournament(replace(new, config=json.dumps(CONFIG.to_json())))
        opened.begin_run(CONFIG.slug)
        yield opened


def offer(store: Store, seed: RevealedSeed) -> LiveMatch:
    """Offer one match."""
    (live,) = store.offer_next(
        CONFIG.slug,
        INSTANCES,
        concurrency=1,
        expires_in=timedelta(seconds=15),
        deal_seed_of=lambda index, _: seed.deal_seed(index),
    )
    return live


async def test_a_worker_whose_lease_was_revoked_goes_on_with_a_new_one(
    store: Store, seed: RevealedSeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clock set forward, or a machine that slept, ends a lease: its match is given up, and the next one is played."""
    monkeypatch.setattr(worker_module, "HEARTBEAT", timedelta(milliseconds=20))
    server = SlowServer()
    changed = asyncio.Event()
    worker = Worker(store, cast("ArenaServer", server), "", slots=1, on_change=changed.set)
    await worker.start()
    first = worker.incarnation
    lost = offer(store, seed)
    playing = asyncio.create_task(asyncio.to_thread(worker.play, lost.match, lost.attempt))
    await server.playing.wait()

    # However fresh it is, as if the clock had been set forward.
    assert (first,) == store.expire_leases(-LEASE)
    await server.cancelled.wait()
    await playing
    while (worker.incarnation,) != tuple(known.incarnation for known in store.workers()):
        changed.clear()
        await changed.wait()
    assert first != worker.incarnation

    server.playing.clear()
    again = offer(store, seed)
    assert (lost.match, lost.attempt + 1) == (again.match, again.attempt)
    playing = asyncio.create_task(asyncio.to_thread(worker.play, again.match, again.attempt))
    await server.playing.wait()
    (live,) = store.live_matches(CONFIG.slug)
    assert (MatchState.PLAYING, worker.incarnation) == (live.state, live.incarnation)
    server.void.set()
    await playing
    await worker.stop()
    assert () == store.workers()


async def test_a_start_whose_answer_was_lost_does_not_strand_its_match(
    store: Store, seed: RevealedSeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database went away after it had committed: nobody plays the match, so it must not stay this worker's."""
    start_match = store.start_match

    def start_and_lose_the_answer(match: int, attempt: int, incarnation: str) -> None:
        assert start_match(match, attempt, incarnation) is not None
        raise StoreUnavailableError("the connection is gone")

    monkeypatch.setattr(store, "start_match", start_and_lose_the_answer)
    worker = Worker(store, cast("ArenaServer", SlowServer()), "", slots=1, on_change=lambda: None)
    await worker.start()
    offered = offer(store, seed)
    with pytest.raises(StoreUnavailableError):
        await asyncio.to_thread(worker.play, offered.match, offered.attempt)
    status = store.match(CONFIG.slug, offered.index)
    assert status is not None
    assert MatchState.PENDING is status.state
    await worker.stop()
