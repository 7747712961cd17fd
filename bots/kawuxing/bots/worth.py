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
from kawuxing.engine.patterns import BEST_PATTERN, MULTIPLIED, Pattern
from kawuxing.engine.payments import payer_factor
from kawuxing.engine.rules import DEAL, ExhaustPenalty, Reveal, RuleSet, Scoring
from kawuxing.engine.scoring import Circumstances, score
from kawuxing.engine.shanten import allowed_suits, outlook
from kawuxing.engine.tiles import KINDS, SUIT_END, SUIT_INDEX, SUIT_START, SUITS, Kind, Suit

_CACHED: Final = 1 << 14
_PAIR: Final = 2
_REVEALED: Final = MULTIPLIED[Pattern.REVEAL]
_FLUSH_TILES: Final = 7
"""With fewer tiles of a suit a full flush is not considered."""
_CLAIMED: Final = 0.5
"""How often another seat discards the tile that it drew, as far as this seat could make a pung of it."""
_GIVEN: Final = 0.7
"""The same for a tile that wins for this seat, while it is not revealed."""
_GIVEN_REVEALED: Final = 0.5
"""The same, when everybody knows the waits and may still discard them."""
_PACE: Final = 3.0
"""On how many tiles an unrevealed rival wins in a round, averaged over those that are not ready yet."""
_UNKNOWN_TOTAL: Final = 4
"""The total of a revealed rival whose hand is not fully shown."""
_LATER: Final = 0.75
"""What is left of the chance to win of a reveal that is put off."""
_IN_HAND: Final = 1.5
"""How much more a reveal counts than the estimate says. The plans of hands to come are too hopeful by about as much."""
_IMPROVES: Final = 0.5
"""How far a hand that few tiles help comes up to a typical one while it waits for them."""
_PLAIN: Final = 1.2
"""The multiplier of a plain hand: now and then it has a pattern that nobody planned."""
_HARDER: Final = 0.7
"""What is left of the multiplier of a planned pattern: it is harder to complete than this model knows."""


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
_REVEALED_DRAW: Final = Circumstances(self_draw=True, revealed=True)


@dataclass(frozen=True, slots=True)
class Course:
    """How the rest of a hand goes for a seat, on average."""

    win: float
    """The chance to win it."""
    exhausted: float
    """The chance that nobody does."""
    rounds: float
    """How many rounds the others may win in."""


def course(rates: tuple[float, ...], hazard: float, draws: int) -> Course:
    """Return how a hand goes that lacks a chain of steps, each with its chance per draw, with so many draws to come.

    ``hazard`` is the chance for each draw that somebody else ends the hand.
    """
    return _course(tuple(round(min(rate, 1.0), 2) for rate in rates), round(hazard, 2), draws)


