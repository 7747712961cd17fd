"""Who pays whom how much (RULES §6, and the payments of §10)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kawuxing.engine.events import HandEnded, HandExhausted, MeldType, PaymentReason, PointsPaid
from kawuxing.engine.hand import Hand
from kawuxing.engine.payments import (
    chain_position,
    claim_payment,
    exhaust_penalties,
    kong_payment,
    payer_factor,
    self_draw_payment,
)
from kawuxing.engine.rules import RuleSet, load_preset
from kawuxing.engine.testing import answer, arranged_wall, play_defaults


def test_everyone_pays_a_self_draw(xiangyang: RuleSet, hubei: RuleSet) -> None:
    """Each other seat pays the total, in units of base; reveals change nothing about it."""
    assert (-4, 8, -4) == self_draw_payment(xiangyang, 1, 4)
    assert (-20, 40, -20) == self_draw_payment(hubei, 1, 4)


@pytest.mark.parametrize(
    ("winner_revealed", "payer_revealed", "xiangyang_pays", "hubei_pays"),
    [(False, False, 4, 20), (True, False, 8, 20), (False, True, 4, 40), (True, True, 8, 40)],
)
def test_the_payer_alone_pays_a_claim(
    xiangyang: RuleSet,
    hubei: RuleSet,
    winner_revealed: bool,
    payer_revealed: bool,
    xiangyang_pays: int,
    hubei_pays: int,
) -> None:
    """A revealed winner takes all shares in xiangyang; a revealed payer doubles in hubei."""
    revealed = {"winner_revealed": winner_revealed, "payer_revealed": payer_revealed}
    assert (xiangyang_pays, -xiangyang_pays, 0) == claim_payment(xiangyang, 0, 1, 4, **revealed)
    assert (hubei_pays, -hubei_pays, 0) == claim_payment(hubei, 0, 1, 4, **revealed)


def test_factor_and_shares_multiply(hubei: RuleSet) -> None:
    """Where a rule set has both, four seats: 4 × base 5 × 2 × 3 shares."""
    rules = hubei.replace({"revealed_winner_takes_all_shares": True, "seats": 4, "suits": ["m", "p", "s"]})
    assert (0, 120, 0, -120) == claim_payment(rules, 1, 3, 4, winner_revealed=True, payer_revealed=True)
    assert 2 == payer_factor(rules, payer_revealed=True)
    assert 1 == payer_factor(rules, payer_revealed=False)


@pytest.mark.parametrize(
    ("meld", "source", "expected"),
    [
        (MeldType.CONCEALED_KONG, 2, (-2, -2, 4)),
        (MeldType.ADDED_KONG, 2, (-1, -1, 2)),
        (MeldType.DIRECT_KONG, 0, (-2, 0, 2)),
    ],
)
def test_kong_pays_by_its_sort(xiangyang: RuleSet, meld: MeldType, source: int, expected: tuple[int, ...]) -> None:
    """Concealed 2 from each, added 1 from each, direct 2 from the discarder alone; a link k pays × 2**k."""
    assert expected == kong_payment(xiangyang, meld, 2, source, 0)
    assert tuple(8 * points for points in expected) == kong_payment(xiangyang, meld, 2, source, 3)


def test_same_tile_chains_ask_for_the_drawn_tile(xiangyang: RuleSet, hubei: RuleSet) -> None:
    """A kong on a discard has no drawn tile and is always a link."""
    assert [2, 2, 2] == [chain_position(xiangyang, 2, 5, drawn) for drawn in (5, 6, -1)]
    assert [2, 0, 2] == [chain_position(hubei, 2, 5, drawn) for drawn in (5, 6, -1)]


@pytest.mark.parametrize(
    ("penalty", "revealed", "first", "expected"),
    [
        ("none", (True, False, False), 0, []),
        ("first_revealed", (True, True, False), 1, [(1, (1, -2, 1))]),
        ("first_revealed", (True, True, True), 2, [(2, (1, 1, -2))]),
        ("first_revealed", (False, False, False), -1, []),
        ("revealed_to_unrevealed", (False, True, False), 1, [(1, (1, -2, 1))]),
        ("revealed_to_unrevealed", (True, False, True), 0, [(0, (-1, 1, 0)), (2, (0, 1, -1))]),
        ("revealed_to_unrevealed", (True, True, True), 0, []),
        ("revealed_to_unrevealed", (False, False, False), -1, []),
    ],
)
def test_exhausted_hand_penalties(
    xiangyang: RuleSet, penalty: str, revealed: tuple[bool, ...], first: int, expected: list[tuple[int, Any]]
) -> None:
    """By option: nobody, the first to reveal, or every revealed seat to every unrevealed one."""
    assert expected == exhaust_penalties(xiangyang.replace({"exhaust_penalty": penalty}), revealed, first)


def test_kong_payments_stand_when_the_hand_is_exhausted(xiangyang: RuleSet) -> None:
    """荒庄不荒杠: what kongs paid stays paid beside the penalty."""
    ready = "46p 111s 9999s 567s 7z"
    hand = Hand(xiangyang, arranged_wall(xiangyang, [ready, "13579p"], draws="8p", replacements="7z"), 0)
    hand.start()
    answer(hand, "0 CONCEALED_KONG 9s")
    answer(hand, "0 REVEAL 8p")
    # Everybody passes and discards what was drawn: nobody ever claims the 5p that seat 0 waits on.
    events = play_defaults(hand)
    assert HandExhausted() in events
    assert PointsPaid(PaymentReason.EXHAUST_PENALTY, 0, (-2, 1, 1)) in events
    ended = events[-1]
    assert isinstance(ended, HandEnded)
    assert (4 - 2, -2 + 1, -2 + 1) == ended.points


@given(
    total=st.integers(1, 1024),
    winner=st.integers(0, 2),
    step=st.integers(1, 2),
    winner_revealed=st.booleans(),
    payer_revealed=st.booleans(),
)
def test_payments_sum_to_zero(
    total: int, winner: int, step: int, *, winner_revealed: bool, payer_revealed: bool
) -> None:
    """Whatever is paid, somebody pays it."""
    rules = load_preset()
    claim = claim_payment(
        rules, winner, (winner + step) % 3, total, winner_revealed=winner_revealed, payer_revealed=payer_revealed
    )
    assert 0 == sum(claim)
    assert 0 == sum(self_draw_payment(rules, winner, total))
