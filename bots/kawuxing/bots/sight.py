"""What the shipped bots read off an observation: their tiles, what is left of every kind, how many draws will come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from kawuxing.bots.arguments import instance
from kawuxing.engine.actions import Action, ActionType
from kawuxing.engine.events import MeldType
from kawuxing.engine.observation import NOBODY, Meld, Observation, SeatView
from kawuxing.engine.rules import RuleSet
from kawuxing.engine.tiles import COPIES, KINDS, Kind

PUNG_SIZE: Final = 3
KONGS: Final = (ActionType.CONCEALED_KONG, ActionType.ADDED_KONG, ActionType.DIRECT_KONG)
"""The actions that declare a kong."""

Counts = tuple[int, ...]
"""How many of every kind, 30 numbers."""


def count(kinds: Iterable[Kind]) -> Counts:
    """Return how many there are of every kind."""
    counts = [0] * KINDS
    for kind in kinds:
        counts[kind] += 1
    return tuple(counts)


def add(counts: Counts, kind: Kind, number: int) -> Counts:
    """Return ``counts`` with ``number`` more (or fewer, if negative) of one kind."""
    return (*counts[:kind], counts[kind] + number, *counts[kind + 1 :])


def meld_size(meld: Meld) -> int:
    """Return how many tiles a meld has."""
    return PUNG_SIZE if meld.type is MeldType.PUNG else COPIES


class Sight:
    """One observation, counted."""

    def __init__(self, rules: RuleSet, observation: Observation) -> None:
        """Count what the observer holds and sees. Raises ValueError if it has no seat in this hand."""
        instance("rules", rules, RuleSet)
        if instance("observation", observation, Observation).seat == NOBODY:
            raise ValueError("the observer rests in this hand: expected one with a seat")
        self.observation = observation
        self.me: SeatView = observation.seats[observation.seat]
        self.rivals: tuple[SeatView, ...] = tuple(
            view for seat, view in enumerate(observation.seats) if seat != observation.seat
        )
        self.concealed = count(observation.concealed)
        """The own concealed tiles."""
        self.melds = count_melds(self.me.melds)
        """The tiles of the own melds."""
        self.unseen = self._unseen(rules)
        """How many of every kind are in the wall or hidden in other hands."""
        self.hidden = max(sum(self.unseen), 1)
        """How many tiles are unseen in all, at least 1: what rates are fractions of."""
        self.draws = observation.remaining // len(observation.seats)
        """How many more tiles the observer can expect to draw."""

    def _unseen(self, rules: RuleSet) -> Counts:
        unseen = [0] * KINDS
        for kind in rules.kinds:
            unseen[kind] = COPIES - self.concealed[kind]
        for view in self.observation.seats:
            for meld in view.melds:
                unseen[meld.tile] -= meld_size(meld)
            for kind in view.discards:
                unseen[kind] -= 1
        for view in self.rivals:
            for kind in view.shown:
                unseen[kind] -= 1
        return tuple(unseen)


def count_melds(melds: Iterable[Meld]) -> Counts:
    """Return how many tiles of every kind the melds have."""
    counts = [0] * KINDS
    for meld in melds:
        counts[meld.tile] += meld_size(meld)
    return tuple(counts)


def after_claim(action: Action, concealed: Counts, melds: Counts) -> tuple[Counts, Counts]:
    """Return the concealed tiles and those in melds after a pung or kong, before the discard or replacement."""
    tile = action.tile
    if action.type is ActionType.PUNG:
        return add(concealed, tile, -2), add(melds, tile, PUNG_SIZE)
    if action.type is ActionType.ADDED_KONG:
        return add(concealed, tile, -1), add(melds, tile, 1)
    return add(concealed, tile, -concealed[tile]), add(melds, tile, COPIES)


def kinds_in(mask: int) -> Iterator[Kind]:
    """Yield the kinds in a bit mask, ascending."""
    while mask:
        bit = mask & -mask
        mask ^= bit
        yield bit.bit_length() - 1


def tiles_left(mask: int, unseen: Counts) -> int:
    """Return how many unseen tiles there are of the kinds in a bit mask."""
    return sum(unseen[kind] for kind in kinds_in(mask))
