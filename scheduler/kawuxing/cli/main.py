"""The ``kawuxing`` command: what all subcommands share, and how an error becomes a message and an exit code."""

from __future__ import annotations

import errno
import json
import os
import sys
from importlib.metadata import version
from typing import Annotated, Final

import typer

from kawuxing.cli import (
    bots,
    bridge,
    check_bot,
    matches,
    play,
    records,
    replay,
    report,
    rules,
    rules_shown,
    run,
    standings,
    tournaments,
    verify,
)
from kawuxing.cli.exits import Exit, exit_of
from kawuxing.engine.errors import KawuxingError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
    # Paragraphs are wrapped anew for the terminal, not where the source wraps them.
    rich_markup_mode="markdown",
    help="Tournaments between bots that play Kawuxing 卡五星, the three-player mahjong of Hubei.",
    epilog=(
        "Exit codes: 0 all is well; 1 the answer is no; 2 the command line or a file is at fault; 3 cannot verify; "
        "4 this machine is at fault; 130 and 143 stopped by Ctrl-C and SIGTERM (docs/tournament.md)."
    ),
)
_ORGANISERS: Final = "For organisers"
_AUTHORS: Final = "For authors of bots"
_EVERYBODY: Final = "For everybody"
_PROGRAM_LAST: Final = {"allow_interspersed_args": False}
app.command("run", rich_help_panel=_ORGANISERS)(run.run)
app.command("commit", rich_help_panel=_ORGANISERS)(run.commit)
app.command("standings", rich_help_panel=_ORGANISERS)(standings.standings)
app.command("tournaments", rich_help_panel=_ORGANISERS)(tournaments.tournaments)
app.command("matches", rich_help_panel=_ORGANISERS)(matches.matches)
app.add_typer(bots.app, name="bot", rich_help_panel=_ORGANISERS)
app.command("check-bot", context_settings=_PROGRAM_LAST, rich_help_panel=_AUTHORS)(check_bot.check_bot)
app.command("bridge", context_settings=_PROGRAM_LAST, rich_help_panel=_AUTHORS)(bridge.bridge)
app.command("report", rich_help_panel=_AUTHORS)(report.report)
app.command("play", rich_help_panel=_EVERYBODY)(play.play)
app.command("replay", rich_help_panel=_EVERYBODY)(replay.replay)
app.command("verify", rich_help_panel=_EVERYBODY)(verify.verify)
app.add_typer(records.app, name="record", rich_help_panel=_EVERYBODY)
app.add_typer(rules.app, name="rules", rich_help_panel=_EVERYBODY)
rules.app.command("list")(rules_shown.list_presets)
rules.app.command("show")(rules_shown.show_preset)
rules.app.command("diff")(rules_shown.diff_presets)

_ARENA_PACKAGES = {
    "alembic",
    "celery",
    "kombu",
    "numpy",
    "pydantic",
    "pydantic_settings",
    "scipy",
    "sqlmodel",
    "zstandard",
}


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"kawuxing {version('kawuxing')}")
        raise typer.Exit


@app.callback()
def _root(
    _: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


class ArgumentError(KawuxingError):
    """An argument that is no text."""


def _check_arguments(arguments: list[str]) -> None:
    for argument in arguments:
        if any("\ud800" <= letter <= "\udfff" for letter in argument):
            raise ArgumentError(f"argument {argument!a}: expected UTF-8")


def main() -> None:
    """Run the command line; exit with a code of :class:`Exit`."""
    try:
        _check_arguments(sys.argv[1:])
        app()
    except KawuxingError as error:
        code = exit_of(error)
        print(f"error: {error}", file=sys.stderr)  # noqa: T201  what the user is to read
        if "--json" in sys.argv[1:]:
            told = {"error": str(error), "kind": type(error).__name__, "exit_code": int(code)}
            print(json.dumps(told, indent=2))  # noqa: T201  what a program is to read
        sys.exit(code)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        # What is left in the buffer would fail once more as the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print(f"error: the output cannot be written: {error.strerror}", file=sys.stderr)  # noqa: T201
        sys.exit(Exit.ENVIRONMENT)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in _ARENA_PACKAGES:
            raise
        message = (
            f"error: this needs the arena ({error.name} is missing): install kawuxing with its extra [arena], "
            "as by pip install '/path/to/kawuxing[arena]'"
        )
        print(message, file=sys.stderr)  # noqa: T201  what the user is to read
        sys.exit(Exit.ENVIRONMENT)
