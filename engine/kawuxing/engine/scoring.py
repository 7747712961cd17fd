"""Readings, patterns and the total multiplier of a complete hand (RULES §4, and §9 for three-suit scoring)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

from kawuxing.engine.events import MeldType
from kawuxing.engine.observation import Meld
from kawuxing.engine.patterns import BEST_PATTERN, MULTIPLIED, Pattern
from kawuxing.engine.readings import Reading, readings
from kawuxing.engine.rules import ConcealedFourShape, RuleSet, Scoring
from kawuxing.engine.shapes import Concealed, Counts
from kawuxing.engine.tiles import COPIES, KINDS, RANK, SUIT_INDEX, SUITS, WHITE, Kind, Suit

_MELDS: Final = 4
_MIDDLE: Final = 5
_PUNG: Final = 3
_DRAGONS: Final = 3
_258: Final = (2, 5, 8)
_DRAGON_SUIT: Final = SUITS.index(Suit.DRAGONS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """How a hand was won, as far as patterns depend on it."""

    self_draw: bool = False
    """On a tile that the winner drew; a claim otherwise."""
    kong_draw: bool = False
    """杠上开花: on the replacement of its own kong."""
    kong_discard: bool = False
    """杠上炮: on the discard after a kong and its replacement."""
    rob_kong: bool = False
    """抢杠: on the tile of another seat's added kong."""
    last_draw: bool = False
    """海底捞: on a drawn tile, with no tile left in the wall."""
    last_discard: bool = False
    """海底炮: on a discard, with no tile left in the wall."""
    revealed: bool = False
    """The winner is revealed."""
    hidden_pungs: bool = False
    """The winner kept a pung face down when it revealed: no full_flush (RULES §5)."""


@dataclass(frozen=True, slots=True)
class Score:
    """The counted reading of a complete hand."""

    total: int
    """Its multiplier after the cap, before payer factors and shares."""
    patterns: tuple[Pattern, ...]
    """Its patterns, sorted; one that holds twice is listed twice."""


@dataclass(frozen=True, slots=True)
class _Hand:
    """A complete hand and how it was won."""

    rules: RuleSet
    concealed: Concealed
    melds: Sequence[Meld]
    winning_tile: Kind
    how: Circumstances
    flush: bool
    """full_flush counts: all tiles of one numbered suit, and nothing was kept face down."""


def score(
    rules: RuleSet, concealed: Counts, melds: Sequence[Meld], winning_tile: Kind, circumstances: Circumstances
) -> Score | None:
    """Return the score of the reading that counts, None if the hand is not complete.

    ``concealed`` includes the winning tile.
    """
    tiles = Concealed.from_counts(concealed)
    meld_counts = count_melds(melds)
    if not tiles.is_complete(rules, meld_counts):
        return None
    suits = {SUIT_INDEX[meld.tile] for meld in melds} | {suit for suit, size in enumerate(tiles.sizes) if size}
    flush = len(suits) == 1 and not circumstances.hidden_pungs
    hand = _Hand(rules, tiles, melds, winning_tile, circumstances, flush)
    if rules.scoring is Scoring.BEST_PATTERN:
        choices = [_best_pattern(hand, reading) for reading in _every_reading(hand)]
    else:
        ways = _ways_of_winning(hand)
        choices = [[*_patterns_of(hand, reading), *ways] for reading in _every_reading(hand)]
    return _counted(rules, choices, multipliers(rules))


def multipliers(rules: RuleSet) -> Mapping[Pattern, int]:
    """Return what each pattern multiplies by this rule set (RULES §4, §9)."""
    if rules.scoring is Scoring.BEST_PATTERN:
        return BEST_PATTERN
    return MULTIPLIED | {Pattern.LAST_DISCARD: rules.last_discard}


def count_melds(melds: Sequence[Meld]) -> list[int]:
    """Return the tiles of the melds as counts by kind, 30 numbers: three for a pung, four for any kong."""
    counts = [0] * KINDS
    for meld in melds:
        counts[meld.tile] += _PUNG if meld.type is MeldType.PUNG else COPIES
    return counts


def _every_reading(hand: _Hand) -> list[Reading | None]:
    """Return the readings of the hand; None stands for the one as seven pairs."""
    found: list[Reading | None] = [*readings(hand.concealed.counts)]
    if hand.rules.seven_pairs and not hand.melds and not hand.concealed.odd:
        found.append(None)
    return found


def _counted(rules: RuleSet, choices: Sequence[Sequence[Pattern]], factors: Mapping[Pattern, int]) -> Score:
    """Return the score of the choice with the largest capped total, then the largest product, then the first sorted."""
    best = min(
        (-_capped(rules, product, patterns), -product, tuple(sorted(patterns)))
        for patterns in choices
        for product in (prod(factors[pattern] for pattern in patterns),)
    )
    return Score(-best[0], best[2])


