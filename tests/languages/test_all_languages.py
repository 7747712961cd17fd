"""Bots in all languages at one table, with the shipped ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.e2e.arena import Arena
from tests.languages import cups

pytestmark = [pytest.mark.languages, pytest.mark.timeout(1800)]

CAREFUL = ("kawuxing-bot", "careful")


def test_a_tournament_of_all_languages_has_no_fault_and_the_same_digest_again(
    tmp_path: Path,
    go_bot: list[str],
    rust_bot: list[str],
    java_bot: list[str],
    typescript_bot: list[str],
    cpp_bot: list[str],
) -> None:
    """Whatever a bot is written in, it plays the same matches the same way, however many at once."""
    bots = {
        "go": go_bot,
        "rust": rust_bot,
        "java": java_bot,
        "typescript": typescript_bot,
        "cpp": cpp_bot,
        "greedy": cups.GREEDY,
        "careful": CAREFUL,
    }
    digests = []
    for concurrency in (4, 2):
        folder = tmp_path / f"{concurrency} at once"
        folder.mkdir()
        text = cups.tournament("xiangyang", bots, hands=2, concurrency=concurrency)
        digests.append(cups.play(Arena(folder), text)["digest"])

    assert digests[0] == digests[1]


@pytest.mark.parametrize("language", ["go", "rust", "java", "typescript", "cpp"])
def test_each_bot_can_be_admitted(arena: Arena, request: pytest.FixtureRequest, language: str) -> None:
    """The check finds nothing wrong: every preset, lost connections, unknown messages, the same game again."""
    bot: list[str] = request.getfixturevalue(f"{language}_bot")

    report = arena.command("check-bot", "--json", "--", *bot, timeout=300).stdout

    assert "failed" not in {check["verdict"] for check in json.loads(report)["checks"]}
