"""The stay of a misbehaving bot in the lobby."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from importlib import import_module
from typing import Any, Final

import grpc
import grpc.aio
import structlog

from kawuxing.bots.backoff import Backoff
from kawuxing.bots.channel import error_text, open_channel
from kawuxing.bots.errors import CredentialsError
from kawuxing.bots.lobby import PROTOCOL_VERSION, Connection
from kawuxing.bots.misbehaving import VICES
from kawuxing.bots.misbehaving.vice import Vice
from kawuxing.v1 import lobby_service_pb2, lobby_service_pb2_grpc

_GOODBYE: Final = (lobby_service_pb2.GOODBYE_REASON_FINISHED, lobby_service_pb2.GOODBYE_REASON_WITHDRAWN)

_log = structlog.get_logger(__name__)


def vice(name: str) -> type[Vice]:
    """Return the class of a vice. Raises KeyError if there is none of this name."""
    module, class_name, _ = VICES[name]
    found: type[Vice] = getattr(import_module(f"kawuxing.bots.misbehaving.{module}"), class_name)
    return found


def play_as(name: str) -> Callable[[Connection], Coroutine[Any, Any, None]]:
    """Return what plays on a connection as the misbehaving bot of this name."""

    async def play(connection: Connection) -> None:
        await MisbehavingClient(connection, vice(name)).run()

    return play


class MisbehavingClient:
    """Joins as often as its vice has it, and gives every match that is assigned to the vice."""

    def __init__(self, connection: Connection, vice: type[Vice]) -> None:
        """Prepare; :meth:`run` does it all. Call within the event loop."""
        self._connection = connection
        self._vice = vice
        self._matches: dict[str, asyncio.Task[None]] = {}
        self._ended = 0
        self._stays: list[asyncio.Task[None]] = []

    async def run(self) -> None:
        """Play until the lobby says goodbye for good, or as many matches as the connection has.

        Raises CredentialsError if the lobby refuses this bot.
        """
        channel: Any = open_channel(self._connection.address)
        self._stays = [asyncio.create_task(self._stay(channel)) for _ in range(self._vice.instances)]
        try:
            await asyncio.wait(self._stays, return_when=asyncio.FIRST_EXCEPTION)
            for stay in self._stays:
                if stay.done() and not stay.cancelled():
                    stay.result()
        finally:
            tasks = [*self._stays, *self._matches.values()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await channel.close()

    async def _stay(self, channel: Any) -> None:
        connection = self._connection
        stub = lobby_service_pb2_grpc.LobbyServiceStub(channel)
        backoff = Backoff()
        while True:
            call = stub.Join(
                lobby_service_pb2.JoinRequest(
                    token=connection.token,
                    capacity=connection.capacity,
                    protocol_version=PROTOCOL_VERSION,
                    client=connection.client,
                )
            )
            try:
                if await self._listen(call):
                    return
            except grpc.aio.AioRpcError as error:
                if error.code() is not grpc.StatusCode.UNAVAILABLE:
                    raise CredentialsError(
                        f"the arena at {connection.address} refuses this bot: {error_text(error)}"
                    ) from error
            finally:
                call.cancel()
            await asyncio.sleep(backoff.pause().total_seconds())

    async def _listen(self, call: Any) -> bool:
        """Do as the lobby says until its stream ends; return whether all is over."""
        while (message := await call.read()) is not grpc.aio.EOF:
            match message.WhichOneof("response"):
                case "assignment":
                    self._sit_down(message.assignment)
                case "cancelled":
                    if match := self._matches.get(message.cancelled.match_id):
                        match.cancel()
                case "goodbye":
                    return message.goodbye.reason in _GOODBYE
        return False

    def _sit_down(self, assignment: lobby_service_pb2.Assignment) -> None:
        if assignment.match_id not in self._matches:
            vice = self._vice(assignment.address or self._connection.address, assignment.ticket)
            task = asyncio.create_task(vice.play())
            task.add_done_callback(partial(self._end, assignment.match_id))
            self._matches[assignment.match_id] = task

    def _end(self, match_id: str, task: asyncio.Task[None]) -> None:
        del self._matches[match_id]
        error = None if task.cancelled() else task.exception()
        if error is not None:
            _log.warning("left the table", match=match_id, error=str(error))
        self._ended += 1
        if self._ended == self._connection.matches:
            for stay in self._stays:
                stay.cancel()
