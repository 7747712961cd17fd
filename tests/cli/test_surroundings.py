"""What the shell, the environment or the machine can give the command that nobody meant to."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.cli.terminal import KAWUXING

RECORD = Path(__file__).parents[1] / "golden" / "record-xiangyang.jsonl"
REPORT = "kawuxing report --address"


def shell(line: str) -> tuple[int, str]:
    """Return the exit code of a line of shell that calls `kawuxing`, and what it says on stderr."""
    script = f'kawuxing() {{ "{KAWUXING}" "$@"; }}\n{line}'
    ran = subprocess.run(["bash", "-c", script], stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)  # noqa: S607
    return ran.returncode, ran.stderr.decode()


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("kawuxing play --seed $'\\xff'", 2, "argument '\\udcff': expected UTF-8"),
        (f"{REPORT} 127.0.0.1:1 --token $'\\xff'", 2, "argument '\\udcff': expected UTF-8"),
        (f"KAWUXING_TOKEN=$'\\xff' {REPORT} 127.0.0.1:1", 2, "the token is not printable ASCII"),
        (f"{REPORT} 127.0.0.1:99999 --token x", 2, "address is '127.0.0.1:99999': expected host:port"),
        (f"{REPORT} unix:/tmp/x --token x", 2, "address is 'unix:/tmp/x': expected host:port"),
        (f'kawuxing replay "{RECORD}" > /dev/full', 4, "the output cannot be written: No space left"),
    ],
)
def test_what_cannot_be_used_is_said_in_a_line(line: str, code: int, said: str) -> None:
    """With the exit code of whoever is to blame."""
    ended, stderr = shell(line)

    assert code == ended, stderr
    assert said in stderr
    assert 1 == len(stderr.splitlines())


def test_who_plays_without_a_standard_input_has_left() -> None:
    """As at its end."""
    assert (0, "") == shell("kawuxing play --hands 1 --seed x <&-")
