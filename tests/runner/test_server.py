"""Matches over real gRPC, with clients that speak the protocol by hand."""

from __future__ import annotations

import asyncio
import random
import socket
from datetime import timedelta
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from grpc_status import rpc_status

from kawuxing.bots import channel
from kawuxing.codec.events import event_from_message
from kawuxing.codec.observations import observation_to_message
from kawuxing.engine.faults import Fault
from kawuxing.engine.observation import Observer
from kawuxing.engine.replay import verify_replay
from kawuxing.engine.rules import RuleSet
from kawuxing.runner import tables
from kawuxing.runner.clock import ClockSettings
from kawuxing.runner.errors import AddressError, ListenError
from kawuxing.runner.server import OPTIONS, ArenaServer
from kawuxing.runner.spec import NoShow, Played, Voided
from kawuxing.runner.testing import (
    TableClient,
    Tokens,
    decision,
    first,
    hello,
    match_spec,
    play_all,
    play_ticket,
)
from kawuxing.v1.fault_pb2 import FAULT_ILLEGAL_CHOICE
from kawuxing.v1.table_service_pb2 import (
    OBSERVATION_MODE_DELTA,
    OBSERVATION_MODE_SNAPSHOT,
    DecisionRequest,
    ObservationMode,
    PlayRequest,
)

MILLISECOND = timedelta(milliseconds=1)
QUICK = ClockSettings(
    bank=500 * MILLISECOND, increment=500 * MILLISECOND, move_max=500 * MILLISECOND, start=500 * MILLISECOND
)


async def yes(_: Played) -> bool:
    return True


def pick(request: DecisionRequest) -> int:
    """Choose as a function of the question alone."""
    return random.Random(request.decision_id).randrange(len(request.legal_actions))


async def error_of(call: Any) -> tuple[grpc.StatusCode, str]:
    """Read a call to its end; return its code and the reason in its ErrorInfo."""

    async def read_to_end() -> None:
        while await call.read() is not grpc.aio.EOF:
            pass
        await call

    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await read_to_end()
    status = rpc_status.from_call(_Trailing(caught.value))
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    assert "kawuxing" == info.domain
    assert "expected" in status.message
    return caught.value.code(), info.reason


class _Trailing:
    """What rpc_status wants of a call, from grpc.aio's error."""

    def __init__(self, error: grpc.aio.AioRpcError) -> None:
        self._error = error

    def trailing_metadata(self) -> Any:
        return self._error.trailing_metadata()

    def code(self) -> grpc.StatusCode:
        return self._error.code()

    def details(self) -> Any:
        return self._error.details()


async def test_a_match_is_played_committed_and_then_announced(arena: Any) -> None:
    """MatchEnd carries the digest of the record that was committed, and comes only after that."""
    spec = match_spec(hands=2)
    committed: list[Played] = []

    async def commit(played: Played) -> bool:
        assert not any(client.done() for client in clients)
        committed.append(played)
        return True

    play = asyncio.ensure_future(arena.server.play(spec, commit))
    clients = [asyncio.ensure_future(play_ticket(arena.address, f"m0-{bot}")) for bot in "abc"]
    outcome = await play
    assert [outcome] == committed
    assert outcome.record.sha256 == verify_replay(outcome.record.data).sha256
    for client in await asyncio.gather(*clients):
        last = client.seen[-1].match_end
        assert outcome.record.sha256 == last.record_sha256
        assert [entrant.points for entrant in outcome.record.result.entrants] == [each.points for each in last.entrants]
        assert 2 == sum(seen.HasField("hand_end") for seen in client.seen)
        assert grpc.StatusCode.OK == await client.call.code()
    assert all(times.count > 0 for times in outcome.times)


async def test_the_same_bots_get_the_same_record_again(arena: Any) -> None:
    """Bytes, not only points."""
    outcomes = []
    for _ in range(2):
        play = asyncio.ensure_future(arena.server.play(match_spec(hands=3), yes))
        await play_all(arena.address, match_spec(hands=3), pick)
        outcomes.append(await play)
    assert outcomes[0].record.data == outcomes[1].record.data


