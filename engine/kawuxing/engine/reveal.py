"""Revealing 亮倒: what may stay face down, and which kongs a revealed seat may still make (RULES §5)."""

from __future__ import annotations

from itertools import combinations
from typing import Final

from kawuxing.engine.rules import Reveal, RuleSet
from kawuxing.engine.table import KONG_TILES, PUNG_TILES, SeatState
from kawuxing.engine.tiles import SUIT_INDEX, Kind

_NOTHING_HIDDEN: Final[list[tuple[Kind, ...]]] = [()]


def face_down_choices(rules: RuleSet, seat: SeatState, discard: Kind, waits: int) -> list[tuple[Kind, ...]]:
    """Return every set of pungs that may be kept face down when revealing with ``discard``, in canonical order.

    ``waits`` are the waits after that discard; a set may be hidden if the rest of the hand waits on just the same.
    """
    if rules.reveal is not Reveal.WAIT:
        return _NOTHING_HIDDEN
    concealed = seat.concealed
    concealed.remove(discard)
    pungs = [kind for kind, count in enumerate(concealed.counts) if count == PUNG_TILES]
    choices = [
        kinds
        for size in range(len(pungs) + 1)
        for kinds in combinations(pungs, size)
        if _waits_without(rules, seat, kinds) == waits
    ]
    concealed.add(discard)
    return sorted(choices)


def waits_after_kong(rules: RuleSet, seat: SeatState, tile: Kind) -> int:
    """Return the waits that a revealed seat has after a kong of ``tile``, as a bit mask by kind; 0 if it may not kong.

    The seat holds three of the kind concealed, or has drawn the fourth, or has drawn what an exposed pung of it lacks.
    """
    before = seat.waits(rules)
    held = seat.concealed.counts[tile]
    after = _waits_without(rules, seat, (), konged=tile, taken=held)
    if after == before:
        return after
    # A kong can only take waits away: what completes the rest of the hand completes it with a pung beside it, too.
    if rules.revealed_flush_kong and not seat.hid_pungs and _one_suit(seat):
        return after
    return 0


def _waits_without(
    rules: RuleSet, seat: SeatState, hidden: tuple[Kind, ...], *, konged: Kind = -1, taken: int = 0
) -> int:
    """Return the waits with the hidden pungs and a kong counted as melds: ``taken`` of its tiles are concealed now."""
    concealed, melded = seat.concealed, list(seat.melded)
    moved = [kind for kind in hidden for _ in range(PUNG_TILES)] + [konged] * taken
    for kind in moved:
        concealed.remove(kind)
    for kind in hidden:
        melded[kind] += PUNG_TILES
    if konged >= 0:
        melded[konged] = KONG_TILES
    waits = concealed.waits(rules, melded)
    for kind in moved:
        concealed.add(kind)
    return waits


def _one_suit(seat: SeatState) -> bool:
    """Return whether all tiles of the seat are of one suit, melds included."""
    suits = {SUIT_INDEX[kind] for kind, count in enumerate(seat.concealed.counts) if count or seat.melded[kind]}
    return len(suits) == 1
