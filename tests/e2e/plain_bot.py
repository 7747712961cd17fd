"""A bot that has the generated stubs and nothing else of this project: no kit, no codec, no engine.

It signs in, folds the events of its matches into what it knows of the hand, and checks that against all that it is
told. What it knows of the game it was told by MatchStart. As a program it plays like any bot that the arena launches.
"""

from __future__ import annotations

import asyncio
import os
from bisect import insort

import grpc.aio

from kawuxing.v1.action_pb2 import (
    ACTION_TYPE_ADDED_KONG,
    ACTION_TYPE_CONCEALED_KONG,
    ACTION_TYPE_DIRECT_KONG,
    ACTION_TYPE_PUNG,
    ACTION_TYPE_REVEAL,
    ACTION_TYPE_WIN,
)
from kawuxing.v1.event_pb2 import (
    MELD_TYPE_ADDED_KONG,
    MELD_TYPE_DIRECT_KONG,
    MELD_TYPE_PUNG,
    Event,
    HandEnded,
    HandExhausted,
    HandRevealed,
    HandStarted,
    HandWon,
    KongMade,
    KongRobbed,
    PointsPaid,
    PungMade,
    TileDiscarded,
    TileDrawn,
    WaitsChanged,
)
from kawuxing.v1.lobby_service_pb2 import JoinRequest
from kawuxing.v1.lobby_service_pb2_grpc import LobbyServiceStub
from kawuxing.v1.observation_pb2 import Meld, Observation, SeatView
from kawuxing.v1.table_service_pb2 import (
    OBSERVATION_MODE_DELTA,
    Decision,
    DecisionRequest,
    Hello,
    MatchStart,
    PlayRequest,
)
from kawuxing.v1.table_service_pb2_grpc import TableServiceStub
from kawuxing.v1.tile_pb2 import TILE_UNSPECIFIED, Tile

COPIES = 4
DEAL = 13
EAGER = (
    ACTION_TYPE_WIN,
    ACTION_TYPE_REVEAL,
    ACTION_TYPE_CONCEALED_KONG,
    ACTION_TYPE_ADDED_KONG,
    ACTION_TYPE_DIRECT_KONG,
    ACTION_TYPE_PUNG,
)


