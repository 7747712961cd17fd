"""``kawuxing report``: what the arena knows of a bot, asked for by its author with the bot's token."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Final, NoReturn

import typer

from kawuxing.cli.environment import JsonOption
from kawuxing.engine.errors import KawuxingError

if TYPE_CHECKING:
    from grpc.aio import AioRpcError

    from kawuxing.v1.author_service_pb2 import BotReport

_PATIENCE: Final = 60.0
"""Seconds for all reports together."""

ReportedTournament = Annotated[
    str | None, typer.Option("--tournament", help="Only this tournament's report, by its id.", metavar="ID")
]


class RefusedError(KawuxingError):
    """The arena does not take the token, or what answers at the address has no reports."""


class ArenaAwayError(KawuxingError):
    """No arena answers at the address."""


class NoReportError(KawuxingError):
    """There is no report to show: the bot is entered in no tournament, or not in the one asked for."""


def report(
    *,
    address: Annotated[
        str, typer.Option("--address", metavar="HOST:PORT", help="The arena.", envvar="KAWUXING_ADDRESS")
    ],
    token: Annotated[
        str,
        typer.Option(
            "--token",
            help="The bot's token; better kept in the variable, out of process lists.",
            metavar="TOKEN",
            envvar="KAWUXING_TOKEN",
        ),
    ],
    tournament: ReportedTournament = None,
    as_json: JsonOption = False,
) -> None:
    """Print your bot's faults, slowest decisions and log, which its token alone opens (docs/bots/report.md).

    The newest tournament comes first. The arena of `kawuxing run` is gone when its tournament is over: then ask the
    organiser.
    """
    from kawuxing.bots.command import parse_address, parse_token
    from kawuxing.cli.report_shown import print_reports

    reports = asyncio.run(_fetch(parse_address(address), parse_token(token)))
    shown = [told for told in reports if tournament in (None, told.tournament)]
    if tournament is not None and not shown:
        entered = ", ".join(told.tournament for told in reports) or "nothing in which the bot is entered"
        raise NoReportError(f"--tournament is {tournament!r}: expected {entered}")
    print_reports(shown, as_json=as_json)


async def _fetch(address: str, token: str) -> list[BotReport]:
    import grpc.aio

    from kawuxing.bots.channel import open_channel
    from kawuxing.v1.author_service_pb2 import GetReportsRequest
    from kawuxing.v1.author_service_pb2_grpc import AuthorServiceStub

    async with open_channel(address) as channel:
        call = AuthorServiceStub(channel).GetReports(GetReportsRequest(token=token), timeout=_PATIENCE)
        try:
            return [response.report async for response in call]
        except grpc.aio.AioRpcError as error:
            _explain(error, address)


def _explain(error: AioRpcError, address: str) -> NoReturn:
    import grpc

    match error.code():
        case grpc.StatusCode.UNAVAILABLE | grpc.StatusCode.DEADLINE_EXCEEDED:
            raise ArenaAwayError(f"no arena answers at {address}: {error.details()}") from None
        case grpc.StatusCode.UNIMPLEMENTED:
            raise RefusedError(f"what answers at {address} has no reports: expected an arena of this version") from None
        case _:
            raise RefusedError(f"the arena at {address} refuses: {error.details()}") from None
