"""What the check does to the messages and streams of a match: what a network, or a newer arena, might."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Final

from kawuxing.runner.wire import DELIMITED, VARINT, delimited, tag, varint
from kawuxing.v1.event_pb2 import Event
from kawuxing.v1.lobby_service_pb2 import JoinResponse
from kawuxing.v1.table_service_pb2 import PlayResponse

_UNKNOWN: Final = 1000
"""A field's number that the protocol will not come to for long."""
_UNKNOWN_FIELD: Final = (
    tag(_UNKNOWN, DELIMITED) + delimited(b"from a newer arena") + tag(_UNKNOWN + 1, VARINT) + varint(7)
)
_TOO_LATE: Final = 0.5
"""Seconds by which an answer that is held back is late."""
_EVERY: Final = 3
"""Before every so many events comes one that is unknown."""


class Disturbance:
    """Disturbs nothing. To be made anew for each match."""

    cut_at: int | None = None
    """The decision at which the stream is to be cut once."""
    done: bool = True
    """Whether what it is for has happened."""
    after_answer: bool = False
    """Whether to cut it when the answer was read, not while the question is open."""

    def outgoing(self, frame: bytes) -> list[bytes]:
        """Return what to send instead of a message of the arena."""
        return [frame]

    def asked(self, decision: int) -> None:
        """Take note that a question was sent."""

    async def answered(self, decision: int, due: float) -> None:
        """Wait as long as an answer is to be held back; its time is up at ``due`` by the monotonic clock."""


class Cut(Disturbance):
    """Ends the bot's stream once, at a decision."""

    def __init__(self, decision: int, *, after_answer: bool = False) -> None:
        """Cut at this decision, or right after its answer was read."""
        self.done = False
        self.cut_at = decision
        self.after_answer = after_answer


class Pause(Disturbance):
    """Says when a question is sent, and holds its answer back until the match is to go on."""

    def __init__(self, decision: int) -> None:
        """Wait for this decision."""
        self.done = False
        self._decision = decision
        self.reached = asyncio.Event()
        self.go_on = asyncio.Event()

    def asked(self, decision: int) -> None:
        """Wake who waits."""
        if decision == self._decision:
            self.done = True
            self.reached.set()

    async def answered(self, decision: int, due: float) -> None:  # noqa: ARG002  (whoever pauses looks at the time)
        """Wait to go on."""
        if decision == self._decision:
            await self.go_on.wait()


class Hold(Disturbance):
    """Holds one answer back until its time is up."""

    def __init__(self, decision: int) -> None:
        """Hold the answer to this decision."""
        self.done = False
        self._decision = decision

    async def answered(self, decision: int, due: float) -> None:
        """Wait until it is too late."""
        if decision == self._decision:
            self.done = True
            await asyncio.sleep(max(0.0, due + _TOO_LATE - time.monotonic()))


class Newer(Disturbance):
    """Says more than this version of the protocol knows: fields, kinds of events, messages.

    The unknown events have numbers of their own, so that those after them are renumbered.
    """

    def __init__(self) -> None:
        """Begin with nothing added."""
        self._added = 0

    def outgoing(self, frame: bytes) -> list[bytes]:
        """Add what is unknown, and before every message one whose kind is unknown."""
        response = PlayResponse.FromString(frame)
        match response.WhichOneof("response"):
            case "match_start":
                _add_unknown(response.match_start, response.match_start.rules, response.match_start.clock)
                # Always the first message, so that nothing can come before it.
                return [response.SerializeToString()]
            case "decision_request":
                request = response.decision_request
                _add_unknown(request, *request.legal_actions, *request.observation.seats)
                self._add_events(request.events)
            case "hand_end":
                _add_unknown(response.hand_end)
                self._add_events(response.hand_end.events)
            case "match_end":
                _add_unknown(response.match_end, *response.match_end.entrants)
        return [_UNKNOWN_FIELD, response.SerializeToString()]

    def _add_events(self, events: Any) -> None:
        known = list(events)
        del events[:]
        for event in known:
            kind = event.WhichOneof("event")
            # A hand begins with its deal; its end is all that a bot in mode SNAPSHOT is told.
            if (event.number % _EVERY == 0 and kind != "hand_started") or kind == "hand_ended":
                unknown = Event(number=event.number + self._added)
                _add_unknown(unknown)
                events.append(unknown)
                self._added += 1
            event.number += self._added
            _add_unknown(event)
            events.append(event)


def newer_lobby(frame: bytes) -> list[bytes]:
    """Return a message of the lobby with an unknown field, and before it, unless it is Welcome, one of unknown kind."""
    response = JoinResponse.FromString(frame)
    kind = response.WhichOneof("response")
    if kind is not None:
        _add_unknown(getattr(response, kind))
    told = response.SerializeToString()
    return [told] if kind == "welcome" else [_UNKNOWN_FIELD, told]


def _add_unknown(*messages: Any) -> None:
    for message in messages:
        message.MergeFromString(_UNKNOWN_FIELD)