@lru_cache(_CACHED)
def _course(rates: tuple[float, ...], hazard: float, draws: int) -> Course:
    at_step = [1.0] + [0.0] * len(rates)
    rounds = 0.0
    for _ in range(draws):
        for step in range(len(rates) - 1, -1, -1):
            moved = at_step[step] * rates[step]
            rounds += at_step[step] - moved
            at_step[step] = (at_step[step] - moved) * (1.0 - hazard)
            # What has moved on is as exposed to the others as what has not.
            if step + 1 < len(rates):
                rounds += moved
                moved *= 1.0 - hazard
            at_step[step + 1] += moved
    return Course(at_step[-1], sum(at_step[:-1]), rounds)


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
        patterns = BEST_PATTERN if best_pattern else MULTIPLIED
        flush, pungs = patterns[Pattern.FULL_FLUSH], patterns[Pattern.ALL_PUNGS]
        both = BEST_PATTERN[Pattern.FLUSH_PUNGS] if best_pattern else flush * pungs
        self._self_draw = BEST_PATTERN[Pattern.SELF_DRAW] if best_pattern else 1
        self._plain = Plan(_PLAIN, (4.2, 13.0, 26.0, 42.0, 50.0, 60.0))
        self._flush = Plan(_HARDER * flush, (5.0, 9.0, 14.0, 18.0, 20.0))
        self._pairs = Plan(_HARDER * MULTIPLIED[Pattern.SEVEN_PAIRS], (2.0, 6.0, 10.0, 15.0, 20.0))
        self._pungs = Plan(_HARDER * pungs, (3.0, 5.0, 8.0, 11.0, 15.0))
        self._flush_pungs = Plan(_HARDER * _HARDER * both, self._pungs.helpful)
        # All plans of a decision ask for it, revealed or not.
        self._danger = lru_cache(2)(self._danger_of)

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
            best = self._ready_worth(concealed, melds, sight, useful, Circumstances())
            if self._reveals:
                revealed = Circumstances(revealed=True)
                best = max(best, self._ready_worth(concealed, melds, sight, useful, revealed, weight=_LATER * _IN_HAND))
        else:
            best = self._plan_worth(self._plain, distance, self._helpful(useful, concealed, sight), sight)
        for plan, away, tiles in self._special_plans(concealed, meld_counts, sight):
            if away > 0:
                best = max(best, self._plan_worth(plan, away, tiles, sight))
        return best

    def reveal_worth(
        self, concealed: Counts, melds: Sequence[Meld], sight: Sight, mask: int, *, hidden_pungs: bool = False
    ) -> float:
        """Return what a hand is worth that reveals now and waits on the kinds in ``mask``.

        ``hidden_pungs``: it keeps pungs face down.
        """
        how = Circumstances(revealed=True, hidden_pungs=hidden_pungs)
        return self._ready_worth(concealed, melds, sight, mask, how, weight=_IN_HAND)

    def _ready_worth(
        self,
        concealed: Counts,
        melds: Sequence[Meld],
        sight: Sight,
        mask: int,
        how: Circumstances,
        *,
        weight: float = 1.0,
    ) -> float:
        """Return what a ready hand is worth that keeps its waits until it wins, a win counting for ``weight``."""
        wait = self._wait(concealed, tuple(melds), sight, mask, how)
        return self._value((wait.tiles / sight.hidden,), weight * wait.points, sight, revealed=how.revealed)

    def _value(self, rates: tuple[float, ...], points: float, sight: Sight, *, revealed: bool) -> float:
        """Return the expected points of a hand that lacks these steps of a win that brings so many points."""
        hazard, loss = self._danger(sight, revealed)
        ahead = course(rates, hazard, sight.draws)
        penalty = self._penalty(sight, revealed=revealed)
        return ahead.win * points - ahead.rounds * loss - ahead.exhausted * penalty

    def _penalty(self, sight: Sight, *, revealed: bool) -> float:
        """Return what an exhausted hand costs, if nobody reveals any more; below 0 if it brings something."""
        shown = sum(view.revealed for view in sight.rivals)
        match self._rules.exhaust_penalty:
            case ExhaustPenalty.REVEALED_TO_UNREVEALED:
                return self._others - shown if revealed else -shown
            case ExhaustPenalty.FIRST_REVEALED:
                return -1 if shown else self._others if revealed else 0
            case ExhaustPenalty.NONE:
                return 0

    def feeding_cost(self, tile: Kind, view: SeatView, sight: Sight, *, robbed: bool, exposed: bool) -> float:
        """Return what it costs to let a revealed rival win on a tile that it waits on.

        ``robbed``: the tile is an added kong's; ``exposed``: the payer is revealed too.
        """
        how = Circumstances(revealed=True, rob_kong=robbed, last_discard=sight.observation.remaining == 0)
        multiplier: float = self._total_of(view, tile, how)
        if self._rules.revealed_payer_doubles and exposed:
            multiplier *= 2
        return self.payment(multiplier, revealed=True, self_draw=False)

    def _total_of(self, view: SeatView, tile: Kind, how: Circumstances) -> int:
        """Return the total of a revealed rival's hand with a tile that it waits on."""
        return total(self._rules, add(count(view.shown), tile, 1), view.melds, tile, how) or _UNKNOWN_TOTAL

    def _danger_of(self, sight: Sight, revealed: bool) -> tuple[float, float]:
        """Return the chance for each round that another seat ends the hand, and what that costs a round.

        ``revealed``: for a revealed seat, which has to discard what it draws.
        """
        hazard = loss = 0.0
        for view in sight.rivals:
            if not view.revealed:
                rate = min(_PACE / sight.hidden, 1.0)
                hazard += rate
                loss += rate * self._plain.multiplier * self._self_draw * (_REVEALED if self._reveals else 1)
                continue
            given = sum(self._given_by(other, revealed=True) for other in sight.rivals if other is not view)
            for kind in view.waits:
                rate = sight.unseen[kind] / sight.hidden
                hazard += rate * (1 + given)
                loss += rate * self._total_of(view, kind, _REVEALED_DRAW)
                if revealed:
                    hazard += rate
                    loss += rate * self.feeding_cost(kind, view, sight, robbed=False, exposed=True)
        return min(hazard, 0.9), loss

    def _given_by(self, rival: SeatView, *, revealed: bool) -> float:
        """Return how many of the tiles that a rival draws in a round it discards, as far as a seat can win them.

        A revealed rival has no choice.
        """
        if rival.revealed:
            return 1.0
        if revealed:
            return 0.0 if self._rules.discard_ban else _GIVEN_REVEALED
        return _GIVEN

    def _wait(self, concealed: Counts, melds: tuple[Meld, ...], sight: Sight, mask: int, how: Circumstances) -> Wait:
        tiles = 0.0
        points = 0.0
        drawn = replace(how, self_draw=True)
        rules = self._rules
        for kind in kinds_in(mask):
            left = sight.unseen[kind]
            if not left:
                continue
            complete = add(concealed, kind, 1)
            tiles += left
            scored = total(rules, complete, melds, kind, drawn)
            points += left * self.payment(scored, revealed=how.revealed, self_draw=True)
            scored = total(rules, complete, melds, kind, how)
            given, paid = self._discarded(scored, sight, revealed=how.revealed)
            tiles += left * given
            points += left * paid
        return Wait(tiles, points / tiles) if tiles else _NO_WAIT

    def _discarded(self, multiplier: float, sight: Sight, *, revealed: bool) -> tuple[float, float]:
        """Return how many of the tiles that the rivals draw in a round can be won from them, and what that pays."""
        tiles = points = 0.0
        for view in sight.rivals:
            paid = multiplier * payer_factor(self._rules, payer_revealed=view.revealed)
            if paid >= self._rules.min_discard_multiplier:
                given = self._given_by(view, revealed=revealed)
                tiles += given
                points += given * self.payment(paid, revealed=revealed, self_draw=False)
        return tiles, points

    def _plan_worth(self, plan: Plan, distance: int, tiles: float, sight: Sight) -> float:
        """Return what a plan is worth that is so many useful draws away from ready, with ``tiles`` useful now."""
        if distance > len(plan.helpful) or not tiles:
            return self._value((0.0,), 0.0, sight, revealed=False)
        worth = self._plan_value(plan, distance, tiles, sight, revealed=False)
        if self._reveals:
            worth = max(worth, self._plan_value(plan, distance, tiles, sight, revealed=True))
        return worth

    def _plan_value(self, plan: Plan, distance: int, tiles: float, sight: Sight, *, revealed: bool) -> float:
        """Return what a plan is worth that ends with a reveal, or without one."""
        multiplier = plan.multiplier * (_REVEALED if revealed else 1)
        if self._rules.cap:
            multiplier = min(multiplier, self._rules.cap)
        given, paid = self._discarded(multiplier, sight, revealed=revealed)
        drawn = self.payment(multiplier * self._self_draw, revealed=revealed, self_draw=True)
        now = _improving(tiles, plan.helpful[distance]) if distance < len(plan.helpful) else tiles
        steps = (now, *plan.helpful[distance - 1 : 0 : -1], plan.helpful[0] * (1 + given))
        rates = tuple(step / sight.hidden for step in steps)
        return self._value(rates, (drawn + paid) / (1 + given), sight, revealed=False)

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
                yield self._flush_pungs, *self._to_pungs((suit,), concealed, sight)
        if self._rules.seven_pairs and not melded:
            yield self._pairs, *self._to_pairs(concealed, sight)
        for suits in allowed_suits(self._rules, meld_counts):
            yield self._pungs, *self._to_pungs(suits, concealed, sight)

    def _to_pairs(self, concealed: Counts, sight: Sight) -> tuple[int, float]:
        pairs = sum(held // _PAIR for held in concealed)
        tiles = sum(sight.unseen[kind] for kind in range(KINDS) if concealed[kind] % _PAIR)
        return DEAL // _PAIR - pairs, tiles

    def _to_pungs(self, suits: tuple[int, ...], concealed: Counts, sight: Sight) -> tuple[int, float]:
        kinds = [kind for suit in suits for kind in range(SUIT_START[suit], SUIT_END[suit]) if concealed[kind]]
        lacking = sum(concealed) // PUNG_SIZE - sum(concealed[kind] >= PUNG_SIZE for kind in kinds)
        pairs = [kind for kind in kinds if concealed[kind] == _PAIR]
        singles = [kind for kind in kinds if concealed[kind] == 1]
        used = min(len(pairs), lacking + 1)
        needed = lacking + 1 - used
        tiles = sum(self._times(kind, concealed, sight) for kind in pairs)
        if needed:
            tiles += sum(sight.unseen[kind] for kind in singles)
        return _PAIR * lacking - used + max(needed - len(singles), 0), tiles


def _improving(tiles: float, typical: float) -> float:
    """Return the tiles that help on the way, when few help now: waiting, the hand finds tiles that let more help."""
    return max(tiles, (1 - _IMPROVES) * tiles + _IMPROVES * typical)


def _in_suit(counts: Counts, suit: int) -> int:
    return sum(counts[SUIT_START[suit] : SUIT_END[suit]])
