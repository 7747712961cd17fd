"""The dispatcher: what it offers to whom, what it tells the bots, and how it comes through losses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import cast

import pytest
from tests.scheduler.cup import BOTS, CONFIG, SEED, Away, FakeLobby, begin, joined

from kawuxing.runner.lobby import Lobby
from kawuxing.scheduler.dispatcher import OFFER, Dispatcher
from kawuxing.scheduler.store import MAX_STRIKES, MAX_VOIDS, LiveMatch, MatchState, NewWorker, Store, TournamentState
from kawuxing.scheduler.store.testing import ManualClock, finished_match

SECOND = timedelta(seconds=1)


@dataclass(slots=True)
class Dispatch:
    """A running dispatcher and what it sends."""

    store: Store
    away: Away
    lobby: FakeLobby
    offers: asyncio.Queue[tuple[int, int]]
    dispatcher: Dispatcher
    result: asyncio.Task[TournamentState]

    async def offered(self) -> LiveMatch:
        """Wait for the next hint to a worker, and take the offer up."""
        async with asyncio.timeout(30):
            match, attempt = await self.offers.get()
        live = self.store.start_match(match, attempt, "w1")
        assert live is not None
        return live

    def commit(self, live: LiveMatch) -> None:
        """End a match with a result."""
        assert self.store.commit_result(live.match, live.attempt, "w1", finished_match())
        self.dispatcher.wake()

    def void(self, live: LiveMatch) -> None:
        """End an attempt without one."""
        assert self.store.void(live.match, live.attempt, "w1", "because") is not None
        self.dispatcher.wake()

    async def ended(self) -> TournamentState:
        """Wait for the end of the tournament."""
        async with asyncio.timeout(30):
            return await self.result


Start = Callable[..., Dispatch]


@pytest.fixture
async def start(store: Store) -> AsyncIterator[Start]:
    """Start a dispatcher with bots of some capacity, and one worker."""
    begin(store)
    running: list[Dispatch] = []

    def run(capacity: int = 1, slots: int = 8) -> Dispatch:
        store.register_worker(NewWorker(incarnation="w1", host="here", pid=1, address="", slots=slots))
        loop = asyncio.get_running_loop()
        offers: asyncio.Queue[tuple[int, int]] = asyncio.Queue()

        def enqueue(match: int, attempt: int) -> None:
            loop.call_soon_threadsafe(offers.put_nowait, (match, attempt))

        away, lobby = Away(store), FakeLobby(*joined(capacity))
        dispatcher = Dispatcher(cast("Store", away), cast("Lobby", lobby), enqueue, CONFIG, SEED)
        running.append(
            Dispatch(store, away, lobby, offers, dispatcher, asyncio.create_task(dispatcher.run(), name="dispatcher"))
        )
        return running[-1]

    yield run
    for dispatch in running:
        dispatch.result.cancel()
        await asyncio.gather(dispatch.result, return_exceptions=True)


def state_of(store: Store, live: LiveMatch) -> tuple[MatchState, int]:
    status = store.match(live.tournament, live.index)
    assert status is not None
    return status.state, status.voids


async def comes_true(condition: Callable[[], bool]) -> None:
    """Look at the store, which tells nobody of changes, until it is so."""
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110  there is no event to wait for
            await asyncio.sleep(0.01)


@pytest.mark.parametrize(("capacity", "slots", "at_once"), [(1, 8, 1), (2, 8, 2), (64, 8, 4), (64, 3, 3)])
async def test_offers_follow_capacity_slots_and_concurrency(
    start: Start, capacity: int, slots: int, at_once: int
) -> None:
    """No more are out than the bots, the workers and the config's concurrency of 4 allow; what ends makes room."""
    dispatch = start(capacity, slots)
    live = [await dispatch.offered() for _ in range(at_once)]

    assert list(range(at_once)) == [match.index for match in live]
    for index in range(at_once, 6):
        assert at_once == len(dispatch.store.live_matches(CONFIG.slug))
        assert dispatch.offers.empty()
        dispatch.commit(live.pop(0))
        live.append(await dispatch.offered())
        assert index == live[-1].index
    for match in live:
        dispatch.commit(match)
    assert TournamentState.FINISHED is await dispatch.ended()


async def test_an_offer_whose_task_is_lost_is_made_again(start: Start, clock: ManualClock) -> None:
    """Once it has expired, it is another attempt; the lost task, should it come after all, means nothing any more."""
    dispatch = start()
    async with asyncio.timeout(30):
        match, attempt = await dispatch.offers.get()
        clock.advance(OFFER + SECOND)
        # The worker that has not got the task is well.
        dispatch.store.heartbeat("w1")
        again = await dispatch.offers.get()

    assert (match, attempt + 1) == again
    assert dispatch.store.start_match(match, attempt, "w1") is None
    assert dispatch.store.start_match(*again, "w1") is not None


async def test_a_match_that_is_voided_is_offered_again_until_it_has_failed(start: Start) -> None:
    """Then the others are still played, and the tournament is incomplete."""
    dispatch = start()
    for number in range(MAX_VOIDS):
        live = await dispatch.offered()
        assert (0, number + 1) == (live.index, live.attempt)
        dispatch.void(live)
        expected = MatchState.FAILED if number + 1 == MAX_VOIDS else MatchState.PENDING
        assert (expected, number + 1) == state_of(dispatch.store, live)
    for index in range(1, 6):
        live = await dispatch.offered()
        assert index == live.index
        dispatch.commit(live)

    assert TournamentState.INCOMPLETE is await dispatch.ended()


