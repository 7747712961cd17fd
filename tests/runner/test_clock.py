"""The clock of one entrant: bank, increment, limit, and the first answer."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kawuxing.runner.clock import ClockSettings, SeatClock

SECOND = timedelta(seconds=1)
SETTINGS = ClockSettings(bank=10 * SECOND, increment=2 * SECOND, move_max=5 * SECOND, start=30 * SECOND)
AMOUNTS = st.timedeltas(min_value=timedelta(milliseconds=1), max_value=timedelta(hours=1))


def seconds(clock: SeatClock) -> float:
    return clock.allowed() / 1e6


def test_the_first_answer_has_the_start_time_and_leaves_the_bank_alone() -> None:
    """Loading a model costs nothing that a later decision needs."""
    clock = SeatClock(SETTINGS)
    allowed = seconds(clock)
    clock.spend(29_000_000)
    assert (30, 10 * SECOND, 5) == (allowed, clock.bank, seconds(clock))


def test_a_decision_takes_its_time_from_the_bank_and_adds_an_increment() -> None:
    """A decision within its increment makes the bank grow."""
    clock = SeatClock(SETTINGS)
    clock.spend(0)
    clock.spend(5_000_000)
    after_slow = clock.bank
    clock.spend(500_000)
    assert (7 * SECOND, 8.5 * SECOND) == (after_slow, clock.bank)


def test_no_decision_may_take_more_than_the_bank_and_one_increment() -> None:
    """Once the bank is short, it is the limit."""
    clock = SeatClock(SETTINGS)
    clock.spend(0)
    for _ in range(3):
        clock.spend(5_000_000)
    assert (1 * SECOND, 3) == (clock.bank, seconds(clock))


@given(
    settings=st.builds(ClockSettings, bank=AMOUNTS, increment=AMOUNTS, move_max=AMOUNTS, start=AMOUNTS),
    used=st.lists(st.integers(0, 10**10), max_size=30),
)
def test_the_bank_is_never_overdrawn(settings: ClockSettings, used: list[int]) -> None:
    """Whatever decisions took, the bank stays at zero or above, and the next one gets at least the lesser limit."""
    clock = SeatClock(settings)
    clock.spend(0)
    least = min(settings.increment, settings.move_max) // timedelta(microseconds=1)
    for amount in used:
        clock.spend(amount)
        assert timedelta(0) <= clock.bank
        assert least <= clock.allowed()


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"bank": -SECOND}, "clock bank is -1 day, 23:59:59: expected no less than zero"),
        ({"move_max": timedelta(0)}, "clock move_max is zero"),
        ({"start": timedelta(0)}, "clock start is zero"),
        ({"bank": timedelta(0), "increment": timedelta(0)}, "bank and increment are both zero"),
    ],
)
def test_a_clock_that_leaves_no_time_is_refused(changed: dict[str, timedelta], complaint: str) -> None:
    """The message names the field and what was expected."""
    fields = {"bank": SECOND, "increment": SECOND, "move_max": SECOND, "start": SECOND} | changed
    with pytest.raises(ValueError, match=complaint):
        ClockSettings(**fields)
