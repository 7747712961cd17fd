"""Ctrl-C before a program has begun is no error of the program's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

INTERRUPTED = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n"


@pytest.mark.parametrize(("program", "imported"), [("kawuxing", "typer"), ("kawuxing-bot", "argparse")])
@pytest.mark.parametrize(("before", "ended"), [("", 130), ("trap '' INT; ", 0)])
def test_ctrl_c_while_it_imports(tmp_path: Path, program: str, imported: str, before: str, ended: int) -> None:
    """The program ends at once, with nothing said; one that is to ignore Ctrl-C goes on."""
    (tmp_path / f"{imported}.py").write_text(f"{INTERRUPTED}raise SystemExit(0)\n")
    ran = subprocess.run(
        ["bash", "-c", f"{before}exec {Path(sys.executable).parent / program} --help"],  # noqa: S607
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        check=False,
    )

    assert (ended, b"", b"") == (ran.returncode, ran.stdout, ran.stderr)
