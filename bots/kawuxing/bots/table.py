"""One match over TableService.Play, through any number of lost connections."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from datetime import timedelta
from enum import StrEnum
from typing import Any, Final

import grpc
import structlog

from kawuxing.bots.backoff import Backoff
from kawuxing.bots.bot import BotFactory, Clock, MatchInfo, Turn
from kawuxing.bots.channel import error_reason, error_text
from kawuxing.bots.errors import BotStartError, IncompatibleError, from_authors_code
from kawuxing.bots.player import Player, default_choice
from kawuxing.codec.actions import action_from_message
from kawuxing.codec.events import event_from_message
from kawuxing.codec.rules import rules_from_message
from kawuxing.engine.errors import RulesError
from kawuxing.engine.events import Event
from kawuxing.v1 import event_pb2, fault_pb2, table_service_pb2, table_service_pb2_grpc

GIVE_UP_AFTER: Final = timedelta(minutes=2)
"""How long a table may be out of reach before the match is left; the lobby assigns it again if it still lives."""

_OVER: Final = {
    fault_pb2.ERROR_REASON_UNKNOWN_TICKET,
    fault_pb2.ERROR_REASON_SUPERSEDED,
    fault_pb2.ERROR_REASON_TOO_MANY_CONNECTIONS,
    fault_pb2.ERROR_REASON_WITHDRAWN,
}
"""Reasons after which coming back is of no use."""


class Ending(StrEnum):
    """How a match ended for this client."""

    PLAYED = "played"
    VOIDED = "voided"
    LOST = "lost"
    """The table is gone, out of reach, or has another client in this seat."""


class TableClient:
    """Plays one entrant's part of one match."""

    def __init__(self, channel: Any, match_id: str, ticket: str, make_bot: BotFactory) -> None:
        """Prepare to sit down at the table behind ``channel`` with this ticket."""
        self._stub = table_service_pb2_grpc.TableServiceStub(channel)
        self._ticket = ticket
        self._make_bot = make_bot
        self._player: Player | None = None
        self._next_event = 0
        self._answered: tuple[int, int] | None = None
        self._backoff = Backoff()
        self._seen: set[tuple[str, type[Exception]]] = set()
        self._log = structlog.get_logger("kawuxing.bots").bind(match=match_id)

    @property
    def sat_down(self) -> bool:
        """Whether the match has begun for this client."""
        return self._player is not None

    async def play(self) -> Ending:
        """Play until the match is over.

        Raises BotStartError if the bot cannot be made, IncompatibleError if the arena says what this version does not
        know.
        """
        loop = asyncio.get_running_loop()
        reached = loop.time()
        while True:
            call = self._stub.Play()
            try:
                ending = await self._converse(call)
            except grpc.aio.AioRpcError as error:
                if error_reason(error) in _OVER:
                    self._log.info("left the table", status=error_text(error))
                    return Ending.LOST
                self._log.info("lost the table", status=error_text(error))
                if error.code() is not grpc.StatusCode.UNAVAILABLE:
                    reached = loop.time()
            else:
                if ending is not None:
                    return ending
                self._log.info("the table closed the stream")
            finally:
                call.cancel()
            if loop.time() - reached > GIVE_UP_AFTER.total_seconds():
                self._log.warning("gave up a table out of reach")
                return Ending.LOST
            await asyncio.sleep(self._backoff.pause().total_seconds())

    async def _converse(self, call: Any) -> Ending | None:
        """Talk on one stream until it ends; None if it ended before the match."""
        hello = table_service_pb2.Hello(ticket=self._ticket, observation_mode=table_service_pb2.OBSERVATION_MODE_DELTA)
        await call.write(table_service_pb2.PlayRequest(hello=hello))
        while (message := await call.read()) is not grpc.aio.EOF:
            match message.WhichOneof("response"):
                case "decision_request":
                    choice = await self._answer(message.decision_request)
                    decision = table_service_pb2.Decision(
                        decision_id=message.decision_request.decision_id, choice=choice
                    )
                    await call.write(table_service_pb2.PlayRequest(decision=decision))
                case "hand_end":
                    self._tell(message.hand_end.events)
                case "match_start":
                    self._start(message.match_start)
                    self._backoff.reset()
                case "resume":
                    self._resume(message.resume.events)
                case "match_end":
                    self._log.info("the match is over", record_sha256=message.match_end.record_sha256)
                    return Ending.PLAYED
                case "match_voided":
                    self._log.info("the match was voided", reason=message.match_voided.reason)
                    return Ending.VOIDED
                case _:
                    self._log.debug("skipped a message unknown to this version")
        return None

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

    async def _answer(self, request: table_service_pb2.DecisionRequest) -> int:
        self._tell(request.events)
        if self._answered is not None and self._answered[0] == request.decision_id:
            # Asked again because the answer got lost with the connection: the bot has already decided.
            return self._answered[1]
        legal = tuple(map(action_from_message, request.legal_actions))
        turn = self._the_player().turn(request.decision_id, legal, request.time_left.ToTimedelta())
        choice = legal.index(await self._choose(turn))
        self._answered = request.decision_id, choice
        return choice

    async def _choose(self, turn: Turn) -> Any:
        try:
            return await self._the_player().choose(turn)
        except Exception as error:  # noqa: BLE001  (the author's error; the match goes on)
            self._report(error, "choose", decision=turn.decision_id)
            return default_choice(turn)

    def _report(self, error: Exception, where: str, **context: Any) -> None:
        """Log an error of the bot's own: with its traceback the first time, in one line when it comes again."""
        first = (where, type(error)) not in self._seen
        self._seen.add((where, type(error)))
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
