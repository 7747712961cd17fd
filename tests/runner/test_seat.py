"""One seat: questions, answers, faults, the clock, and connections that come and go. Time is moved by hand."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kawuxing.engine.actions import Action
from kawuxing.engine.faults import Fault
from kawuxing.engine.match import Answer, Match
from kawuxing.engine.wall import shuffled_wall
from kawuxing.runner.clock import ClockSettings
from kawuxing.runner.event_log import EventLog
from kawuxing.runner.evidence import EvidenceLog
from kawuxing.runner.lag import LagMonitor
from kawuxing.runner.seat import MAX_CONNECTIONS, MAX_MESSAGE, Seat
from kawuxing.runner.status import Refusal
from kawuxing.runner.testing import ManualTimers, RecordingStream, decision, hello, match_spec
from kawuxing.v1.fault_pb2 import FAULT_ILLEGAL_CHOICE
from kawuxing.v1.table_service_pb2 import PlayRequest

SECOND = timedelta(seconds=1)
CLOCK = ClockSettings(bank=6 * SECOND, increment=2 * SECOND, move_max=5 * SECOND, start=30 * SECOND)


class _Place:
    """A dealer's seat at a match that has just begun, and everything around it."""

    def __init__(self) -> None:
        spec = match_spec(clock=CLOCK)
        self.timers = ManualTimers()
        self.lag = LagMonitor(self.timers)
        self.lag.start()
        self.match = Match(spec.rules, 1, lambda hand: shuffled_wall(spec.rules, spec.deal_seed, hand), 3)
        self.log = EventLog(3)
        self.evidence = EvidenceLog(spec)
        self.answers: list[tuple[Action | None, Fault | None]] = []
        self.seat = Seat(
            spec,
            0,
            match=self.match,
            log=self.log,
            evidence=self.evidence,
            timers=self.timers,
            lag=self.lag,
            answered=lambda _, action, fault: self.answers.append((action, fault)),
        )

    def begin(self) -> None:
        for event in self.match.start():
            self.log.append(event)

    def move(self) -> None:
        """Make the default decision for whoever has to decide."""
        for event in self.match.apply(
            {entrant: Answer(self.match.default_of(entrant)) for entrant in self.match.pending()}
        ):
            self.log.append(event)

    @property
    def legal(self) -> tuple[Action, ...]:
        return self.match.pending()[0]

    def connect(self, *, snapshot: bool = False) -> RecordingStream:
        stream = RecordingStream()
        assert self.seat.attach(stream, snapshot=snapshot) is None
        return stream

    def answer(self, stream: RecordingStream, decision_id: int, choice: int = 0) -> Refusal | None:
        return self.seat.receive(stream, decision(decision_id, choice).SerializeToString())


@pytest.fixture
def place() -> _Place:
    """A seat that is connected to nobody yet, at a match under way."""
    place = _Place()
    place.begin()
    return place


@pytest.fixture
def stream(place: _Place) -> RecordingStream:
    """The stream that has the seat."""
    return place.connect()


def test_a_bot_that_sits_down_before_the_match_is_told_only_its_start() -> None:
    """Resume is for matches under way."""
    assert ["match_start"] == _Place().connect().kinds


def test_an_answer_is_the_action_of_its_index(place: _Place, stream: RecordingStream) -> None:
    """And the decision times know it."""
    place.seat.ask(place.legal)
    place.timers.advance(0.004)
    refusal = place.answer(stream, 0, 2)
    assert (None, [(place.legal[2], None)]) == (refusal, place.answers)
    assert 1 == place.evidence.times()[0].count


def test_the_clock_runs_out_on_a_silent_bot(place: _Place, stream: RecordingStream) -> None:
    """TIMEOUT, at the time that it was told and not before."""
    place.seat.ask(place.legal)
    told = stream.requests[0].time_left.ToTimedelta()
    place.timers.advance(told.total_seconds() - 0.001)
    early = list(place.answers)
    place.timers.advance(0.002)
    assert (30 * SECOND, [], [(None, Fault.TIMEOUT)]) == (told, early, place.answers)


def test_the_clock_runs_out_on_a_bot_that_is_away(place: _Place, stream: RecordingStream) -> None:
    """DISCONNECTED."""
    place.seat.detach(stream, None)
    place.seat.ask(place.legal)
    place.timers.advance(31)
    assert [(None, Fault.DISCONNECTED)] == place.answers


def test_an_index_out_of_range_is_an_illegal_choice_and_leaves_the_stream_open(
    place: _Place, stream: RecordingStream
) -> None:
    """The fault costs its decision, nothing more."""
    place.seat.ask(place.legal)
    refusal = place.answer(stream, 0, len(place.legal))
    assert (None, [(None, Fault.ILLEGAL_CHOICE)]) == (refusal, place.answers)


