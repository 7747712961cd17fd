"""What a bot's author sees: one method to override, and what it is given."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from random import Random

from kawuxing.engine.actions import Action
from kawuxing.engine.events import Event
from kawuxing.engine.observation import Observation
from kawuxing.engine.rules import RuleSet


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of a match, as in chess: a decision may take up to min(``move_max``, bank + ``increment``)."""

    bank: timedelta
    """In the bank at the start of the match."""
    increment: timedelta
    """Added for each decision."""
    move_max: timedelta
    """The most that one decision can take."""
    start: timedelta
    """Allowed for the first answer instead: time to load a model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchInfo:
    """All that a bot knows before it plays a match."""

    match_id: str
    """In hex; says nothing about the tournament."""
    rules: RuleSet
    entrant: int
    """The bot's own number in the match, from 0; its seat can change between hands."""
    entrants: int
    hands: int
    clock: Clock
    max_faults: int
    """As many faults forfeit the match."""
    bot_seed: bytes
    """8 bytes. A bot that draws all its randomness from it, or from ``Turn.random``, plays reproducible games."""
    commitment: str
    """SHA-256, in hex, of the tournament's master seed: evidence worth keeping."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One question to the bot."""

    observation: Observation
    """Everything that the bot may know about the hand in progress."""
    legal: tuple[Action, ...]
    """What may be done, at least two actions, in canonical order."""
    random: Random
    """Seeded afresh for every decision from the match's bot_seed and the decision's id."""
    decision_id: int
    """Counts this bot's questions in the match, from 0."""
    time_left: timedelta
    """Time for this answer when the request arrived."""


class Bot(ABC):
    """A bot in one match. A fresh object is made for each, by calling the class with the MatchInfo.

    Matches that one process plays at once take turns in one thread. A bot that thinks long either makes :meth:`choose`
    a coroutine that waits for its work elsewhere, or is served with capacity 1.
    """

    def __init__(self, match: MatchInfo) -> None:
        """Prepare for a match; free to override.

        An exception here ends the process: better no bot than one that cannot think.
        """
        self.match = match

    @abstractmethod
    def choose(self, turn: Turn) -> Action | Awaitable[Action]:
        """Return one of ``turn.legal``; may be ``async``.

        If it raises, or returns anything else, the kit logs the traceback and plays the default action instead, as the
        arena would after a timeout: PASS, or the discard of the drawn tile. That costs a move, not the match.
        """

    def observe(self, event: Event) -> None:  # noqa: B027  (a hook that most bots leave alone)
        """Take note of an event, as this bot may see it, before the next question; free to override.

        For bots that look at the course of a hand: ``Turn.observation`` already is the sum of the events. After a lost
        connection, events of hands that ended meanwhile are missing.
        """


BotFactory = Callable[[MatchInfo], Bot]
"""Makes the bot of one match; a Bot class is one."""


def decision_random(bot_seed: bytes, decision_id: int) -> Random:
    """Return the randomness of one decision: a function of the match's bot_seed and the decision's id alone."""
    return Random(bot_seed + decision_id.to_bytes(4, "big"))  # noqa: S311  (play is no cryptography)
