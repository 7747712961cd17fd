"""When a bot's command that exited is started again. Pure; imports little, for the supervisor starts fast."""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple


class Backoff(NamedTuple):
    """How long to wait before starting a command again."""

    first: timedelta = timedelta(seconds=0.5)
    """The wait after the first failure; it doubles with each further one."""
    longest: timedelta = timedelta(seconds=30)
    """The wait never exceeds this."""
    reset_after: timedelta = timedelta(seconds=60)
    """A process that lived this long was well: the next wait is `first` again."""
    shortest_match: timedelta = timedelta(seconds=0.1)
    """A process of one match that exits with 0 sooner than this cannot have played it: that counts as a failure, lest
    a command that does nothing be started hundreds of times a second."""


class Restarts:
    """The waits of one process that is started again and again."""

    def __init__(self, backoff: Backoff, *, one_match: bool) -> None:
        """Begin without failures.

        Args:
            backoff: the waits.
            one_match: whether the process plays a single match and then exits with 0, which is no failure.
        """
        self._backoff = backoff
        self._one_match = one_match
        self._next = backoff.first

    def delay(self, *, lived: timedelta, code: int | None) -> timedelta:
        """Return how long to wait before the next start, and count this end.

        Args:
            lived: how long the process lived.
            code: its exit code, negative for a signal; None if it could not even be started.
        """
        if self._one_match and code == 0 and lived >= self._backoff.shortest_match:
            self._next = self._backoff.first
            return timedelta(0)
        if lived >= self._backoff.reset_after:
            self._next = self._backoff.first
        delay = min(self._next, self._backoff.longest)
        self._next = min(delay * 2, self._backoff.longest)
        return delay
