"""``kawuxing rules score`` and ``play`` answer line by line, and a bad line does not stop them."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

COMMAND = [sys.executable, "-c", "from kawuxing.cli.main import main; main()", "rules"]
GOOD = (
    b'{"rules":"hubei","concealed":["4p","5p","5p","6p","5p"],'
    b'"melds":[["pung","1s"],["exposed_kong","2s"],["pung","3s"]],"winning_tile":"5p"}'
)
ANSWER = {"total": 2, "patterns": ["middle_five"]}


def answers(tool: str, asked: bytes, *options: str) -> list[Any]:
    done = subprocess.run([*COMMAND, tool, *options], input=asked, capture_output=True, check=True)
    assert b"" == done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_bad_line_is_answered_with_its_number() -> None:
    """The lines around it have their answers, in order, and nothing is printed as an error."""
    first, bad, last = answers("score", GOOD + b"\n{\n" + GOOD + b"\n")

    assert ANSWER == first == last
    assert 2 == bad["line"]


def test_play_names_what_is_missing() -> None:
    """The other tool has questions of its own."""
    assert [{"error": "field 'wall' is missing", "line": 1}] == answers("play", b'{"rules":"hubei"}\n')


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_line_ends(end: bytes) -> None:
    """CRLF ends a line as LF does, the last line needs neither, and a blank line is a bad one."""
    first, blank, last = answers("score", GOOD + b"\r\n\r\n" + GOOD + end)

    assert ANSWER == first == last
    assert 2 == blank["line"]


def test_no_lines_have_no_answers() -> None:
    """Nothing in, nothing out."""
    assert [] == answers("score", b"")


@pytest.mark.parametrize("jobs", ["1", "2", "3"])
def test_many_lines_are_answered_in_order(jobs: str) -> None:
    """However many processes share them, and however long a line is, each has its answer and its number."""
    long = b'{"rules":"' + b"x" * 300_000 + b'"}'
    lines = [long if number % 1000 == 0 else b"[%d]" % number if number % 7 == 0 else GOOD for number in range(1, 4001)]
    given = answers("score", b"\n".join(lines), "--jobs", jobs)

    assert len(lines) == len(given)
    for number, (line, answer) in enumerate(zip(lines, given, strict=True), 1):
        assert ANSWER == answer if line is GOOD else number == answer["line"]


def test_a_question_is_answered_at_once() -> None:
    """Whoever asks one thing after the other has each answer before the next question, whether few or many before."""
    with subprocess.Popen([*COMMAND, "score", "-j", "2"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as tool:
        assert tool.stdin is not None
        assert tool.stdout is not None
        for together in (1, 1, 100, 1):
            tool.stdin.write((GOOD + b"\n") * together)
            tool.stdin.flush()
            assert [ANSWER] * together == [json.loads(tool.stdout.readline()) for _ in range(together)]
        tool.stdin.close()
        assert b"" == tool.stdout.read()
    assert 0 == tool.returncode
