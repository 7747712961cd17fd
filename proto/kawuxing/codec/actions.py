"""Actions. Messages are built once for each action and shared: they must not be changed."""

from __future__ import annotations

from functools import cache

from kawuxing.codec.enums import EnumCodec
from kawuxing.codec.tiles import TILE_OF, kind_from_tile, kinds_to_tiles, tiles_to_kinds
from kawuxing.engine.actions import Action, ActionType, action
from kawuxing.v1 import action_pb2

_TYPES = EnumCodec(ActionType, action_pb2.ActionType, "ACTION_TYPE_")


@cache
def action_to_message(value: Action) -> action_pb2.Action:
    """Return the message of an action, shared by all who ask: not to be changed."""
    return action_pb2.Action(
        type=_TYPES.to_message(value.type), tile=TILE_OF[value.tile], face_down=kinds_to_tiles(value.face_down)
    )


def action_from_message(message: action_pb2.Action) -> Action:
    """Return the action of a message. Raises ValueError for a type or tile unknown to this version."""
    return action(
        _TYPES.from_message(message.type),
        kind_from_tile(message.tile),
        tuple(sorted(tiles_to_kinds(message.face_down))),
    )
