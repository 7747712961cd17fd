"""Where time comes from: the event loop, or in tests an object that is moved by hand."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Protocol


class Cancellable(Protocol):
    """A timer that can be called off."""

    def cancel(self) -> None:
        """Call it off; harmless once it has run."""
        ...


class Timers(Protocol):
    """A clock and its timers."""

    def time(self) -> float:
        """Return the seconds since some moment in the past; never goes backwards."""
        ...

    def call_at(self, when: float, callback: Callable[[], object], /) -> Cancellable:
        """Call ``callback`` once :meth:`time` has reached ``when``, or a little before."""
        ...


class LoopTimers:
    """The timers of an event loop, with a clock that does not stand still while a callback runs.

    uvloop's own ``time`` is read once for each turn of the loop, in whole milliseconds; that is too coarse for a bot's
    clock, and blind to a stall within the turn.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Use the timers of ``loop``."""
        self._loop = loop

    def time(self) -> float:
        """Return the monotonic clock's seconds."""
        return time.monotonic()

    def call_at(self, when: float, callback: Callable[[], object], /) -> Cancellable:
        """Call ``callback`` in the loop at ``when``; what the loop's own clock lags behind, it may come early."""
        return self._loop.call_later(max(0.0, when - time.monotonic()), callback)
