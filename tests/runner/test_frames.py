"""The bytes that a table sends are exactly the messages that they stand for."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest
from google.protobuf import duration_pb2
from hypothesis import given, settings
from hypothesis import strategies as st

from kawuxing.codec.actions import action_to_message
from kawuxing.codec.events import event_to_message
from kawuxing.codec.observations import observation_from_message, observation_to_message
from kawuxing.codec.rules import rules_from_message
from kawuxing.engine.events import Event, HandStarted
from kawuxing.engine.faults import Fault
from kawuxing.engine.match import Answer, Match
from kawuxing.engine.observation import NOBODY, observe, redact
from kawuxing.engine.rules import RuleSet, load_preset
from kawuxing.engine.wall import practice_seed, shuffled_wall
from kawuxing.runner import frames
from kawuxing.runner.event_log import EventLog
from kawuxing.runner.testing import match_spec
from kawuxing.runner.wire import varint
from kawuxing.v1 import event_pb2, fault_pb2
from kawuxing.v1.table_service_pb2 import DecisionRequest, HandEnd, PlayResponse, Resume


def random_match(rules: RuleSet, seed: int) -> tuple[Match, random.Random]:
    deal = practice_seed(str(seed))
    return Match(rules, 2, lambda hand: shuffled_wall(rules, deal, hand), 3), random.Random(seed)


def expected_events(events: list[Event], entrant: int) -> list[event_pb2.Event]:
    """Build every message anew, the way that is obviously right."""
    messages, seat = [], NOBODY
    for number, event in enumerate(events):
        if isinstance(event, HandStarted):
            seat = event.entrants.index(entrant) if entrant in event.entrants else NOBODY
        messages.append(event_to_message(redact(event, seat), number, seat))
    return messages


@pytest.mark.parametrize("overrides", [{}, {"sit_out": True, "cap": 8}], ids=["three", "one-rests"])
@given(seed=st.integers(0, 10**6))
@settings(max_examples=25)
def test_the_log_holds_for_every_entrant_what_redaction_leaves_it(overrides: dict[str, object], seed: int) -> None:
    """Shared or not, each event's bytes are those of a message built for that entrant alone, numbered without a gap."""
    rules = load_preset().replace(overrides)
    match, rng = random_match(rules, seed)
    log, events, hand_from = EventLog(rules.entrants), list[Event](), 0
    news = match.start()
    while True:
        for event in news:
            if isinstance(event, HandStarted):
                hand_from = len(events)
            events.append(event)
            log.append(event)
        if match.finished:
            break
        news = match.apply({entrant: Answer(rng.choice(legal)) for entrant, legal in match.pending().items()})
    for entrant in range(rules.entrants):
        frame = frames.hand_end_frame(log, entrant, 0)
        expected = HandEnd(events=expected_events(events, entrant)[hand_from:])
        assert PlayResponse(hand_end=expected) == PlayResponse.FromString(frame)


@given(seed=st.integers(0, 10**6), milliseconds=st.integers(0, 10**8), decision_id=st.integers(0, 2**32 - 1))
def test_a_request_is_the_message_that_protobuf_would_build(seed: int, milliseconds: int, decision_id: int) -> None:
    """Legal actions in order, the news since the last message, the time rounded down to milliseconds."""
    rules = load_preset()
    match, rng = random_match(rules, seed)
    log, events = EventLog(3), list[Event]()
    news = match.start()
    for _ in range(rng.randrange(40)):
        for event in news:
            events.append(event)
            log.append(event)
        news = match.apply({entrant: Answer(rng.choice(legal)) for entrant, legal in match.pending().items()})
        if match.hand.drawn(0) == NOBODY and any(isinstance(event, HandStarted) for event in news):
            break
    entrant, legal = next(iter(match.pending().items()))
    start = rng.randrange(len(log) + 1)
    left = duration_pb2.Duration()
    left.FromMilliseconds(milliseconds)
    expected = DecisionRequest(
        decision_id=decision_id,
        legal_actions=map(action_to_message, legal),
        events=expected_events(events, entrant)[len(events) - len(log) + start :],
        time_left=left,
    )
    frame = frames.request_frame(
        decision_id, legal, frames.events_news(log, entrant, start), milliseconds * 1000 + rng.randrange(1000)
    )
    assert PlayResponse(decision_request=expected) == PlayResponse.FromString(frame)


def test_a_request_in_snapshot_mode_carries_the_observation() -> None:
    """What the bot reads is what the engine observes."""
    match, _ = random_match(load_preset(), 1)
    match.start()
    entrant, legal = next(iter(match.pending().items()))
    observation = observe(match.hand, match.seat_of(entrant))
    frame = frames.request_frame(0, legal, frames.observation_news(observation), 1)
    request = PlayResponse.FromString(frame).decision_request
    assert (observation, []) == (observation_from_message(request.observation), list(request.events))


def test_resume_tells_the_hand_so_far_the_bank_and_the_faults() -> None:
    """In either mode."""
    match, _ = random_match(load_preset(), 2)
    log = EventLog(3)
    events = match.start()
    for event in events:
        log.append(event)
    bank = duration_pb2.Duration(seconds=4, nanos=500_000_000)
    faults = (Fault.TIMEOUT, Fault.PROTOCOL_ERROR)
    told = [fault_pb2.FAULT_TIMEOUT, fault_pb2.FAULT_PROTOCOL_ERROR]
    delta = frames.resume_frame(log, 1, 2, timedelta(seconds=4.5), faults, snapshot=False)
    expected = Resume(events=expected_events(events, 1), bank=bank, faults=told)
    assert PlayResponse(resume=expected) == PlayResponse.FromString(delta)
    observation = observe(match.hand, 1)
    snapshot = frames.resume_frame(log, 1, 2, timedelta(seconds=4.5), faults, snapshot=True)
    expected = Resume(observation=observation_to_message(observation), bank=bank, faults=told)
    assert PlayResponse(resume=expected) == PlayResponse.FromString(snapshot)


def test_match_start_has_everything_but_what_must_stay_secret() -> None:
    """Rules, clock, own number and bot seed; neither ticket nor deal seed, nor any bot's or the tournament's name."""
    spec = match_spec(name="m7", hands=5)
    frame = frames.match_start_frame(spec, 2)
    start = PlayResponse.FromString(frame).match_start
    assert ("m7", 2, 3, 5, 3) == (start.match_id, start.entrant, start.entrants, start.hands, start.max_faults)
    assert spec.rules == rules_from_message(start.rules)
    assert (spec.entrants[2].bot_seed, spec.commitment) == (start.bot_seed, start.commitment)
    assert 60 == start.clock.bank.seconds
    for secret in (spec.deal_seed, *(entrant.ticket.encode() for entrant in spec.entrants), b"test"):
        assert secret not in frame


@given(st.integers(0, 2**63))
def test_a_varint_is_what_protobuf_writes(value: int) -> None:
    """Seven bits a byte, the lowest first."""
    rest, decoded = varint(value), 0
    for place, byte in enumerate(rest):
        assert (byte >= 0x80) == (place < len(rest) - 1)
        decoded |= (byte & 0x7F) << 7 * place
    assert value == decoded
