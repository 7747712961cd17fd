"""What one seat may see. :func:`redact` and :func:`observe` are the only places in the project that hide anything.

``observe(hand, seat)`` reads the state of a hand, :class:`Observer` folds redacted events; they give the same.
"""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Final

from kawuxing.engine.events import (
    HIDDEN,
    Event,
    HandEnded,
    HandExhausted,
    HandRevealed,
    HandStarted,
    HandWon,
    KongMade,
    KongRobbed,
    MeldType,
    PointsPaid,
    PungMade,
    TileDiscarded,
    TileDrawn,
    WaitsChanged,
)
from kawuxing.engine.rules import DEAL
from kawuxing.engine.tiles import Kind

if TYPE_CHECKING:
    from kawuxing.engine.hand import Hand

NOBODY: Final = -1
"""Stands for the seat of an entrant that sits out, or for no seat at all."""


@dataclass(frozen=True, slots=True)
class Meld:
    """A declared set. Its tiles: three for a pung, four for any kong, all of kind ``tile``."""

    type: MeldType
    """How it came about."""
    tile: Kind
    """The one kind that it is of."""
    source: int
    """Whose discard completed it (for an added kong: its pung); the own seat for a concealed kong."""


def replace_meld(melds: list[Meld], tile: Kind, old: MeldType, new: MeldType) -> None:
    """Turn the meld of this kind and type into one of another type, in its place.

    Raises ValueError if there is none.
    """
    for index, meld in enumerate(melds):
        if meld.tile == tile and meld.type is old:
            melds[index] = Meld(new, tile, meld.source)
            return
    raise ValueError(f"no {old} of kind {tile} to become a {new}")


@dataclass(frozen=True, slots=True)
class SeatView:
    """What everybody sees of one seat."""

    entrant: int
    """Who sits there: the entrant's number in the match, from 0. Only with ``sit_out`` it changes between hands."""
    points: int
    """Points of its entrant in this match, payments of this hand included; negative if it lost more than it won."""
    concealed_count: int
    """How many tiles it holds concealed, 1 … 14, shown or not, a drawn tile included."""
    melds: tuple[Meld, ...]
    """At most four, in the order in which they were first declared."""
    discards: tuple[Kind, ...]
    """Its discards that lie on the table, in order; a claimed discard has moved into the claimer's meld."""
    revealed: bool
    """Whether it has revealed 亮倒 in this hand."""
    shown: tuple[Kind, ...]
    """After a reveal: the concealed tiles that it showed and still holds, ascending; a later draw is not shown."""
    face_down: int
    """After a reveal: how many concealed pungs, 0 … 4, it kept face down and still holds."""
    waits: tuple[Kind, ...]
    """After a reveal: the kinds it waits on, ascending; not empty."""


@dataclass(frozen=True, slots=True)
class Observation:
    """Everything that one seat may know about the hand in progress, at one moment.

    Seats are numbered from 0, each playing after the one before. Kinds are 0 … 29, HIDDEN (-1) where there is no tile
    to see. What is counted from it, such as the tiles that are still unseen, is in :mod:`kawuxing.bots.sight`.
    """

    hand: int
    """Number of the hand in its match, from 0."""
    seat: int
    """The observer; NOBODY for an entrant that sits out, who sees what is public."""
    dealer: int
    """The seat that drew first."""
    turn: int
    """Whose turn it is: who drew, punged or konged last; the discarder until its discard is claimed or passed."""
    remaining: int
    """Tiles left in the wall, from 0."""
    concealed: tuple[Kind, ...]
    """The own concealed tiles, ascending, a drawn tile included; empty for NOBODY."""
    drawn: Kind
    """The tile that the observer has just drawn and not yet played, else HIDDEN."""
    face_down: tuple[Kind, ...]
    """Kinds of the concealed pungs that the observer itself kept face down and still holds, ascending."""
    offered: Kind
    """The discard or added-kong tile that may be claimed or robbed now, else HIDDEN."""
    offered_by: int
    """The seat that offers it, else NOBODY."""
    seats: tuple[SeatView, ...]
    """What is public of every seat, the observer's own included, by seat."""