async def test_a_bot_that_takes_up_no_match_is_withdrawn_and_sent_away(start: Start) -> None:
    """Its strikes come in a row; then all matches that need it are cancelled, and that ends the tournament."""
    dispatch = start()
    for strikes in range(MAX_STRIKES):
        assert strikes == next(entrant.strikes for entrant in dispatch.store.entrants("cup") if entrant.bot == "cyd")
        live = await dispatch.offered()
        dispatch.store.release(live.match, live.attempt, "w1", ["cyd"])
        dispatch.dispatcher.wake()

    assert TournamentState.FINISHED is await dispatch.ended()
    assert 6 == dispatch.store.progress("cup")[MatchState.CANCELLED]


async def test_a_bot_that_is_away_for_too_long_is_withdrawn(start: Start, clock: ManualClock) -> None:
    """It is told so should it come back; what is being played goes on, what is not is cancelled."""
    dispatch = start()
    live = await dispatch.offered()
    dispatch.lobby.here = dispatch.lobby.here[:2]
    dispatch.dispatcher.wake()
    await comes_true(lambda: any(entrant.absent_since for entrant in dispatch.store.entrants("cup")))
    # Not so far that the worker's lease ends too.
    for _ in range(61):
        clock.advance(5 * SECOND)
        dispatch.store.heartbeat("w1")
    async with asyncio.timeout(30):
        assert ("cyd", "absent for longer than 300 s") == await dispatch.lobby.withdrawn.get()

    assert (MatchState.PLAYING, 0) == state_of(dispatch.store, live)
    assert 5 == dispatch.store.progress("cup")[MatchState.CANCELLED]
    dispatch.commit(live)
    assert TournamentState.FINISHED is await dispatch.ended()


async def test_bots_are_told_of_a_table_when_it_waits_and_when_it_is_over(start: Start) -> None:
    """Each is told with its own ticket; the end of a match is told differently from an attempt that was given up."""
    dispatch = start()
    for end, reason in ((dispatch.void, "the attempt was given up"), (dispatch.commit, None)):
        live = await dispatch.offered()
        assert dispatch.lobby.assigned.empty()
        dispatch.store.publish(live.match, live.attempt, "w1", "somewhere:1")
        dispatch.dispatcher.wake()
        async with asyncio.timeout(30):
            told = [await dispatch.lobby.assigned.get() for _ in BOTS]
            assert [
                (live.match_id, reserved.bot, f"{reserved.bot}-1", "somewhere:1", reserved.ticket)
                for reserved in live.entrants
            ] == told
            end(live)
            assert (live.match_id, reason) == await dispatch.lobby.released.get()


async def test_a_bot_that_is_back_holds_what_it_was_playing(start: Start) -> None:
    """What its lost instance had reserved is the new one's, so that it is not given more than it can play."""
    dispatch = start(capacity=1)
    live = await dispatch.offered()
    dispatch.lobby.here = (*dispatch.lobby.here[:2], *joined(1, 2, ("cyd",)))
    dispatch.dispatcher.wake()

    def holder() -> str:
        (match,) = dispatch.store.live_matches("cup")
        return next(reserved.instance for reserved in match.entrants if reserved.bot == "cyd")

    await comes_true(lambda: holder() == "cyd-2")
    assert dispatch.offers.empty()
    dispatch.commit(live)
    assert 1 == (await dispatch.offered()).index


async def test_a_worker_whose_lease_ends_loses_its_matches(start: Start, clock: ManualClock) -> None:
    """They are voided, and offered once there is a worker again."""
    dispatch = start()
    live = await dispatch.offered()
    clock.advance(timedelta(minutes=1))
    await comes_true(lambda: state_of(dispatch.store, live) == (MatchState.PENDING, 1))
    assert not dispatch.store.heartbeat("w1")
    dispatch.store.register_worker(NewWorker(incarnation="w2", host="here", pid=2, address="", slots=1))

    async with asyncio.timeout(30):
        assert (live.match, live.attempt + 1) == await dispatch.offers.get()


async def test_a_store_that_is_away_for_a_while_is_waited_for(start: Start) -> None:
    """Whatever call fails, the next look does it; nothing is lost or done twice."""
    dispatch = start()
    for index in range(6):
        live = await dispatch.offered()
        assert (index, 1) == (live.index, live.attempt)
        dispatch.away.failures = index
        dispatch.commit(live)

    assert TournamentState.FINISHED is await dispatch.ended()
    assert 15 == dispatch.away.failed


async def test_a_dispatcher_that_stops_offers_nothing_more(start: Start) -> None:
    """What is being played may end, and its bots are told; then it waits."""
    dispatch = start()
    live = await dispatch.offered()
    dispatch.dispatcher.stop_offering()
    dispatch.store.publish(live.match, live.attempt, "w1", "somewhere:1")
    dispatch.dispatcher.wake()
    async with asyncio.timeout(30):
        # A look that began before the stop has ended with this.
        await dispatch.lobby.assigned.get()
        dispatch.commit(live)
        assert (live.match_id, None) == await dispatch.lobby.released.get()

    assert dispatch.offers.empty()
    assert not dispatch.result.done()
    assert {MatchState.DONE: 1, MatchState.PENDING: 5} == {
        state: count for state, count in dispatch.store.progress("cup").items() if count
    }
