"""Who sits where and who deals, from hand to hand (RULES §8)."""

from __future__ import annotations

from dataclasses import dataclass

from kawuxing.engine.hand import Outcome
from kawuxing.engine.observation import NOBODY
from kawuxing.engine.rules import ExhaustDealer, NextDealer, RuleSet


@dataclass(frozen=True, slots=True)
class Seating:
    """The entrants of one hand and its dealer."""

    entrants: tuple[int, ...]
    """The entrant in each seat."""
    dealer: int
    """A seat."""


def first_seating(rules: RuleSet) -> Seating:
    """Return a match's first seating: entrant i in seat i, seat 0 deals; with ``sit_out`` the last rests."""
    return Seating(tuple(range(rules.seats)), 0)


def next_seating(rules: RuleSet, seating: Seating, outcome: Outcome) -> Seating:
    """Return the seating of the hand that follows one that ended so.

    Where a tournament forces ``rotate`` on ``sit_out``, the winner still rests, but the deal goes round.
    """
    return Seating(_next_entrants(rules, seating, outcome), _next_dealer(rules, seating.dealer, outcome))


def _next_entrants(rules: RuleSet, seating: Seating, outcome: Outcome) -> tuple[int, ...]:
    """With ``sit_out`` the only winner of a hand makes room for the entrant that rested."""
    if not rules.sit_out or len(outcome.winners) != 1:
        return seating.entrants
    (resting,) = set(range(rules.entrants)) - set(seating.entrants)
    return tuple(resting if seat == outcome.winners[0] else entrant for seat, entrant in enumerate(seating.entrants))


def _next_dealer(rules: RuleSet, dealer: int, outcome: Outcome) -> int:
    if rules.next_dealer is NextDealer.ROTATE:
        return (dealer + 1) % rules.seats
    if outcome.winners:
        # Several winners share one discard or robbed kong, so then there is a payer.
        return outcome.winners[0] if len(outcome.winners) == 1 else outcome.payer
    # RULES §8 gives sit_out its own rule, which is first_revealed's.
    by_reveal = rules.sit_out or rules.exhaust_dealer is ExhaustDealer.FIRST_REVEALED
    if by_reveal and outcome.first_revealed != NOBODY:
        return outcome.first_revealed
    return dealer
