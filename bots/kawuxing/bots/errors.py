"""What can keep a bot from playing, one class for each kind of blame, each with the exit code of its process.

::

    KawuxingError
    └── BotKitError                1
        ├── BotStartError          1  the bot's own constructor failed
        ├── CredentialsError       2  an address, token or other setting is missing, malformed or refused
        └── IncompatibleError      3  the arena speaks a protocol or plays rules that this version does not know
"""

from __future__ import annotations

from typing import ClassVar, Final

from kawuxing.engine.errors import KawuxingError

_CALLERS: Final = frozenset({"kawuxing.bots.dialogue", "kawuxing.bots.player"})
"""The modules of the kit that call what a bot's author wrote."""


class BotKitError(KawuxingError):
    """Base of everything that ends a bot's process early; its text is meant for the bot's author."""

    exit_code: ClassVar[int] = 1


class BotStartError(BotKitError):
    """The bot's own code failed before it could play."""


class CredentialsError(BotKitError):
    """What the bot was told about the arena is missing, malformed or refused: address, token, capacity."""

    exit_code: ClassVar[int] = 2


class IncompatibleError(BotKitError):
    """The arena and this version of the kit do not understand each other."""

    exit_code: ClassVar[int] = 3


def from_authors_code(error: BaseException) -> BaseException:
    """Return an error with a traceback that begins where the kit called the author's code; empty if it never did."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_frame.f_globals.get("__name__") in _CALLERS:
        traceback = traceback.tb_next
    return error.with_traceback(traceback)
