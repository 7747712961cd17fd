"""A real server on a free port, for the tests that need the wire."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest_asyncio

from kawuxing.runner.server import ArenaServer
from kawuxing.runner.testing import Tokens


@dataclass(frozen=True)
class Arena:
    """A server that listens, its address, and a note of each time an instance came or went."""

    server: ArenaServer
    address: str
    changes: asyncio.Queue[None]
    """Has an entry for every call of on_change."""


@pytest_asyncio.fixture
async def arena() -> AsyncIterator[Arena]:
    """Serve the bots ada, ben and cyd."""
    changes: asyncio.Queue[None] = asyncio.Queue()
    server = ArenaServer(Tokens("ada", "ben", "cyd"), on_change=lambda: changes.put_nowait(None))
    address = await server.start()
    yield Arena(server, address, changes)
    await server.stop(0)
