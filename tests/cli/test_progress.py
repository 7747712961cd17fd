"""What is said of a running tournament where there is no terminal."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import cast

import pytest
from tests.scheduler.cup import CONFIG

from kawuxing.cli.progress import show_progress
from kawuxing.scheduler.store import Entrant, MatchState, Store

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
LIMIT = CONFIG.run.absence_limit.total_seconds()


class Tournament:
    """Of six matches, seen at the given seconds since its begin; each sight is what there is then."""

    def __init__(self, *sights: tuple[float, dict[MatchState, int]], absent: bool = False) -> None:
        """Say whether a bot is ``absent`` from the begin on."""
        self._sights = list(sights)
        self._states: Counter[MatchState] = Counter()
        self._absent = absent
        self.seconds = 0.0

    def wait(self, _: float) -> bool:
        """Stand in for threading.Event.wait: let time pass until the next sight; True after the last."""
        if not self._sights:
            return True
        self.seconds, states = self._sights.pop(0)
        self._states = Counter(states)
        return False

    def progress(self, _: str) -> Counter[MatchState]:
        """Stand in for Store.progress."""
        return self._states

    def entrants(self, _: str) -> tuple[Entrant, ...]:
        """Stand in for Store.entrants."""
        return (Entrant(bot="ada", strikes=0, absent_since=BEGIN if self._absent else None, withdrawn=None),)


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[Tournament], list[str]]:
    """Show a tournament to its end; return the lines."""

    def lines(tournament: Tournament) -> list[str]:
        monkeypatch.setattr("kawuxing.cli.progress.time", SimpleNamespace(monotonic=lambda: tournament.seconds))
        monkeypatch.setattr("kawuxing.scheduler.store.utc_now", lambda: BEGIN + timedelta(seconds=tournament.seconds))
        show_progress(cast("Store", tournament), CONFIG, cast("threading.Event", tournament))
        return capsys.readouterr().err.splitlines()

    return lines


def test_the_time_left_is_told_while_matches_end(lines: Callable[[Tournament], list[str]]) -> None:
    """From how fast it went; what is offered is about to be played."""
    playing = {MatchState.DONE: 2, MatchState.PLAYING: 1}
    offered = {MatchState.DONE: 4, MatchState.OFFERED: 1}
    assert [
        "2 of 6 matches, 1 being played, 0.4/s, 0:00:10 left",
        "4 of 6 matches, 0 being played, 0.4/s, 0:00:05 left",
        "6 of 6 matches, 0 being played, 0.4/s, 0:00:00 left",
    ] == lines(Tournament((5, playing), (10, offered), (15, {MatchState.DONE: 6})))


def test_what_is_cancelled_was_not_played(lines: Callable[[Tournament], list[str]]) -> None:
    """It is told beside what was, and makes nothing look faster."""
    playing = {MatchState.DONE: 2, MatchState.CANCELLED: 2, MatchState.PLAYING: 1}
    ended = {MatchState.DONE: 2, MatchState.CANCELLED: 3, MatchState.FAILED: 1}
    assert [
        "2 of 6 matches, 2 cancelled, 1 being played, 0.4/s, 0:00:05 left",
        "2 of 6 matches, 3 cancelled, 1 failed, 0 being played, 0.2/s, 0:00:00 left",
        "0 of 6 matches, 6 cancelled, 0 being played, –/s",
    ] == [
        *lines(Tournament((5, playing), (10, ended))),
        *lines(Tournament((5, {MatchState.CANCELLED: 6}))),
    ]


def test_no_time_left_is_told_while_nothing_is_played(lines: Callable[[Tournament], list[str]]) -> None:
    """It would only grow."""
    waiting = {MatchState.DONE: 2, MatchState.PENDING: 4}
    assert [
        "2 of 6 matches, 0 being played, 0.4/s, – left",
        "2 of 6 matches, 0 being played, 0.2/s, – left",
    ] == lines(Tournament((5, waiting), (10, waiting)))


def test_no_time_left_is_told_when_none_has_ended_lately(lines: Callable[[Tournament], list[str]]) -> None:
    """After three times as long as matches took so far, and no sooner than after ten seconds."""
    playing = {MatchState.DONE: 1, MatchState.PLAYING: 1}
    told = lines(Tournament((5, playing), (20, playing), (21, playing)))
    assert [True, True, False] == [line.endswith(("0:01:40 left", "0:00:25 left")) for line in told]
    assert told[-1].endswith(", – left")


@pytest.mark.parametrize(
    ("before", "expected"),
    [(100, "100 s until withdrawn"), (0.2, "1 s until withdrawn"), (0, "withdrawal is due"), (-3, "withdrawal is due")],
)
def test_an_absent_bot_has_never_0_seconds(
    lines: Callable[[Tournament], list[str]], before: float, expected: str
) -> None:
    """It is withdrawn at the arena's next look after its time is over, and not while the arena stops."""
    [line] = lines(Tournament((LIMIT - before, {}), absent=True))
    assert f"0 of 6 matches, 0 being played, –/s; not connected: ada ({expected})" == line
