"""What every option of the rules means, in English and Chinese, and where RULES has it. Nothing plays by it.

The Chinese terms are those of the documents that RULES was drawn from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from kawuxing.engine.rules import MissedWinLock, NextDealer, Reveal, RuleSet, Scoring


@dataclass(frozen=True, slots=True)
class OptionText:
    """What one option means."""

    chinese: str
    """Its term."""
    english: str
    """One sentence."""
    section: str
    """Where RULES has it, such as ``§6``."""
    values: Mapping[str, str] = field(default_factory=dict)
    """The Chinese terms of its values, where these are names."""


OPTION_TEXTS: Final[Mapping[str, OptionText]] = {
    "suits": OptionText("花色", "The numbered suits in play.", "§1", {"m": "万", "p": "筒", "s": "条"}),
    "dragons": OptionText("箭牌", "The three dragons are in play.", "§1"),
    "seats": OptionText("人数", "How many play a hand.", "§1"),
    "sit_out": OptionText("坐醒", "One entrant more than there are seats: the only winner of a hand rests next.", "§8"),
    "scoring": OptionText(
        "计分",
        "Patterns multiply each other, or only the largest one counts.",
        "§4, §9",
        {"multiplied": "番数相乘", "best_pattern": "取最大牌型"},
    ),
    "base": OptionText("底分", "Points that one unit of payment is worth.", "§6"),
    "min_discard_multiplier": OptionText(
        "点炮起胡", "The least that a win on a discard or a robbed kong must be worth.", "§2"
    ),
    "multiple_winners": OptionText(
        "一炮多响",
        "Who wins when several seats declare a win on one tile.",
        "§2",
        {"all": "都胡", "nearest": "只胡最近一家"},
    ),
    "seven_pairs": OptionText("七对", "Seven pairs are a complete hand.", "§3"),
    "single_tile_adds_all_pungs": OptionText("手抓一加碰碰胡", "All pungs counts beside a single-tile hand.", "§4"),
    "concealed_four_shape": OptionText(
        "暗四归牌型",
        "How the hand has to use the four tiles for concealed four to count.",
        "§4",
        {"any": "不限", "pung_and_sequence": "三张一坎、一张成句"},
    ),
    "four_in_flush": OptionText(
        "清一色四归",
        "In a full flush every kind held four times without a kong counts, whichever tile was won.",
        "§4",
    ),
    "last_discard": OptionText("海底炮", "What a win on the discard of the last tile multiplies.", "§4"),
    "discard_last_tile": OptionText("末张须打", "Who draws the last tile and does not win discards once more.", "§2"),
    "reveal": OptionText(
        "亮倒",
        "What a seat that reveals its ready hand shows.",
        "§5",
        {"off": "无", "hand": "亮全部手牌", "wait": "亮叫听的牌"},
    ),
    "revealed_flush_kong": OptionText(
        "清一色亮倒后杠", "A wholly revealed hand of one suit may make a kong that leaves it fewer waits.", "§5"
    ),
    "discard_ban": OptionText("禁打叫胡的牌", "No kind that a revealed seat waits on may be discarded.", "§5"),
    "revealed_payer_doubles": OptionText(
        "进出一致", "A revealed seat pays double for its discard or robbed kong.", "§6"
    ),
    "revealed_winner_takes_all_shares": OptionText(
        "包胡", "Who discards to a revealed winner pays for every other seat.", "§6"
    ),
    "missed_win_lock": OptionText(
        "漏胡",
        "How long a seat that missed a win may not win on discards.",
        "§7",
        {"until_draw": "到自己摸牌", "until_discard": "到自己打牌", "none": "不限"},
    ),
    "missed_win_bigger": OptionText("漏胡可胡更大", "A seat that missed a win may still take a greater one.", "§7"),
    "concealed_kong_after_pung": OptionText(
        "碰后暗杠",
        "When a concealed kong may follow a pung in the same turn.",
        "§2",
        {"never": "不可", "before_first_discard": "未过手时可"},
    ),
    "concealed_kong_pays": OptionText("暗杠", "Units that every other seat pays for a concealed kong.", "§6"),
    "added_kong_pays": OptionText("补杠", "Units that every other seat pays for an added kong.", "§6"),
    "direct_kong_pays": OptionText("直杠", "Units that the discarder pays for a direct kong.", "§6"),
    "kong_chain": OptionText("杠上杠", "Every further kong of a chain pays double what the one before did.", "§6"),
    "kong_chain_same_tile": OptionText(
        "杠上杠须用补牌",
        "On a seat's own replacement draw only a kong of the drawn tile continues the chain.",
        "§6",
    ),
    "kong_chain_cap": OptionText("杠上杠封顶", "The most that a chain multiplies a kong's payment by.", "§6"),
    "rob_kong": OptionText("抢杠", "An added kong can be robbed by a win.", "§2"),
    "exhaust_penalty": OptionText(
        "荒庄赔付",
        "Who pays a unit to whom when the hand is exhausted.",
        "§6",
        {"none": "不赔", "first_revealed": "先亮倒者赔每家", "revealed_to_unrevealed": "亮倒者赔未亮倒者"},
    ),
    "next_dealer": OptionText(
        "坐庄",
        "Who deals the next hand: the winner of this one, or the next seat.",
        "§8",
        {"winner": "胡牌者", "rotate": "轮流"},
    ),
    "exhaust_dealer": OptionText(
        "荒庄后坐庄",
        "Who deals after an exhausted hand.",
        "§8",
        {"stays": "不下庄", "first_revealed": "先亮倒者"},
    ),
    "max_suits": OptionText("缺门", "The most suits that a complete hand may hold.", "§3"),
    "cap": OptionText("封顶", "The most that the product of a hand's patterns counts.", "§4"),
    "cap_exempt": OptionText("另行封顶", "Patterns that have a cap of their own.", "§4"),
}
"""The texts of every option, in the order of the rule set's options."""

