"""The lobby: which instances of which bots are here, and what each was told to play."""

from __future__ import annotations

import asyncio
import dataclasses
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from importlib import metadata
from typing import Final, Protocol

import grpc
import grpc.aio
import structlog
from google.protobuf.message import DecodeError

from kawuxing.runner.connection import Connection
from kawuxing.runner.status import Context, Refusal, abort, guarded, malformed, too_large
from kawuxing.v1 import fault_pb2, lobby_service_pb2
from kawuxing.v1.lobby_service_pb2 import Assignment, Cancelled, Goodbye, JoinRequest, JoinResponse, Welcome

SERVICE: Final = lobby_service_pb2.DESCRIPTOR.services_by_name["LobbyService"].full_name
PROTOCOL_VERSION: Final = 1
"""The one version of the protocol that this server speaks."""
MAX_REQUEST: Final = 64 * 1024
"""Bytes of the largest request with a token."""
MAX_CAPACITY: Final = 64
"""Most matches that one instance plays at once."""
MAX_CLIENT: Final = 128
"""Characters of the longest client name."""
MAX_INSTANCES: Final = 64
"""Most instances of one bot at once."""
MAX_AUTHENTICATIONS: Final = 4
"""Most tokens looked up at once: a flood of them must not take up the directory, or the threads that it works in."""

_INSTANCE_ID_BYTES: Final = 8

_log = structlog.get_logger(__name__)


class BotDirectory(Protocol):
    """Who may join."""

    async def authenticate(self, token: str) -> str | None:
        """Return the name of the bot whose token this is, None if it is nobody's."""
        ...


class Farewell(Enum):
    """Why the lobby sends everybody away."""

    FINISHED = lobby_service_pb2.GOODBYE_REASON_FINISHED
    """The tournament is over."""
    STOPPING = lobby_service_pb2.GOODBYE_REASON_STOPPING
    """The server is stopping, perhaps to start again."""


@dataclass(frozen=True, slots=True)
class Instance:
    """One connected instance of a bot."""

    id: str
    """Never used twice, not even after a restart."""
    bot: str
    capacity: int
    """How many matches it plays at once, 1 to 64."""


@dataclass(frozen=True, slots=True)
class LiveAssignment:
    """A match that a bot was told to play and that is neither over nor cancelled."""

    match_id: str
    bot: str
    instance_id: str | None
    """The instance that has it; None if that one is gone and no new one has come yet."""
    address: str
    ticket: str = dataclasses.field(repr=False)


