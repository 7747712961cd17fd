"""Complete, waiting and ready, by suit keys (RULES §3).

A *suit key* is the base-5 number of the counts of a suit's kinds: sum of counts[i] * 5**i. Tables of the keys that
split into sets, or into sets and a pair, and of the keys one tile short of those, are built once on first use, forwards
from the sets. How many tiles each suit has, modulo 3, then says in which table to look it up: a complete hand has sets
in every suit but one, and sets with the pair in that one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Final, Self

from kawuxing.engine.rules import DEAL, RuleSet
from kawuxing.engine.tiles import COPIES, KINDS, SUIT_END, SUIT_INDEX, SUIT_SIZE, SUIT_START, SUITS, Kind, Suit

Counts = Sequence[int]
"""How many of every kind, 30 numbers."""

KEY_BASE: Final = COPIES + 1
KEY_UNIT: Final = tuple(KEY_BASE ** (kind - SUIT_START[SUIT_INDEX[kind]]) for kind in range(KINDS))
"""What one tile of every kind adds to its suit's key."""

_MAX_SETS: Final = 4
_SEQUENCE: Final = 3
_SET: Final = 3
_PAIR: Final = 2
_BY_REST: Final = {
    rests: (
        tuple(suit for suit, rest in enumerate(rests) if rest == 0),
        tuple(suit for suit, rest in enumerate(rests) if rest == 1),
        tuple(suit for suit, rest in enumerate(rests) if rest == _PAIR),
    )
    for rests in product(range(_SET), repeat=len(SUITS))
}
"""For the sizes of the suits modulo 3: the suits with rest 0, with 1 and with 2, each ascending."""
_WAITING: Final = ((1, 0), (0, 2))
"""How many suits can have rest 1 and rest 2 in a hand that is one tile short of four sets and a pair."""
_NUMBERED: Final = tuple(index for index, suit in enumerate(SUITS) if suit is not Suit.DRAGONS)


@dataclass(frozen=True, slots=True)
class SuitTables:
    """The suit keys that matter, for one sort of suit. Masks are by index in the suit."""

    sets: frozenset[int]
    """Keys that split into sets, 0 (no tiles) among them."""
    pairs: frozenset[int]
    """Keys that split into sets and a pair."""
    set_waits: dict[int, int]
    """Keys one tile short of ``sets``, with the mask of the kinds that complete them."""
    pair_waits: dict[int, int]
    """Keys one tile short of ``pairs``, with the mask of the kinds that complete them."""


@cache
def suit_tables() -> tuple[SuitTables, ...]:
    """Return the tables of every suit in kind order; the numbered suits share one."""
    numbered = _build_tables(SUIT_SIZE[0], sequences=True)
    dragons = _build_tables(SUIT_SIZE[SUITS.index(Suit.DRAGONS)], sequences=False)
    return tuple(dragons if suit is Suit.DRAGONS else numbered for suit in SUITS)


def _build_tables(size: int, *, sequences: bool) -> SuitTables:
    units = [KEY_BASE**index for index in range(size)]
    groups = [((unit,), _SET) for unit in units]
    if sequences:
        groups += [(tuple(units[index : index + _SEQUENCE]), 1) for index in range(size - _SEQUENCE + 1)]
    sets = {0}
    layer = {0}
    for _ in range(_MAX_SETS):
        layer = {key for base in layer for key in _add_groups(base, groups)}
        sets |= layer
    pairs = {key for base in sets for key in _add_groups(base, [((unit,), _PAIR) for unit in units])}
    return SuitTables(frozenset(sets), frozenset(pairs), _one_short(sets, units), _one_short(pairs, units))


