"""What a hand is worth: for every plan that it can follow, the chance to win in time and what the win pays.

All values are points in units of ``base``. They are estimates: the draws are taken one by one with what is unseen now,
and the others as players that hold little back. Only their proportions matter to a bot.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from kawuxing.bots.sight import PUNG_SIZE, Counts, Sight, add, count, count_melds, kinds_in
from kawuxing.engine.observation import Meld, SeatView
from kawuxing.engine.rules import DEAL, Reveal, RuleSet, Scoring
from kawuxing.engine.scoring import Circumstances, score
from kawuxing.engine.shanten import outlook
from kawuxing.engine.tiles import KINDS, SUIT_END, SUIT_INDEX, SUIT_START, SUITS, Kind, Suit

_CACHED: Final = 1 << 14
_PAIR: Final = 2
_FLUSH_TILES: Final = 7
"""With fewer tiles of a suit a full flush is not considered."""
_CLAIMED: Final = 0.5
"""How often another seat discards the tile that it drew, as far as this seat could make a pung of it."""
_GIVEN: Final = 0.7
"""The same for a tile that wins for this seat, while it is not revealed."""
_GIVEN_REVEALED: Final = 0.5
"""The same, when everybody knows the waits."""
_HAZARD: Final = 0.05
"""The chance for each draw that an unrevealed rival ends the hand."""
_HAZARD_REVEALED: Final = 0.8
"""How many of the tiles that are drawn in a round win for a revealed rival that waits on them."""
_UNKNOWN_TOTAL: Final = 4
"""The total of a revealed rival whose hand is not fully shown."""
_LATER: Final = 0.75
"""What is left of the worth of a reveal that is put off."""
_IN_HAND: Final = 2.0
"""How much more a reveal counts than the estimate says. The plans of hands to come are too hopeful by about as much."""
_IMPROVES: Final = 0.5
"""How far a hand that few tiles help comes up to a typical one while it waits for them."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A kind of hand to aim at, and what is typical of it as far as it is not yet known."""

    multiplier: float
    """That of its patterns, less what it is harder to complete than this model knows."""
    helpful: tuple[float, ...]
    """Tiles left that win, then those that help from one draw, two draws … away from ready."""


@dataclass(frozen=True, slots=True)
class Wait:
    """What a ready hand wins on."""

    tiles: float
    """Tiles that win, each counted as often as it comes by in a round."""
    points: float
    """What a win brings on average."""


_NO_WAIT: Final = Wait(0.0, 0.0)


def chance(rates: tuple[float, ...], hazard: float, draws: int) -> float:
    """Return the chance that a chain of steps, each with its chance per draw, is done within so many draws.

    ``hazard`` is the chance for each draw that somebody else ends the hand.
    """
    return _chance(tuple(round(min(rate, 1.0), 2) for rate in rates), round(hazard, 2), draws)


@lru_cache(_CACHED)
def _chance(rates: tuple[float, ...], hazard: float, draws: int) -> float:
    at_step = [1.0] + [0.0] * len(rates)
    for _ in range(draws):
        for step in range(len(rates) - 1, -1, -1):
            moved = at_step[step] * rates[step]
            at_step[step] = (at_step[step] - moved) * (1.0 - hazard)
            at_step[step + 1] += moved
    return at_step[-1]


@lru_cache(_CACHED)
def total(rules: RuleSet, complete: Counts, melds: tuple[Meld, ...], tile: Kind, how: Circumstances) -> int:
    """Return the total multiplier of a complete hand, 0 if it is not complete."""
    scored = score(rules, complete, melds, tile, how)
    return scored.total if scored else 0


