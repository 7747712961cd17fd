"""A plain bot with weaknesses, for trying the check: ``python check_bots.py WEAKNESS…``."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import sys
from typing import Any, Final

import grpc
import grpc.aio

from kawuxing.v1 import lobby_service_pb2, lobby_service_pb2_grpc, table_service_pb2, table_service_pb2_grpc
from kawuxing.v1.table_service_pb2 import DecisionRequest, PlayRequest

OVER = (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.ABORTED, grpc.StatusCode.RESOURCE_EXHAUSTED)
WEAKNESSES = frozenset(sys.argv[1:])
HOARD: list[bytearray] = []
WARM = 60
"""Matches after which what warms up is warm: more than the check plays of one preset unless it sees growth."""
BEGUN: set[str] = set()
WHOLE: list[str] = []
SIXTH: Final = 7
"""How many whole matches it has begun with the sixth, as the first match is one of them and played twice."""


class Table:
    """One match."""

    def __init__(self, channel: Any, assignment: lobby_service_pb2.Assignment) -> None:
        """Prepare to sit down."""
        self._stub = table_service_pb2_grpc.TableServiceStub(channel)
        self._ticket = assignment.ticket
        self._seed = b""
        self._answered: table_service_pb2.Decision | None = None
        self._entrant = 0
        self._stumbles = False

    async def play(self) -> None:
        """Play to the end."""
        if "hoards" in WEAKNESSES or ("warms-up" in WEAKNESSES and len(HOARD) < WARM):
            HOARD.append(bytearray(os.urandom(4 << 20)))
        while True:
            call = self._stub.Play()
            try:
                if await self._talk(call):
                    return
            except grpc.aio.AioRpcError as error:
                if error.code() in OVER or "stays-away" in WEAKNESSES:
                    return
            finally:
                call.cancel()
            await asyncio.sleep(0.05)

    async def _talk(self, call: Any) -> bool:
        hello = table_service_pb2.Hello(
            ticket=self._ticket, observation_mode=table_service_pb2.OBSERVATION_MODE_SNAPSHOT
        )
        await call.write(PlayRequest(hello=hello))
        while (message := await call.read()) is not grpc.aio.EOF:
            match message.WhichOneof("response"):
                case "match_start":
                    self._seed = message.match_start.bot_seed
                    self._entrant = message.match_start.entrant
                    self._stumbles = stumbles(message.match_start)
                case "resume":
                    if "repeats" in WEAKNESSES and self._answered is not None:
                        await call.write(PlayRequest(decision=self._answered))
                case "decision_request":
                    await self._answer(call, message.decision_request)
                case "hand_end":
                    self._read(message.hand_end.events)
                case "match_end":
                    if "sulks" in WEAKNESSES and message.match_end.entrants[self._entrant].faults:
                        os._exit(3)
                    return True
                case "match_voided":
                    return True
                case None if "fragile" in WEAKNESSES:
                    os._exit(4)
        return False

    async def _answer(self, call: Any, request: DecisionRequest) -> None:
        number = request.decision_id
        choices = range(len(request.legal_actions))
        chosen = random.Random(f"{self._seed.hex()} {number}").choice(choices)
        if "moody" in WEAKNESSES:
            chosen = random.SystemRandom().choice(choices)
        if "forgets" in WEAKNESSES:
            chosen = random.Random(f"{os.getpid()} {self._seed.hex()} {number}").choice(choices)
        if self._stumbles:
            chosen = len(choices)
        self._answered = table_service_pb2.Decision(decision_id=number, choice=chosen)
        # All that grpc says of a stream that has ended; the next read says how.
        with contextlib.suppress(asyncio.InvalidStateError):
            await call.write(PlayRequest(decision=self._answered))

    def _read(self, events: Any) -> None:
        if "fragile-about-events" in WEAKNESSES and any(event.WhichOneof("event") is None for event in events):
            print("an event that I do not know", file=sys.stderr, flush=True)
            os._exit(5)


async def hammer(stub: Any) -> None:
    """Ask for what is refused, again and again."""
    for _ in range(1000):
        with contextlib.suppress(grpc.aio.AioRpcError):
            await stub.Join(lobby_service_pb2.JoinRequest(token="", capacity=0, protocol_version=1)).read()


async def main() -> None:
    """Join and play, until the lobby says that all is over."""
    channel: Any = grpc.aio.insecure_channel(os.environ["KAWUXING_ADDRESS"])
    stub = lobby_service_pb2_grpc.LobbyServiceStub(channel)
    if "dawdles" in WEAKNESSES:
        await asyncio.sleep(31)
    if "hammers" in WEAKNESSES:
        await hammer(stub)
    tables: dict[str, asyncio.Task[None]] = {}
    while True:
        call = stub.Join(
            lobby_service_pb2.JoinRequest(
                token=os.environ["KAWUXING_TOKEN"],
                capacity=int(os.environ.get("KAWUXING_CAPACITY", "1")),
                protocol_version=2 if "too-new" in WEAKNESSES else 1,
                client=f"plain bot that {', '.join(sorted(WEAKNESSES))}",
            )
        )
        try:
            while (message := await call.read()) is not grpc.aio.EOF:
                kind = message.WhichOneof("response")
                if kind == "assignment":
                    sit_down(channel, message.assignment, tables)
                elif kind == "cancelled" and "resigns" in WEAKNESSES:
                    os._exit(6)
                elif kind == "goodbye" and is_final(message.goodbye):
                    sys.exit(7 if "ends-badly" in WEAKNESSES else 0)
                elif kind == "goodbye" and "gives-up" in WEAKNESSES:
                    await asyncio.Event().wait()
        except grpc.aio.AioRpcError:
            if "joins-once" in WEAKNESSES:
                await asyncio.Event().wait()
        await asyncio.sleep(0.05)


def is_final(goodbye: lobby_service_pb2.Goodbye) -> bool:
    """Return whether there is nothing to come back for."""
    return goodbye.reason != lobby_service_pb2.GOODBYE_REASON_STOPPING and "lingers" not in WEAKNESSES


def stumbles(start: table_service_pb2.MatchStart) -> bool:
    """Return whether to choose what is not legal in this match: the last of the whole matches, or all but the first."""
    if start.hands > 1:
        WHOLE.append(start.match_id)
    return len(WHOLE) == SIXTH if "stumbles" in WEAKNESSES else len(WHOLE) > 1 and "stumbles-on" in WEAKNESSES


def sit_down(channel: Any, assignment: lobby_service_pb2.Assignment, tables: dict[str, asyncio.Task[None]]) -> None:
    """Play what is not being played already."""
    running = tables.get(assignment.match_id)
    if running is not None and not running.done() and "sits-twice" not in WEAKNESSES:
        return
    if "remembers" in WEAKNESSES and assignment.ticket not in BEGUN and assignment.match_id in BEGUN:
        return
    BEGUN.update((assignment.match_id, assignment.ticket))
    tables[assignment.match_id] = asyncio.create_task(Table(channel, assignment).play())


if __name__ == "__main__":
    asyncio.run(main())
