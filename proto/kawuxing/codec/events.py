"""Events, as one seat may see them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from kawuxing.codec.enums import EnumCodec
from kawuxing.codec.tiles import TILE_OF, kind_from_tile, kinds_to_tiles, tiles_to_kinds
from kawuxing.engine import events as engine
from kawuxing.engine.events import Event, MeldType, PaymentReason
from kawuxing.v1 import event_pb2

MELD_TYPES: Final = EnumCodec(MeldType, event_pb2.MeldType, "MELD_TYPE_")
_REASONS: Final = EnumCodec(PaymentReason, event_pb2.PaymentReason, "PAYMENT_REASON_")


def event_to_message(event: Event, number: int, seat: int) -> event_pb2.Event:
    """Return the message of the ``number``-th event of a match, already redacted for ``seat`` (-1: sits out).

    Only HandStarted depends on the seat beyond what redaction changed.
    """
    message = event_pb2.Event(number=number)
    _WRITERS[type(event)](event, message, seat)
    return message


def event_from_message(message: event_pb2.Event) -> Event | None:
    """Return the redacted event of a message; None for a kind of event unknown to this version, which is to be skipped.

    Raises ValueError for a known kind of event with contents unknown to this version.
    """
    kind = message.WhichOneof("event")
    return None if kind is None else _READERS[kind](getattr(message, kind))


def _write_hand_started(event: engine.HandStarted, message: event_pb2.Event, seat: int) -> None:
    started = message.hand_started
    started.hand = event.hand
    started.dealer = event.dealer
    started.entrants.extend(event.entrants)
    started.points.extend(event.points)
    started.remaining = event.remaining
    if seat >= 0:
        started.concealed.extend(kinds_to_tiles(event.concealed[seat]))
        started.seat = seat


def _write_tile_drawn(event: engine.TileDrawn, message: event_pb2.Event, _: int) -> None:
    drawn = message.tile_drawn
    drawn.seat = event.seat
    drawn.tile = TILE_OF[event.tile]
    drawn.replacement = event.replacement
    drawn.remaining = event.remaining


def _write_hand_revealed(event: engine.HandRevealed, message: event_pb2.Event, _: int) -> None:
    revealed = message.hand_revealed
    revealed.seat = event.seat
    revealed.shown.extend(kinds_to_tiles(event.shown))
    revealed.face_down.extend(kinds_to_tiles(event.face_down))
    revealed.waits.extend(kinds_to_tiles(event.waits))


def _write_tile_discarded(event: engine.TileDiscarded, message: event_pb2.Event, _: int) -> None:
    message.tile_discarded.seat = event.seat
    message.tile_discarded.tile = TILE_OF[event.tile]


def _write_pung_made(event: engine.PungMade, message: event_pb2.Event, _: int) -> None:
    pung = message.pung_made
    pung.seat = event.seat
    pung.source = event.source
    pung.tile = TILE_OF[event.tile]


def _write_kong_made(event: engine.KongMade, message: event_pb2.Event, _: int) -> None:
    kong = message.kong_made
    kong.seat = event.seat
    kong.meld = MELD_TYPES.to_message(event.meld)
    kong.source = event.source
    kong.tile = TILE_OF[event.tile]


def _write_kong_robbed(event: engine.KongRobbed, message: event_pb2.Event, _: int) -> None:
    message.kong_robbed.seat = event.seat
    message.kong_robbed.tile = TILE_OF[event.tile]


def _write_waits_changed(event: engine.WaitsChanged, message: event_pb2.Event, _: int) -> None:
    message.waits_changed.seat = event.seat
    message.waits_changed.waits.extend(kinds_to_tiles(event.waits))


def _write_hand_won(event: engine.HandWon, message: event_pb2.Event, _: int) -> None:
    won = message.hand_won
    won.seat = event.seat
    won.source = event.source
    won.tile = TILE_OF[event.tile]
    won.total = event.total
    won.patterns.extend(event.patterns)


def _write_hand_exhausted(_event: engine.HandExhausted, message: event_pb2.Event, _: int) -> None:
    message.hand_exhausted.SetInParent()


def _write_points_paid(event: engine.PointsPaid, message: event_pb2.Event, _: int) -> None:
    paid = message.points_paid
    paid.reason = _REASONS.to_message(event.reason)
    paid.seat = event.seat
    paid.points.extend(event.points)


def _write_hand_ended(event: engine.HandEnded, message: event_pb2.Event, _: int) -> None:
    ended = message.hand_ended
    ended.hand = event.hand
    for kinds in event.concealed:
        ended.concealed.add().tiles.extend(kinds_to_tiles(kinds))
    ended.points.extend(event.points)
    ended.match_points.extend(event.match_points)


_WRITERS: Final[dict[type[Event], Callable[[Any, event_pb2.Event, int], None]]] = {
    engine.HandStarted: _write_hand_started,
    engine.TileDrawn: _write_tile_drawn,
    engine.HandRevealed: _write_hand_revealed,
    engine.TileDiscarded: _write_tile_discarded,
    engine.PungMade: _write_pung_made,
    engine.KongMade: _write_kong_made,
    engine.KongRobbed: _write_kong_robbed,
    engine.WaitsChanged: _write_waits_changed,
    engine.HandWon: _write_hand_won,
    engine.HandExhausted: _write_hand_exhausted,
    engine.PointsPaid: _write_points_paid,
    engine.HandEnded: _write_hand_ended,
}


def _read_hand_started(message: event_pb2.HandStarted) -> Event:
    concealed = tuple(
        tiles_to_kinds(message.concealed) if message.HasField("seat") and seat == message.seat else ()
        for seat in range(len(message.entrants))
    )
    return engine.HandStarted(
        hand=message.hand,
        dealer=message.dealer,
        entrants=tuple(message.entrants),
        points=tuple(message.points),
        remaining=message.remaining,
        concealed=concealed,
    )


def _read_tile_drawn(message: event_pb2.TileDrawn) -> Event:
    return engine.TileDrawn(message.seat, kind_from_tile(message.tile), message.replacement, message.remaining)


def _read_hand_revealed(message: event_pb2.HandRevealed) -> Event:
    return engine.HandRevealed(
        seat=message.seat,
        shown=tiles_to_kinds(message.shown),
        face_down=tiles_to_kinds(message.face_down),
        waits=tiles_to_kinds(message.waits),
    )


def _read_tile_discarded(message: event_pb2.TileDiscarded) -> Event:
    return engine.TileDiscarded(message.seat, kind_from_tile(message.tile))


def _read_pung_made(message: event_pb2.PungMade) -> Event:
    return engine.PungMade(message.seat, message.source, kind_from_tile(message.tile))


def _read_kong_made(message: event_pb2.KongMade) -> Event:
    return engine.KongMade(
        message.seat, MELD_TYPES.from_message(message.meld), message.source, kind_from_tile(message.tile)
    )


def _read_kong_robbed(message: event_pb2.KongRobbed) -> Event:
    return engine.KongRobbed(message.seat, kind_from_tile(message.tile))


def _read_waits_changed(message: event_pb2.WaitsChanged) -> Event:
    return engine.WaitsChanged(message.seat, tiles_to_kinds(message.waits))


def _read_hand_won(message: event_pb2.HandWon) -> Event:
    return engine.HandWon(
        seat=message.seat,
        source=message.source,
        tile=kind_from_tile(message.tile),
        total=message.total,
        patterns=tuple(message.patterns),
    )


def _read_hand_exhausted(_: event_pb2.HandExhausted) -> Event:
    return engine.HandExhausted()


def _read_points_paid(message: event_pb2.PointsPaid) -> Event:
    return engine.PointsPaid(_REASONS.from_message(message.reason), message.seat, tuple(message.points))


def _read_hand_ended(message: event_pb2.HandEnded) -> Event:
    return engine.HandEnded(
        hand=message.hand,
        concealed=tuple(tiles_to_kinds(held.tiles) for held in message.concealed),
        points=tuple(message.points),
        match_points=tuple(message.match_points),
    )


_READERS: Final[dict[str, Callable[[Any], Event]]] = {
    "hand_started": _read_hand_started,
    "tile_drawn": _read_tile_drawn,
    "hand_revealed": _read_hand_revealed,
    "tile_discarded": _read_tile_discarded,
    "pung_made": _read_pung_made,
    "kong_made": _read_kong_made,
    "kong_robbed": _read_kong_robbed,
    "waits_changed": _read_waits_changed,
    "hand_won": _read_hand_won,
    "hand_exhausted": _read_hand_exhausted,
    "points_paid": _read_points_paid,
    "hand_ended": _read_hand_ended,
}
