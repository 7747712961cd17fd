"""Runs the ``kawuxing`` command at a pseudo-terminal, as a person does."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

KAWUXING = str(Path(sys.executable).parent / "kawuxing")
_PATIENCE = 60.0


class Terminal:
    """A running command and the terminal before it."""

    def __init__(self, *arguments: str | Path) -> None:
        """Start the command."""
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [KAWUXING, *map(str, arguments)],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "200"},
        )
        os.close(slave)
        self.shown = ""
        """Everything that was shown since it was last waited for."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)

    def wait_for(self, text: str) -> str:
        """Return what is shown up to this text."""
        deadline = time.monotonic() + _PATIENCE
        while text not in self.shown:
            assert self._read(deadline), f"{text!r} was not shown, but\n{self.shown}"
        before, _, self.shown = self.shown.partition(text)
        return before + text

    def type(self, text: str) -> None:
        """Type a line."""
        os.write(self._master, f"{text}\n".encode())

    def end(self) -> tuple[int, str]:
        """Return the exit code, and what was shown before it."""
        deadline = time.monotonic() + _PATIENCE
        while self._read(deadline):
            pass
        return self.process.wait(_PATIENCE), self.shown

    def _read(self, deadline: float) -> bool:
        readable, _, _ = select.select([self._master], [], [], max(0, deadline - time.monotonic()))
        try:
            data = os.read(self._master, 65536) if readable else b""
        except OSError:
            # Linux has an error for the end of what a terminal shows.
            data = b""
        self.shown += data.decode("utf-8", "replace")
        return bool(data)
