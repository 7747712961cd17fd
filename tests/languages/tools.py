"""Runs the tools of other languages on the bots in ``bots/examples``."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path
from typing import Final

EXAMPLES: Final = Path(__file__).parents[2] / "bots" / "examples"


def run_tool(folder: str, *command: str) -> None:
    """Run a tool in ``bots/examples/<folder>``; if it fails, fail with all that it said."""
    done = subprocess.run(
        command,
        cwd=EXAMPLES / folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert 0 == done.returncode, f"`{shlex.join(command)}` in {folder} ended with {done.returncode}:\n{done.stdout}"
