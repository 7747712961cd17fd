"""What a hand is worth: for every plan that it can follow, the chance to win in time and what the win pays.

All values are points in units of ``base``. They are estimates: the draws are taken one by one with what is unseen now, and
the others as players that do not hold back. Only their proportions matter to a bot.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from kawuxing.bots.sight import PUNG_SIZE, Counts, Sight, add, tiles_left
from kawuxing.engine.observation import Meld
from kawuxing.engine.rules import DEAL, Reveal, RuleSet, Scoring
from kawuxing.engine.scoring import Circumstances, score
from kawuxing.engine.shanten import outlook
from kawuxing.engine.shapes import waits
from kawuxing.engine.tiles import KINDS, SUIT_END, SUIT_INDEX, SUIT_START, SUITS, Kind, Suit

_CACHED: Final = 1 << 14
_PAIR: Final = 2
_FIRST_FLUSH_TILES: Final = 6
"""With fewer tiles of a suit a full flush is not considered."""
_OTHERS_GIVE: Final = 0.7
"""How often another seat discards a tile that it drew, when that would help."""
_SECOND_BEST: Final = 0.3
"""What the plans beside the best one add: a hand that can go two ways gets there sooner."""
_LATER: Final = 0.85
_HAZARD: Final = 0.03
"""The chance that an unrevealed rival ends the hand in a round."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A kind of hand to aim at: how many tiles help at each distance from ready, as far as they are not yet known."""

    value: float
    """Its multiplier."""
    helpful: tuple[float, ...]
    """Tiles left that win, and those that make ready from one and more draws away."""


def chance(rates: tuple[float, ...], hazard: float, draws: int) -> float:
    """Return the chance that a chain of steps, each with its chance per draw, is done within so many draws.

    ``hazard`` is the chance for each draw that somebody else ends the hand.
    """
    return _chance(tuple(round(rate, 2) for rate in rates), round(hazard, 2), draws)


@lru_cache(_CACHED)
def _chance(rates: tuple[float, ...], hazard: float, draws: int) -> float:
    waiting = [1.0] + [0.0] * len(rates)
    for _ in range(draws):
        for step in range(len(rates) - 1, -1, -1):
            moved = waiting[step] * min(rates[step], 1.0)
            waiting[step] -= moved
            waiting[step + 1] += moved
        for step in range(len(rates)):
            waiting[step] *= 1.0 - hazard
    return waiting[-1]


