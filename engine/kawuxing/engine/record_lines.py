"""The lines of a record below its header: how each is written (docs/records.md describes every field).

Tens of thousands are written a second, so they are put together from ready texts; tests hold them to canonical JSON.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final, get_args

from kawuxing.engine import canonical
from kawuxing.engine.actions import Action
from kawuxing.engine.events import (
    Event,
    HandEnded,
    HandExhausted,
    HandRevealed,
    HandStarted,
    HandWon,
    KongMade,
    KongRobbed,
    PointsPaid,
    PungMade,
    TileDiscarded,
    TileDrawn,
    WaitsChanged,
)
from kawuxing.engine.match import Answer, MatchResult
from kawuxing.engine.tiles import TEXT, Kind

EVENT_NAME: Final[dict[type[Event], str]] = {
    HandStarted: "hand_started",
    TileDrawn: "tile_drawn",
    HandRevealed: "hand_revealed",
    TileDiscarded: "tile_discarded",
    PungMade: "pung_made",
    KongMade: "kong_made",
    KongRobbed: "kong_robbed",
    WaitsChanged: "waits_changed",
    HandWon: "hand_won",
    HandExhausted: "hand_exhausted",
    PointsPaid: "points_paid",
    HandEnded: "hand_ended",
}
"""The name of every event in records."""

# A mapping, because a list would take HIDDEN (-1) for the last kind.
_quoted_kind: Final = {kind: f'"{text}"' for kind, text in enumerate(TEXT)}
_boolean: Final = ("false", "true")


def hand_line(started: HandStarted, wall: Sequence[Kind]) -> str:
    """Return the line that precedes a hand: its wall, in the order of RULES §1, and who sits where."""
    return (
        f'{{"dealer":{started.dealer},"entrants":{_integers(started.entrants)},"hand":{started.hand},'
        f'"type":"hand","wall":{_kinds(wall)}}}\n'
    )


def event_line(event: Event) -> str:
    """Return the line of an event, nothing hidden."""
    template, fields = _layout(type(event))
    return template % tuple([write(getattr(event, name)) for name, write in fields])


def decision_line(entrant: int, seat: int, legal: Sequence[Action], answer: Answer) -> str:
    """Return the line of one asked entrant's decision."""
    fault = f'"fault":"{answer.fault.value}",' if answer.fault else ""
    return (
        f'{{"chosen":{_quoted_action(answer.action)},"entrant":{entrant},{fault}'
        f'"legal":[{",".join(map(_quoted_action, legal))}],"seat":{seat},"type":"decision"}}\n'
    )


def result_line(result: MatchResult) -> str:
    """Return the line of the match's result: every field of every entrant's."""
    return canonical.encode(
        {"type": "result", "entrants": [dataclasses.asdict(entrant) for entrant in result.entrants]}
    )


def checksum_line(sha256: str) -> str:
    """Return the last line."""
    return canonical.encode({"sha256": sha256})


@cache
def _quoted_action(action: Action) -> str:
    return f'"{action}"'


def _kinds(kinds: Sequence[Kind]) -> str:
    return f"[{','.join([_quoted_kind[kind] for kind in kinds])}]"


def _kinds_by_seat(seats: Sequence[Sequence[Kind]]) -> str:
    return f"[{','.join(map(_kinds, seats))}]"


def _integers(numbers: Sequence[int]) -> str:
    return f"[{','.join(map(str, numbers))}]"


def _quoted(text: str) -> str:
    return f'"{text}"'


def _strings(texts: Sequence[str]) -> str:
    return f"[{','.join(map(_quoted, texts))}]"


_WRITERS: Final[dict[str, Callable[[Any], str]]] = {
    "concealed": _kinds_by_seat,
    "dealer": str,
    "entrants": _integers,
    "face_down": _kinds,
    "hand": str,
    "match_points": _integers,
    "meld": _quoted,
    "patterns": _strings,
    "points": _integers,
    "reason": _quoted,
    "remaining": str,
    "replacement": _boolean.__getitem__,
    "seat": str,
    "shown": _kinds,
    "source": str,
    "tile": _quoted_kind.__getitem__,
    "total": str,
    "waits": _kinds,
}
"""How each field of an event is written: a field of one name means the same in every event."""

_Layout = tuple[str, tuple[tuple[str, Callable[[Any], str]], ...]]


def _lay_out(event_type: type[Event]) -> _Layout:
    """Return the line of an event type with a gap for every field, and what fills the gaps, in key order."""
    names = [field.name for field in dataclasses.fields(event_type)]
    parts = dict.fromkeys(names, "%s") | {"event": f'"{EVENT_NAME[event_type]}"', "type": '"event"'}
    template = ",".join(f'"{name}":{parts[name]}' for name in sorted(parts))
    return f"{{{template}}}\n", tuple((name, _WRITERS[name]) for name in sorted(names))


_layout: Final = {event_type: _lay_out(event_type) for event_type in get_args(Event)}.__getitem__
