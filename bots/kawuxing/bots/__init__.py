"""The Python bot kit: derive from :class:`Bot`, override ``choose``, call :func:`serve` (docs/bots.md).

Importing it imports neither grpc nor protobuf; :func:`serve` does.
"""

from __future__ import annotations

from kawuxing.bots.bot import Bot, BotFactory, Clock, MatchInfo, Turn
from kawuxing.bots.command import serve

__all__ = ["Bot", "BotFactory", "Clock", "MatchInfo", "Turn", "serve"]
