"""``kawuxing record``: single records, which anybody can show and verify without an arena."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from kawuxing.cli.blame import blaming
from kawuxing.cli.environment import JsonOption
from kawuxing.cli.record_text import record_lines
from kawuxing.engine.errors import InvalidRecordError, KawuxingError
from kawuxing.engine.record import RecordHeader
from kawuxing.engine.replay import Replay, verify_replay, verify_walls
from kawuxing.engine.revealed_seed import RevealedSeed

app = typer.Typer(no_args_is_help=True, help="Show and verify single records.")

RecordFile = Annotated[Path, typer.Argument(help="A record (.jsonl); - reads standard input.")]


class FileError(KawuxingError):
    """A file named on the command line that cannot be read."""


class HandError(KawuxingError):
    """A hand that the record does not have."""


@app.command()
def verify(
    record: RecordFile,
    seed: Annotated[
        Path | None, typer.Option("--seed", help="The tournament's revealed seed.json: check the walls too.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Play a record again and check every decision, event and point of it (level: replay; with --seed: walls)."""
    data = read_file(record)
    with blaming(record):
        verified = verify_replay(data)
    levels = ["replay"]
    if seed is not None:
        revealed = _read_seed(seed)
        with blaming(record):
            revealed.check_header(verified.header)
            verify_walls(verified, revealed.deal_seed(revealed.index_of(verified.header.match_id)))
        levels.append("walls")
    if as_json:
        typer.echo(json.dumps({"valid": True, "levels": levels, "sha256": verified.sha256}))
        return
    typer.echo(f"valid ({' and '.join(levels)}): {record}")
    typer.echo(f"  tournament {verified.header.tournament}, match {verified.header.match_id}")
    typer.echo(f"  sha256 {verified.sha256}")
    if seed is None:
        typer.echo("  not checked: that the walls follow from the tournament's seed (--seed seed.json)")


@app.command()
def show(
    record: RecordFile,
    hand: Annotated[int | None, typer.Option("--hand", help="Only this hand, from 0.", min=0)] = None,
    as_json: JsonOption = False,
) -> None:
    """Show a record as text: every hand, draw, decision, payment and the result."""
    data = read_file(record)
    if as_json:
        with blaming(record):
            verify_replay(data)
        sys.stdout.write("[" + ",".join(data.decode("ascii").splitlines()) + "]\n")
        return
    with blaming(record):
        replay = Replay(data)
    check_hand(hand, replay.header)
    with blaming(record):
        for line in record_lines(replay, hand):
            typer.echo(line)


def check_hand(hand: int | None, header: RecordHeader) -> None:
    """Raise HandError if ``hand`` is none of the record's."""
    if hand is not None and hand >= header.hands:
        raise HandError(f"--hand is {hand}: expected 0 to {header.hands - 1}, as the record has them")


def _read_seed(path: Path) -> RevealedSeed:
    """Return the seed in a file. Raises FileError if none is there, UnsupportedRecordError for a newer format."""
    try:
        return RevealedSeed.parse(read_file(path))
    except InvalidRecordError as error:
        # It is not the record that is wrong.
        raise FileError(f"file {path} is no tournament's revealed seed: {error}") from error


def read_file(path: Path) -> bytes:
    """Return what is in a file, or on standard input for ``-``. Raises FileError if it cannot be read."""
    try:
        return sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except OSError as error:
        raise FileError(f"file {path}: {error.strerror or error}") from error
