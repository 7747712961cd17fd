"""A program that is spoken with in lines, on its standard input and output."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from subprocess import PIPE, Popen
from typing import Final, Self

from kawuxing.bots.errors import BotStartError

GRACE: Final = timedelta(seconds=1)
"""How long a program may take to end after its standard input was closed."""
_OWN_VARIABLES: Final = frozenset({"GRPC_ENABLE_FORK_SUPPORT", "KAWUXING_TOKEN"})
"""What is meant for the bridge alone."""
MAX_LINE: Final = 64 * 1024
"""Bytes in one line of a program."""
_LOOK: Final = 0.05
"""Seconds between two looks at whether a program has ended, and for what it wrote last."""


class Program:
    """A running program, in a process group of its own. What it writes to standard error is shown as it is."""

    def __init__(
        self,
        process: Popen[bytes],
        stdin: asyncio.WriteTransport,
        stdout: asyncio.StreamReader,
        output: asyncio.BaseTransport,
    ) -> None:
        """Use :meth:`start`."""
        self._process = process
        self._stdin = stdin
        self._stdout = stdout
        self._output = output
        self._watching = asyncio.ensure_future(self._watch())

    @classmethod
    async def start(cls, command: Sequence[str]) -> Self:
        """Start a program, which does not get the bot's token. Raises BotStartError if it cannot be started."""
        environment = {name: value for name, value in os.environ.items() if name not in _OWN_VARIABLES}
        try:
            # Not by the loop: a program that uvloop starts holds copies of its own pipes, and cannot close them.
            process = Popen(  # noqa: ASYNC220, S603  (starting takes a moment only; the command is the author's own)
                command, stdin=PIPE, stdout=PIPE, start_new_session=True, env=environment
            )
        except OSError as error:
            raise BotStartError(f"program {command[0]!r} cannot be started: {error.strerror or error}") from None
        loop = asyncio.get_running_loop()
        stdout = asyncio.StreamReader(limit=MAX_LINE)
        stdin, _ = await loop.connect_write_pipe(asyncio.Protocol, process.stdin)
        output, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stdout), process.stdout)
        return cls(process, stdin, stdout, output)

    def write(self, line: str) -> None:
        """Send a line without waiting for it to be read; nothing happens if the program has gone."""
        if not self._stdin.is_closing():
            self._stdin.write(f"{line}\n".encode())

    async def read_line(self) -> bytes | None:
        """Return the next line that is not blank, without the space around it; None after the last.

        Raises ValueError for a line longer than MAX_LINE, which is skipped so far.
        """
        while line := await self._stdout.readline():
            if text := line.strip():
                return text
        return None

    async def close(self) -> int:
        """Close the program's standard input, wait a moment, kill what is left of its group, return its exit code.

        The code is that of the operating system, less than 0 for the number of a signal.
        """
        self._stdin.close()
        try:
            # What takes longer is killed.
            with suppress(TimeoutError):
                async with asyncio.timeout(GRACE.total_seconds()):
                    await self._exited()
        finally:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._watching.cancel()
            if self._stdin.get_write_buffer_size():
                self._stdin.abort()
            self._output.close()
        await self._exited()
        return self._process.returncode

    async def _watch(self) -> None:
        """End the output with the program, also where another process still holds it open."""
        await self._exited()
        await asyncio.sleep(_LOOK)
        self._output.close()

    async def _exited(self) -> None:
        while self._process.poll() is None:  # noqa: ASYNC110  (nothing tells of it but the process table)
            await asyncio.sleep(_LOOK)
