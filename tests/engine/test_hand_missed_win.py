"""Missed wins 漏胡: who is locked, for how long, and what it may still take (RULES §7)."""

from __future__ import annotations

import pytest
from tests.engine.hands import dealt, texts

from kawuxing.engine.actions import PASS, WIN
from kawuxing.engine.hand import Hand
from kawuxing.engine.rules import RuleSet
from kawuxing.engine.testing import answer

HOLDERS = ["5p 13579s 1379p 567z", "5p 2468s 1379p 567z 2p"]
"""Seats 0 and 1 hold a 5p each."""
WAITING = "46p 123s 456s 789s 88p"


def missed(rules: RuleSet) -> Hand:
    """Seat 2 has passed up seat 0's 5p, and seat 1 has discarded another."""
    hand = dealt(rules, [*HOLDERS, WAITING], draws="9p 9s 1s 1s 5p")
    answer(hand, "0 DISCARD 5p")
    answer(hand, "2 PASS")
    answer(hand, "1 DISCARD 5p")
    return hand


@pytest.mark.parametrize("lock", ["until_draw", "until_discard"])
def test_seat_that_passed_a_win_is_not_offered_the_next(xiangyang: RuleSet, lock: str) -> None:
    """It is not even asked about another seat's discard of the same kind."""
    hand = missed(xiangyang.replace({"missed_win_lock": lock}))
    assert [2] == list(hand.pending())
    assert "DISCARD 1s" in texts(hand, 2)


def test_seat_is_asked_again_where_nothing_locks(xiangyang: RuleSet) -> None:
    """With missed_win_lock none a missed win has no consequence."""
    hand = missed(xiangyang.replace({"missed_win_lock": "none"}))
    assert {2: (WIN, PASS)} == hand.pending()


@pytest.mark.parametrize("lock", ["until_draw", "until_discard"])
def test_lock_ends_with_the_seat_s_own_turn(xiangyang: RuleSet, lock: str) -> None:
    """After its draw and discard the seat is offered wins again."""
    hand = missed(xiangyang.replace({"missed_win_lock": lock}))
    answer(hand, "2 DISCARD 1s")
    answer(hand, "0 DISCARD 1s")
    answer(hand, "1 DISCARD 5p")
    assert {2: (WIN, PASS)} == hand.pending()


def test_self_draw_is_never_locked(xiangyang: RuleSet) -> None:
    """A seat locked until its discard may win what it draws."""
    rules = xiangyang.replace({"missed_win_lock": "until_discard"})
    hand = dealt(rules, [*HOLDERS, WAITING], draws="9p 9s 5p")
    answer(hand, "0 DISCARD 5p")
    answer(hand, "2 PASS")
    answer(hand, "1 DISCARD 9s")
    assert hand.table.seats[2].locked
    assert texts(hand, 2)[0] == "WIN"


SHANPON = "55z 11p 666z 777z 123s"
"""Waits on 1p for small_three_dragons, 4, and on 5z for big_three_dragons, 8."""
FEEDERS = ["1p 5z 379p 2468s 5679s", "1p 5z 379p 2468s 5679s"]


@pytest.mark.parametrize(
    ("lock", "locked_after"),
    [("until_draw", True), ("until_discard", False)],
)
def test_pung_instead_of_a_win_locks_too(xiangyang: RuleSet, lock: str, *, locked_after: bool) -> None:
    """Whatever it did instead; a pung is no draw, but the discard after it ends the other lock."""
    rules = xiangyang.replace({"missed_win_lock": lock})
    hand = dealt(rules, [*FEEDERS, SHANPON], draws="8p 8p 8p 8p")
    answer(hand, "0 DISCARD 1p")
    assert ["WIN", "PUNG 1p", "PASS"] == texts(hand, 2)
    answer(hand, "2 PUNG 1p")
    assert hand.table.seats[2].locked
    answer(hand, "2 DISCARD 5z")
    assert locked_after == hand.table.seats[2].locked
    answer(hand, "0 DISCARD 5z")
    assert locked_after == ("WIN" not in texts(hand, 2))


@pytest.mark.parametrize(
    ("first", "second", "offered"),
    [("1p", "5z", True), ("5z", "1p", False), ("1p", "1p", False)],
)
def test_bigger_win_may_still_be_taken(xiangyang: RuleSet, first: str, second: str, *, offered: bool) -> None:
    """With missed_win_bigger, a locked seat may win what totals more than the largest it missed, and only that."""
    rules = xiangyang.replace({"missed_win_bigger": True})
    hand = dealt(rules, [*FEEDERS, SHANPON], draws="8p 8p")
    answer(hand, f"0 DISCARD {first}")
    answer(hand, "2 PASS")
    answer(hand, f"1 DISCARD {second}")
    assert offered == ("WIN" in texts(hand, 2))


def test_the_largest_missed_win_counts(xiangyang: RuleSet) -> None:
    """A seat that missed 4 and then 8 is not offered 4 again while locked; a new lock starts afresh."""
    rules = xiangyang.replace({"missed_win_bigger": True})
    hand = dealt(rules, [*FEEDERS, SHANPON], draws="8p 8p 8p 8p 8s")
    answer(hand, "0 DISCARD 1p")
    answer(hand, "2 PASS")
    answer(hand, "1 DISCARD 5z")
    answer(hand, "2 PASS")
    assert 8 == hand.table.seats[2].missed_total
    answer(hand, "2 DISCARD 8p")
    answer(hand, "0 DISCARD 5z")
    answer(hand, "2 PASS")
    answer(hand, "1 DISCARD 1p")
    assert "WIN" not in texts(hand, 2)


def test_win_below_the_minimum_is_no_missed_win(xiangyang: RuleSet) -> None:
    """Who could not win is not locked."""
    rules = xiangyang.replace({"min_discard_multiplier": 4})
    hand = dealt(rules, [*HOLDERS, WAITING], draws="9p 9s")
    answer(hand, "0 DISCARD 5p")
    assert [1] == list(hand.pending())
    assert not hand.table.seats[2].locked
