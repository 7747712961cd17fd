"""The exceptions of the part that launches bots and serves their matches, one class for each kind of blame.

::

    KawuxingError
    ├── LaunchError     a bot cannot be launched as its configuration asks
    ├── AddressError    the address to listen on is none, or must not be used like that
    └── ListenError     the address to listen on cannot be used on this machine
"""

from __future__ import annotations

from kawuxing.engine.errors import KawuxingError


class LaunchError(KawuxingError):
    """A bot that cannot be launched as asked; the text names the bot, the value and what was expected."""


class AddressError(KawuxingError):
    """An address to listen on that is malformed, or open to others without encryption; the text shows a good one."""


class ListenError(KawuxingError):
    """An address to listen on that this machine does not have, or that is in use."""
