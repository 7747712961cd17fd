"""The home folder and its lock."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from kawuxing.scheduler.home import LOCK_NAME, HomeError, HomeInUseError, HomeLock, prepare_home, prepare_private

_HOLDER = """
import sys
from pathlib import Path
from kawuxing.scheduler.home import HomeLock
with HomeLock(Path(sys.argv[1])):
    print("locked", flush=True)
    sys.stdin.read()
"""


def test_prepare_home(tmp_path: Path) -> None:
    """The folder is made with its parents, nothing is left in it, and it may be there already."""
    home = tmp_path / "a" / "b"

    assert home == prepare_home(home) == prepare_home(home)
    assert [] == list(home.iterdir())


def test_prepare_home_where_there_is_a_file(tmp_path: Path) -> None:
    """A file in the way is named, and stays."""
    (tmp_path / "home").write_text("mine")

    for home in (tmp_path / "home", tmp_path / "home" / "below"):
        with pytest.raises(HomeError, match=f"home folder '{home}': .*; expected a folder that can be written"):
            prepare_home(home)
    assert "mine" == (tmp_path / "home").read_text()


def test_prepare_home_that_is_read_only() -> None:
    """A folder in which nothing can be made is refused, whatever its permission bits say."""
    with pytest.raises(HomeError, match=r"home folder '/proc': .*; expected a folder that can be written"):
        prepare_home(Path("/proc"))


def test_a_new_home_is_its_owners_alone(tmp_path: Path) -> None:
    """Whatever the umask says; one that is there stays as open as its owner made it."""
    (tmp_path / "open").mkdir(mode=0o755)
    umask = os.umask(0o022)
    try:
        homes = prepare_home(tmp_path / "new"), prepare_home(tmp_path / "open")
    finally:
        os.umask(umask)

    assert [0o700, 0o755] == [stat.S_IMODE(home.stat().st_mode) for home in homes]


def test_a_private_folder_is_its_owners_alone(tmp_path: Path) -> None:
    """Made so, and made so where it is there already; where it cannot be, that is told."""
    (tmp_path / "open").mkdir(mode=0o755)
    (tmp_path / "file").touch()

    assert [0o700, 0o700] == [stat.S_IMODE(prepare_private(tmp_path / name).stat().st_mode) for name in ("new", "open")]
    with pytest.raises(HomeError, match=r"file': .*; expected one that is the arena's own"):
        prepare_private(tmp_path / "file")


def test_lock_in_one_process(tmp_path: Path) -> None:
    """A second lock is refused, naming folder and process, until the first is gone."""
    with HomeLock(tmp_path):
        with pytest.raises(HomeInUseError, match=f"'{tmp_path}' is in use by process {os.getpid()}:") as caught:
            HomeLock(tmp_path).__enter__()
        assert os.getpid() == caught.value.pid
    with HomeLock(tmp_path):
        assert f"{os.getpid()}\n" == (tmp_path / LOCK_NAME).read_text()


def test_lock_of_another_process(tmp_path: Path) -> None:
    """Another process's lock holds while it lives, and ends with it even if it is killed."""
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDER, tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert "locked\n" == holder.stdout.readline()
        with pytest.raises(HomeInUseError, match=f"in use by process {holder.pid}:"), HomeLock(tmp_path):
            pass
        holder.kill()
        holder.wait()
    with HomeLock(tmp_path):
        assert f"{os.getpid()}\n" == (tmp_path / LOCK_NAME).read_text()


def test_lock_in_no_folder(tmp_path: Path) -> None:
    """A folder that is not there cannot be locked."""
    with pytest.raises(HomeError, match="nowhere"), HomeLock(tmp_path / "nowhere"):
        pass
