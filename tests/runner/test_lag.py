"""The arena's own lag: measured, and never more than what passed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kawuxing.runner.lag import LagMonitor
from kawuxing.runner.testing import ManualTimers


def test_a_loop_in_time_has_no_lag() -> None:
    """Timers that run when they are due add nothing."""
    timers = ManualTimers()
    lag = LagMonitor(timers)
    lag.start()
    timers.advance(60)
    assert pytest.approx(0, abs=1e-6) == lag.total(timers.time())


def test_a_stall_is_lag_even_before_the_monitor_has_run() -> None:
    """Whoever asks right after a stall, from a timer that came due first, already sees it."""
    timers = ManualTimers()
    seen: list[float] = []
    timers.call_at(timers.time() + 0.01, lambda: seen.append(lag.total(timers.time())))
    lag = LagMonitor(timers)
    lag.start()
    timers.stall(3)
    assert pytest.approx([2.95, 2.95]) == [*seen, lag.total(timers.time())]


def test_what_was_measured_stays_after_the_end() -> None:
    """A stopped monitor keeps its sum and adds nothing."""
    timers = ManualTimers()
    lag = LagMonitor(timers)
    lag.start()
    timers.stall(1.05)
    lag.stop()
    timers.stall(5)
    assert pytest.approx(1) == lag.total(timers.time())


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 2)), max_size=20))
def test_lag_grows_and_never_faster_than_time(steps: list[tuple[bool, float]]) -> None:
    """So a deadline moves later only, and the time left that a bot is told never grows."""
    timers = ManualTimers()
    lag = LagMonitor(timers)
    lag.start()
    then, before = timers.time(), lag.total(timers.time())
    for stalls, seconds in steps:
        (timers.stall if stalls else timers.advance)(seconds)
        now, after = timers.time(), lag.total(timers.time())
        assert 0 <= after - before <= now - then + 1e-9
        then, before = now, after
