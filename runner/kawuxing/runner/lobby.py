"""The lobby: which instances of which bots are here, and what each was told to play."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol


class BotDirectory(Protocol):
    """Who may join."""

    async def authenticate(self, token: str) -> str | None:
        """Return the name of the bot whose token this is, None if it is nobody's."""
        ...


class Farewell(Enum):
    """Why the lobby closes; the values are those of GoodbyeReason in the protocol."""

    FINISHED = 1
    """The tournament is over."""
    STOPPING = 2
    """The server is stopping, perhaps to start again."""


@dataclass(frozen=True, slots=True)
class Instance:
    """One connected instance of a bot."""

    id: str
    """Never used twice, not even after a restart."""
    bot: str
    capacity: int
    """How many matches it plays at once, 1 to 64."""


@dataclass(frozen=True, slots=True)
class LiveAssignment:
    """A match that a bot was told to play and that is neither over nor cancelled."""

    match_id: str
    bot: str
    instance_id: str | None
    """The instance that has it; None if that one is gone and no new one has come yet."""
    address: str
    ticket: str


class Lobby:
    """Signs bots in and tells them their matches. To be used from the thread of the server's loop only."""

    def __init__(self, directory: BotDirectory, on_change: Callable[[], None] | None = None) -> None:
        """Let in the bots of ``directory``; ``on_change`` is called whenever an instance came or went."""
        raise NotImplementedError

    def instances(self) -> tuple[Instance, ...]:
        """Return the connected instances, in the order in which they joined."""
        raise NotImplementedError

    def assignments(self) -> tuple[LiveAssignment, ...]:
        """Return what is assigned now, in the order in which it was assigned."""
        raise NotImplementedError

    def assign(self, match_id: str, bot: str, instance_id: str, address: str, ticket: str) -> None:
        """Tell an instance to play a match at ``address`` (empty: this server).

        If the instance has gone, the next one of this bot that joins is told. Raises ValueError if the bot is in that
        match already.
        """
        raise NotImplementedError

    def release(self, match_id: str, reason: str | None = None) -> None:
        """Forget the assignments of a match that is over (no reason) or will not be played now (Cancelled is sent)."""
        raise NotImplementedError

    def withdraw(self, bot: str, message: str) -> None:
        """Send the bot away for good: Goodbye to its instances, refusal to whoever joins as it later."""
        raise NotImplementedError

    def goodbye(self, reason: Farewell, message: str) -> None:
        """Send everybody away, and those that join from now on too."""
        raise NotImplementedError
