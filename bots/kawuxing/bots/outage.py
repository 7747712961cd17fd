"""What a bot's author is told while the arena cannot be reached: that it is so, and then not too often."""

from __future__ import annotations

import asyncio
import socket
from typing import Any, Final

from kawuxing.bots.channel import error_text

_AGAIN: Final = 60.0
"""Seconds between warnings."""


class Outage:
    """Warns at the first failure and then once a minute; the failures between are for verbose logs."""

    def __init__(self, address: str, log: Any) -> None:
        """Prepare for failures to reach ``host:port``. Call within the event loop."""
        self._address = address
        self._log = log
        self._loop = asyncio.get_running_loop()
        self._due = self._loop.time()

    def over(self) -> None:
        """Warn at once at the next failure, after the arena has been reached."""
        self._due = self._loop.time()

    async def tell(self, error: Any) -> None:
        """Log a failed call (grpc.aio.AioRpcError)."""
        now = self._loop.time()
        if now < self._due:
            self._log.info("still no lobby at this address", status=error_text(error))
            return
        self._due = now + _AGAIN
        text = "no lobby at this address" if await self._host_is_known() else "the address's host name is unknown"
        self._log.warning(f"{text}; trying again, silent for a minute", status=error_text(error))

    async def _host_is_known(self) -> bool:
        host, _, port = self._address.rpartition(":")
        try:
            await self._loop.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
        except OSError:
            return False
        return True
