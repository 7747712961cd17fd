"""A second scorer, slow and obviously right: it spells RULES §3, §4 and §9 out and shares no code with the engine.

Tiles are mpsz texts, a meld is its kind of meld and its tile, options and flags have their names in RULES.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from math import prod
from typing import Any

MULTIPLIERS = {
    "middle_five": 2,
    "all_pungs": 2,
    "exposed_four": 2,
    "concealed_four": 4,
    "seven_pairs": 4,
    "dragon_seven_pairs": 8,
    "double_dragon_seven_pairs": 16,
    "small_three_dragons": 4,
    "big_three_dragons": 8,
    "full_flush": 4,
    "single_tile_hand": 4,
    "kong_draw": 2,
    "kong_discard": 2,
    "rob_kong": 2,
    "last_draw": 2,
    "last_discard": 2,
    "reveal": 2,
}
DRAGONS = ("5z", "6z", "7z")

Sets = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Win:
    """A hand at the moment of winning; ``concealed`` includes the winning tile."""

    options: Mapping[str, Any]
    concealed: Sequence[str]
    melds: Sequence[tuple[str, str]]
    winning_tile: str
    flags: AbstractSet[str] = field(default_factory=set)

    @property
    def tiles(self) -> list[str]:
        """Every tile of the hand, melds included."""
        melded = [tile for kind, tile in self.melds for _ in range(3 if kind == "pung" else 4)]
        return [*self.concealed, *melded]

    @property
    def flush(self) -> bool:
        """Whether full_flush holds."""
        suits = {tile[1] for tile in self.tiles}
        return len(suits) == 1 and suits != {"z"} and "hidden_pungs" not in self.flags


def naive_score(win: Win) -> tuple[int, tuple[str, ...]] | None:
    """Return the total and the sorted patterns of the reading that counts, None if the hand is not complete."""
    most_suits = win.options["max_suits"]
    if most_suits and len({tile[1] for tile in win.tiles}) > most_suits:
        return None
    if win.options["scoring"] == "best_pattern":
        scored = [best_pattern_of(win, sets) for _, sets in standard_readings(win)]
    else:
        readings = [standard_patterns(win, pair, sets) for pair, sets in standard_readings(win)]
        if is_seven_pairs(win):
            readings.append(seven_pairs_patterns(win))
        scored = [multiplied(patterns + ways_of_winning(win)) for patterns in readings]
    ranked = [rank(win, product, patterns) for product, patterns in scored]
    if not ranked:
        return None
    total, _, patterns = min(ranked)
    return -total, tuple(patterns)


def multiplied(patterns: list[str]) -> tuple[int, list[str]]:
    """Return the product of the patterns, and the patterns."""
    return prod(MULTIPLIERS[pattern] for pattern in patterns), patterns


def rank(win: Win, product: int, patterns: list[str]) -> tuple[int, int, list[str]]:
    """Return what sorts a reading before those that count less: largest total, largest product, first patterns."""
    exempt = [cap for pattern, cap in win.options["cap_exempt"].items() if pattern in patterns]
    cap = max(exempt, default=win.options["cap"])
    return -(min(product, cap) if cap else product), -product, sorted(patterns)


def standard_readings(win: Win) -> set[tuple[str, Sets]]:
    """Return every way to split the concealed tiles into a pair and as many sets as the melds leave open."""
    tiles = sorted(win.concealed, key=lambda tile: (tile[1], tile[0]))
    if len(tiles) != 14 - 3 * len(win.melds):
        return set()
    readings: set[tuple[str, Sets]] = set()
    for pair in set(tiles):
        if tiles.count(pair) >= 2:
            rest = list(tiles)
            rest.remove(pair)
            rest.remove(pair)
            readings.update((pair, sets) for sets in splits(rest))
    return readings


def splits(tiles: list[str]) -> Iterator[Sets]:
    """Yield every split of sorted tiles into sets: the first tile is in a pung or begins a sequence."""
    if not tiles:
        yield ()
        return
    first = tiles[0]
    candidates = [(first, first, first)]
    if first[1] != "z" and int(first[0]) <= 7:
        candidates.append((first, f"{int(first[0]) + 1}{first[1]}", f"{int(first[0]) + 2}{first[1]}"))
    for candidate in candidates:
        if all(tiles.count(tile) >= candidate.count(tile) for tile in candidate):
            rest = list(tiles)
            for tile in candidate:
                rest.remove(tile)
            for others in splits(rest):
                yield (candidate, *others)


def is_pung(tiles: tuple[str, ...]) -> bool:
    return tiles[0] == tiles[1]


def standard_patterns(win: Win, pair: str, sets: Sets) -> list[str]:
    """Return the patterns of a standard reading, but for the ways of winning."""
    patterns = []
    suit = win.winning_tile[1]
    if win.winning_tile[0] == "5" and ("4" + suit, "5" + suit, "6" + suit) in sets:
        patterns.append("middle_five")
    single_tile = len(win.melds) == 4
    if single_tile:
        patterns.append("single_tile_hand")
    if all(is_pung(tiles) for tiles in sets) and (not single_tile or win.options["single_tile_adds_all_pungs"]):
        patterns.append("all_pungs")
    pungs = [tiles[0] for tiles in sets if is_pung(tiles)] + [tile for _, tile in win.melds]
    match sum(dragon in pungs for dragon in DRAGONS):
        case 3:
            patterns.append("big_three_dragons")
        case 2 if pair in DRAGONS:
            patterns.append("small_three_dragons")
    if win.flush:
        patterns.append("full_flush")
    every_four = win.flush and win.options["four_in_flush"]
    for tile in set(win.tiles) if every_four else {win.winning_tile}:
        patterns += four_of_a_kind(win, tile, sets)
    return patterns


def four_of_a_kind(win: Win, tile: str, sets: Sets) -> list[str]:
    """Return concealed_four or exposed_four if this tile is held four times without a kong, and in the right shape."""
    if win.concealed.count(tile) == 4:
        shaped = (tile, tile, tile) in sets and any(tile in other and not is_pung(other) for other in sets)
        return ["concealed_four"] if shaped or win.options["concealed_four_shape"] == "any" else []
    if win.concealed.count(tile) == 1 and ("pung", tile) in win.melds:
        return ["exposed_four"]
    return []


def is_seven_pairs(win: Win) -> bool:
    pairs = not win.melds and all(win.concealed.count(tile) in {2, 4} for tile in win.concealed)
    return bool(win.options["seven_pairs"]) and pairs and len(win.concealed) == 14


def seven_pairs_patterns(win: Win) -> list[str]:
    """Return the patterns of the seven-pairs reading, but for the ways of winning."""
    fours = len({tile for tile in win.concealed if win.concealed.count(tile) == 4})
    name = ("seven_pairs", "dragon_seven_pairs", "double_dragon_seven_pairs")[min(fours, 2)]
    return [name, "full_flush"] if win.flush else [name]


def ways_of_winning(win: Win) -> list[str]:
    """Return the patterns that hold in any reading, by how the hand was won."""
    ways = [way for way in ("kong_draw", "kong_discard", "rob_kong", "last_draw") if way in win.flags]
    if "last_discard" in win.flags and win.options["last_discard"] > 1:
        ways.append("last_discard")
    if "revealed" in win.flags:
        ways.append("reveal")
    return ways


def best_pattern_of(win: Win, sets: Sets) -> tuple[int, list[str]]:
    """Return the product of a reading in three-suit scoring, and its patterns (RULES §9)."""
    all_pungs = all(is_pung(tiles) for tiles in sets)
    candidates = [(1, "")]
    if all_pungs:
        candidates.append((5, "all_pungs"))
    if win.flush:
        candidates.append((5, "full_flush"))
    if all(tile[0] in "258" and tile[1] != "z" for tile in win.tiles):
        candidates.append((10, "all_258"))
    if all_pungs and win.flush:
        candidates.append((20, "flush_pungs"))
    worth, name = max(candidates)
    doublings = [way for way in ("self_draw", "kong_draw") if way in win.flags]
    if any(not is_pung(tiles) and tiles[1] == win.winning_tile for tiles in sets):
        doublings.append("gap_wait")
    return worth * 2 ** len(doublings), doublings + [name] * bool(name)
