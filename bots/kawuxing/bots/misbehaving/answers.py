"""Bots that answer wrongly, late, too often or not at all."""

from __future__ import annotations

from kawuxing.bots.misbehaving.stream import Stream, answer
from kawuxing.bots.misbehaving.vice import Question, StreamVice


class NeverAnswers(StreamVice):
    """Reads every question and leaves it open."""

    async def misbehave(self, question: Question) -> None:
        """Do nothing."""


class AnswersLate(StreamVice):
    """Answers a question when the next one comes, or the hand ends: always after its time was up."""

    def __init__(self, address: str, ticket: str) -> None:
        """Prepare, with no answer owed."""
        super().__init__(address, ticket)
        self._owed: bytes | None = None

    async def misbehave(self, question: Question) -> None:
        """Answer the question before this one."""
        await self.end_hand(question.stream)
        self._owed = question.good_answer

    async def end_hand(self, stream: Stream) -> None:
        """Give the answer that is owed."""
        if self._owed is not None:
            await stream.send(self._owed)
            self._owed = None


class OutOfRange(StreamVice):
    """Answers the index behind the last legal action."""

    async def misbehave(self, question: Question) -> None:
        """Choose what there is not."""
        await question.stream.send(answer(question.number, question.choices))


class AnswersTwice(StreamVice):
    """Answers every question twice."""

    async def misbehave(self, question: Question) -> None:
        """Answer well, and again."""
        await question.stream.send(question.good_answer)
        await question.stream.send(question.good_answer)
