"""The lobby over real gRPC: joining, being told of matches, and being sent away."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import grpc
import grpc.aio
import pytest
import pytest_asyncio
from google.rpc import error_details_pb2, status_pb2

from kawuxing.runner.lobby import MAX_INSTANCES, Farewell
from kawuxing.v1 import lobby_service_pb2_grpc
from kawuxing.v1.lobby_service_pb2 import (
    GOODBYE_REASON_FINISHED,
    GOODBYE_REASON_STOPPING,
    GOODBYE_REASON_WITHDRAWN,
    JoinRequest,
    JoinResponse,
)

Join = Callable[..., Any]


@pytest_asyncio.fixture
async def join(arena: Any) -> AsyncIterator[Join]:
    """A call of Join, by default as the bot ada with room for two matches."""
    async with grpc.aio.insecure_channel(arena.address) as channel:
        stub: Any = lobby_service_pb2_grpc.LobbyServiceStub(channel)

        def call(**fields: Any) -> Any:
            bot = fields.pop("bot", "ada")
            request = {"token": bot[::-1], "capacity": 2, "protocol_version": 1, "client": "test"}
            return stub.Join(JoinRequest(**request | fields))

        yield call


async def told(call: Any) -> JoinResponse:
    """Read the next message."""
    response = await call.read()
    assert response is not grpc.aio.EOF
    return response  # type: ignore[no-any-return]


async def joined(join: Join, **fields: Any) -> Any:
    """Join, and read the welcome."""
    call = join(**fields)
    assert "welcome" == (await told(call)).WhichOneof("response")
    return call


async def refusal(call: Any) -> tuple[grpc.StatusCode, str, str]:
    """Return the code, the reason in the ErrorInfo and the message with which the call was refused."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call.read()
    trailing = dict(caught.value.trailing_metadata())
    status = status_pb2.Status.FromString(trailing["grpc-status-details-bin"])
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    return caught.value.code(), info.reason, status.message


async def gone(arena: Any) -> None:
    """Wait until no instance is left."""
    while arena.server.lobby.instances():
        await arena.changes.get()


async def test_a_bot_that_joins_is_welcomed_and_listed(arena: Any, join: Join) -> None:
    """With its registered name and its capacity; the caller hears of it."""
    welcome = (await told(join())).welcome
    (instance,) = arena.server.lobby.instances()
    assert ("ada", "ada", 2) == (welcome.bot, instance.bot, instance.capacity)
    assert (1, 1) == (welcome.min_protocol_version, welcome.max_protocol_version)
    assert 1 == arena.changes.qsize()


async def test_a_bot_that_leaves_is_not_listed_any_more(arena: Any, join: Join) -> None:
    """Its instance goes, and the caller hears of it."""
    call = await joined(join)
    call.cancel()
    await gone(arena)
    assert 0 == arena.changes.qsize()