_ZERO_IS_NONE: Final = ("kong_chain_cap", "max_suits", "cap")


def idle_options(rules: RuleSet) -> frozenset[str]:
    """Return the options that change nothing beside the others of this rule set: those that RULES §9 leaves blank.

    Such are the cap of chains where there are no chains, or what revealed seats pay where nobody reveals.
    """
    idle: set[str] = set()
    if rules.scoring is Scoring.BEST_PATTERN:
        idle |= {"single_tile_adds_all_pungs", "concealed_four_shape", "four_in_flush", "last_discard"}
    if rules.reveal is Reveal.OFF:
        idle |= {
            "revealed_flush_kong",
            "discard_ban",
            "revealed_payer_doubles",
            "revealed_winner_takes_all_shares",
        }
    if rules.missed_win_lock is MissedWinLock.NONE:
        idle.add("missed_win_bigger")
    if not rules.kong_chain:
        idle |= {"kong_chain_same_tile", "kong_chain_cap"}
    if rules.next_dealer is NextDealer.ROTATE or rules.sit_out:
        idle.add("exhaust_dealer")
    return frozenset(idle)


def english_value(option: str, value: Any) -> str:
    """Return an option's value, as :meth:`RuleSet.to_options` has it, in the words of RULES §9."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not value and (option in _ZERO_IS_NONE or option == "cap_exempt"):
        return "none"
    if isinstance(value, dict):
        return ", ".join(f"{pattern} {cap}" for pattern, cap in value.items())
    if isinstance(value, list):
        return " ".join(value)
    return f"×{value}" if option == "last_discard" else str(value)


def chinese_value(option: str, value: Any) -> str:
    """Return an option's value in Chinese; a number stays one, and so does the name of a pattern."""
    terms = OPTION_TEXTS[option].values
    if isinstance(value, bool):
        return "是" if value else "否"
    if not value and (option in _ZERO_IS_NONE or option == "cap_exempt"):
        return "无"
    if isinstance(value, list):
        return "".join(terms[item] for item in value)
    if isinstance(value, str):
        return terms[value]
    return english_value(option, value)
