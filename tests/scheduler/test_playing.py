"""What a worker does with the tasks that it is sent: it plays an offer once, and enters what became of it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from typing import Any, cast

import pytest
from tests.scheduler.cup import BOTS, CONFIG, SEED, Away, FakeServer, Script, begin, joined, play_first_legal

from kawuxing.engine.replay import verify_replay, verify_walls
from kawuxing.engine.wall import bot_seed
from kawuxing.runner.server import ArenaServer
from kawuxing.runner.spec import Commit, MatchSpec, NoShow, Outcome, Voided
from kawuxing.scheduler.store import MAX_VOIDS, Instance, LiveMatch, MatchState, MatchStatus, Store
from kawuxing.scheduler.worker import Worker

INSTANCES = tuple(Instance(id=instance.id, bot=instance.bot, capacity=8) for instance in joined(8))


async def play_through(spec: MatchSpec, commit: Commit) -> Outcome:
    """Play the match and commit it, as the server does."""
    played = play_first_legal(spec)
    return played if await commit(played) else Voided("the result was not accepted")


class Desk:
    """A worker, its server and its store."""

    def __init__(self, store: Store, script: Script) -> None:
        """Make a worker that plays by ``script``."""
        self.store = store
        self.away = Away(store)
        self.server = FakeServer(script)
        self.changes = 0
        self.worker = Worker(
            cast("Store", self.away), cast("ArenaServer", self.server), "here:1", slots=4, on_change=self._changed
        )

    def _changed(self) -> None:
        self.changes += 1

    def offer(self) -> LiveMatch:
        """Offer the next match."""
        (live,) = self.store.offer_next(
            CONFIG.slug,
            INSTANCES,
            concurrency=len(self.store.live_matches()) + 1,
            expires_in=timedelta(seconds=15),
            deal_seed_of=lambda index, _: SEED.deal_seed(index),
        )
        return live

    async def task(self, live: LiveMatch) -> None:
        """Let a Celery task come for an offer, and wait for its end."""
        async with asyncio.timeout(30):
            await asyncio.to_thread(self.worker.play, live.match, live.attempt)

    def status(self, live: LiveMatch) -> MatchStatus:
        """Return where the match stands."""
        status = self.store.match(live.tournament, live.index)
        assert status is not None
        return status


@pytest.fixture
async def start(store: Store) -> AsyncIterator[Callable[[Script], asyncio.Future[Desk]]]:
    """Start a worker that plays by a script."""
    begin(store)
    desks: list[Desk] = []

    async def run(script: Script) -> Desk:
        desk = Desk(store, script)
        await desk.worker.start()
        desks.append(desk)
        return desk

    yield lambda script: asyncio.ensure_future(run(script))
    for desk in desks:
        await desk.worker.stop()


AsyncStart = Callable[[Script], "asyncio.Future[Desk]"]


async def test_an_offer_is_played_and_committed(start: AsyncStart) -> None:
    """With the names, seeds and rules of the tournament; while it waits, the store knows where."""
    waited: list[str | None] = []

    async def look_and_play(spec: MatchSpec, commit: Commit) -> Outcome:
        waited.extend(live.address for live in desk.store.live_matches())
        return await play_through(spec, commit)

    desk = await start(look_and_play)
    live = desk.offer()
    await desk.task(live)

    (spec,) = desk.server.played
    assert ("cup", live.match_id, SEED.deal_seed(0), SEED.commitment) == (
        spec.tournament,
        spec.match_id,
        spec.deal_seed,
        desk.store.tournament("cup").commitment,
    )
    assert [
        (bot, reserved.ticket, bot_seed(SEED.deal_seed(0), entrant))
        for entrant, (bot, reserved) in enumerate(zip(BOTS, live.entrants, strict=True))
    ] == [(entrant.name, entrant.ticket, entrant.bot_seed) for entrant in spec.entrants]
    assert ["here:1"] == waited
    assert MatchState.DONE is desk.status(live).state
    stored = desk.store.record("cup", 0)
    assert stored is not None
    verify_walls(verify_replay(stored.record), SEED.deal_seed(0))
    assert desk.changes >= 2


async def test_a_task_that_comes_twice_or_late_does_nothing(start: AsyncStart, store: Store) -> None:
    """Brokers repeat; an offer is played once, and an attempt that was taken back is not played at all."""
    desk = await start(play_through)
    live = desk.offer()
    await desk.task(live)
    await desk.task(live)
    assert 1 == len(desk.server.played)

    late = desk.offer()
    store.take_over(desk.worker.incarnation)
    await desk.task(late)
    assert 1 == len(desk.server.played)
    assert (MatchState.PENDING, 0) == (desk.status(late).state, desk.status(late).voids)
    assert 1 == len(store.results("cup"))


async def test_two_tasks_for_one_offer_at_the_same_time_play_it_once(start: AsyncStart) -> None:
    """Whoever is first has it."""
    desk = await start(play_through)
    live = desk.offer()
    await asyncio.gather(desk.task(live), desk.task(live), desk.task(live))

    assert 1 == len(desk.server.played)
    assert (MatchState.DONE, 1) == (desk.status(live).state, desk.status(live).attempt)


async def test_a_voided_attempt_is_entered_with_its_reason(start: AsyncStart) -> None:
    """The match goes back to pending, and has failed after the last attempt that is allowed."""

    async def void(_spec: MatchSpec, _commit: Commit) -> Outcome:
        return Voided("all bots were disconnected at once")

    desk = await start(void)
    for number in range(1, MAX_VOIDS + 1):
        live = desk.offer()
        assert 0 == live.index
        await desk.task(live)
        status = desk.status(live)
        expected = MatchState.FAILED if number == MAX_VOIDS else MatchState.PENDING
        assert (expected, number, "all bots were disconnected at once") == (status.state, status.voids, status.reason)


async def test_a_failure_of_the_arena_voids_the_attempt(start: AsyncStart) -> None:
    """What broke is in the reason; the worker goes on with the next match."""

    async def fail_once(spec: MatchSpec, commit: Commit) -> Outcome:
        if len(desk.server.played) == 1:
            raise RuntimeError("out of luck")
        return await play_through(spec, commit)

    desk = await start(fail_once)
    live = desk.offer()
    await desk.task(live)
    assert (MatchState.PENDING, "RuntimeError: out of luck") == (desk.status(live).state, desk.status(live).reason)
    await desk.task(desk.offer())
    assert MatchState.DONE is desk.status(live).state


async def test_bots_that_do_not_come_get_strikes(start: AsyncStart) -> None:
    """The match is not voided: the bots are to blame, not the arena; those that came have none."""

    async def nobody_but_ben(_spec: MatchSpec, _commit: Commit) -> Outcome:
        return NoShow((0, 2))

    desk = await start(nobody_but_ben)
    live = desk.offer()
    await desk.task(live)

    assert (MatchState.PENDING, 0) == (desk.status(live).state, desk.status(live).voids)
    assert {"ada": 1, "ben": 0, "cyd": 1} == {entrant.bot: entrant.strikes for entrant in desk.store.entrants("cup")}


async def test_a_result_that_comes_too_late_does_not_count(start: AsyncStart) -> None:
    """If the match is no longer this worker's, the store refuses its result, and nothing is entered."""

    async def lose_it(spec: MatchSpec, commit: Commit) -> Outcome:
        desk.store.take_over("another")
        return await play_through(spec, commit)

    desk = await start(lose_it)
    live = desk.offer()
    await desk.task(live)

    assert (MatchState.PENDING, 0) == (desk.status(live).state, desk.status(live).voids)
    assert () == desk.store.results("cup")


