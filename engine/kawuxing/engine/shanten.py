"""Distance to ready, for bots: shanten and tile acceptance (a hand at shanten 0 is ready, at -1 complete).

Both follow from the complete hands nearest to the concealed tiles: those with the fewest tiles that are not held yet,
out of all that need no fifth copy of a kind, melds counted. They are found exactly. Each half of a suit is worked
through from its outer end towards the middle, rank by rank, keeping for every number of sets begun and every number of
sequences still open what is missing at least, and which kinds are missing in any of the cheapest ways; halves join into
suits, suits into hands. Halves and suits are remembered by their tiles.

A *need* is one number: how many tiles are missing, times 2**30, plus the bit mask of the kinds of which one is missing
in any of the cheapest ways. Needs of different kinds add up; equally cheap ways unite by ``|``. A *goal* is how many
sets there are to be, times two, plus one for the pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final

from kawuxing.engine.rules import DEAL, RuleSet
from kawuxing.engine.shapes import Counts
from kawuxing.engine.tiles import COPIES, KINDS, SUIT_END, SUIT_START, SUITS, Kind, Suit

HOPELESS: Final = 99
"""The shanten of a hand that no draws can complete: its melds have more suits than ``max_suits``."""

_MOST: Final = 2 * 4 + 1
"""The largest goal: four sets and a pair."""
_PAIRS: Final = 7
_SET: Final = 3
_PAIR: Final = 2
_LEFT: Final = 5
_CACHED_HALVES: Final = 1 << 13
_CACHED_SUITS: Final = 1 << 14

_MISSING: Final = KINDS
"""The bit from which on a need counts the missing tiles."""
_MASK: Final = (1 << _MISSING) - 1
_HOPELESS_NEED: Final = (HOPELESS + 1) << _MISSING

_Cell = tuple[int, int]
"""Of one kind: how many are held, and how many copies a complete hand can have concealed."""
_Open = tuple[int, int]
"""How many sequences need one more rank, and how many need two."""
_Needs = dict[int, int]
"""The need of every goal."""


def outlook(rules: RuleSet, concealed: Counts, melds: Counts) -> tuple[int, int]:
    """Return the shanten and, as a bit mask by kind, the kinds whose draw would lower it.

    ``concealed`` has 13 or 14 tiles, less 3 for each meld. The shanten is HOPELESS, with no such kind, if the melds
    rule a complete hand out.
    """
    need = _HOPELESS_NEED
    for suits in allowed_suits(rules, melds):
        need = _cheaper(need, _standard_need(suits, concealed, melds))
        if rules.seven_pairs and sum(concealed) >= DEAL:
            need = _cheaper(need, _seven_pairs_need(suits, concealed))
    return (need >> _MISSING) - 1, need & _MASK


def shanten(rules: RuleSet, concealed: Counts, melds: Counts) -> int:
    """Return how many useful draws the concealed tiles are away from ready: 0 is ready, -1 complete.

    HOPELESS if the melds rule a complete hand out.
    """
    return outlook(rules, concealed, melds)[0]


def acceptance(rules: RuleSet, concealed: Counts, melds: Counts) -> tuple[Kind, ...]:
    """Return the kinds, ascending, whose draw would lower the shanten of the concealed tiles (13 less 3 a meld)."""
    mask = outlook(rules, concealed, melds)[1]
    return tuple(kind for kind in range(mask.bit_length()) if mask >> kind & 1)


def allowed_suits(rules: RuleSet, melds: Counts) -> Iterator[tuple[int, ...]]:
    """Yield the largest choices of suits, as indexes in SUITS, that a complete hand with these melds can be of."""
    if not rules.max_suits:
        yield rules.suit_indexes
        return
    numbered = [suit for suit in rules.suit_indexes if SUITS[suit] is not Suit.DRAGONS]
    others = tuple(suit for suit in rules.suit_indexes if suit not in numbered)
    melded = {suit for suit in numbered if any(melds[SUIT_START[suit] : SUIT_END[suit]])}
    for chosen in combinations(numbered, min(rules.max_suits, len(numbered))):
        if melded.issubset(chosen):
            yield chosen + others


def _cheaper(one: int, other: int) -> int:
    if one >> _MISSING == other >> _MISSING:
        return one | other
    return min(one, other)


def _standard_need(suits: Sequence[int], concealed: Counts, melds: Counts) -> int:
    """Return what is missing to as many sets as the number of tiles makes, and a pair, in these suits."""
    goal = sum(concealed) // _SET * 2 + 1
    *first, last = [_needs_of(suit, concealed, melds) for suit in suits]
    before: _Needs = {0: 0}
    for needs in first:
        before = _join([(before, needs, 0)], goal)
    need = _HOPELESS_NEED
    for done, known in before.items():
        rest = last.get(goal - done)
        if rest is not None:
            need = _cheaper(need, known + rest)
    return need


def _needs_of(suit: int, concealed: Counts, melds: Counts) -> _Needs:
    start = SUIT_START[suit]
    needs = _suit_needs(tuple((concealed[kind], COPIES - melds[kind]) for kind in range(start, SUIT_END[suit])))
    return {goal: (need & ~_MASK) | (need & _MASK) << start for goal, need in needs.items()}


def _seven_pairs_need(suits: Sequence[int], concealed: Counts) -> int:
    """Return what is missing to seven pairs in these suits, four alike being two."""
    kinds = [kind for suit in suits for kind in range(SUIT_START[suit], SUIT_END[suit])]
    lacking = _PAIRS - sum(concealed[kind] // _PAIR for kind in kinds)
    if lacking <= 0:
        return 0
    odd = [kind for kind in kinds if concealed[kind] % _PAIR]
    if lacking <= len(odd):
        return lacking << _MISSING | _mask(odd)
    # Beside the odd tiles whole pairs are missing, of any kind that has room.
    room = [kind for kind in kinds if concealed[kind] < COPIES]
    return (len(odd) + _PAIR * (lacking - len(odd))) << _MISSING | _mask(room)


def _mask(kinds: Iterable[Kind]) -> int:
    return sum(1 << kind for kind in kinds)


def _join(parts: Iterable[tuple[_Needs, _Needs, int]], most: int = _MOST) -> _Needs:
    """Return the needs of both sides of each part together, of goals up to ``most``.

    A part is the needs of either side, and how much of the goal is counted on both.
    """
    joined: _Needs = {}
    for left, right, shared in parts:
        for left_goal, left_need in left.items():
            for right_goal, right_need in right.items():
                goal = left_goal + right_goal - shared
                if goal <= most and not left_goal & right_goal & 1:
                    need = left_need + right_need
                    known = joined.get(goal)
                    joined[goal] = need if known is None else _cheaper(known, need)
    return joined


@lru_cache(_CACHED_SUITS)
def _suit_needs(cells: tuple[_Cell, ...]) -> _Needs:
    """Return the needs of one suit, with masks by index in the suit. Three kinds are the dragons."""
    if len(cells) <= _SET:
        return _half_needs(cells, sequences=False)[0, 0]
    left = _half_needs(cells[:_LEFT], sequences=True)
    right = _mirrored_half_needs(cells[: _LEFT - 1 : -1], len(cells))
    # A sequence across the middle is open on both sides: what the left has still to find, the right has found.
    return _join((needs, right[two, one], 2 * (one + two)) for (one, two), needs in left.items() if (two, one) in right)


@lru_cache(_CACHED_HALVES)
def _mirrored_half_needs(cells: tuple[_Cell, ...], size: int) -> dict[_Open, _Needs]:
    """Return the needs of the half of a suit of this size that ``cells`` describes from its last kind inwards."""
    mirrored = {1 << index: 1 << (size - 1 - index) for index in range(len(cells))}
    return {
        state: {
            goal: (need & ~_MASK) | sum(there for here, there in mirrored.items() if need & here)
            for goal, need in needs.items()
        }
        for state, needs in _half_needs(cells, sequences=True).items()
    }


@lru_cache(_CACHED_HALVES)
def _half_needs(cells: tuple[_Cell, ...], *, sequences: bool) -> dict[_Open, _Needs]:
    """Return the needs of these kinds of one suit, from its end inwards, by the sequences still open."""
    if not cells:
        return {(0, 0): {0: 0}}
    held, limit = cells[-1]
    bit = 1 << (len(cells) - 1)
    result: dict[_Open, _Needs] = {}
    for (one, two), needs in _half_needs(cells[:-1], sequences=sequences).items():
        for begun, pung, pair in _GROUPS if sequences else _GROUPS_WITHOUT_SEQUENCES:
            used = one + two + begun + _SET * pung + _PAIR * pair
            if used > limit:
                continue
            here = 2 * (begun + pung) + pair
            lacking = (used - held) << _MISSING | bit if used > held else 0
            target = result.setdefault((two, begun), {})
            for goal, need in _join([(needs, {here: lacking}, 0)]).items():
                known = target.get(goal)
                target[goal] = need if known is None else _cheaper(known, need)
    return result


_GROUPS: Final = tuple((begun, pung, pair) for begun in range(3) for pung in range(2) for pair in range(2))
"""Sequences begun, pungs and pairs at one kind. Three sequences of the same kinds are three pungs too."""
_GROUPS_WITHOUT_SEQUENCES: Final = tuple(group for group in _GROUPS if group[0] == 0)
