"""The bounded logs of bots."""

import errno
import os
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kawuxing.runner.bounded_log import BoundedLog

LEFT_OUT = re.compile(rb"\n\[kawuxing: (\d+) bytes left out here\]\n")


@given(chunks=st.lists(st.binary(max_size=30), max_size=20), flush_after=st.integers(0, 20))
def test_beginning_and_end_are_kept(chunks: list[bytes], flush_after: int) -> None:
    """However output comes in, the file holds its first and its last bytes and counts what is between."""
    everything = b"".join(chunks)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bot.log"
        log = BoundedLog(str(path), kept=16)
        for number, chunk in enumerate(chunks):
            log.write(chunk)
            if number == flush_after:
                log.flush()
        log.close()
        written = path.read_bytes()
    if len(everything) <= 32:
        assert everything == written
    else:
        middle = f"\n[kawuxing: {len(everything) - 32} bytes left out here]\n".encode()
        assert everything[:16] + middle + everything[-16:] == written


def test_the_file_is_readable_while_the_bot_runs(tmp_path: Path) -> None:
    """The beginning stands in the file at once, the end as of the last flush."""
    path = tmp_path / "bot.log"
    log = BoundedLog(str(path), kept=4)
    log.write(b"abcdefghijkl")
    assert path.read_bytes() == b"abcd"
    log.flush()
    written = path.read_bytes()
    log.close()
    assert written == b"abcd\n[kawuxing: 4 bytes left out here]\nijkl"


def test_memory_stays_bounded(tmp_path: Path) -> None:
    """Megabytes of output leave a small file that says how much is missing."""
    path = tmp_path / "bot.log"
    log = BoundedLog(str(path))
    for _ in range(100):
        log.write(b"x" * 65536)
    log.close()
    written = path.read_bytes()
    assert len(written) < 2 * 65536 + 100
    found = LEFT_OUT.search(written)
    assert found is not None
    assert int(found[1]) == 98 * 65536


def test_notes_stand_on_their_own_lines(tmp_path: Path) -> None:
    """A note begins a line although the bot's last one was not finished."""
    path = tmp_path / "bot.log"
    log = BoundedLog(str(path))
    log.write(b"unfinished")
    log.note("started")
    log.close()
    assert re.fullmatch(r"unfinished\n\[kawuxing \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\] started\n", path.read_text())


def test_the_log_before_is_kept(tmp_path: Path) -> None:
    """The log of the run before, which may tell why it ended, stays beside the new one."""
    path = tmp_path / "bot.log"
    for text in (b"first", b"second"):
        log = BoundedLog(str(path))
        log.write(text)
        log.close()
    assert path.read_bytes() == b"second"
    assert (tmp_path / "bot.log.old").read_bytes() == b"first"


def test_a_full_disk_is_told_and_nothing_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Output that cannot be written is dropped: the bot must not be blocked by it."""

    def no_space(_file: int, _data: bytes, _offset: int) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    log = BoundedLog(str(tmp_path / "bot.log"), kept=4)
    monkeypatch.setattr(os, "pwrite", no_space)
    log.write(b"abcdefgh")
    log.flush()
    log.close()
    assert log.error is not None
    assert errno.ENOSPC == log.error.errno
