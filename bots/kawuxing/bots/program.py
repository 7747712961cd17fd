"""A program that is spoken with in lines, on its standard input and output."""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Final, Self

from kawuxing.bots.errors import BotStartError

GRACE: Final = timedelta(seconds=1)
"""How long a program may take to end after its standard input was closed."""
_OWN_VARIABLES: Final = frozenset({"GRPC_ENABLE_FORK_SUPPORT", "KAWUXING_TOKEN"})
"""What is meant for the bridge alone."""
MAX_LINE: Final = 64 * 1024
"""Bytes in one line of a program."""


class Program:
    """A running program, in a process group of its own. What it writes to standard error is shown as it is."""

    def __init__(self, process: Process) -> None:
        """Use :meth:`start`."""
        self._process = process

    @classmethod
    async def start(cls, command: Sequence[str]) -> Self:
        """Start a program, which does not get the bot's token. Raises BotStartError if it cannot be started."""
        environment = {name: value for name, value in os.environ.items() if name not in _OWN_VARIABLES}
        try:
            process = await asyncio.create_subprocess_exec(
                *command, stdin=PIPE, stdout=PIPE, limit=MAX_LINE, start_new_session=True, env=environment
            )
        except OSError as error:
            raise BotStartError(f"program {command[0]!r} cannot be started: {error.strerror or error}") from None
        return cls(process)

    def write(self, line: str) -> None:
        """Send a line without waiting for it to be read; nothing happens if the program has gone."""
        stdin = self._process.stdin
        if stdin is not None and not stdin.is_closing():
            stdin.write(f"{line}\n".encode())

    async def read_line(self) -> bytes | None:
        """Return the next line that is not blank, without the space around it; None after the last.

        Raises ValueError for a line longer than MAX_LINE, which is skipped so far.
        """
        stdout = self._process.stdout
        while stdout is not None and (line := await stdout.readline()):
            if text := line.strip():
                return text
        return None

    async def close(self) -> int:
        """Close the program's standard input, wait a moment, kill what is left of its group, return its exit code.

        The code is that of the operating system, less than 0 for the number of a signal.
        """
        if self._process.stdin is not None:
            self._process.stdin.close()
        ending = asyncio.ensure_future(self._process.wait())
        try:
            await asyncio.wait((ending,), timeout=GRACE.total_seconds())
        finally:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        return await ending
