"""The server's end of a stream, against a client that is only pretended."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc
import grpc.aio
import pytest

from kawuxing.runner import connection as connection_module
from kawuxing.runner.connection import MAX_QUEUED, Connection
from kawuxing.runner.status import Refusal
from kawuxing.v1.fault_pb2 import ERROR_REASON_SUPERSEDED

REFUSAL = Refusal(grpc.StatusCode.ABORTED, ERROR_REASON_SUPERSEDED, "expected one")


class _Client:
    """A context whose client sends what is put into ``incoming`` and reads while ``reads`` is set."""

    def __init__(self) -> None:
        self.incoming: asyncio.Queue[Any] = asyncio.Queue()
        self.reads = asyncio.Event()
        self.reads.set()
        self.got: list[bytes] = []
        self.gone = False

    async def read(self) -> Any:
        return await self.incoming.get()

    async def write(self, data: bytes) -> None:
        await self.reads.wait()
        if self.gone:
            raise grpc.aio.UsageError("the call is over")
        self.got.append(data)

    def peer(self) -> str:
        return "test"


def take(_: bytes) -> None:
    return None


async def test_everything_sent_is_written_in_order_before_the_end() -> None:
    """Finishing lets the queue run empty first."""
    client = _Client()
    connection = Connection(client)
    for number in range(5):
        connection.send(bytes([number]))
    connection.finish()
    connection.send(b"too late")
    assert (None, [bytes([number]) for number in range(5)]) == (await connection.run(take), client.got)


async def test_a_client_that_does_not_read_loses_its_stream_and_nobody_waits() -> None:
    """Sending never blocks; too much in the queue ends the stream with NOT_READING."""
    client = _Client()
    client.reads.clear()
    connection = Connection(client)
    run = asyncio.ensure_future(connection.run(take))
    for _ in range(MAX_QUEUED // 1024 + 2):
        connection.send(b"x" * 1024)
    refusal = await run
    assert ("NOT_READING", []) == (refusal and refusal.reason_name, client.got)


async def test_a_client_that_does_not_read_the_last_message_loses_its_stream_in_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A stream that finishes is given up after FINISH_TIME, however little waits to be read."""
    monkeypatch.setattr(connection_module, "FINISH_TIME", 0.01)
    client = _Client()
    client.reads.clear()
    connection = Connection(client)
    connection.send(b"the last word")
    connection.finish()
    refusal = await connection.run(take)
    assert ("NOT_READING", []) == (refusal and refusal.reason_name, client.got)


async def test_dropping_ends_the_stream_at_once() -> None:
    """Whatever is still queued."""
    client = _Client()
    client.reads.clear()
    connection = Connection(client)
    run = asyncio.ensure_future(connection.run(take))
    connection.send(b"x")
    await asyncio.sleep(0)
    connection.drop(REFUSAL)
    assert (REFUSAL, []) == (await run, client.got)


async def test_a_refusal_of_what_was_read_ends_the_stream() -> None:
    """And nothing more is read."""
    client = _Client()
    read: list[bytes] = []

    def refuse(data: bytes) -> Refusal:
        read.append(data)
        return REFUSAL

    client.incoming.put_nowait(b"1")
    client.incoming.put_nowait(b"2")
    assert (REFUSAL, [b"1"]) == (await Connection(client).run(refuse), read)


async def test_a_client_that_leaves_ends_the_stream_well() -> None:
    """By closing its side, or by being gone when something is written."""
    client = _Client()
    client.incoming.put_nowait(grpc.aio.EOF)
    assert await Connection(client).run(take) is None
    client.gone = True
    connection = Connection(client)
    connection.send(b"x")
    assert await connection.run(take) is None


async def test_what_breaks_while_a_message_is_taken_is_raised_to_the_handler() -> None:
    """An error of the arena's own does not vanish in a task."""
    client = _Client()
    client.incoming.put_nowait(b"1")

    def broken(_: bytes) -> Refusal | None:
        raise LookupError("broken")

    with pytest.raises(LookupError, match="broken"):
        await Connection(client).run(broken)


async def test_a_cancelled_handler_leaves_no_task_behind() -> None:
    """CancelledError goes on, and reader and writer end."""
    before = asyncio.all_tasks()
    run = asyncio.ensure_future(Connection(_Client()).run(take))
    await asyncio.sleep(0)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    await asyncio.sleep(0)
    assert before == asyncio.all_tasks()
