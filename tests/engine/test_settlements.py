"""Whole hands played in every preset, and what each seat has won or lost in the end (RULES §§2, 5, 6 and 9).

A sits in seat 0, B in seat 1. No dragons are in their hands, so that every preset can deal them.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest
from tests.engine.hands import dealt, texts

from kawuxing.engine.rules import RuleSet, load_preset, preset_names
from kawuxing.engine.testing import answer, play_defaults

PLAIN = "23p 123s 456s 789s 88p"
"""Waits on 1p and 4p; won with 4p it has no pattern."""
MIDDLE = "46p 123s 456s 789s 88p"
"""Waits on 5p, for middle_five."""
MIDDLE_TOO = "46p 789p 123s 456s 99p"
OTHER = "79p 123p 111s 777s 33s"
"""Waits on 8p. It gives B something to reveal."""
Outcome = tuple[int, ...] | str
"""The points of every seat, or the answer that is not legal."""


class Scenario(NamedTuple):
    """A deal, what is answered to it, and what comes of it in every preset.

    ``~`` in the draws stands for one junk tile for each seat beside A and B. An answer is given at once, or with
    ``later`` as soon as it is legal; until then, and after the last, every answer is the default, which is to discard
    the drawn tile or to pass.
    """

    hands: tuple[str, ...]
    draws: str
    answers: tuple[str, ...]
    outcomes: dict[str, Outcome]
    dealer: int = 0
    replacements: str = ""
    last: str = ""


SCENARIOS = {
    # Everybody pays 1; hubei's base is 5; three-suit doubles a self-draw.
    "A draws a plain win": Scenario(
        (PLAIN,),
        "4p",
        ("0 WIN",),
        {
            "xiangyang standard classic zaoyang shiyan xiangyang-min2 sit-out": (2, -1, -1),
            "hubei hubei-capped": (10, -5, -5),
            "four-seat": (15, -5, -5, -5),
            "three-suit": (4, -2, -2),
        },
    ),
    # It is below a minimum of 2 on discards.
    "B discards a plain win": Scenario(
        (PLAIN,),
        "4p",
        ("1 DISCARD 4p", "0 WIN"),
        {
            "xiangyang standard classic zaoyang shiyan sit-out three-suit": (1, -1, 0),
            "hubei hubei-capped four-seat xiangyang-min2": "0 WIN",
        },
        dealer=1,
    ),
    # 2 by middle_five or gap_wait; B pays alone.
    "B discards the middle five": Scenario(
        (MIDDLE,),
        "5p",
        ("1 DISCARD 5p", "0 WIN"),
        {
            "xiangyang standard classic zaoyang shiyan xiangyang-min2 sit-out three-suit": (2, -2, 0),
            "hubei hubei-capped": (10, -10, 0),
            "four-seat": (10, -10, 0, 0),
        },
        dealer=1,
    ),
    # Each winner is paid its own 2.
    "B discards what A and C wait on": Scenario(
        (MIDDLE, "", MIDDLE_TOO),
        "5p",
        ("1 DISCARD 5p", "0 WIN, 2 WIN"),
        {
            "xiangyang standard classic zaoyang shiyan xiangyang-min2 sit-out three-suit": (2, -4, 2),
            "hubei hubei-capped": (10, -20, 10),
            "four-seat": (10, -20, 10, 0),
        },
        dealer=1,
    ),
    # Reveal makes the plain hand 2 and reaches the minimum; B pays both shares. In hubei B may not discard it at all.
    "B discards to a revealed plain hand": Scenario(
        (PLAIN,),
        "9p 4p",
        ("0 REVEAL 9p", "1 DISCARD 4p", "0 WIN"),
        {
            "xiangyang standard classic zaoyang shiyan xiangyang-min2 sit-out": (4, -4, 0),
            "hubei hubei-capped four-seat": "1 DISCARD 4p",
            "three-suit": "0 REVEAL 9p",
        },
    ),
    # 2 x 2 from everybody: shares are of discards only.
    "A draws its win revealed": Scenario(
        (MIDDLE,),
        "9p 9s ~ 5p",
        ("0 REVEAL 9p", "later 0 WIN"),
        {
            "xiangyang standard classic zaoyang shiyan xiangyang-min2 sit-out": (8, -4, -4),
            "hubei hubei-capped": (40, -20, -20),
            "four-seat": (60, -20, -20, -20),
            "three-suit": "0 REVEAL 9p",
        },
    ),
    # B counts as revealed from that very tile on: hubei's payer pays double.
    "B reveals with what A wins": Scenario(
        (MIDDLE, OTHER),
        "5p",
        ("1 REVEAL 5p", "0 WIN"),
        {
            "xiangyang standard classic zaoyang shiyan xiangyang-min2 sit-out": (2, -2, 0),
            "hubei hubei-capped": (20, -20, 0),
            "four-seat": (20, -20, 0, 0),
            "three-suit": "1 REVEAL 5p",
        },
        dealer=1,
    ),
    # The payer's double counts towards hubei's minimum; xiangyang-min2 has no such double.
    "B reveals with what a plain hand wins": Scenario(
        (PLAIN, OTHER),
        "4p",
        ("1 REVEAL 4p", "0 WIN"),
        {
            "xiangyang standard classic zaoyang shiyan sit-out": (1, -1, 0),
            "hubei hubei-capped": (10, -10, 0),
            "four-seat": (10, -10, 0, 0),
            "xiangyang-min2": "0 WIN",
            "three-suit": "1 REVEAL 4p",
        },
        dealer=1,
    ),
    # B, revealed, must discard the 5p that it draws. 2 x reveal 2, then two shares, or the payer's 2 and base 5.
    "both are revealed and B draws what A waits on": Scenario(
        (MIDDLE, OTHER),
        "9p 9s ~ 6s 5p",
        ("0 REVEAL 9p", "1 REVEAL 9s", "later 0 WIN"),
        {
            "xiangyang standard classic zaoyang shiyan xiangyang-min2 sit-out": (8, -8, 0),
            "hubei hubei-capped": (40, -40, 0),
            "four-seat": (40, -40, 0, 0),
            "three-suit": "0 REVEAL 9p",
        },
    ),
    # B punged A's 5p and adds the fourth: middle_five 2 x rob_kong 2.
    "A robs B's kong": Scenario(
        (MIDDLE, "55p"),
        "5p ~ 9p 5p",
        ("0 DISCARD 5p", "1 PUNG 5p", "later 0 DISCARD 9p", "later 1 ADDED_KONG 5p", "0 WIN"),
        {
            "xiangyang standard classic zaoyang shiyan xiangyang-min2 sit-out": (4, -4, 0),
            "hubei hubei-capped": (20, -20, 0),
            "four-seat": (20, -20, 0, 0),
            "three-suit": "0 WIN",
        },
    ),
    # Revealed, 8: the robbed seat pays both shares as a discarder does; hubei bans discards, not kongs.
    "A robs B's kong revealed": Scenario(
        (MIDDLE, "55p"),
        "5p ~ 9p 5p",
        ("0 DISCARD 5p", "1 PUNG 5p", "later 0 REVEAL 9p", "later 1 ADDED_KONG 5p", "0 WIN"),
        {
            "xiangyang standard classic zaoyang shiyan xiangyang-min2 sit-out": (16, -16, 0),
            "hubei hubei-capped": (40, -40, 0),
            "four-seat": (40, -40, 0, 0),
            "three-suit": "later 0 REVEAL 9p",
        },
    ),
    # Seven pairs in one suit: 16, or the cap of 8, in units of base.
    "B discards to 16": Scenario(
        ("1122334466889s",),
        "9s",
        ("1 DISCARD 9s", "0 WIN"),
        {
            "xiangyang standard classic xiangyang-min2": (16, -16, 0),
            "zaoyang shiyan sit-out": (8, -8, 0),
            "hubei": (80, -80, 0),
            "hubei-capped": (40, -40, 0),
            "four-seat": (80, -80, 0, 0),
            "three-suit": "0 WIN",
        },
        dealer=1,
    ),
    # Both shares come after the cap: 8 x 2, not min(32 x 2, 8).
    "B discards to 32 revealed": Scenario(
        ("1122334466889s",),
        "5p 9s",
        ("0 REVEAL 5p", "1 DISCARD 9s", "0 WIN"),
        {
            "xiangyang standard classic xiangyang-min2": (64, -64, 0),
            "zaoyang shiyan sit-out": (16, -16, 0),
            "hubei hubei-capped four-seat": "1 DISCARD 9s",
            "three-suit": "0 REVEAL 5p",
        },
    ),
    # Two kinds four times: 16, exempt from zaoyang's cap and from hubei-capped's.
    "A draws a double dragon": Scenario(
        ("1111p 2222s 55p 66p 7s",),
        "7s",
        ("0 WIN",),
        {
            "xiangyang standard classic zaoyang xiangyang-min2": (32, -16, -16),
            "shiyan sit-out": (16, -8, -8),
            "hubei hubei-capped": (160, -80, -80),
            "four-seat": (240, -80, -80, -80),
            "three-suit": "0 WIN",
        },
    ),
    # The second kong is a link, 2 + 4, unless it must use the drawn tile: 2 + 2.
    "A makes two kongs that it was dealt": Scenario(
        ("1111s 9999s 258p 46s",),
        "6p",
        ("0 CONCEALED_KONG 1s", "0 CONCEALED_KONG 9s"),
        {
            "xiangyang standard classic zaoyang shiyan xiangyang-min2": (12, -6, -6),
            "sit-out": (8, -4, -4),
            "hubei hubei-capped": (40, -20, -20),
            "four-seat": (60, -20, -20, -20),
            "three-suit": (0, 0, 0),
        },
        replacements="3p 2s",
    ),
    # 2 + 4 + 8; sit-out's factor stops at 2: 2 + 4 + 4.
    "A makes three kongs, each with the tile it drew": Scenario(
        ("111s 999s 555p 258s 1p",),
        "1s",
        ("0 CONCEALED_KONG 1s", "0 CONCEALED_KONG 9s", "0 CONCEALED_KONG 5p"),
        {
            "xiangyang standard classic zaoyang shiyan xiangyang-min2": (28, -14, -14),
            "sit-out": (20, -10, -10),
            "hubei hubei-capped": (140, -70, -70),
            "four-seat": (210, -70, -70, -70),
            "three-suit": (0, 0, 0),
        },
        replacements="9s 5p 8p",
    ),
    # Direct kongs: B's discard pays A 2, A's next, a link, pays B 4.
    "A and B kong each other's discards": Scenario(
        ("111s 258p 479s 3s 6p 8p 2s", "222s 147p 369p 8s 5s 7s 4s"),
        "1s",
        ("1 DISCARD 1s", "0 DIRECT_KONG 1s", "0 DISCARD 2s", "1 DIRECT_KONG 2s"),
        {
            "xiangyang standard classic zaoyang shiyan xiangyang-min2 sit-out": (-2, 2, 0),
            "hubei hubei-capped": (-10, 10, 0),
            "four-seat": (-10, 10, 0, 0),
            "three-suit": (0, 0, 0),
        },
        dealer=1,
        replacements="9p 9s",
    ),
    # Exhausted. One revealed seat pays each other seat 1, where anybody does.
    "A revealed and nobody won": Scenario(
        (MIDDLE,),
        "9p",
        ("0 REVEAL 9p",),
        {
            "xiangyang standard classic zaoyang shiyan xiangyang-min2 sit-out": (-2, 1, 1),
            "hubei hubei-capped": (0, 0, 0),
            "four-seat": (0, 0, 0, 0),
            "three-suit": "0 REVEAL 9p",
        },
    ),
    # Both pay C, or A, the first, pays each.
    "A and then B revealed and nobody won": Scenario(
        (MIDDLE, OTHER),
        "9p 9s",
        ("0 REVEAL 9p", "1 REVEAL 9s"),
        {
            "xiangyang standard xiangyang-min2 sit-out": (-1, -1, 2),
            "classic zaoyang shiyan": (-2, 1, 1),
            "hubei hubei-capped": (0, 0, 0),
            "four-seat": (0, 0, 0, 0),
            "three-suit": "0 REVEAL 9p",
        },
    ),
    # Only hubei counts the last discard, which lifts the plain hand to its minimum.
    "B discards a plain win with no tile left": Scenario(
        (PLAIN, "", "444p"),
        "",
        ("later 1 DISCARD 4p", "0 WIN"),
        {
            "xiangyang standard classic zaoyang shiyan sit-out three-suit": (1, -1, 0),
            "hubei hubei-capped": (10, -10, 0),
            "four-seat": (10, -10, 0, 0),
            "xiangyang-min2": "0 WIN",
        },
        dealer=2,
        last="4p",
    ),
}


def settled(rules: RuleSet, scenario: Scenario) -> Outcome:
    """Return the points of every seat at the end, or the first answer that is not legal."""
    draws = scenario.draws.replace("~", "2p " * (rules.seats - 2))
    hand = dealt(
        rules,
        list(scenario.hands),
        scenario.dealer,
        draws=draws,
        replacements=scenario.replacements,
        last=scenario.last,
    )
    for text in scenario.answers:
        given = text.removeprefix("later ").split(", ")
        seat, action = int(given[0][0]), given[0][2:]
        while text.startswith("later ") and hand.pending() and action not in texts(hand, seat):
            answer(hand)
        if action not in texts(hand, seat):
            return text
        answer(hand, *given)
    play_defaults(hand)
    return tuple(seat.points for seat in hand.table.seats)


@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=list(SCENARIOS))
def test_every_preset_settles_every_scenario(scenario: Scenario) -> None:
    """So that a new preset cannot be forgotten."""
    assert sorted(preset_names()) == sorted(preset for presets in scenario.outcomes for preset in presets.split())


@pytest.mark.parametrize(
    ("preset", "scenario", "outcome"),
    [
        pytest.param(preset, scenario, outcome, id=f"{preset}: {name}")
        for name, scenario in SCENARIOS.items()
        for presets, outcome in scenario.outcomes.items()
        for preset in presets.split()
    ],
)
def test_a_hand_settles_as_worked_out_by_hand(preset: str, scenario: Scenario, outcome: Outcome) -> None:
    """Every seat's points at the end, or the answer at which the preset says no."""
    assert outcome == settled(load_preset(preset), scenario)
