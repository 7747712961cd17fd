"""The golden wire vectors: every message to and from every bot, of a match by each preset and in the lobby.

``make golden`` plays them and renews what is pinned; docs/bots/wire-vectors.md says how clients are tested with them.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

import grpc
import grpc.aio
import structlog
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from kawuxing.engine.rules import RuleSet, load_preset
from kawuxing.engine.testing import arranged_wall
from kawuxing.engine.tiles import Kind
from kawuxing.engine.wall import shuffled_wall
from kawuxing.runner.clock import ClockSettings
from kawuxing.runner.lag import LagMonitor
from kawuxing.runner.lobby import Farewell, Lobby
from kawuxing.runner.spec import MatchSpec, Played
from kawuxing.runner.tables import Tables
from kawuxing.runner.testing import ManualTimers, TableClient, Tokens, decision, hello, match_spec
from kawuxing.v1.action_pb2 import (
    ACTION_TYPE_ADDED_KONG,
    ACTION_TYPE_CONCEALED_KONG,
    ACTION_TYPE_DIRECT_KONG,
    ACTION_TYPE_PUNG,
    ACTION_TYPE_REVEAL,
    ACTION_TYPE_WIN,
)
from kawuxing.v1.lobby_service_pb2 import JoinRequest
from kawuxing.v1.lobby_service_pb2_grpc import LobbyServiceStub
from kawuxing.v1.table_service_pb2 import (
    OBSERVATION_MODE_DELTA,
    OBSERVATION_MODE_SNAPSHOT,
    DecisionRequest,
    ObservationMode,
)

GOLDEN: Final = Path(__file__).parent / "wire"
VOIDED: Final = "voided"
"""The vectors of a match that does not count."""
LOBBY: Final = "lobby"
"""The vectors of the lobby."""
MODES: Final = {
    "a": OBSERVATION_MODE_DELTA,
    "b": OBSERVATION_MODE_SNAPSHOT,
    "c": OBSERVATION_MODE_DELTA,
    "d": OBSERVATION_MODE_SNAPSHOT,
}
"""How each bot is told what happened."""
LEAVES: Final = {"a": 3, "b": 5}
"""The decision that a bot is asked for when it loses its connection; it comes back at once."""
EAGER: Final = (
    ACTION_TYPE_WIN,
    ACTION_TYPE_REVEAL,
    ACTION_TYPE_CONCEALED_KONG,
    ACTION_TYPE_ADDED_KONG,
    ACTION_TYPE_DIRECT_KONG,
    ACTION_TYPE_PUNG,
)

# Amounts that differ from each other, so that a client that takes one for another is found out.
_CLOCK: Final = ClockSettings(
    bank=timedelta(seconds=120),
    increment=timedelta(seconds=5),
    move_max=timedelta(seconds=30),
    start=timedelta(minutes=1),
)

Line = dict[str, Any]
"""One message: ``{"bot": name, "to": message}`` or ``{"bot": name, "from": message}``, in proto3 JSON."""


@dataclass(frozen=True, slots=True)
class _Script:
    """A match whose seed was chosen for how much happens in it."""

    preset: str
    seed: int
    hands: int = 2
    counts: bool = True
    first_wall: Callable[[RuleSet], tuple[Kind, ...]] | None = None
    """Makes the wall of the first hand, if that is arranged."""

    def spec(self, name: str) -> MatchSpec:
        """Return the match; its id is the name's bytes in hex."""
        rules = load_preset(self.preset)
        spec = match_spec(
            name=name.encode("ascii").hex(), rules=rules, hands=self.hands, seed=f"wire {self.seed}", clock=_CLOCK
        )
        if self.first_wall is None:
            return spec
        first = self.first_wall(rules)
        return replace(spec, wall_of=lambda hand: shuffled_wall(rules, spec.deal_seed, hand) if hand else first)


SCRIPTS: Final = {
    "classic": _Script("classic", 363),
    "four-seat": _Script("four-seat", 242),
    # Waits that shrink are too rare to wait for: seat 1 reveals a flush and draws the fourth of a kind.
    "hubei": _Script(
        "hubei",
        4805,
        first_wall=partial(
            arranged_wall,
            hands=("5678p 56z 2468s 13p 1p", "1113456777999s"),
            draws="8p 9p 9p 8p 7s",
            replacements="2p",
        ),
    ),
    "hubei-capped": _Script("hubei-capped", 35),
    "shiyan": _Script("shiyan", 445),
    "sit-out": _Script("sit-out", 1012),
    "standard": _Script("standard", 994),
    "three-suit": _Script("three-suit", 207),
    "xiangyang": _Script("xiangyang", 797),
    "xiangyang-min2": _Script("xiangyang-min2", 482),
    "zaoyang": _Script("zaoyang", 485),
    VOIDED: _Script("xiangyang", 971, hands=1, counts=False),
}
"""The matches, by the name of their vectors."""
NAMES: Final = (*SCRIPTS, LOBBY)


