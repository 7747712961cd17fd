"""Bots that send what is no message, too large, or too many of them."""

from __future__ import annotations

from typing import Final

from kawuxing.bots.misbehaving.vice import Question, SecondThoughtVice, StreamVice

_FLOOD: Final = 10_000
_TOO_MUCH: Final = 100_000
_TEN_MEGABYTES: Final = 10_000_000


class SendsGarbage(StreamVice):
    """Sends bytes that are no message."""

    async def misbehave(self, question: Question) -> None:
        """Send the beginning of a number that does not end."""
        await question.stream.send(b"\xff" * 64)


class SendsTooMuch(StreamVice):
    """Answers with 100 kB: more than the arena takes, less than its transport does."""

    async def misbehave(self, question: Question) -> None:
        """Answer well, and behind that fill a field that nobody knows."""
        await question.stream.send(_padded(question.good_answer, _TOO_MUCH))


class SendsTenMegabytes(SecondThoughtVice):
    """Answers with 10 MB, more than the arena's transport takes, and well when asked again."""

    async def lose_stream(self, question: Question) -> None:
        """Answer well, and behind that fill a field that nobody knows."""
        await question.stream.send(_padded(question.good_answer, _TEN_MEGABYTES))


class Floods(StreamVice):
    """Answers every question ten thousand times, as fast as it can."""

    async def misbehave(self, question: Question) -> None:
        """Answer well, ten thousand times or until the stream ends."""
        for _ in range(_FLOOD):
            if not question.stream.open:
                return
            await question.stream.send(question.good_answer)


def _padded(message: bytes, size: int) -> bytes:
    """Return a message followed by field 15 with so many bytes, below 2^28; their number as a varint of four bytes."""
    low, high = (0, 7, 14), 21
    length = bytes(size >> shift & 0x7F | 0x80 for shift in low) + bytes((size >> high,))
    return message + b"\x7a" + length + bytes(size)
