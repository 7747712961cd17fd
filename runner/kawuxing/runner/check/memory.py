"""How much memory a launched bot takes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from kawuxing.runner.process_tree import HAS_DESCENT, descendants


def resident_bytes(pids: Iterable[int]) -> int | None:
    """Return the resident bytes of these processes and of all that descend from them, shared pages counted in each.

    None where there is no /proc to tell.
    """
    if not HAS_DESCENT:
        return None
    page = os.sysconf("SC_PAGE_SIZE")
    tree = {process.pid for pid in pids for process in descendants(pid)} | set(pids)
    return sum(_resident_pages(pid) for pid in tree) * page


def _resident_pages(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
    except (OSError, IndexError):
        # It ended meanwhile.
        return 0
