"""What a launched bot is: its command, found before anything starts, and the environment that it gets."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from kawuxing.runner.errors import LaunchError

MAX_CAPACITY = 64
"""Most matches that one bot plays at once."""

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,31}")
_RESERVED = (
    "KAWUXING_ADDRESS",
    "KAWUXING_TOKEN",
    "KAWUXING_CAPACITY",
    "KAWUXING_MATCHES",
    "KAWUXING_LAUNCH",
)
_SECRET_NAME = re.compile(
    r"KAWUXING_.*|CELERY_.*|PG[A-Z]+|(.*_)?(DATABASE|DB|BROKER|REDIS|AMQP|RABBITMQ|POSTGRES|POSTGRESQL)_(URL|URI|DSN)"
    r"|.*(PASSWORD|PASSWD|SECRET|CREDENTIAL).*|(.*_)?(TOKEN|(API|PRIVATE|ACCESS)_?KEY)(_.*)?",
    re.IGNORECASE,
)
_URL_WITH_PASSWORD = re.compile(r"[a-z][a-z0-9+.-]*://[^/@\s]*:[^/@\s]*@", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class BotCommand:
    """A bot that the arena starts by itself."""

    name: str
    """``[a-z0-9][a-z0-9._-]{0,31}``; also the name of its log."""
    command: tuple[str, ...]
    """The program and its arguments; a relative path counts from the arena's working directory."""
    address: str
    """Where the bot finds the arena, ``host:port``."""
    token: str
    """By which the arena knows the bot."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables beside those that every bot gets."""
    process: Literal["shared", "match"] = "shared"
    """One process for all matches, or a fresh one for each match."""
    capacity: int = 1
    """Matches at once, 1…64: in the one process, or one in each of as many processes."""

    def __post_init__(self) -> None:
        """Check the fields.

        Raises:
            LaunchError: the name, a variable or the capacity is not what it may be.
        """
        if not _NAME.fullmatch(self.name):
            raise LaunchError(f"bot {self.name!r}: a name matches {_NAME.pattern}")
        if not 1 <= self.capacity <= MAX_CAPACITY:
            raise LaunchError(f"bot {self.name}: capacity {self.capacity} is not in 1…{MAX_CAPACITY}")
        for variable in self.env:
            if variable in _RESERVED:
                raise LaunchError(f"bot {self.name}: env may not set {variable}: the arena sets it")
            if not variable or "=" in variable:
                raise LaunchError(f"bot {self.name}: env has {variable!r}, which cannot be the name of a variable")
        for text in (*self.command, *self.env, *self.env.values()):
            if "\0" in text:
                raise LaunchError(f"bot {self.name}: {text!r} has a NUL, which no command or variable can hold")


def check_command(name: str, command: tuple[str, ...], env: Mapping[str, str] | None = None) -> Path:
    """Find a bot's program without starting anything.

    Args:
        name: the bot's, for the message.
        command: the program and its arguments.
        env: the bot's configured environment, which may have a PATH of its own.

    Returns:
        The absolute path of the program.

    Raises:
        LaunchError: there is no such program; the text names the bot, the command and where it was looked for.
    """
    if not command or not command[0]:
        raise LaunchError(f"bot {name}: the command is empty; expected a program and its arguments")
    program = command[0]
    path = _search_path({**os.environ, **(env or {})})
    found = shutil.which(program, path=path)
    if found is not None:
        return Path(found).absolute()
    if os.sep not in program:
        raise LaunchError(f"bot {name}: no program {program!r} for the command {list(command)} in PATH ({path})")
    place = Path(program).absolute()
    problem = "is no program that may be executed" if place.exists() else "does not exist"
    raise LaunchError(f"bot {name}: {str(place)!r}, the program of the command {list(command)}, {problem}")


def bot_environment(bot: BotCommand, arena: Mapping[str, str]) -> dict[str, str]:
    """Return the whole environment of a bot's processes.

    It is the arena's without its secrets, then what the bot's configuration sets, then what the arena tells the bot:
    ``KAWUXING_ADDRESS``, ``KAWUXING_TOKEN``, ``KAWUXING_CAPACITY`` and, for a process of one match,
    ``KAWUXING_MATCHES=1``. PATH begins with the folder of the running Python, so that programs installed beside it are
    found.

    Args:
        bot: the bot.
        arena: the arena's environment.
    """
    env = {**without_secrets(arena), **bot.env}
    env["PATH"] = _search_path(env)
    env["KAWUXING_ADDRESS"] = bot.address
    env["KAWUXING_TOKEN"] = bot.token
    env["KAWUXING_CAPACITY"] = str(bot.capacity)
    if bot.process == "match":
        env["KAWUXING_CAPACITY"] = "1"
        env["KAWUXING_MATCHES"] = "1"
    return env


def without_secrets(env: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without what a bot must not know.

    Left out are the arena's own settings (``KAWUXING_…``, ``CELERY_…``), addresses of databases and brokers, names that
    speak of passwords, tokens, secrets or keys, and every value that is a URL with a password. A bot that needs one of
    them gets it by its configuration.
    """
    return {
        name: value
        for name, value in env.items()
        if not _SECRET_NAME.fullmatch(name) and not _URL_WITH_PASSWORD.match(value)
    }


def _search_path(env: Mapping[str, str]) -> str:
    beside_python = str(Path(sys.executable).parent)
    return os.pathsep.join([beside_python, env.get("PATH", os.defpath)])