@pytest.mark.parametrize("overrides", [{}, {"sit_out": True, "cap": 8}], ids=["three", "one-rests"])
async def test_folding_the_deltas_gives_the_snapshots(
    arena: Any, xiangyang: RuleSet, overrides: dict[str, Any]
) -> None:
    """A bot in delta mode knows exactly what one in snapshot mode is told, at every question."""
    rules = xiangyang.replace(overrides)
    seen: dict[bool, list[list[bytes]]] = {}
    for snapshot in (False, True):
        spec = match_spec(hands=4, rules=rules)
        play = asyncio.ensure_future(arena.server.play(spec, yes))
        seen[snapshot] = await asyncio.gather(
            *(observe_all(arena.address, entrant, snapshot=snapshot) for entrant in range(rules.entrants))
        )
        await play
    assert seen[False] == seen[True]
    assert sum(map(len, seen[True])) > 50


async def observe_all(address: str, entrant: int, *, snapshot: bool) -> list[bytes]:
    """Play one entrant; return every observation that it had when it was asked."""
    observations: list[bytes] = []
    observer = Observer(entrant)
    async with TableClient(address) as client:
        await client.send(
            hello("m0-" + "abcd"[entrant], OBSERVATION_MODE_SNAPSHOT if snapshot else OBSERVATION_MODE_DELTA)
        )
        while (response := await client.read()) is not None:
            for message in (*response.decision_request.events, *response.hand_end.events):
                event = event_from_message(message)
                if event is not None and not snapshot:
                    observer.apply(event)
            if response.HasField("decision_request"):
                request = response.decision_request
                known = request.observation if snapshot else observation_to_message(observer.observation())
                observations.append(known.SerializeToString(deterministic=True))
                await client.send(decision(request.decision_id, pick(request)))
    return observations


async def test_a_bot_that_comes_back_resumes_its_match(arena: Any) -> None:
    """It is told the hand so far and asked again what it was asked, and no fault is counted."""
    spec = match_spec()
    play = asyncio.ensure_future(arena.server.play(spec, yes))
    others = asyncio.ensure_future(play_all(arena.address, spec, without="a"))
    async with TableClient(arena.address) as client:
        await client.send(hello("m0-a"))
        asked = (await client.read_until("decision_request")).decision_request
    async with TableClient(arena.address) as client:
        await client.send(hello("m0-a"))
        resume = (await client.read_until("resume")).resume
        again = (await client.read_until("decision_request")).decision_request
        assert (asked.decision_id, list(asked.legal_actions)) == (again.decision_id, list(again.legal_actions))
        assert (list(asked.events), []) == (list(resume.events), list(again.events))
        await client.send(decision(again.decision_id))
        await client.play()
    await others
    assert [(), (), ()] == [entrant.faults for entrant in (await play).record.result.entrants]


async def test_a_second_stream_with_the_same_ticket_supersedes_the_first(arena: Any) -> None:
    """The first is told so; the match goes on with the second."""
    spec = match_spec()
    play = asyncio.ensure_future(arena.server.play(spec, yes))
    async with TableClient(arena.address) as first_client:
        await first_client.send(hello("m0-a"))
        await first_client.read_until("match_start")
        clients = asyncio.ensure_future(play_all(arena.address, spec))
        assert (grpc.StatusCode.ABORTED, "SUPERSEDED") == await error_of(first_client.call)
        await clients
    assert isinstance(await play, Played)


