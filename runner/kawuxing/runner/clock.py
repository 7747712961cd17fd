"""The clock of one entrant in one match: as in chess, a bank and an increment, and a limit for one decision.

Pure: whoever uses it says how much time passed. Amounts are whole microseconds inside, so that sums never drift.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import timedelta
from typing import Final

MICROSECOND: Final = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class ClockSettings:
    """How much time every entrant has. A decision may take min(``move_max``, what is in the bank + ``increment``)."""

    bank: timedelta
    """In the bank at the start of the match; what a decision used is taken from it."""
    increment: timedelta
    """Added for each decision."""
    move_max: timedelta
    """The most that one decision can take."""
    start: timedelta
    """Allowed for the first answer instead, and not taken from the bank: time to load a model."""

    def __post_init__(self) -> None:
        """Raise ValueError, naming the field and its value, if an amount is negative or leaves no time to answer."""
        for field in fields(self):
            amount: timedelta = getattr(self, field.name)
            if amount < timedelta(0):
                raise ValueError(f"clock {field.name} is {amount}: expected no less than zero")
        for name, allowed in (("move_max", self.move_max), ("start", self.start)):
            if not allowed:
                raise ValueError(f"clock {name} is zero: expected more, or no bot could ever answer")
        if not self.bank and not self.increment:
            raise ValueError("clock bank and increment are both zero: expected one of them to be more")


class SeatClock:
    """What is left on one entrant's clock."""

    def __init__(self, settings: ClockSettings) -> None:
        """Start with a full bank, the first answer still to come."""
        self._increment = settings.increment // MICROSECOND
        self._move_max = settings.move_max // MICROSECOND
        self._start = settings.start // MICROSECOND
        self._bank = settings.bank // MICROSECOND
        self._first = True

    @property
    def bank(self) -> timedelta:
        """What is in the bank."""
        return timedelta(microseconds=self._bank)

    def allowed(self) -> int:
        """Return how many microseconds the next decision may take."""
        return self._start if self._first else min(self._move_max, self._bank + self._increment)

    def spend(self, used: int) -> None:
        """Book a decision that took ``used`` microseconds; more than was allowed counts as what was allowed."""
        if self._first:
            self._first = False
        else:
            self._bank += self._increment - max(0, min(used, self.allowed()))
