"""The misbehaving bots as programs; what becomes of them at a table is tested end to end."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kawuxing.bots.errors import CredentialsError
from kawuxing.bots.lobby import Connection
from kawuxing.bots.misbehaving import VICES
from kawuxing.bots.misbehaving.client import MisbehavingClient, vice
from kawuxing.bots.misbehaving.vice import Vice
from kawuxing.runner.lobby import Farewell
from kawuxing.runner.server import ArenaServer
from kawuxing.runner.testing import Tokens, match_spec, play_all

KAWUXING_BOT = str(Path(sys.executable).with_name("kawuxing-bot"))


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``kawuxing-bot`` to its end."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("KAWUXING_")}
    return subprocess.run(
        [KAWUXING_BOT, *arguments], capture_output=True, text=True, timeout=60, check=False, env=clean
    )


class Arena:
    """A server that knows the bot b, and says when somebody comes."""

    def __init__(self) -> None:
        """Prepare; nobody is here yet."""
        self.came = asyncio.Event()
        self.server = ArenaServer(Tokens("b"), on_change=self.came.set)
        self.address = ""

    def client(self, name: str, *, token: str = "b", matches: int = 0) -> MisbehavingClient:  # noqa: S107  (of a test)
        """Return a client that would join."""
        connection = Connection(address=self.address, token=token, capacity=4, matches=matches, client="test")
        return MisbehavingClient(connection, vice(name))


@pytest.fixture
async def arena() -> AsyncIterator[Arena]:
    """A running server."""
    arena = Arena()
    arena.address = await arena.server.start()
    yield arena
    await arena.server.stop(0)


def test_help_lists_every_misbehaving_bot() -> None:
    """By the name that the command takes, with what it does."""
    text = run("--help").stdout
    for name, (_, _, description) in VICES.items():
        assert f"misbehaving-{name} " in text
        assert description in text


@pytest.mark.parametrize("name", sorted(VICES))
def test_every_name_stands_for_a_vice(name: str) -> None:
    """What the list says can be imported, and describes itself."""
    assert issubclass(vice(name), Vice)
    assert vice(name).__doc__


def test_a_misbehaving_bot_needs_an_address_like_any_other() -> None:
    """Without one it ends with exit code 2 and says which setting is missing."""
    ended = run("misbehaving-floods")
    assert (2, True) == (ended.returncode, "KAWUXING_ADDRESS" in ended.stderr)


@pytest.mark.parametrize("name", ["never-answers", "joins-twice"])
async def test_a_misbehaving_bot_with_a_wrong_token_says_so(arena: Arena, name: str) -> None:
    """It ends with an error that names the arena's refusal, instead of trying for ever."""
    async with asyncio.timeout(30):
        with pytest.raises(CredentialsError, match="the token is unknown"):
            await arena.client(name, token="nobody's").run()  # noqa: S106  (a wrong one)


async def test_a_misbehaving_bot_leaves_when_the_tournament_is_over(arena: Arena) -> None:
    """Goodbye ends it, even one that reads nothing at its tables."""
    running = asyncio.create_task(arena.client("never-reads").run())
    async with asyncio.timeout(30):
        await arena.came.wait()
        arena.server.lobby.goodbye(Farewell.FINISHED, "over")
        await running


async def test_a_misbehaving_bot_plays_as_many_matches_as_it_is_told(arena: Arena) -> None:
    """With one match to play it leaves after that one."""
    running = asyncio.create_task(arena.client("out-of-range", matches=1).run())
    spec = match_spec(name="m0")

    async def commit(_: object) -> bool:
        return True

    async with asyncio.timeout(60):
        await arena.came.wait()
        (instance,) = arena.server.lobby.instances()
        arena.server.lobby.assign("m0", "b", instance.id, "", "m0-b")
        await asyncio.gather(arena.server.play(spec, commit), play_all(arena.address, spec, without="b"))
        await running
