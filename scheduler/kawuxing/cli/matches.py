"""``kawuxing matches``: the matches of a tournament and where each of them stands."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from kawuxing.cli.environment import HomeOption, JsonOption, load_settings, open_store
from kawuxing.cli.lines import text_lines
from kawuxing.cli.standings import TournamentArgument, choose_tournament
from kawuxing.engine.errors import KawuxingError

if TYPE_CHECKING:
    from kawuxing.scheduler.store import MatchStatus, StoredResult


_SHORT: Final = 8
"""Hex digits of ids and digests shown to people; --json has all."""


class MatchFilterError(KawuxingError):
    """A filter that no match can pass: an unknown state or bot."""


def matches(
    tournament: TournamentArgument = None,
    home: HomeOption = None,
    state: Annotated[
        list[str] | None,
        typer.Option(
            "--state",
            help="Only those pending, offered, playing, done, cancelled or failed; can be told several times.",
            metavar="STATE",
        ),
    ] = None,
    bot: Annotated[str | None, typer.Option("--bot", help="Only matches of this bot.", metavar="NAME")] = None,
    as_json: JsonOption = False,
) -> None:
    """List the matches in schedule order: who plays, how far it is, points, and the beginnings of id and digest."""
    from kawuxing.scheduler.store import MatchState

    states = [member.value for member in MatchState]
    for name in state or ():
        if name not in states:
            raise MatchFilterError(f"--state is {name!r}: expected one of {', '.join(states)}")
    with open_store(load_settings(home)) as store:
        chosen = choose_tournament(store, tournament)
        bots = [entrant.bot for entrant in store.entrants(chosen)]
        if bot is not None and bot not in bots:
            raise MatchFilterError(f"--bot is {bot!r}: expected one of {', '.join(bots)}")
        listed = store.matches(chosen, states=[MatchState(name) for name in state or ()], bot=bot)
        results = {result.index: result for result in store.results(chosen)}
    if as_json:
        typer.echo(json.dumps([_to_json(match, results.get(match.index)) for match in listed], indent=2))
        return
    rows = [_cells(match, results.get(match.index)) for match in listed]
    for line in text_lines(("#", "match", "state", "bots and points", "sha256 or reason"), rows, right=0):
        typer.echo(line)


def _cells(match: MatchStatus, result: StoredResult | None) -> tuple[str, ...]:
    if result is None:
        told = match.reason or ""
        players = ", ".join(match.bots)
    else:
        told = result.sha256[:_SHORT]
        entrants = zip(match.bots, result.result.entrants, strict=True)
        players = ", ".join(f"{bot} {entrant.points:+d}" for bot, entrant in entrants)
    return str(match.index), match.match_id[:_SHORT], match.state.value, players, told


def _to_json(match: MatchStatus, result: StoredResult | None) -> dict[str, Any]:
    data: dict[str, Any] = {
        "index": match.index,
        "deal": match.deal,
        "match": match.match_id,
        "state": match.state.value,
        "bots": list(match.bots),
        "attempt": match.attempt,
        "voids": match.voids,
        "reason": match.reason,
    }
    if result is not None:
        data["sha256"] = result.sha256
        data["time_faults"] = result.time_faults
        data["entrants"] = [
            {
                "bot": bot,
                "points": entrant.points,
                "rank": entrant.rank,
                "faults": [fault.value for fault in entrant.faults],
                "forfeited": entrant.forfeited_in >= 0,
            }
            for bot, entrant in zip(match.bots, result.result.entrants, strict=True)
        ]
    return data
