"""``kawuxing verify``: the whole folder of a tournament."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from kawuxing.cli.blame import blaming
from kawuxing.cli.environment import JsonOption
from kawuxing.engine.errors import KawuxingError


class FolderError(KawuxingError):
    """What is named on the command line is no folder, or one above those of tournaments."""


def verify(
    folder: Annotated[
        Path,
        typer.Argument(help="The tournament's folder that `kawuxing run` left, as in arena/tournaments/spring-cup."),
    ],
    as_json: JsonOption = False,
) -> None:
    """Verify a tournament (levels: replay, walls and tournament): records, schedule, seed, results, leaderboard."""
    from kawuxing.scheduler.verify import verify_tournament

    _check_folder(folder)
    console = Console(stderr=True)
    with blaming(folder), Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("verifying", total=None)
        verified = verify_tournament(folder, lambda done, total: progress.update(task, completed=done, total=total))
    if as_json:
        summary = {
            "valid": True,
            "levels": ["replay", "walls", "tournament"],
            "tournament": verified.tournament,
            "digest": verified.digest,
            "records": verified.records,
            "cancelled": verified.cancelled,
            "time_faults": verified.time_faults,
            "reproducible": verified.time_faults == 0,
            "practice": verified.practice,
        }
        typer.echo(json.dumps(summary, indent=2))
        return
    typer.echo(f"valid (replay, walls and tournament): {verified.tournament}")
    typer.echo(f"  {verified.records} records, {verified.cancelled} matches cancelled")
    typer.echo(f"  digest {verified.digest}")
    if verified.time_faults:
        typer.echo(f"  not reproducible: {verified.time_faults} faults depended on time")
    if verified.practice:
        typer.echo("  PRACTICE: the seed is a text that anybody may guess, so these results prove nothing to others")


def _check_folder(folder: Path) -> None:
    from kawuxing.scheduler.export import TOURNAMENT_FILE

    if not folder.is_dir():
        raise FolderError(f"folder {folder}: expected the folder that `kawuxing run` left")
    if not (folder / TOURNAMENT_FILE).exists():
        below = sorted(
            file.parent for way in ("*", "tournaments/*") for file in folder.glob(f"{way}/{TOURNAMENT_FILE}")
        )
        if below:
            names = "".join(f"\n  {path}" for path in below)
            raise FolderError(f"folder {folder} is of no single tournament: expected one of{names}")
