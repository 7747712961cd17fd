"""The invariants of every hand in every preset. KAWUXING_PLAYOUTS sets the number of hands a preset (300)."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping

import pytest
from tests.property.invariants import (
    Ledger,
    check_choices,
    check_replays,
    check_sizes,
    check_tiles_are_conserved,
    check_waits,
    played,
    rarities,
)

from kawuxing.engine.actions import Action, ActionType
from kawuxing.engine.hand import Hand
from kawuxing.engine.rules import DEAL, RuleSet, load_preset, preset_names
from kawuxing.engine.testing import LivelyPlay
from kawuxing.engine.tiles import SUIT_INDEX, SUITS, Kind

PLAYOUTS = int(os.environ.get("KAWUXING_PLAYOUTS", "300"))


class RarePlay(LivelyPlay):
    """Lively play in which seats are often dealt one suit, and win little but where that is rare: together, robbing."""

    def wall(self, rules: RuleSet) -> tuple[Kind, ...]:
        """Return a shuffled wall that deals about one seat in three tiles of one suit only."""
        wall = list(super().wall(rules))
        for first in range(0, DEAL * (rules.seats - 1), DEAL):
            suit = SUITS.index(self._random.choice(rules.suits))
            if self._random.random() < 0.4:
                others = [place for place in range(first, first + DEAL) if SUIT_INDEX[wall[place]] != suit]
                later = [place for place in range(first + DEAL, len(wall)) if SUIT_INDEX[wall[place]] == suit]
                for one, other in zip(others, later, strict=False):
                    wall[one], wall[other] = wall[other], wall[one]
        return tuple(wall)

    def answers(self, hand: Hand) -> Mapping[int, Action]:
        """Return an answer for every asked seat."""
        wins = {seat: legal[0] for seat, legal in hand.pending().items() if legal[0].type is ActionType.WIN}
        answers = dict(super().answers(hand))
        if len(wins) > 1 or hand.table.robbing:
            return answers | wins
        for seat in wins:
            if self._random.random() < 0.6:
                answers[seat] = hand.pending()[seat][-1]
        return answers


@pytest.mark.timeout(300 + PLAYOUTS)
@pytest.mark.parametrize("name", preset_names())
def test_invariants_hold_in_every_preset(name: str) -> None:
    """Tiles, sizes, waits, choices and payments are right at every step, and hands replay from their decisions."""
    rules = load_preset(name)
    ledger = Ledger(rules)
    for hand, events in played(rules, RarePlay(1), PLAYOUTS):
        check_tiles_are_conserved(hand, events)
        check_sizes(hand)
        check_waits(hand)
        check_choices(hand, events)
        ledger.check(events)
    check_replays(rules, RarePlay(2), PLAYOUTS)


def expected_of(rules: RuleSet) -> list[str]:
    """What these rules know and their hands should therefore show, as rarities names it."""
    known = {
        "HandRevealed": rules.reveal != "off",
        "revealed kong": rules.reveal != "off",
        "face down": rules.reveal == "wait",
        "WaitsChanged": rules.revealed_flush_kong,
        "KongRobbed": rules.rob_kong,
        "link": rules.kong_chain,
        "penalty": rules.exhaust_penalty != "none",
        "double win": rules.multiple_winners == "all",
        "locked": rules.missed_win_lock != "none",
        "banned": rules.discard_ban,
    }
    always = ["HandExhausted", "HandWon", "concealed_kong", "added_kong", "direct_kong"]
    return always + [name for name, holds in known.items() if holds]


SELDOM = frozenset({"KongRobbed", "double win", "WaitsChanged"})
"""So rare that it is asked of the presets together."""


@pytest.mark.timeout(300 + PLAYOUTS)
def test_playouts_reach_what_each_preset_knows() -> None:
    """The playouts are worth something: what a preset has and others have not does happen in its hands."""
    missing = []
    seldom: Counter[str] = Counter()
    for name in preset_names():
        rules = load_preset(name)
        seen = rarities(rules, RarePlay(sum(name.encode())), PLAYOUTS)
        expected = expected_of(rules)
        print(name, {rarity: seen[rarity] for rarity in expected})
        missing += [(name, rarity) for rarity in expected if not seen[rarity] and rarity not in SELDOM]
        seldom += seen
    assert [] == missing
    assert [] == [rarity for rarity in sorted(SELDOM) if not seldom[rarity]]
