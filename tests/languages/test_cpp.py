"""The bot in C++: its own tests, and what every bot must do."""

from __future__ import annotations

import pytest
from tests.e2e.arena import Arena
from tests.languages import cups
from tests.languages.tools import run_tool

pytestmark = [pytest.mark.languages, pytest.mark.timeout(900)]


@pytest.mark.usefixtures("cpp_bot")
def test_its_own_tests_pass() -> None:
    """The bot's unit tests are content."""
    run_tool("cpp", "ctest", "--test-dir", "build", "--output-on-failure")


@pytest.mark.parametrize("preset", ["xiangyang", "four-seat", "three-suit"])
def test_it_beats_random(arena: Arena, cpp_bot: list[str], preset: str) -> None:
    """Several matches at once, without a fault, for clearly more points than random bots."""
    cups.beats_random(arena, cpp_bot, preset)


def test_it_plays_one_match_a_process(arena: Arena, cpp_bot: list[str]) -> None:
    """It stops after as many matches as it was told."""
    cups.plays_one_match_a_process(arena, cpp_bot)


def test_it_finds_its_way_back(arena: Arena, cpp_bot: list[str]) -> None:
    """It waits for the arena, and plays on after each of three lost connections."""
    cups.finds_its_way_back(arena, cpp_bot)


def test_wrong_settings_end_it(cpp_bot: list[str]) -> None:
    """Exit code 2, and the setting is named."""
    cups.refuses_wrong_settings(cpp_bot)


def test_a_refused_token_ends_it(arena: Arena, cpp_bot: list[str]) -> None:
    """Exit code 2, with the arena's words."""
    cups.goes_when_refused(arena, cpp_bot)


def test_the_lobby_ends_it(cpp_bot: list[str]) -> None:
    """With exit code 0, 2 or 3, by the reason."""
    cups.ends_as_the_lobby_says(cpp_bot)


def test_signals_end_it(cpp_bot: list[str]) -> None:
    """Exit code 0."""
    cups.ends_on_a_signal(cpp_bot)
