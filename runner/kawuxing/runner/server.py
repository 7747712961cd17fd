"""The arena's gRPC server: lobby, tables, health and reflection on one port."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import grpc

from kawuxing.runner.lobby import BotDirectory, Lobby
from kawuxing.runner.spec import MatchSpec, Outcome, Played

Commit = Callable[[Played], Awaitable[bool]]
"""Stores what was played, and says whether it counts."""


class ArenaServer:
    """Lets bots join and plays matches between them. One for a process, in the thread of its event loop."""

    lobby: Lobby

    def __init__(
        self,
        directory: BotDirectory,
        *,
        listen: str = "127.0.0.1:0",
        credentials: grpc.ServerCredentials | None = None,
        insecure: bool = False,
        on_change: Callable[[], None] | None = None,
    ) -> None:
        """Prepare to listen on ``listen`` (host:port, port 0 for any free one).

        ``on_change`` is called whenever an instance of a bot came or went.

        Raises ListenError if ``listen`` is not host:port, or is open to other machines with neither ``credentials`` nor
        ``insecure``.
        """
        raise NotImplementedError

    async def start(self) -> str:
        """Start to listen and return the address, host:port.

        Raises ListenError if the address cannot be used, a port in use for example.
        """
        raise NotImplementedError

    async def stop(self, grace: float) -> None:
        """Take no new calls, give open ones ``grace`` seconds to end, then end them."""
        raise NotImplementedError

    async def play(self, spec: MatchSpec, commit: Commit) -> Outcome:
        """Play a match once its bots have come, and return what became of it.

        The bots are told MatchEnd only after ``commit`` returned True. If it returns False or raises, or the arena fails,
        they are told MatchVoided and the outcome is Voided; so they are if this is cancelled, which then goes on as
        CancelledError. Raises ValueError if a ticket is in use already.
        """
        raise NotImplementedError
