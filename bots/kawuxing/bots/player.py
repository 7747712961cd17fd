"""A bot in one match, without any network: fed with events, asked for actions."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from datetime import timedelta

from kawuxing.bots.arguments import instance, shown_answer
from kawuxing.bots.bot import Bot, BotFactory, MatchInfo, Turn, decision_random
from kawuxing.engine.actions import Action
from kawuxing.engine.errors import IllegalAnswerError
from kawuxing.engine.events import HIDDEN, Event
from kawuxing.engine.faults import default_action
from kawuxing.engine.observation import Observer


class Player:
    """Holds a bot and folds for it what it may see."""

    def __init__(self, make_bot: BotFactory, info: MatchInfo) -> None:
        """Make the bot; whatever its constructor raises goes to the caller.

        Raises ValueError if what was made is no Bot.
        """
        self.info = info
        self.bot: Bot = instance("bot", make_bot(info), Bot)  # type: ignore[type-abstract]
        self._observer = Observer(info.entrant)

    def fold(self, event: Event) -> None:
        """Take in one redacted event. Raises ValueError if it cannot follow on those before."""
        self._observer.apply(event)

    def recall(self, events: Iterable[Event]) -> None:
        """Forget the hand in progress and fold its events again from its start."""
        self._observer = Observer(self.info.entrant)
        for event in events:
            self._observer.apply(event)

    def turn(self, decision_id: int, legal: tuple[Action, ...], time_left: timedelta) -> Turn:
        """Return the question that the bot is now to be asked."""
        return Turn(
            observation=self._observer.observation(),
            legal=legal,
            random=decision_random(self.info.bot_seed, decision_id),
            decision_id=decision_id,
            time_left=time_left,
        )

    async def choose(self, turn: Turn) -> Action:
        """Return the bot's action.

        Raises IllegalAnswerError if it is not a legal one, and whatever the bot raises.
        """
        chosen = self.bot.choose(turn)
        action = await chosen if inspect.isawaitable(chosen) else chosen
        if action not in turn.legal:
            raise IllegalAnswerError(
                f"{type(self.bot).__name__}.choose returned {shown_answer(action, turn.legal)}: "
                f"expected one of the {len(turn.legal)} actions in Turn.legal"
            )
        return action


def default_choice(turn: Turn) -> Action:
    """Return what is played for a bot that does not decide: what the arena would play for it."""
    observation = turn.observation
    return default_action(turn.legal, observation.drawn if observation.drawn != HIDDEN else -1)
