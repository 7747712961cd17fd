"""``kawuxing bridge``: a bot that needs no gRPC, only lines of JSON on its standard input and output."""

from __future__ import annotations

from typing import Annotated, Literal

import typer


def bridge(
    command: Annotated[list[str], typer.Argument(help="The program and its arguments, after --.")],
    *,
    address: Annotated[
        str | None, typer.Option("--address", metavar="HOST:PORT", help="The arena.", show_default="$KAWUXING_ADDRESS")
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(
            "--token",
            help="The bot's token; better kept in the variable, out of process lists.",
            metavar="TOKEN",
            show_default="$KAWUXING_TOKEN",
        ),
    ] = None,
    capacity: Annotated[
        str | None,
        typer.Option(
            "--capacity",
            metavar="N",
            help="Matches at once, 1 to 64, each with a process of its own.",
            show_default="1",
        ),
    ] = None,
    matches: Annotated[
        str | None,
        typer.Option("--matches", metavar="N", help="Play so many, then stop.", show_default="as many as there are"),
    ] = None,
    mode: Annotated[
        Literal["snapshot", "delta"],
        typer.Option("--mode", help="Tell the program the whole observation, or the events since it last heard."),
    ] = "snapshot",
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Log what happens, not only what goes wrong.")
    ] = False,
) -> None:
    """Play as a program that reads and writes lines of JSON: no gRPC needed (docs/bots/bridge.md).

    Exit codes are those of every bot: 0 the tournament is over, the bot was withdrawn or stopped by a signal, or it has
    played its matches; 1 the program cannot be started; 2 address, token or another setting is wrong; 3 arena and
    bridge do not understand each other.
    """
    import os
    from argparse import Namespace
    from functools import partial

    # gRPC would stop its threads at every start of a program, to be of use in a child that only executes that program.
    os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
    from kawuxing.bots.command import quieten_grpc, run_client

    quieten_grpc()
    from kawuxing.bots.bridge import play

    options = Namespace(address=address, token=token, capacity=capacity, matches=matches, verbose=verbose)
    raise typer.Exit(run_client(partial(play, command, mode), "bridge", options, os.environ))
