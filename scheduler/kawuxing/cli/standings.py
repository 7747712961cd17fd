"""``kawuxing standings``: the leaderboard of a tournament in the store."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from kawuxing.cli.environment import HomeOption, JsonOption, load_settings, open_store
from kawuxing.cli.typed import typed_again
from kawuxing.engine.errors import KawuxingError

if TYPE_CHECKING:
    from kawuxing.scheduler.store import Store

TournamentArgument = Annotated[
    str | None,
    typer.Argument(help="The tournament's id, or its name.", show_default="the only one there is"),
]


class TournamentChoiceError(KawuxingError):
    """No tournament was named, and there is not just one; or none, or not just one, has the name."""


class FormatChoiceError(KawuxingError):
    """Two formats were asked for at once."""


def standings(
    tournament: TournamentArgument = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
) -> None:
    """Print the leaderboard; provisional while the tournament is being played."""
    if as_json and as_csv:
        raise FormatChoiceError("--json and --csv: expected only one of the two")
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
    """Return the id of the tournament that has this id or name, or of the only one there is.

    Raises TournamentChoiceError.
    """
    known = store.tournaments()
    ids = ", ".join(tournament.id for tournament in known)
    if not known:
        raise TournamentChoiceError("there is no tournament here yet: expected `kawuxing run` to have started one")
    if named is None:
        if len(known) == 1:
            return known[0].id
        lines = "".join(f"\n  {typed_again(tournament.id)}  # {tournament.name}" for tournament in known)
        raise TournamentChoiceError(f"there are {len(known)} tournaments here: expected one of them, as in{lines}")
    if any(named == tournament.id for tournament in known):
        return named
    matching = [tournament.id for tournament in known if tournament.name == named]
    if len(matching) == 1:
        return matching[0]
    if matching:
        raise TournamentChoiceError(
            f"{len(matching)} tournaments are named {named!r}: expected {' or '.join(matching)}"
        )
    raise TournamentChoiceError(f"tournament {named!r} is not in the store: expected one of {ids}")