def choose(request: DecisionRequest) -> int:
    """Return what the bots of the vectors answer: the index of a legal action, which follows from the request alone."""
    types = [legal.type for legal in request.legal_actions]
    if request.decision_id % 8 == 7:
        return len(types) - 1
    for eager in EAGER:
        matching = [index for index, kind in enumerate(types) if kind == eager]
        if matching:
            return matching[-(request.decision_id % 2)]
    return 5 * request.decision_id % len(types)


def golden_wire(name: str) -> Path:
    """Return the file of the vectors of this name."""
    return GOLDEN / f"{name}.jsonl"


def read(name: str) -> list[Line]:
    """Return the pinned vectors of this name."""
    return [json.loads(line) for line in golden_wire(name).read_text("ascii").splitlines()]


def written(lines: list[Line]) -> str:
    """Return the text of a file of vectors."""
    return "".join(json.dumps(line, sort_keys=True) + "\n" for line in lines)


async def play(name: str) -> list[Line]:
    """Make the vectors of this name anew, over gRPC, in time that stands still; bot by bot, each in order."""
    if name == LOBBY:
        return [line for bot in _LOBBY_STORIES for line in await _join(bot)]
    spec = SCRIPTS[name].spec(name)

    async def commit(_: Played) -> bool:
        return SCRIPTS[name].counts

    timers = ManualTimers()
    tables = Tables(timers, LagMonitor(timers))
    bots = [_Bot(entrant.name, entrant.ticket) for entrant in spec.entrants]
    async with listening(tables.handler()) as address:
        await asyncio.gather(tables.play(spec, commit), *(bot.play(address) for bot in bots))
    return [line for bot in bots for line in bot.lines]


@asynccontextmanager
async def listening(*handlers: grpc.GenericRpcHandler) -> AsyncIterator[str]:
    """Serve on a free port, and yield the address; calls that are open at the end have a second to end."""
    server = grpc.aio.server()
    server.add_generic_rpc_handlers(handlers)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(1)


class _Bot:
    """Plays one entrant by the rule of :func:`choose`, and writes down what is said."""

    def __init__(self, name: str, ticket: str) -> None:
        self._name = name
        self._ticket = ticket
        self._mode: ObservationMode.ValueType = MODES[name]
        self._leaves = LEAVES.get(name)
        self.lines: list[Line] = []

    async def play(self, address: str) -> None:
        """Play the match to its end."""
        over = False
        while not over:
            over = await self._stream(address)

    async def _stream(self, address: str) -> bool:
        """Play on one connection; return whether the match is over."""
        async with TableClient(address) as client:
            await self._say(client, hello(self._ticket, self._mode))
            while (message := await client.read()) is not None:
                self.lines.append(_line(self._name, "to", message))
                if message.HasField("decision_request"):
                    request = message.decision_request
                    if request.decision_id == self._leaves:
                        self._leaves = None
                        return False
                    await self._say(client, decision(request.decision_id, choose(request)))
        return True

    async def _say(self, client: TableClient, message: Message) -> None:
        self.lines.append(_line(self._name, "from", message))
        await client.send(message)


async def _join(bot: str) -> list[Line]:
    """Return what is said in the lobby when a bot joins and its story happens."""
    request = JoinRequest(token=bot, capacity=1, protocol_version=1, client="vectors/1")
    lines = [_line(bot, "from", request)]
    lobby = Lobby(Tokens(bot))
    async with listening(lobby.handler()) as address, grpc.aio.insecure_channel(address) as channel:
        async for message in LobbyServiceStub(channel).Join(request):
            if message.HasField("welcome"):
                _LOBBY_STORIES[bot](lobby)
                # The version of the software is no part of the protocol.
                message.welcome.server_version = "0"
            lines.append(_line(bot, "to", message))
    return lines


def _finishes(lobby: Lobby) -> None:
    lobby.assign("6d31", "a", lobby.instances()[0].id, "", "6d31-a")
    lobby.release("6d31")
    lobby.goodbye(Farewell.FINISHED, "the tournament is over")


def _stops(lobby: Lobby) -> None:
    lobby.assign("6d32", "b", lobby.instances()[0].id, "127.0.0.1:50051", "6d32-b")
    lobby.release("6d32", "the attempt was given up")
    lobby.goodbye(Farewell.STOPPING, "stopping")


def _withdraws(lobby: Lobby) -> None:
    lobby.withdraw("c", "took up none of three matches in a row")


_LOBBY_STORIES: Final[dict[str, Callable[[Lobby], None]]] = {"a": _finishes, "b": _stops, "c": _withdraws}


def _line(bot: str, way: str, message: Message) -> Line:
    return {"bot": bot, way: MessageToDict(message)}


if __name__ == "__main__":
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    for name in NAMES:
        path = golden_wire(name)
        text = written(asyncio.run(play(name)))
        changed = not path.exists() or path.read_text("ascii") != text
        path.write_text(text, "ascii")
        print(f"wire/{path.name}: {'changed' if changed else 'the same'}", flush=True)
