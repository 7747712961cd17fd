"""A real server on a free port, for the tests that need the wire."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest_asyncio

from kawuxing.runner.server import ArenaServer
from kawuxing.runner.testing import Tokens


@dataclass(frozen=True)
class Arena:
    """A server that listens, its address, and a count of how often an instance came or went."""

    server: ArenaServer
    address: str
    changes: list[None]


@pytest_asyncio.fixture
async def arena() -> AsyncIterator[Arena]:
    """Serve the bots a, b, c and d."""
    changes: list[None] = []
    server = ArenaServer(Tokens("ada", "ben", "cyd"), on_change=lambda: changes.append(None))
    address = await server.start()
    yield Arena(server, address, changes)
    await server.stop(0)
