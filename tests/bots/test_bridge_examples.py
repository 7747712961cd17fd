"""The bots that need no gRPC play a real tournament."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.arena import Arena

EXAMPLES = Path(__file__).parents[2] / "bots" / "examples"
PYTHON = EXAMPLES / "python-plain" / "bot.py"
AWK = EXAMPLES / "awk" / "bot.sh"
TOURNAMENT = f"""
name = "Cup"
seed = "bridged"

[match]
hands = 4

[schedule]
deals = 2

[run]
concurrency = 3

[[bots]]
name = "plain"
command = ["kawuxing", "bridge", "--", "python3", {json.dumps(str(PYTHON))}]
capacity = 3

[[bots]]
name = "awk"
command = ["kawuxing", "bridge", "--", "sh", {json.dumps(str(AWK))}]
capacity = 3

[[bots]]
name = "random"
command = ["kawuxing-bot", "random"]
capacity = 3
"""


def run(folder: Path) -> tuple[str, list[dict[str, Any]]]:
    """Run the tournament in a folder of its own; return its digest and the rows of its leaderboard."""
    folder.mkdir()
    arena = Arena(folder)
    arena.write(TOURNAMENT)
    digest = arena.json(*arena.run_arguments())["digest"]
    return digest, json.loads((arena.exported / "leaderboard.json").read_text())["rows"]


def test_they_play_a_tournament_without_faults_reproducibly_and_beat_random(tmp_path: Path) -> None:
    """The same digest twice; both reveal, win, and rank above the bot that plays at random."""
    digest, rows = run(tmp_path / "first")
    again, _ = run(tmp_path / "second")
    plain, awk, random = (next(row for row in rows if row["bot"] == bot) for bot in ("plain", "awk", "random"))

    assert digest == again
    assert {0} == {count for row in rows for count in row["faults"].values()}
    assert random == rows[-1]
    for bot in (plain, awk):
        assert bot["wins"] > 3 * random["wins"]
        assert bot["reveals"] > 0


@pytest.mark.parametrize("bot", [PYTHON, AWK], ids=lambda path: path.name)
def test_they_are_under_40_lines(bot: Path) -> None:
    """As the documentation says."""
    assert len(bot.read_text("utf-8").splitlines()) < 40


def test_the_python_one_imports_the_standard_library_alone() -> None:
    """It runs wherever Python does."""
    imports = [node for node in ast.walk(ast.parse(PYTHON.read_text("utf-8"))) if isinstance(node, ast.Import)]

    assert {"json", "sys"} == {alias.name for node in imports for alias in node.names} & sys.stdlib_module_names
