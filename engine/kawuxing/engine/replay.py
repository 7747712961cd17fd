"""Replaying a record: the match is played again from its walls and decisions, and must give the same bytes.

Only what cannot be derived is read from a record: header, walls, chosen actions and faults. Every line is then written
anew and compared, so whatever is not canonical, missing, added or false is found at the first line that deviates, and
the work is bounded by what was right before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from kawuxing.engine import canonical
from kawuxing.engine.actions import Action
from kawuxing.engine.errors import IllegalAnswerError, InvalidRecordError, UnsupportedRecordError
from kawuxing.engine.events import Event
from kawuxing.engine.faults import Fault
from kawuxing.engine.match import Answer, Match
from kawuxing.engine.record import FORMAT, Record, RecordedMatch, RecordHeader
from kawuxing.engine.record_lines import checksum_line, decision_line
from kawuxing.engine.record_text import RecordText
from kawuxing.engine.rules import RULES_REVISION
from kawuxing.engine.tiles import TEXT, Kind, parse_kind
from kawuxing.engine.wall import shuffled_wall

_ANY_FORMAT: Final = re.compile(re.escape(FORMAT.rpartition("/")[0]) + "/[1-9][0-9]{0,8}")
_FAULTS: Final = tuple(fault.value for fault in Fault)
_LF: Final = b"\n"
_HAND_MARK: Final = b'"type":"hand"'


def verify_replay(data: bytes) -> Record:
    """Return the record that ``data`` is, after checking every decision, event and point of it.

    Raises InvalidRecordError, saying what differs first and in which line, if the bytes are not canonical, not whole,
    or do not follow from the record's own walls and decisions; UnsupportedRecordError for another format or rules
    revision.
    """
    replay = Replay(data)
    for _ in replay:
        pass
    return replay.record


def verify_walls(record: Record, deal_seed: bytes) -> None:
    """Check that every wall of a record is the one that follows from the deal seed of its match.

    Raises InvalidRecordError, naming the hand and the first tile that differs.
    """
    for hand, wall in enumerate(record.walls):
        expected = shuffled_wall(record.header.rules, deal_seed, hand)
        for place, (wanted, found) in enumerate(zip(expected, wall, strict=True)):
            if wanted != found:
                raise InvalidRecordError(
                    f"wall of hand {hand}: wall[{place}] is {TEXT[found]}, but the seed gives {TEXT[wanted]}"
                )


@dataclass(frozen=True, slots=True)
class ReplayedDecision:
    """What an asked entrant could do and did."""

    entrant: int
    seat: int
    legal: tuple[Action, ...]
    answer: Answer


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """One move of a match: the decisions of one question, in seat order, and the events that they caused."""

    decisions: tuple[ReplayedDecision, ...]
    """Empty in the first step, which deals."""
    events: tuple[Event, ...]


class Replay:
    """A record played step by step, each step checked before it is handed out.

    Iterate over it once. Between steps, :attr:`match` is the match as it then stands; after the last, :attr:`record` is
    the whole record, checked to its last byte.
    """

    def __init__(self, data: bytes) -> None:
        """Read the header.

        Raises InvalidRecordError or UnsupportedRecordError as :func:`verify_replay` does; so does iterating.
        """
        self._text = RecordText(data)
        header = read_header(data)
        self._tiles = header.rules.tile_list
        self._recorded = RecordedMatch(header, self._next_wall)
        self._record: Record | None = None

    @property
    def header(self) -> RecordHeader:
        """What the record says about the match."""
        return self._recorded.header

    @property
    def match(self) -> Match:
        """The match after the steps taken so far."""
        return self._recorded.match

    @property
    def record(self) -> Record:
        """The whole record. Raises ValueError before the last step is taken."""
        if self._record is None:
            raise ValueError("the record has not been replayed to its end")
        return self._record

    def __iter__(self) -> Iterator[ReplayStep]:
        """Take every step, from the deal to the last decision; then check the result and the checksum."""
        recorded = self._recorded
        decisions: tuple[ReplayedDecision, ...] = ()
        events = recorded.start()
        self._expect_written()
        yield ReplayStep(decisions, tuple(events))
        while not recorded.match.finished:
            first_line = self._text.line
            decisions = tuple(self._read_decision(entrant, legal) for entrant, legal in recorded.pending().items())
            try:
                events = recorded.apply({decision.entrant: decision.answer for decision in decisions})
            except IllegalAnswerError as error:
                raise InvalidRecordError(f"line {first_line} (decision): {error}") from None
            self._expect_written()
            yield ReplayStep(decisions, tuple(events))
        record = recorded.finish()
        self._text.expect(record.closing_lines)
        self._text.expect_end()
        self._record = record

    def _expect_written(self) -> None:
        """Compare the lines that the match has written anew with those of the record."""
        self._text.expect(self._recorded.lines[self._text.line - 1 :])

    def _next_wall(self, _hand: int) -> tuple[Kind, ...]:
        """Return the next wall of the record.

        Where there is none, any other does: the line of this hand will differ, unless one before it does.
        """
        try:
            wall: Any = canonical.decode(self._text.find(_HAND_MARK)).get("wall")
            kinds = tuple(parse_kind(tile) for tile in wall)
        except (TypeError, ValueError):
            return self._tiles
        return kinds if tuple(sorted(kinds)) == self._tiles else self._tiles

    def _read_decision(self, entrant: int, legal: tuple[Action, ...]) -> ReplayedDecision:
        """Read the next line, the decision of an asked entrant."""
        text = self._text
        seat = self.match.seat_of(entrant)
        fields = text.fields()
        try:
            answer = _read_answer(fields, legal)
        except ValueError as error:
            asked = {"entrant": entrant, "legal": [str(action) for action in legal], "seat": seat, "type": "decision"}
            text.compare(fields, asked)
            raise text.error(f"(decision): {error}") from None
        text.expect([decision_line(entrant, seat, legal, answer)])
        return ReplayedDecision(entrant, seat, legal, answer)


def read_header(data: bytes) -> RecordHeader:
    """Return the header of a record, without looking at anything below it.

    Raises InvalidRecordError if it is not a header or says what cannot be; UnsupportedRecordError for another format or
    rules revision.
    """
    text = RecordText(data)
    fields = text.fields()
    _check_support(fields, text, data)
    try:
        header = RecordHeader.from_fields(fields)
    except ValueError as error:
        raise text.error(f"(header): {error}") from None
    text.expect([header.to_line()])
    return header


def _check_support(fields: Mapping[str, Any], text: RecordText, data: bytes) -> None:
    """Refuse what is no record, and records that other versions of this program wrote."""
    format_ = fields.get("format")
    if fields.get("type") != "header" or not isinstance(format_, str) or not _ANY_FORMAT.fullmatch(format_):
        raise text.error(f"is not the header of a record: expected type header and format {FORMAT}")
    if format_ != FORMAT:
        raise UnsupportedRecordError(f"the record has format {format_}: this version reads {FORMAT}")
    revision = fields.get("rules_revision")
    if type(revision) is not int or revision < 1:
        raise text.error("(header): rules_revision is missing or not a whole number from 1")
    if revision != RULES_REVISION:
        _check_checksum(data)
        raise UnsupportedRecordError(
            f"the record was played by rules revision {revision}: this version replays revision {RULES_REVISION}"
        )


def _check_checksum(data: bytes) -> None:
    """Refuse a record of this format whose last line is not the SHA-256 of all before it."""
    body = data[: data.rfind(_LF, 0, -1) + 1]
    if data[len(body) :] != checksum_line(sha256(body).hexdigest()).encode("ascii"):
        raise InvalidRecordError(f"line {body.count(_LF) + 1}: expected the checksum of the bytes before it")


def _read_answer(fields: Mapping[str, Any], legal: Sequence[Action]) -> Answer:
    """Return the answer that a decision line says. Raises ValueError if that action or fault could not be."""
    chosen, fault = fields.get("chosen"), fields.get("fault")
    action = next((action for action in legal if str(action) == chosen), None)
    if action is None:
        expected = ", ".join(str(action) for action in legal)
        raise ValueError(f"chosen is {canonical.show(chosen)}: expected one of {expected}")
    if "fault" not in fields:
        return Answer(action)
    if not isinstance(fault, str) or fault not in _FAULTS:
        raise ValueError(f"fault is {canonical.show(fault)}: expected none or one of {', '.join(_FAULTS)}")
    return Answer(action, Fault(fault))
