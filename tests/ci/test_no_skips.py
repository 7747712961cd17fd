"""In CI every test runs: a skip is a failure there, and nothing else changes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).parents[1] / "conftest.py"
SKIPPED_TEST = """
import pytest

@pytest.mark.skip(reason="tired")
def test_skipped():
    raise AssertionError
"""
SKIPPED_MODULE = 'import pytest\n\npytest.skip("tired", allow_module_level=True)\n'
SKIPPED_FIXTURE = """
import pytest

@pytest.fixture
def away():
    pytest.skip("tired")

def test_needs_what_is_away(away):
    raise AssertionError
"""
PASSING = "def test_passes():\n    assert True\n"


def outcome(folder: Path, test: str, ci: str) -> tuple[int, str]:
    """Run pytest on one file under this project's conftest.py; return its exit code and its last line."""
    (folder / "conftest.py").write_bytes(CONFTEST.read_bytes())
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "test_file.py").write_text(test)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "test_file.py"],
        cwd=folder,
        env=os.environ | {"CI": ci, "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.returncode, ran.stdout


@pytest.mark.parametrize("test", [SKIPPED_TEST, SKIPPED_MODULE, SKIPPED_FIXTURE], ids=["test", "module", "fixture"])
def test_a_skip_fails_in_ci(tmp_path: Path, test: str) -> None:
    """A skipped test or module makes pytest end with an error, and the reason is shown."""
    code, output = outcome(tmp_path, test, ci="true")

    assert 0 != code
    assert "was skipped, which CI does not allow" in output
    assert "tired" in output


def test_a_skip_is_no_failure_elsewhere(tmp_path: Path) -> None:
    """On a developer's machine a skip is a skip."""
    code, output = outcome(tmp_path, SKIPPED_TEST, ci="")

    assert (0, True) == (code, "1 skipped" in output)


def test_a_pass_is_a_pass_in_ci(tmp_path: Path) -> None:
    """Tests that run are not touched."""
    code, output = outcome(tmp_path, PASSING, ci="true")

    assert (0, True) == (code, "1 passed" in output)
