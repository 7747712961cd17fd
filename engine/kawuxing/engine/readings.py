"""Readings: every way to split the concealed tiles of a complete hand into sets and a pair (RULES §4)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Final

from kawuxing.engine.shapes import Counts
from kawuxing.engine.tiles import SUIT_END, SUIT_START, SUITS, Kind, Suit

_PUNG: Final = 3
_PAIR: Final = 2
_SEQUENCE: Final = 3
_CACHED_SUITS: Final = 1 << 14

_Split = tuple[tuple[Kind, ...], tuple[Kind, ...]]
"""The pungs, and the sequences by their lowest kind, of one way to split one suit; both ascending."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to split concealed tiles into sets and a pair."""

    pungs: tuple[Kind, ...]
    """Kinds of the concealed pungs, ascending."""
    sequences: tuple[Kind, ...]
    """Lowest kinds of the concealed sequences, ascending."""
    pair: Kind


def readings(concealed: Counts) -> list[Reading]:
    """Return every reading of the concealed tiles as sets and one pair, each once; empty if there is none."""
    found: list[Reading] = []
    for pair, count in enumerate(concealed):
        if count >= _PAIR:
            rest = list(concealed)
            rest[pair] -= _PAIR
            suits = [_splits(suit, tuple(rest[SUIT_START[suit] : SUIT_END[suit]])) for suit in range(len(SUITS))]
            for parts in product(*suits):
                pungs = tuple(kind for part in parts for kind in part[0])
                sequences = tuple(kind for part in parts for kind in part[1])
                found.append(Reading(pungs, sequences, pair))
    return found


@lru_cache(_CACHED_SUITS)
def _splits(suit: int, counts: tuple[int, ...]) -> tuple[_Split, ...]:
    """Return every split of these tiles of one suit (by index in SUITS) into sets, sorted; of no tiles an empty one."""
    lowest = next((index for index, count in enumerate(counts) if count), -1)
    if lowest < 0:
        return (((), ()),)
    kind = SUIT_START[suit] + lowest
    found: set[_Split] = set()
    if counts[lowest] >= _PUNG:
        rest = (*counts[:lowest], counts[lowest] - _PUNG, *counts[lowest + 1 :])
        found |= {((kind, *pungs), sequences) for pungs, sequences in _splits(suit, rest)}
    run = counts[lowest : lowest + _SEQUENCE]
    if SUITS[suit] is not Suit.DRAGONS and len(run) == _SEQUENCE and all(run):
        rest = (*counts[:lowest], *(count - 1 for count in run), *counts[lowest + _SEQUENCE :])
        found |= {(pungs, (kind, *sequences)) for pungs, sequences in _splits(suit, rest)}
    return tuple(sorted(found))
