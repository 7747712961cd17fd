"""A log file that keeps the first and the last of what is written and stays small however much that is."""

from __future__ import annotations

import os
import time

KEPT = 64 * 1024
"""Bytes kept of the beginning, and again of the end."""


class BoundedLog:
    """A file of at most twice `kept` bytes and one line that says how many bytes in between were left out.

    The beginning is written at once; the end stands in memory until `flush`. A file that cannot be written (a full
    disk, say) must not stop the process whose output it takes: what cannot be written is dropped and `error` says why.
    """

    def __init__(self, path: str, *, kept: int = KEPT) -> None:
        """Open the file; one that was there before is kept beside it, its name ending in ``.old``.

        Args:
            path: the file.
            kept: bytes kept of the beginning, and again of the end.

        Raises:
            OSError: the file cannot be created.
        """
        if os.path.exists(path):  # noqa: PTH110 (pathlib costs the supervisor a third of its start)
            os.replace(path, f"{path}.old")  # noqa: PTH105
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        self._kept = kept
        self._head = 0
        self._tail = bytearray()
        self._after_head = 0
        self._at_line_start = True
        self.dirty = False
        """Whether `flush` has something to write or `error` news to tell."""
        self.error: OSError | None = None
        """Why a write failed first; None while none did."""

    def write(self, data: bytes) -> None:
        """Add output."""
        if not data:
            return
        self._at_line_start = data.endswith(b"\n")
        room = self._kept - self._head
        if room > 0:
            beginning = data[:room]
            self._put(beginning, self._head)
            self._head += len(beginning)
            data = data[room:]
        if data:
            self._after_head += len(data)
            self._tail += data
            # Trimming at twice the size moves each byte about once, not once for every write.
            if len(self._tail) > 2 * self._kept:
                del self._tail[: -self._kept]
            self.dirty = True

    def note(self, text: str) -> None:
        """Add a line of the supervisor's own, with the time, on a line of its own."""
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        start = "" if self._at_line_start else "\n"
        self.write(f"{start}[kawuxing {stamp}] {text}\n".encode(errors="backslashreplace"))

    def flush(self) -> None:
        """Bring the file up to date."""
        if not self.dirty:
            return
        tail = bytes(self._tail[-self._kept :])
        left_out = self._after_head - len(tail)
        middle = f"\n[kawuxing: {left_out} bytes left out here]\n".encode() if left_out else b""
        self.dirty = False
        self._put(middle + tail, self._head)

    def close(self) -> None:
        """Bring the file up to date and close it."""
        self.flush()
        os.close(self._file)

    def _put(self, data: bytes, offset: int) -> None:
        view = memoryview(data)
        try:
            while view:
                written = os.pwrite(self._file, view, offset)
                view = view[written:]
                offset += written
        except OSError as error:
            self.error = self.error or error
            self.dirty = True
