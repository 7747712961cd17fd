"""Kongs: who may make them when, their chains and payments, robbing (RULES §2, §6)."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engine.hands import dealt, payments, texts

from kawuxing.engine.actions import PASS, WIN
from kawuxing.engine.events import (
    HandEnded,
    HandWon,
    KongMade,
    KongRobbed,
    MeldType,
    PaymentReason,
    PointsPaid,
    TileDrawn,
)
from kawuxing.engine.hand import Hand
from kawuxing.engine.rules import RuleSet
from kawuxing.engine.testing import answer
from kawuxing.engine.tiles import parse_kind

CHAIN = ["999s 555z 1379p 157s", "9s 444p 248s 1357s 15p", "666s 1379p 28s 677z 5s"]
"""Seat 0 can kong a 9s and then, when it draws one, its 5z; seat 2 can kong a 6s."""


def play_chain(rules: RuleSet) -> list[tuple[int, ...]]:
    """A direct-kongs B's discard, declares a concealed kong on the replacement, discards, and C direct-kongs that."""
    hand = dealt(rules, CHAIN, dealer=1, draws="8p", replacements="5z 6s")
    events = answer(hand, "1 DISCARD 9s")
    events += answer(hand, "0 DIRECT_KONG 9s")
    events += answer(hand, "0 CONCEALED_KONG 5z")
    events += answer(hand, "0 DISCARD 6s")
    events += answer(hand, "2 DIRECT_KONG 6s")
    return payments(events)


def test_chain_of_the_worked_example(xiangyang: RuleSet) -> None:
    """RULES §10: B pays 2; B and C pay 4 each; A pays 8."""
    assert [(2, -2, 0), (8, -4, -4), (-8, 0, 8)] == play_chain(xiangyang)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"kong_chain": False}, [(2, -2, 0), (4, -2, -2), (-2, 0, 2)]),
        ({"kong_chain_cap": 2}, [(2, -2, 0), (8, -4, -4), (-4, 0, 4)]),
        ({"base": 5}, [(10, -10, 0), (40, -20, -20), (-40, 0, 40)]),
        ({"kong_chain_same_tile": True}, [(2, -2, 0), (8, -4, -4), (-8, 0, 8)]),
        ({"direct_kong_pays": 0, "concealed_kong_pays": 3}, [(12, -6, -6)]),
    ],
)
def test_chain_by_option(xiangyang: RuleSet, options: dict[str, Any], expected: list[tuple[int, ...]]) -> None:
    """Without chains every kong pays once; the cap limits the factor; everything is in units of base."""
    assert expected == play_chain(xiangyang.replace(options))


@pytest.mark.parametrize(("same_tile", "factor"), [(False, 2), (True, 1)])
def test_kong_without_the_drawn_tile(xiangyang: RuleSet, *, same_tile: bool, factor: int) -> None:
    """With kong_chain_same_tile, a kong on the replacement that does not use it begins a new chain."""
    rules = xiangyang.replace({"kong_chain_same_tile": same_tile})
    hand = dealt(rules, ["9999s 5555z 137p 15s"], draws="8p", replacements="2s 4p")
    events = answer(hand, "0 CONCEALED_KONG 9s")
    events += answer(hand, "0 CONCEALED_KONG 5z")
    assert [(4, -2, -2), (4 * factor, -2 * factor, -2 * factor)] == payments(events)


def test_chain_ends_when_the_discard_is_not_konged(xiangyang: RuleSet) -> None:
    """A kong by the seat that draws next, or after a pung of that discard, pays once."""
    hand = dealt(xiangyang, ["9999s 137p 155s 67z 4p", "5555z 137p 1s 2468s 8p"], draws="8p", replacements="2s")
    answer(hand, "0 CONCEALED_KONG 9s")
    answer(hand, "0 DISCARD 2s")
    assert [(-2, 4, -2)] == payments(answer(hand, "1 CONCEALED_KONG 5z"))


def test_pung_ends_a_chain(xiangyang: RuleSet) -> None:
    """The discard after a replacement is punged: what the punger's next discard is konged for pays once."""
    hands = ["9999s 137p 155s 67z 4p", "22s 5z 137p 146s 468p 8s", "555z 137p 14s 28s 469p"]
    hand = dealt(xiangyang, hands, draws="8p", replacements="2s")
    answer(hand, "0 CONCEALED_KONG 9s")
    answer(hand, "0 DISCARD 2s")
    answer(hand, "1 PUNG 2s")
    answer(hand, "1 DISCARD 5z")
    assert [(0, -2, 2)] == payments(answer(hand, "2 DIRECT_KONG 5z"))


def test_replacement_comes_from_the_back(xiangyang: RuleSet) -> None:
    """A kong is paid and then replaced by the wall's last tile; the next replacement is the one before."""
    hand = dealt(xiangyang, ["9999s 5555z 137p 15s"], draws="8p", replacements="2s 4p")
    assert [
        KongMade(0, MeldType.CONCEALED_KONG, 0, parse_kind("9s")),
        PointsPaid(PaymentReason.CONCEALED_KONG, 0, (4, -2, -2)),
        TileDrawn(0, parse_kind("2s"), replacement=True, remaining=43),
    ] == answer(hand, "0 CONCEALED_KONG 9s")
    assert TileDrawn(0, parse_kind("4p"), replacement=True, remaining=42) == answer(hand, "0 CONCEALED_KONG 5z")[-1]


