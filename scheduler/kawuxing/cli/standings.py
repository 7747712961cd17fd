"""``kawuxing standings``: the leaderboard of a tournament in the store."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from kawuxing.cli.environment import HomeOption, JsonOption, load_settings, open_store
from kawuxing.engine.errors import KawuxingError

if TYPE_CHECKING:
    from kawuxing.scheduler.store import Store

TournamentArgument = Annotated[
    str | None,
    typer.Argument(help="The tournament's id (the slug of its name).", show_default="the only one there is"),
]


class TournamentChoiceError(KawuxingError):
    """No tournament was named, and there is not just one."""


def standings(
    tournament: TournamentArgument = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
) -> None:
    """Print the leaderboard; provisional while the tournament is being played."""
    from kawuxing.cli.tables import leaderboard_table, print_table
    from kawuxing.scheduler.results import current_leaderboard, stored_config

    with open_store(load_settings(home)) as store:
        config = stored_config(store, choose_tournament(store, tournament))
        leaderboard = current_leaderboard(store, config)
    if as_json:
        typer.echo(json.dumps(leaderboard.to_json(), indent=2))
    elif as_csv:
        typer.echo(leaderboard.to_csv(), nl=False)
    else:
        print_table(leaderboard_table(leaderboard))


def choose_tournament(store: Store, named: str | None) -> str:
    """Return the tournament that was named, or the only one there is. Raises TournamentChoiceError."""
    if named is not None:
        return named
    known = [tournament.id for tournament in store.tournaments()]
    if len(known) == 1:
        return known[0]
    if not known:
        raise TournamentChoiceError("there is no tournament here yet: expected `kawuxing run` to have started one")
    raise TournamentChoiceError(f"name one of the {len(known)} tournaments: {', '.join(known)}")
