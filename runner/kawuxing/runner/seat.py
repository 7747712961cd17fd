"""One entrant's place at a table: its connection, its clock, the question it has to answer, and its faults.

Nothing here waits. A seat is asked, its connection hands in what was read, a timer fires; the table hears of an answer
through a callback.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

import grpc
from google.protobuf.message import DecodeError

from kawuxing.engine.actions import Action
from kawuxing.engine.faults import Fault
from kawuxing.engine.match import Match
from kawuxing.engine.observation import Observation, observe
from kawuxing.runner import frames
from kawuxing.runner.clock import SeatClock
from kawuxing.runner.event_log import EventLog
from kawuxing.runner.evidence import EvidenceLog
from kawuxing.runner.lag import LagMonitor
from kawuxing.runner.spec import MatchSpec
from kawuxing.runner.status import Refusal, malformed, too_large
from kawuxing.runner.timers import Cancellable, Timers
from kawuxing.v1 import fault_pb2, table_service_pb2

MAX_MESSAGE: Final = 64 * 1024
"""Bytes of the largest message that a client may send."""
MAX_CONNECTIONS: Final = 20
"""How often one entrant may connect in one match."""

_MICROSECONDS: Final = 1_000_000

Answered = Callable[[int, Action | None, Fault | None], None]
"""Takes an entrant and what it decided: an action, or a fault."""


class Stream(Protocol):
    """What a seat needs of a connection."""

    def send(self, frame: bytes) -> None:
        """Queue a message."""

    def finish(self, refusal: Refusal | None = None) -> None:
        """End the stream once everything queued is written."""

    def drop(self, refusal: Refusal | None) -> None:
        """End the stream at once."""


@dataclass(slots=True)
class _Question:
    """A decision that this entrant was asked for and has not made."""

    decision_id: int
    legal: tuple[Action, ...]
    asked_at: float
    lag_then: float
    allowed: int
    timer: Cancellable


class Seat:
    """An entrant at the table, whether its bot is connected or not."""

    def __init__(
        self,
        spec: MatchSpec,
        entrant: int,
        *,
        match: Match,
        log: EventLog,
        evidence: EvidenceLog,
        timers: Timers,
        lag: LagMonitor,
        answered: Answered,
    ) -> None:
        """Prepare an empty seat; ``answered`` is called for every question asked, exactly once."""
        self._spec = spec
        self._entrant = entrant
        self._match = match
        self._log = log
        self._evidence = evidence
        self._timers = timers
        self._lag = lag
        self._answered = answered
        self._clock = SeatClock(spec.clock)
        self._stream: Stream | None = None
        self._snapshot = False
        self._connections = 0
        self._question: _Question | None = None
        self._next_id = 0
        self._told = 0
        self._asked_in = (-1, 0)
        self._charge: str | None = None
        self._overdue: set[int] = set()
        self._faults: list[Fault] = []
        self.dropped_at: float | None = None
        """When the stream ended for no reason seen from here; None while connected, or if sent away for a fault."""

    @property
    def joined(self) -> bool:
        """Whether the bot has ever sat down."""
        return self._connections > 0

    def attach(self, stream: Stream, *, snapshot: bool) -> Refusal | None:
        """Let a stream that said Hello take this seat, from another one if need be, or return why not."""
        if self._connections >= MAX_CONNECTIONS:
            return Refusal(
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                fault_pb2.ERROR_REASON_TOO_MANY_CONNECTIONS,
                f"this ticket was used for {self._connections} connections: expected no more in one match",
            )
        self._connections += 1
        self._evidence.note(self._entrant, "connected", times=self._connections)
        if self._stream is not None:
            self._stream.drop(
                Refusal(
                    grpc.StatusCode.ABORTED,
                    fault_pb2.ERROR_REASON_SUPERSEDED,
                    "another Play with the same ticket took over: expected one at a time",
                )
            )
        self._stream = stream
        self._snapshot = snapshot
        self.dropped_at = None
        stream.send(frames.match_start_frame(self._spec, self._entrant))
        if self._log.started:
            self._told = self._known()
            stream.send(
                frames.resume_frame(
                    self._log, self._entrant, self._told, self._clock.bank, tuple(self._faults), snapshot=snapshot
                )
            )
            if self._question is not None:
                self._send_question(self._question, self._time_left(self._question))
        return None

    def detach(self, stream: Stream, refusal: Refusal | None) -> None:
        """Take note that a stream has ended, with ``refusal`` if that was the bot's own doing."""
        if self._stream is stream:
            self._stream = None
            self.dropped_at = self._timers.time() if refusal is None else None
            self._evidence.note(
                self._entrant, "disconnected", reason=refusal.reason_name if refusal else "stream ended"
            )

    def ask(self, legal: tuple[Action, ...]) -> None:
        """Ask for a decision; the clock runs from now on, whether the bot is here or not."""
        now = self._timers.time()
        allowed = self._clock.allowed()
        timer = self._timers.call_at(now + allowed / _MICROSECONDS, self._look_at_clock)
        question = _Question(self._next_id, legal, now, self._lag.total(now), allowed, timer)
        self._next_id += 1
        self._question = question
        self._asked_in = self._log.hand, len(self._log)
        self._send_question(question, allowed)

    def take_charge(self, legal: tuple[Action, ...]) -> bool:
        """Return whether this decision is defaulted for an earlier protocol error, which is then paid for."""
        if self._charge is None:
            return False
        self._book_fault(self._next_id, Fault.PROTOCOL_ERROR, legal, self._charge)
        self._charge = None
        self._next_id += 1
        return True

    def hand_ended(self) -> None:
        """Tell the bot that the hand is over; the log ends with HandEnded."""
        if self._stream is not None:
            start = len(self._log) - 1 if self._snapshot else self._told
            self._stream.send(frames.hand_end_frame(self._log, self._entrant, start))
        self._told = 0

    def close(self, frame: bytes) -> None:
        """Say the last word to the bot, if it is here, and ask nothing more."""
        self._withdraw_question()
        if self._stream is not None:
            self._stream.send(frame)
            self._stream.finish()

    def receive(self, stream: Stream, data: bytes) -> Refusal | None:
        """Take a message that a stream has read; return the refusal that ends the stream, if it is a fault.

        A fault belongs to the decision that is open, else to the entrant's next one. What comes from a stream that no
        longer has this seat is dropped.
        """
        if self._stream is not stream:
            return None
        refusal = self._receive(data)
        if refusal is not None:
            self._protocol_error(refusal)
        return refusal

    def _receive(self, data: bytes) -> Refusal | None:
        if len(data) > MAX_MESSAGE:
            return too_large(len(data), MAX_MESSAGE)
        try:
            request = table_service_pb2.PlayRequest.FromString(data)
        except DecodeError:
            return malformed("a kawuxing.v1.PlayRequest")
        kind = request.WhichOneof("request")
        if kind == "hello":
            return Refusal(
                grpc.StatusCode.FAILED_PRECONDITION,
                fault_pb2.ERROR_REASON_UNEXPECTED_HELLO,
                "a second Hello: expected only Decisions after the first message",
            )
        if kind is None:
            return malformed("a PlayRequest with a Decision")
        return self._decide(request.decision)

    def _decide(self, decision: table_service_pb2.Decision) -> Refusal | None:
        question = self._question
        decision_id = decision.decision_id
        if question is not None and question.decision_id == decision_id:
            choice = decision.choice
            if choice < len(question.legal):
                self._settle(question.legal[choice], None)
            else:
                detail = f"choice is {choice}: expected 0 to {len(question.legal) - 1}"
                self._settle(None, Fault.ILLEGAL_CHOICE, detail)
            return None
        if decision_id in self._overdue:
            self._overdue.discard(decision_id)
            self._evidence.note(self._entrant, "late answer dropped", decision=decision_id)
            return None
        opened = "none is open" if question is None else f"{question.decision_id} is open"
        return Refusal(
            grpc.StatusCode.FAILED_PRECONDITION,
            fault_pb2.ERROR_REASON_UNEXPECTED_DECISION,
            f"a Decision for decision_id {decision_id}, but {opened}: expected one answer to each request",
        )

    def _protocol_error(self, refusal: Refusal) -> None:
        detail = f"{refusal.reason_name}: {refusal.message}"
        self._stream = None
        self._evidence.note(self._entrant, "disconnected", reason=refusal.reason_name)
        if self._question is not None:
            self._settle(None, Fault.PROTOCOL_ERROR, detail)
        else:
            self._charge = self._charge or detail

    def _look_at_clock(self) -> None:
        question = self._question
        if question is None:
            return
        left = self._time_left(question)
        if left > 0:
            # The arena was late, or the timer early.
            question.timer = self._timers.call_at(self._timers.time() + left / _MICROSECONDS, self._look_at_clock)
            return
        self._overdue.add(question.decision_id)
        allowed = f"no answer in {question.allowed / 1000:g} ms"
        if self._stream is None:
            self._settle(None, Fault.DISCONNECTED, f"{allowed}, not connected")
        else:
            self._settle(None, Fault.TIMEOUT, allowed)

    def _settle(self, action: Action | None, fault: Fault | None, detail: str = "") -> None:
        question = self._question
        if question is None:
            raise AssertionError("an answer to no question")
        self._withdraw_question()
        used = question.allowed - self._time_left(question)
        self._clock.spend(used)
        self._evidence.time(self._entrant, question.decision_id, used)
        if fault is not None:
            self._book_fault(question.decision_id, fault, question.legal, detail)
        self._answered(self._entrant, action, fault)

    def _withdraw_question(self) -> None:
        if self._question is not None:
            self._question.timer.cancel()
            self._question = None

    def _book_fault(self, decision_id: int, fault: Fault, asked: tuple[Action, ...], detail: str) -> None:
        self._faults.append(fault)
        self._evidence.fault(self._entrant, decision_id, fault, asked, detail)

    def _send_question(self, question: _Question, left: int) -> None:
        if self._stream is None:
            return
        if self._snapshot:
            news = frames.observation_news(self._observe())
        else:
            news = frames.events_news(self._log, self._entrant, self._told)
            self._told = len(self._log)
        self._stream.send(frames.request_frame(question.decision_id, question.legal, news, left))

    def _known(self) -> int:
        """Return how many events of the hand this entrant may know already.

        What came after its last question it is told with the next one: else who comes back again and again would see
        which discards and draws make another seat think.
        """
        hand, events = self._asked_in
        if self._log.over:
            return len(self._log)
        return events if hand == self._log.hand else 1

    def _observe(self) -> Observation:
        return observe(self._match.hand, self._match.seat_of(self._entrant))

    def _time_left(self, question: _Question) -> int:
        """Return the microseconds left for an answer; may be negative. The arena's own lag is not charged."""
        now = self._timers.time()
        spent = now - question.asked_at - (self._lag.total(now) - question.lag_then)
        return question.allowed - max(0, int(spent * _MICROSECONDS))