class Appraiser:
    """Values hands under one rule set."""

    def __init__(self, rules: RuleSet) -> None:
        """Prepare the plans that the rule set knows."""
        self._rules = rules
        self._share = rules.seats - 1
        self._flush_rules = {
            index: replace(rules, suits=(suit,), dragons=False)
            for index, suit in enumerate(SUITS)
            if suit is not Suit.DRAGONS and suit in rules.suits
        }
        best_pattern = rules.scoring is Scoring.BEST_PATTERN
        self._plain = Plan(1.2, (5.0, 14.0, 22.0, 30.0, 36.0))
        self._flush = Plan(5.0 if best_pattern else 4.8, (6.0, 11.0, 15.0, 18.0, 20.0))
        self._pairs = Plan(4.0, (2.3, 6.5, 11.0, 16.0, 20.0))
        self._pungs = Plan(5.0 if best_pattern else 2.0, (3.5, 6.0, 9.0, 12.0, 15.0))

    def payment(self, total: float, *, revealed: bool, self_draw: bool) -> float:
        """Return what a win of this total multiplier brings in all."""
        if self_draw or (revealed and self._rules.revealed_winner_takes_all_shares):
            return total * self._share
        return total

    def worth(self, concealed: Counts, melds: Sequence[Meld], meld_counts: Counts, sight: Sight) -> float:
        """Return what 13 tiles (less 3 for each meld) are worth that may still be changed."""
        hidden = max(sum(sight.unseen), 1)
        hazard = self.hazard(sight)
        distance, useful = outlook(self._rules, concealed, meld_counts)
        if distance == 0:
            values = [
                self.ready_worth(concealed, melds, sight, mask=useful, revealed=False),
                _LATER * self.ready_worth(concealed, melds, sight, mask=useful, revealed=self._rules.reveal is not Reveal.OFF),
            ]
            best = max(values)
            values = [best]
        else:
            values = [self._plan_worth(self._plain, distance, self._helpful(useful, concealed, sight), hidden, hazard, sight)]
        for plan, away, tiles in self._special_plans(concealed, meld_counts, sight):
            if away > 0:
                values.append(self._plan_worth(plan, away, tiles, hidden, hazard, sight))
        best = max(values)
        return best + _SECOND_BEST * (sum(values) - best)

    def ready_worth(
        self, concealed: Counts, melds: Sequence[Meld], sight: Sight, *, mask: int, revealed: bool
    ) -> float:
        """Return what a ready hand is worth that keeps its waits ``mask`` until it wins."""
        hidden = max(sum(sight.unseen), 1)
        weighted = 0.0
        tiles = 0.0
        for kind in range(mask.bit_length()):
            left = sight.unseen[kind]
            if not mask >> kind & 1 or not left:
                continue
            total = self.total(add(concealed, kind, 1), tuple(melds), kind, revealed=revealed)
            weighted += left * self.payment(total, revealed=revealed, self_draw=True)
            tiles += left
            if total >= self._rules.min_discard_multiplier:
                given = left * self._share * (_OTHERS_GIVE if not revealed else 0.4)
                weighted += given * self.payment(total, revealed=revealed, self_draw=False)
                tiles += given
        if not tiles:
            return 0.0
        return chance((tiles / hidden,), self.hazard(sight), sight.draws) * weighted / tiles

    def total(self, complete: Counts, melds: tuple[Meld, ...], tile: Kind, *, revealed: bool) -> int:
        """Return the total multiplier of a complete hand."""
        return _total(self._rules, complete, melds, tile, revealed)

    def hazard(self, sight: Sight) -> float:
        """Return the chance that another seat ends the hand within a round."""
        hidden = max(sum(sight.unseen), 1)
        chance_of_end = 0.0
        for view in sight.rivals:
            if view.revealed:
                chance_of_end += 1.5 * sum(sight.unseen[kind] for kind in view.waits) / hidden
            else:
                chance_of_end += _HAZARD
        return min(chance_of_end, 0.9)

    def _plan_worth(
        self, plan: Plan, distance: int, tiles: float, hidden: int, hazard: float, sight: Sight
    ) -> float:
        """Return what a plan is worth that is ``distance`` useful draws away from ready, with ``tiles`` useful now."""
        later = plan.helpful[:distance]
        if distance > len(plan.helpful) or not tiles:
            return 0.0
        win = later[0] * (1 + 0.5 * self._share) / hidden
        rates = (tiles / hidden, *(count / hidden for count in reversed(later[1:])), win)
        revealed = self._rules.reveal is not Reveal.OFF
        total = plan.value * (_PAIR if revealed else 1)
        payment = (
            self.payment(total, revealed=revealed, self_draw=True)
            + self.payment(total, revealed=revealed, self_draw=False)
        ) / 2
        return chance(rates, hazard, sight.draws) * payment

    def _helpful(self, useful: int, concealed: Counts, sight: Sight) -> float:
        """Return how many tiles help, those that may be punged counted as often as they come by."""
        tiles = 0.0
        for kind in range(useful.bit_length()):
            if useful >> kind & 1:
                left = sight.unseen[kind]
                tiles += left * (1 + _OTHERS_GIVE * self._share) if concealed[kind] >= _PAIR else left
        return tiles

    def _special_plans(
        self, concealed: Counts, meld_counts: Counts, sight: Sight
    ) -> Iterator[tuple[Plan, int, float]]:
        melded = {SUIT_INDEX[kind] for kind in range(KINDS) if meld_counts[kind]}
        for suit, rules in self._flush_rules.items():
            if melded <= {suit} and _in_suit(concealed, suit) + _in_suit(meld_counts, suit) >= _FIRST_FLUSH_TILES:
                distance, useful = outlook(rules, concealed, meld_counts)
                yield self._flush, distance, self._helpful(useful, concealed, sight)
        if self._rules.seven_pairs and not melded:
            yield self._pairs_plan(concealed, sight)
        yield self._pungs_plan(concealed, sight)

    def _pairs_plan(self, concealed: Counts, sight: Sight) -> tuple[Plan, int, float]:
        pairs = sum(count // _PAIR for count in concealed)
        distance = DEAL // _PAIR - pairs
        tiles = sum(sight.unseen[kind] for kind in range(KINDS) if concealed[kind] % _PAIR)
        return self._pairs, distance, tiles

    def _pungs_plan(self, concealed: Counts, sight: Sight) -> tuple[Plan, int, float]:
        sets = sum(concealed) // PUNG_SIZE
        pungs = sum(count >= PUNG_SIZE for count in concealed)
        pairs = [kind for kind in range(KINDS) if concealed[kind] == _PAIR]
        used = min(len(pairs), sets + 1 - pungs)
        distance = _PAIR * (sets - pungs) - used
        tiles = sum(sight.unseen[kind] for kind in pairs) * (1 + _OTHERS_GIVE * self._share)
        if used < sets + 1 - pungs:
            tiles += sum(sight.unseen[kind] for kind in range(KINDS) if concealed[kind] == 1)
        return self._pungs, distance, tiles


def _in_suit(counts: Counts, suit: int) -> int:
    return sum(counts[SUIT_START[suit] : SUIT_END[suit]])


@lru_cache(_CACHED)
def _total(rules: RuleSet, complete: Counts, melds: tuple[Meld, ...], tile: Kind, revealed: bool) -> int:
    scored = score(rules, complete, melds, tile, Circumstances(revealed=revealed))
    return scored.total if scored else 0
