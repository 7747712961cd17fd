"""The arena's thread ends with the command, whatever ends the command."""

from __future__ import annotations

import asyncio
import threading
from typing import cast

import pytest

from kawuxing.cli.background import ArenaThread
from kawuxing.scheduler.bootstrap import EmbeddedArena
from kawuxing.scheduler.store import TournamentState


class Arena:
    """An arena that plays until it is stopped, or to its end if there is no more to play."""

    def __init__(self, *, over: bool = False) -> None:
        """Say whether the tournament is ``over`` at once."""
        self._over = over
        self._stop = asyncio.Event()
        self.playing = threading.Event()
        self.stopped = False

    def stop(self) -> None:
        """Stand in for EmbeddedArena.stop."""
        self._stop.set()

    async def run(self) -> TournamentState | None:
        """Stand in for EmbeddedArena.run."""
        self.playing.set()
        if self._over:
            return TournamentState.FINISHED
        await self._stop.wait()
        self.stopped = True
        return None


def test_an_error_beside_the_arena_stops_it() -> None:
    """The lock of the home folder is given back after it: until the arena has ended, nobody else may play there."""
    arena = Arena()
    with pytest.raises(ZeroDivisionError), ArenaThread(cast("EmbeddedArena", arena)):  # noqa: PT012
        assert arena.playing.wait(10)
        raise ZeroDivisionError
    assert arena.stopped


def test_an_arena_that_has_ended_can_still_be_stopped() -> None:
    """A signal may come just then."""
    with ArenaThread(cast("EmbeddedArena", Arena(over=True))) as running:
        assert TournamentState.FINISHED == running.result()
        running.stop()