class Appraiser:
    """Values hands under one rule set."""

    def __init__(self, rules: RuleSet) -> None:
        """Prepare the plans that the rule set knows."""
        self._rules = rules
        self._others = rules.seats - 1
        self._reveals = rules.reveal is not Reveal.OFF
        self._flush_rules = {
            index: replace(rules, suits=(suit,), dragons=False)
            for index, suit in enumerate(SUITS)
            if suit is not Suit.DRAGONS and suit in rules.suits
        }
        best_pattern = rules.scoring is Scoring.BEST_PATTERN
        self._plain = Plan(1.2, (4.2, 13.0, 26.0, 42.0, 50.0))
        self._flush = Plan(5.0 if best_pattern else 3.0, (5.0, 9.0, 14.0, 18.0, 20.0))
        self._pairs = Plan(2.5, (2.0, 6.0, 10.0, 15.0, 20.0))
        self._pungs = Plan(4.0 if best_pattern else 1.5, (3.0, 5.0, 8.0, 11.0, 15.0))

    def payment(self, multiplier: float, *, revealed: bool, self_draw: bool) -> float:
        """Return what a win of this total multiplier brings in all."""
        if self_draw or (revealed and self._rules.revealed_winner_takes_all_shares):
            return multiplier * self._others
        return multiplier

    def worth(self, concealed: Counts, melds: Sequence[Meld], sight: Sight) -> float:
        """Return what 13 tiles (less 3 for each meld) are worth that may still be changed."""
        meld_counts = count_melds(melds)
        distance, useful = outlook(self._rules, concealed, meld_counts)
        if distance == 0:
            best = self._ready_worth(concealed, melds, sight, useful, revealed=False)
            if self._reveals:
                best = max(best, _LATER * self.reveal_worth(concealed, melds, sight, useful))
        else:
            best = self._plan_worth(self._plain, distance, self._helpful(useful, concealed, sight), sight)
        for plan, away, tiles in self._special_plans(concealed, meld_counts, sight):
            if away > 0:
                best = max(best, self._plan_worth(plan, away, tiles, sight))
        return best

    def reveal_worth(self, concealed: Counts, melds: Sequence[Meld], sight: Sight, mask: int) -> float:
        """Return what a hand is worth that reveals now and waits on the kinds in ``mask``."""
        return _IN_HAND * self._ready_worth(concealed, melds, sight, mask, revealed=True)

    def _ready_worth(
        self, concealed: Counts, melds: Sequence[Meld], sight: Sight, mask: int, *, revealed: bool
    ) -> float:
        """Return what a ready hand is worth that keeps its waits until it wins."""
        wait = self._wait(concealed, tuple(melds), sight, mask, revealed=revealed)
        return chance((wait.tiles / sight.hidden,), self.hazard(sight), sight.draws) * wait.points

    def feeding_cost(self, tile: Kind, view: SeatView, sight: Sight, *, robbed: bool, exposed: bool) -> float:
        """Return what it costs to let a revealed rival win on a tile that it waits on.

        ``robbed``: the tile is an added kong's; ``exposed``: the payer is revealed too.
        """
        how = Circumstances(revealed=True, rob_kong=robbed, last_discard=sight.observation.remaining == 0)
        complete = add(count(view.shown), tile, 1)
        multiplier = total(self._rules, complete, view.melds, tile, how) or _UNKNOWN_TOTAL
        if self._rules.revealed_payer_doubles and exposed:
            multiplier *= 2
        return self.payment(multiplier, revealed=True, self_draw=False)

    def hazard(self, sight: Sight) -> float:
        """Return the chance for each draw that another seat ends the hand."""
        hazard = 0.0
        for view in sight.rivals:
            if view.revealed:
                hazard += _HAZARD_REVEALED * sum(sight.unseen[kind] for kind in view.waits) / sight.hidden
            else:
                hazard += _HAZARD
        return min(hazard, 0.9)

    def _wait(self, concealed: Counts, melds: tuple[Meld, ...], sight: Sight, mask: int, *, revealed: bool) -> Wait:
        tiles = 0.0
        points = 0.0
        given = _given(sight, revealed=revealed)
        how = Circumstances(revealed=revealed)
        for kind in kinds_in(mask):
            left = sight.unseen[kind]
            if not left:
                continue
            multiplier = total(self._rules, add(concealed, kind, 1), melds, kind, how)
            tiles += left
            points += left * self.payment(multiplier, revealed=revealed, self_draw=True)
            if multiplier >= self._rules.min_discard_multiplier:
                tiles += left * given
                points += left * given * self.payment(multiplier, revealed=revealed, self_draw=False)
        return Wait(tiles, points / tiles) if tiles else _NO_WAIT

    def _plan_worth(self, plan: Plan, distance: int, tiles: float, sight: Sight) -> float:
        """Return what a plan is worth that is so many useful draws away from ready, with ``tiles`` useful now."""
        if distance > len(plan.helpful) or not tiles:
            return 0.0
        given = _given(sight, revealed=self._reveals)
        multiplier = plan.multiplier * (_PAIR if self._reveals else 1)
        drawn = self.payment(multiplier, revealed=self._reveals, self_draw=True)
        discarded = self.payment(multiplier, revealed=self._reveals, self_draw=False)
        points = (drawn + given * discarded) / (1 + given)
        now = _improving(tiles, plan.helpful[distance]) if distance < len(plan.helpful) else tiles
        steps = (now, *plan.helpful[distance - 1 : 0 : -1], plan.helpful[0] * (1 + given))
        rates = tuple(step / sight.hidden for step in steps)
        return chance(rates, self.hazard(sight), sight.draws) * points

    def _times(self, kind: int, concealed: Counts, sight: Sight) -> float:
        """Return how many tiles of a useful kind are left, each counted as often as it can be taken in a round."""
        left = sight.unseen[kind]
        return left * (1 + _CLAIMED * self._others) if concealed[kind] >= _PAIR else left

    def _helpful(self, useful: int, concealed: Counts, sight: Sight) -> float:
        return sum(self._times(kind, concealed, sight) for kind in kinds_in(useful))

    def _special_plans(self, concealed: Counts, meld_counts: Counts, sight: Sight) -> Iterator[tuple[Plan, int, float]]:
        """Yield the plans for a valuable hand, with their distance and how many tiles help now."""
        melded = {SUIT_INDEX[kind] for kind in range(KINDS) if meld_counts[kind]}
        for suit, rules in self._flush_rules.items():
            if melded <= {suit} and _in_suit(concealed, suit) + _in_suit(meld_counts, suit) >= _FLUSH_TILES:
                distance, useful = outlook(rules, concealed, meld_counts)
                yield self._flush, distance, self._helpful(useful, concealed, sight)
        if self._rules.seven_pairs and not melded:
            yield self._pairs_plan(concealed, sight)
        yield self._pungs_plan(concealed, sight)

    def _pairs_plan(self, concealed: Counts, sight: Sight) -> tuple[Plan, int, float]:
        pairs = sum(held // _PAIR for held in concealed)
        tiles = sum(sight.unseen[kind] for kind in range(KINDS) if concealed[kind] % _PAIR)
        return self._pairs, DEAL // _PAIR - pairs, tiles

    def _pungs_plan(self, concealed: Counts, sight: Sight) -> tuple[Plan, int, float]:
        sets = sum(concealed) // PUNG_SIZE
        lacking = sets - sum(held >= PUNG_SIZE for held in concealed)
        pairs = [kind for kind in range(KINDS) if concealed[kind] == _PAIR]
        used = min(len(pairs), lacking + 1)
        tiles = sum(self._times(kind, concealed, sight) for kind in pairs)
        if used <= lacking:
            tiles += sum(sight.unseen[kind] for kind in range(KINDS) if concealed[kind] == 1)
        return self._pungs, _PAIR * lacking - used, tiles


def _given(sight: Sight, *, revealed: bool) -> float:
    """Return how many of the tiles that the rivals draw in a round they discard, as far as this seat can win them.

    A revealed rival has no choice.
    """
    return sum(1.0 if view.revealed else _GIVEN_REVEALED if revealed else _GIVEN for view in sight.rivals)


def _improving(tiles: float, typical: float) -> float:
    """Return the tiles that help on the way, when few help now: waiting, the hand finds tiles that let more help."""
    return max(tiles, (1 - _IMPROVES) * tiles + _IMPROVES * typical)


def _in_suit(counts: Counts, suit: int) -> int:
    return sum(counts[SUIT_START[suit] : SUIT_END[suit]])