def redact(event: Event, seat: int) -> Event:
    """Return ``event`` as ``seat`` (or NOBODY) may see it; the same object where nothing is hidden from it."""
    if isinstance(event, TileDrawn):
        if event.seat == seat:
            return event
        return _hidden_draw(event.seat, event.replacement, event.remaining)
    if isinstance(event, HandStarted):
        return replace(
            event, concealed=tuple(dealt if owner == seat else () for owner, dealt in enumerate(event.concealed))
        )
    if isinstance(event, HandRevealed) and event.face_down and event.seat != seat:
        return replace(event, face_down=(HIDDEN,) * len(event.face_down))
    return event


@cache
def _hidden_draw(seat: int, replacement: bool, remaining: int) -> TileDrawn:
    """Return the one object for a draw as the other seats see it, so that they can share what is made of it."""
    return TileDrawn(seat, HIDDEN, replacement, remaining)


def observe(hand: Hand, seat: int) -> Observation:
    """Return what ``seat`` (or NOBODY) may know of ``hand`` now."""
    table = hand.table
    own = None if seat == NOBODY else table.seats[seat]
    return Observation(
        hand=table.number,
        seat=seat,
        dealer=table.dealer,
        turn=table.turn,
        remaining=table.remaining,
        concealed=() if own is None else own.kinds(),
        drawn=HIDDEN if own is None else own.drawn,
        face_down=() if own is None else own.face_down,
        offered=table.offered,
        offered_by=table.offered_by,
        seats=tuple(
            SeatView(
                entrant=entrant,
                points=table.match_points[entrant] + state.points,
                concealed_count=sum(state.concealed.sizes),
                melds=tuple(state.melds),
                discards=tuple(state.discards),
                revealed=state.revealed,
                shown=state.shown,
                face_down=len(state.face_down),
                waits=state.public_waits,
            )
            for entrant, state in zip(table.entrants, table.seats, strict=True)
        ),
    )


class _SeenSeat:
    """One seat as an :class:`Observer` has followed it."""

    def __init__(self, entrant: int, points: int) -> None:
        self.entrant = entrant
        self.points = points
        self.concealed_count = DEAL
        self.melds: list[Meld] = []
        self.discards: list[Kind] = []
        self.revealed = False
        self.shown: tuple[Kind, ...] = ()
        self.face_down = 0
        self.waits: tuple[Kind, ...] = ()

    def view(self) -> SeatView:
        return SeatView(
            self.entrant,
            self.points,
            self.concealed_count,
            tuple(self.melds),
            tuple(self.discards),
            self.revealed,
            self.shown,
            self.face_down,
            self.waits,
        )

    def give_up(self, tile: Kind) -> None:
        """Take the three tiles of a kong out of what was shown or kept face down."""
        if tile in self.shown:
            self.shown = tuple(kind for kind in self.shown if kind != tile)
        elif self.revealed:
            self.face_down -= 1


