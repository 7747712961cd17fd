"""Follows a tutorial of ``docs/bots`` in an empty folder: runs its shell blocks, writes its named blocks to files."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = ROOT / "docs" / "bots"

_BLOCK: Final = re.compile(
    r"(?:^`(?P<file>[^`\n]+)`\n\n)?^```(?P<language>\w*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)


def blocks(page: str) -> Iterator[re.Match[str]]:
    """Yield the blocks of a page: their ``language``, their ``body``, and the ``file`` that the line above names."""
    return _BLOCK.finditer((PAGES / page).read_text("utf-8"))


def script(page: str) -> str:
    """Return what a reader of a page does, as one script of the shell.

    A block under a line that is only a file's name is that file; a block of ``sh`` is run. The rest is to be read.
    """
    steps = ["set -eux"]
    for block in blocks(page):
        if block["file"]:
            steps.append(f"cat > {block['file']} <<'END OF FILE'\n{block['body']}END OF FILE")
        elif block["language"] == "sh":
            steps.append(block["body"])
    return "\n".join(steps)


def follow(page: str, folder: Path) -> str:
    """Do in ``folder`` what a page says after "The arena", and return what it printed to standard output.

    Fails with all that was said if a command does.
    """
    (folder / "kawuxing").symlink_to(ROOT)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("KAWUXING_")}
    environment |= {
        # As after `. kawuxing/.venv/bin/activate`.
        "PATH": f"{Path(sys.executable).parent}:{environment['PATH']}",
        # What cargo has compiled for the full example need not be compiled again.
        "CARGO_BUILD_BUILD_DIR": str(ROOT / "bots" / "examples" / "rust" / "target"),
    }
    done = subprocess.run(
        ["/bin/sh", "-c", script(page)],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert 0 == done.returncode, f"{page} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
    return done.stdout
