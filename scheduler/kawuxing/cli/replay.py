"""``kawuxing replay``: steps through a record, as all hands lay open or as one seat saw it."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kawuxing.cli.blame import blaming
from kawuxing.cli.environment import JsonOption
from kawuxing.cli.records import RecordFile, check_hand, read_file
from kawuxing.engine.errors import KawuxingError
from kawuxing.engine.replay import Replay, verify_replay

if TYPE_CHECKING:
    from kawuxing.cli.board import TileConsole
    from kawuxing.cli.steps import Step, Viewer
    from kawuxing.engine.record import Record, RecordHeader

_HELP: Final = "  Enter or n: next step, p: previous, h: next hand, g 12: step 12, q: quit"


class ViewError(KawuxingError):
    """A seat or entrant that the record does not have."""


def replay(
    record: RecordFile,
    *,
    seat: Annotated[int | None, typer.Option("--seat", help="Only what this seat saw, from 0.")] = None,
    entrant: Annotated[str | None, typer.Option("--entrant", help="Only what the entrant of this name saw.")] = None,
    hand: Annotated[int | None, typer.Option("--hand", help="Only this hand, from 0.", min=0)] = None,
    as_json: JsonOption = False,
) -> None:
    """Step through a record, verified first: all hands open, or as one seat saw it.

    On a terminal it waits after each step: Enter goes on, ? tells the rest. Elsewhere it prints all steps; with --json
    each as a line of JSON.
    """
    from kawuxing.cli.board import TileConsole
    from kawuxing.cli.steps import step_fields, steps

    data = read_file(record)
    with blaming(record):
        verified = verify_replay(data)
    header = verified.header
    viewer = _viewer(header, seat, entrant)
    check_hand(hand, header)
    chosen = (step for step in steps(Replay(data), viewer) if hand in {None, step.hand})
    if as_json:
        for step in chosen:
            typer.echo(json.dumps(step_fields(step)))
        return
    console = TileConsole()
    _print_header(console, header)
    if console.is_terminal and sys.stdin.isatty():
        _walk(console, list(chosen), verified)
        return
    for step in chosen:
        _print_step(console, step, verified)


def _viewer(header: RecordHeader, seat: int | None, entrant: str | None) -> Viewer:
    from kawuxing.cli.steps import Viewer

    if seat is not None and entrant is not None:
        raise ViewError("--seat and --entrant: expected one of them")
    if seat is not None and not 0 <= seat < header.rules.seats:
        raise ViewError(f"--seat is {seat}: expected 0 to {header.rules.seats - 1}")
    names = [told.name for told in header.entrants]
    if entrant is not None and entrant not in names:
        raise ViewError(f"--entrant is {entrant!r}: expected one of {', '.join(names)}")
    return Viewer(seat=seat, entrant=None if entrant is None else names.index(entrant))


def _walk(console: TileConsole, told: Sequence[Step], verified: Record) -> None:
    """Show step after step as the person says, until there is no more to show or to be asked."""
    places = {str(step.number): index for index, step in enumerate(told)}
    position, shown = 0, -1
    while True:
        if position != shown:
            _print_step(console, told[position], verified)
            shown = position
        answer = console.ask(f"step {told[position].number} (to {told[-1].number}), ? or q: ")
        if answer is None:
            return
        command, _, rest = answer.partition(" ")
        match command:
            case "" | "n":
                if position + 1 == len(told):
                    return
                position += 1
            case "q":
                return
            case "p":
                position = max(position - 1, 0)
            case "h":
                later = [index for index, step in enumerate(told) if step.hand > told[position].hand]
                if later:
                    position = later[0]
                else:
                    console.say("  this is the last hand")
            case "g" if rest in places:
                position = places[rest]
            case _:
                console.say(_HELP)


def _print_header(console: TileConsole, header: RecordHeader) -> None:
    from kawuxing.cli.record_text import header_lines

    for line in header_lines(header):
        console.say(line)


def _print_step(console: TileConsole, step: Step, verified: Record) -> None:
    from kawuxing.cli.steps import step_lines

    for line in step_lines(step, verified):
        console.say(line)
