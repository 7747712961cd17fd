"""Working out the settlements and the next dealers that the guide states, by the engine's own functions."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeVar

from tests.docs.guide_text import NAMES

from kawuxing.engine import payments
from kawuxing.engine.events import MeldType
from kawuxing.engine.hand import Outcome
from kawuxing.engine.observation import NOBODY
from kawuxing.engine.rules import RuleSet
from kawuxing.engine.seating import first_seating, next_seating

T = TypeVar("T")

_NAME: Final = f"({'|'.join(NAMES)})"


def settlement(rules: RuleSet, what: str) -> str:
    """Return what ``what`` costs whom, such as ``ann +4, bob -4, cai +0``; several things are divided by ``; ``.

    Raises ValueError for text that is no payment.
    """
    totals = [0] * rules.seats
    for one in what.split("; "):
        for points in _payments(rules, one):
            totals = [total + change for total, change in zip(totals, points, strict=True)]
    return ", ".join(f"{name} {change:+d}" for name, change in zip(NAMES, totals, strict=False))


def next_deal(rules: RuleSet, what: str) -> str:
    """Return who deals after a hand, such as ``bob deals``, and who rests.

    Raises ValueError for text that is no end of a hand.
    """
    dealer, _, end = what.partition(" dealt, ")
    if dealer != NAMES[0]:
        raise ValueError(f"dealer {dealer!r}: expected {NAMES[0]}, who deals the first hand")
    seating = next_seating(rules, first_seating(rules), _read(end, _OUTCOMES))
    deals = f"{NAMES[seating.entrants[seating.dealer]]} deals"
    resting = set(range(rules.entrants)) - set(seating.entrants)
    return ", ".join([deals, *(f"{NAMES[entrant]} rests" for entrant in sorted(resting))])


def _payments(rules: RuleSet, text: str) -> list[payments.Points]:
    def self_draw(found: re.Match[str]) -> list[payments.Points]:
        return [payments.self_draw_payment(rules, _seat(found[1]), int(found[3]))]

    def claim(found: re.Match[str]) -> list[payments.Points]:
        shown = {"winner_revealed": bool(found[2]), "payer_revealed": bool(found[4])}
        return [payments.claim_payment(rules, _seat(found[1]), _seat(found[5]), int(found[3]), **shown)]

    def own_kong(found: re.Match[str]) -> list[payments.Points]:
        seat = _seat(found[1])
        return [payments.kong_payment(rules, MeldType(f"{found[2]}_kong"), seat, seat, 0)]

    def direct_kong(found: re.Match[str]) -> list[payments.Points]:
        return [payments.kong_payment(rules, MeldType.DIRECT_KONG, _seat(found[1]), _seat(found[2]), 0)]

    def exhausted(found: re.Match[str]) -> list[payments.Points]:
        seats = [] if found[1] == "nobody" else [_seat(name) for name in found[1].split(" then ")]
        revealed = [seat in seats for seat in range(rules.seats)]
        return [points for _, points in payments.exhaust_penalties(rules, revealed, seats[0] if seats else NOBODY)]

    return _read(
        text,
        {
            rf"{_NAME} (revealed )?wins ×(\d+) by self-draw": self_draw,
            rf"{_NAME} (revealed )?wins ×(\d+) on (revealed )?{_NAME}'s (?:discard|added kong)": claim,
            rf"{_NAME} makes an? (concealed|added) kong": own_kong,
            rf"{_NAME} makes a direct kong of {_NAME}'s discard": direct_kong,
            r"exhausted, ([a-z ]+) revealed": exhausted,
        },
    )


_OUTCOMES: Final[dict[str, Callable[[re.Match[str]], Outcome]]] = {
    f"{_NAME} won": lambda found: Outcome((_seat(found[1]),), NOBODY, NOBODY),
    f"{_NAME} and {_NAME} won on {_NAME}'s discard": lambda found: Outcome(
        (_seat(found[1]), _seat(found[2])), _seat(found[3]), NOBODY
    ),
    "exhausted, nobody revealed": lambda _: Outcome((), NOBODY, NOBODY),
    f"exhausted, {_NAME} revealed first": lambda found: Outcome((), NOBODY, _seat(found[1])),
}


def _read(text: str, readers: dict[str, Callable[[re.Match[str]], T]]) -> T:
    for pattern, read in readers.items():
        if found := re.fullmatch(pattern, text):
            return read(found)
    raise ValueError(f"{text!r}: expected one of {', '.join(readers)}")


def _seat(name: str) -> int:
    return NAMES.index(name)