def test_concealed_kong_may_come_later_than_its_fourth_tile(xiangyang: RuleSet) -> None:
    """Four of a kind held since the deal can be konged on any later turn of the own."""
    hand = dealt(xiangyang, ["9999s 1379p 15s 567z"], draws="8p 8p 2s 3s")
    for text in ("0 DISCARD 8p", "1 DISCARD 8p", "2 DISCARD 2s"):
        answer(hand, text)
    assert "CONCEALED_KONG 9s" == texts(hand, 0)[0]


def added_kong(rules: RuleSet, third: str = "", replacements: str = "9p") -> Hand:
    """Seat 0 has punged seat 1's 5p and draws the fourth; it may add it. ``third`` is seat 2's hand."""
    hands = ["55p 1379s 1379p 567z", "5p 2468s 246p 13579s", third]
    hand = dealt(rules, hands, dealer=1, draws="8p 8p 8p 5p", replacements=replacements)
    answer(hand, "1 DISCARD 5p")
    answer(hand, "0 PUNG 5p")
    answer(hand, "0 DISCARD 1p")
    answer(hand, "1 DISCARD 8p")
    answer(hand, "2 DISCARD 8p")
    return hand


WAITS_FOR_FIVE = "46p 123s 456s 888s 22s"


def test_added_kong_pays_one_from_each(xiangyang: RuleSet) -> None:
    """Nobody can rob: the added kong pays at once, after which comes the replacement."""
    hand = added_kong(xiangyang)
    assert texts(hand, 0)[0] == "ADDED_KONG 5p"
    events = answer(hand, "0 ADDED_KONG 5p")
    assert [KongMade, PointsPaid, TileDrawn] == [type(event) for event in events]
    assert [(2, -1, -1)] == payments(events)
    meld = hand.table.seats[0].melds[0]
    assert (MeldType.ADDED_KONG, parse_kind("5p"), 1) == (meld.type, meld.tile, meld.source)


def test_added_kong_later_is_too_late(xiangyang: RuleSet) -> None:
    """Only the very tile just drawn can be added."""
    hand = added_kong(xiangyang)
    answer(hand, "0 DISCARD 3p")
    while hand.table.turn != 0 or list(hand.pending()) != [0]:
        answer(hand)
    assert not any(text.startswith("ADDED_KONG") for text in texts(hand, 0))


def test_added_kong_is_robbed(xiangyang: RuleSet) -> None:
    """The robber wins with rob_kong, the robbed seat pays, and its pung stays a pung without the tile."""
    hand = added_kong(xiangyang, third=WAITS_FOR_FIVE)
    assert [KongMade(0, MeldType.ADDED_KONG, 0, parse_kind("5p"))] == answer(hand, "0 ADDED_KONG 5p")
    assert {2: (WIN, PASS)} == hand.pending()
    robbed, won, paid, ended = answer(hand, "2 WIN")
    assert KongRobbed(0, parse_kind("5p")) == robbed
    assert isinstance(won, HandWon)
    assert (2, 0, parse_kind("5p"), 4, ("middle_five", "rob_kong")) == (
        won.seat,
        won.source,
        won.tile,
        won.total,
        won.patterns,
    )
    assert PointsPaid(PaymentReason.WIN, 2, (-4, 0, 4)) == paid
    assert isinstance(ended, HandEnded)
    assert MeldType.PUNG is hand.table.seats[0].melds[0].type
    assert parse_kind("5p") not in ended.concealed[0]
    assert 10 == len(ended.concealed[0])
    assert 14 == len(ended.concealed[2])


def test_robber_may_pass_and_the_kong_stands(xiangyang: RuleSet) -> None:
    """When the robber passes, the kong is paid, and the robber is locked until it draws."""
    hand = added_kong(xiangyang, third=WAITS_FOR_FIVE)
    answer(hand, "0 ADDED_KONG 5p")
    assert [(2, -1, -1)] == payments(answer(hand, "2 PASS"))
    assert hand.table.seats[2].locked


def test_robbing_after_a_replacement_is_no_win_on_its_discard(xiangyang: RuleSet) -> None:
    """The added tile may be a replacement; the robber has rob_kong, and not kong_discard."""
    hands = ["55p 9999s 1379p 56z 7z", "5p 2468s 246p 13576s", WAITS_FOR_FIVE]
    hand = dealt(xiangyang, hands, dealer=1, draws="8p 8p 8p 8p", replacements="5p")
    answer(hand, "1 DISCARD 5p")
    answer(hand, "0 PUNG 5p")
    answer(hand, "0 DISCARD 1p")
    answer(hand, "1 DISCARD 8p")
    answer(hand, "2 DISCARD 8p")
    answer(hand, "0 CONCEALED_KONG 9s")
    answer(hand, "0 ADDED_KONG 5p")
    won = next(event for event in answer(hand, "2 WIN") if isinstance(event, HandWon))
    assert ("middle_five", "rob_kong") == won.patterns


