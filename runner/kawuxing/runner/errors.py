"""The exceptions of the part that serves matches, one class for each kind of blame.

::

    KawuxingError
    └── ListenError     the address to listen on cannot be used, or must not be used like that
"""

from __future__ import annotations

from kawuxing.engine.errors import KawuxingError


class ListenError(KawuxingError):
    """An address to listen on that is malformed, in use, or open to others without encryption."""
