"""Events: what happened in a hand, in the past tense, as integers, booleans and short strings only.

The full events go into the record. What one seat may see of them is :func:`kawuxing.engine.observation.redact`.
Fields named ``seat`` or ``source`` are seats of the hand; tuples "by seat" and "by entrant" are indexed so.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from kawuxing.engine.tiles import Kind

HIDDEN: Final = -1
"""Stands in a redacted event for a kind that this seat may not see."""


class MeldType(StrEnum):
    """How a declared set came about; the payments tell them apart (RULES §6)."""

    PUNG = "pung"
    CONCEALED_KONG = "concealed_kong"
    ADDED_KONG = "added_kong"
    DIRECT_KONG = "direct_kong"


class PaymentReason(StrEnum):
    """Why points changed hands (RULES §6)."""

    CONCEALED_KONG = "concealed_kong"
    ADDED_KONG = "added_kong"
    DIRECT_KONG = "direct_kong"
    WIN = "win"
    EXHAUST_PENALTY = "exhaust_penalty"


@dataclass(frozen=True, slots=True)
class HandStarted:
    """A hand was dealt. ``concealed`` is redacted to an empty tuple for every other seat."""

    hand: int
    """Number of the hand in its match, from 0."""
    dealer: int
    entrants: tuple[int, ...]
    """The entrant in each seat."""
    points: tuple[int, ...]
    """Points of each entrant in this match before the hand."""
    remaining: int
    concealed: tuple[tuple[Kind, ...], ...]
    """The 13 tiles of each seat, ascending."""


@dataclass(frozen=True, slots=True)
class TileDrawn:
    """A seat drew. ``tile`` is HIDDEN for every other seat, revealed or not (RULES §5 shows the hand, not the draw)."""

    seat: int
    tile: Kind
    replacement: bool
    """Drawn from the back of the wall after a kong."""
    remaining: int
    """Tiles left in the wall after this draw."""


@dataclass(frozen=True, slots=True)
class HandRevealed:
    """A seat revealed 亮倒; its discard is the next event. ``face_down`` is all HIDDEN for every other seat."""

    seat: int
    shown: tuple[Kind, ...]
    """The concealed tiles after the discard, ascending, without those kept face down."""
    face_down: tuple[Kind, ...]
    """Kinds of the concealed pungs kept face down, ascending."""
    waits: tuple[Kind, ...]
    """Kinds that this seat waits on from now on, ascending."""


@dataclass(frozen=True, slots=True)
class TileDiscarded:
    """A seat discarded ``tile``."""

    seat: int
    tile: Kind


@dataclass(frozen=True, slots=True)
class PungMade:
    """A seat claimed ``source``'s discard for a pung 碰."""

    seat: int
    source: int
    tile: Kind


@dataclass(frozen=True, slots=True)
class KongMade:
    """A seat declared a kong 杠. An added kong can still be robbed, which KongRobbed then says."""

    seat: int
    meld: MeldType
    """One of the three kongs."""
    source: int
    """The discarder for a direct kong, else the seat itself."""
    tile: Kind


@dataclass(frozen=True, slots=True)
class KongRobbed:
    """The added kong of ``seat`` just declared was robbed 抢杠: the tile left its hand and the pung stays a pung."""

    seat: int
    tile: Kind


@dataclass(frozen=True, slots=True)
class WaitsChanged:
    """A revealed seat's kong shrank its waits (``revealed_flush_kong``, RULES §5)."""

    seat: int
    waits: tuple[Kind, ...]


@dataclass(frozen=True, slots=True)
class HandWon:
    """A seat won 胡. Its payment is the next PointsPaid."""

    seat: int
    source: int
    """The discarder or robbed seat; the winner itself on a self-draw."""
    tile: Kind
    total: int
    """The total multiplier of the counted reading, after the cap, before payer factors (RULES §4)."""
    patterns: tuple[str, ...]
    """The patterns of the counted reading, sorted; empty for a plain win 屁胡."""


@dataclass(frozen=True, slots=True)
class HandExhausted:
    """The wall ended without a win 荒庄."""


@dataclass(frozen=True, slots=True)
class PointsPaid:
    """Points changed hands."""

    reason: PaymentReason
    seat: int
    """The seat whose kong or win it is; for an exhaust penalty the seat that pays."""
    points: tuple[int, ...]
    """Change of every seat's points; the sum is zero."""


@dataclass(frozen=True, slots=True)
class HandEnded:
    """The hand is over; every seat's hand is shown to all."""

    hand: int
    concealed: tuple[tuple[Kind, ...], ...]
    """What each seat held concealed at the end, ascending, a winner's winning tile included."""
    points: tuple[int, ...]
    """What each seat won or lost in this hand; the sum is zero."""
    match_points: tuple[int, ...]
    """Points of each entrant in this match after the hand."""


Event = (
    HandStarted
    | TileDrawn
    | HandRevealed
    | TileDiscarded
    | PungMade
    | KongMade
    | KongRobbed
    | WaitsChanged
    | HandWon
    | HandExhausted
    | PointsPaid
    | HandEnded
)
