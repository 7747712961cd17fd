"""Finding and signalling processes by descent.

A process group does not hold a process that leaves it (setsid), and a process whose parent ends is re-parented. On
Linux a *child subreaper* becomes the new parent of every such process below it, so all that ever descended from it can
be found through /proc. Elsewhere there is no such thing, and only the process groups are left.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import NamedTuple

HAS_DESCENT = sys.platform == "linux"
"""Whether descendants can be found here."""

_PR_SET_CHILD_SUBREAPER = 36
_STATES_OF_THE_DEAD = ("Z", "X")


class Process(NamedTuple):
    """A process as /proc shows it."""

    pid: int
    parent: int
    group: int
    session: int


def become_subreaper() -> bool:
    """Make this process the new parent of orphans below it; return whether the system can do that."""
    if not HAS_DESCENT:
        return False
    result: int = ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    return result == 0


def descendants(root: int) -> list[Process]:
    """Return the living processes that descend from `root`, itself left out; none where there is no /proc."""
    if not HAS_DESCENT:
        return []
    children: dict[int, list[Process]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208
        if name.isdigit():
            process = _read_stat(int(name))
            if process is not None:
                children.setdefault(process.parent, []).append(process)
    return _below(root, children)


def members(root: int, group: int, marker: str) -> list[Process]:
    """Return the living descendants of `root` that belong to one launch.

    Args:
        root: the subreaper.
        group: the process group, and session, that was made for the launch.
        marker: ``NAME=value`` as it stands in the launch's environment, which its processes inherit.

    Returns:
        Processes of that group or session or environment, and whatever descends from those.
    """
    everything = descendants(root)
    children: dict[int, list[Process]] = {}
    for process in everything:
        children.setdefault(process.parent, []).append(process)
    found: dict[int, Process] = {}
    for process in everything:
        if process.pid not in found and (
            group in {process.group, process.session} or _has_in_environment(process.pid, marker)
        ):
            found[process.pid] = process
            found.update((below.pid, below) for below in _below(process.pid, children))
    return list(found.values())


def signal_process(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process; one that is gone, or that is not ours to signal, is left alone."""
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return


def signal_group(group: int, number: signal.Signals) -> None:
    """Send a signal to a process group; one that is gone, or that is not ours to signal, is left alone."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return


def describe_exit(code: int) -> str:
    """Say in words how a process ended: ``exit code 1``, ``killed by SIGKILL``.

    Args:
        code: the exit code, negative for the signal that ended it.
    """
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


def _below(root: int, children: dict[int, list[Process]]) -> list[Process]:
    found: list[Process] = []
    open_pids = [root]
    while open_pids:
        for process in children.get(open_pids.pop(), ()):
            found.append(process)
            open_pids.append(process.pid)
    return found


def _read_stat(pid: int) -> Process | None:
    text = _read(f"/proc/{pid}/stat")
    # The command's name stands in parentheses and may hold any byte, so the fields count from the last one.
    fields = text.rpartition(b")")[2].split(maxsplit=4)
    if len(fields) < 4 or fields[0].decode() in _STATES_OF_THE_DEAD:  # noqa: PLR2004 (state, parent, group, session)
        return None
    return Process(pid=pid, parent=int(fields[1]), group=int(fields[2]), session=int(fields[3]))


def _has_in_environment(pid: int, marker: str) -> bool:
    return os.fsencode(marker) in _read(f"/proc/{pid}/environ").split(b"\0")


def _read(path: str) -> bytes:
    """Return a /proc file's bytes; none if its process ended meanwhile or belongs to somebody else."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read()
    except OSError:
        return b""
