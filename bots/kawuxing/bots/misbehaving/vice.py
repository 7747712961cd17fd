"""What the misbehaving bots share at a table: they sit down and play like ``random`` up to their first misdeed."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import grpc
import grpc.aio

from kawuxing.bots.backoff import Backoff
from kawuxing.bots.bot import decision_random
from kawuxing.bots.channel import error_reason, open_channel
from kawuxing.bots.misbehaving.stream import Stream, answer, hello
from kawuxing.v1 import fault_pb2
from kawuxing.v1.table_service_pb2 import DecisionRequest

FIRST_MISDEED: Final = 5
"""The decision at which misbehaving begins."""


class Vice(ABC):
    """One match of a bot that misbehaves in one way."""

    instances: ClassVar[int] = 1
    """How often this bot joins."""

    def __init__(self, address: str, ticket: str) -> None:
        """Prepare to sit down at the table at ``host:port``. Call within the event loop."""
        self.address = address
        self.ticket = ticket

    @abstractmethod
    async def play(self) -> None:
        """Play until the match is over for this bot."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a bot is asked, and where."""

    stream: Stream
    number: int
    """The decision's id."""
    choices: int
    """How many actions are legal."""
    good_answer: bytes
    """What a bot that behaves would send."""


class StreamVice(Vice):
    """A match played on one stream after the other, until it is over or the table takes this bot back no more."""

    leaves_for: ClassVar[frozenset[int]] = frozenset(
        {
            fault_pb2.ERROR_REASON_UNKNOWN_TICKET,
            fault_pb2.ERROR_REASON_TOO_MANY_CONNECTIONS,
            fault_pb2.ERROR_REASON_SUPERSEDED,
        }
    )
    """The reasons for which it does not come back."""

    def __init__(self, address: str, ticket: str) -> None:
        """Prepare to sit down."""
        super().__init__(address, ticket)
        self._seed = b""

    @abstractmethod
    async def misbehave(self, question: Question) -> None:
        """Do to a question what this bot does."""

    async def end_hand(self, stream: Stream) -> None:
        """Take note that a hand is over."""

    async def play(self) -> None:
        """Play until the match is over for this bot."""
        channel: Any = open_channel(self.address)
        try:
            await self.play_on(channel)
        finally:
            await channel.close()

    async def play_on(self, channel: Any) -> None:
        """Play as :meth:`play` does, on an open channel."""
        backoff = Backoff()
        while True:
            stream = Stream(channel)
            try:
                if await self.talk(stream):
                    return
            except grpc.aio.AioRpcError as error:
                if error_reason(error) in self.leaves_for:
                    return
                if error.code() is grpc.StatusCode.UNAVAILABLE:
                    await asyncio.sleep(backoff.pause().total_seconds())
            finally:
                stream.hang_up()

    async def talk(self, stream: Stream) -> bool:
        """Play on one stream until it ends; return whether that was the end of the match.

        Raises AioRpcError if the stream ends badly.
        """
        await stream.send(hello(self.ticket))
        while stream.open and (message := await stream.read()) is not None:
            match message.WhichOneof("response"):
                case "match_start":
                    self._seed = message.match_start.bot_seed
                case "decision_request":
                    await self._take(stream, message.decision_request)
                case "hand_end":
                    await self.end_hand(stream)
                case "match_end" | "match_voided":
                    return True
        return False

    async def _take(self, stream: Stream, request: DecisionRequest) -> None:
        number, choices = request.decision_id, len(request.legal_actions)
        good_answer = answer(number, decision_random(self._seed, number).choice(range(choices)))
        if number < FIRST_MISDEED:
            await stream.send(good_answer)
        else:
            await self.misbehave(Question(stream, number, choices, good_answer))


class SecondThoughtVice(StreamVice):
    """A match in which the vice costs this bot its stream, and the same question, asked again, is answered well."""

    def __init__(self, address: str, ticket: str) -> None:
        """Prepare to sit down, with nothing asked yet."""
        super().__init__(address, ticket)
        self._asked = -1

    @abstractmethod
    async def lose_stream(self, question: Question) -> None:
        """Do what ends the stream."""

    async def misbehave(self, question: Question) -> None:
        """Answer what was asked before, else lose the stream."""
        if question.number == self._asked:
            await question.stream.send(question.good_answer)
        else:
            self._asked = question.number
            await self.lose_stream(question)
