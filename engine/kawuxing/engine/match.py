"""A match: a fixed number of hands at one seating, who deals, who rests, and everybody's points (RULES §8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from kawuxing.engine.actions import Action
from kawuxing.engine.errors import IllegalAnswerError
from kawuxing.engine.events import Event
from kawuxing.engine.faults import Fault, default_action
from kawuxing.engine.hand import Hand, Outcome
from kawuxing.engine.observation import NOBODY
from kawuxing.engine.rules import RuleSet
from kawuxing.engine.seating import first_seating, next_seating
from kawuxing.engine.tiles import Kind

_NEVER: Final = -1


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

        Raises ValueError if ``hands`` or ``max_faults`` is not positive, or a wall is not of the rule set.
        """
        if hands < 1 or max_faults < 1:
            raise ValueError(f"hands {hands}, max_faults {max_faults}: expected at least 1 of each")
        self._rules = rules
        self._hands = hands
        self._wall_of = wall_of
        self._max_faults = max_faults
        self._tallies = [_Tally() for _ in range(rules.entrants)]
        self._seating = first_seating(rules)
        self._hand = self._new_hand(0)
        self._finished = False

    @property
    def hand(self) -> Hand:
        """The hand in progress, or the last one."""
        return self._hand

    @property
    def finished(self) -> bool:
        """Whether the last hand is over."""
        return self._finished

    def seat_of(self, entrant: int) -> int:
        """Return the seat of ``entrant`` in the hand in progress, NOBODY (-1) if it rests."""
        entrants = self._seating.entrants
        return entrants.index(entrant) if entrant in entrants else NOBODY

    def forfeited(self, entrant: int) -> bool:
        """Return whether ``entrant`` has reached the fault limit."""
        return self._tallies[entrant].forfeited_in != _NEVER

    def start(self) -> list[Event]:
        """Deal the first hand and return the events up to the first question. Call once."""
        return self._go_on(self._hand.start())

    def pending(self) -> Mapping[int, tuple[Action, ...]]:
        """Return every asked entrant, forfeited ones too, in seat order with its legal actions; empty at the end."""
        entrants = self._seating.entrants
        return {entrants[seat]: legal for seat, legal in self._hand.pending().items()}

    def default_of(self, entrant: int) -> Action:
        """Return the default action of an asked entrant.

        Raises KeyError if it was not asked.
        """
        return default_action(self.pending()[entrant], self._hand.drawn(self.seat_of(entrant)))

    def apply(self, answers: Mapping[int, Answer]) -> list[Event]:
        """Apply the answers of exactly the asked entrants; go on into the next hand; return the events.

        Raises IllegalAnswerError, changing nothing, if an entrant is missing or was not asked, its action is not legal,
        it is not the default action although there is a fault or the entrant has forfeited, or there is a fault
        although the entrant has forfeited: faults are not counted any more then.
        """
        pending = self._hand.pending()
        entrants = self._seating.entrants
        if len(answers) != len(pending) or any(entrants[seat] not in answers for seat in pending):
            expected = sorted(entrants[seat] for seat in pending)
            raise IllegalAnswerError(f"answers from entrants {sorted(answers)}: expected them from {expected}")
        actions: dict[int, Action] = {}
        faulty: list[tuple[_Tally, Fault]] = []
        for seat in pending:
            entrant = entrants[seat]
            answer = answers[entrant]
            actions[seat] = answer.action
            forfeited = self._tallies[entrant].forfeited_in != _NEVER
            if answer.fault is not None or forfeited:
                self._check_default(entrant, answer, forfeited=forfeited)
            if answer.fault is not None:
                faulty.append((self._tallies[entrant], answer.fault))
        number = self._hand.table.number
        events = self._hand.apply(actions)
        for tally, fault in faulty:
            tally.faults.append(fault)
            if len(tally.faults) == self._max_faults:
                tally.forfeited_in = number
        return self._go_on(events)

    def result(self) -> MatchResult:
        """Return the result. Raises ValueError before the match is finished."""
        if not self._finished:
            raise ValueError(f"hand {self._hand.table.number} of {self._hands} is in progress: there is no result yet")
        standing = [
            (tally.forfeited_in != _NEVER, 0 if tally.forfeited_in != _NEVER else -sum(tally.hand_points))
            for tally in self._tallies
        ]
        return MatchResult(
            tuple(
                EntrantResult(
                    points=sum(tally.hand_points),
                    rank=1 + sum(other < own for other in standing),
                    hand_points=tuple(tally.hand_points),
                    hands_played=tally.hands_played,
                    wins=tally.wins,
                    deal_ins=tally.deal_ins,
                    reveals=tally.reveals,
                    faults=tuple(tally.faults),
                    forfeited_in=tally.forfeited_in,
                )
                for tally, own in zip(self._tallies, standing, strict=True)
            )
        )

    def _check_default(self, entrant: int, answer: Answer, *, forfeited: bool) -> None:
        if forfeited and answer.fault is not None:
            raise IllegalAnswerError(f"entrant {entrant} has forfeited: expected no fault, not {answer.fault}")
        default = self.default_of(entrant)
        if answer.action != default:
            reason = "has forfeited" if forfeited else f"has the fault {answer.fault}"
            raise IllegalAnswerError(f"entrant {entrant} {reason}: expected its default {default}, not {answer.action}")

    def _new_hand(self, number: int) -> Hand:
        return Hand(
            self._rules,
            self._wall_of(number),
            self._seating.dealer,
            number=number,
            entrants=self._seating.entrants,
            match_points=[sum(tally.hand_points) for tally in self._tallies],
        )

    def _go_on(self, events: list[Event]) -> list[Event]:
        """Count every hand that is over, and begin the next, until somebody must be asked or the match is finished."""
        while (outcome := self._hand.outcome) is not None and not self._finished:
            self._count(outcome)
            if self._hand.table.number + 1 == self._hands:
                self._finished = True
            else:
                self._seating = next_seating(self._rules, self._seating, outcome)
                self._hand = self._new_hand(self._hand.table.number + 1)
                events = events + self._hand.start()
        return events

    def _count(self, outcome: Outcome) -> None:
        entrants = self._seating.entrants
        for entrant, tally in enumerate(self._tallies):
            if entrant not in entrants:
                tally.hand_points.append(0)
                continue
            seat = entrants.index(entrant)
            state = self._hand.table.seats[seat]
            tally.hand_points.append(state.points)
            tally.hands_played += 1
            tally.wins += seat in outcome.winners
            tally.deal_ins += seat == outcome.payer
            tally.reveals += state.revealed


@dataclass(slots=True)
class _Tally:
    """What is counted of one entrant while the match goes on."""

    hand_points: list[int] = field(default_factory=list)
    hands_played: int = 0
    wins: int = 0
    deal_ins: int = 0
    reveals: int = 0
    faults: list[Fault] = field(default_factory=list)
    forfeited_in: int = _NEVER
