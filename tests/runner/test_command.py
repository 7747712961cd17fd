"""What a launched bot's command and environment are."""

import os
import sys
from pathlib import Path

import pytest

from kawuxing.runner.command import BotCommand, bot_environment, check_command
from kawuxing.runner.errors import LaunchError


def bot(**fields: object) -> BotCommand:
    return BotCommand(**{"name": "b", "command": ("true",), "address": "127.0.0.1:1", "token": "t", **fields})  # type: ignore[arg-type]


def test_a_program_beside_python_is_found_first() -> None:
    """Programs of the environment that the arena runs in come before others of the same name."""
    assert Path(sys.executable).parent / Path(sys.executable).name == check_command("b", (Path(sys.executable).name,))


def test_a_program_is_found_in_the_path_that_the_bot_gets(tmp_path: Path) -> None:
    """A PATH in the bot's configuration is where its program is looked for."""
    program = tmp_path / "my-bot"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert program == check_command("b", ("my-bot",), {"PATH": str(tmp_path)})


def test_a_relative_program_counts_from_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``./my-bot`` is found where the arena runs."""
    program = tmp_path / "my-bot"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    assert program == check_command("b", ("./my-bot",))


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ((), "bot b: the command is empty"),
        (("",), "bot b: the command is empty"),
        (("no-such-bot", "x"), r"bot b: no program 'no-such-bot' for the command \['no-such-bot', 'x'\] in PATH \(/"),
        (("/no/such/bot",), r"bot b: '/no/such/bot', the program of the command .*, does not exist"),
        (("/etc/passwd",), r"bot b: '/etc/passwd', the program of the command .*, is no program that may be executed"),
    ],
)
def test_a_missing_program_is_named(command: tuple[str, ...], says: str) -> None:
    """The error names the bot, its command and where the program was looked for."""
    with pytest.raises(LaunchError, match=says):
        check_command("b", command)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"name": "../b"}, r"bot '\.\./b': a name matches"),
        ({"name": "_supervisor"}, "bot '_supervisor': a name matches"),
        ({"capacity": 0}, "bot b: capacity 0 is not in 1…64"),
        ({"capacity": 65}, "bot b: capacity 65 is not in 1…64"),
        ({"env": {"KAWUXING_TOKEN": "x"}}, "bot b: env may not set KAWUXING_TOKEN"),
        ({"env": {"A=B": "x"}}, "bot b: env has 'A=B', which cannot be the name of a variable"),
        ({"env": {"A": "\0"}}, r"bot b: '\\x00' has a NUL"),
        ({"command": ("true", "\0")}, r"bot b: '\\x00' has a NUL"),
    ],
)
def test_fields_are_checked(fields: dict[str, object], says: str) -> None:
    """A field that cannot be used is refused by name and value."""
    with pytest.raises(LaunchError, match=says):
        bot(**fields)


def test_a_shared_process_is_told_address_token_and_capacity() -> None:
    """One process plays as many matches at once as the bot's capacity."""
    env = bot_environment(bot(capacity=4), {})
    assert {"KAWUXING_ADDRESS": "127.0.0.1:1", "KAWUXING_TOKEN": "t", "KAWUXING_CAPACITY": "4"} == {
        name: value for name, value in env.items() if name != "PATH"
    }


def test_a_process_of_one_match_is_told_so() -> None:
    """It plays one match at a time and one in all."""
    env = bot_environment(bot(capacity=4, process="match"), {})
    assert ("1", "1") == (env["KAWUXING_CAPACITY"], env["KAWUXING_MATCHES"])


def test_configured_variables_win_over_the_arenas() -> None:
    """A bot gets the arena's environment, changed as its configuration says."""
    env = bot_environment(bot(env={"LANG": "C"}), {"LANG": "de", "HOME": "/h"})
    assert ("C", "/h") == (env["LANG"], env["HOME"])


def test_the_folder_of_python_comes_first_in_path() -> None:
    """Also before a configured PATH, so that ``python`` is the one that the arena runs with."""
    env = bot_environment(bot(env={"PATH": "/mine"}), {"PATH": "/usr/bin"})
    assert [str(Path(sys.executable).parent), "/mine"] == env["PATH"].split(os.pathsep)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("KAWUXING_DATABASE_URL", "sqlite:///arena.db"),
        ("KAWUXING_HOME", "/arena"),
        ("CELERY_BROKER", "x"),
        ("DATABASE_URL", "postgresql://host/db"),
        ("MY_REDIS_URL", "redis://host"),
        ("PGPASSFILE", "/x"),
        ("GITHUB_TOKEN", "x"),
        ("aws_secret_access_key", "x"),
        ("DB_PASSWORD", "x"),
        ("BACKEND", "amqp://user:pass@host//"),
    ],
)
def test_secrets_of_the_arena_are_kept_from_bots(name: str, value: str) -> None:
    """Settings, databases, brokers and whatever looks secret do not reach a bot, unless it was configured to get it."""
    assert name not in bot_environment(bot(), {name: value})


def test_a_secret_in_the_configuration_reaches_its_bot() -> None:
    """A bot that needs a secret gets it by its own configuration."""
    env = bot_environment(bot(env={"API_KEY": "x"}), {"API_KEY": "y"})
    assert env["API_KEY"] == "x"


@pytest.mark.parametrize(
    ("name", "value"),
    [("PYTHONPATH", "/x"), ("TOKENIZERS_PARALLELISM", "0"), ("PAGER", "less"), ("PROXY", "http://host:1/a@b")],
)
def test_ordinary_variables_reach_bots(name: str, value: str) -> None:
    """What is no secret stays, so that a bot's runtime works as it does in a shell."""
    assert value == bot_environment(bot(), {name: value})[name]
