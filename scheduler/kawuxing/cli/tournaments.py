"""``kawuxing tournaments``: what there is in the store."""

from __future__ import annotations

import json

import typer

from kawuxing.cli.environment import HomeOption, JsonOption, load_settings, open_store
from kawuxing.cli.lines import text_lines


def tournaments(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List the tournaments, the oldest first: id, state, matches done of all, name."""
    from kawuxing.scheduler.store import MatchState

    with open_store(load_settings(home)) as store:
        listed = [(told, store.progress(told.id)[MatchState.DONE]) for told in store.tournaments()]
    if as_json:
        data = [
            {"id": told.id, "name": told.name, "state": told.state.value, "done": done, "matches": told.matches}
            for told, done in listed
        ]
        typer.echo(json.dumps(data, indent=2))
        return
    if not listed:
        typer.echo("no tournament was started here yet")
        return
    rows = [(told.id, told.state.value, f"{done}/{told.matches}", told.name) for told, done in listed]
    for line in text_lines(("id", "state", "matches", "name"), rows, right=2):
        typer.echo(line)
