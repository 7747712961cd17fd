"""``kawuxing rules score`` and ``play`` answer line by line, and a bad line does not stop them."""

from __future__ import annotations

import json
import subprocess
import sys

COMMAND = [sys.executable, "-c", "from kawuxing.cli.main import main; main()", "rules"]
GOOD = (
    b'{"rules":"hubei","concealed":["4p","5p","5p","6p","5p"],'
    b'"melds":[["pung","1s"],["exposed_kong","2s"],["pung","3s"]],"winning_tile":"5p"}\n'
)


def test_a_bad_line_is_answered_with_its_number() -> None:
    """The lines around it have their answers, in order, and nothing is printed as an error."""
    done = subprocess.run([*COMMAND, "score"], input=GOOD + b"{\n" + GOOD, capture_output=True, check=True)
    first, bad, last = map(json.loads, done.stdout.splitlines())

    assert {"total": 2, "patterns": ["middle_five"]} == first == last
    assert 2 == bad["line"]
    assert b"" == done.stderr


def test_play_names_what_is_missing() -> None:
    """The other tool has questions of its own."""
    done = subprocess.run([*COMMAND, "play"], input=b'{"rules":"hubei"}\n', capture_output=True, check=True)

    assert {"error": "field 'wall' is missing", "line": 1} == json.loads(done.stdout)
