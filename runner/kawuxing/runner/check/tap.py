"""Listens in on every call of the bot, at the arena's end, and disturbs the calls that the check wants disturbed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final

import grpc
import grpc.aio
from google.protobuf.message import DecodeError

from kawuxing.runner import lobby, tables
from kawuxing.runner.check.disturbance import Disturbance, newer_lobby
from kawuxing.runner.check.exchange import Ending, Exchange, Side
from kawuxing.v1.lobby_service_pb2 import JoinResponse
from kawuxing.v1.table_service_pb2 import PlayRequest, PlayResponse

_JOIN: Final = f"/{lobby.SERVICE}/Join"
_PLAY: Final = f"/{tables.SERVICE}/Play"
_LAST_WORDS: Final = ("match_end", "match_voided")

Handler = Callable[[Any, Any], Awaitable[None]]


class WireTap(grpc.aio.ServerInterceptor):  # type: ignore[misc]  # grpc.aio ships no types
    """Stands between a server and its handlers."""

    def __init__(self) -> None:
        """Listen to nothing yet but the lobby."""
        self.lobby = Exchange("lobby", lobby=True)
        """What was said on all Join streams."""
        self.newer = False
        """Whether the lobby speaks a newer protocol now."""
        self._watched: dict[str, tuple[Exchange, Disturbance]] = {}
        self._joins: set[_Tapped] = set()
        self._plays: set[_Tapped] = set()

    def watch(self, ticket: str, exchange: Exchange, disturbance: Disturbance) -> None:
        """Listen to and disturb the streams of a ticket."""
        self._watched[ticket] = exchange, disturbance

    def cut_lobby(self) -> None:
        """End all Join streams as a network would."""
        for join in self._joins:
            join.cut()

    def cut_everything(self) -> None:
        """End all streams of all bots as a network would."""
        for stream in (*self._joins, *self._plays):
            stream.cut()

    async def intercept_service(self, continuation: Any, details: Any) -> Any:
        """Return the handler of a call, with this tap in front of it if it is one of the bot's."""
        handler = await continuation(details)
        if details.method == _JOIN:
            return grpc.unary_stream_rpc_method_handler(self._tapped_join(handler.unary_stream))
        if details.method == _PLAY:
            return grpc.stream_stream_rpc_method_handler(self._tapped_play(handler.stream_stream))
        return handler

    def _tapped_join(self, handler: Handler) -> Handler:
        async def join(data: bytes, context: Any) -> None:
            self.lobby.add(Side.BOT, data)
            tapped = _Tapped(context)
            tapped.listen(self.lobby, _Lobby(self))
            await _run(handler, data, tapped, self._joins)

        return join

    def _tapped_play(self, handler: Handler) -> Handler:
        async def play(requests: Any, context: Any) -> None:
            await _run(handler, requests, _Tapped(context, self._watched), self._plays)

        return play


class _Lobby(Disturbance):
    """Makes the lobby's messages those of a newer arena while the tap says so."""

    def __init__(self, tap: WireTap) -> None:
        self._tap = tap

    def outgoing(self, frame: bytes) -> list[bytes]:
        return newer_lobby(frame) if self._tap.newer else [frame]


class _Tapped:
    """A handler's context, listened to."""

    def __init__(self, context: Any, watched: dict[str, tuple[Exchange, Disturbance]] | None = None) -> None:
        self.context = context
        self.is_cut: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.exchange: Exchange | None = None
        self._disturbance = Disturbance()
        self._watched = watched
        self._refusal = ""
        self._said_all = False
        self._deaf = False
        self._due: float | None = None

    def listen(self, exchange: Exchange, disturbance: Disturbance) -> None:
        """Note what is said from now on."""
        self.exchange = exchange
        self._disturbance = disturbance

    def cut(self) -> None:
        """End the stream as a network would."""
        if not self.is_cut.done():
            self.is_cut.set_result(None)

    def end(self, ending: Ending) -> None:
        """Note how the stream ended, unless there is something better to say."""
        if self.exchange is not None:
            if self._said_all:
                ending = Ending.OVER
            elif self._refusal:
                ending = Ending.REFUSED
            self.exchange.end(ending, self._refusal)

    # What follows is what handlers use of a context.

    def peer(self) -> str:
        return str(self.context.peer())

    async def abort(self, code: grpc.StatusCode, message: str, trailing: Any = ()) -> None:
        self._refusal = f"{code.name}: {message}"
        await self.context.abort(code, message, trailing)

    async def read(self) -> Any:
        data = await self.context.read()
        if self._deaf:
            # The answer is lost with the stream.
            await asyncio.Event().wait()
        if data is grpc.aio.EOF:
            return data
        request = _parsed(data)
        if self.exchange is None and request is not None and self._watched is not None:
            watched = self._watched.get(request.hello.ticket)
            if watched is not None:
                self.listen(*watched)
        if self.exchange is not None:
            self.exchange.add(Side.BOT, data)
            if request is not None and request.HasField("decision"):
                self.exchange.first_answer = self.exchange.first_answer or time.monotonic()
                await self._disturb_answer(request.decision.decision_id)
        return data

    async def write(self, frame: bytes) -> None:
        # Before it is sent: a client that has read it may have answered, or be gone, before this goes on.
        asked = None
        if self._watched is None:
            self._said_all = JoinResponse.FromString(frame).HasField("goodbye")
        else:
            response = PlayResponse.FromString(frame)
            self._said_all = response.WhichOneof("response") in _LAST_WORDS
            if response.HasField("decision_request"):
                asked = response.decision_request.decision_id
                left = response.decision_request.time_left.ToTimedelta()
                self._due = time.monotonic() + left.total_seconds()
                self._deaf = self._disturbance.cut_at == asked and not self._disturbance.after_answer
        for message in self._disturbance.outgoing(frame):
            if self.exchange is not None:
                self.exchange.add(Side.ARENA, message)
            await self.context.write(message)
        if asked is not None:
            self._disturb_question(asked)

    def _disturb_question(self, decision: int) -> None:
        disturbance = self._disturbance
        disturbance.asked(decision)
        if self._deaf:
            disturbance.cut_at, disturbance.done = None, True
            self.cut()

    async def _disturb_answer(self, decision: int) -> None:
        disturbance = self._disturbance
        if self._due is not None:
            await disturbance.answered(decision, self._due)
        if disturbance.cut_at == decision and disturbance.after_answer:
            disturbance.cut_at, disturbance.done = None, True
            # Not before the table has taken the answer in.
            asyncio.get_running_loop().call_soon(self.cut)


def _parsed(data: bytes) -> PlayRequest | None:
    try:
        return PlayRequest.FromString(data)
    except DecodeError:
        return None


async def _run(handler: Handler, request: Any, tapped: _Tapped, streams: set[_Tapped]) -> None:
    """Run a handler until its stream ends or is cut."""
    streams.add(tapped)
    running = asyncio.ensure_future(handler(request, tapped))
    try:
        await asyncio.wait({running, tapped.is_cut}, return_when=asyncio.FIRST_COMPLETED)
        if running.done():
            tapped.end(Ending.LEFT)
            running.result()
            return
    except asyncio.CancelledError:
        # gRPC's way to say that the client is gone.
        tapped.end(Ending.LEFT)
        raise
    finally:
        streams.discard(tapped)
        tapped.is_cut.cancel()
        if not running.done():
            running.cancel()
            await asyncio.wait({running})
    tapped.end(Ending.CUT)
    await tapped.context.abort(grpc.StatusCode.UNAVAILABLE, "the connection was lost")
