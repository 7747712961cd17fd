"""``kawuxing bot``: the registered bots and their tokens."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from kawuxing.cli.environment import HomeOption, JsonOption, load_settings, open_store
from kawuxing.cli.report import NoReportError, ReportedTournament
from kawuxing.engine.errors import KawuxingError

app = typer.Typer(no_args_is_help=True, help="Register remote bots, manage their tokens, and report to their authors.")


class BotNameError(KawuxingError):
    """A name that no bot can have."""


NewName = Annotated[str, typer.Argument(help="1 to 32 characters out of a-z 0-9 . _ -, the first a letter or digit.")]
Name = Annotated[str, typer.Argument(help="The bot's name.")]


@app.command()
def add(name: NewName, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Register a remote bot and print its token, this once: only a hash of it is kept."""
    from kawuxing.scheduler.config_values import SLUG_TEXT, is_slug

    if not is_slug(name):
        raise BotNameError(f"bot name {name!r}: expected {SLUG_TEXT}")
    with open_store(load_settings(home), create=True) as store:
        _print_token(name, store.add_bot(name), as_json=as_json)


@app.command()
def rotate(name: Name, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Give a bot a new token; the old one is worth nothing from now on."""
    with open_store(load_settings(home)) as store:
        _print_token(name, store.rotate_token(name), as_json=as_json)


@app.command()
def remove(name: Name, home: HomeOption = None) -> None:
    """Forget a bot's registration; its results stay."""
    with open_store(load_settings(home)) as store:
        store.remove_bot(name)
    typer.echo(f"bot {name} is no longer registered")


@app.command("list")
def list_bots(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List the registered bots: remote ones, and launched ones, which the runs that launch them register."""
    with open_store(load_settings(home)) as store:
        bots = store.bots()
    if as_json:
        rows = [{"name": bot.name, "remote": bot.remote, "created_at": bot.created_at.isoformat()} for bot in bots]
        typer.echo(json.dumps(rows, indent=2))
        return
    for bot in bots:
        typer.echo(f"{bot.name:<32}  {'remote' if bot.remote else 'launched'}  {bot.created_at:%Y-%m-%d %H:%M}")
    if not bots:
        typer.echo("no bot is registered (those with a command are registered by the first run that launches them)")
    elif not all(bot.remote for bot in bots):
        typer.echo("Launched bots are registered by the runs that launch them.")


@app.command()
def report(
    name: Name, tournament: ReportedTournament = None, home: HomeOption = None, as_json: JsonOption = False
) -> None:
    """Print a bot's faults, slowest decisions and log, to be handed to its author and to nobody else.

    It is what the author gets from `kawuxing report` while the arena runs. The newest tournament comes first.
    """
    from kawuxing.cli.report_shown import print_reports
    from kawuxing.scheduler.reports import bot_report

    settings = load_settings(home)
    with open_store(settings) as store:
        entered = store.tournaments_of(name)
        if not entered:
            raise NoReportError(f"bot {name!r} is entered in no tournament here: expected a bot that is")
        if tournament is not None and tournament not in entered:
            raise NoReportError(f"--tournament is {tournament!r}: expected {', '.join(entered)}")
        chosen = [told for told in entered if tournament in (None, told)]
        reports = [bot_report(store, settings.bot_logs, told, name) for told in chosen]
    print_reports(reports, as_json=as_json)


def _print_token(name: str, token: str, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"name": name, "token": token}))
        return
    typer.echo(f"{name} is registered. Its token, shown this once:\n\n  {token}\n")
    typer.echo("Its author sets KAWUXING_TOKEN to it, and KAWUXING_ADDRESS to the arena's host:port.")
