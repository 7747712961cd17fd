"""Invariants of every hand, over thousands of hands of lively play under rule sets that differ in every option."""

from __future__ import annotations

from collections import Counter

from tests.property.invariants import (
    Ledger,
    check_choices,
    check_sizes,
    check_tiles_are_conserved,
    check_waits,
    played,
)
from tests.property.rarities import rarities

from kawuxing.engine.events import HandEnded
from kawuxing.engine.rules import RuleSet
from kawuxing.engine.testing import LivelyPlay

HANDS = 120


def test_tiles_are_conserved_at_every_step(any_rules: RuleSet) -> None:
    """Wall, hands, melds and discards always hold all tiles; a robbed tile goes to who robs it."""
    for hand, events in played(any_rules, LivelyPlay(1), HANDS):
        check_tiles_are_conserved(hand, events)


def test_seats_hold_the_right_number_of_tiles(any_rules: RuleSet) -> None:
    """13 for who is not in turn, less 3 for each meld, and one more between draw (or pung) and discard."""
    for hand, _ in played(any_rules, LivelyPlay(2), HANDS):
        check_sizes(hand)


def test_known_waits_are_the_waits(any_rules: RuleSet) -> None:
    """What the hand remembers of a seat's waits is what the concealed tiles wait on; a revealed seat's are public."""
    for hand, _ in played(any_rules, LivelyPlay(3), 60):
        check_waits(hand)


def test_legal_actions_are_choices_in_canonical_order(any_rules: RuleSet) -> None:
    """Each asked seat has two at least, all different, sorted; seats ascend; nobody is asked once the hand is over."""
    for hand, events in played(any_rules, LivelyPlay(4), HANDS):
        check_choices(hand, events)


def test_every_hand_sums_to_zero(any_rules: RuleSet) -> None:
    """So does every payment, and the hand's points are the sum of its payments."""
    ledger = Ledger(any_rules)
    for _, events in played(any_rules, LivelyPlay(5), HANDS):
        ledger.check(events)


def test_same_decisions_give_the_same_events_whatever_their_order(any_rules: RuleSet) -> None:
    """A hand replays from its wall and decisions; in a round of claims it does not matter whose answer comes first."""
    ended = sum(isinstance(events[-1], HandEnded) for _, events in played(any_rules, LivelyPlay(6), HANDS))

    assert HANDS == ended


def test_lively_play_reaches_what_is_rare(xiangyang: RuleSet, hubei: RuleSet, one_suit: RuleSet) -> None:
    """The play by which readers of hands are tested is worth something: whatever the rules know happens in it."""
    seen = Counter(
        rarity
        for rules, hands in ((xiangyang, 1200), (hubei, 200), (one_suit, 500))
        for hand, events in played(rules, LivelyPlay(7), hands)
        for rarity in rarities(hand, events)
    )
    expected = [
        *("exhausted hand", "reveal", "robbery", "shrinking waits", "face-down pung", "revealed kong", "penalty"),
        *("link on an own replacement", "link on a discard", "double win", "lock", "bigger win while locked"),
        *("concealed_kong", "added_kong", "direct_kong", "kong_draw", "kong_discard", "rob_kong", "last_draw"),
        *("middle_five", "seven_pairs", "dragon_seven_pairs", "full_flush", "all_pungs", "exposed_four"),
        "concealed_four",
    ]
    assert [] == [name for name in expected if not seen[name]]
