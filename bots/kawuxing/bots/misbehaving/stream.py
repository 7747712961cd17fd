"""One Play stream on which a client can say whatever it likes."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import grpc.aio

from kawuxing.v1.table_service_pb2 import Decision, Hello, PlayRequest, PlayResponse

PLAY: Final = "/kawuxing.v1.TableService/Play"


class Stream:
    """The client's end of a Play stream: messages are read, bytes are sent."""

    def __init__(self, channel: Any) -> None:
        """Open the stream on a channel, in the event loop that uses it."""
        self._call = channel.stream_stream(PLAY, response_deserializer=PlayResponse.FromString)()
        self.open = True
        """Whether this end has not hung up."""

    async def send(self, data: bytes) -> None:
        """Write a message, unless the stream ended well. Raises AioRpcError if it ended badly."""
        try:
            await self._call.write(data)
        except asyncio.InvalidStateError:
            # All that grpc says of a stream that is over; a read says how it ended.
            await self._call.read()
            self.open = False

    async def read(self) -> PlayResponse | None:
        """Return the next message, None at a good end. Raises AioRpcError at a bad one."""
        message = await self._call.read()
        return None if message is grpc.aio.EOF else message

    async def close(self) -> None:
        """Say that nothing more will be sent."""
        await self._call.done_writing()

    def hang_up(self) -> None:
        """End the stream at once."""
        self.open = False
        self._call.cancel()


def hello(ticket: str) -> bytes:
    """Return a Hello."""
    return PlayRequest(hello=Hello(ticket=ticket)).SerializeToString()


def answer(decision_id: int, choice: int) -> bytes:
    """Return a Decision."""
    return PlayRequest(decision=Decision(decision_id=decision_id, choice=choice)).SerializeToString()
