"""One match over TableService.Play, through any number of lost connections."""

from __future__ import annotations

import asyncio
import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from datetime import timedelta
from enum import StrEnum
from typing import Any, Final

import grpc
import structlog

from kawuxing.bots.backoff import Backoff
from kawuxing.bots.channel import error_reason, error_text
from kawuxing.v1 import fault_pb2, table_service_pb2, table_service_pb2_grpc

GIVE_UP_AFTER: Final = timedelta(minutes=2)
"""How long a table may be out of reach before the match is left; the lobby assigns it again if it still lives."""

_OVER: Final = {
    fault_pb2.ERROR_REASON_UNKNOWN_TICKET,
    fault_pb2.ERROR_REASON_SUPERSEDED,
    fault_pb2.ERROR_REASON_TOO_MANY_CONNECTIONS,
    fault_pb2.ERROR_REASON_WITHDRAWN,
}
"""Reasons after which coming back is of no use."""


class Ending(StrEnum):
    """How a match ended for this client."""

    PLAYED = "played"
    VOIDED = "voided"
    LOST = "lost"
    """The table is gone, out of reach, or has another client in this seat."""


class Dialogue(ABC):
    """One entrant's side of a match: what is answered to the table, whatever stream its messages come on."""

    mode: table_service_pb2.ObservationMode.ValueType
    """How the entrant wants to be told what happened."""

    @abstractmethod
    async def hear(self, message: table_service_pb2.PlayResponse) -> table_service_pb2.Decision | None:
        """Take in a message and return what to answer, None for nothing.

        Raises BotStartError if the bot cannot be made, IncompatibleError if the arena says what this version does not
        know.
        """

    @abstractmethod
    async def close(self) -> None:
        """Give back what the match needed. Called once, however the match ended."""


DialogueFactory = Callable[[str], Dialogue]
"""Opens the dialogue of the match with this id."""


class TableClient:
    """Plays one entrant's part of one match."""

    def __init__(self, channel: Any, match_id: str, ticket: str, dialogue: Dialogue) -> None:
        """Prepare to sit down at the table behind ``channel`` with this ticket."""
        self._stub = table_service_pb2_grpc.TableServiceStub(channel)
        self._ticket = ticket
        self._dialogue = dialogue
        self._sat_down = False
        self._in_touch = False
        self._backoff = Backoff()
        self._log = structlog.get_logger("kawuxing.bots").bind(match=match_id)

    @property
    def sat_down(self) -> bool:
        """Whether the match has begun for this client."""
        return self._sat_down

    async def play(self) -> Ending:
        """Play until the match is over, and close the dialogue.

        Raises what the dialogue raises.
        """
        try:
            return await self._play()
        finally:
            await self._dialogue.close()

    async def _play(self) -> Ending:
        loop = asyncio.get_running_loop()
        reached = loop.time()
        while True:
            self._in_touch = False
            call = self._stub.Play()
            try:
                ending = await self._converse(call)
            except grpc.aio.AioRpcError as error:
                if error_reason(error) in _OVER:
                    self._log.info("left the table", status=error_text(error))
                    return Ending.LOST
                self._log.info("lost the table", status=error_text(error))
                if self._in_touch or error.code() is not grpc.StatusCode.UNAVAILABLE:
                    reached = loop.time()
            else:
                if ending is not None:
                    return ending
                self._log.info("the table closed the stream")
                reached = loop.time()
            finally:
                call.cancel()
            if loop.time() - reached > GIVE_UP_AFTER.total_seconds():
                self._log.warning("gave up a table out of reach")
                return Ending.LOST
            await asyncio.sleep(self._backoff.pause().total_seconds())

    async def _converse(self, call: Any) -> Ending | None:
        """Talk on one stream until it ends; None if it ended before the match."""
        hello = table_service_pb2.Hello(ticket=self._ticket, observation_mode=self._dialogue.mode)
        await call.write(table_service_pb2.PlayRequest(hello=hello))
        while (message := await call.read()) is not grpc.aio.EOF:
            decision = await self._dialogue.hear(message)
            if decision is not None:
                # All that grpc says of a stream that ended while the bot was thinking; the next read says how.
                with contextlib.suppress(asyncio.InvalidStateError):
                    await call.write(table_service_pb2.PlayRequest(decision=decision))
            match message.WhichOneof("response"):
                case "match_start":
                    self._sat_down = self._in_touch = True
                    self._backoff.reset()
                case "match_end":
                    self._log.info("the match is over", record_sha256=message.match_end.record_sha256)
                    return Ending.PLAYED
                case "match_voided":
                    self._log.info("the match was voided", reason=message.match_voided.reason)
                    return Ending.VOIDED
                case None:
                    self._log.debug("skipped a message unknown to this version")
        return None
