"""What tests of matches need: time moved by hand, a stream that only remembers, and a client without any comfort.

For the tests of this project, and of whoever builds on it.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Callable
from datetime import timedelta
from types import TracebackType
from typing import Any, Final, Self

import grpc.aio
from google.protobuf.message import Message

from kawuxing.engine import wall
from kawuxing.engine.rules import RuleSet, load_preset
from kawuxing.runner.clock import ClockSettings
from kawuxing.runner.spec import EntrantSpec, MatchSpec
from kawuxing.runner.status import Refusal
from kawuxing.v1.table_service_pb2 import (
    OBSERVATION_MODE_DELTA,
    Decision,
    DecisionRequest,
    Hello,
    ObservationMode,
    PlayRequest,
    PlayResponse,
)

MINUTE: Final = timedelta(minutes=1)
SLOW_CLOCK: Final = ClockSettings(bank=MINUTE, increment=MINUTE, move_max=MINUTE, start=MINUTE)
"""So much time that no bot of a test ever runs out of it."""


def match_spec(
    *,
    name: str = "m0",
    rules: RuleSet | None = None,
    hands: int = 1,
    seed: str = "",
    clock: ClockSettings = SLOW_CLOCK,
    max_faults: int = 3,
    join_time: timedelta = MINUTE,
) -> MatchSpec:
    """Return a match between bots a, b, c (and d), whose tickets are ``name`` and their name: ``m0-a``."""
    rules = rules or load_preset()
    deal_seed = wall.practice_seed(seed or name)
    return MatchSpec(
        tournament="test",
        match_id=name,
        rules=rules,
        hands=hands,
        deal_seed=deal_seed,
        clock=clock,
        max_faults=max_faults,
        entrants=tuple(
            EntrantSpec(bot, "1", f"{name}-{bot}", wall.bot_seed(deal_seed, entrant))
            for entrant, bot in enumerate("abcd"[: rules.entrants])
        ),
        commitment=wall.commitment(deal_seed),
        join_time=join_time,
    )


class ManualTimer:
    """A timer of ManualTimers."""

    def __init__(self, callback: Callable[[], object]) -> None:
        """Wait for the time of ``callback``."""
        self.callback: Callable[[], object] | None = callback

    def cancel(self) -> None:
        """Call it off."""
        self.callback = None


class ManualTimers:
    """Timers whose time only passes when it is told to."""

    def __init__(self) -> None:
        """Start at some time that is not zero."""
        self._now = 1000.0
        self._order = itertools.count()
        self._due: list[tuple[float, int, ManualTimer]] = []

    def time(self) -> float:
        """Return the time."""
        return self._now

    def call_at(self, when: float, callback: Callable[[], object], /) -> ManualTimer:
        """Call ``callback`` when the time comes."""
        timer = ManualTimer(callback)
        heapq.heappush(self._due, (when, next(self._order), timer))
        return timer

    def advance(self, seconds: float) -> None:
        """Let time pass, running what comes due at its time."""
        end = self._now + seconds
        while self._due and self._due[0][0] <= end:
            self._now = max(self._now, self._due[0][0])
            self._run_next()
        self._now = end

    def stall(self, seconds: float) -> None:
        """Let time pass as when the loop is blocked: what came due meanwhile runs late, at the end."""
        self._now += seconds
        while self._due and self._due[0][0] <= self._now:
            self._run_next()

    def _run_next(self) -> None:
        callback = heapq.heappop(self._due)[2].callback
        if callback is not None:
            callback()


class RecordingStream:
    """A seat's stream that keeps what is sent."""

    def __init__(self) -> None:
        """Begin open and empty."""
        self.sent: list[PlayResponse] = []
        self.ended = False
        self.refusal: Refusal | None = None

    def send(self, frame: bytes) -> None:
        """Keep a message."""
        self.sent.append(PlayResponse.FromString(frame))

    def finish(self, refusal: Refusal | None = None) -> None:
        """Note the end."""
        self.drop(refusal)

    def drop(self, refusal: Refusal | None) -> None:
        """Note the end."""
        self.ended = True
        self.refusal = refusal

    @property
    def kinds(self) -> list[str | None]:
        """What was sent, by the names of the messages."""
        return [response.WhichOneof("response") for response in self.sent]

    @property
    def requests(self) -> list[DecisionRequest]:
        """The questions among it."""
        return [response.decision_request for response in self.sent if response.HasField("decision_request")]


def hello(ticket: str, mode: ObservationMode.ValueType = OBSERVATION_MODE_DELTA) -> PlayRequest:
    """Return a Hello."""
    return PlayRequest(hello=Hello(ticket=ticket, observation_mode=mode))


def decision(decision_id: int, choice: int = 0) -> PlayRequest:
    """Return a Decision."""
    return PlayRequest(decision=Decision(decision_id=decision_id, choice=choice))


Chooser = Callable[[DecisionRequest], int]
"""Decides: takes a question and returns an index into its legal actions."""


def first(_: DecisionRequest) -> int:
    """Choose the first legal action."""
    return 0


class TableClient:
    """One Play stream, written and read by hand, or by :meth:`play` to its end."""

    def __init__(self, address: str) -> None:
        """Prepare a stream to the server at ``address``, on a connection of its own; entering opens it."""
        self._channel = grpc.aio.insecure_channel(address, options=(("grpc.use_local_subchannel_pool", 1),))
        self._raw = self._channel.stream_stream(
            "/kawuxing.v1.TableService/Play", response_deserializer=PlayResponse.FromString
        )
        self.call: Any = None
        self.seen: list[PlayResponse] = []

    async def __aenter__(self) -> Self:
        self.call = self._raw()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._channel.close()

    async def send(self, message: Message | bytes) -> None:
        """Write a message, or bytes that may be none."""
        await self.call.write(message if isinstance(message, bytes) else message.SerializeToString())

    async def read(self) -> PlayResponse | None:
        """Read a message; None at the end of the stream."""
        response = await self.call.read()
        if response is grpc.aio.EOF:
            return None
        message: PlayResponse = response
        self.seen.append(message)
        return message

    async def read_until(self, kind: str) -> PlayResponse:
        """Read on to the next message of this kind."""
        while (response := await self.read()) is not None:
            if response.WhichOneof("response") == kind:
                return response
        raise EOFError(f"the stream ended before a {kind}: {await self.call.code()} {await self.call.details()}")

    async def play(self, choose: Chooser = first) -> PlayResponse:
        """Answer every question until the stream ends; return the last message."""
        while (response := await self.read()) is not None:
            if response.HasField("decision_request"):
                request = response.decision_request
                await self.send(decision(request.decision_id, choose(request)))
        return self.seen[-1]


async def play_ticket(address: str, ticket: str, choose: Chooser = first) -> TableClient:
    """Play one entrant to the end of its match; return its client."""
    async with TableClient(address) as client:
        await client.send(hello(ticket))
        await client.play(choose)
        return client


async def play_all(address: str, spec: MatchSpec, choose: Chooser = first, *, without: str = "") -> list[TableClient]:
    """Play every entrant of a match but the bots named in ``without``; return their clients."""
    tickets = [entrant.ticket for entrant in spec.entrants if entrant.name not in without]
    return await asyncio.gather(*(play_ticket(address, ticket, choose) for ticket in tickets))


class Tokens:
    """A directory in which a bot's token is its name backwards."""

    def __init__(self, *bots: str) -> None:
        """Know these bots."""
        self._bots = bots

    async def authenticate(self, token: str) -> str | None:
        """Return the bot whose token it is."""
        return token[::-1] if token[::-1] in self._bots else None