class Lobby:
    """Signs bots in and tells them their matches. To be used from the thread of the server's loop only.

    It counts nobody's capacity: who has room for a match is for the caller's books to say.
    """

    def __init__(self, directory: BotDirectory, on_change: Callable[[], None] | None = None) -> None:
        """Let in the bots of ``directory``; ``on_change`` is called whenever an instance came or went."""
        self._directory = directory
        self._authenticating = asyncio.Semaphore(MAX_AUTHENTICATIONS)
        self._on_change = on_change
        self._connections: dict[Instance, Connection] = {}
        self._assignments: dict[tuple[str, str], LiveAssignment] = {}
        self._withdrawn: dict[str, str] = {}
        self._goodbye: Goodbye | None = None

    def instances(self) -> tuple[Instance, ...]:
        """Return the connected instances, in the order in which they joined."""
        return tuple(self._connections)

    def assignments(self) -> tuple[LiveAssignment, ...]:
        """Return what is assigned now, in the order in which it was assigned."""
        return tuple(self._assignments.values())

    def assign(self, match_id: str, bot: str, instance_id: str, address: str, ticket: str) -> None:
        """Tell an instance to play a match at ``address`` (empty: this server).

        If the instance has gone, the next one of this bot that joins is told. Raises ValueError if the bot was told to
        play this match already.
        """
        if (match_id, bot) in self._assignments:
            raise ValueError(f"bot {bot} was assigned match {match_id} already: expected its release first")
        here = any(instance.id == instance_id for instance in self._connections)
        assignment = LiveAssignment(match_id, bot, instance_id if here else None, address, ticket)
        self._assignments[match_id, bot] = assignment
        self._tell(assignment)

    def release(self, match_id: str, reason: str | None = None) -> None:
        """Forget the assignments of a match that is over (no reason) or will not be played now (Cancelled is sent)."""
        for key in [key for key in self._assignments if key[0] == match_id]:
            assignment = self._assignments.pop(key)
            if reason is not None:
                self._send(assignment.instance_id, JoinResponse(cancelled=Cancelled(match_id=match_id, reason=reason)))

    def withdraw(self, bot: str, message: str) -> None:
        """Send the bot away for good: Goodbye to its instances, refusal to whoever joins as it later."""
        self._withdrawn[bot] = message
        goodbye = Goodbye(reason=lobby_service_pb2.GOODBYE_REASON_WITHDRAWN, message=message)
        for instance, connection in self._connections.items():
            if instance.bot == bot:
                _say_goodbye(connection, goodbye)

    def goodbye(self, reason: Farewell, message: str) -> None:
        """Send everybody away, and those that join from now on too."""
        self._goodbye = Goodbye(reason=reason.value, message=message)
        for connection in self._connections.values():
            _say_goodbye(connection, self._goodbye)

    def handler(self) -> grpc.GenericRpcHandler:
        """Return what a server registers: Join on raw bytes, so that size and form are judged here."""
        join = grpc.unary_stream_rpc_method_handler(guarded(self._join))
        return grpc.method_handlers_generic_handler(SERVICE, {"Join": join})

    async def _join(self, data: bytes, context: Context) -> None:
        request = _parse(data)
        if isinstance(request, Refusal):
            await abort(context, request)
        async with self._authenticating:
            bot = await self._directory.authenticate(request.token)
        refusal = self._refuse(bot)
        if bot is None or refusal is not None:
            await abort(context, refusal or UNKNOWN_TOKEN)
        instance = Instance(secrets.token_hex(_INSTANCE_ID_BYTES), bot, request.capacity)
        connection = Connection(context)
        log = _log.bind(bot=bot, instance=instance.id)
        log.info("joined", capacity=instance.capacity, client=request.client, peer=context.peer())
        self._connections[instance] = connection
        self._welcome(instance, connection)
        refusal = None
        try:
            refusal = await connection.run()
        finally:
            del self._connections[instance]
            self._unbind(instance)
            log.info("left", reason=refusal.reason_name if refusal else "stream ended")
            self._changed()
        if refusal is not None:
            await abort(context, refusal)

    def _welcome(self, instance: Instance, connection: Connection) -> None:
        welcome = Welcome(
            server_version=metadata.version("kawuxing"),
            min_protocol_version=PROTOCOL_VERSION,
            max_protocol_version=PROTOCOL_VERSION,
            bot=instance.bot,
        )
        connection.send(JoinResponse(welcome=welcome).SerializeToString())
        if self._goodbye is not None:
            _say_goodbye(connection, self._goodbye)
        orphans = [
            key
            for key, assignment in self._assignments.items()
            if assignment.bot == instance.bot and assignment.instance_id is None
        ]
        # More than the instance's capacity would only be refused or played too slowly.
        for key in orphans[: instance.capacity]:
            assignment = dataclasses.replace(self._assignments[key], instance_id=instance.id)
            self._assignments[key] = assignment
            self._tell(assignment)
        self._changed()

    def _unbind(self, instance: Instance) -> None:
        for key, assignment in self._assignments.items():
            if assignment.instance_id == instance.id:
                self._assignments[key] = dataclasses.replace(assignment, instance_id=None)

    def _refuse(self, bot: str | None) -> Refusal | None:
        if bot is None:
            return UNKNOWN_TOKEN
        if bot in self._withdrawn:
            return Refusal(grpc.StatusCode.PERMISSION_DENIED, fault_pb2.ERROR_REASON_WITHDRAWN, self._withdrawn[bot])
        if self._goodbye is not None and self._goodbye.reason == lobby_service_pb2.GOODBYE_REASON_STOPPING:
            return Refusal(grpc.StatusCode.UNAVAILABLE, fault_pb2.ERROR_REASON_STOPPING, self._goodbye.message)
        if sum(instance.bot == bot for instance in self._connections) >= MAX_INSTANCES:
            return Refusal(
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                fault_pb2.ERROR_REASON_TOO_MANY_CONNECTIONS,
                f"bot {bot} is connected {MAX_INSTANCES} times: expected no more; close one first",
            )
        return None

    def _tell(self, assignment: LiveAssignment) -> None:
        message = Assignment(match_id=assignment.match_id, address=assignment.address, ticket=assignment.ticket)
        self._send(assignment.instance_id, JoinResponse(assignment=message))

    def _send(self, instance_id: str | None, message: JoinResponse) -> None:
        for instance, connection in self._connections.items():
            if instance.id == instance_id:
                connection.send(message.SerializeToString())

    def _changed(self) -> None:
        if self._on_change is not None:
            self._on_change()


UNKNOWN_TOKEN: Final = Refusal(
    grpc.StatusCode.UNAUTHENTICATED,
    fault_pb2.ERROR_REASON_UNKNOWN_TOKEN,
    "the token is unknown to this arena: ask its organiser for one",
)
"""How every call with a token ends that is nobody's."""


def _parse(data: bytes) -> JoinRequest | Refusal:
    if len(data) > MAX_REQUEST:
        return too_large(len(data), MAX_REQUEST)
    try:
        request = JoinRequest.FromString(data)
    except DecodeError:
        return malformed("a kawuxing.v1.JoinRequest")
    if request.protocol_version != PROTOCOL_VERSION:
        return Refusal(
            grpc.StatusCode.FAILED_PRECONDITION,
            fault_pb2.ERROR_REASON_UNSUPPORTED_PROTOCOL,
            f"protocol_version is {request.protocol_version}: expected {PROTOCOL_VERSION}",
        )
    if not 1 <= request.capacity <= MAX_CAPACITY:
        return _invalid(f"capacity is {request.capacity}: expected 1 to {MAX_CAPACITY}")
    if len(request.client) > MAX_CLIENT:
        return _invalid(f"client has {len(request.client)} characters: expected at most {MAX_CLIENT}")
    return request


def _invalid(message: str) -> Refusal:
    return Refusal(grpc.StatusCode.INVALID_ARGUMENT, fault_pb2.ERROR_REASON_INVALID_FIELD, message)


def _say_goodbye(connection: Connection, goodbye: Goodbye) -> None:
    connection.send(JoinResponse(goodbye=goodbye).SerializeToString())
    connection.finish()
