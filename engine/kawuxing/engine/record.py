"""Records: a match as canonical JSON Lines (docs/records.md), written while it is played and parsed strictly.

ASCII, no floats, no null, integers below 2^53, sorted keys, no spaces, LF after every line. A header; for each hand its
wall, then every event and decision in order; the result; last the SHA-256 of all bytes before that line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kawuxing.engine.actions import Action
from kawuxing.engine.events import Event
from kawuxing.engine.match import Answer, Match, MatchResult
from kawuxing.engine.rules import RULES_REVISION, RuleSet


@dataclass(frozen=True, slots=True)
class RecordedEntrant:
    """An entrant as the record names it."""

    name: str
    """``[a-z0-9][a-z0-9._-]{0,31}``"""
    version: str
    """The version that the organiser configured, same alphabet, or empty."""


@dataclass(frozen=True, slots=True)
class RecordHeader:
    """What the first line of a record says."""

    tournament: str
    match_id: str
    hands: int
    max_faults: int
    entrants: tuple[RecordedEntrant, ...]
    rules: RuleSet
    commitment: str
    """SHA-256, in hex, of the tournament's master seed."""
    rules_revision: int = RULES_REVISION


class RecordedMatch:
    """A match that writes its record as it goes: what a table drives, and what a replay drives again."""

    def __init__(self, header: RecordHeader, match: Match) -> None:
        """Record ``match``, which has not been started."""
        raise NotImplementedError

    @property
    def match(self) -> Match:
        """The match underneath."""
        raise NotImplementedError

    def start(self) -> list[Event]:
        """As Match.start."""
        raise NotImplementedError

    def pending(self) -> Mapping[int, tuple[Action, ...]]:
        """As Match.pending."""
        raise NotImplementedError

    def apply(self, answers: Mapping[int, Answer]) -> list[Event]:
        """As Match.apply."""
        raise NotImplementedError

    def finish(self) -> Record:
        """Return the whole record. Raises ValueError before the match is finished."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Record:
    """A whole record."""

    header: RecordHeader
    result: MatchResult
    data: bytes
    """The canonical bytes, checksum line included."""
    sha256: str
    """The checksum in its last line, hex."""
