"""What lies on the table in one hand: the state that the rules read and :class:`~kawuxing.engine.hand.Hand` moves on.

Nothing here decides anything. What a seat may see of it is told by :mod:`kawuxing.engine.observation` alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kawuxing.engine.events import HIDDEN, MeldType
from kawuxing.engine.observation import NOBODY, Meld, replace_meld
from kawuxing.engine.rules import DEAL, RuleSet
from kawuxing.engine.shapes import Concealed
from kawuxing.engine.tiles import COPIES, KINDS, Kind

PUNG_TILES: Final = 3
KONG_TILES: Final = COPIES
_UNKNOWN: Final = -1
_NO_TILE: Final = -1


def kinds_in(mask: int) -> tuple[Kind, ...]:
    """Return the kinds of a bit mask by kind, ascending."""
    kinds: list[Kind] = []
    while mask:
        bit = mask & -mask
        kinds.append(bit.bit_length() - 1)
        mask ^= bit
    return tuple(kinds)


class SeatState:
    """Everything about one seat, hidden or not."""

    __slots__ = (
        "_waits",
        "concealed",
        "discards",
        "drawn",
        "face_down",
        "has_discarded",
        "hid_pungs",
        "locked",
        "melded",
        "melds",
        "missed_total",
        "points",
        "public_waits",
        "revealed",
        "shown",
    )

    concealed: Concealed
    """The concealed tiles, a drawn one included."""
    drawn: Kind
    """The tile just drawn and not yet played, else -1."""
    melds: list[Meld]
    """The declared sets, in the order of their first declaration."""
    melded: list[int]
    """How many tiles of every kind are in the melds."""
    discards: list[Kind]
    """The discards that lie on the table."""
    has_discarded: bool
    """Whether it has discarded in this hand, claimed discards included."""
    revealed: bool
    shown: tuple[Kind, ...]
    """The concealed tiles that it showed and still holds, ascending."""
    face_down: tuple[Kind, ...]
    """Kinds of the concealed pungs that it kept face down and still holds, ascending."""
    public_waits: tuple[Kind, ...]
    """After a reveal: the waits as all know them, ascending. They lag behind an added kong that may still be robbed."""
    hid_pungs: bool
    """Whether it kept a pung face down when it revealed, konged since or not."""
    locked: bool
    """Whether a missed win locks it (RULES §7)."""
    missed_total: int
    """The largest total that it missed while locked; kept with ``missed_win_bigger`` only."""
    points: int
    """Won or lost in this hand."""

    def __init__(self, dealt: Sequence[Kind]) -> None:
        """Hold the tiles that were dealt."""
        self.concealed = Concealed(dealt)
        self.drawn = _NO_TILE
        self.melds = []
        self.melded = [0] * KINDS
        self.discards = []
        self.has_discarded = False
        self.revealed = False
        self.shown = ()
        self.face_down = ()
        self.public_waits = ()
        self.hid_pungs = False
        self.locked = False
        self.missed_total = 0
        self.points = 0
        self._waits = _UNKNOWN

    def waits(self, rules: RuleSet) -> int:
        """Return the waits of the concealed tiles without the drawn one, as a bit mask by kind (RULES §3).

        Not to be asked between a pung and the discard after it, when there is no such hand.
        """
        if self._waits == _UNKNOWN:
            self._waits = self.concealed.waits(rules, self.melded)
        return self._waits

    def set_waits(self, waits: int) -> None:
        """Keep the waits when they are known already."""
        self._waits = waits

    def draw(self, rules: RuleSet, tile: Kind) -> None:
        """Take a drawn tile."""
        if self._waits == _UNKNOWN:
            self._waits = self.concealed.waits(rules, self.melded)
        self.concealed.add(tile)
        self.drawn = tile

    def discard(self, tile: Kind) -> None:
        """Put a concealed tile on the table; the waits stay known only if it is of the kind just drawn."""
        self.concealed.remove(tile)
        if tile != self.drawn:
            self._waits = _UNKNOWN
        self.drawn = _NO_TILE
        self.discards.append(tile)
        self.has_discarded = True

    def declare(self, meld: Meld) -> None:
        """Put a new set on the table: of what a discard does not supply, all tiles come from the concealed hand."""
        supplied = meld.type is not MeldType.CONCEALED_KONG
        size = PUNG_TILES if meld.type is MeldType.PUNG else KONG_TILES
        for _ in range(size - supplied):
            self.concealed.remove(meld.tile)
        self.drawn = _NO_TILE
        self.melds.append(meld)
        self.melded[meld.tile] = size
        self._waits = _UNKNOWN
        if self.revealed:
            if meld.tile in self.face_down:
                self.face_down = tuple(kind for kind in self.face_down if kind != meld.tile)
            else:
                self.shown = tuple(kind for kind in self.shown if kind != meld.tile)

    def extend_pung(self, tile: Kind) -> None:
        """Add the tile just drawn to the exposed pung of its kind: if it was a wait, it is none any more."""
        self.concealed.remove(tile)
        self.drawn = _NO_TILE
        replace_meld(self.melds, tile, MeldType.PUNG, MeldType.ADDED_KONG)
        self.melded[tile] = KONG_TILES
        self._waits &= ~(1 << tile)

    def lose_added_tile(self, tile: Kind) -> None:
        """Give up the tile that was just added to a pung, because another seat robbed it."""
        replace_meld(self.melds, tile, MeldType.ADDED_KONG, MeldType.PUNG)
        self.melded[tile] = PUNG_TILES
        self._waits = _UNKNOWN

    def reveal(self, face_down: tuple[Kind, ...], waits: int) -> None:
        """Show the hand, all but some pungs, after its discard has left it."""
        self.revealed = True
        self.face_down = face_down
        self.hid_pungs = bool(face_down)
        self.shown = tuple(kind for kind in self.kinds() if kind not in face_down)
        self._waits = waits
        self.public_waits = kinds_in(waits)

    def kinds(self) -> tuple[Kind, ...]:
        """Return the concealed tiles, ascending."""
        return tuple(kind for kind, count in enumerate(self.concealed.counts) for _ in range(count))


class Table:
    """One hand in progress: its wall, its seats, and what is going on between them."""

    __slots__ = (
        "back",
        "dealer",
        "entrants",
        "first_revealed",
        "front",
        "links",
        "match_points",
        "number",
        "offered",
        "offered_by",
        "ready",
        "replacement",
        "robbing",
        "rules",
        "seats",
        "turn",
        "wall",
    )

    rules: RuleSet
    number: int
    """Number of the hand in its match, from 0."""
    dealer: int
    entrants: tuple[int, ...]
    """The entrant in each seat."""
    match_points: tuple[int, ...]
    """Points of every entrant before the hand."""
    wall: tuple[Kind, ...]
    front: int
    """Where the next draw comes from."""
    back: int
    """One behind where the next replacement comes from."""
    seats: list[SeatState]
    turn: int
    """Who drew, punged or konged last."""
    replacement: bool
    """Whether the last draw was a kong's replacement."""
    links: int
    """How many kongs the open chain has, 0 if there is none (RULES §6)."""
    offered: Kind
    """The discard or added-kong tile that may be claimed or robbed now, else HIDDEN."""
    offered_by: int
    robbing: bool
    """Whether the offered tile is an added kong's."""
    first_revealed: int
    """The seat that revealed first, else NOBODY."""
    ready: list[tuple[Kind, int]] | None
    """With which discards, and on what, the seat in turn would be ready; None if nobody looked."""

    def __init__(
        self,
        rules: RuleSet,
        wall: tuple[Kind, ...],
        dealer: int,
        *,
        number: int,
        entrants: tuple[int, ...],
        match_points: tuple[int, ...],
    ) -> None:
        """Deal 13 tiles of the wall to every seat (RULES §1)."""
        self.rules = rules
        self.wall = wall
        self.dealer = dealer
        self.number = number
        self.entrants = entrants
        self.match_points = match_points
        self.front = DEAL * rules.seats
        self.back = len(wall)
        self.seats = [SeatState(wall[DEAL * seat : DEAL * (seat + 1)]) for seat in range(rules.seats)]
        self.turn = dealer
        self.replacement = False
        self.links = 0
        self.offered = HIDDEN
        self.offered_by = NOBODY
        self.robbing = False
        self.first_revealed = NOBODY
        self.ready = None

    @property
    def remaining(self) -> int:
        """Tiles left in the wall."""
        return self.back - self.front

    def after(self, seat: int) -> list[int]:
        """Return the other seats in turn order from ``seat``."""
        count = len(self.seats)
        return [(seat + step) % count for step in range(1, count)]