class Observer:
    """Folds the redacted events of one seat into its Observation.

    A HandStarted event begins a new hand. The seat of the observer is set when the hand starts, because an entrant may
    change seats, or rest, between hands.
    """

    def __init__(self, entrant: int) -> None:
        """Observe as the entrant of this number in the match."""
        self._entrant = entrant
        self._seats: list[_SeenSeat] = []
        self._hand = 0
        self._seat = NOBODY
        self._dealer = NOBODY
        self._turn = NOBODY
        self._remaining = 0
        self._concealed: list[Kind] = []
        self._drawn = HIDDEN
        self._face_down: tuple[Kind, ...] = ()
        self._offered = HIDDEN
        self._offered_by = NOBODY

    @property
    def seat(self) -> int:
        """The seat in the hand that started last, NOBODY while the entrant rests and before the first hand."""
        return self._seat

    def apply(self, event: Event) -> None:
        """Fold one redacted event.

        Raises ValueError if it cannot follow on what was folded so far.
        """
        if not self._seats and not isinstance(event, HandStarted):
            raise ValueError(f"{type(event).__name__} before the first HandStarted")
        match event:
            case HandStarted():
                self._start(event)
            case TileDrawn() | TileDiscarded() | PungMade() | KongMade() | KongRobbed():
                self._move_tiles(event)
            case HandRevealed() | WaitsChanged() | PointsPaid() | HandEnded():
                self._note(event)
            case HandWon() | HandExhausted():
                pass  # What they announce comes with the events that follow them.

    def observation(self) -> Observation:
        """Return the observation after the events folded so far.

        Raises ValueError before the first HandStarted.
        """
        if not self._seats:
            raise ValueError("nothing to observe before the first HandStarted")
        return Observation(
            hand=self._hand,
            seat=self._seat,
            dealer=self._dealer,
            turn=self._turn,
            remaining=self._remaining,
            concealed=tuple(self._concealed),
            drawn=self._drawn,
            face_down=self._face_down,
            offered=self._offered,
            offered_by=self._offered_by,
            seats=tuple(seat.view() for seat in self._seats),
        )

    def _start(self, event: HandStarted) -> None:
        self._hand = event.hand
        self._dealer = self._turn = event.dealer
        self._remaining = event.remaining
        self._seats = [_SeenSeat(entrant, event.points[entrant]) for entrant in event.entrants]
        self._seat = event.entrants.index(self._entrant) if self._entrant in event.entrants else NOBODY
        self._concealed = [] if self._seat == NOBODY else list(event.concealed[self._seat])
        self._face_down = ()
        self._drawn = HIDDEN
        self._withdraw_offer()

    def _offer(self, seat: int, tile: Kind) -> None:
        self._offered_by = seat
        self._offered = tile

    def _withdraw_offer(self) -> None:
        self._offered_by = NOBODY
        self._offered = HIDDEN

    def _lose(self, seat: int, tile: Kind, count: int) -> None:
        """Take concealed tiles out of a seat's hand."""
        self._seats[seat].concealed_count -= count
        if seat == self._seat:
            for _ in range(count):
                self._concealed.remove(tile)
            self._drawn = HIDDEN

    def _move_tiles(self, event: TileDrawn | TileDiscarded | PungMade | KongMade | KongRobbed) -> None:
        match event:
            case TileDrawn():
                self._draw(event)
            case TileDiscarded():
                self._lose(event.seat, event.tile, 1)
                self._seats[event.seat].discards.append(event.tile)
                self._offer(event.seat, event.tile)
            case PungMade():
                self._pung(event)
            case KongMade():
                self._kong(event)
            case KongRobbed():
                replace_meld(self._seats[event.seat].melds, event.tile, MeldType.ADDED_KONG, MeldType.PUNG)

    def _note(self, event: HandRevealed | WaitsChanged | PointsPaid | HandEnded) -> None:
        match event:
            case HandRevealed():
                self._reveal(event)
            case WaitsChanged():
                self._seats[event.seat].waits = event.waits
            case PointsPaid():
                for seen, change in zip(self._seats, event.points, strict=True):
                    seen.points += change
            case HandEnded():
                self._withdraw_offer()

    def _draw(self, event: TileDrawn) -> None:
        self._turn = event.seat
        self._remaining = event.remaining
        self._seats[event.seat].concealed_count += 1
        self._withdraw_offer()
        if event.seat == self._seat:
            insort(self._concealed, event.tile)
            self._drawn = event.tile

    def _reveal(self, event: HandRevealed) -> None:
        seen = self._seats[event.seat]
        seen.revealed = True
        seen.shown = event.shown
        seen.face_down = len(event.face_down)
        seen.waits = event.waits
        if event.seat == self._seat:
            self._face_down = event.face_down

    def _take_discard(self, source: int, tile: Kind) -> None:
        if (self._offered_by, self._offered) != (source, tile):
            raise ValueError(f"a claim of kind {tile} from seat {source}, which does not offer it")
        self._seats[source].discards.pop()
        self._withdraw_offer()

    def _pung(self, event: PungMade) -> None:
        self._take_discard(event.source, event.tile)
        self._lose(event.seat, event.tile, 2)
        self._seats[event.seat].melds.append(Meld(MeldType.PUNG, event.tile, event.source))
        self._turn = event.seat

    def _kong(self, event: KongMade) -> None:
        seen = self._seats[event.seat]
        self._turn = event.seat
        if event.meld is MeldType.ADDED_KONG:
            replace_meld(seen.melds, event.tile, MeldType.PUNG, MeldType.ADDED_KONG)
            self._lose(event.seat, event.tile, 1)
            self._offer(event.seat, event.tile)
            return
        if event.meld is MeldType.DIRECT_KONG:
            self._take_discard(event.source, event.tile)
            self._lose(event.seat, event.tile, 3)
        else:
            self._lose(event.seat, event.tile, 4)
        seen.melds.append(Meld(event.meld, event.tile, event.source))
        seen.give_up(event.tile)
        if event.seat == self._seat:
            self._face_down = tuple(kind for kind in self._face_down if kind != event.tile)
