"""What a check found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

TITLES: Final[Mapping[str, str]] = {
    "join": "joins the lobby in time",
    "sit-down": "takes up every match that it is assigned",
    "in-time": "answers every question in time",
    "legal": "chooses among the legal actions",
    "protocol": "says nothing that the protocol does not allow",
    "stay": "stays at its tables until the end",
    "decisions": "plays every kind of decision",
    "whole-matches": "plays whole matches by every preset",
    "at-once": "plays several matches at once",
    "reproducible": "plays the same match again from the same bot_seed",
    "newer-arena": "skips events, messages and fields that it does not know",
    "reconnect": "comes back to its table when the connection breaks",
    "rejoin": "comes back to the lobby when that stream breaks, and plays on",
    "voided": "goes on after matches that were voided or cancelled",
    "late-answer": "goes on after an answer that came too late",
    "arena-restart": "comes back when the arena stops and starts again",
    "process-restart": "plays the same match again in a new process",
    "goodbye": "ends when the tournament is over",
    "start": "is there soon",
    "decision-times": "decides fast enough to save its bank",
    "log": "tells of no error in its log",
    "memory": "does not grow from match to match",
}
"""Every check by its id, in the order of the report."""


class Verdict(StrEnum):
    """What became of a check."""

    PASSED = "passed"
    WARNING = "warning"
    """Not as it should be, but no reason not to admit the bot."""
    FAILED = "failed"
    NOT_RUN = "not run"
    """It could not be: ``why`` says for what reason."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found."""

    id: str
    verdict: Verdict
    why: str = ""
    figures: Mapping[str, Any] = field(default_factory=dict)
    """Numbers and short texts, by names that say the unit."""
    exchange: tuple[Mapping[str, Any], ...] = ()
    """For a failure, the last messages of the match that failed."""

    @property
    def title(self) -> str:
        """What the bot ought to do."""
        return TITLES[self.id]

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "id": self.id,
            "title": self.title,
            "verdict": self.verdict.value,
            "why": self.why,
            "figures": dict(self.figures),
            "exchange": list(self.exchange),
        }


@dataclass(frozen=True, slots=True)
class Coverage:
    """Which situations a bot was in, by one preset."""

    preset: str
    asked: tuple[str, ...]
    not_reached: tuple[str, ...]
    """What the preset knows and this bot's own play never led to."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a whole check found."""

    command: tuple[str, ...]
    client: str
    """What the bot calls itself; empty if it never joined."""
    findings: tuple[Finding, ...]
    """One for each of TITLES."""
    coverage: tuple[Coverage, ...]
    matches: int
    """How many were played, or tried to be."""
    seconds: float
    stopped: str
    """Why the check did not go on to its end; empty if it did."""
    log: tuple[str, ...]
    """The last lines that the launched bot printed."""
    errors: tuple[str, ...]
    """What it printed from the first line on that speaks of an error; none if there is no such line."""
    exchanges: Mapping[str, list[dict[str, Any]]]
    """Every message of every match, and of the lobby."""

    @property
    def admitted(self) -> bool:
        """Whether nothing failed, and the bot was there to be checked at all."""
        return all(finding.verdict is not Verdict.FAILED for finding in self.findings)

    def to_json(self) -> dict[str, Any]:
        """Return the report, without the exchanges of matches that went well, as plain data."""
        return {
            "admitted": self.admitted,
            "command": list(self.command),
            "client": self.client,
            "stopped": self.stopped,
            "matches": self.matches,
            "seconds": round(self.seconds, 3),
            "checks": [finding.to_json() for finding in self.findings],
            "decisions": {
                each.preset: {"asked": list(each.asked), "not_reached": list(each.not_reached)}
                for each in self.coverage
            },
            "log": list(self.log),
            "errors": list(self.errors),
        }