def test_kong_is_not_robbed_where_the_rules_have_no_robbing(xiangyang: RuleSet) -> None:
    """With rob_kong off nobody is asked about an added kong."""
    hand = added_kong(xiangyang.replace({"rob_kong": False}), third=WAITS_FOR_FIVE)
    assert [KongMade, PointsPaid, TileDrawn] == [type(event) for event in answer(hand, "0 ADDED_KONG 5p")]


def test_win_on_the_replacement(xiangyang: RuleSet) -> None:
    """A win on a replacement has kong_draw, and each other seat pays."""
    hand = dealt(xiangyang, ["9999s 46p 123s 777z 1p"], draws="1p", replacements="5p")
    answer(hand, "0 CONCEALED_KONG 9s")
    won, paid, _ = answer(hand, "0 WIN")
    assert isinstance(won, HandWon)
    assert (4, ("kong_draw", "middle_five")) == (won.total, won.patterns)
    assert PointsPaid(PaymentReason.WIN, 0, (8, -4, -4)) == paid


def test_win_on_the_discard_after_a_replacement(xiangyang: RuleSet) -> None:
    """The discard after a replacement draw is won with kong_discard; the one after that is not."""
    hand = dealt(xiangyang, ["9999s 1379p 15s 567z", WAITS_FOR_FIVE.replace("888s", "111p")], replacements="5p")
    answer(hand, "0 CONCEALED_KONG 9s")
    answer(hand, "0 DISCARD 5p")
    won = answer(hand, "1 WIN")[0]
    assert isinstance(won, HandWon)
    assert (4, ("kong_discard", "middle_five")) == (won.total, won.patterns)


def test_pung_of_that_discard_ends_the_kong(xiangyang: RuleSet) -> None:
    """What the punger discards was not made after a replacement: it is won without kong_discard."""
    hands = ["9999s 1379p 15s 567z", "22p 5p 1379p 138s 567z", WAITS_FOR_FIVE]
    hand = dealt(xiangyang, hands, draws="8p", replacements="2p")
    answer(hand, "0 CONCEALED_KONG 9s")
    answer(hand, "0 DISCARD 2p")
    answer(hand, "1 PUNG 2p")
    answer(hand, "1 DISCARD 5p")
    won = answer(hand, "2 WIN")[0]
    assert isinstance(won, HandWon)
    assert ("middle_five",) == won.patterns


@pytest.mark.parametrize(
    ("option", "expected"),
    [("never", False), ("before_first_discard", True)],
)
def test_concealed_kong_after_a_pung_before_the_first_discard(
    xiangyang: RuleSet, option: str, *, expected: bool
) -> None:
    """A seat that has not discarded yet may kong four of a kind right after a pung, where the rules say so."""
    rules = xiangyang.replace({"concealed_kong_after_pung": option})
    hand = dealt(rules, ["5p", "55p 9999s 13p 57s 567z"], draws="8p")
    answer(hand, "0 DISCARD 5p")
    answer(hand, "1 PUNG 5p")
    assert expected == ("CONCEALED_KONG 9s" in texts(hand, 1))


def test_no_concealed_kong_after_a_pung_once_it_has_discarded(xiangyang: RuleSet) -> None:
    """before_first_discard ends with the seat's first discard, even a claimed one."""
    rules = xiangyang.replace({"concealed_kong_after_pung": "before_first_discard"})
    hand = dealt(rules, ["9999s 55p 13p 57s 567z", "5p"], draws="8p 8p")
    answer(hand, "0 DISCARD 8p")
    answer(hand, "1 DISCARD 5p")
    answer(hand, "0 PUNG 5p")
    assert not any("KONG" in text for text in texts(hand, 0))


def test_kong_after_a_pung_pays_once_and_draws_a_replacement(xiangyang: RuleSet) -> None:
    """It begins a chain of its own."""
    rules = xiangyang.replace({"concealed_kong_after_pung": "before_first_discard"})
    hand = dealt(rules, ["5p", "55p 9999s 13p 57s 567z"], draws="8p", replacements="2s")
    answer(hand, "0 DISCARD 5p")
    answer(hand, "1 PUNG 5p")
    events = answer(hand, "1 CONCEALED_KONG 9s")
    assert [(-2, 4, -2)] == payments(events)
    assert TileDrawn(1, parse_kind("2s"), replacement=True, remaining=43) == events[-1]


def test_kong_of_the_last_but_one_tile_makes_the_replacement_the_last(xiangyang: RuleSet) -> None:
    """A kong needs one tile in the wall; its replacement may be the last tile and then is won as last_draw too."""
    hands = ["1379p 1358s 567z 28p", "", "9999s 46p 123s 777z 1p"]
    hand = dealt(xiangyang, hands, dealer=1, last="1p", replacements="5p")
    while hand.table.remaining > 1:
        answer(hand)
    answer(hand, "2 CONCEALED_KONG 9s")
    won = answer(hand, "2 WIN")[0]
    assert isinstance(won, HandWon)
    assert ("kong_draw", "last_draw", "middle_five") == won.patterns