def test_one_late_answer_to_a_decision_that_timed_out_is_dropped_free(place: _Place, stream: RecordingStream) -> None:
    """The second one is an answer to nothing asked."""
    place.seat.ask(place.legal)
    place.timers.advance(31)
    place.seat.ask(place.legal)
    late, later = place.answer(stream, 0), place.answer(stream, 0)
    assert (None, "UNEXPECTED_DECISION") == (late, later and later.reason_name)
    assert [(None, Fault.TIMEOUT), (None, Fault.PROTOCOL_ERROR)] == place.answers


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\xff\xff\xff", "MALFORMED_MESSAGE"),
        (b"", "MALFORMED_MESSAGE"),
        (b"\x0a" * (MAX_MESSAGE + 1), "MESSAGE_TOO_LARGE"),
        (hello("m0-a").SerializeToString(), "UNEXPECTED_HELLO"),
        (decision(7).SerializeToString(), "UNEXPECTED_DECISION"),
    ],
    ids=["garbage", "empty", "oversize", "second-hello", "unknown-decision"],
)
def test_a_protocol_error_costs_the_open_decision_and_the_stream(
    place: _Place, stream: RecordingStream, data: bytes, reason: str
) -> None:
    """Its refusal says what was wrong; the bot may come back and is asked the next question."""
    place.seat.ask(place.legal)
    refusal = place.seat.receive(stream, data)
    assert (reason, [(None, Fault.PROTOCOL_ERROR)]) == (refusal and refusal.reason_name, place.answers)
    back = place.connect()
    place.seat.ask(place.legal)
    assert [1] == [request.decision_id for request in back.requests]


def test_a_protocol_error_between_decisions_is_charged_to_the_next_one(place: _Place, stream: RecordingStream) -> None:
    """Once, however many there were; it counts as one of the entrant's decisions, and costs no time."""
    for _ in range(3):
        assert place.seat.receive(stream, b"\xff") is not None
        stream = place.connect()
    charges = place.seat.take_charge(place.legal), place.seat.take_charge(place.legal)
    place.seat.ask(place.legal)
    assert ((True, False), [1]) == (charges, [request.decision_id for request in stream.requests])
    (fault,) = place.evidence.evidence(0).faults
    assert (0, Fault.PROTOCOL_ERROR, place.legal) == (fault.decision_id, fault.fault, fault.asked)


def test_nothing_counts_that_comes_after_a_protocol_error_on_its_stream(place: _Place, stream: RecordingStream) -> None:
    """A flood is one fault."""
    place.seat.ask(place.legal)
    place.seat.receive(stream, b"\xff")
    refusals = [place.seat.receive(stream, b"\xff") for _ in range(100)]
    assert ([None] * 100, False) == (refusals, place.seat.take_charge(place.legal))


def test_a_second_stream_takes_the_seat_and_is_asked_again(place: _Place, stream: RecordingStream) -> None:
    """The first one ends as superseded, and what it still brings is ignored."""
    place.seat.ask(place.legal)
    place.timers.advance(4)
    second = place.connect()
    ignored = place.answer(stream, 0, 1)
    assert (True, "SUPERSEDED", None) == (stream.ended, stream.refusal and stream.refusal.reason_name, ignored)
    assert ["match_start", "resume", "decision_request"] == second.kinds
    assert (0, 26) == (second.requests[0].decision_id, second.requests[0].time_left.seconds)
    place.answer(second, 0, 1)
    assert [(place.legal[1], None)] == place.answers


def test_a_bot_that_comes_back_is_told_the_hand_so_far_once(place: _Place, stream: RecordingStream) -> None:
    """Resume has every event of the hand, and the open request none of them again."""
    place.seat.ask(place.legal)
    place.seat.detach(stream, None)
    back = place.connect()
    resume = back.sent[1].resume
    assert ([0, 1], []) == ([event.number for event in resume.events], list(back.requests[0].events))


@pytest.mark.parametrize("returns", [1, 3])
def test_coming_back_tells_no_more_than_staying(place: _Place, stream: RecordingStream, returns: int) -> None:
    """What happened since the last question stays untold until the next: it would show who else is being asked now."""
    place.seat.ask(place.legal)
    place.answer(stream, 0)
    place.move()
    for _ in range(returns):
        stream = place.connect()
        assert [0, 1] == [event.number for event in stream.sent[1].resume.events]
    while 0 not in place.match.pending():
        place.move()
    place.seat.ask(place.legal)
    assert list(range(2, len(place.log))) == [event.number for event in stream.requests[0].events]


