"""The messages that a table sends, as the bytes that go onto the wire."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from functools import cache, lru_cache
from typing import Final

from google.protobuf import duration_pb2

from kawuxing.codec.actions import action_to_message
from kawuxing.codec.faults import fault_to_message, result_to_message
from kawuxing.codec.observations import observation_to_message
from kawuxing.codec.rules import rules_to_message
from kawuxing.engine.actions import Action
from kawuxing.engine.faults import Fault
from kawuxing.engine.observation import Observation
from kawuxing.engine.record import Record
from kawuxing.runner.event_log import EventLog
from kawuxing.runner.spec import MatchSpec
from kawuxing.runner.wire import DELIMITED, VARINT, delimited, tag, varint
from kawuxing.v1.table_service_pb2 import (
    Clock,
    DecisionRequest,
    HandEnd,
    MatchEnd,
    MatchStart,
    MatchVoided,
    PlayResponse,
    Resume,
)

_DECISION_REQUEST: Final = tag(PlayResponse.DECISION_REQUEST_FIELD_NUMBER, DELIMITED)
_DECISION_ID: Final = tag(DecisionRequest.DECISION_ID_FIELD_NUMBER, VARINT)
_LEGAL_ACTIONS: Final = tag(DecisionRequest.LEGAL_ACTIONS_FIELD_NUMBER, DELIMITED)
_EVENTS: Final = tag(DecisionRequest.EVENTS_FIELD_NUMBER, DELIMITED)
_OBSERVATION: Final = tag(DecisionRequest.OBSERVATION_FIELD_NUMBER, DELIMITED)
_TIME_LEFT: Final = tag(DecisionRequest.TIME_LEFT_FIELD_NUMBER, DELIMITED)
_HAND_END: Final = tag(PlayResponse.HAND_END_FIELD_NUMBER, DELIMITED)
_HAND_END_EVENTS: Final = tag(HandEnd.EVENTS_FIELD_NUMBER, DELIMITED)
_RESUME: Final = tag(PlayResponse.RESUME_FIELD_NUMBER, DELIMITED)
_RESUME_EVENTS: Final = tag(Resume.EVENTS_FIELD_NUMBER, DELIMITED)

_MILLISECOND: Final = 1000


def match_start_frame(spec: MatchSpec, entrant: int) -> bytes:
    """Return MatchStart for an entrant."""
    clock = spec.clock
    start = MatchStart(
        match_id=spec.match_id,
        entrant=entrant,
        entrants=len(spec.entrants),
        hands=spec.hands,
        rules=rules_to_message(spec.rules),
        clock=Clock(
            bank=_duration(clock.bank),
            increment=_duration(clock.increment),
            move_max=_duration(clock.move_max),
            start=_duration(clock.start),
        ),
        max_faults=spec.max_faults,
        bot_seed=spec.entrants[entrant].bot_seed,
        commitment=spec.commitment,
    )
    return PlayResponse(match_start=start).SerializeToString()


def request_frame(decision_id: int, legal: tuple[Action, ...], news: bytes, microseconds: int) -> bytes:
    """Return a DecisionRequest; ``news`` is what :func:`events_news` or :func:`observation_news` returned.

    The time left is rounded down to whole milliseconds.
    """
    return _DECISION_REQUEST + delimited(
        b"".join(
            (
                _DECISION_ID,
                varint(decision_id),
                _legal_actions(legal),
                news,
                _time_left(max(0, microseconds) // _MILLISECOND),
            )
        )
    )


def events_news(log: EventLog, entrant: int, start: int) -> bytes:
    """Return the events from ``start`` on, as a field of DecisionRequest."""
    return log.fields(entrant, start, _EVENTS)


def observation_news(observation: Observation) -> bytes:
    """Return an observation, as a field of DecisionRequest."""
    return _OBSERVATION + delimited(observation_to_message(observation).SerializeToString())


def hand_end_frame(log: EventLog, entrant: int, start: int) -> bytes:
    """Return HandEnd with the events from ``start`` on."""
    return _HAND_END + delimited(log.fields(entrant, start, _HAND_END_EVENTS))


def resume_frame(
    log: EventLog, entrant: int, end: int, bank: timedelta, faults: Iterable[Fault], *, snapshot: bool
) -> bytes:
    """Return Resume with the hand up to the event ``end``, not included: its events, or the observation then."""
    resume = Resume(bank=_duration(bank), faults=map(fault_to_message, faults))
    if snapshot:
        resume.observation.CopyFrom(observation_to_message(log.observation(entrant, end)))
    events = b"" if snapshot else log.fields(entrant, 0, _RESUME_EVENTS, end)
    return _RESUME + delimited(events + resume.SerializeToString())


def match_end_frame(record: Record, entrant: int) -> bytes:
    """Return MatchEnd for an entrant, which is told no faults but its own."""
    end = MatchEnd(entrants=map(result_to_message, record.result.entrants), record_sha256=record.sha256)
    for number, result in enumerate(end.entrants):
        if number != entrant:
            result.ClearField("faults")
    return PlayResponse(match_end=end).SerializeToString()


def match_voided_frame(reason: str) -> bytes:
    """Return MatchVoided for every entrant."""
    return PlayResponse(match_voided=MatchVoided(reason=reason)).SerializeToString()


def _legal_actions(legal: tuple[Action, ...]) -> bytes:
    return b"".join([_legal_action(action) for action in legal])


@cache
def _legal_action(action: Action) -> bytes:
    return _LEGAL_ACTIONS + delimited(action_to_message(action).SerializeToString())


@lru_cache(maxsize=4096)
def _time_left(milliseconds: int) -> bytes:
    return _TIME_LEFT + delimited(_duration(timedelta(milliseconds=milliseconds)).SerializeToString())


def _duration(amount: timedelta) -> duration_pb2.Duration:
    message = duration_pb2.Duration()
    message.FromTimedelta(amount)
    return message