def _capped(rules: RuleSet, product: int, patterns: Sequence[Pattern]) -> int:
    if not rules.cap:
        return product
    own = [cap for pattern, cap in rules.cap_exempt if pattern in patterns]
    return min(product, max(own, default=rules.cap))


def _ways_of_winning(hand: _Hand) -> list[Pattern]:
    how = hand.how
    holds = {
        Pattern.KONG_DRAW: how.kong_draw,
        Pattern.KONG_DISCARD: how.kong_discard,
        Pattern.ROB_KONG: how.rob_kong,
        Pattern.LAST_DRAW: how.last_draw,
        Pattern.LAST_DISCARD: how.last_discard and hand.rules.last_discard > 1,
        Pattern.REVEAL: how.revealed,
    }
    return [pattern for pattern, held in holds.items() if held]


def _patterns_of(hand: _Hand, reading: Reading | None) -> Iterator[Pattern]:
    """Yield the patterns of one reading that multiply in ``multiplied`` scoring, but for the ways of winning."""
    if hand.flush:
        yield Pattern.FULL_FLUSH
    if reading is None:
        yield _seven_pairs(hand.concealed.counts)
        return
    if RANK[hand.winning_tile] == _MIDDLE and _is_middle(hand.winning_tile, reading):
        yield Pattern.MIDDLE_FIVE
    single_tile = len(hand.melds) == _MELDS
    if single_tile:
        yield Pattern.SINGLE_TILE_HAND
    if not reading.sequences and (not single_tile or hand.rules.single_tile_adds_all_pungs):
        yield Pattern.ALL_PUNGS
    yield from _three_dragons(hand, reading)
    yield from _fours(hand, reading)


def _seven_pairs(counts: Counts) -> Pattern:
    fours = sum(count == COPIES for count in counts)
    if fours == 0:
        return Pattern.SEVEN_PAIRS
    return Pattern.DRAGON_SEVEN_PAIRS if fours == 1 else Pattern.DOUBLE_DRAGON_SEVEN_PAIRS


def _is_middle(kind: Kind, reading: Reading) -> bool:
    """Return whether a concealed sequence has this kind in its middle; dragons have no sequences."""
    return kind - 1 in reading.sequences


def _three_dragons(hand: _Hand, reading: Reading) -> Iterator[Pattern]:
    sets = sum(kind >= WHITE for kind in [*reading.pungs, *(meld.tile for meld in hand.melds)])
    if sets == _DRAGONS:
        yield Pattern.BIG_THREE_DRAGONS
    elif sets == _DRAGONS - 1 and SUIT_INDEX[reading.pair] == _DRAGON_SUIT:
        yield Pattern.SMALL_THREE_DRAGONS


def _fours(hand: _Hand, reading: Reading) -> Iterator[Pattern]:
    """Yield exposed_four and concealed_four: for the winning tile, in a flush with ``four_in_flush`` for every kind."""
    every_kind = hand.flush and hand.rules.four_in_flush
    pungs = [meld.tile for meld in hand.melds if meld.type is MeldType.PUNG]
    for kind in range(KINDS) if every_kind else (hand.winning_tile,):
        if hand.concealed.counts[kind] == COPIES and _has_four_shape(hand.rules, kind, reading):
            yield Pattern.CONCEALED_FOUR
        elif hand.concealed.counts[kind] and kind in pungs:
            yield Pattern.EXPOSED_FOUR


def _has_four_shape(rules: RuleSet, kind: Kind, reading: Reading) -> bool:
    """Return whether the reading uses four concealed copies of a kind in the way that concealed_four asks."""
    if rules.concealed_four_shape is ConcealedFourShape.ANY:
        return True
    # With three copies in a pung, the fourth is in a sequence or nowhere.
    return kind in reading.pungs


def _best_pattern(hand: _Hand, reading: Reading | None) -> list[Pattern]:
    """Return the patterns of one reading in ``best_pattern`` scoring: the largest, then those that double it."""
    pungs = reading is not None and not reading.sequences
    melded = {meld.tile for meld in hand.melds}
    kinds = melded | {kind for kind, count in enumerate(hand.concealed.counts) if count}
    holds = {
        Pattern.FLUSH_PUNGS: pungs and hand.flush,
        Pattern.ALL_258: all(kind < WHITE and RANK[kind] in _258 for kind in kinds),
        Pattern.FULL_FLUSH: hand.flush,
        Pattern.ALL_PUNGS: pungs,
    }
    patterns = [pattern for pattern, held in holds.items() if held][:1]
    if hand.how.self_draw:
        patterns.append(Pattern.SELF_DRAW)
    if reading is not None and _is_middle(hand.winning_tile, reading):
        patterns.append(Pattern.GAP_WAIT)
    if hand.how.kong_draw:
        patterns.append(Pattern.KONG_DRAW)
    return patterns
