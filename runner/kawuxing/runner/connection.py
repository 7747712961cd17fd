"""One open stream to a bot: a bounded queue of what is still to be written, and how the stream ends.

Nobody who sends ever waits: a client that does not read fills its queue and loses its stream, and nothing else happens.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final

import grpc
import grpc.aio

from kawuxing.runner.status import Context, Refusal
from kawuxing.v1 import fault_pb2

MAX_QUEUED: Final = 256 * 1024
"""Bytes that may wait to be written to one stream. gRPC itself holds some more."""
FINISH_TIME: Final = 10.0
"""Seconds in which a client has to read the last messages of a stream."""

Receive = Callable[[bytes], Refusal | None]
"""Takes a message that was read; a refusal ends the stream."""


class Connection:
    """The server's end of one stream. To be used from its event loop only."""

    def __init__(self, context: Context) -> None:
        """Wrap the stream of a handler's context, which then has to await :meth:`run`."""
        self._context = context
        self._loop = asyncio.get_running_loop()
        self._queue: deque[bytes] = deque()
        self._queued = 0
        self._wake: asyncio.Future[None] | None = None
        self._finishing = False
        self._deadline: asyncio.TimerHandle | None = None
        self._last_word: Refusal | None = None
        self._ended: asyncio.Future[Refusal | None] = self._loop.create_future()

    @property
    def peer(self) -> str:
        """The client's address, for logs."""
        return str(self._context.peer())

    @property
    def open(self) -> bool:
        """Whether what is sent now can still be written."""
        return not (self._finishing or self._ended.done())

    def send(self, frame: bytes) -> None:
        """Queue a message; if too much is waiting already, the stream ends instead. Dropped once it is ending."""
        if not self.open:
            return
        self._queue.append(frame)
        self._queued += len(frame)
        if self._queued > MAX_QUEUED:
            self._drop_unread()
            return
        self._wake_writer()

    def finish(self, refusal: Refusal | None = None) -> None:
        """End the stream once what is queued has been written, well or with ``refusal``, or after FINISH_TIME."""
        if self.open:
            self._finishing = True
            self._deadline = self._loop.call_later(FINISH_TIME, self._drop_unread)
            self._last_word = refusal
            self._wake_writer()

    def drop(self, refusal: Refusal | None) -> None:
        """End the stream at once, whatever is still queued."""
        if not self._ended.done():
            self._queue.clear()
            self._ended.set_result(refusal)

    async def run(self, receive: Receive | None = None) -> Refusal | None:
        """Read and write until the stream ends; without ``receive`` nothing is read.

        Returns with what the handler has to abort the call; None if the client is gone or the stream ended well.
        """
        tasks = [self._loop.create_task(self._guard(self._write))]
        if receive is not None:
            tasks.append(self._loop.create_task(self._guard(partial(self._read, receive))))
        try:
            return await self._ended
        finally:
            # A call that ends from outside cancels this await, and with it the future.
            self._queue.clear()
            if self._deadline is not None:
                self._deadline.cancel()
            for task in tasks:
                task.cancel()

    def _drop_unread(self) -> None:
        self.drop(
            Refusal(
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                fault_pb2.ERROR_REASON_NOT_READING,
                f"{self._queued} bytes wait to be read: expected the client to read what it is sent",
            )
        )

    async def _guard(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        # What goes wrong in a task is raised where the handler waits.
        try:
            await work()
        except grpc.aio.BaseError:
            self.drop(None)  # The client is gone, or going.
        except Exception as error:  # noqa: BLE001
            if not self._ended.done():
                self._ended.set_exception(error)

    async def _read(self, receive: Receive) -> None:
        read = self._context.read
        while (data := await read()) is not grpc.aio.EOF:
            refusal = receive(data)
            if refusal is not None:
                self.drop(refusal)
                return
        self.drop(None)

    async def _write(self) -> None:
        write, queue = self._context.write, self._queue
        while True:
            while queue:
                frame = queue.popleft()
                self._queued -= len(frame)
                await write(frame)
            if self._finishing:
                self.drop(self._last_word)
                return
            self._wake = self._loop.create_future()
            await self._wake
            self._wake = None

    def _wake_writer(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)
