"""Who pays whom how much (RULES §6). Every result is the change of each seat's points; its sum is zero."""

from __future__ import annotations

from collections.abc import Sequence

from kawuxing.engine.events import MeldType
from kawuxing.engine.rules import ExhaustPenalty, RuleSet
from kawuxing.engine.tiles import Kind

Points = tuple[int, ...]
"""Change of every seat's points."""


def payer_factor(rules: RuleSet, *, payer_revealed: bool) -> int:
    """Return what the payer of a discard or robbed kong multiplies a total by; it counts towards the minimum to win."""
    return 2 if rules.revealed_payer_doubles and payer_revealed else 1


def self_draw_payment(rules: RuleSet, winner: int, total: int) -> Points:
    """Return the payment of a self-draw: every other seat pays the total."""
    return _from_each(rules.seats, winner, total * rules.base)


def claim_payment(
    rules: RuleSet, winner: int, payer: int, total: int, *, winner_revealed: bool, payer_revealed: bool
) -> Points:
    """Return the payment of a won discard or robbed kong: the payer alone pays, for all by 包胡 if so."""
    shares = rules.seats - 1 if rules.revealed_winner_takes_all_shares and winner_revealed else 1
    amount = total * payer_factor(rules, payer_revealed=payer_revealed) * shares * rules.base
    return _from_one(rules.seats, winner, payer, amount)


def chain_position(rules: RuleSet, links: int, tile: Kind, drawn: Kind) -> int:
    """Return which link of a kong chain 杠上杠 a new kong is: 0 if it begins a chain, else k.

    ``links`` is how many kongs the open chain has, ``drawn`` the replacement that was drawn in it, -1 for a kong on
    another seat's discard.
    """
    if rules.kong_chain_same_tile and drawn >= 0 and tile != drawn:
        return 0
    return links


def kong_payment(rules: RuleSet, meld: MeldType, seat: int, source: int, position: int) -> Points:
    """Return the payment of a kong that is link ``position`` of its chain (0: the first kong)."""
    factor = 1
    if rules.kong_chain:
        factor = 1 << position
        if rules.kong_chain_cap:
            factor = min(factor, rules.kong_chain_cap)
    unit = factor * rules.base
    if meld is MeldType.DIRECT_KONG:
        return _from_one(rules.seats, seat, source, rules.direct_kong_pays * unit)
    if meld is MeldType.ADDED_KONG:
        return _from_each(rules.seats, seat, rules.added_kong_pays * unit)
    return _from_each(rules.seats, seat, rules.concealed_kong_pays * unit)


def exhaust_penalties(rules: RuleSet, revealed: Sequence[bool], first_revealed: int) -> list[tuple[int, Points]]:
    """Return each seat that pays for an exhausted hand, with its payment.

    ``first_revealed`` is the seat that revealed first, -1 if none did.
    """
    if rules.exhaust_penalty is ExhaustPenalty.FIRST_REVEALED and first_revealed >= 0:
        return [(first_revealed, _from_each(rules.seats, first_revealed, -rules.base))]
    if rules.exhaust_penalty is ExhaustPenalty.REVEALED_TO_UNREVEALED and not all(revealed):
        unrevealed = revealed.count(False)
        return [
            (
                payer,
                tuple(
                    -unrevealed * rules.base if seat == payer else 0 if shown else rules.base
                    for seat, shown in enumerate(revealed)
                ),
            )
            for payer, pays in enumerate(revealed)
            if pays
        ]
    return []


def _from_each(seats: int, receiver: int, amount: int) -> Points:
    return tuple(amount * (seats - 1) if seat == receiver else -amount for seat in range(seats))


def _from_one(seats: int, receiver: int, payer: int, amount: int) -> Points:
    return tuple(amount if seat == receiver else -amount if seat == payer else 0 for seat in range(seats))
