"""A Bot's side of a match: the kit's own answers to the messages of a table."""

from __future__ import annotations

from collections.abc import Iterable
from traceback import walk_tb
from typing import Any

import structlog

from kawuxing.bots.bot import BotFactory, Clock, MatchInfo, Turn
from kawuxing.bots.errors import BotStartError, IncompatibleError, from_authors_code
from kawuxing.bots.player import Player, default_choice
from kawuxing.bots.table import Dialogue
from kawuxing.codec.actions import action_from_message
from kawuxing.codec.events import event_from_message
from kawuxing.codec.rules import rules_from_message
from kawuxing.engine.errors import RulesError
from kawuxing.engine.events import Event
from kawuxing.v1 import event_pb2, table_service_pb2


class BotDialogue(Dialogue):
    """Folds for a bot what it may see, and answers as it chooses."""

    mode = table_service_pb2.OBSERVATION_MODE_DELTA

    def __init__(self, make_bot: BotFactory, match_id: str) -> None:
        """Prepare; the bot is made when the match starts."""
        self._make_bot = make_bot
        self._player: Player | None = None
        self._next_event = 0
        self._answered: table_service_pb2.Decision | None = None
        self._seen: set[tuple[str, type[Exception], str, int]] = set()
        self._log = structlog.get_logger("kawuxing.bots").bind(match=match_id)

    async def hear(self, message: table_service_pb2.PlayResponse) -> table_service_pb2.Decision | None:
        """Tell the bot, and return its decision if it is asked for one."""
        match message.WhichOneof("response"):
            case "decision_request":
                return await self._answer(message.decision_request)
            case "hand_end":
                self._tell(message.hand_end.events)
            case "match_start":
                self._start(message.match_start)
            case "resume":
                self._resume(message.resume.events)
        return None

    async def close(self) -> None:
        """Do nothing: a bot is an object."""

    def _start(self, message: table_service_pb2.MatchStart) -> None:
        if self._player is not None:
            return
        try:
            info = _match_info(message)
        except (ValueError, RulesError) as error:
            raise IncompatibleError(f"this version of the kit cannot play the arena's rules: {error}") from error
        try:
            self._player = Player(self._make_bot, info)
        except Exception as error:
            raise BotStartError(f"the bot could not start: {type(error).__name__}: {error}") from error

    def _resume(self, messages: Iterable[event_pb2.Event]) -> None:
        """Rebuild the hand in progress, and tell the bot what it has not yet been told of it."""
        events = list(messages)
        told = [message for message in events if message.number < self._next_event]
        self._the_player().recall(filter(None, map(_event, told)))
        self._tell(events[len(told) :])

    def _tell(self, messages: Iterable[event_pb2.Event]) -> None:
        player = self._the_player()
        for message in messages:
            self._next_event = message.number + 1
            event = _event(message)
            if event is None:
                continue
            player.fold(event)
            try:
                player.bot.observe(event)
            except Exception as error:  # noqa: BLE001  (the author's error; the match goes on)
                self._report(error, "observe")

    async def _answer(self, request: table_service_pb2.DecisionRequest) -> table_service_pb2.Decision:
        self._tell(request.events)
        if self._answered is None or self._answered.decision_id != request.decision_id:
            legal = tuple(map(action_from_message, request.legal_actions))
            turn = self._the_player().turn(request.decision_id, legal, request.time_left.ToTimedelta())
            choice = legal.index(await self._choose(turn))
            self._answered = table_service_pb2.Decision(decision_id=request.decision_id, choice=choice)
        # Else asked again because the answer got lost with the connection: the bot has already decided.
        return self._answered

    async def _choose(self, turn: Turn) -> Any:
        try:
            return await self._the_player().choose(turn)
        except Exception as error:  # noqa: BLE001  (the author's error; the match goes on)
            self._report(error, "choose", decision=turn.decision_id)
            return default_choice(turn)

    def _report(self, error: Exception, where: str, **context: Any) -> None:
        """Log an error of the bot's own: with its traceback the first time, in one line when it comes again."""
        *_, (frame, line) = walk_tb(error.__traceback__)
        kind = where, type(error), frame.f_code.co_filename, line
        first = kind not in self._seen
        self._seen.add(kind)
        text = f"{type(error).__name__}: {error}"
        told = from_authors_code(error)
        shown = told if first and told.__traceback__ is not None else None
        self._log.error(f"the bot's {where} failed", error=text, exc_info=shown, **context)

    def _the_player(self) -> Player:
        if self._player is None:
            raise IncompatibleError("the table did not begin with MatchStart")
        return self._player


def _event(message: event_pb2.Event) -> Event | None:
    try:
        return event_from_message(message)
    except ValueError as error:
        raise IncompatibleError(f"this version of the kit cannot read event {message.number}: {error}") from error


def _match_info(message: table_service_pb2.MatchStart) -> MatchInfo:
    clock = message.clock
    return MatchInfo(
        match_id=message.match_id,
        rules=rules_from_message(message.rules),
        entrant=message.entrant,
        entrants=message.entrants,
        hands=message.hands,
        clock=Clock(
            bank=clock.bank.ToTimedelta(),
            increment=clock.increment.ToTimedelta(),
            move_max=clock.move_max.ToTimedelta(),
            start=clock.start.ToTimedelta(),
        ),
        max_faults=message.max_faults,
        bot_seed=message.bot_seed,
        commitment=message.commitment,
    )
