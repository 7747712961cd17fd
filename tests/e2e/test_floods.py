"""What nobody who plays would do to the arena's server, done while others play."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

import grpc.aio
import psutil
import pytest

from kawuxing.bots.channel import error_reason
from kawuxing.bots.misbehaving import http2
from kawuxing.bots.misbehaving.client import vice
from kawuxing.bots.misbehaving.stream import PLAY, answer, hello
from kawuxing.runner import tables
from kawuxing.runner.lobby import MAX_INSTANCES
from kawuxing.runner.server import MAX_STREAMS, ArenaServer
from kawuxing.runner.spec import MatchSpec, Outcome, Played, Step
from kawuxing.runner.testing import Tokens, match_spec, play_all
from kawuxing.v1 import fault_pb2
from kawuxing.v1.lobby_service_pb2 import JoinRequest

BOUND: Final = 60
"""Seconds in which everything here has to be over, on however slow a machine."""
JOIN: Final = "/kawuxing.v1.LobbyService/Join"
CONNECTIONS: Final = 4
CALLS: Final = 150
"""Calls that a flood makes at once on each of its connections."""
FLOOD: Final = CONNECTIONS * CALLS


Ending = tuple[str, str]
"""How a call ended: its status, and the reason of its ErrorInfo."""


_REASONS: Final = fault_pb2.ErrorReason.DESCRIPTOR.values_by_number


@dataclass(frozen=True)
class Hall:
    """A running server."""

    server: ArenaServer
    address: str

    async def play(self, spec: MatchSpec, seated: Step | None = None) -> Outcome:
        """Play a match whose bots come by themselves; ``seated`` is called when all have sat down."""

        async def commit(_: Played) -> bool:
            return True

        return await self.server.play(spec, commit, seated=seated)

    async def play_well(self, name: str = "m0") -> Outcome:
        """Play a match between bots that behave."""
        spec = match_spec(name=name, seed="calm")
        outcome, _ = await asyncio.gather(self.play(spec), play_all(self.address, spec))
        return outcome

    async def play_during(self, flood: Callable[[Any], Iterable[Awaitable[Ending]]]) -> Counter[Ending]:
        """Play a match well while ``flood``, given a connection, makes calls on several; count how they end."""
        async with asyncio.timeout(BOUND), AsyncExitStack() as stack:
            channels = [await stack.enter_async_context(caller(self.address)) for _ in range(CONNECTIONS)]
            match = asyncio.create_task(self.play_well())
            endings = await asyncio.gather(*(ending for channel in channels for ending in flood(channel)))
            assert_undisturbed([await match])
        return Counter(endings)


@pytest.fixture
async def hall() -> AsyncIterator[Hall]:
    """A server that knows the bots a and b."""
    server = ArenaServer(Tokens("a", "b"))
    yield Hall(server, await server.start())
    async with asyncio.timeout(BOUND):
        await server.stop(0)


def assert_undisturbed(outcomes: Iterable[Outcome]) -> None:
    """Assert that every match was played to its end and nobody in it had a fault."""
    for outcome in outcomes:
        assert isinstance(outcome, Played)
        assert [(), (), ()] == [entrant.faults for entrant in outcome.record.result.entrants]


@asynccontextmanager
async def caller(address: str) -> AsyncIterator[Any]:
    """A channel on a connection of its own."""
    channel = grpc.aio.insecure_channel(address, options=(("grpc.use_local_subchannel_pool", 1),))
    try:
        yield channel
    finally:
        await channel.close()


async def status(call: Any) -> Ending:
    """Read a call to its end."""
    try:
        while await call.read() is not grpc.aio.EOF:
            pass
    except grpc.aio.AioRpcError as error:
        return error.code().name, _REASONS[error_reason(error)].name.removeprefix("ERROR_REASON_")
    return "OK", ""


def join(channel: Any, request: bytes) -> Any:
    """Call Join with any bytes."""
    return channel.unary_stream(JOIN)(request)


def join_request(token: str) -> bytes:
    """Return a JoinRequest that is in order."""
    return JoinRequest(token=token, capacity=1, protocol_version=1, client="test").SerializeToString()


async def call_play(channel: Any, message: bytes) -> Ending:
    """Call Play with a first message; return how it ends."""
    call = channel.stream_stream(PLAY)()
    await call.write(message)
    return await status(call)


@pytest.mark.parametrize("name", ["never-answers", "never-reads"])
async def test_a_match_that_waits_for_one_bot_holds_up_no_other_match(hall: Hall, name: str) -> None:
    """Twenty matches are played from beginning to end while one waits for an answer that does not come."""
    stalled = match_spec(name="stalled")
    good = asyncio.create_task(play_all(hall.address, stalled, without="b"))
    bad = asyncio.create_task(vice(name)(hall.address, "stalled-b").play())
    seated = asyncio.Event()

    async def sit() -> None:
        seated.set()

    waiting = asyncio.create_task(hall.play(stalled, sit))
    async with asyncio.timeout(BOUND):
        await seated.wait()
        outcomes = await asyncio.gather(*(hall.play_well(f"m{number}") for number in range(20)))
    assert_undisturbed(outcomes)
    assert not waiting.done()
    for task in (waiting, bad, good):
        task.cancel()
    await asyncio.gather(waiting, bad, good, return_exceptions=True)


async def test_a_flood_of_wrong_tokens_is_refused_and_disturbs_nobody(hall: Hall) -> None:
    """Every Join is told that its token is unknown, a match goes on, and nobody of the flood is in the lobby."""
    endings = await hall.play_during(
        lambda channel: [status(join(channel, join_request(f"guess-{number}"))) for number in range(CALLS)]
    )
    assert {("UNAUTHENTICATED", "UNKNOWN_TOKEN"): FLOOD} == endings
    assert () == hall.server.lobby.instances()


async def test_a_flood_of_wrong_tickets_is_refused_and_disturbs_nobody(hall: Hall) -> None:
    """Every Play is told that its ticket is unknown, and a match goes on."""
    endings = await hall.play_during(
        lambda channel: [call_play(channel, hello(f"guess-{number}")) for number in range(CALLS)]
    )
    assert {("NOT_FOUND", "UNKNOWN_TICKET"): FLOOD} == endings


async def test_a_flood_of_answers_without_a_hello_is_refused_and_disturbs_nobody(hall: Hall) -> None:
    """A stream that begins with anything but a Hello is closed at once."""
    endings = await hall.play_during(lambda channel: [call_play(channel, answer(0, 0)) for _ in range(CALLS)])
    assert {("FAILED_PRECONDITION", "HELLO_EXPECTED"): FLOOD} == endings


async def test_a_flood_of_silent_streams_is_closed_and_disturbs_nobody(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stream that says nothing is given HELLO_TIME."""
    monkeypatch.setattr(tables, "HELLO_TIME", 0.3)
    endings = await hall.play_during(lambda channel: [status(channel.stream_stream(PLAY)()) for _ in range(CALLS)])
    assert {("FAILED_PRECONDITION", "HELLO_EXPECTED"): FLOOD} == endings


