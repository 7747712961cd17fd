"""How long an entrant took for its decisions: a histogram, which many matches add up to without losing their median."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final, Self

SMALLEST_MS: Final = 0.125
"""The upper bound of bucket 0, in milliseconds."""
STEPS: Final = 4
"""Buckets for each doubling, so that a bound is at most a fifth above the time that it stands for."""


@dataclass(frozen=True, slots=True)
class DecisionTimes:
    """Decision times of one entrant, faulty decisions included, rounded up to the bounds of buckets."""

    buckets: tuple[int, ...] = ()
    """How many times fell into each bucket; the last is not 0. Bucket i ends at SMALLEST_MS × 2^(i / STEPS)."""

    @classmethod
    def of(cls, milliseconds: Iterable[float]) -> Self:
        """Return the histogram of these times."""
        counts = Counter(_bucket(time) for time in milliseconds)
        return cls(tuple(counts[bucket] for bucket in range(max(counts, default=-1) + 1)))

    def __add__(self, other: DecisionTimes) -> DecisionTimes:
        """Return the histogram of both."""
        return DecisionTimes(tuple(a + b for a, b in zip_longest(self.buckets, other.buckets, fillvalue=0)))

    @property
    def count(self) -> int:
        """How many decisions."""
        return sum(self.buckets)

    def quantile(self, share: float) -> float:
        """Return the bound, in milliseconds, that this share (0 … 1) of the times does not exceed; 0 without any."""
        needed = max(1, math.ceil(share * self.count))
        reached = 0
        for bucket, count in enumerate(self.buckets):
            reached += count
            if reached >= needed:
                return _bound(bucket)
        return 0.0


def _bound(bucket: int) -> float:
    return SMALLEST_MS * math.exp2(bucket / STEPS)


def _bucket(milliseconds: float) -> int:
    if milliseconds <= SMALLEST_MS:
        return 0
    bucket = math.ceil(STEPS * math.log2(milliseconds / SMALLEST_MS))
    # The logarithm is inexact where a time is a bound.
    return bucket - 1 if milliseconds <= _bound(bucket - 1) else bucket
