"""A small arena for the kit to play in: a real gRPC server that does as a test says, and never more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from itertools import count
from typing import Any

import grpc
import pytest
from google.protobuf import any_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from kawuxing.bots.dialogue import BotDialogue
from kawuxing.bots.lobby import Connection, LobbyClient
from kawuxing.codec.actions import action_to_message
from kawuxing.codec.events import event_to_message
from kawuxing.codec.rules import rules_to_message
from kawuxing.engine.actions import Action
from kawuxing.engine.events import Event, HandEnded, HandStarted
from kawuxing.engine.match import Answer, Match
from kawuxing.engine.observation import redact
from kawuxing.engine.rules import load_preset
from kawuxing.engine.wall import bot_seed, shuffled_wall
from kawuxing.v1 import (
    event_pb2,
    lobby_service_pb2,
    lobby_service_pb2_grpc,
    table_service_pb2,
    table_service_pb2_grpc,
)

TOKEN = "right"  # noqa: S105  (of an arena that exists for one test)
HANDS = 2


async def refuse(context: Any, reason: str, code: int, message: str) -> None:
    """End a call as the arena does: a status with an ErrorInfo."""
    detail = any_pb2.Any()
    detail.Pack(error_details_pb2.ErrorInfo(reason=reason, domain="kawuxing"))
    await context.abort_with_status(
        rpc_status.to_status(status_pb2.Status(code=code, message=message, details=[detail]))
    )


class Table:
    """One match: entrant 0 is the client, the others always answer with their first legal action."""

    def __init__(self, deal_seed: bytes, lose_answers: set[int]) -> None:
        """Prepare; the stream breaks after each of the answers in ``lose_answers``, once, as if they had never come."""
        self.rules = load_preset()
        self.deal_seed = deal_seed
        self.lose_answers = set(lose_answers)
        self.match = Match(self.rules, HANDS, lambda hand: shuffled_wall(self.rules, deal_seed, hand), 3)
        self.events: list[Event] = []
        self.sent = 0
        self.decision_id = 0
        self.answers: list[Action] = []
        self.opened = 0
        self.closed = asyncio.Event()

    def start(self) -> table_service_pb2.MatchStart:
        """Return MatchStart."""
        return table_service_pb2.MatchStart(
            match_id="m",
            entrants=3,
            hands=HANDS,
            rules=rules_to_message(self.rules),
            max_faults=3,
            bot_seed=bot_seed(self.deal_seed, 0),
        )

    def messages(self, since: int, until: int) -> list[event_pb2.Event]:
        """Return the events from number ``since`` up to ``until`` as entrant 0, which sits in seat 0, sees them."""
        return [event_to_message(redact(self.events[number], 0), number, 0) for number in range(since, until)]

    async def talk(self, context: Any) -> None:
        """Play the match on one stream, as far as it gets."""
        self.opened += 1
        respond = table_service_pb2.PlayResponse
        await context.write(respond(match_start=self.start()))
        if self.events:
            begun = max(number for number, event in enumerate(self.events) if isinstance(event, HandStarted))
            # What was in the request whose answer got lost is told again by Resume.
            resume = table_service_pb2.Resume(events=self.messages(begun, len(self.events)))
            self.sent = len(self.events)
            await context.write(respond(resume=resume))
        else:
            self.events += self.match.start()
        while pending := self.match.pending():
            answers = {entrant: Answer(legal[0]) for entrant, legal in pending.items() if entrant}
            if 0 in pending:
                answers[0] = Answer(await self.ask(context, pending[0]))
                self.answers.append(answers[0].action)
            self.events += self.match.apply(answers)
            await self.end_hands(context)
        await context.write(respond(match_end=table_service_pb2.MatchEnd(record_sha256="0" * 64)))

    async def ask(self, context: Any, legal: tuple[Action, ...]) -> Action:
        """Ask entrant 0 and return its answer, unless that one is to get lost."""
        request = table_service_pb2.DecisionRequest(
            decision_id=self.decision_id,
            legal_actions=map(action_to_message, legal),
            events=self.messages(self.sent, len(self.events)),
        )
        self.sent = len(self.events)
        request.time_left.FromTimedelta(timedelta(seconds=5))
        await context.write(table_service_pb2.PlayResponse(decision_request=request))
        decision: table_service_pb2.Decision = (await context.read()).decision
        assert self.decision_id == decision.decision_id
        if self.decision_id in self.lose_answers:
            self.lose_answers.remove(self.decision_id)
            await context.abort(grpc.StatusCode.UNAVAILABLE, "the connection broke")
        self.decision_id += 1
        return legal[decision.choice]

    async def end_hands(self, context: Any) -> None:
        """Send HandEnd for every hand that has ended since."""
        for number in range(self.sent, len(self.events)):
            if isinstance(self.events[number], HandEnded):
                hand_end = table_service_pb2.HandEnd(events=self.messages(self.sent, number + 1))
                self.sent = number + 1
                await context.write(table_service_pb2.PlayResponse(hand_end=hand_end))


GOAWAY = bytes.fromhex("000000 04 00 00000000000008 07 00 00000000 00000000 00000002")
"""The first words of HTTP/2, empty settings, and at once its last, with error code 2."""


@asynccontextmanager
async def stopping_arena() -> AsyncIterator[tuple[str, asyncio.Event]]:
    """Serve an arena that stops as soon as it is reached; yield its address, and whether a client has come again."""
    again = asyncio.Event()
    connections = count(1)

    async def leave(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if next(connections) > 1:
            again.set()
        writer.write(GOAWAY)
        writer.close()

    async with await asyncio.start_server(leave, "127.0.0.1", 0) as server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}", again


LobbyScript = Callable[["Arena", Any], Any]
"""Talks on one Join stream."""


@dataclass
class Arena:
    """What the server does and what it saw."""

    address: str = ""
    tables: dict[str, Table] = field(default_factory=dict)
    scripts: list[LobbyScript] = field(default_factory=list)
    """One for each Join, in order."""
    joins: list[lobby_service_pb2.JoinRequest] = field(default_factory=list)
    table_over: asyncio.Event = field(default_factory=asyncio.Event)

    def add_table(self, match_id: str, *, lose_answers: set[int] | None = None) -> Table:
        """Prepare a match whose ticket is its id."""
        self.tables[match_id] = Table(match_id.encode().ljust(32, b"."), lose_answers or set())
        return self.tables[match_id]

    async def assign(self, context: Any, match_id: str, *, ticket: str = "") -> None:
        """Send an Assignment; without a ticket, it is the match's id."""
        assignment = lobby_service_pb2.Assignment(match_id=match_id, ticket=ticket or match_id)
        await context.write(lobby_service_pb2.JoinResponse(assignment=assignment))

    async def goodbye(self, context: Any, reason: lobby_service_pb2.GoodbyeReason.ValueType) -> None:
        """Send a Goodbye."""
        await context.write(lobby_service_pb2.JoinResponse(goodbye=lobby_service_pb2.Goodbye(reason=reason)))

    def client(self, make_bot: Any, *, token: str = TOKEN, matches: int = 0) -> LobbyClient:
        """Return a client of the kit that plays here."""
        connection = Connection(address=self.address, token=token, capacity=4, matches=matches, client="test")
        return LobbyClient(connection, partial(BotDialogue, make_bot))


