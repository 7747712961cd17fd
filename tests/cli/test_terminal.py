"""What others choose the words of is shown on the organiser's terminal as it is, and never obeyed."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable, Iterator

import pytest
import structlog
from rich.console import Console

from kawuxing.cli.logs import configure_logs
from kawuxing.cli.tables import leaderboard_table
from kawuxing.scheduler.config import parse_config
from kawuxing.scheduler.standings import leaderboard

BOTS = "".join(f'[[bots]]\nname = "{name}"\ncommand = ["{name}"]\n' for name in ("ada", "ben", "cyd"))


@pytest.fixture
def logs(capsys: pytest.CaptureFixture[str]) -> Iterator[Callable[[], str]]:
    """Returns what was logged, as a person reads it."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    configure_logs("info", json=False)
    yield lambda: capsys.readouterr().err
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


@pytest.mark.parametrize("name", ["[/foo]", "[red]Cup[/red]", "[bold]", "Cup \\\\[x]"])
def test_a_tournaments_name_is_no_markup(name: str) -> None:
    """Brackets in a name are brackets in the standings."""
    config = parse_config(f'name = "{name}"\nslug = "cup"\n{BOTS}')
    shown = io.StringIO()
    Console(file=shown, width=200).print(leaderboard_table(leaderboard(config, [])))
    assert f"{config.name}: 0 of 6 matches" == shown.getvalue().splitlines()[0].rstrip()


@pytest.mark.parametrize("client", ["\x1b[2J\x1b]0;mine\x07", "a\u202eb", "one\nbot=other", "\x9b2J"])
def test_a_clients_name_cannot_steer_the_terminal(client: str, logs: Callable[[], str]) -> None:
    """A bot tells its client's name as it likes: what is not printable stands escaped in one line of the log."""
    structlog.get_logger("test").info("joined", client=client)
    (line,) = logs().splitlines()
    assert line.isprintable()


def test_a_clients_name_is_readable(logs: Callable[[], str]) -> None:
    """Letters of any script stay as they are."""
    structlog.get_logger("test").info("joined", client="卡五星-bot/1")
    assert "client=卡五星-bot/1" in logs()
