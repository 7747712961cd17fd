"""How late the arena's own event loop is. What it is late by is its own fault, and never charged to a bot."""

from __future__ import annotations

from typing import Final

import structlog

from kawuxing.runner.timers import Cancellable, Timers

TICK: Final = 0.05
"""Seconds between two looks at the clock."""
STALL: Final = 0.25
"""A single delay of so many seconds is worth a log line."""
LONG_STALL: Final = 1.0
"""One of so many is worth a warning: bots that compete for the cores do not explain it."""

_log = structlog.get_logger(__name__)


class LagMonitor:
    """Adds up by how much a timer that ought to run every TICK seconds runs late."""

    def __init__(self, timers: Timers) -> None:
        """Measure the loop whose timers these are; :meth:`start` begins."""
        self._timers = timers
        self._late = 0.0
        self._due: float | None = None
        self._timer: Cancellable | None = None

    def start(self) -> None:
        """Begin to measure."""
        self._arm()

    def stop(self) -> None:
        """Measure no more; what was measured stays."""
        if self._timer is not None:
            self._timer.cancel()
        self._due = None

    def total(self, now: float) -> float:
        """Return the seconds by which the loop was late in all, up to ``now``.

        It grows with a stall that the monitor's own timer has not noticed yet, so that a deadline that comes due first
        after a stall is not held against the bot; and never by more than the time that passed.
        """
        if self._due is None:
            return self._late
        return self._late + max(0.0, now - self._due)

    def _arm(self) -> None:
        self._due = self._timers.time() + TICK
        self._timer = self._timers.call_at(self._due, self._tick)

    def _tick(self) -> None:
        now = self._timers.time()
        total = self.total(now)
        late = total - self._late
        if late > STALL:
            log = _log.warning if late > LONG_STALL else _log.info
            log("the arena's loop stalled; open deadlines are extended", seconds=round(late, 3))
        self._late = total
        self._arm()