class _Lobby(lobby_service_pb2_grpc.LobbyServiceServicer):
    def __init__(self, arena: Arena) -> None:
        self.arena = arena

    async def Join(self, request: lobby_service_pb2.JoinRequest, context: Any) -> None:  # type: ignore[override]  # noqa: N802
        self.arena.joins.append(request)
        if request.token != TOKEN:
            message = "the token is unknown to this arena; ask its organiser for one"
            await refuse(context, "ERROR_REASON_UNKNOWN_TOKEN", code_pb2.UNAUTHENTICATED, message)
        await context.write(lobby_service_pb2.JoinResponse(welcome=lobby_service_pb2.Welcome(bot="tester")))
        await self.arena.scripts.pop(0)(self.arena, context)


class _Tables(table_service_pb2_grpc.TableServiceServicer):
    def __init__(self, arena: Arena) -> None:
        self.arena = arena

    async def Play(self, _: Any, context: Any) -> None:  # type: ignore[override]  # noqa: N802
        hello = (await context.read()).hello
        table = self.arena.tables.get(hello.ticket)
        if table is None:
            await refuse(context, "ERROR_REASON_UNKNOWN_TICKET", code_pb2.NOT_FOUND, "no such ticket")
            return
        try:
            await table.talk(context)
            self.arena.table_over.set()
        finally:
            table.closed.set()


@pytest.fixture
async def arena() -> AsyncIterator[Arena]:
    """A server on a free port of this machine."""
    arena = Arena()
    server = grpc.aio.server()
    lobby_service_pb2_grpc.add_LobbyServiceServicer_to_server(_Lobby(arena), server)
    table_service_pb2_grpc.add_TableServiceServicer_to_server(_Tables(arena), server)
    arena.address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    yield arena
    await server.stop(0)
