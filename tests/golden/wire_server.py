"""An arena that knows one golden match by heart: it sends what was sent, and compares what a client sends.

``python -m tests.golden.wire_server xiangyang a`` serves bot a of tests/golden/wire/xiangyang.jsonl, says where, and
ends when the bot has played; docs/bots/wire-vectors.md has more.
"""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import AsyncIterator, Sequence
from typing import Any, Final

import grpc
import grpc.aio
from google.protobuf.json_format import ParseDict
from google.protobuf.text_format import MessageToString
from tests.golden.wire import SCRIPTS, Line, listening, read

from kawuxing.v1 import lobby_service_pb2, table_service_pb2
from kawuxing.v1.lobby_service_pb2 import (
    GOODBYE_REASON_FINISHED,
    Assignment,
    Goodbye,
    JoinRequest,
    JoinResponse,
    Welcome,
)
from kawuxing.v1.table_service_pb2 import PlayRequest, PlayResponse

_LOBBY: Final = lobby_service_pb2.DESCRIPTOR.services_by_name["LobbyService"].full_name
_TABLES: Final = table_service_pb2.DESCRIPTOR.services_by_name["TableService"].full_name


class WireServer:
    """Replays the match of one file of vectors to the clients that play its bots. A bot's token is its name."""

    def __init__(self, lines: Sequence[Line]) -> None:
        """Take the vectors of a match."""
        parts: dict[str, list[tuple[int, Line]]] = {}
        for number, line in enumerate(lines, start=1):
            parts.setdefault(line["bot"], []).append((number, line))
        self._bots = {bot: _Part(part) for bot, part in parts.items()}
        self._tickets = {part.ticket: part for part in self._bots.values()}

    def handlers(self) -> tuple[grpc.GenericRpcHandler, grpc.GenericRpcHandler]:
        """Return both services, for a server."""
        join = grpc.unary_stream_rpc_method_handler(self._join, JoinRequest.FromString, JoinResponse.SerializeToString)
        play = grpc.stream_stream_rpc_method_handler(self._play, PlayRequest.FromString, PlayResponse.SerializeToString)
        return (
            grpc.method_handlers_generic_handler(_LOBBY, {"Join": join}),
            grpc.method_handlers_generic_handler(_TABLES, {"Play": play}),
        )

    async def difference(self, bot: str) -> str | None:
        """Wait until this bot has played; return where it first said something else, None if it never did."""
        await self._bots[bot].over.wait()
        return self._bots[bot].difference

    async def _join(self, request: JoinRequest, context: Any) -> AsyncIterator[JoinResponse]:
        if request.token not in self._bots:
            await context.abort(grpc.StatusCode.UNAUTHENTICATED, f"expected a token of {', '.join(self._bots)}")
        part = self._bots[request.token]
        yield JoinResponse(
            welcome=Welcome(server_version="0", min_protocol_version=1, max_protocol_version=1, bot=request.token)
        )
        yield JoinResponse(assignment=Assignment(match_id=part.match_id, ticket=part.ticket))
        await part.over.wait()
        yield JoinResponse(goodbye=Goodbye(reason=GOODBYE_REASON_FINISHED, message="the vectors are at their end"))

    async def _play(self, _: object, context: Any) -> None:
        said = await context.read()
        if said is grpc.aio.EOF:
            return
        if said.hello.ticket not in self._tickets:
            await context.abort(grpc.StatusCode.NOT_FOUND, f"expected a ticket of {', '.join(self._tickets)}")
        part = self._tickets[said.hello.ticket]
        while part.left:
            number, line = part.left.popleft()
            expected = ParseDict(line["from"], PlayRequest())
            if said != expected:
                got = "the end" if said is grpc.aio.EOF else MessageToString(said, as_one_line=True)
                difference = f"line {number}: expected {MessageToString(expected, as_one_line=True)}, got {got}"
                part.end(difference)
                await context.abort(grpc.StatusCode.INVALID_ARGUMENT, difference)
            while part.left and "to" in part.left[0][1]:
                await context.write(ParseDict(part.left.popleft()[1]["to"], PlayResponse()))
            if not part.left:
                part.end(None)
            elif "hello" in part.left[0][1]["from"]:
                # Whatever is on its way now, such as the answer to the last question, is lost.
                await context.read()
                await context.abort(grpc.StatusCode.UNAVAILABLE, "here the connection was lost: come back")
            else:
                said = await context.read()


class _Part:
    """What one bot has yet to be told and to say."""

    def __init__(self, lines: Sequence[tuple[int, Line]]) -> None:
        """Take all of it: lines with their numbers, of which the first two are Hello and MatchStart."""
        (_, hello), (_, start), *_ = lines
        self.ticket: str = hello["from"]["hello"]["ticket"]
        self.match_id: str = start["to"]["matchStart"]["matchId"]
        self.left = deque(lines)
        self.over = asyncio.Event()
        self.difference: str | None = None

    def end(self, difference: str | None) -> None:
        """Take note that the bot is done."""
        self.difference = difference
        self.over.set()


async def _serve(lines: Sequence[Line], bot: str) -> str | None:
    server = WireServer(lines)
    async with listening(*server.handlers()) as address:
        print(f"KAWUXING_ADDRESS={address} KAWUXING_TOKEN={bot}", flush=True)
        return await server.difference(bot)


def _main(arguments: Sequence[str]) -> str | None:
    """Serve as the command line says; return what went wrong."""
    names = ", ".join(SCRIPTS)
    match arguments:
        case [name, bot] if name in SCRIPTS:
            lines = read(name)
            bots = sorted({line["bot"] for line in lines})
            return asyncio.run(_serve(lines, bot)) if bot in bots else f"bot {bot}: expected one of {', '.join(bots)}"
        case _:
            return f"expected NAME BOT: the name of vectors ({names}) and a bot in them (a, b, c or d)"


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
