"""Tiles: engine kinds and ``kawuxing.v1.Tile``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from kawuxing.engine.events import HIDDEN
from kawuxing.engine.tiles import TEXT, Kind
from kawuxing.v1 import tile_pb2

TILE_OF: Final = {
    HIDDEN: tile_pb2.TILE_UNSPECIFIED,
    **{kind: tile_pb2.Tile.Value(f"TILE_{text.upper()}") for kind, text in enumerate(TEXT)},
}
"""The message value of every kind; HIDDEN is unspecified."""

KIND_OF: Final[dict[int, Kind]] = {tile: kind for kind, tile in TILE_OF.items()}
"""The kind of every message value."""


def kinds_to_tiles(kinds: Iterable[Kind]) -> list[tile_pb2.Tile.ValueType]:
    """Return the message values of ``kinds``, in their order."""
    return [TILE_OF[kind] for kind in kinds]


def kind_from_tile(tile: int) -> Kind:
    """Return the kind of a message value, HIDDEN for unspecified.

    Raises ValueError, naming the value, for a tile that this version does not know.
    """
    try:
        return KIND_OF[tile]
    except KeyError:
        raise ValueError(f"tile {tile}: unknown to this version of the protocol") from None


def tiles_to_kinds(tiles: Iterable[int]) -> tuple[Kind, ...]:
    """Return the kinds of message values, in their order. Raises ValueError as :func:`kind_from_tile` does."""
    return tuple(kind_from_tile(tile) for tile in tiles)