@pytest.mark.parametrize(
    ("message", "code", "reason"),
    [
        (b"\xff\xff\xff\xff", grpc.StatusCode.INVALID_ARGUMENT, "MALFORMED_MESSAGE"),
        (b"\x0a" * 70_000, grpc.StatusCode.RESOURCE_EXHAUSTED, "MESSAGE_TOO_LARGE"),
        (hello("m0-a").SerializeToString(), grpc.StatusCode.FAILED_PRECONDITION, "UNEXPECTED_HELLO"),
        (decision(5).SerializeToString(), grpc.StatusCode.FAILED_PRECONDITION, "UNEXPECTED_DECISION"),
    ],
    ids=["garbage", "oversize", "second-hello", "unknown-decision"],
)
async def test_a_protocol_error_closes_the_stream_with_its_reason(
    arena: Any, message: bytes, code: grpc.StatusCode, reason: str
) -> None:
    """One fault for the one decision; the bot comes back and plays on."""
    spec = match_spec()
    play = asyncio.ensure_future(arena.server.play(spec, yes))
    others = asyncio.ensure_future(play_all(arena.address, spec, without="a"))
    async with TableClient(arena.address) as client:
        await client.send(hello("m0-a"))
        await client.read_until("decision_request")
        await client.send(message)
        assert (code, reason) == await error_of(client.call)
    await play_ticket(arena.address, "m0-a")
    await others
    outcome = await play
    assert [(Fault.PROTOCOL_ERROR,), (), ()] == [entrant.faults for entrant in outcome.record.result.entrants]
    assert reason in outcome.evidence.faults[0].detail


async def test_a_message_over_the_transport_limit_is_an_end_of_stream(arena: Any) -> None:
    """The transport itself ends the call; the bot was away for a moment, and comes back."""
    spec = match_spec()
    play = asyncio.ensure_future(arena.server.play(spec, yes))
    others = asyncio.ensure_future(play_all(arena.address, spec, without="a"))
    async with TableClient(arena.address) as client:
        await client.send(hello("m0-a"))
        await client.read_until("decision_request")
        await client.send(b"x" * 10_000_000)
        with pytest.raises(grpc.aio.AioRpcError, match="Received message larger than max"):
            await client.read()
    await play_ticket(arena.address, "m0-a")
    await others
    assert [(), (), ()] == [entrant.faults for entrant in (await play).record.result.entrants]


async def test_a_bot_that_never_answers_times_out_and_the_others_play_on(arena: Any) -> None:
    """On the real clock of the real loop."""
    spec = match_spec(clock=QUICK, max_faults=1)
    play = asyncio.ensure_future(arena.server.play(spec, yes))
    async with TableClient(arena.address) as client:
        await client.send(hello("m0-a"))
        await play_all(arena.address, spec, without="a")
        end = (await client.read_until("match_end")).match_end
    assert [True, False, False] == [entrant.forfeited for entrant in end.entrants]
    assert [(Fault.TIMEOUT,), (), ()] == [entrant.faults for entrant in (await play).record.result.entrants]


async def test_no_bot_is_told_of_the_faults_of_others(arena: Any) -> None:
    """At the end each hears its own; that it forfeited, which the ranks follow from, all hear."""
    spec = match_spec(max_faults=1)
    play = asyncio.ensure_future(arena.server.play(spec, yes))
    good = [asyncio.ensure_future(play_ticket(arena.address, f"m0-{bot}")) for bot in "ac"]
    bad = await play_ticket(arena.address, "m0-b", lambda request: len(request.legal_actions))
    ends = [client.seen[-1].match_end.entrants for client in (*await asyncio.gather(*good), bad)]
    (fault,) = (await play).evidence.faults

    assert [[[], [], []], [[], [], []], [[], [FAULT_ILLEGAL_CHOICE], []]] == [
        [list(entrant.faults) for entrant in end] for end in ends
    ]
    assert [[False, True, False]] * 3 == [[entrant.forfeited for entrant in end] for end in ends]
    assert (1, f"choice is {len(fault.asked)}: expected 0 to {len(fault.asked) - 1}") == (fault.entrant, fault.detail)


async def test_a_bot_that_is_gone_is_disconnected_and_the_others_play_on(arena: Any) -> None:
    """Having said Hello it has joined; what it then misses is its fault."""
    spec = match_spec(clock=QUICK, max_faults=2)
    play = asyncio.ensure_future(arena.server.play(spec, yes))
    async with TableClient(arena.address) as client:
        await client.send(hello("m0-b"))
        await client.read_until("match_start")
    await play_all(arena.address, spec, without="b")
    assert [(), (Fault.DISCONNECTED,) * 2, ()] == [entrant.faults for entrant in (await play).record.result.entrants]