@pytest.mark.parametrize(
    ("fields", "code", "reason", "said"),
    [
        ({"token": "eve"}, grpc.StatusCode.UNAUTHENTICATED, "UNKNOWN_TOKEN", "ask its organiser"),
        (
            {"protocol_version": 2},
            grpc.StatusCode.FAILED_PRECONDITION,
            "UNSUPPORTED_PROTOCOL",
            "protocol_version is 2: expected 1",
        ),
        ({"capacity": 0}, grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD", "capacity is 0: expected 1 to 64"),
        ({"capacity": 65}, grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD", "capacity is 65: expected 1 to 64"),
        ({"client": "x" * 129}, grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD", "client has 129 characters"),
        ({"client": "x" * 70_000}, grpc.StatusCode.RESOURCE_EXHAUSTED, "MESSAGE_TOO_LARGE", "at most 65536"),
    ],
)
async def test_a_wrong_request_is_refused_with_what_was_expected(
    arena: Any, join: Join, fields: dict[str, Any], code: grpc.StatusCode, reason: str, said: str
) -> None:
    """Code, reason and message; nobody is listed."""
    refused = await refusal(join(**fields))
    assert ((code, reason), ()) == (refused[:2], arena.server.lobby.instances())
    assert said in refused[2]


async def test_garbage_is_refused(arena: Any) -> None:
    """A request that is none."""
    async with grpc.aio.insecure_channel(arena.address) as channel:
        call = channel.unary_stream("/kawuxing.v1.LobbyService/Join")(b"\xff\xff")
        assert (grpc.StatusCode.INVALID_ARGUMENT, "MALFORMED_MESSAGE") == (await refusal(call))[:2]


async def test_an_instance_is_told_its_match(arena: Any, join: Join) -> None:
    """That instance, and no other one of the same bot."""
    calls = [await joined(join), await joined(join)]
    first, second = arena.server.lobby.instances()
    arena.server.lobby.assign("m1", "ada", second.id, "", "secret")
    arena.server.lobby.assign("m2", "ada", first.id, "far:7300", "other")
    assignments = [(await told(call)).assignment for call in calls]
    assert [("m2", "far:7300", "other"), ("m1", "", "secret")] == [
        (assignment.match_id, assignment.address, assignment.ticket) for assignment in assignments
    ]


async def test_a_match_that_will_not_be_played_is_cancelled_and_one_that_is_over_just_forgotten(
    arena: Any, join: Join
) -> None:
    """Cancelled comes only with a reason."""
    lobby = arena.server.lobby
    call = await joined(join)
    for match_id, reason in (("m1", None), ("m2", "no-show")):
        lobby.assign(match_id, "ada", lobby.instances()[0].id, "", "secret")
        assert match_id == (await told(call)).assignment.match_id
        lobby.release(match_id, reason)
    cancelled = (await told(call)).cancelled
    assert (("m2", "no-show"), ()) == ((cancelled.match_id, cancelled.reason), lobby.assignments())


async def test_a_bot_that_comes_back_is_told_again_what_is_live(arena: Any, join: Join) -> None:
    """The matches of its lost instance go to the new one, as far as its capacity reaches; the rest to the next."""
    lobby = arena.server.lobby
    call = await joined(join, capacity=3)
    for match_id in ("m1", "m2", "m3", "m4"):
        lobby.assign(match_id, "ada", lobby.instances()[0].id, "", f"ticket of {match_id}")
    lobby.release("m2")
    call.cancel()
    await gone(arena)
    assert [None] * 3 == [assignment.instance_id for assignment in lobby.assignments()]
    again, other = await joined(join, capacity=2), await joined(join, capacity=2)
    heard = [(await told(call)).assignment.match_id for call in (again, again, other)]
    first, second = lobby.instances()
    assert (["m1", "m3", "m4"], [first.id, first.id, second.id]) == (
        heard,
        [assignment.instance_id for assignment in lobby.assignments()],
    )


async def test_what_an_instance_has_is_not_told_to_another_one(arena: Any, join: Join) -> None:
    """Neither to a new instance of the same bot nor to another bot."""
    lobby = arena.server.lobby
    await joined(join)
    lobby.assign("m1", "ada", lobby.instances()[0].id, "", "secret")
    others = [await joined(join), await joined(join, bot="ben")]
    lobby.goodbye(Farewell.STOPPING, "enough")
    assert ["goodbye", "goodbye"] == [(await told(call)).WhichOneof("response") for call in others]


async def test_a_match_for_an_instance_that_is_gone_waits_for_the_next(arena: Any, join: Join) -> None:
    """The instance may go between being chosen and being told."""
    arena.server.lobby.assign("m1", "ada", "long gone", "", "secret")
    assert "m1" == (await told(await joined(join))).assignment.match_id


async def test_a_bot_is_assigned_a_match_once(arena: Any) -> None:
    """A second time is the caller's error."""
    arena.server.lobby.assign("m1", "ada", "x", "", "secret")
    with pytest.raises(ValueError, match="bot ada was assigned match m1 already"):
        arena.server.lobby.assign("m1", "ada", "x", "", "secret")


async def test_a_withdrawn_bot_is_sent_away_for_good(arena: Any, join: Join) -> None:
    """All its instances, and whoever joins as it later; the others stay."""
    calls = [await joined(join), await joined(join)]
    other = await joined(join, bot="ben")
    arena.server.lobby.withdraw("ada", "absent too long")
    goodbyes = [(await told(call)).goodbye for call in calls]
    assert [(GOODBYE_REASON_WITHDRAWN, "absent too long")] * 2 == [
        (goodbye.reason, goodbye.message) for goodbye in goodbyes
    ]
    assert [grpc.aio.EOF, grpc.aio.EOF] == [await call.read() for call in calls]
    assert (grpc.StatusCode.PERMISSION_DENIED, "WITHDRAWN", "absent too long") == await refusal(join())
    assert not other.done()


async def test_when_the_tournament_is_over_everybody_is_sent_home(arena: Any, join: Join) -> None:
    """Those that join later too, so that a bot which was restarted knows that it may stop."""
    call = await joined(join)
    arena.server.lobby.goodbye(Farewell.FINISHED, "over")
    late = await joined(join, bot="ben")
    assert [GOODBYE_REASON_FINISHED] * 2 == [(await told(each)).goodbye.reason for each in (call, late)]
    assert [grpc.aio.EOF] * 2 == [await each.read() for each in (call, late)]


async def test_when_the_server_stops_bots_may_try_again_later(arena: Any, join: Join) -> None:
    """Goodbye to those that are here, UNAVAILABLE to those that come."""
    call = await joined(join)
    arena.server.lobby.goodbye(Farewell.STOPPING, "back soon")
    assert GOODBYE_REASON_STOPPING == (await told(call)).goodbye.reason
    assert (grpc.StatusCode.UNAVAILABLE, "STOPPING", "back soon") == await refusal(join())


async def test_one_bot_cannot_fill_the_lobby(arena: Any, join: Join) -> None:
    """Its instances are limited, and another bot still gets in."""
    for _ in range(MAX_INSTANCES):
        await joined(join)
    assert (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_CONNECTIONS") == (await refusal(join()))[:2]
    await joined(join, bot="ben")
    assert MAX_INSTANCES + 1 == len(arena.server.lobby.instances())


async def test_what_the_arena_fails_of_is_not_told_to_clients(arena: Any, join: Join, monkeypatch: Any) -> None:
    """They learn that it was not their fault and may try again; paths and queries do not concern them."""

    async def fail(_: str) -> str:
        raise OSError("/secret/arena.db cannot be read")

    monkeypatch.setattr(arena.server.lobby._directory, "authenticate", fail)

    code, reason, message = await refusal(join())

    assert (grpc.StatusCode.UNAVAILABLE, "ARENA_FAILED") == (code, reason)
    assert "secret" not in message
