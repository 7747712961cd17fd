"""Bots in all languages at one table, with the shipped ones."""

from __future__ import annotations

import json
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.e2e.arena import Arena
from tests.languages import cups

pytestmark = [pytest.mark.languages, pytest.mark.timeout(1800)]

CAREFUL = ("kawuxing-bot", "careful")
KIT = (str(Path(sys.executable).with_name("kawuxing-bot")), "greedy")
LONGER_THAN_PATIENCE = 125
"""Seconds. Clients leave a match whose table is out of reach for two minutes."""


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


def test_a_table_is_come_back_to_after_more_than_two_minutes(
    go_bot: list[str], rust_bot: list[str], java_bot: list[str], typescript_bot: list[str], cpp_bot: list[str]
) -> None:
    """A connection that breaks late in a match was not out of reach before."""
    with ExitStack() as matches:
        losing = [
            matches.enter_context(cups.loses_a_long_match(bot))
            for bot in (go_bot, rust_bot, java_bot, typescript_bot, cpp_bot, KIT)
        ]
        # There is no clock to move by hand that bots in all languages look at.
        time.sleep(LONGER_THAN_PATIENCE)
        for come_back in losing:
            come_back()
