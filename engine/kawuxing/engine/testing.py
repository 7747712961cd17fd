"""Made-to-measure walls and lively play, for tests of the rules, of bots and of whatever reads a hand."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from kawuxing.engine.actions import Action, ActionType, parse_action
from kawuxing.engine.events import Event
from kawuxing.engine.faults import default_action
from kawuxing.engine.hand import Hand
from kawuxing.engine.rules import DEAL, RuleSet
from kawuxing.engine.tiles import KINDS, RANK, SUIT_INDEX, SUITS, TEXT, Kind, Suit, parse_kinds

_DRAGON_SUIT: Final = SUITS.index(Suit.DRAGONS)
_APART: Final = sorted(range(KINDS), key=lambda kind: (SUIT_INDEX[kind] != _DRAGON_SUIT, RANK[kind] % 3 or 3, kind))
"""Kinds in an order in which neighbours stand far apart: dragons, then ranks 1 4 7, 2 5 8, 3 6 9."""
_NEIGHBOURS: Final = ((1, 2), (2, 1))
"""How much a tile one or two ranks away counts for keeping a tile."""


def arranged_wall(
    rules: RuleSet, hands: Sequence[str], *, draws: str = "", replacements: str = "", last: str = ""
) -> tuple[Kind, ...]:
    """Return a wall that deals these hands, in mpsz text, to the seats from 0 on.

    ``draws`` come from the front in this order, ``replacements`` from the back in this order. ``last`` lies in front of
    the replacements: the last draws of a hand with as many kongs. Hands of fewer than 13 tiles are filled up with tiles
    that go together as little as possible; the rest of the wall is in no particular order.

    Raises ValueError if there are too many hands, one has more than 13 tiles, or a kind is used more than four times.
    """
    left = Counter(rules.tile_list)
    parts = [list(parse_kinds(text)) for text in (*hands, *[""] * (rules.seats - len(hands)))]
    front, back, end = (list(parse_kinds(text)) for text in (draws, replacements, last))
    left.subtract(Counter(kind for part in (*parts, front, back, end) for kind in part))
    for kind, count in left.items():
        if count < 0:
            raise ValueError(f"tile {TEXT[kind]}: expected at most {rules.tile_list.count(kind)} in one wall")
    if len(parts) > rules.seats or any(len(part) > DEAL for part in parts):
        raise ValueError(f"hands {list(hands)}: expected at most {rules.seats} of at most {DEAL} tiles")
    for part in parts:
        while len(part) < DEAL:
            held = Counter(part)
            kind = max(left, key=lambda kind: (left[kind] > 0, -held[kind], left[kind], -_APART.index(kind)))
            left[kind] -= 1
            part.append(kind)
    middle = [kind for kind, count in left.items() for _ in range(count)]
    return tuple(kind for part in parts for kind in part) + tuple(front + middle + end + back[::-1])


def answer(hand: Hand, *texts: str) -> list[Event]:
    """Answer what a hand asks with texts such as ``"0 DISCARD 6p"``; asked seats that are not named play their default.

    Raises IllegalAnswerError as ``hand.apply`` does, and ValueError for a text that is no answer.
    """
    answers = {seat: default_action(legal, hand.drawn(seat)) for seat, legal in hand.pending().items()}
    for text in texts:
        seat, _, chosen = text.partition(" ")
        answers[int(seat)] = parse_action(chosen)
    return hand.apply(answers)


def play_defaults(hand: Hand) -> list[Event]:
    """Let every seat play its default action until the hand is over, and return the events."""
    events: list[Event] = []
    while hand.pending():
        events += answer(hand)
    return events


class LivelyPlay:
    """Seeded play in which what is rare in random play (reveals, kongs, robberies, double wins) does occur.

    Each seat keeps tiles that belong together, claims and reveals often, and passes some wins up.
    """

    def __init__(self, seed: int) -> None:
        """Play by this seed."""
        self._random = random.Random(seed)  # noqa: S311  (play in tests, not cryptography)

    def wall(self, rules: RuleSet) -> tuple[Kind, ...]:
        """Return a shuffled wall."""
        wall = list(rules.tile_list)
        self._random.shuffle(wall)
        return tuple(wall)

    def answers(self, hand: Hand) -> Mapping[int, Action]:
        """Return an answer for every asked seat."""
        return {
            seat: self._choose(hand.table.seats[seat].concealed.counts, legal) for seat, legal in hand.pending().items()
        }

    def _choose(self, counts: Sequence[int], legal: Sequence[Action]) -> Action:
        weights = [self._weight(counts, action) for action in legal]
        return self._random.choices(legal, weights)[0]

    def _weight(self, counts: Sequence[int], action: Action) -> float:
        if action.type is ActionType.DISCARD:
            return 1 / (1 + _togetherness(counts, action.tile)) ** 4
        return _EAGERNESS[action.type]


_EAGERNESS: Final = {
    ActionType.WIN: 1.5,
    ActionType.CONCEALED_KONG: 6.0,
    ActionType.ADDED_KONG: 6.0,
    ActionType.DIRECT_KONG: 3.0,
    ActionType.PUNG: 0.6,
    ActionType.PASS: 1.0,
    ActionType.REVEAL: 0.5,
}


def _togetherness(counts: Sequence[int], kind: Kind) -> int:
    """Return how much of a hand goes with a tile of this kind: other copies of it and neighbours in its suit."""
    together = 3 * (counts[kind] - 1)
    if SUIT_INDEX[kind] == _DRAGON_SUIT:
        return together
    for distance, worth in _NEIGHBOURS:
        for other in (kind - distance, kind + distance):
            if 0 <= other < len(counts) and SUIT_INDEX[other] == SUIT_INDEX[kind]:
                together += worth * min(counts[other], 1)
    return together
