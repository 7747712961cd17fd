"""Records: a match as canonical JSON Lines (docs/records.md), written while it is played.

A header; for each hand its wall, then every decision and event in order; the result; last the SHA-256 of all bytes
before that line. What reads and checks records is :mod:`kawuxing.engine.replay`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from kawuxing.engine import canonical
from kawuxing.engine.actions import Action
from kawuxing.engine.errors import RulesError
from kawuxing.engine.events import Event, HandStarted
from kawuxing.engine.match import Answer, Match, MatchResult
from kawuxing.engine.record_lines import checksum_line, decision_line, event_line, hand_line, result_line
from kawuxing.engine.rules import RULES_REVISION, RuleSet
from kawuxing.engine.tiles import Kind

FORMAT: Final = "kawuxing-record/1"
"""The format written and read here; raised when a reader of this one could not read the next."""
MAX_HANDS: Final = 10_000
"""Most hands of one match that a record can hold."""
MAX_FAULT_LIMIT: Final = 1_000_000

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,31}")
_NAME_EXPECTED: Final = "1 to 32 of a-z 0-9 . _ -, beginning with a letter or digit"
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


def is_record_name(text: str) -> bool:
    """Return whether ``text`` can name a tournament, match, bot or version in a record."""
    return _NAME.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class RecordedEntrant:
    """An entrant as the record names it."""

    name: str
    """``[a-z0-9][a-z0-9._-]{0,31}``, different from the other entrants'."""
    version: str = ""
    """The version that the organiser configured, same alphabet, or empty."""


@dataclass(frozen=True, slots=True)
class RecordHeader:
    """What the first line of a record says, for a match by the rules of RULES_REVISION.

    Raises ValueError, naming field, value and what was expected.
    """

    tournament: str
    """Id of the tournament, same alphabet as a bot's name."""
    match_id: str
    """Id of the match, same alphabet; in a tournament the one that :func:`kawuxing.engine.wall.match_id` derives."""
    hands: int
    """Hands of the match, 1 … MAX_HANDS."""
    max_faults: int
    """Faults with which an entrant forfeits, at least 1."""
    entrants: tuple[RecordedEntrant, ...]
    """By entrant number; as many as ``rules.entrants``."""
    rules: RuleSet
    commitment: str
    """SHA-256, in hex, of the tournament's master seed."""

    def __post_init__(self) -> None:
        """Check every field."""
        _check_name("tournament", self.tournament)
        _check_name("match", self.match_id)
        _check_range("hands", self.hands, MAX_HANDS)
        _check_range("max_faults", self.max_faults, MAX_FAULT_LIMIT)
        if len(self.entrants) != self.rules.entrants:
            raise ValueError(f"entrants are {len(self.entrants)}: the rules expect {self.rules.entrants}")
        for number, entrant in enumerate(self.entrants):
            _check_name(f"entrants[{number}].name", entrant.name)
            if entrant.version:
                _check_name(f"entrants[{number}].version", entrant.version)
        names = [entrant.name for entrant in self.entrants]
        if len(set(names)) != len(names):
            raise ValueError(f"entrants are {', '.join(names)}: expected different names")
        if not _DIGEST.fullmatch(self.commitment):
            raise ValueError(f"commitment is {self.commitment!a}: expected 64 lower-case hex digits")

    def to_line(self) -> str:
        """Return the first line of the record."""
        return canonical.encode(
            {
                "type": "header",
                "format": FORMAT,
                "rules_revision": RULES_REVISION,
                "tournament": self.tournament,
                "match": self.match_id,
                "hands": self.hands,
                "max_faults": self.max_faults,
                "entrants": [{"name": entrant.name, "version": entrant.version} for entrant in self.entrants],
                "rules": self.rules.to_options(),
                "rules_digest": self.rules.digest,
                "commitment": self.commitment,
            }
        )

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> RecordHeader:
        """Return the header that the decoded fields of a first line say; fields it does not know are not looked at.

        Raises ValueError, naming field, value and what was expected, for one that is missing or wrong.
        """
        entrants = _field(fields, "entrants", list)
        for entrant in entrants:
            if not isinstance(entrant, dict):
                raise ValueError(f"entrants has {canonical.show(entrant)}: expected name and version")  # noqa: TRY004  (one error for any wrong field)
        try:
            rules = RuleSet.from_options(_field(fields, "rules", dict))
        except RulesError as error:
            raise ValueError(str(error)) from None
        return cls(
            tournament=_field(fields, "tournament", str),
            match_id=_field(fields, "match", str),
            hands=_field(fields, "hands", int),
            max_faults=_field(fields, "max_faults", int),
            entrants=tuple(
                RecordedEntrant(_field(entrant, "name", str), _field(entrant, "version", str)) for entrant in entrants
            ),
            rules=rules,
            commitment=_field(fields, "commitment", str),
        )


