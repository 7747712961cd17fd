"""The invariants of every hand in every preset, in play that shows whatever the preset's rules know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
from tests.property.invariants import check_hands
from tests.property.rare_play import RarePlay
from tests.property.rarities import expected_of

from kawuxing.engine.rules import load_preset, preset_names

FEW = 300
MANY = 10_000
PARTS = 4
"""The many hands are played in parts, each with a seed of its own, side by side."""
SELDOM = frozenset({
    *("robbery", "rob_kong", "double win", "win above the cap", "shrinking waits", "ban on a whole hand"),
    *("lock that keeps from a win", "bigger win while locked", "win below the minimum", "second link"),
    *("concealed kong after a pung", "kong_draw", "last_draw", "middle_five", "exposed_four", "concealed_four"),
    *("seven_pairs", "dragon_seven_pairs", "double_dragon_seven_pairs", "small_three_dragons", "big_three_dragons"),
    *("single_tile_hand", "all_258"),
})  # fmt: skip
"""So rare that only the many hands are asked for it."""


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPoolExecutor]:
    """Two processes that share nothing with this one."""
    with ProcessPoolExecutor(2, get_context("spawn")) as executor:
        yield executor


def missing(name: str, seen: Counter[str], expected: Collection[str]) -> list[str]:
    print(name, {str(rarity): seen[rarity] for rarity in expected})
    return [rarity for rarity in expected if not seen[rarity]]


@pytest.mark.parametrize("name", preset_names())
def test_invariants_hold_in_every_preset(name: str) -> None:
    """Tiles, sizes, waits, choices, payments and replays are right at every step, and what is not too rare occurs."""
    rules = load_preset(name)
    seen = check_hands(rules, RarePlay(1), FEW)

    assert [] == missing(name, seen, [rarity for rarity in expected_of(rules) if rarity not in SELDOM])


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", preset_names())
def test_invariants_hold_in_ten_thousand_hands(name: str, pool: ProcessPoolExecutor) -> None:
    """The same, and every single thing that the preset's rules know occurs in that preset's hands."""
    rules = load_preset(name)
    plays = [RarePlay(seed) for seed in range(PARTS)]
    seen = Counter[str]()
    for part in pool.map(check_hands, [rules] * PARTS, plays, [MANY // PARTS] * PARTS):
        seen += part

    assert MANY == seen["hand"]
    assert [] == missing(name, seen, expected_of(rules))
