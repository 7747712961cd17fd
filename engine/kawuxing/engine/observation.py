"""What one seat may see. :func:`redact` and :func:`observe` are the only places in the project that hide anything.

``observe(hand, seat)`` reads the state of a hand; :class:`Observer` folds redacted events. Both give the same Observation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kawuxing.engine.events import Event, MeldType
from kawuxing.engine.tiles import Kind

if TYPE_CHECKING:
    from kawuxing.engine.hand import Hand

NOBODY = -1


@dataclass(frozen=True, slots=True)
class Meld:
    """A declared set. Its tiles: three for a pung, four for any kong, all of kind ``tile``."""

    type: MeldType
    tile: Kind
    source: int
    """Whose discard completed it (for an added kong: its pung); the own seat for a concealed kong."""


@dataclass(frozen=True, slots=True)
class SeatView:
    """What everybody sees of one seat."""

    entrant: int
    points: int
    """Points of its entrant in this match, payments of this hand included."""
    concealed_count: int
    """Tiles it holds concealed, shown or not, a drawn tile included."""
    melds: tuple[Meld, ...]
    """In the order in which they were first declared."""
    discards: tuple[Kind, ...]
    """Its discards that lie on the table, in order; a claimed discard has moved into the claimer's meld."""
    revealed: bool
    shown: tuple[Kind, ...]
    """After a reveal: the concealed tiles that it showed and still holds, ascending; a later draw is not shown."""
    face_down: int
    """After a reveal: how many concealed pungs it kept face down and still holds."""
    waits: tuple[Kind, ...]
    """After a reveal: the kinds it waits on, ascending."""


@dataclass(frozen=True, slots=True)
class Observation:
    """Everything that one seat may know about the hand in progress, at one moment."""

    hand: int
    """Number of the hand in its match, from 0."""
    seat: int
    """The observer; NOBODY for an entrant that sits out, who sees what is public."""
    dealer: int
    turn: int
    """Whose turn it is: who drew, punged or konged last; the discarder until its discard is claimed or passed."""
    remaining: int
    """Tiles left in the wall."""
    concealed: tuple[Kind, ...]
    """The own concealed tiles, ascending, a drawn tile included."""
    drawn: Kind
    """The tile that the observer has just drawn and not yet played, else HIDDEN."""
    face_down: tuple[Kind, ...]
    """Kinds of the concealed pungs that the observer itself kept face down and still holds, ascending."""
    offered: Kind
    """The discard or added-kong tile that may be claimed or robbed now, else HIDDEN."""
    offered_by: int
    """The seat that offers it, else NOBODY."""
    seats: tuple[SeatView, ...]


def redact(event: Event, seat: int) -> Event:
    """Return ``event`` as ``seat`` (or NOBODY) may see it; the same object where nothing is hidden from it."""
    raise NotImplementedError


def observe(hand: Hand, seat: int) -> Observation:
    """Return what ``seat`` (or NOBODY) may know of ``hand`` now."""
    raise NotImplementedError


class Observer:
    """Folds the redacted events of one seat into its Observation.

    A HandStarted event begins a new hand. The seat of the observer is set when the hand starts, because an entrant may
    change seats, or rest, between hands.
    """

    def __init__(self, entrant: int) -> None:
        """Observe as the entrant of this number in the match."""
        raise NotImplementedError

    def apply(self, event: Event) -> None:
        """Fold one redacted event.

        Raises ValueError if it cannot follow on what was folded so far.
        """
        raise NotImplementedError

    def observation(self) -> Observation:
        """Return the observation after the events folded so far.

        Raises ValueError before the first HandStarted.
        """
        raise NotImplementedError
