"""An arena in a thread of its own, and the signals that stop it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable
from datetime import timedelta
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, Self

from kawuxing.cli.exits import Exit

if TYPE_CHECKING:
    from kawuxing.scheduler.bootstrap import EmbeddedArena
    from kawuxing.scheduler.store import TournamentState

_EXITS: Final = {signal.SIGINT: Exit.INTERRUPTED, signal.SIGTERM: Exit.TERMINATED}


class ArenaThread:
    """Runs an arena's event loop beside the main thread, which shows progress and takes signals.

    A context that the arena does not outlive: what else fails in it stops the arena first.
    """

    def __init__(self, arena: EmbeddedArena) -> None:
        """Prepare to run ``arena``."""
        self._arena = arena
        self._loop: asyncio.AbstractEventLoop | None = None
        self._state: TournamentState | None = None
        self._error: BaseException | None = None
        self._stop_wanted = False
        self._thread = threading.Thread(target=self._run, name="kawuxing-loop", daemon=True)
        self.finished = threading.Event()
        """Set at the end, however it came."""

    def __enter__(self) -> Self:
        """Start to play."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop, if it has not ended, and wait for the end."""
        self.stop()
        self._thread.join()

    def stop(self) -> None:
        """Stop dispatching; callable from a signal handler, also before the loop runs."""
        self._stop_wanted = True
        if self._loop is not None:
            # The loop may have been closed in this moment.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._arena.stop)

    def result(self) -> TournamentState | None:
        """Wait for the end; return what the arena did, or raise what it raised."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._state

    def _run(self) -> None:
        import uvloop

        try:
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                self._state = runner.run(self._main())
        except BaseException as error:  # noqa: BLE001  raised again in the main thread
            self._error = error
        finally:
            self.finished.set()

    async def _main(self) -> TournamentState | None:
        self._loop = asyncio.get_running_loop()
        if self._stop_wanted:
            self._arena.stop()
        return await self._arena.run()


class StopSignals:
    """The first Ctrl-C or SIGTERM asks to stop, the second exits at once: the supervisor then ends the bots."""

    def __init__(self, stop: Callable[[], None], patience: timedelta) -> None:
        """Call ``stop`` at the first signal, after which matches have ``patience`` to end."""
        self._message = (
            f"stopping: matches in progress have {patience.total_seconds():g} s to end; once more stops at once"
        )
        self._stop = stop
        self._old: dict[signal.Signals, Any] = {}
        self.exit = Exit.INTERRUPTED
        """What the command that was stopped exits with."""
        self._asked = False

    def __enter__(self) -> Self:
        """Take the signals over."""
        for number in _EXITS:
            self._old[number] = signal.signal(number, self._take)
        return self

    def __exit__(self, *_: object) -> None:
        """Give them back."""
        for number, old in self._old.items():
            signal.signal(number, old)

    def _take(self, number: int, _: FrameType | None) -> None:
        self.exit = _EXITS[signal.Signals(number)]
        if self._asked:
            os.write(2, b"\nstopped at once; the same command goes on\n")
            os._exit(self.exit)
        self._asked = True
        print(self._message, file=sys.stderr)  # noqa: T201
        self._stop()
