"""Runs the ``kawuxing`` command many times without starting Python anew each time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

_SERVER = """
import gc, json, os, sys
import kawuxing.cli.main, kawuxing.cli.tables
import kawuxing.engine.replay
import kawuxing.scheduler.home, kawuxing.scheduler.opening, kawuxing.scheduler.results, kawuxing.scheduler.seeds
import kawuxing.scheduler.settings, kawuxing.scheduler.verify
import typer.rich_utils

gc.freeze()
for line in sys.stdin:
    job = json.loads(line)
    child = os.fork()
    if not child:
        for descriptor, name in ((0, os.devnull), (1, job["out"]), (2, job["error"])):
            os.dup2(os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600), descriptor)
        os.chdir(job["cwd"])
        os.environ.update(job["env"])
        sys.argv = ["kawuxing", *job["arguments"]]
        code = 0
        try:
            kawuxing.cli.main.main()
        except SystemExit as ended:
            code = int(ended.code or 0)
        sys.stdout.flush()
        sys.stderr.flush()
        # To take a whole interpreter down in good order would take longer than most commands do.
        os._exit(code)
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status), flush=True)
"""


@dataclass(frozen=True, slots=True)
class Said:
    """What a command said and ended with."""

    code: int
    out: str
    error: str


class QuickCommand:
    """A process that has imported everything and forks for each command, which then is a process like any other.

    Not for what listens or plays: gRPC does not survive a fork.
    """

    def __init__(self, folder: Path) -> None:
        """Keep what commands say in ``folder``."""
        self._folder = folder
        env = {name: value for name, value in os.environ.items() if not name.startswith("KAWUXING_")}
        self._server = subprocess.Popen(
            [sys.executable, "-c", _SERVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**env, "COLUMNS": "120", "TERM": "dumb"},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.communicate()

    def __call__(self, *arguments: str | Path, cwd: Path, env: Iterable[tuple[str, str]] = ()) -> Said:
        """Run ``kawuxing`` with these arguments to its end."""
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        out, error = self._folder / "out", self._folder / "error"
        job = {
            "arguments": [str(argument) for argument in arguments],
            "cwd": str(cwd),
            "env": dict(env),
            "out": str(out),
            "error": str(error),
        }
        self._server.stdin.write(json.dumps(job) + "\n")
        self._server.stdin.flush()
        code = int(self._server.stdout.readline())
        return Said(code, out.read_text("utf-8"), error.read_text("utf-8"))
