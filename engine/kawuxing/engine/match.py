"""A match: a fixed number of hands at one seating, who deals, who rests, and everybody's points (RULES §8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kawuxing.engine.actions import Action
from kawuxing.engine.events import Event
from kawuxing.engine.faults import Fault
from kawuxing.engine.hand import Hand
from kawuxing.engine.rules import RuleSet
from kawuxing.engine.tiles import Kind


@dataclass(frozen=True, slots=True)
class Answer:
    """An entrant's decision as it was played; with a fault, the action is the default action."""

    action: Action
    fault: Fault | None = None


@dataclass(frozen=True, slots=True)
class EntrantResult:
    """What one entrant achieved in a match."""

    points: int
    rank: int
    """1 is best; equal points share the better rank (1, 1, 3). Forfeited entrants share the last."""
    hand_points: tuple[int, ...]
    """Points won or lost in every hand; 0 where it rested."""
    hands_played: int
    wins: int
    deal_ins: int
    """Hands in which its discard or added kong was won by another."""
    reveals: int
    faults: tuple[Fault, ...]
    """In the order in which they happened."""
    forfeited_in: int
    """The number of the hand in which it reached the fault limit, -1 if it did not."""


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The result of a whole match, by entrant."""

    entrants: tuple[EntrantResult, ...]


class Match:
    """A match in progress, asked and answered by entrant, not by seat."""

    def __init__(self, rules: RuleSet, hands: int, wall_of: Callable[[int], tuple[Kind, ...]], max_faults: int) -> None:
        """Prepare a match of ``hands`` hands, the k-th (from 0) on ``wall_of(k)``.

        An entrant with ``max_faults`` faults forfeits: from then on its default action is played, and it ranks last.
        """
        raise NotImplementedError

    @property
    def hand(self) -> Hand:
        """The hand in progress, or the last one."""
        raise NotImplementedError

    @property
    def finished(self) -> bool:
        """Whether the last hand is over."""
        raise NotImplementedError

    def seat_of(self, entrant: int) -> int:
        """Return the seat of ``entrant`` in the hand in progress, NOBODY (-1) if it rests."""
        raise NotImplementedError

    def forfeited(self, entrant: int) -> bool:
        """Return whether ``entrant`` has reached the fault limit."""
        raise NotImplementedError

    def start(self) -> list[Event]:
        """Deal the first hand and return the events up to the first question. Call once."""
        raise NotImplementedError

    def pending(self) -> Mapping[int, tuple[Action, ...]]:
        """Return every asked entrant (in seat order) with its legal actions, forfeited ones included; empty at the end."""
        raise NotImplementedError

    def default_of(self, entrant: int) -> Action:
        """Return the default action of an asked entrant."""
        raise NotImplementedError

    def apply(self, answers: Mapping[int, Answer]) -> list[Event]:
        """Apply the answers of exactly the asked entrants; go on into the next hand; return the events.

        Raises IllegalAnswerError, changing nothing, if an entrant is missing or was not asked, its action is not legal, or
        it is not the default action although there is a fault or the entrant has forfeited.
        """
        raise NotImplementedError

    def result(self) -> MatchResult:
        """Return the result. Raises ValueError before the match is finished."""
        raise NotImplementedError