def test_coming_back_tells_the_observation_of_the_last_question(place: _Place) -> None:
    """The same in mode SNAPSHOT."""
    stream = place.connect(snapshot=True)
    place.seat.ask(place.legal)
    place.answer(stream, 0)
    place.move()
    assert stream.requests[0].observation == place.connect(snapshot=True).sent[1].resume.observation


def test_coming_back_before_the_first_question_tells_the_deal(place: _Place) -> None:
    """A hand begins with the 13 tiles dealt, whoever is asked first."""
    delta, snapshot = place.connect(), place.connect(snapshot=True)
    assert [0] == [event.number for event in delta.sent[1].resume.events]
    assert 13 == len(snapshot.sent[1].resume.observation.concealed)


def test_coming_back_after_the_last_hand_tells_all_of_it(place: _Place) -> None:
    """It is over, so all hands are shown."""
    while not place.match.finished:
        place.move()
    place.seat.hand_ended()
    assert place.connect().sent[1].resume.events[-1].HasField("hand_ended")


def test_resume_tells_the_faults_and_the_bank(place: _Place, stream: RecordingStream) -> None:
    """So that a bot without memory knows how it stands."""
    place.seat.ask(place.legal)
    place.answer(stream, 0, 99)
    place.seat.ask(place.legal)
    place.timers.advance(3)
    place.answer(stream, 1)
    resume = place.connect().sent[1].resume
    assert ([FAULT_ILLEGAL_CHOICE], 5 * SECOND) == (list(resume.faults), resume.bank.ToTimedelta())


def test_an_old_streams_end_does_not_empty_the_seat(place: _Place, stream: RecordingStream) -> None:
    """Only the stream that has the seat can leave it."""
    second = place.connect()
    place.seat.detach(stream, None)
    place.seat.ask(place.legal)
    assert (1, None) == (len(second.requests), place.seat.dropped_at)


def test_a_ticket_is_good_for_a_limited_number_of_connections(place: _Place) -> None:
    """A bot that reconnects for ever is refused, and harms nobody else."""
    for _ in range(MAX_CONNECTIONS):
        place.connect()
    refusal = place.seat.attach(RecordingStream(), snapshot=False)
    assert "TOO_MANY_CONNECTIONS" == (refusal and refusal.reason_name)


def test_a_stall_of_the_arena_extends_the_deadline_and_is_not_charged(place: _Place, stream: RecordingStream) -> None:
    """An answer that was there before the loop could read it is in time."""
    place.seat.ask(place.legal)
    place.timers.advance(1)
    place.timers.stall(60)
    stalled = list(place.answers)
    place.answer(stream, 0)
    assert ([], [(place.legal[0], None)]) == (stalled, place.answers)
    assert place.evidence.times()[0].quantile(1) < 1300


def test_after_a_stall_the_rest_of_the_time_runs_as_before(place: _Place, stream: RecordingStream) -> None:
    """The deadline moves by the stall, no further."""
    place.seat.ask(place.legal)
    place.timers.stall(60)
    place.timers.advance(29)
    before = list(place.answers)
    place.timers.advance(2)
    assert (1, [], [(None, Fault.TIMEOUT)]) == (len(stream.requests), before, place.answers)


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 8)), min_size=1, max_size=15))
def test_the_time_left_that_a_bot_is_told_never_grows(steps: list[tuple[bool, float]]) -> None:
    """However often it reconnects, and however the arena stalls."""
    place = _Place()
    place.begin()
    place.seat.ask(place.legal)
    told: list[timedelta] = []
    for stalls, seconds in steps:
        (place.timers.stall if stalls else place.timers.advance)(seconds)
        stream = place.connect()
        told += [request.time_left.ToTimedelta() for request in stream.requests]
    assert sorted(told, reverse=True) == told
    assert all(timedelta(0) <= left <= 30 * SECOND for left in told)


def test_snapshot_mode_sends_observations_and_no_events(place: _Place) -> None:
    """A bot without memory sees its whole hand in every question, and after a reconnection."""
    place.seat.ask(place.legal)
    stream = place.connect(snapshot=True)
    request, resume = stream.requests[0], stream.sent[1].resume
    assert (14, 0, 0) == (len(request.observation.concealed), len(request.events), len(resume.events))
    assert request.observation == resume.observation


def test_closing_ends_the_stream_and_the_question(place: _Place, stream: RecordingStream) -> None:
    """After the last word nobody is asked, and no time runs out."""
    place.seat.ask(place.legal)
    place.seat.close(PlayRequest().SerializeToString())
    place.timers.advance(100)
    assert (True, None, []) == (stream.ended, stream.refusal, place.answers)
