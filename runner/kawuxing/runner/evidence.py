"""What a match leaves beside its record: faults' evidence, notes, and how long decisions took."""

from __future__ import annotations

import heapq
from array import array
from datetime import timedelta
from typing import Final

import structlog

from kawuxing.engine.actions import Action
from kawuxing.engine.faults import Fault
from kawuxing.runner.decision_times import DecisionTimes
from kawuxing.runner.spec import MAX_SLOWEST, Evidence, FaultEvidence, MatchSpec, SlowDecision

MAX_NOTES: Final = 200
"""Notes kept; a bot that comes and goes all the time must not fill the store."""

_log = structlog.get_logger(__name__)


class EvidenceLog:
    """Collects evidence while a match is played, and logs it."""

    def __init__(self, spec: MatchSpec) -> None:
        """Collect for this match."""
        self._names = [entrant.name for entrant in spec.entrants]
        self._log = _log.bind(tournament=spec.tournament, match=spec.match_id)
        self._faults: list[FaultEvidence] = []
        self._notes: list[str] = []
        self._times = [array("q") for _ in spec.entrants]
        self._slowest: list[list[tuple[int, int, int]]] = [[] for _ in spec.entrants]
        self.hand = 0
        """Number of the hand in progress."""

    def fault(self, entrant: int, decision_id: int, fault: Fault, asked: tuple[Action, ...], detail: str) -> None:
        """Keep what lay behind a fault."""
        self._faults.append(FaultEvidence(entrant, self.hand, decision_id, fault, asked, detail))
        self._log.info(
            "fault", entrant=entrant, bot=self._names[entrant], hand=self.hand, fault=fault.value, detail=detail
        )

    def note(self, entrant: int, event: str, **details: object) -> None:
        """Keep a note about an entrant's connection."""
        if len(self._notes) < MAX_NOTES:
            said = "".join(f", {name} {value}" for name, value in details.items())
            self._notes.append(f"hand {self.hand}, entrant {entrant}: {event}{said}")
        self._log.debug(event, entrant=entrant, bot=self._names[entrant], hand=self.hand, **details)

    def time(self, entrant: int, decision_id: int, microseconds: int) -> None:
        """Keep how long a decision took."""
        self._times[entrant].append(microseconds)
        slowest = self._slowest[entrant]
        keep = heapq.heappush if len(slowest) < MAX_SLOWEST else heapq.heappushpop
        keep(slowest, (microseconds, self.hand, decision_id))

    def evidence(self, lag: float) -> Evidence:
        """Return what was kept; ``lag`` in seconds is the arena's own."""
        return Evidence(
            faults=tuple(self._faults),
            slowest=tuple(_slowest_first(decisions) for decisions in self._slowest),
            notes=tuple(self._notes),
            lag=timedelta(seconds=lag),
        )

    def times(self) -> tuple[DecisionTimes, ...]:
        """Return how long each entrant's decisions took."""
        return tuple(DecisionTimes.of(time / 1000 for time in times) for times in self._times)


def _slowest_first(decisions: list[tuple[int, int, int]]) -> tuple[SlowDecision, ...]:
    return tuple(
        SlowDecision(hand, decision_id, timedelta(microseconds=microseconds))
        for microseconds, hand, decision_id in sorted(decisions, reverse=True)
    )
