"""``kawuxing-bot NAME``: the shipped bots. Only the bot asked for is imported."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final

from kawuxing.bots.bot import Bot
from kawuxing.bots.command import EXIT_CODES, add_options, run

SHIPPED: Final = {
    "random": ("kawuxing.bots.random_bot", "RandomBot", "any legal action"),
    "greedy": ("kawuxing.bots.greedy", "GreedyBot", "the fastest way to a ready hand"),
    "careful": ("kawuxing.bots.careful", "CarefulBot", "weighs what a hand is worth against what it may cost"),
}
"""The module, class and one-line description of every shipped bot, weakest first."""


def shipped_bot(name: str) -> type[Bot]:
    """Return the class of a shipped bot. Raises KeyError if there is none of this name."""
    module, class_name, _ = SHIPPED[name]
    bot: type[Bot] = getattr(import_module(module), class_name)
    return bot


def main(arguments: Sequence[str] | None = None) -> None:
    """Play as the shipped bot that the command line names; ends the process."""
    lines = [f"  {name:8} {description}" for name, (_, _, description) in SHIPPED.items()]
    parser = argparse.ArgumentParser(
        prog="kawuxing-bot",
        description="Play as one of the shipped bots.",
        epilog="\n".join(["bots:", *lines, "", EXIT_CODES]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("bot", choices=SHIPPED, metavar="NAME", help=", ".join(SHIPPED))
    add_options(parser)
    options = parser.parse_args(arguments)
    sys.exit(run(shipped_bot(options.bot), options, os.environ))
