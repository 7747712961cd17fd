"""Distance to ready, for bots: shanten and tile acceptance (a hand at shanten 0 is ready, at -1 complete).

Both follow from the complete hands nearest to the concealed tiles: those with the fewest tiles that are not held yet, out
of all that need no fifth copy of a kind, melds counted. They are found exactly. Each half of a suit is worked through
from its outer end towards the middle, rank by rank, keeping for every number of sets begun and every number of sequences
still open what is missing at least, and which kinds are missing in any of the cheapest ways; halves join into suits,
suits into hands. Halves and suits are remembered by their tiles.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final

from kawuxing.engine.rules import DEAL, RuleSet
from kawuxing.engine.shapes import Counts
from kawuxing.engine.tiles import COPIES, SUIT_END, SUIT_START, SUITS, Kind, Suit

HOPELESS: Final = 99
"""The shanten of a hand that no draws can complete: its melds have more suits than ``max_suits``."""

_MAX_SETS: Final = 4
_PAIRS: Final = 7
_SET: Final = 3
_PAIR: Final = 2
_LEFT: Final = 5
_CACHED_HALVES: Final = 1 << 13
_CACHED_SUITS: Final = 1 << 14

_Cell = tuple[int, int]
"""Of one kind: how many are held, and how many copies a complete hand can have concealed."""
_Need = tuple[int, int]
"""How many tiles are missing, and the mask of the kinds of which one is missing in any of the cheapest ways."""
_Open = tuple[int, int]
"""How many sequences need one more rank, and how many need two."""
_Goal = tuple[int, int]
"""How many sets, and whether there is a pair (0 or 1)."""
_Needs = dict[_Goal, _Need]


def outlook(rules: RuleSet, concealed: Counts, melds: Counts) -> tuple[int, int]:
    """Return the shanten and, as a bit mask by kind, the kinds whose draw would lower it.

    ``concealed`` has 13 or 14 tiles, less 3 for each meld. The shanten is HOPELESS, with no such kind, if the melds rule
    a complete hand out.
    """
    missing, mask = HOPELESS + 1, 0
    for suits in _allowed_suits(rules, melds):
        needs = [_standard_need(suits, concealed, melds)]
        if rules.seven_pairs and sum(concealed) >= DEAL:
            needs.append(_seven_pairs_need(suits, concealed))
        for need in needs:
            missing, mask = _cheaper((missing, mask), need)
    return missing - 1, mask


def shanten(rules: RuleSet, concealed: Counts, melds: Counts) -> int:
    """Return how many useful draws the concealed tiles are away from ready: 0 is ready, -1 complete.

    HOPELESS if the melds rule a complete hand out.
    """
    return outlook(rules, concealed, melds)[0]


def acceptance(rules: RuleSet, concealed: Counts, melds: Counts) -> tuple[Kind, ...]:
    """Return the kinds, ascending, whose draw would lower the shanten of the concealed tiles (13 less 3 a meld)."""
    mask = outlook(rules, concealed, melds)[1]
    return tuple(kind for kind in range(mask.bit_length()) if mask >> kind & 1)


def _allowed_suits(rules: RuleSet, melds: Counts) -> Iterator[tuple[int, ...]]:
    """Yield the largest choices of suits, as indexes in SUITS, that the tiles of a complete hand can be of."""
    if not rules.max_suits:
        yield rules.suit_indexes
        return
    numbered = [suit for suit in rules.suit_indexes if SUITS[suit] is not Suit.DRAGONS]
    others = tuple(suit for suit in rules.suit_indexes if suit not in numbered)
    melded = {suit for suit in numbered if any(melds[SUIT_START[suit] : SUIT_END[suit]])}
    for chosen in combinations(numbered, min(rules.max_suits, len(numbered))):
        if melded.issubset(chosen):
            yield chosen + others


def _cheaper(one: _Need, other: _Need) -> _Need:
    if one[0] == other[0]:
        return one[0], one[1] | other[1]
    return min(one, other)


def _standard_need(suits: Sequence[int], concealed: Counts, melds: Counts) -> _Need:
    """Return what is missing to as many sets as the number of tiles makes, and a pair, in these suits."""
    sets = sum(concealed) // _SET
    needs: _Needs = {(0, 0): (0, 0)}
    for suit in suits:
        cells = tuple((concealed[kind], COPIES - melds[kind]) for kind in range(SUIT_START[suit], SUIT_END[suit]))
        shifted = {goal: (missing, mask << SUIT_START[suit]) for goal, (missing, mask) in _suit_needs(cells).items()}
        needs = _join([(needs, shifted, 0)], sets)
    return needs[sets, 1]


def _seven_pairs_need(suits: Sequence[int], concealed: Counts) -> _Need:
    """Return what is missing to seven pairs in these suits, four alike being two."""
    kinds = [kind for suit in suits for kind in range(SUIT_START[suit], SUIT_END[suit])]
    lacking = _PAIRS - sum(concealed[kind] // _PAIR for kind in kinds)
    if lacking <= 0:
        return 0, 0
    odd = [kind for kind in kinds if concealed[kind] % _PAIR]
    if lacking <= len(odd):
        return lacking, _mask(odd)
    # Beside the odd tiles whole pairs are missing, of any kind that has room.
    room = [kind for kind in kinds if concealed[kind] < COPIES]
    return len(odd) + _PAIR * (lacking - len(odd)), _mask(room)


def _mask(kinds: Iterable[Kind]) -> int:
    return sum(1 << kind for kind in kinds)


def _join(parts: Iterable[tuple[_Needs, _Needs, int]], max_sets: int = _MAX_SETS) -> _Needs:
    """Return the needs of both sides of each part together, of which ``shared`` sets have been counted on both sides."""
    joined: _Needs = {}
    for left, right, shared in parts:
        for (left_sets, left_pair), (left_missing, left_mask) in left.items():
            for (right_sets, right_pair), (right_missing, right_mask) in right.items():
                goal = (left_sets + right_sets - shared, left_pair + right_pair)
                if goal[0] <= max_sets and goal[1] <= 1:
                    _keep_cheapest(joined, goal, left_missing + right_missing, left_mask | right_mask)
    return joined


def _keep_cheapest(needs: _Needs, goal: _Goal, missing: int, mask: int) -> None:
    known = needs.get(goal)
    if known is None or missing < known[0]:
        needs[goal] = (missing, mask)
    elif missing == known[0]:
        needs[goal] = (missing, mask | known[1])


@lru_cache(_CACHED_SUITS)
def _suit_needs(cells: tuple[_Cell, ...]) -> _Needs:
    """Return what is missing in one suit to every goal; masks are by index in the suit. Three kinds are the dragons."""
    if len(cells) <= _SET:
        return _half_needs(cells, False)[0, 0]
    left = _half_needs(cells[:_LEFT], True)
    right = _half_needs(cells[: _LEFT - 1 : -1], True)
    mirrored = {
        state: {goal: (missing, _mirror(mask, len(cells))) for goal, (missing, mask) in needs.items()}
        for state, needs in right.items()
    }
    # A sequence across the middle is open on both sides: what the left has still to find, the right has found.
    return _join((needs, mirrored[two, one], one + two) for (one, two), needs in left.items() if (two, one) in mirrored)


def _mirror(mask: int, size: int) -> int:
    return sum(1 << (size - 1 - index) for index in range(size) if mask >> index & 1)


@lru_cache(_CACHED_HALVES)
def _half_needs(cells: tuple[_Cell, ...], sequences: bool) -> dict[_Open, _Needs]:
    """Return what is missing among these kinds of one suit, from its end inwards, by open sequences and goal."""
    if not cells:
        return {(0, 0): {(0, 0): (0, 0)}}
    held, limit = cells[-1]
    bit = 1 << (len(cells) - 1)
    result: dict[_Open, _Needs] = {}
    for (one, two), needs in _half_needs(cells[:-1], sequences).items():
        for begun, pung, pair in _GROUPS if sequences else _GROUPS_WITHOUT_SEQUENCES:
            used = one + two + begun + _SET * pung + _PAIR * pair
            if used > limit:
                continue
            lacking = max(0, used - held)
            extra = bit if lacking else 0
            target = result.setdefault((two, begun), {})
            for (sets, paired), (missing, mask) in needs.items():
                goal = (sets + begun + pung, paired + pair)
                if goal[0] <= _MAX_SETS and goal[1] <= 1:
                    _keep_cheapest(target, goal, missing + lacking, mask | extra)
    return result


_GROUPS: Final = tuple((begun, pung, pair) for begun in range(3) for pung in range(2) for pair in range(2))
"""Sequences begun, pungs and pairs at one kind. Three sequences of the same kinds are three pungs too."""
_GROUPS_WITHOUT_SEQUENCES: Final = tuple(group for group in _GROUPS if group[0] == 0)
