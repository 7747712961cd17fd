"""Complete, waiting and ready, by suit keys (RULES §3).

A *suit key* is the base-5 number of the counts of a suit's kinds: sum of counts[i] * 5**i. Tables of the keys that split
into sets, or into sets and a pair, are built once on first use, forwards from the sets; so is, for every key one tile
short of those, which ranks complete it. A hand's tiles then fit together or not by how many tiles each suit has modulo 3:
a complete hand has sets in every suit but one, and sets with the pair in that one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final, Self

from kawuxing.engine.rules import DEAL, RuleSet
from kawuxing.engine.tiles import COPIES, KINDS, SUIT_INDEX, SUIT_SIZE, SUIT_START, SUITS, Kind, Suit

Counts = Sequence[int]
"""How many of every kind, 30 numbers."""

KEY_BASE: Final = COPIES + 1
KEY_UNIT: Final = tuple(KEY_BASE ** (kind - SUIT_START[SUIT_INDEX[kind]]) for kind in range(KINDS))
"""What one tile of every kind adds to its suit's key."""


class Concealed:
    """The concealed tiles of one seat, kept in the forms that the questions below are answered from.

    Only :meth:`add` and :meth:`remove` change it; the attributes are for reading. ``melds`` counts the tiles of the seat's
    declared melds by kind, four for a kong, 30 numbers.
    """

    __slots__ = ("counts", "keys", "odd", "sizes")

    counts: list[int]
    """How many of every kind, 30 numbers."""
    keys: list[int]
    """The suit key of every suit in kind order."""
    sizes: list[int]
    """How many tiles of every suit in kind order."""
    odd: int
    """The kinds held an odd number of times, as a bit mask by kind."""

    def __init__(self, kinds: Iterable[Kind] = ()) -> None:
        """Hold these tiles, in any order."""
        self.counts = [0] * KINDS
        self.keys = [0] * len(SUITS)
        self.sizes = [0] * len(SUITS)
        self.odd = 0
        for kind in kinds:
            self.add(kind)

    @classmethod
    def from_counts(cls, counts: Counts) -> Self:
        """Return the concealed tiles with these counts."""
        return cls(kind for kind, count in enumerate(counts) for _ in range(count))

    def add(self, kind: Kind) -> None:
        """Take one tile of this kind into the hand."""
        suit = SUIT_INDEX[kind]
        self.counts[kind] += 1
        self.keys[suit] += KEY_UNIT[kind]
        self.sizes[suit] += 1
        self.odd ^= 1 << kind

    def remove(self, kind: Kind) -> None:
        """Take one tile of this kind, which must be there, out of the hand."""
        suit = SUIT_INDEX[kind]
        self.counts[kind] -= 1
        self.keys[suit] -= KEY_UNIT[kind]
        self.sizes[suit] -= 1
        self.odd ^= 1 << kind

    def is_complete(self, rules: RuleSet, melds: Counts) -> bool:
        """Return whether these tiles (14 less 3 for each meld) and the melds are a complete hand (RULES §3)."""
        raise NotImplementedError

    def waits(self, rules: RuleSet, melds: Counts) -> int:
        """Return the kinds that would complete these tiles (13 less 3 for each meld), as a bit mask by kind (RULES §3).

        A kind of which this seat already holds all four copies is left out. Minimum multipliers are ignored.
        """
        raise NotImplementedError

    def ready_discards(self, rules: RuleSet, melds: Counts) -> list[tuple[Kind, int]]:
        """Return each kind whose discard leaves these tiles (14 less 3 for each meld) ready, with the waits then.

        Kinds ascending, the waits as :meth:`waits` gives them; empty if no discard leaves the hand ready.
        """
        raise NotImplementedError


def is_complete(rules: RuleSet, concealed: Counts, melds: Counts) -> bool:
    """Return whether the concealed tiles (14 less 3 for each meld) and the melds are a complete hand.

    ``melds`` counts the tiles of the declared melds, four for a kong.
    """
    return Concealed.from_counts(concealed).is_complete(rules, melds)


def waits(rules: RuleSet, concealed: Counts, melds: Counts) -> int:
    """Return the kinds that would complete the concealed tiles (13 less 3 for each meld), as a bit mask by kind.

    A kind of which this seat already holds all four copies is left out. Minimum multipliers are ignored.
    """
    return Concealed.from_counts(concealed).waits(rules, melds)