async def test_one_connection_holds_a_limited_number_of_streams(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams beyond MAX_STREAMS are refused by the transport, or wait at the client until others have ended."""
    monkeypatch.setattr(tables, "HELLO_TIME", 0.3)
    async with asyncio.timeout(BOUND), caller(hall.address) as channel:
        calls = [status(channel.stream_stream(PLAY)()) for _ in range(2 * MAX_STREAMS)]
        endings = Counter(await asyncio.gather(*calls))
    assert MAX_STREAMS <= endings.pop(("FAILED_PRECONDITION", "HELLO_EXPECTED"))
    assert {("UNAVAILABLE", "UNSPECIFIED")} >= set(endings)
    assert_undisturbed([await hall.play_well()])


async def test_one_bot_cannot_fill_the_lobby(hall: Hall) -> None:
    """A bot is connected MAX_INSTANCES times and no more; another bot still joins."""
    async with asyncio.timeout(BOUND), AsyncExitStack() as stack:
        channels = [await stack.enter_async_context(caller(hall.address)) for _ in range(2)]
        for channel in channels:
            for _ in range(MAX_INSTANCES // 2):
                await join(channel, join_request("a")).read()
        refused = join(channels[0], join_request("a"))
        assert ("RESOURCE_EXHAUSTED", "TOO_MANY_CONNECTIONS") == await status(refused)
        await join(channels[0], join_request("b")).read()
        assert {"a": MAX_INSTANCES, "b": 1} == Counter(instance.bot for instance in hall.server.lobby.instances())


@pytest.mark.parametrize(
    ("request_", "refusal"),
    [
        (b"", ("FAILED_PRECONDITION", "UNSUPPORTED_PROTOCOL")),
        (b"\xff" * 64, ("INVALID_ARGUMENT", "MALFORMED_MESSAGE")),
        (bytes(100_000), ("RESOURCE_EXHAUSTED", "MESSAGE_TOO_LARGE")),
        (bytes(10_000_000), ("RESOURCE_EXHAUSTED", "UNSPECIFIED")),
    ],
    ids=["nothing", "garbage", "100 kB", "10 MB"],
)
async def test_join_refuses_what_is_no_request(hall: Hall, request_: bytes, refusal: Ending) -> None:
    """The caller is told what is wrong, as far as it can be; the next one joins as if nothing had happened."""
    async with asyncio.timeout(BOUND), caller(hall.address) as channel:
        assert refusal == await status(join(channel, request_))
        await join(channel, join_request("a")).read()
        assert ["a"] == [instance.bot for instance in hall.server.lobby.instances()]


@pytest.mark.parametrize(
    "beginning",
    [b"", http2.PREFACE[:5], http2.opening(window=0), http2.call("arena", PLAY, hello("m0-a"))[:20], b"\x00\xff" * 512],
    ids=["nothing", "half a preface", "no call", "no connection", "garbage"],
)
async def test_connections_that_never_get_to_a_call_disturb_nobody(hall: Hall, beginning: bytes) -> None:
    """Two hundred connections that stop somewhere before their first message, as a slow loris does."""
    host, _, port = hall.address.rpartition(":")
    async with asyncio.timeout(BOUND):
        writers = [(await asyncio.open_connection(host, int(port)))[1] for _ in range(200)]
        for writer in writers:
            writer.write(beginning)
        assert_undisturbed([await hall.play_well()])
        for writer in writers:
            writer.transport.abort()


async def test_a_flood_leaves_nothing_behind(hall: Hall) -> None:
    """However often a bot fills its connection with large requests, the process does not grow with it.

    Each round sends some 9 MB; six more of them may not leave a third of what they sent.
    """
    process = psutil.Process(os.getpid())
    request = join_request("x" * 60_000)

    async def flood() -> None:
        async with caller(hall.address) as channel:
            await asyncio.gather(*(status(join(channel, request)) for _ in range(CALLS)))

    async with asyncio.timeout(BOUND):
        for _ in range(2):
            await flood()
        before = process.memory_info().rss
        for _ in range(6):
            await flood()
    grown = process.memory_info().rss - before
    assert grown < 6 * CALLS * len(request) // 3, f"{grown} bytes"


async def test_a_bot_that_sits_down_unreading_again_and_again_is_turned_away(hall: Hall) -> None:
    """One ticket is good for a limited number of streams, and each of them takes the seat from the one before."""
    spec = match_spec(name="m0")
    host, _, port = hall.address.rpartition(":")
    waiting = asyncio.create_task(hall.play(spec))
    await asyncio.sleep(0)
    writers = []
    async with asyncio.timeout(BOUND):
        for _ in range(50):
            _, writer = await asyncio.open_connection(host, int(port))
            writer.write(http2.opening(window=0) + http2.call(hall.address, PLAY, hello("m0-b")))
            writers.append(writer)
        async with caller(hall.address) as channel:
            while (ending := await call_play(channel, hello("m0-b")))[1] == "SUPERSEDED":
                pass
    assert ("RESOURCE_EXHAUSTED", "TOO_MANY_CONNECTIONS") == ending
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    for writer in writers:
        writer.transport.abort()
