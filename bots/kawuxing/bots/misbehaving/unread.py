"""A bot that lets the arena write nothing to it. gRPC's own client always reads ahead, so this one does without."""

from __future__ import annotations

import asyncio

from kawuxing.bots.misbehaving import http2
from kawuxing.bots.misbehaving.stream import PLAY, hello
from kawuxing.bots.misbehaving.vice import Vice


class NeverReads(Vice):
    """Sits down with a flow-control window of zero bytes, reads nothing, and keeps its connection open."""

    async def play(self) -> None:
        """Sit there for ever."""
        host, _, port = self.address.rpartition(":")
        _, writer = await asyncio.open_connection(host.strip("[]"), int(port))
        try:
            writer.write(http2.opening(window=0) + http2.call(self.address, PLAY, hello(self.ticket)))
            await asyncio.Event().wait()
        finally:
            writer.close()