def _add_groups(key: int, groups: Sequence[tuple[tuple[int, ...], int]]) -> list[int]:
    """Return the keys with one more of the groups (units, and copies of each), no kind held more than four times."""
    return [
        key + copies * sum(units)
        for units, copies in groups
        if all(key // unit % KEY_BASE + copies <= COPIES for unit in units)
    ]


def _one_short(keys: Iterable[int], units: Sequence[int]) -> dict[int, int]:
    short: dict[int, int] = {}
    for key in keys:
        for index, unit in enumerate(units):
            if key // unit % KEY_BASE:
                short[key - unit] = short.get(key - unit, 0) | 1 << index
    return short


class Concealed:
    """The concealed tiles of one seat, kept in the forms that the questions below are answered from.

    Only :meth:`add` and :meth:`remove` change it; the attributes are for reading. Where a question takes ``melds``,
    these are the counts of the tiles in the seat's declared melds, four for a kong.
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
        if not (self._is_standard() or (rules.seven_pairs and not self.odd and sum(self.sizes) == DEAL + 1)):
            return False
        return not rules.max_suits or self._suits_used(melds) <= rules.max_suits

    def waits(self, rules: RuleSet, melds: Counts) -> int:
        """Return the kinds that would complete these tiles (13 less 3 for each meld), as a bit mask by kind (RULES §3).

        A kind of which this seat already holds all four copies is left out. Minimum multipliers are ignored.
        """
        mask = self._standard_waits()
        # An odd number of tiles leaves an odd number of kinds odd; if it is one, that kind makes the seventh pair.
        if rules.seven_pairs and self.odd & (self.odd - 1) == 0 and sum(self.sizes) == DEAL:
            mask |= self.odd
        if not mask:
            return 0
        # A wait always lies in a suit that is there already, so the waits do not change how many suits there are.
        if rules.max_suits and self._suits_used(melds) > rules.max_suits:
            return 0
        left = mask
        while left:
            bit = left & -left
            left ^= bit
            kind = bit.bit_length() - 1
            if self.counts[kind] + melds[kind] >= COPIES:
                mask ^= bit
        return mask

    def ready_discards(self, rules: RuleSet, melds: Counts) -> list[tuple[Kind, int]]:
        """Return each kind whose discard leaves these tiles (14 less 3 for each meld) ready, with the waits then.

        Kinds ascending, the waits as :meth:`waits` gives them; empty if no discard leaves the hand ready.
        """
        suits = self._ready_suits()
        if rules.seven_pairs and self.odd.bit_count() <= _PAIR and sum(self.sizes) == DEAL + 1:
            suits = [suit for suit, size in enumerate(self.sizes) if size]
        ready: list[tuple[Kind, int]] = []
        for suit in suits:
            for kind in range(SUIT_START[suit], SUIT_END[suit]):
                if self.counts[kind]:
                    self.remove(kind)
                    mask = self.waits(rules, melds)
                    self.add(kind)
                    if mask:
                        ready.append((kind, mask))
        return ready

    def _suits_used(self, melds: Counts) -> int:
        """Return of how many numbered suits there are tiles, melds included: what max_suits limits."""
        return sum(self.sizes[suit] > 0 or any(melds[SUIT_START[suit] : SUIT_END[suit]]) for suit in _NUMBERED)

    def _by_rest(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Return the suits whose sizes modulo 3 are 0, those with 1 and those with 2, each ascending."""
        first, second, third, fourth = self.sizes
        return _BY_REST[first % _SET, second % _SET, third % _SET, fourth % _SET]

    def _all_sets(self, suits: Sequence[int]) -> bool:
        tables = suit_tables()
        for suit in suits:  # noqa: SIM110  (a generator costs more than the whole question)
            if self.keys[suit] not in tables[suit].sets:
                return False
        return True

    def _is_standard(self) -> bool:
        zeros, ones, twos = self._by_rest()
        if ones or len(twos) != 1:
            return False
        suit = twos[0]
        return self.keys[suit] in suit_tables()[suit].pairs and self._all_sets(zeros)

    def _standard_waits(self) -> int:
        """Return what would make four sets and a pair, not looking at how many copies of it are left."""
        zeros, ones, twos = self._by_rest()
        if (len(ones), len(twos)) not in _WAITING or not self._all_sets(zeros):
            return 0
        tables = suit_tables()
        keys = self.keys
        if ones:
            suit = ones[0]
            return tables[suit].pair_waits.get(keys[suit], 0) << SUIT_START[suit]
        mask = 0
        for pair, wait in (twos, twos[::-1]):
            if keys[pair] in tables[pair].pairs:
                mask |= tables[wait].set_waits.get(keys[wait], 0) << SUIT_START[wait]
        return mask

    def _ready_suits(self) -> Sequence[int]:
        """Return the suits, ascending, out of which a discard may leave four sets and a pair but for one tile.

        A quick answer that rejects nearly all hands; it names every suit that matters, perhaps others too.
        """
        tables = suit_tables()
        keys = self.keys
        zeros, ones, twos = self._by_rest()
        match len(ones), len(twos):
            case 0, 1:
                return self._ready_suits_beside(twos[0], zeros)
            case 2, 0 if self._all_sets(zeros):
                # One suit gives the discard and is sets then, the other waits to have the pair.
                first, second = ones
                return [give for give, wait in (ones, (second, first)) if keys[wait] in tables[wait].pair_waits]
            case 1, 2 if self._all_sets(zeros):
                # The odd suit gives the discard; of the other two one has the pair, the other is a tile short of sets.
                for pair, wait in (twos, twos[::-1]):
                    if keys[pair] in tables[pair].pairs and keys[wait] in tables[wait].set_waits:
                        return ones
        return ()

    def _ready_suits_beside(self, two: int, zeros: Sequence[int]) -> Sequence[int]:
        """Return the same where suit ``two`` has two tiles over whole sets and the others none."""
        tables = suit_tables()
        broken = [suit for suit in zeros if self.keys[suit] not in tables[suit].sets]
        if not broken:
            return [suit for suit, size in enumerate(self.sizes) if size]
        # The broken suit gives the discard; ``two`` then has the pair, or is a tile short of sets and the other has it.
        key = self.keys[two]
        return broken if len(broken) == 1 and (key in tables[two].pairs or key in tables[two].set_waits) else ()


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
