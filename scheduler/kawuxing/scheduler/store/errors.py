"""The store's exceptions, one class for each kind of blame.

::

    KawuxingError
    └── StoreError                    anything the store raises on purpose
        ├── StoreUnavailableError     the database cannot be reached, opened or written
        ├── StoreVersionError         the database belongs to another version of this software
        ├── UnknownTournamentError    no tournament of that id
        ├── TournamentChangedError    the tournament exists with another config
        ├── CommitmentChangedError    the tournament exists with another master seed
        ├── BotExistsError            a bot of that name is registered already
        └── UnknownBotError           no bot of that name is registered
"""

from __future__ import annotations

from kawuxing.engine.errors import KawuxingError


class StoreError(KawuxingError):
    """Base of what the store raises on purpose."""


class StoreUnavailableError(StoreError):
    """The database cannot be reached, opened, written, or was locked by another process for too long."""


class StoreVersionError(StoreError):
    """The database has a schema that this version of the software does not know."""


class UnknownTournamentError(StoreError):
    """No tournament of that id is in the store."""

    def __init__(self, tournament: str) -> None:
        """Name the tournament."""
        super().__init__(f"tournament {tournament!r} is not in the store")
        self.tournament = tournament


class TournamentChangedError(StoreError):
    """A tournament of that id was started with another config."""

    def __init__(self, tournament: str, old_config: str) -> None:
        """Keep the config it was started with, so that the caller can list what changed."""
        super().__init__(
            f"tournament {tournament!r} was started with another config: "
            "expected the same, or another name for a new tournament"
        )
        self.tournament = tournament
        self.old_config = old_config


class CommitmentChangedError(StoreError):
    """A tournament of that id was started with another master seed."""

    def __init__(self, tournament: str, committed: str, given: str) -> None:
        """Name both commitments."""
        super().__init__(
            f"tournament {tournament!r} is committed to the master seed with SHA-256 {committed}, not {given}: "
            "expected the seed that it was started with"
        )
        self.tournament = tournament


class BotExistsError(StoreError):
    """A bot of that name is registered already."""

    def __init__(self, bot: str, *, remote: bool) -> None:
        """Name the bot and say which kind it is."""
        super().__init__(f"bot {bot!r} is registered already, as a {'remote' if remote else 'launched'} bot")
        self.bot = bot


class UnknownBotError(StoreError):
    """No bot of that name is registered."""

    def __init__(self, bot: str) -> None:
        """Name the bot."""
        super().__init__(f"bot {bot!r} is not registered")
        self.bot = bot


class NotEnteredError(StoreError):
    """A bot that is not entered in the tournament."""

    def __init__(self, bot: str, tournament: str) -> None:
        """Name both."""
        super().__init__(f"bot {bot!r} is not entered in tournament {tournament!r}")
        self.bot = bot
        self.tournament = tournament
