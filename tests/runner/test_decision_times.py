"""Histograms of decision times."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kawuxing.runner.decision_times import SMALLEST_MS, DecisionTimes

TIMES = st.lists(st.floats(min_value=0, max_value=3_600_000), max_size=50)


@given(first=TIMES, second=TIMES)
def test_histograms_add_up(first: list[float], second: list[float]) -> None:
    """The sum of two histograms is the histogram of all times."""
    assert DecisionTimes.of(first + second) == DecisionTimes.of(first) + DecisionTimes.of(second)


@given(times=TIMES.filter(bool), share=st.sampled_from([0.0, 0.5, 0.95, 1.0]))
def test_a_quantile_is_rounded_up_by_at_most_a_fifth(times: list[float], share: float) -> None:
    """A quantile is no less than the exact one and at most 19 % more, except below the smallest bound."""
    exact = sorted(times)[max(0, -(-int(share * 100) * len(times) // 100) - 1)]
    told = DecisionTimes.of(times).quantile(share)

    assert exact <= told <= max(SMALLEST_MS, exact * 1.1893)


@given(steps=st.integers(min_value=0, max_value=24))
def test_a_time_at_a_bound_belongs_to_its_bucket(steps: int) -> None:
    """Powers of two of the smallest bound are told exactly."""
    time = SMALLEST_MS * 2**steps

    assert time == DecisionTimes.of([time]).quantile(0.5)


def test_without_decisions_there_is_nothing_to_tell() -> None:
    """An empty histogram has no buckets, no decisions and quantiles of 0."""
    times = DecisionTimes.of([])

    assert ((), 0, 0.0) == (times.buckets, times.count, times.quantile(0.5))