class Fold:
    """What a bot knows of the hand in progress, from the events that it was told."""

    def __init__(self, start: MatchStart) -> None:
        """Begin a match of which only MatchStart is known."""
        self._start = start
        self._numbers = 0
        self.hands = 0
        self.rests = 0
        self.known = Observation()

    def apply(self, event: Event) -> None:
        """Fold the next event."""
        assert self._numbers == event.number
        self._numbers += 1
        name = event.WhichOneof("event")
        assert name is not None
        getattr(self, f"_{name}")(getattr(event, name))

    @property
    def _own(self) -> int | None:
        return self.known.seat if self.known.HasField("seat") else None

    def _hand_started(self, event: HandStarted) -> None:
        rules, start = self._start.rules, self._start
        assert (rules.seats, start.entrants) == (len(event.entrants), len(event.points))
        assert len(rules.kinds) * COPIES - DEAL * rules.seats == event.remaining
        assert self.hands == event.hand < start.hands
        assert event.HasField("seat") == (start.entrant in event.entrants) == bool(event.concealed)
        self.known = Observation(
            hand=event.hand,
            dealer=event.dealer,
            turn=event.dealer,
            remaining=event.remaining,
            concealed=event.concealed,
            seats=[
                SeatView(entrant=entrant, points=event.points[entrant], concealed_count=DEAL)
                for entrant in event.entrants
            ],
        )
        if event.HasField("seat"):
            assert start.entrant == event.entrants[event.seat]
            self.known.seat = event.seat
        else:
            assert rules.sit_out
            self.rests += 1

    def _tile_drawn(self, event: TileDrawn) -> None:
        self._withdraw_offer()
        self.known.turn, self.known.remaining = event.seat, event.remaining
        self.known.seats[event.seat].concealed_count += 1
        assert (event.seat == self._own) == (event.tile != TILE_UNSPECIFIED)
        if event.seat == self._own:
            assert event.tile in self._start.rules.kinds
            tiles = list(self.known.concealed)
            insort(tiles, event.tile)
            self._hold(tiles)
            self.known.drawn = event.tile

    def _tile_discarded(self, event: TileDiscarded) -> None:
        self._lose(event.seat, event.tile, 1)
        self.known.seats[event.seat].discards.append(event.tile)
        self.known.offered, self.known.offered_by = event.tile, event.seat

    def _hand_revealed(self, event: HandRevealed) -> None:
        seen = self.known.seats[event.seat]
        seen.revealed, seen.face_down = True, len(event.face_down)
        seen.shown.extend(event.shown)
        seen.waits.extend(event.waits)
        if event.seat == self._own:
            self.known.face_down.extend(event.face_down)

    def _pung_made(self, event: PungMade) -> None:
        self._claim(event.source, event.tile)
        self._lose(event.seat, event.tile, 2)
        self.known.seats[event.seat].melds.append(Meld(type=MELD_TYPE_PUNG, tile=event.tile, source=event.source))
        self.known.turn = event.seat

    def _kong_made(self, event: KongMade) -> None:
        seen = self.known.seats[event.seat]
        self.known.turn = event.seat
        if event.meld == MELD_TYPE_ADDED_KONG:
            [pung] = [meld for meld in seen.melds if meld.tile == event.tile]
            pung.type = MELD_TYPE_ADDED_KONG
            self._lose(event.seat, event.tile, 1)
            self.known.offered, self.known.offered_by = event.tile, event.seat
            return
        if event.meld == MELD_TYPE_DIRECT_KONG:
            self._claim(event.source, event.tile)
        self._lose(event.seat, event.tile, 3 if event.meld == MELD_TYPE_DIRECT_KONG else 4)
        seen.melds.append(Meld(type=event.meld, tile=event.tile, source=event.source))
        if event.tile in seen.shown:
            left = [tile for tile in seen.shown if tile != event.tile]
            del seen.shown[:]
            seen.shown.extend(left)
        elif seen.revealed:
            seen.face_down -= 1
        if event.tile in self.known.face_down and event.seat == self._own:
            self.known.face_down.remove(event.tile)

    def _kong_robbed(self, event: KongRobbed) -> None:
        [kong] = [meld for meld in self.known.seats[event.seat].melds if meld.tile == event.tile]
        kong.type = MELD_TYPE_PUNG

    def _waits_changed(self, event: WaitsChanged) -> None:
        waits = self.known.seats[event.seat].waits
        del waits[:]
        waits.extend(event.waits)

    def _hand_won(self, _: HandWon) -> None:
        """Its payment comes with the next event."""

    def _hand_exhausted(self, _: HandExhausted) -> None:
        """What it costs comes with the next events."""

    def _points_paid(self, event: PointsPaid) -> None:
        assert 0 == sum(event.points)
        for seen, change in zip(self.known.seats, event.points, strict=True):
            assert 0 == change % self._start.rules.base
            seen.points += change

    def _hand_ended(self, event: HandEnded) -> None:
        self._withdraw_offer()
        self.hands += 1
        assert [seen.points for seen in self.known.seats] == [event.match_points[s.entrant] for s in self.known.seats]
        if self._own is not None:
            assert set(self.known.concealed) <= set(event.concealed[self._own].tiles)
        assert {tile for shown in event.concealed for tile in shown.tiles} <= set(self._start.rules.kinds)

    def _hold(self, tiles: list[Tile.ValueType]) -> None:
        del self.known.concealed[:]
        self.known.concealed.extend(tiles)

    def _lose(self, seat: int, tile: Tile.ValueType, count: int) -> None:
        self.known.seats[seat].concealed_count -= count
        if seat == self._own:
            for _ in range(count):
                self.known.concealed.remove(tile)
            self.known.drawn = TILE_UNSPECIFIED

    def _claim(self, source: int, tile: Tile.ValueType) -> None:
        assert (self.known.offered, self.known.offered_by) == (tile, source)
        assert tile == self.known.seats[source].discards.pop()
        self._withdraw_offer()

    def _withdraw_offer(self) -> None:
        self.known.offered = TILE_UNSPECIFIED
        self.known.ClearField("offered_by")


def choose(request: DecisionRequest) -> int:
    """Do the most that can be done, else go through the choices in turn."""
    types = [legal.type for legal in request.legal_actions]
    return next((types.index(eager) for eager in EAGER if eager in types), 5 * request.decision_id % len(types))


async def sit(stub: TableServiceStub, ticket: str) -> None:
    """Play one match to its end, folding."""
    call = stub.Play()
    await call.write(PlayRequest(hello=Hello(ticket=ticket, observation_mode=OBSERVATION_MODE_DELTA)))
    start = (await call.read()).match_start
    fold = Fold(start)
    while (message := await call.read()) is not grpc.aio.EOF:
        for event in (*message.decision_request.events, *message.hand_end.events):
            fold.apply(event)
        if message.HasField("decision_request"):
            request = message.decision_request
            choice = Decision(decision_id=request.decision_id, choice=choose(request))
            await call.write(PlayRequest(decision=choice))
        elif message.HasField("match_end"):
            assert start.hands == fold.hands
            assert start.entrants == len(message.match_end.entrants)


async def main() -> None:
    """Play every match that the lobby assigns."""
    async with grpc.aio.insecure_channel(os.environ["KAWUXING_ADDRESS"]) as channel:
        request = JoinRequest(token=os.environ["KAWUXING_TOKEN"], capacity=4, protocol_version=1, client="plain")
        tables = TableServiceStub(channel)
        # Whatever does not agree ends the whole program.
        async with asyncio.TaskGroup() as matches:
            async for message in LobbyServiceStub(channel).Join(request):
                if message.HasField("assignment"):
                    matches.create_task(sit(tables, message.assignment.ticket))


if __name__ == "__main__":
    asyncio.run(main())