async def test_bots_that_do_not_come_are_a_no_show(arena: Any) -> None:
    """Those that came are told that the match is void; nothing is committed."""
    spec = match_spec(join_time=100 * MILLISECOND)
    async with TableClient(arena.address) as client:
        play = asyncio.ensure_future(arena.server.play(spec, yes))
        await client.send(hello("m0-b"))
        voided = (await client.read_until("match_voided")).match_voided
        assert await client.read() is None
    assert (NoShow(absent=(0, 2)), "not every bot came") == (await play, voided.reason)


@pytest.mark.parametrize("mode", [OBSERVATION_MODE_DELTA, OBSERVATION_MODE_SNAPSHOT])
async def test_a_bot_that_comes_back_before_the_commit_hears_the_end(
    arena: Any, mode: ObservationMode.ValueType
) -> None:
    """The last hand is over and nothing is asked any more, but the match is not."""
    over, committed = asyncio.Event(), asyncio.Event()

    async def commit(_: Played) -> bool:
        over.set()
        await committed.wait()
        return True

    spec = match_spec()
    play = asyncio.ensure_future(arena.server.play(spec, commit))
    bots = asyncio.ensure_future(play_all(arena.address, spec, without="a"))
    async with TableClient(arena.address) as client:
        await client.send(hello("m0-a"))
        while not over.is_set():
            response = await client.read()
            if response is not None and response.HasField("decision_request"):
                await client.send(decision(response.decision_request.decision_id))
            if response is not None and response.HasField("hand_end"):
                await over.wait()
    async with TableClient(arena.address) as client:
        await client.send(hello("m0-a", mode))
        await client.read_until("resume")
        committed.set()
        await client.read_until("match_end")
    await bots
    assert isinstance(await play, Played)


async def no(_: Played) -> bool:
    return False


async def broken(_: Played) -> bool:
    raise OSError("disk full")


@pytest.mark.parametrize("commit", [no, broken])
async def test_what_is_not_committed_is_void_for_everybody(arena: Any, commit: Any) -> None:
    """Whether the commit is refused or fails, no bot is told a result."""
    spec = match_spec()
    play = asyncio.ensure_future(arena.server.play(spec, commit))
    clients = await play_all(arena.address, spec)
    assert isinstance(await play, Voided)
    assert ["match_voided"] * 3 == [client.seen[-1].WhichOneof("response") for client in clients]


async def test_a_cancelled_match_is_void_for_everybody(arena: Any) -> None:
    """And its tickets are forgotten."""
    spec = match_spec()
    play = asyncio.ensure_future(arena.server.play(spec, yes))
    async with TableClient(arena.address) as a, TableClient(arena.address) as b, TableClient(arena.address) as c:
        for client, bot in ((a, "a"), (b, "b"), (c, "c")):
            await client.send(hello(f"m0-{bot}"))
        await a.read_until("decision_request")
        play.cancel()
        for client in (a, b, c):
            await client.read_until("match_voided")
            assert await client.read() is None
        with pytest.raises(asyncio.CancelledError):
            await play
    async with TableClient(arena.address) as late:
        await late.send(hello("m0-a"))
        assert (grpc.StatusCode.NOT_FOUND, "UNKNOWN_TICKET") == await error_of(late.call)


async def test_the_caller_hears_when_a_match_waits_and_when_its_bots_sit(arena: Any) -> None:
    """Tickets are good once it waits, and nothing is asked before the caller has taken note that all sit."""
    steps: list[str] = []
    bots: list[asyncio.Future[TableClient]] = []

    async def waiting() -> None:
        steps.append("waiting")
        bots.extend(asyncio.ensure_future(play_ticket(arena.address, f"m0-{bot}", noting)) for bot in "abc")

    async def seated() -> None:
        steps.append("seated")

    def noting(request: DecisionRequest) -> int:
        steps.append("asked")
        return first(request)

    assert isinstance(await arena.server.play(match_spec(), yes, waiting=waiting, seated=seated), Played)
    await asyncio.gather(*bots)
    assert ["waiting", "seated", "asked"] == steps[:3]


