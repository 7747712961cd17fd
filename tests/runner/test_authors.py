"""Reports for authors over real gRPC: who gets them, and what a client can do wrong."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from types import SimpleNamespace
from typing import Any

import grpc
import grpc.aio
import pytest
import pytest_asyncio
from google.rpc import error_details_pb2, status_pb2

from kawuxing.runner import authors
from kawuxing.runner.authors import MAX_READERS, Authors
from kawuxing.runner.server import ArenaServer
from kawuxing.runner.testing import Tokens
from kawuxing.v1 import author_service_pb2_grpc
from kawuxing.v1.author_service_pb2 import BotReport, GetReportsRequest

TOURNAMENTS = {"ada": ("summer", "spring"), "ben": ("spring",), "cyd": ()}


class _Reports:
    """Reports that only name bot and tournament."""

    async def tournaments(self, bot: str) -> Sequence[str]:
        return TOURNAMENTS[bot]

    async def report(self, bot: str, tournament: str) -> BotReport:
        return BotReport(bot=bot, tournament=tournament)


class _Desk:
    """A server with reports, and a channel to it."""

    def __init__(self) -> None:
        self.server = ArenaServer(Tokens("ada", "ben", "cyd"), reports=_Reports())
        self.channel: Any = None

    def ask(self, bot: str) -> Any:
        stub: Any = author_service_pb2_grpc.AuthorServiceStub(self.channel)
        return stub.GetReports(GetReportsRequest(token=bot[::-1]))


@pytest_asyncio.fixture
async def desk() -> AsyncIterator[_Desk]:
    """A server that knows the bots ada, ben and cyd."""
    desk = _Desk()
    address = await desk.server.start()
    async with grpc.aio.insecure_channel(address) as desk.channel:
        yield desk
    await desk.server.stop(0)


async def told(call: Any) -> list[tuple[str, str]]:
    """Read a call to its end; return bot and tournament of each report."""
    return [(response.report.bot, response.report.tournament) async for response in call]


async def refusal(call: Any) -> tuple[grpc.StatusCode, str]:
    """Return the code and the reason with which a call was refused."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await told(call)
    status = status_pb2.Status.FromString(dict(caught.value.trailing_metadata())["grpc-status-details-bin"])
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    return caught.value.code(), info.reason


async def test_the_token_decides_whose_reports_are_told(desk: _Desk) -> None:
    """Each author gets a report for each tournament of its own bot, in the order of the arena."""
    assert [
        [("ada", "summer"), ("ada", "spring")],
        [("ben", "spring")],
        [],
    ] == [await told(desk.ask(bot)) for bot in ("ada", "ben", "cyd")]


@pytest.mark.parametrize("bot", ["eve", ""])
async def test_a_token_that_is_nobodys_is_refused_as_in_the_lobby(desk: _Desk, bot: str) -> None:
    """Nothing is told."""
    assert (grpc.StatusCode.UNAUTHENTICATED, "UNKNOWN_TOKEN") == await refusal(desk.ask(bot))


async def test_the_author_of_a_withdrawn_bot_is_told_all_the_same(desk: _Desk) -> None:
    """It is then that a report is needed."""
    desk.server.lobby.withdraw("ben", "absent")

    assert [("ben", "spring")] == await told(desk.ask("ben"))


@pytest.mark.parametrize(
    ("data", "code", "reason"),
    [
        (b"\xff\xff", grpc.StatusCode.INVALID_ARGUMENT, "MALFORMED_MESSAGE"),
        (b"\x0a\xf0\xa2\x04" + b"x" * 70_000, grpc.StatusCode.RESOURCE_EXHAUSTED, "MESSAGE_TOO_LARGE"),
    ],
)
async def test_a_request_that_is_none_is_refused(desk: _Desk, data: bytes, code: grpc.StatusCode, reason: str) -> None:
    """Garbage, or too much of it."""
    call = desk.channel.unary_stream("/kawuxing.v1.AuthorService/GetReports")(data)

    assert (code, reason) == await refusal(call)


class _Reader:
    """The context of a call whose client reads when it is let."""

    def __init__(self) -> None:
        self.written = asyncio.Event()
        self.reads = asyncio.Event()
        self.code: grpc.StatusCode | None = None

    def peer(self) -> str:
        return "somewhere"

    async def write(self, _: bytes) -> None:
        self.written.set()
        await self.reads.wait()

    async def abort(self, code: grpc.StatusCode, *_: object) -> None:
        self.code = code
        raise grpc.aio.AbortError


def asking(desk: Authors, bot: str, reader: _Reader) -> asyncio.Task[None]:
    """Call GetReports as gRPC does."""
    called = SimpleNamespace(method="/kawuxing.v1.AuthorService/GetReports")
    get_reports = desk.handler().service(called).unary_stream
    return asyncio.create_task(get_reports(GetReportsRequest(token=bot[::-1]).SerializeToString(), reader))


async def test_one_author_cannot_take_up_the_desk() -> None:
    """Calls of one bot are limited, while another's is answered; once they end, there is room again."""
    desk = Authors(Tokens("ada", "ben"), _Reports())
    readers = [_Reader() for _ in range(MAX_READERS)]
    calls = [asking(desk, "ada", reader) for reader in readers]
    for reader in readers:
        await reader.written.wait()
    one_more, other, again = _Reader(), _Reader(), _Reader()
    with pytest.raises(grpc.aio.AbortError):
        await asking(desk, "ada", one_more)
    assert grpc.StatusCode.RESOURCE_EXHAUSTED is one_more.code

    for reader in (other, again, *readers):
        reader.reads.set()
    await asking(desk, "ben", other)
    await asyncio.gather(*calls)
    await asking(desk, "ada", again)
    assert (True, None) == (again.written.is_set(), again.code)


async def test_a_client_that_does_not_read_is_sent_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the connection does not take up is not kept waiting for ever."""
    monkeypatch.setattr(authors, "READ_TIME", 0.01)
    reader = _Reader()
    with pytest.raises(grpc.aio.AbortError):
        await asking(Authors(Tokens("ada"), _Reports()), "ada", reader)

    assert grpc.StatusCode.RESOURCE_EXHAUSTED is reader.code


async def test_a_server_without_reports_has_no_such_service() -> None:
    """A client learns that it asks the wrong one."""
    server = ArenaServer(Tokens("ada"))
    address = await server.start()
    async with grpc.aio.insecure_channel(address) as channel:
        stub: Any = author_service_pb2_grpc.AuthorServiceStub(channel)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await told(stub.GetReports(GetReportsRequest(token="ada"[::-1])))
    await server.stop(0)

    assert grpc.StatusCode.UNIMPLEMENTED == caught.value.code()
