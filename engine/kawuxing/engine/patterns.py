"""The patterns that a reading of a complete hand can have, and what each multiplies (RULES §4, and §9: three-suit)."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Pattern(StrEnum):
    """A pattern by its identifier in RULES. What it takes for one to hold is in :mod:`kawuxing.engine.scoring`."""

    MIDDLE_FIVE = "middle_five"
    """卡五星"""
    ALL_PUNGS = "all_pungs"
    """碰碰胡"""
    EXPOSED_FOUR = "exposed_four"
    """明四归"""
    CONCEALED_FOUR = "concealed_four"
    """暗四归"""
    SEVEN_PAIRS = "seven_pairs"
    """七对"""
    DRAGON_SEVEN_PAIRS = "dragon_seven_pairs"
    """龙七对"""
    DOUBLE_DRAGON_SEVEN_PAIRS = "double_dragon_seven_pairs"
    """双龙七对"""
    SMALL_THREE_DRAGONS = "small_three_dragons"
    """小三元"""
    BIG_THREE_DRAGONS = "big_three_dragons"
    """大三元"""
    FULL_FLUSH = "full_flush"
    """清一色"""
    SINGLE_TILE_HAND = "single_tile_hand"
    """手抓一"""
    KONG_DRAW = "kong_draw"
    """杠上开花"""
    KONG_DISCARD = "kong_discard"
    """杠上炮"""
    ROB_KONG = "rob_kong"
    """抢杠"""
    LAST_DRAW = "last_draw"
    """海底捞"""
    LAST_DISCARD = "last_discard"
    """海底炮"""
    REVEAL = "reveal"
    """亮倒"""
    ALL_258 = "all_258"
    """将一色, in three-suit scoring: every tile a 2, 5 or 8."""
    FLUSH_PUNGS = "flush_pungs"
    """In three-suit scoring: full_flush and all_pungs together."""
    SELF_DRAW = "self_draw"
    """自摸, in three-suit scoring."""
    GAP_WAIT = "gap_wait"
    """卡张, in three-suit scoring: the winning tile is the middle of a concealed sequence."""


MULTIPLIED: Final = {
    Pattern.MIDDLE_FIVE: 2,
    Pattern.ALL_PUNGS: 2,
    Pattern.EXPOSED_FOUR: 2,
    Pattern.CONCEALED_FOUR: 4,
    Pattern.SEVEN_PAIRS: 4,
    Pattern.DRAGON_SEVEN_PAIRS: 8,
    Pattern.DOUBLE_DRAGON_SEVEN_PAIRS: 16,
    Pattern.SMALL_THREE_DRAGONS: 4,
    Pattern.BIG_THREE_DRAGONS: 8,
    Pattern.FULL_FLUSH: 4,
    Pattern.SINGLE_TILE_HAND: 4,
    Pattern.KONG_DRAW: 2,
    Pattern.KONG_DISCARD: 2,
    Pattern.ROB_KONG: 2,
    Pattern.LAST_DRAW: 2,
    Pattern.REVEAL: 2,
}
"""What each pattern multiplies in ``multiplied`` scoring; last_discard has the rule set's own multiplier."""

BEST_PATTERN: Final = {
    Pattern.ALL_PUNGS: 5,
    Pattern.FULL_FLUSH: 5,
    Pattern.ALL_258: 10,
    Pattern.FLUSH_PUNGS: 20,
    Pattern.SELF_DRAW: 2,
    Pattern.GAP_WAIT: 2,
    Pattern.KONG_DRAW: 2,
}
"""What each pattern multiplies in ``best_pattern`` scoring."""
