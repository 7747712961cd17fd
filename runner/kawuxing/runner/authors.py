"""AuthorService: tells a bot's author what the arena knows of that bot; its token is the only key."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Final, Protocol

import grpc
import structlog
from google.protobuf.message import DecodeError

from kawuxing.runner.lobby import MAX_REQUEST, UNKNOWN_TOKEN, BotDirectory
from kawuxing.runner.status import Context, Refusal, abort, guarded, malformed, too_large
from kawuxing.v1 import author_service_pb2, fault_pb2
from kawuxing.v1.author_service_pb2 import BotReport, GetReportsRequest, GetReportsResponse

SERVICE: Final = author_service_pb2.DESCRIPTOR.services_by_name["AuthorService"].full_name
MAX_READERS: Final = 4
"""Most calls of one bot's authors at once."""
MAX_LOOKUPS: Final = 1
"""Most tokens and reports looked up at once: whoever asks all the time must not take up the arena's threads."""
READ_TIME: Final = 10.0
"""Seconds in which a client has to read a report."""

_log = structlog.get_logger(__name__)


class ReportSource(Protocol):
    """What the arena knows of its bots."""

    async def tournaments(self, bot: str) -> Sequence[str]:
        """Return the ids of the tournaments in which the bot is entered, the newest first."""
        ...

    async def report(self, bot: str, tournament: str) -> BotReport:
        """Return what is known of the bot in one of these, and of nobody else."""
        ...


class Authors:
    """Answers the authors of bots, withdrawn ones too. To be used from its event loop only."""

    def __init__(self, directory: BotDirectory, reports: ReportSource) -> None:
        """Answer whoever ``directory`` knows, out of ``reports``."""
        self._directory = directory
        self._reports = reports
        self._looking = asyncio.Semaphore(MAX_LOOKUPS)
        self._readers: Counter[str] = Counter()

    def handler(self) -> grpc.GenericRpcHandler:
        """Return what a server registers: GetReports on raw bytes, so that size and form are judged here."""
        get_reports = grpc.unary_stream_rpc_method_handler(guarded(self._get_reports))
        return grpc.method_handlers_generic_handler(SERVICE, {"GetReports": get_reports})

    async def _get_reports(self, data: bytes, context: Context) -> None:
        request = _parse(data)
        if isinstance(request, Refusal):
            await abort(context, request)
        async with self._looking:
            bot = await self._directory.authenticate(request.token)
        if bot is None:
            await abort(context, UNKNOWN_TOKEN)
        if self._readers[bot] >= MAX_READERS:
            await abort(context, _too_many(bot))
        self._readers[bot] += 1
        try:
            await self._tell(bot, context)
        except TimeoutError:
            await abort(context, _NOT_READING)
        finally:
            self._readers[bot] -= 1

    async def _tell(self, bot: str, context: Context) -> None:
        async with self._looking:
            tournaments = await self._reports.tournaments(bot)
        _log.info("author reads", bot=bot, peer=context.peer())
        for tournament in tournaments:
            async with self._looking:
                report = await self._reports.report(bot, tournament)
            async with asyncio.timeout(READ_TIME):
                await context.write(GetReportsResponse(report=report).SerializeToString())


_NOT_READING: Final = Refusal(
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    fault_pb2.ERROR_REASON_NOT_READING,
    f"a report was not read within {READ_TIME:g} s: expected the client to read what it is sent",
)


def _too_many(bot: str) -> Refusal:
    return Refusal(
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        fault_pb2.ERROR_REASON_TOO_MANY_CONNECTIONS,
        f"reports of bot {bot} are being read {MAX_READERS} times: expected no more at once",
    )


def _parse(data: bytes) -> GetReportsRequest | Refusal:
    if len(data) > MAX_REQUEST:
        return too_large(len(data), MAX_REQUEST)
    try:
        return GetReportsRequest.FromString(data)
    except DecodeError:
        return malformed("a kawuxing.v1.GetReportsRequest")
