"""Numbers for learning: a stable table of all actions, and an observation as a row of whole numbers (docs/bots/kit.md).

Both are the same for every rule set: all 30 kinds, and four seats, of which some may be empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from kawuxing.bots.sight import count
from kawuxing.engine.actions import Action, ActionType
from kawuxing.engine.events import MeldType
from kawuxing.engine.observation import NOBODY, Observation
from kawuxing.engine.record import MAX_HANDS
from kawuxing.engine.rules import DEAL, RANGES
from kawuxing.engine.tiles import COPIES, KINDS, Kind

_PUNG: Final = 3
_HIDDEN_SETS: Final = 1 << (DEAL // _PUNG)
"""Sets of the concealed pungs, at most four, that a reveal can keep face down."""
_ACTIONS_OF: Final = {
    action_type: {ActionType.WIN: 1, ActionType.PASS: 1, ActionType.REVEAL: KINDS * _HIDDEN_SETS}.get(
        action_type, KINDS
    )
    for action_type in ActionType
}
FIRST_ACTION: Final = dict(zip(ActionType, accumulate(_ACTIONS_OF.values(), initial=0), strict=False))
"""The number of the first action of every type; types follow each other in canonical order."""
ACTIONS: Final = sum(_ACTIONS_OF.values())
"""How many numbers there are for actions."""

MOST_SEATS: Final = RANGES["seats"][1]
_MOST_TILES: Final = KINDS * COPIES
_MOST_POINTS: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Field:
    """Some numbers of an encoded observation that belong together."""

    name: str
    size: int
    """1, or 30: one number for every kind."""
    low: int
    high: int


OWN_FIELDS: Final = (
    Field("concealed", KINDS, 0, COPIES),
    Field("drawn", KINDS, 0, 1),
    Field("kept_face_down", KINDS, 0, 1),
    Field("offered", KINDS, 0, 1),
    Field("remaining", 1, 0, _MOST_TILES),
    Field("hand", 1, 0, MAX_HANDS),
)
"""What comes first: the observer's own tiles and the table."""
SEAT_FIELDS: Final = (
    Field("present", 1, 0, 1),
    Field("points", 1, -_MOST_POINTS, _MOST_POINTS),
    Field("concealed_count", 1, 0, DEAL + 1),
    Field("dealer", 1, 0, 1),
    Field("turn", 1, 0, 1),
    Field("offers", 1, 0, 1),
    Field("revealed", 1, 0, 1),
    Field("face_down", 1, 0, DEAL // _PUNG),
    Field("discards", KINDS, 0, COPIES),
    Field("pungs", KINDS, 0, 1),
    Field("concealed_kongs", KINDS, 0, 1),
    Field("added_kongs", KINDS, 0, 1),
    Field("direct_kongs", KINDS, 0, 1),
    Field("shown", KINDS, 0, COPIES),
    Field("waits", KINDS, 0, 1),
)
"""What follows for each of four seats, the observer's first, the others in turn order."""
FIELDS: Final = (
    *OWN_FIELDS,
    *(
        Field(f"{seat}.{field.name}", field.size, field.low, field.high)
        for seat in range(MOST_SEATS)
        for field in SEAT_FIELDS
    ),
)
"""All fields, in order; those of seats are named ``0.present`` to ``3.waits``."""
_STARTS: Final = tuple(accumulate((field.size for field in FIELDS), initial=0))
LAYOUT: Final = {field.name: slice(start, start + field.size) for field, start in zip(FIELDS, _STARTS, strict=False)}
"""Where each field of FIELDS stands."""
OBSERVATION_SIZE: Final = _STARTS[-1]
_NO_SEAT: Final = (0,) * sum(field.size for field in SEAT_FIELDS)
_MELD_TYPES: Final = tuple(MeldType)


def encode_action(action: Action, concealed: Sequence[Kind]) -> int:
    """Return the number of a legal action, 0 … ACTIONS - 1; ``concealed`` are the seat's tiles before it.

    A reveal's number depends on the hand: bit i says whether the i-th, by kind, of the concealed pungs that are left
    after the discard stays face down.
    """
    first = FIRST_ACTION[action.type]
    if action.type is not ActionType.REVEAL:
        return first + max(action.tile, 0)
    kept = list(concealed)
    kept.remove(action.tile)
    pungs = [kind for kind, held in enumerate(count(kept)) if held == _PUNG]
    return first + action.tile * _HIDDEN_SETS + sum(1 << pungs.index(kind) for kind in action.face_down)


def encode_observation(observation: Observation) -> list[int]:
    """Return an observation as OBSERVATION_SIZE numbers, in the order of FIELDS.

    An entrant that rests has no seat: the first one is empty then, and the others follow from seat 0.
    """
    seat, seats = observation.seat, len(observation.seats)
    numbers = [
        *count(observation.concealed),
        *_marks([observation.drawn]),
        *_marks(observation.face_down),
        *_marks([observation.offered]),
        observation.remaining,
        observation.hand,
    ]
    if seat == NOBODY:
        numbers += _NO_SEAT
        order = list(range(seats))
    else:
        order = [(seat + step) % seats for step in range(seats)]
    for other in order:
        numbers += _seat(observation, other)
    return numbers + [0] * (OBSERVATION_SIZE - len(numbers))


def _seat(observation: Observation, seat: int) -> list[int]:
    view = observation.seats[seat]
    melds = [0] * (len(_MELD_TYPES) * KINDS)
    for meld in view.melds:
        melds[_MELD_TYPES.index(meld.type) * KINDS + meld.tile] = 1
    return [
        1,
        view.points,
        view.concealed_count,
        seat == observation.dealer,
        seat == observation.turn,
        seat == observation.offered_by,
        view.revealed,
        view.face_down,
        *count(view.discards),
        *melds,
        *count(view.shown),
        *_marks(view.waits),
    ]


def _marks(kinds: Sequence[Kind]) -> list[int]:
    """Return a 1 for each of the kinds; HIDDEN is none."""
    marks = [0] * KINDS
    for kind in kinds:
        if kind >= 0:
            marks[kind] = 1
    return marks
