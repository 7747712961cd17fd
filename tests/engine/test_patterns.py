"""Every pattern of RULES §4 and §9: a hand where it holds, one where it just fails, and one where it stacks."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from tests.engine.hands import Row

from kawuxing.engine.patterns import BEST_PATTERN, MULTIPLIED, Pattern
from kawuxing.engine.rules import load_preset


class Case(NamedTuple):
    """The rows of one pattern: ``fails`` is one tile or circumstance away from one where it holds."""

    preset: str
    holds: Row
    fails: Row
    stacks: Row


MULTIPLIED_CASES = {
    # 46p takes the 5p in the middle; 34p takes the same tile at the end; 555 46 has a pung of 5p beside 4-5-6, too.
    Pattern.MIDDLE_FIVE: Case(
        "xiangyang",
        Row("46p 123s 789s 555z 66z", "", "5p", "", 2, "middle_five"),
        Row("34p 123s 789s 555z 66z", "", "5p", "", 1, ""),
        Row("55546p 123s 789s 11s", "", "5p", "", 8, "concealed_four middle_five"),
    ),
    # 3334p waits on 4p as 333 44 and on 5p as 33 345.
    Pattern.ALL_PUNGS: Case(
        "xiangyang",
        Row("3334p", "1s 9s 5z", "4p", "", 2, "all_pungs"),
        Row("3334p", "1s 9s 5z", "5p", "", 1, ""),
        Row("3334p", "1p 7p 9p", "4p", "revealed", 16, "all_pungs full_flush reveal"),
    ),
    # The fourth 3s must be the tile that is won, not one held before.
    Pattern.EXPOSED_FOUR: Case(
        "xiangyang",
        Row("12s 678p 789s 77z", "3s", "3s", "", 2, "exposed_four"),
        Row("123s 67p 789s 77z", "3s", "8p", "", 1, ""),
        Row("46p 678s 123s 77z", "5p", "5p", "kong_discard", 8, "exposed_four kong_discard middle_five"),
    ),
    # The same of the fourth 2p; 1112345… in one suit stacks.
    Pattern.CONCEALED_FOUR: Case(
        "xiangyang",
        Row("22234p 345s 789s 66z", "", "2p", "", 4, "concealed_four"),
        Row("222234p 345s 78s 66z", "", "9s", "", 1, ""),
        Row("11123p 456p 789p 99p", "", "1p", "revealed", 32, "concealed_four full_flush reveal"),
    ),
    # Four alike make it a dragon.
    Pattern.SEVEN_PAIRS: Case(
        "xiangyang",
        Row("11p 33p 55p 11s 33s 55s 7z", "", "7z", "", 4, "seven_pairs"),
        Row("1111p 55p 11s 33s 55s 7z", "", "7z", "", 8, "dragon_seven_pairs"),
        Row("11p 33p 44p 66p 77p 99p 5p", "", "5p", "", 16, "full_flush seven_pairs"),
    ),
    # Two kinds four times make it a double dragon; the fourth 5s is no concealed_four in a seven-pairs reading.
    Pattern.DRAGON_SEVEN_PAIRS: Case(
        "xiangyang",
        Row("55p 99p 11s 33s 555s 66z", "", "5s", "", 8, "dragon_seven_pairs"),
        Row("9999p 11s 33s 555s 66z", "", "5s", "", 16, "double_dragon_seven_pairs"),
        Row("1111s 33s 55s 77s 88s 9s", "", "9s", "revealed", 64, "dragon_seven_pairs full_flush reveal"),
    ),
    # Three kinds four times are one, too; two pairs less and it is a single dragon.
    Pattern.DOUBLE_DRAGON_SEVEN_PAIRS: Case(
        "xiangyang",
        Row("1111p 3333p 5555s 7z", "", "7z", "", 16, "double_dragon_seven_pairs"),
        Row("1111p 33p 55p 11s 66z 7z", "", "7z", "", 8, "dragon_seven_pairs"),
        Row("1111p 3333p 55p 77p 9p", "", "9p", "revealed", 128, "double_dragon_seven_pairs full_flush reveal"),
    ),
    # Two dragon pungs alone are nothing: the pair must be the third dragon.
    Pattern.SMALL_THREE_DRAGONS: Case(
        "xiangyang",
        Row("123p 456s 7z", "5z 6zk", "7z", "", 4, "small_three_dragons"),
        Row("123p 456s 9s", "5z 6zk", "9s", "", 1, ""),
        Row("7z", "1p 5z 6zc 9s", "7z", "", 32, "all_pungs single_tile_hand small_three_dragons"),
    ),
    # The hand waits on 7z for the big and on 9s for the small one.
    Pattern.BIG_THREE_DRAGONS: Case(
        "xiangyang",
        Row("77z 123p 99s", "5z 6zk", "7z", "", 8, "big_three_dragons"),
        Row("77z 123p 99s", "5z 6zk", "9s", "", 4, "small_three_dragons"),
        Row("9s", "5z 6z 7z 1p", "9s", "", 64, "all_pungs big_three_dragons single_tile_hand"),
    ),
    # A pair of dragons breaks it.
    Pattern.FULL_FLUSH: Case(
        "xiangyang",
        Row("456p 678p 22p 78p", "1p", "9p", "", 4, "full_flush"),
        Row("456p 678p 55z 78p", "1p", "9p", "", 1, ""),
        Row("46p 222p 789p 33p", "1p", "5p", "self_draw kong_draw", 16, "full_flush kong_draw middle_five"),
    ),
    # Three melds and four tiles in hand are no such hand. Hubei does not count all_pungs beside it.
    Pattern.SINGLE_TILE_HAND: Case(
        "hubei",
        Row("9p", "1p 2pc 3s 4s", "9p", "", 4, "single_tile_hand"),
        Row("111p 9p", "2pc 3s 4s", "9p", "", 2, "all_pungs"),
        Row("9p", "1p 2pc 3p 4p", "9p", "", 16, "full_flush single_tile_hand"),
    ),
    # The first draw of a turn is no replacement.
    Pattern.KONG_DRAW: Case(
        "xiangyang",
        Row("23p 678p 99p", "1sk 2s", "4p", "self_draw kong_draw", 2, "kong_draw"),
        Row("23p 678p 99p", "1sk 2s", "4p", "self_draw", 1, ""),
        Row("23p 678p 99p", "1sk 2s", "4p", "self_draw kong_draw last_draw revealed", 8, "kong_draw last_draw reveal"),
    ),
    # A kong_draw needs a draw: the discard after the replacement is another pattern.
    Pattern.KONG_DISCARD: Case(
        "xiangyang",
        Row("23p 678p 99p", "1s 2s", "4p", "kong_discard", 2, "kong_discard"),
        Row("23p 678p 99p", "1s 2s", "4p", "", 1, ""),
        Row("3334p", "1s 9s 5z", "4p", "kong_discard revealed", 8, "all_pungs kong_discard reveal"),
    ),
    Pattern.ROB_KONG: Case(
        "xiangyang",
        Row("23p 678p 99p", "1s 2s", "4p", "rob_kong", 2, "rob_kong"),
        Row("23p 678p 99p", "1s 2s", "4p", "", 1, ""),
        Row("46p 678p 99p", "1s 2s", "5p", "rob_kong revealed", 8, "middle_five reveal rob_kong"),
    ),
    # Self-drawn, but not the last tile.
    Pattern.LAST_DRAW: Case(
        "xiangyang",
        Row("23p 678p 99p", "1s 2s", "4p", "self_draw last_draw", 2, "last_draw"),
        Row("23p 678p 99p", "1s 2s", "4p", "self_draw", 1, ""),
        Row("55z 66z 77z 11p 33p 99s 5s", "", "5s", "self_draw last_draw revealed", 16, "last_draw reveal seven_pairs"),
    ),
    # Hubei's alone.
    Pattern.LAST_DISCARD: Case(
        "hubei",
        Row("23p 678p 99p", "1s 2s", "4p", "last_discard", 2, "last_discard"),
        Row("23p 678p 99p", "1s 2s", "4p", "", 1, ""),
        Row("46p 678p 99p", "1s 2s", "5p", "kong_discard last_discard", 8, "kong_discard last_discard middle_five"),
    ),
    # It is the winner that must be revealed, and then it counts on discards, robbed kongs and draws alike.
    Pattern.REVEAL: Case(
        "xiangyang",
        Row("23p 678p 99p", "1s 2s", "4p", "revealed", 2, "reveal"),
        Row("23p 678p 99p", "1s 2s", "4p", "", 1, ""),
        Row("77z 46p 999s", "5z 6z", "5p", "revealed", 16, "middle_five reveal small_three_dragons"),
    ),
}

BEST_CASES = {
    # 3334p waits on 4p as 333 44 and on 5p as 33 345.
    Pattern.ALL_PUNGS: Case(
        "three-suit",
        Row("3334p", "1m 9m 7p", "4p", "", 5, "all_pungs"),
        Row("3334p", "1m 9m 7p", "5p", "", 1, ""),
        Row("3334p", "1mk 9m 7p", "4p", "self_draw kong_draw", 20, "all_pungs kong_draw self_draw"),
    ),
    # A pair of another suit breaks it. 13s takes the 2s in the middle.
    Pattern.FULL_FLUSH: Case(
        "three-suit",
        Row("12s 567s 789s 444s 99s", "", "3s", "", 5, "full_flush"),
        Row("12s 567s 789s 444s 99m", "", "3s", "", 1, ""),
        Row("13s 567s 789s 444s 99s", "", "2s", "self_draw", 20, "full_flush gap_wait self_draw"),
    ),
    # With another pair it is worth its pungs.
    Pattern.ALL_258: Case(
        "three-suit",
        Row("222m 888m 88p 55p", "5m", "8p", "", 10, "all_258"),
        Row("222m 888m 88p 66p", "5m", "8p", "", 5, "all_pungs"),
        Row("222m 888m 88p 55p", "5mk", "8p", "self_draw kong_draw", 40, "all_258 kong_draw self_draw"),
    ),
    # 3334s waits on 4s as 333 44 and on 5s as 33 345, of which the flush is left.
    Pattern.FLUSH_PUNGS: Case(
        "three-suit",
        Row("3334s", "1s 9s 7s", "4s", "", 20, "flush_pungs"),
        Row("3334s", "1s 9s 7s", "5s", "", 5, "full_flush"),
        Row("3334s", "1s 9s 7sc", "4s", "self_draw", 40, "flush_pungs self_draw"),
    ),
    Pattern.SELF_DRAW: Case(
        "three-suit",
        Row("12m 456m 789s 222s 88s", "", "3m", "self_draw", 2, "self_draw"),
        Row("12m 456m 789s 222s 88s", "", "3m", "", 1, ""),
        Row("13m 456m 789s 222s 88s", "", "2m", "self_draw", 4, "gap_wait self_draw"),
    ),
    # The middle of 1-2-3, or its end.
    Pattern.GAP_WAIT: Case(
        "three-suit",
        Row("13m 456m 789s 222s 88s", "", "2m", "", 2, "gap_wait"),
        Row("12m 456m 789s 222s 88s", "", "3m", "", 1, ""),
        Row("13m 456m 789s 88s", "2sk", "2m", "self_draw kong_draw", 8, "gap_wait kong_draw self_draw"),
    ),
    # A replacement is a draw, so it never stands alone.
    Pattern.KONG_DRAW: Case(
        "three-suit",
        Row("12m 456m 789s 88s", "2sk", "3m", "self_draw kong_draw", 4, "kong_draw self_draw"),
        Row("12m 456m 789s 88s", "2sk", "3m", "self_draw", 2, "self_draw"),
        Row("12m 456m 678m 88m", "9mk", "3m", "self_draw kong_draw", 20, "full_flush kong_draw self_draw"),
    ),
}

CASES = [
    pytest.param(pattern, case, id=f"{case.preset}-{pattern}")
    for cases in (MULTIPLIED_CASES, BEST_CASES)
    for pattern, case in cases.items()
]


def test_no_pattern_is_forgotten() -> None:
    """Every pattern has its cases in each of the two ways of scoring that knows it."""
    assert {*MULTIPLIED, Pattern.LAST_DISCARD} == set(MULTIPLIED_CASES)
    assert set(BEST_PATTERN) == set(BEST_CASES)
    assert set(Pattern) == {*MULTIPLIED_CASES, *BEST_CASES}


@pytest.mark.parametrize(("pattern", "case"), CASES)
def test_a_pattern_holds(pattern: Pattern, case: Case) -> None:
    """It is listed, and multiplies the total."""
    result = case.holds.score(load_preset(case.preset))
    assert case.holds.expected == result
    assert result is not None
    assert 1 == result.patterns.count(pattern)


@pytest.mark.parametrize(("pattern", "case"), CASES)
def test_a_pattern_just_fails(pattern: Pattern, case: Case) -> None:
    """One tile or circumstance away it is not listed."""
    result = case.fails.score(load_preset(case.preset))
    assert case.fails.expected == result
    assert result is not None
    assert 0 == result.patterns.count(pattern)


@pytest.mark.parametrize(("pattern", "case"), CASES)
def test_a_pattern_stacks(pattern: Pattern, case: Case) -> None:
    """It is listed beside others, sorted, and the total is the product."""
    result = case.stacks.score(load_preset(case.preset))
    assert case.stacks.expected == result
    assert result is not None
    assert 1 == result.patterns.count(pattern)
    assert len(result.patterns) > 1
