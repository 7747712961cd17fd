"""What every entrant may see of the hand in progress, ready for the wire."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from kawuxing.codec.events import event_to_message
from kawuxing.engine.events import Event, HandEnded, HandStarted
from kawuxing.engine.observation import NOBODY, Observation, Observer, redact
from kawuxing.runner.wire import VARINT, delimited, tag, varint
from kawuxing.v1 import event_pb2

_NUMBER: Final = tag(event_pb2.Event.NUMBER_FIELD_NUMBER, VARINT)


class EventLog:
    """The events of the hand in progress, redacted and serialised for every entrant.

    What is the same for several entrants, and what comes again and again (who drew or discarded what), is built once.
    """

    def __init__(self, entrants: int) -> None:
        """Log for a match of so many entrants."""
        self._seats = [NOBODY] * entrants
        self._events: list[Event] = []
        self._bodies: list[list[bytes]] = [[] for _ in range(entrants)]
        self._count = 0
        self._hand = -1

    @property
    def started(self) -> bool:
        """Whether the match is under way."""
        return self._count > 0

    @property
    def hand(self) -> int:
        """Number of the hand in progress, or of the last one; -1 before the first."""
        return self._hand

    @property
    def over(self) -> bool:
        """Whether the hand is over."""
        return bool(self._events) and isinstance(self._events[-1], HandEnded)

    def __len__(self) -> int:
        """Return how many events this hand has so far."""
        return len(self._events)

    def append(self, event: Event) -> None:
        """Log an event. HandStarted begins a new log, and says who sits where."""
        dealt = isinstance(event, HandStarted)
        if isinstance(event, HandStarted):
            self._seats = [NOBODY] * len(self._seats)
            for seat, entrant in enumerate(event.entrants):
                self._seats[entrant] = seat
            self._hand = event.hand
            self._events.clear()
            for bodies in self._bodies:
                bodies.clear()
        self._events.append(event)
        number = _NUMBER + varint(self._count)
        self._count += 1
        # What an outsider may see whole, everybody may; and redact gives those who see the same the same object.
        public = redact(event, NOBODY)
        public_body = delimited(number + _contents(public, NOBODY))
        if public is event:
            for bodies in self._bodies:
                bodies.append(public_body)
            return
        for seat, bodies in zip(self._seats, self._bodies, strict=True):
            view = redact(event, seat)
            if view is public:
                bodies.append(public_body)
            else:
                bodies.append(delimited(number + _contents(view, seat if dealt else NOBODY)))

    def fields(self, entrant: int, start: int, field_tag: bytes, end: int | None = None) -> bytes:
        """Return the hand's events from ``start`` on, as ``entrant`` may see them, each after the tag of its field.

        With ``end`` only those before it.
        """
        return b"".join([field_tag + body for body in self._bodies[entrant][start:end]])

    def observation(self, entrant: int, end: int) -> Observation:
        """Return what ``entrant`` could observe after the first ``end`` events of the hand, at least one."""
        observer = Observer(entrant)
        for event in self._events[:end]:
            observer.apply(redact(event, self._seats[entrant]))
        return observer.observation()


@lru_cache(maxsize=8192)
def _contents(view: Event, seat: int) -> bytes:
    # Without its number, which is a field of its own.
    return event_to_message(view, 0, seat).SerializeToString()
