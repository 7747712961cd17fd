"""Actions: everything that a seat can decide (RULES §2), interned so that equal actions are the same object."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any, Final

from kawuxing.engine.tiles import KINDS, TEXT, Kind, parse_kind


class ActionType(StrEnum):
    """The kinds of decision; the order of the members is the canonical order of legal actions."""

    WIN = "WIN"
    """胡: declare the complete hand."""
    CONCEALED_KONG = "CONCEALED_KONG"
    """暗杠: four from the concealed hand."""
    ADDED_KONG = "ADDED_KONG"
    """补杠: the tile just drawn, added to the own exposed pung."""
    DIRECT_KONG = "DIRECT_KONG"
    """直杠: another seat's discard with three from the concealed hand."""
    PUNG = "PUNG"
    """碰: another seat's discard with two from the concealed hand."""
    PASS = "PASS"  # noqa: S105  (a game term, not a password)
    """过: claim nothing."""
    DISCARD = "DISCARD"
    """打: discard a tile."""
    REVEAL = "REVEAL"
    """亮倒: reveal the hand and discard a tile, in one."""


TYPE_ORDER: Final = {action_type: index for index, action_type in enumerate(ActionType)}


# Without a comparison of fields, actions are compared and hashed by identity, which they are interned for.
@dataclass(frozen=True, slots=True, eq=False)
class Action:
    """One decision. Build with :func:`action` or :func:`parse_action`, which intern.

    ``tile`` is the kind that is discarded, konged or punged, -1 for WIN and PASS. ``face_down`` are the kinds,
    ascending, of the concealed pungs that a REVEAL keeps face down (RULES §5); empty for every other type.
    """

    type: ActionType
    tile: Kind = -1
    face_down: tuple[Kind, ...] = ()

    @property
    def sort_key(self) -> tuple[int, Kind, tuple[Kind, ...]]:
        """The canonical order of legal actions: by type, tile, face-down kinds."""
        return TYPE_ORDER[self.type], self.tile, self.face_down

    def __reduce__(self) -> tuple[Any, ...]:
        return action, (self.type, self.tile, self.face_down)

    def __str__(self) -> str:
        """Return the text used in records and tools, such as ``DISCARD 6p`` or ``REVEAL 1p 3s``."""
        if self.tile < 0:
            return self.type.value
        return " ".join([self.type.value, TEXT[self.tile], *(TEXT[kind] for kind in self.face_down)])


def action(action_type: ActionType, tile: Kind = -1, face_down: tuple[Kind, ...] = ()) -> Action:
    """Return the one object for this action."""
    return _intern(action_type, tile, face_down)


@cache
def _intern(action_type: ActionType, tile: Kind, face_down: tuple[Kind, ...]) -> Action:
    return Action(action_type, tile, face_down)


WIN: Final = action(ActionType.WIN)
PASS: Final = action(ActionType.PASS)
DISCARD: Final = tuple(action(ActionType.DISCARD, kind) for kind in range(KINDS))
PUNG: Final = tuple(action(ActionType.PUNG, kind) for kind in range(KINDS))
DIRECT_KONG: Final = tuple(action(ActionType.DIRECT_KONG, kind) for kind in range(KINDS))
CONCEALED_KONG: Final = tuple(action(ActionType.CONCEALED_KONG, kind) for kind in range(KINDS))
ADDED_KONG: Final = tuple(action(ActionType.ADDED_KONG, kind) for kind in range(KINDS))


@cache
def parse_action(text: str) -> Action:
    """Return the action written as ``text``, the inverse of ``str(action)``.

    Raises ValueError, naming the text, if it is not the text of an action.
    """
    name, *tiles = text.split(" ")
    try:
        action_type = ActionType(name)
        kinds = [parse_kind(tile) for tile in tiles]
    except ValueError as error:
        raise ValueError(f"action {text!r}: {error}") from None
    has_tile = action_type not in (ActionType.WIN, ActionType.PASS)
    face_down = kinds[1:]
    may_hide = action_type is ActionType.REVEAL
    if bool(kinds) != has_tile or (face_down and not may_hide):
        raise ValueError(f"action {text!r}: expected the type and its tile, such as DISCARD 6p, PUNG 1s, WIN")
    if face_down != sorted(set(face_down)):
        raise ValueError(f"action {text!r}: expected the kinds kept face down once each and in kind order (m, p, s, z)")
    return action(action_type, kinds[0] if kinds else -1, tuple(face_down))
