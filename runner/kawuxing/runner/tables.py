"""TableService: takes the bots' Play streams to the tables that are being played here."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Final

import grpc
import grpc.aio
import structlog
from google.protobuf.message import DecodeError

from kawuxing.runner import frames
from kawuxing.runner.connection import Connection
from kawuxing.runner.lag import LagMonitor
from kawuxing.runner.seat import MAX_MESSAGE
from kawuxing.runner.spec import Commit, MatchSpec, NoShow, Outcome, Played, Step, Voided
from kawuxing.runner.status import Context, Refusal, abort, guarded, malformed, too_large
from kawuxing.runner.table import Table, TableVoidError
from kawuxing.runner.timers import Timers
from kawuxing.v1 import fault_pb2, table_service_pb2

SERVICE: Final = table_service_pb2.DESCRIPTOR.services_by_name["TableService"].full_name
HELLO_TIME: Final = 5.0
"""Seconds that a stream has to say Hello."""

_log = structlog.get_logger(__name__)


class Tables:
    """The matches that are played in this process, by their tickets."""

    def __init__(self, timers: Timers, lag: LagMonitor) -> None:
        """Begin without a match."""
        self._timers = timers
        self._lag = lag
        self._places: dict[str, tuple[Table, int]] = {}

    def handler(self) -> grpc.GenericRpcHandler:
        """Return what a server registers: Play on raw bytes, so that size and form are judged here."""
        play = grpc.stream_stream_rpc_method_handler(guarded(self._play))
        return grpc.method_handlers_generic_handler(SERVICE, {"Play": play})

    async def play(
        self, spec: MatchSpec, commit: Commit, *, waiting: Step | None = None, seated: Step | None = None
    ) -> Outcome:
        """Play a match, as ArenaServer.play says."""
        for entrant in spec.entrants:
            if entrant.ticket in self._places:
                raise ValueError(f"match {spec.match_id}: the ticket of {entrant.name} is in use: expected a new one")
        table = Table(spec, self._timers, self._lag)
        for number, entrant in enumerate(spec.entrants):
            self._places[entrant.ticket] = table, number
        log = _log.bind(tournament=spec.tournament, match=spec.match_id)
        entrants = range(len(spec.entrants))
        last_words = [frames.match_voided_frame("the arena gave this attempt up")] * len(entrants)
        try:
            outcome = await self._attempt(table, spec, commit, waiting, seated)
            if isinstance(outcome, Played):
                last_words = [frames.match_end_frame(outcome.record, entrant) for entrant in entrants]
            elif isinstance(outcome, NoShow):
                last_words = [frames.match_voided_frame("not every bot came")] * len(entrants)
                log.info("no-show", bots=[spec.entrants[entrant].name for entrant in outcome.absent])
            else:
                last_words = [frames.match_voided_frame(outcome.reason)] * len(entrants)
                log.warning("match voided", reason=outcome.reason)
        except asyncio.CancelledError:
            log.warning("match cancelled")
            raise
        else:
            return outcome
        finally:
            for entrant in spec.entrants:
                del self._places[entrant.ticket]
            table.close(last_words)

    async def _attempt(
        self, table: Table, spec: MatchSpec, commit: Commit, waiting: Step | None, seated: Step | None
    ) -> Outcome:
        try:
            if waiting is not None:
                await waiting()
            absent = await table.gather(spec.join_time)
            if absent:
                return NoShow(absent)
            if seated is not None:
                await seated()
            played = await table.play()
            committed = await commit(played)
        except TableVoidError as void:
            return Voided(str(void))
        except Exception:  # noqa: BLE001
            # Whatever fails here is the arena's, and the bots must be told that the match does not count.
            _log.exception("the arena failed", tournament=spec.tournament, match=spec.match_id)
            return Voided("the arena failed; its log says how")
        return played if committed else Voided("the result was not accepted: the match is no longer this arena's")

    async def _play(self, _requests: object, context: Context) -> None:
        hello = await self._read_hello(context)
        if hello is None:
            return
        place = self._places.get(hello.ticket)
        if place is None:
            await abort(
                context,
                Refusal(
                    grpc.StatusCode.NOT_FOUND,
                    fault_pb2.ERROR_REASON_UNKNOWN_TICKET,
                    "the ticket is unknown, or its match is over or elsewhere: expected that of a live Assignment",
                ),
            )
        table, entrant = place
        connection = Connection(context)
        snapshot = hello.observation_mode == table_service_pb2.OBSERVATION_MODE_SNAPSHOT
        refusal = table.attach(entrant, connection, snapshot=snapshot)
        if refusal is None:
            try:
                refusal = await connection.run(partial(table.seats[entrant].receive, connection))
            except Exception:
                table.void("the arena failed while it read a bot's message")
                raise
            finally:
                table.detach(entrant, connection, refusal)
        if refusal is not None:
            await abort(context, refusal)

    async def _read_hello(self, context: Context) -> table_service_pb2.Hello | None:
        """Return the stream's Hello, None if the client left first; abort the call if there is none."""
        try:
            async with asyncio.timeout(HELLO_TIME):
                data = await context.read()
        except TimeoutError:
            await abort(context, _hello_expected(f"nothing came in {HELLO_TIME:g} s"))
        if data is grpc.aio.EOF:
            return None
        if len(data) > MAX_MESSAGE:
            await abort(context, too_large(len(data), MAX_MESSAGE))
        try:
            request = table_service_pb2.PlayRequest.FromString(data)
        except DecodeError:
            await abort(context, malformed("a kawuxing.v1.PlayRequest"))
        if request.WhichOneof("request") != "hello":
            await abort(context, _hello_expected("the first message was none"))
        return request.hello


def _hello_expected(what: str) -> Refusal:
    return Refusal(
        grpc.StatusCode.FAILED_PRECONDITION,
        fault_pb2.ERROR_REASON_HELLO_EXPECTED,
        f"{what}: expected a Hello within {HELLO_TIME:g} s as the first message of Play",
    )
