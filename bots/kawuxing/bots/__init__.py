"""The Python bot kit: derive from :class:`Bot`, override ``choose``, call :func:`serve` (docs/bots/kit.md).

- A bot and what it is given: :class:`Bot`, :class:`MatchInfo`, :class:`Clock`, :class:`Turn`.
- What it can compute: :class:`Sight` counts what it sees, :class:`Holding` has the mathematics of a hand.
- Matches at home: :class:`Arena` plays many and returns :class:`Results`; a :class:`LocalMatch` goes step by step.

Importing it imports neither grpc nor protobuf; :func:`serve` does.
"""

from __future__ import annotations

from kawuxing.bots.analysis import Holding
from kawuxing.bots.arena import Arena, BotResult, PlayedMatch, Results, SeatOrders, Walls
from kawuxing.bots.bot import Bot, BotFactory, Clock, MatchInfo, Turn
from kawuxing.bots.command import serve
from kawuxing.bots.local import LocalMatch
from kawuxing.bots.sight import Sight

__all__ = [
    "Arena",
    "Bot",
    "BotFactory",
    "BotResult",
    "Clock",
    "Holding",
    "LocalMatch",
    "MatchInfo",
    "PlayedMatch",
    "Results",
    "SeatOrders",
    "Sight",
    "Turn",
    "Walls",
    "serve",
]
