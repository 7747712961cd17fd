"""``kawuxing bridge``: plays as a program that reads and writes JSON lines (docs/bots/bridge.md)."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Sequence
from typing import Final

import structlog
from google.protobuf import json_format

from kawuxing.bots.errors import BotStartError, IncompatibleError
from kawuxing.bots.lobby import Connection, LobbyClient
from kawuxing.bots.program import MAX_LINE, Program
from kawuxing.bots.table import Dialogue
from kawuxing.codec.actions import action_from_message
from kawuxing.codec.tiles import kind_from_tile
from kawuxing.engine.faults import default_action
from kawuxing.v1 import event_pb2, table_service_pb2

MAX_STARTS: Final = 5
"""How often the program is started for one match."""
MODES: Final = {
    "snapshot": table_service_pb2.OBSERVATION_MODE_SNAPSHOT,
    "delta": table_service_pb2.OBSERVATION_MODE_DELTA,
}
_COMPLAINTS: Final = 20
"""Lines of a program that are shown in one match."""
_SHOWN: Final = 200
"""Bytes shown of a line."""
_ID_NAMES: Final = frozenset({"decisionId", "decision_id"})


class Bridge:
    """Opens the dialogue of each match with a process of its own of one program."""

    def __init__(self, command: Sequence[str], mode: table_service_pb2.ObservationMode.ValueType) -> None:
        """Take the program with its arguments, and how it is to be told what happened.

        Raises BotStartError if there is no such program.
        """
        if shutil.which(command[0]) is None:
            raise BotStartError(f"program {command[0]!r}: expected the name of a program in PATH or the path of one")
        self.command = tuple(command)
        self.mode = mode
        self.has_answered = False
        """Whether the program has ever decided anything, in any match."""

    def __call__(self, match_id: str) -> BridgeDialogue:
        """Open the dialogue of a match."""
        return BridgeDialogue(self, match_id)


async def play(command: Sequence[str], mode: str, connection: Connection) -> None:
    """Play on a connection as a program, in one of MODES.

    Raises BotStartError if the program cannot be started or never answers, and what LobbyClient.run raises.
    """
    await LobbyClient(connection, Bridge(command, MODES[mode])).run()


class BridgeDialogue(Dialogue):
    """Hands every message of a match to a program, and its answers to the table.

    A program that ends is started again, and told the match and the hand as a bot is that comes back to the table.
    """

    def __init__(self, bridge: Bridge, match_id: str) -> None:
        """Prepare; the program is started when the match starts."""
        self.mode = bridge.mode
        self._bridge = bridge
        self._program: Program | None = None
        self._starts = 0
        self._match_start = table_service_pb2.PlayResponse()
        self._events: list[event_pb2.Event] = []  # Of the hand in progress, in mode DELTA.
        self._answered: table_service_pb2.Decision | None = None
        self._complaints = 0
        self._log = structlog.get_logger("kawuxing.bots").bind(match=match_id)

    async def hear(self, message: table_service_pb2.PlayResponse) -> table_service_pb2.Decision | None:
        """Tell the program, and return its decision if it is asked for one; None if that did not come in time."""
        match message.WhichOneof("response"):
            case "match_start":
                if not self._starts:
                    await self._start()
                self._match_start = message
            case "resume":
                self._events = list(message.resume.events)
            case "decision_request":
                self._events += message.decision_request.events
                return await self._decide(message.decision_request)
            case "hand_end":
                self._events.clear()
            case None:
                return None
        self._tell(message)
        return None

    async def close(self) -> None:
        """Close the program's standard input and give it a moment to end by itself."""
        if self._program is not None:
            await self._program.close()

    async def _start(self) -> None:
        self._starts += 1
        self._program = await Program.start(self._bridge.command)

    def _tell(self, message: table_service_pb2.PlayResponse) -> None:
        if self._program is not None:
            # Fields that are zero are printed: who has no library for the protocol does not know what may be missing.
            text = json_format.MessageToJson(message, indent=None, always_print_fields_with_no_presence=True)
            self._program.write(text)

    async def _decide(self, request: table_service_pb2.DecisionRequest) -> table_service_pb2.Decision | None:
        if self._answered is None or self._answered.decision_id != request.decision_id:
            self._tell(table_service_pb2.PlayResponse(decision_request=request))
            try:
                async with asyncio.timeout(request.time_left.ToTimedelta().total_seconds()):
                    choice = await self._choose(request)
            except TimeoutError:
                self._log.warning("the program did not answer in time", decision=request.decision_id)
                return None
            self._answered = table_service_pb2.Decision(decision_id=request.decision_id, choice=choice)
        # Else asked again because the answer got lost with the connection: the program has already decided.
        return self._answered

    async def _choose(self, request: table_service_pb2.DecisionRequest) -> int:
        while (program := self._program or await self._start_again(request)) is not None:
            try:
                line = await program.read_line()
            except ValueError:
                self._complain(b"", f"skipped more than {MAX_LINE} bytes in one line")
                continue
            if line is None:
                code = await program.close()
                self._program = None
                self._log.error("the program ended", exit_code=code, times=self._starts)
            elif not line.startswith(b"{"):
                self._complain(line, "skipped what is no JSON object; let standard output have answers only")
            else:
                try:
                    decision = _read_decision(line, request)
                except ValueError as error:
                    self._complain(line, str(error))
                    break
                if decision.decision_id == request.decision_id:
                    self._bridge.has_answered = True
                    return decision.choice
                self._complain(line, f"skipped an answer to what is over: decision {request.decision_id} is open")
        return self._default_choice(request)

    async def _start_again(self, request: table_service_pb2.DecisionRequest) -> Program | None:
        """Put the open question to a new process; return None if there have been too many."""
        if self._starts == MAX_STARTS:
            if self._bridge.has_answered:
                return None
            raise BotStartError(f"the program ended {MAX_STARTS} times in one match and has never answered")
        await self._start()
        self._tell(self._match_start)
        self._tell(table_service_pb2.PlayResponse(resume=self._resume(request)))
        again = table_service_pb2.DecisionRequest()
        again.CopyFrom(request)
        # They have just been told.
        again.ClearField("events")
        self._tell(table_service_pb2.PlayResponse(decision_request=again))
        return self._program

    def _resume(self, request: table_service_pb2.DecisionRequest) -> table_service_pb2.Resume:
        observation = request.observation if request.HasField("observation") else None
        return table_service_pb2.Resume(events=self._events, observation=observation)

    def _default_choice(self, request: table_service_pb2.DecisionRequest) -> int:
        """Return the index of what the arena would play: as for a bot of the kit that fails, it costs no fault."""
        drawn = request.observation.drawn or (self._events[-1].tile_drawn.tile if self._events else 0)
        try:
            legal = tuple(map(action_from_message, request.legal_actions))
            return legal.index(default_action(legal, kind_from_tile(drawn)))
        except ValueError as error:
            raise IncompatibleError(
                f"this version knows no default for decision {request.decision_id}: {error}"
            ) from error

    def _complain(self, line: bytes, error: str) -> None:
        """Show a line of the program's that is not what it should be."""
        self._complaints += 1
        if self._complaints <= _COMPLAINTS:
            self._log.error("a line of the program is no answer", line=_printable(line[:_SHOWN]), error=error)
        if self._complaints == _COMPLAINTS:
            self._log.error("further such lines of this match are not shown")


def _printable(line: bytes) -> str:
    """Return a line so that a terminal shows it and does not obey it; the log puts it into quotes."""
    text = line.decode(errors="backslashreplace")
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)


def _read_decision(line: bytes, request: table_service_pb2.DecisionRequest) -> table_service_pb2.Decision:
    """Return a decision that answers the request, or one that came before it.

    Raises ValueError, saying what was expected, if the line can be neither.
    """
    try:
        decision = json_format.Parse(line, table_service_pb2.Decision())
    except json_format.ParseError as error:
        raise ValueError(str(error)) from error
    # In proto3 JSON null is as good as nothing.
    given = {name for name, value in json.loads(line).items() if value is not None}
    if request.decision_id and not given & _ID_NAMES:
        raise ValueError(f"decisionId is missing: expected {request.decision_id}")
    if decision.decision_id > request.decision_id:
        raise ValueError(f"decisionId is {decision.decision_id}: expected {request.decision_id}")
    if decision.decision_id == request.decision_id and decision.choice >= len(request.legal_actions):
        raise ValueError(f"choice is {decision.choice}: expected 0 to {len(request.legal_actions) - 1}")
    return decision
