"""The bot's stay in the lobby: joins, plays what it is assigned, and joins again whenever the connection is lost."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Final

import grpc
import structlog

from kawuxing.bots.backoff import Backoff
from kawuxing.bots.channel import error_reason, open_channel
from kawuxing.bots.errors import CredentialsError, IncompatibleError
from kawuxing.bots.outage import Outage
from kawuxing.bots.table import DialogueFactory, Ending, TableClient
from kawuxing.v1 import fault_pb2, lobby_service_pb2, lobby_service_pb2_grpc

PROTOCOL_VERSION: Final = 1
_LAST_MESSAGES: Final = 5.0
"""Seconds for the last messages of matches that are just ending, after the lobby said that all is over."""
_DONE: Final = (lobby_service_pb2.GOODBYE_REASON_FINISHED, lobby_service_pb2.GOODBYE_REASON_WITHDRAWN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """Where a bot plays, as whom, and how much."""

    address: str
    """``host:port`` of the arena."""
    token: str
    capacity: int
    """Matches at once."""
    matches: int
    """Matches to play before stopping; 0 for as many as there are."""
    client: str
    """Name and version of the client, for the arena's logs."""


class LobbyClient:
    """Plays every match that the lobby assigns to this instance of a bot."""

    def __init__(self, connection: Connection, open_dialogue: DialogueFactory) -> None:
        """Prepare; :meth:`run` does it all. Call within the event loop."""
        self._connection = connection
        self._open_dialogue = open_dialogue
        self._channels: dict[str, Any] = {}
        # By their tickets: a voided match comes back with another one, perhaps before its last attempt is left.
        self._tables: dict[str, asyncio.Task[None]] = {}
        self._begun = 0
        self._ended = 0
        self._stop: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._log = structlog.get_logger("kawuxing.bots").bind(address=connection.address)

    async def run(self) -> None:
        """Play until the tournament is over, the bot is withdrawn, or it has played as many matches as it was to.

        Raises CredentialsError if the arena refuses the bot, IncompatibleError if the two do not understand each other,
        BotStartError if the bot cannot be made.
        """
        lobby = asyncio.create_task(self._stay())
        try:
            await asyncio.wait((lobby, self._stop), return_when=asyncio.FIRST_COMPLETED)
            if lobby.done():
                lobby.result()
                if self._tables:
                    await asyncio.wait(self._tables.values(), timeout=_LAST_MESSAGES)
            if self._stop.done():
                self._stop.result()
        finally:
            await self._close(lobby)

    async def _close(self, lobby: asyncio.Task[None]) -> None:
        tasks = [lobby, *self._tables.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for channel in self._channels.values():
            await channel.close()
        if not self._stop.done():
            self._stop.cancel()

    async def _stay(self) -> None:
        """Join, and join again, until the lobby says goodbye for good."""
        backoff = Backoff()
        outage = Outage(self._connection.address, self._log)
        stub = lobby_service_pb2_grpc.LobbyServiceStub(self._channel(self._connection.address))
        while True:
            call = stub.Join(
                lobby_service_pb2.JoinRequest(
                    token=self._connection.token,
                    capacity=self._connection.capacity,
                    protocol_version=PROTOCOL_VERSION,
                    client=self._connection.client,
                )
            )
            try:
                if await self._listen(call, backoff, outage):
                    return
                self._log.info("the lobby closed the stream; joining again")
            except grpc.aio.AioRpcError as error:
                if self._is_final(error):
                    return
                await outage.tell(error)
            finally:
                call.cancel()
            await asyncio.sleep(backoff.pause().total_seconds())

    async def _listen(self, call: Any, backoff: Backoff, outage: Outage) -> bool:
        """Do as the lobby says until its stream ends; return whether all is over."""
        while (message := await call.read()) is not grpc.aio.EOF:
            match message.WhichOneof("response"):
                case "welcome":
                    backoff.reset()
                    outage.over()
                    self._log.info("joined", bot=message.welcome.bot, server=message.welcome.server_version)
                case "assignment":
                    self._sit_down(message.assignment)
                case "cancelled":
                    self._log.info("match cancelled", match=message.cancelled.match_id, reason=message.cancelled.reason)
                    for table in self._tables.values():
                        if table.get_name() == message.cancelled.match_id:
                            table.cancel()
                case "goodbye":
                    self._log.info("the lobby said goodbye", reason=message.goodbye.message)
                    if message.goodbye.reason == lobby_service_pb2.GOODBYE_REASON_WITHDRAWN:
                        self._log.warning("the bot was withdrawn from the tournament", reason=message.goodbye.message)
                    return message.goodbye.reason in _DONE
                case _:
                    self._log.debug("skipped a message unknown to this version")
        return False

    def _is_final(self, error: Any) -> bool:
        """Return whether a failed Join means that all is over; raise if trying again is of no use."""
        match error_reason(error):
            case fault_pb2.ERROR_REASON_WITHDRAWN:
                self._log.warning("the bot was withdrawn from the tournament", reason=error.details())
                return True
            case fault_pb2.ERROR_REASON_UNKNOWN_TOKEN | fault_pb2.ERROR_REASON_INVALID_FIELD:
                raise CredentialsError(f"the arena at {self._connection.address} refuses this bot: {error.details()}")
            case fault_pb2.ERROR_REASON_UNSUPPORTED_PROTOCOL:
                raise IncompatibleError(f"the arena at {self._connection.address} is of another age: {error.details()}")
        if error.code() is grpc.StatusCode.UNIMPLEMENTED:
            raise CredentialsError(
                f"what answers at {self._connection.address} is no Kawuxing arena: {error.details()}"
            )
        return False

    def _sit_down(self, assignment: lobby_service_pb2.Assignment) -> None:
        limit = self._connection.matches
        if assignment.ticket in self._tables or (limit and self._begun >= limit):
            return
        self._begun += 1
        channel = self._channel(assignment.address or self._connection.address)
        dialogue = self._open_dialogue(assignment.match_id)
        client = TableClient(channel, assignment.match_id, assignment.ticket, dialogue)
        self._tables[assignment.ticket] = asyncio.create_task(self._play(client, assignment), name=assignment.match_id)

    async def _play(self, client: TableClient, assignment: lobby_service_pb2.Assignment) -> None:
        ending = Ending.LOST
        try:
            ending = await client.play()
        except Exception as error:  # noqa: BLE001  (given to run, which raises it)
            if not self._stop.done():
                self._stop.set_exception(error)
        finally:
            del self._tables[assignment.ticket]
            self._count(sat_down=client.sat_down)
        self._log.info("left", match=assignment.match_id, ending=ending.value)

    def _count(self, *, sat_down: bool) -> None:
        """Count a match that was begun, unless it was over before it began for this client."""
        if not sat_down:
            self._begun -= 1
            return
        self._ended += 1
        if self._ended == self._connection.matches and not self._stop.done():
            self._stop.set_result(None)

    def _channel(self, address: str) -> Any:
        if address not in self._channels:
            self._channels[address] = open_channel(address)
        return self._channels[address]
