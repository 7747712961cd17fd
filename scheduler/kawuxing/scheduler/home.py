"""The home folder: made, checked, and locked by the one arena that works in it."""

from __future__ import annotations

import fcntl
import os
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from kawuxing.engine.errors import KawuxingError

LOCK_NAME = "lock"
"""The file in the home folder that is locked; it holds the locker's process id, for the message only."""

_OWNER_ONLY = 0o700


class HomeError(KawuxingError):
    """The home folder cannot be made or written."""


class HomeInUseError(KawuxingError):
    """Another arena works in the home folder."""

    def __init__(self, home: Path, pid: int | None) -> None:
        """Name the folder and, if it is known, the process that holds it."""
        holder = "another process" if pid is None else f"process {pid}"
        super().__init__(f"home folder {str(home)!r} is in use by {holder}: expected no other arena in it")
        self.home = home
        self.pid = pid


def prepare_home(home: Path) -> Path:
    """Make the home folder if it is not there, check that it can be written, and return its absolute path.

    A new one is its owner's alone. One that is there stays as open as its owner made it: what is private in it is so by
    itself. Raises HomeError.
    """
    try:
        home.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
        # Asked by doing it: permission bits do not tell about read-only mounts, full disks and root.
        with tempfile.TemporaryFile(dir=home):
            pass
    except OSError as error:
        raise HomeError(
            f"home folder {str(home)!r}: {error.strerror}; expected a folder that can be written"
        ) from error
    return home.resolve()


def prepare_private(folder: Path) -> Path:
    """Make a folder inside the home that nobody but its owner can look into, also if it is there; return it.

    Raises HomeError.
    """
    try:
        folder.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
        folder.chmod(_OWNER_ONLY)
    except OSError as error:
        raise HomeError(f"folder {str(folder)!r}: {error.strerror}; expected one that is the arena's own") from error
    return folder


def check_free(home: Path) -> None:
    """Check, without making anything, that no other arena works in the home folder now. Raises as HomeLock does."""
    if (home / LOCK_NAME).exists():
        with HomeLock(home):
            pass


class HomeLock:
    """A context in which no other process has the home folder; the system frees it however the process ends."""

    def __init__(self, home: Path) -> None:
        """Lock ``home``, which exists, when the context is entered."""
        self._home = home
        self._descriptor: int | None = None

    def __enter__(self) -> Self:
        """Take the lock. Raises HomeInUseError if another has it, HomeError if it cannot be made."""
        try:
            descriptor = os.open(self._home / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise HomeError(
                f"home folder {str(self._home)!r}: {error.strerror}; expected a folder that can be written"
            ) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            pid = _pid_in(descriptor)
            os.close(descriptor)
            raise HomeInUseError(self._home, pid) from error
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        self._descriptor = descriptor
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._descriptor is not None:
            # The file stays: were it removed, two processes could each lock a file of this name.
            os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = None


def _pid_in(descriptor: int) -> int | None:
    text = os.pread(descriptor, 32, 0).strip()
    return int(text) if text.isdigit() else None
