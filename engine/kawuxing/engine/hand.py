"""One hand of any rule set, as a state machine (RULES §2): ``pending`` says who may do what, ``apply`` moves on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kawuxing.engine.actions import Action
from kawuxing.engine.events import Event
from kawuxing.engine.rules import RuleSet
from kawuxing.engine.tiles import Kind


class Hand:
    """A hand in progress. It has no clock, randomness or I/O: the same wall and answers give the same events."""

    def __init__(
        self,
        rules: RuleSet,
        wall: Sequence[Kind],
        dealer: int,
        *,
        number: int = 0,
        entrants: Sequence[int] | None = None,
        match_points: Sequence[int] | None = None,
    ) -> None:
        """Prepare the hand; :meth:`start` deals it.

        ``entrants`` is the entrant in each seat (default: entrant i in seat i), ``match_points`` every entrant's points
        before the hand (default: zero).

        Raises ValueError if the wall is not the rule set's tiles, in any order, or the dealer is not a seat.
        """
        raise NotImplementedError

    def start(self) -> list[Event]:
        """Deal, play on until a seat must be asked or the hand is over, and return the events. Call once."""
        raise NotImplementedError

    def pending(self) -> Mapping[int, tuple[Action, ...]]:
        """Return every asked seat, ascending, with its legal actions in canonical order; empty once the hand is over.

        A seat with a single legal action is not asked.
        """
        raise NotImplementedError

    def apply(self, answers: Mapping[int, Action]) -> list[Event]:
        """Apply the answers of exactly the asked seats and return the events up to the next question or the end.

        Raises IllegalAnswerError, changing nothing, if a seat is missing, was not asked, or its action is not legal.
        """
        raise NotImplementedError

    def drawn(self, seat: int) -> Kind:
        """Return the tile that ``seat`` has just drawn and not yet played, else -1."""
        raise NotImplementedError