@pytest.mark.parametrize("failures", [1, 2])
async def test_a_store_that_is_away_for_a_while_loses_no_result(start: AsyncStart, failures: int) -> None:
    """The commit is tried again until the store can be reached."""

    async def then_away(spec: MatchSpec, commit: Commit) -> Outcome:
        desk.away.failures = failures
        return await play_through(spec, commit)

    desk = await start(then_away)
    live = desk.offer()
    await desk.task(live)

    assert failures == desk.away.failed
    assert (MatchState.DONE, 1) == (desk.status(live).state, desk.status(live).attempt)


async def test_draining_lets_matches_end(start: AsyncStart) -> None:
    """Nothing more is taken up meanwhile."""
    playing, go_on = asyncio.Event(), asyncio.Event()

    async def slowly(spec: MatchSpec, commit: Commit) -> Outcome:
        playing.set()
        await go_on.wait()
        return await play_through(spec, commit)

    desk = await start(slowly)
    live, late = desk.offer(), desk.offer()
    task = asyncio.create_task(desk.task(live))
    await playing.wait()
    drain = asyncio.create_task(desk.worker.drain(timedelta(seconds=30)))
    await asyncio.sleep(0)
    await desk.task(late)
    go_on.set()
    await asyncio.gather(drain, task)

    assert MatchState.DONE is desk.status(live).state
    assert MatchState.OFFERED is desk.status(late).state


async def test_a_commit_under_way_when_the_drain_ends_is_seen_through(start: AsyncStart) -> None:
    """The match counts, so its bots are told that it counts: the server hears that it was committed."""
    heard: list[bool] = []
    committing, go_on = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    async def play_and_hear(spec: MatchSpec, commit: Commit) -> Outcome:
        played = play_first_legal(spec)
        heard.append(await commit(played))
        return played

    desk = await start(play_and_hear)
    commit_result = desk.store.commit_result

    def slow_commit(*args: Any) -> bool:
        loop.call_soon_threadsafe(committing.set)
        assert go_on.wait(30)
        return commit_result(*args)

    desk.away.instead["commit_result"] = slow_commit
    live = desk.offer()
    task = asyncio.create_task(desk.task(live))
    await committing.wait()
    drain = asyncio.create_task(desk.worker.drain(timedelta(0)))
    await asyncio.sleep(0)
    go_on.set()
    await asyncio.gather(drain, task)

    assert [True] == heard
    assert MatchState.DONE is desk.status(live).state


@pytest.mark.parametrize(("voids", "excused"), [(0, True), (1, True), (2, False), (4, False)])
async def test_bots_that_all_drop_at_once_are_excused_twice(start: AsyncStart, voids: int, excused: bool) -> None:
    """It may be the network; but bots must not be able to fail a match, and with it the tournament, together."""

    async def void(_spec: MatchSpec, _commit: Commit) -> Outcome:
        return Voided("all bots were disconnected at once")

    desk = await start(void)
    for _ in range(voids + 1):
        await desk.task(desk.offer())

    assert excused is desk.server.played[-1].void_when_all_drop


async def test_what_lasts_longer_than_the_drain_is_given_back(start: AsyncStart) -> None:
    """Not as voided: stopping is nobody's failure. The task ends too."""
    playing = asyncio.Event()

    async def for_ever(_spec: MatchSpec, _commit: Commit) -> Outcome:
        playing.set()
        await asyncio.Event().wait()
        raise AssertionError("never reached")

    desk = await start(for_ever)
    live = desk.offer()
    task = asyncio.create_task(desk.task(live))
    await playing.wait()
    await desk.worker.drain(timedelta(0))
    await task

    assert (MatchState.PENDING, 0) == (desk.status(live).state, desk.status(live).voids)
