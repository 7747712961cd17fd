"""Walls and play in which what is rare at a table is common: for tests that ask all of it of every rule set."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from kawuxing.engine.actions import PASS, Action, ActionType
from kawuxing.engine.hand import Hand
from kawuxing.engine.rules import DEAL, RuleSet
from kawuxing.engine.testing import LivelyPlay
from kawuxing.engine.tiles import RANK, SUIT_INDEX, WHITE, Kind

_GATHERED: Final = 0.6
"""How often a seat is dealt tiles that go together."""
_WON: Final = (0.05, 0.8)
"""How often a win is taken that is not rare in itself: in patient hands, and in others."""
_CLAIMED: Final = (0.0, 0.9)
"""How often what is offered is claimed for sure: hardly in some hands, nearly always in others."""
_258: Final = (2, 5, 8)
_FEW_KINDS: Final = (4, 7)
_DRAGON_TILES: Final = 8


class RarePlay(LivelyPlay):
    """Lively play in which seats are often dealt what goes together, and win little but where that is rare."""

    def wall(self, rules: RuleSet) -> tuple[Kind, ...]:
        """Return a shuffled wall that deals some seats one suit, few kinds, many dragons, or 2s, 5s and 8s."""
        wall = list(super().wall(rules))
        self._won, self._claimed = self._random.choice(_WON), self._random.choice(_CLAIMED)
        for first in range(0, DEAL * rules.seats, DEAL):
            if self._random.random() < _GATHERED:
                self._gather(wall, first, *self._liked(rules))
        return tuple(wall)

    def answers(self, hand: Hand) -> Mapping[int, Action]:
        """Return an answer for every asked seat."""
        wins = {seat: legal[0] for seat, legal in hand.pending().items() if legal[0].type is ActionType.WIN}
        answers = dict(super().answers(hand))
        table = hand.table
        rare = len(wins) > 1 or table.robbing or table.remaining == 0
        for seat, legal in hand.pending().items():
            if seat in wins and (rare or table.seats[seat].locked):
                answers[seat] = legal[0]
            elif seat in wins:
                if self._random.random() >= self._won:
                    answers[seat] = legal[-1]
            elif legal[-1] is PASS and self._random.random() < self._claimed:
                answers[seat] = legal[0]
        return answers

    def _liked(self, rules: RuleSet) -> tuple[Collection[Kind], int]:
        """Return kinds, and how many tiles of them to deal to one seat."""
        kinds = rules.kinds
        like = self._random.choice(("suit", "suit", "suit", "few", "few", "258", "dragons"))
        if like == "suit":
            suit = SUIT_INDEX[self._random.choice([kind for kind in kinds if kind < WHITE])]
            return [kind for kind in kinds if SUIT_INDEX[kind] == suit], DEAL
        if like == "258":
            return [kind for kind in kinds if kind < WHITE and RANK[kind] in _258], DEAL
        if like == "dragons" and rules.dragons:
            return [kind for kind in kinds if kind >= WHITE], _DRAGON_TILES
        return self._random.sample(kinds, self._random.randint(*_FEW_KINDS)), DEAL

    @staticmethod
    def _gather(wall: list[Kind], first: int, liked: Collection[Kind], count: int) -> None:
        """Exchange tiles of the hand dealt from place ``first`` on with later ones, until it has ``count`` liked."""
        hand = range(first, first + DEAL)
        others = [place for place in hand if wall[place] not in liked]
        wanted = max(0, count - DEAL + len(others))
        later = [place for place in range(first + DEAL, len(wall)) if wall[place] in liked]
        for one, other in zip(others[:wanted], later, strict=False):
            wall[one], wall[other] = wall[other], wall[one]
