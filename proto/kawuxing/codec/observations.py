"""Observations: what one seat may know, whole."""

from __future__ import annotations

from kawuxing.codec.events import MELD_TYPES
from kawuxing.codec.tiles import TILE_OF, kind_from_tile, kinds_to_tiles, tiles_to_kinds
from kawuxing.engine.observation import NOBODY, Meld, Observation, SeatView
from kawuxing.v1 import observation_pb2


def observation_to_message(observation: Observation) -> observation_pb2.Observation:
    """Return the message of an observation."""
    return observation_pb2.Observation(
        hand=observation.hand,
        seat=None if observation.seat == NOBODY else observation.seat,
        dealer=observation.dealer,
        turn=observation.turn,
        remaining=observation.remaining,
        concealed=kinds_to_tiles(observation.concealed),
        drawn=TILE_OF[observation.drawn],
        face_down=kinds_to_tiles(observation.face_down),
        offered=TILE_OF[observation.offered],
        offered_by=None if observation.offered_by == NOBODY else observation.offered_by,
        seats=[_seat_to_message(view) for view in observation.seats],
    )


def observation_from_message(message: observation_pb2.Observation) -> Observation:
    """Return the observation of a message. Raises ValueError for a tile or meld unknown to this version."""
    return Observation(
        hand=message.hand,
        seat=message.seat if message.HasField("seat") else NOBODY,
        dealer=message.dealer,
        turn=message.turn,
        remaining=message.remaining,
        concealed=tiles_to_kinds(message.concealed),
        drawn=kind_from_tile(message.drawn),
        face_down=tiles_to_kinds(message.face_down),
        offered=kind_from_tile(message.offered),
        offered_by=message.offered_by if message.HasField("offered_by") else NOBODY,
        seats=tuple(_seat_from_message(view) for view in message.seats),
    )


def _seat_to_message(view: SeatView) -> observation_pb2.SeatView:
    return observation_pb2.SeatView(
        entrant=view.entrant,
        points=view.points,
        concealed_count=view.concealed_count,
        melds=[
            observation_pb2.Meld(type=MELD_TYPES.to_message(meld.type), tile=TILE_OF[meld.tile], source=meld.source)
            for meld in view.melds
        ],
        discards=kinds_to_tiles(view.discards),
        revealed=view.revealed,
        shown=kinds_to_tiles(view.shown),
        face_down=view.face_down,
        waits=kinds_to_tiles(view.waits),
    )


def _seat_from_message(message: observation_pb2.SeatView) -> SeatView:
    return SeatView(
        entrant=message.entrant,
        points=message.points,
        concealed_count=message.concealed_count,
        melds=tuple(
            Meld(MELD_TYPES.from_message(meld.type), kind_from_tile(meld.tile), meld.source) for meld in message.melds
        ),
        discards=tiles_to_kinds(message.discards),
        revealed=message.revealed,
        shown=tiles_to_kinds(message.shown),
        face_down=message.face_down,
        waits=tiles_to_kinds(message.waits),
    )
