"""Bots that come and go."""

from __future__ import annotations

import asyncio
import os
from typing import Any, ClassVar, NoReturn

from kawuxing.bots.misbehaving.stream import Stream
from kawuxing.bots.misbehaving.vice import Question, SecondThoughtVice, StreamVice, Vice
from kawuxing.v1 import fault_pb2


class NeverSitsDown(Vice):
    """Joins, and goes to none of the tables that it is assigned to."""

    async def play(self) -> None:
        """Do nothing."""


class ClosesStream(StreamVice):
    """Closes its stream at a question and stays away."""

    async def play_on(self, channel: Any) -> None:
        """Play on one stream only."""
        await self.talk(Stream(channel))

    async def misbehave(self, question: Question) -> None:
        """Say that there is no more to say."""
        await question.stream.close()


class Reconnects(SecondThoughtVice):
    """Hangs up at every question, and answers it when it is asked again."""

    async def lose_stream(self, question: Question) -> None:
        """Hang up."""
        question.stream.hang_up()


class Dies(StreamVice):
    """Its process ends at a question, without a word to anybody."""

    async def misbehave(self, question: Question) -> NoReturn:  # noqa: ARG002  (whatever the question is)
        """End the process as a crash would."""
        os._exit(1)


class JoinsTwice(StreamVice):
    """Signs in twice, and sits down twice at every table; each of the two takes the seat back from the other."""

    instances: ClassVar[int] = 2
    leaves_for: ClassVar[frozenset[int]] = StreamVice.leaves_for - {fault_pb2.ERROR_REASON_SUPERSEDED}

    async def play_on(self, channel: Any) -> None:
        """Play on two streams at once."""
        await asyncio.gather(super().play_on(channel), super().play_on(channel))

    async def misbehave(self, question: Question) -> None:
        """Answer well; the vice is elsewhere."""
        await question.stream.send(question.good_answer)
