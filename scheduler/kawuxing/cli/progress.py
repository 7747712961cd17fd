"""The progress of a running tournament: how far it is, how fast, for whom it waits, and the provisional standings."""

from __future__ import annotations

import math
import threading
import time
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from kawuxing.cli.tables import leaderboard_table

if TYPE_CHECKING:
    from kawuxing.scheduler.config import TournamentConfig
    from kawuxing.scheduler.store import Store

_LOOK = 0.2
_STANDINGS = 2.0
_PLAIN = 5.0
_LATELY = 10.0
"""Seconds, and three times as long as matches are apart on average, after which none has ended lately."""


class _Status:
    """Where a tournament stands, as texts; the rate is that of this run."""

    def __init__(self, store: Store, config: TournamentConfig) -> None:
        """Look at the tournament for the first time."""
        self._store = store
        self._config = config
        self._begun = time.monotonic()
        self.over = self.playing = 0
        """Matches that are done, cancelled or failed; matches being played."""
        self._done = self._cancelled = self._failed = 0
        self._waits = True
        self._moved = self._begun
        self.look()
        self._first = self._done

    def look(self) -> None:
        """Look again."""
        from kawuxing.scheduler.store import MatchState

        progress = self._store.progress(self._config.slug)
        if progress[MatchState.DONE] != self._done:
            self._moved = time.monotonic()
        self._done = progress[MatchState.DONE]
        self._cancelled = progress[MatchState.CANCELLED]
        self._failed = progress[MatchState.FAILED]
        self.over = self._done + self._cancelled + self._failed
        self.playing = progress[MatchState.PLAYING]
        self._waits = not self.playing and not progress[MatchState.OFFERED]

    def counts(self) -> str:
        """Return how many matches were played of how many, and how many never will be."""
        unplayed = ((self._cancelled, "cancelled"), (self._failed, "failed"))
        others = "".join(f", {count} {state}" for count, state in unplayed if count)
        return f"{self._done} of {self._config.matches} matches{others}"

    def rate(self) -> str:
        """Return matches per second and time left; that is – while nothing is played, or nothing has ended lately."""
        played = self._done - self._first
        if not played:
            return "–/s"
        now = time.monotonic()
        rate = played / max(now - self._begun, 1e-9)
        if self.over < self._config.matches and (self._waits or now - self._moved > self._lately(played)):
            return f"{rate:.1f}/s, – left"
        seconds = round((self._config.matches - self.over) / rate)
        return f"{rate:.1f}/s, {seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02} left"

    def _lately(self, played: int) -> float:
        return max(_LATELY, 3 * (self._moved - self._begun) / played)

    def waiting(self) -> str:
        """Return which bots are not connected and what that leads to; empty if all are."""
        from kawuxing.scheduler.store import utc_now

        limit, now = self._config.run.absence_limit, utc_now()
        absent = [
            f"{entrant.bot} ({_until_withdrawn((entrant.absent_since + limit - now).total_seconds())})"
            for entrant in self._store.entrants(self._config.slug)
            if entrant.absent_since is not None and entrant.withdrawn is None
        ]
        return f"not connected: {', '.join(absent)}" if absent else ""


def _until_withdrawn(seconds: float) -> str:
    # Rounded up: 0 s would say that it has happened, but the arena looks from time to time, and not while it stops.
    return f"{math.ceil(seconds)} s until withdrawn" if seconds > 0 else "withdrawal is due"


def show_progress(store: Store, config: TournamentConfig, finished: threading.Event) -> None:
    """Show on stderr how far the tournament is until ``finished``; as plain lines where that is no terminal."""
    console = Console(stderr=True)
    status = _Status(store, config)
    if console.is_terminal:
        _show_live(console, store, config, status, finished)
    else:
        _show_plain(console, status, finished)


def _show_plain(console: Console, status: _Status, finished: threading.Event) -> None:
    while not finished.wait(_PLAIN):
        status.look()
        line = f"{status.counts()}, {status.playing} being played, {status.rate()}"
        waiting = status.waiting()
        console.print(f"{line}; {waiting}" if waiting else line, highlight=False, markup=False, soft_wrap=True)


def _show_live(
    console: Console, store: Store, config: TournamentConfig, status: _Status, finished: threading.Event
) -> None:
    from kawuxing.scheduler.results import current_leaderboard

    progress = Progress(
        TextColumn("{task.fields[counts]}, {task.fields[playing]} being played"),
        BarColumn(bar_width=None),
        TimeElapsedColumn(),
        TextColumn("{task.fields[rate]}"),
        console=console,
        expand=True,
    )
    bar = progress.add_task("", total=config.matches, completed=status.over, counts=status.counts(), playing=0, rate="")
    waiting, table = Text(style="yellow"), Text()
    shown, due = status.over, 0.0
    # What stays on the screen is the final table, which is printed afterwards.
    with Live(Group(progress, waiting, table), console=console, refresh_per_second=5, transient=True) as live:
        while not finished.wait(_LOOK):
            status.look()
            counts, playing, rate = status.counts(), status.playing, status.rate()
            progress.update(bar, completed=status.over, counts=counts, playing=playing, rate=rate)
            waiting.plain = status.waiting()
            if status.over != shown and time.monotonic() >= due:
                standings = leaderboard_table(current_leaderboard(store, config))
                live.update(Group(progress, waiting, standings))
                # A long schedule makes the fit slower: never spend more than a tenth of the time on it.
                shown, due = status.over, time.monotonic() + _STANDINGS
