"""Waiting before trying again: longer each time, and never in step with the others."""

from __future__ import annotations

import random
from datetime import timedelta

FIRST = timedelta(milliseconds=100)
LONGEST = timedelta(seconds=5)


class Backoff:
    """The pauses between attempts: doubling from 0.1 s to 5 s, each taken at random from its upper half."""

    def __init__(self) -> None:
        """Begin with the shortest pause."""
        self._next = FIRST

    def reset(self) -> None:
        """Begin again with the shortest pause, after a success."""
        self._next = FIRST

    def pause(self) -> timedelta:
        """Return how long to wait now."""
        pause = self._next * random.uniform(0.5, 1.0)  # noqa: S311  (only spreads the load)
        self._next = min(self._next * 2, LONGEST)
        return pause
