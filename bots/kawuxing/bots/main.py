"""``kawuxing-bot NAME``: the shipped bots. Only the bot asked for is imported."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Final

from kawuxing.bots.arguments import shown
from kawuxing.bots.bot import Bot
from kawuxing.bots.command import EXIT_CODES, add_options, run, run_client
from kawuxing.bots.misbehaving import VICES

SHIPPED: Final = {
    "random": ("kawuxing.bots.random_bot", "RandomBot", "any legal action"),
    "greedy": ("kawuxing.bots.greedy", "GreedyBot", "the fastest way to a ready hand"),
    "careful": ("kawuxing.bots.careful", "CarefulBot", "weighs what a hand is worth against what it may cost"),
}
"""The module, class and one-line description of every shipped bot, weakest first."""

_MISBEHAVING: Final = "misbehaving-"


def shipped_bot(name: str) -> type[Bot]:
    """Return the class of a shipped bot. Raises ValueError if there is none of this name."""
    if name not in SHIPPED:
        raise ValueError(f"name is {shown(name)}: expected one of {', '.join(SHIPPED)}")
    module, class_name, _ = SHIPPED[name]
    bot: type[Bot] = getattr(import_module(module), class_name)
    return bot


def main(arguments: Sequence[str] | None = None) -> None:
    """Play as the shipped bot that the command line names; ends the process."""
    bots = {name: description for name, (_, _, description) in SHIPPED.items()}
    vices = {f"{_MISBEHAVING}{name}": description for name, (_, _, description) in VICES.items()}
    parser = argparse.ArgumentParser(
        prog="kawuxing-bot",
        description="Play as one of the shipped bots.",
        epilog="\n".join(["bots:", *_listed(bots), "", "bots to try an arena with:", *_listed(vices), "", EXIT_CODES]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("bot", choices=(*bots, *vices), metavar="NAME", help=f"{', '.join(bots)}, or one to try with")
    add_options(parser)
    options = parser.parse_args(arguments)
    if options.bot in bots:
        sys.exit(run(shipped_bot(options.bot), options, os.environ))
    from kawuxing.bots.misbehaving.client import play_as  # noqa: PLC0415  (imports grpc)

    sys.exit(run_client(play_as(options.bot.removeprefix(_MISBEHAVING)), options.bot, options, os.environ))


def _listed(bots: Mapping[str, str]) -> list[str]:
    width = max(map(len, bots))
    return [f"  {name:{width}} {description}" for name, description in bots.items()]
