"""A record in steps, as all hands lay open or as one seat saw it.

With all hands open, a step is a question with its answers and what followed. One seat is not told who else was asked,
so there a step is an own answer and all that the seat saw before it was asked again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from kawuxing.cli.board import board_lines
from kawuxing.cli.narration import Narrator
from kawuxing.cli.record_text import decision_line, result_lines
from kawuxing.engine.events import HIDDEN, Event, HandStarted
from kawuxing.engine.observation import NOBODY, Observation, Observer, redact
from kawuxing.engine.record import Record
from kawuxing.engine.record_lines import EVENT_NAME
from kawuxing.engine.replay import Replay, ReplayedDecision
from kawuxing.engine.tiles import TEXT

_KIND_FIELDS: Final = frozenset({"concealed", "face_down", "shown", "tile", "waits"})


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who looks: a seat, an entrant wherever it sits, or, with neither, somebody to whom all hands are open."""

    seat: int | None = None
    entrant: int | None = None

    @property
    def sees_all(self) -> bool:
        """Whether all hands are open."""
        return self.seat is None and self.entrant is None

    def seats(self, entrants: tuple[int, ...]) -> Mapping[int, int]:
        """Return the seats, NOBODY for one that rests, whose views are shown in a hand, and the entrant in each."""
        if self.seat is not None:
            return {self.seat: entrants[self.seat]}
        if self.entrant is not None:
            return {entrants.index(self.entrant) if self.entrant in entrants else NOBODY: self.entrant}
        return dict(enumerate(entrants))


@dataclass(frozen=True, slots=True)
class Step:
    """One step, with what the viewer may know alone."""

    number: int
    """From 0, through the whole match."""
    hand: int
    decisions: tuple[ReplayedDecision, ...]
    events: tuple[Event, ...]
    lines: tuple[str, ...]
    """Decisions and events in words."""
    views: Mapping[int, Observation]
    """By seat, what each seat that is shown sees after the step."""
    last: bool
    """Whether the match is over."""


def steps(replay: Replay, viewer: Viewer) -> Iterator[Step]:
    """Yield every step of a record that has not been replayed yet, as the viewer sees it.

    Raises RecordError as the replay does.
    """
    header = replay.header
    names = [entrant.name for entrant in header.entrants]
    narrator = Narrator(header.rules, names)
    observers: dict[int, Observer] = {}
    decisions: list[ReplayedDecision] = []
    events: list[Event] = []
    lines: list[str] = []
    number = hand = 0

    def finish(*, last: bool = False) -> Step:
        nonlocal number
        views = {seat: observer.observation() for seat, observer in observers.items()}
        step = Step(number, hand, tuple(decisions), tuple(events), tuple(lines), views, last)
        number += 1
        decisions.clear()
        events.clear()
        lines.clear()
        return step

    for move in replay:
        seen = [decision for decision in move.decisions if viewer.sees_all or decision.seat in observers]
        if seen:
            yield finish()
        for decision in seen:
            decisions.append(decision)
            lines.append(decision_line(decision, names[decision.entrant]))
        for event in move.events:
            if isinstance(event, HandStarted):
                if events:
                    yield finish()
                hand = event.hand
                observers = {seat: Observer(entrant) for seat, entrant in viewer.seats(event.entrants).items()}
            for seat, observer in observers.items():
                observer.apply(redact(event, seat))
            told = event if viewer.sees_all else redact(event, next(iter(observers)))
            events.append(told)
            lines += narrator.tell(told)
    yield finish(last=True)


def step_lines(step: Step, record: Record) -> Iterator[str]:
    """Yield a step in words, with what lies on the table then; after the last the match's result."""
    names = [entrant.name for entrant in record.header.entrants]
    yield ""
    yield f"step {step.number}"
    yield from step.lines
    yield from board_lines(next(iter(step.views.values())), names, {s: v for s, v in step.views.items() if s != NOBODY})
    if step.last:
        yield from result_lines(record.result, names)
        yield f"sha256 {record.sha256}"


def step_fields(step: Step) -> dict[str, Any]:
    """Return a step for programs: decisions and events as in records, with null for what the viewer may not see."""
    return {
        "step": step.number,
        "hand": step.hand,
        "decisions": [_decision_fields(decision) for decision in step.decisions],
        "events": [_event_fields(event) for event in step.events],
    }


def _decision_fields(decision: ReplayedDecision) -> dict[str, Any]:
    told = {
        "entrant": decision.entrant,
        "seat": decision.seat,
        "legal": list(map(str, decision.legal)),
        "chosen": str(decision.answer.action),
    }
    if decision.answer.fault is not None:
        told["fault"] = decision.answer.fault.value
    return told


def _event_fields(event: Event) -> dict[str, Any]:
    values = {field.name: getattr(event, field.name) for field in fields(event)}
    told = {name: _kinds(value) if name in _KIND_FIELDS else value for name, value in values.items()}
    return {"event": EVENT_NAME[type(event)], **told}


def _kinds(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(map(_kinds, value))
    return None if value == HIDDEN else TEXT[value]