async def test_a_ticket_in_use_is_refused(arena: Any) -> None:
    """Two matches cannot share one."""
    play = asyncio.ensure_future(arena.server.play(match_spec(), yes))
    await asyncio.sleep(0)
    with pytest.raises(ValueError, match="the ticket of a is in use"):
        await arena.server.play(match_spec(), yes)
    play.cancel()
    with pytest.raises(asyncio.CancelledError):
        await play


async def test_the_first_message_must_be_a_hello_with_a_good_ticket(arena: Any) -> None:
    """Whatever else comes first is refused, with its reason."""
    for message, expected in (
        (decision(0).SerializeToString(), "HELLO_EXPECTED"),
        (PlayRequest().SerializeToString(), "HELLO_EXPECTED"),
        (b"\xff", "MALFORMED_MESSAGE"),
        (b"\x0a" * 70_000, "MESSAGE_TOO_LARGE"),
        (hello("nobody's").SerializeToString(), "UNKNOWN_TICKET"),
    ):
        async with TableClient(arena.address) as client:
            await client.send(message)
            assert expected == (await error_of(client.call))[1]


async def test_a_stream_without_a_hello_is_closed(arena: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a while; the time is shortened here."""
    monkeypatch.setattr(tables, "HELLO_TIME", 0.05)
    async with TableClient(arena.address) as client:
        assert (grpc.StatusCode.FAILED_PRECONDITION, "HELLO_EXPECTED") == await error_of(client.call)


async def test_health_and_reflection_are_served(arena: Any) -> None:
    """So that standard tools can look at an arena."""
    async with grpc.aio.insecure_channel(arena.address) as channel:
        health: Any = health_pb2_grpc.HealthStub(channel)
        for service in ("", "kawuxing.v1.LobbyService", "kawuxing.v1.TableService"):
            reply = await health.Check(health_pb2.HealthCheckRequest(service=service))
            assert health_pb2.HealthCheckResponse.SERVING == reply.status
        reflection: Any = reflection_pb2_grpc.ServerReflectionStub(channel)
        call = reflection.ServerReflectionInfo()
        await call.write(reflection_pb2.ServerReflectionRequest(list_services=""))
        services = {service.name for service in (await call.read()).list_services_response.service}
        await call.done_writing()
    assert {"kawuxing.v1.LobbyService", "kawuxing.v1.TableService"} <= services


async def test_a_port_in_use_is_a_clear_error() -> None:
    """It names the address and says what is wrong with it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ListenError, match=f"cannot listen on 127.0.0.1:{port}: Address already in use"):
            await ArenaServer(Tokens(), listen=f"127.0.0.1:{port}").start()


@pytest.mark.parametrize(
    "listen",
    ["", "7300", "localhost:", ":7300", "localhost:x", "localhost:70000", "x:" + "9" * 5000, "x..y:1", "x" * 64 + ":1"],
    ids=lambda listen: listen[:20],
)
def test_an_address_that_is_none_is_refused(listen: str) -> None:
    """The message shows one that would do."""
    with pytest.raises(AddressError, match=r"expected host:port, such as 127\.0\.0\.1:7300"):
        ArenaServer(Tokens(), listen=listen)


@pytest.mark.parametrize("listen", ["0.0.0.0:7300", "[::]:7300", "arena.example:7300"])
def test_an_open_address_needs_consent(listen: str) -> None:
    """Tokens would travel in the clear."""
    with pytest.raises(AddressError, match="without TLS: expected"):
        ArenaServer(Tokens(), listen=listen)
    assert ArenaServer(Tokens(), listen=listen, insecure=True).lobby.instances() == ()


@pytest.mark.parametrize("option", [name for name, _ in (*OPTIONS, *channel.OPTIONS)])
def test_grpc_knows_every_option(option: str) -> None:
    """It says nothing of one with a mistake in its name: all that it knows stand in its library."""
    (library,) = (Path(grpc.__file__).parent / "_cython").glob("cygrpc*.so")

    assert option.encode() in library.read_bytes()