@dataclass(frozen=True, slots=True)
class Record:
    """A whole record."""

    header: RecordHeader
    walls: tuple[tuple[Kind, ...], ...]
    """The wall of every hand, in the order of RULES §1."""
    result: MatchResult
    data: bytes
    """The canonical bytes, checksum line included."""
    sha256: str
    """The checksum in its last line, hex."""

    @property
    def closing_lines(self) -> tuple[str, str]:
        """The last two lines, result and checksum, each with its LF."""
        return result_line(self.result), checksum_line(self.sha256)


class RecordedMatch:
    """A match that writes its record as it goes: what a table drives, and what a replay drives again."""

    def __init__(self, header: RecordHeader, wall_of: Callable[[int], tuple[Kind, ...]]) -> None:
        """Prepare the match that ``header`` describes, its k-th hand (from 0) on ``wall_of(k)``."""
        self._header = header
        self._wall_of = wall_of
        self._walls: dict[int, tuple[Kind, ...]] = {}
        self._match = Match(header.rules, header.hands, self._deal, header.max_faults)
        self._lines = [header.to_line()]

    @property
    def header(self) -> RecordHeader:
        """What the record begins with."""
        return self._header

    @property
    def match(self) -> Match:
        """The match underneath. To drive it past the record is an error that a replay finds."""
        return self._match

    @property
    def lines(self) -> Sequence[str]:
        """The lines written so far, each with its LF; the last two come with :meth:`finish`."""
        return self._lines

    def start(self) -> list[Event]:
        """As Match.start."""
        return self._write(self._match.start())

    def pending(self) -> Mapping[int, tuple[Action, ...]]:
        """As Match.pending."""
        return self._match.pending()

    def apply(self, answers: Mapping[int, Answer]) -> list[Event]:
        """As Match.apply."""
        match = self._match
        # Seats are those of the question: the answers may end the hand and seat the entrants anew.
        asked = [(entrant, match.seat_of(entrant), legal) for entrant, legal in match.pending().items()]
        events = match.apply(answers)
        self._lines += [decision_line(entrant, seat, legal, answers[entrant]) for entrant, seat, legal in asked]
        return self._write(events)

    def finish(self) -> Record:
        """Return the whole record. Raises ValueError before the match is finished."""
        result = self._match.result()
        body = "".join([*self._lines, result_line(result)]).encode("ascii")
        sha256 = hashlib.sha256(body).hexdigest()
        return Record(
            header=self._header,
            walls=tuple(self._walls[hand] for hand in range(self._header.hands)),
            result=result,
            data=body + checksum_line(sha256).encode("ascii"),
            sha256=sha256,
        )

    def _deal(self, hand: int) -> tuple[Kind, ...]:
        wall = self._walls[hand] = self._wall_of(hand)
        return wall

    def _write(self, events: list[Event]) -> list[Event]:
        for event in events:
            if isinstance(event, HandStarted):
                self._lines.append(hand_line(event, self._walls[event.hand]))
            self._lines.append(event_line(event))
        return events


def _check_name(field: str, value: str) -> None:
    if not is_record_name(value):
        raise ValueError(f"{field} is {value!a}: expected {_NAME_EXPECTED}")


def _check_range(field: str, value: int, highest: int) -> None:
    if type(value) is not int or not 1 <= value <= highest:
        raise ValueError(f"{field} is {value!r}: expected a whole number from 1 to {highest}")


def _field(fields: Mapping[str, Any], name: str, expected: type) -> Any:
    if name not in fields:
        raise ValueError(f"the field {name!r} is missing")
    value = fields[name]
    if type(value) is not expected:
        raise ValueError(f"{name} is {canonical.show(value)}: expected {_JSON_NAME[expected]}")
    return value


_JSON_NAME: Final = {str: "a string", int: "a whole number", list: "an array", dict: "an object"}
