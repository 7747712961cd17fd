"""The progress of a running tournament: a bar with rate and time left, and the provisional standings under it."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from kawuxing.cli.tables import leaderboard_table

if TYPE_CHECKING:
    from kawuxing.scheduler.config import TournamentConfig
    from kawuxing.scheduler.store import Store

_LOOK = 0.2
_STANDINGS = 2.0
_PLAIN = 5.0


class _Rate:
    """Matches per second and time left, from what this run has played."""

    def __init__(self, done: int) -> None:
        self._first = done
        self._begun = time.monotonic()

    def text(self, done: int, total: int) -> str:
        played = done - self._first
        rate = played / max(time.monotonic() - self._begun, 1e-9)
        if not played:
            return "–/s"
        seconds = round((total - done) / rate)
        return f"{rate:.1f}/s, {seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02} left"


def show_progress(store: Store, config: TournamentConfig, finished: threading.Event) -> None:
    """Show on stderr how far the tournament is until ``finished``; as plain lines where that is no terminal."""
    console = Console(stderr=True)
    if console.is_terminal:
        _show_live(console, store, config, finished)
    else:
        _show_plain(console, store, config, finished)


def _over(store: Store, config: TournamentConfig) -> int:
    from kawuxing.scheduler.store import MatchState

    progress = store.progress(config.slug)
    return progress[MatchState.DONE] + progress[MatchState.CANCELLED] + progress[MatchState.FAILED]


def _show_plain(console: Console, store: Store, config: TournamentConfig, finished: threading.Event) -> None:
    rate = _Rate(_over(store, config))
    while not finished.wait(_PLAIN):
        over = _over(store, config)
        console.print(f"{over} of {config.matches} matches, {rate.text(over, config.matches)}", highlight=False)


def _show_live(console: Console, store: Store, config: TournamentConfig, finished: threading.Event) -> None:
    from kawuxing.scheduler.results import current_leaderboard

    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[rate]}"),
        console=console,
    )
    over = _over(store, config)
    rate = _Rate(over)
    bar = progress.add_task("matches", total=config.matches, completed=over, rate="")
    shown, due = -1, 0.0
    with Live(progress, console=console, refresh_per_second=5) as live:
        while not finished.wait(_LOOK):
            over = _over(store, config)
            progress.update(bar, completed=over, rate=rate.text(over, config.matches))
            if over != shown and time.monotonic() >= due:
                live.update(Group(progress, leaderboard_table(current_leaderboard(store, config))))
                # A long schedule makes the fit slower: never spend more than a tenth of the time on it.
                shown, due = over, time.monotonic() + _STANDINGS
