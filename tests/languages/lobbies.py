"""Arenas that do one thing: end the call of whoever joins, or wait at a table for whoever comes back."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeAlias

import grpc
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from kawuxing.codec.rules import rules_to_message
from kawuxing.engine.rules import load_preset
from kawuxing.runner.server import OPTIONS
from kawuxing.v1 import lobby_service_pb2, lobby_service_pb2_grpc, table_service_pb2, table_service_pb2_grpc

Ending: TypeAlias = Callable[[Any], Iterator[lobby_service_pb2.JoinResponse]]
"""Ends a call, given its grpc.ServicerContext, after what it yields."""


def refusing(code: grpc.StatusCode, reason: str, message: str) -> Ending:
    """Refuse with a status that carries this reason."""

    def end(context: Any) -> Iterator[lobby_service_pb2.JoinResponse]:
        detail = any_pb2.Any()
        detail.Pack(error_details_pb2.ErrorInfo(reason=reason, domain="kawuxing"))
        context.abort_with_status(
            rpc_status.to_status(status_pb2.Status(code=code.value[0], message=message, details=[detail]))
        )
        yield lobby_service_pb2.JoinResponse()

    return end


def saying_goodbye(reason: lobby_service_pb2.GoodbyeReason.ValueType) -> Ending:
    """Welcome, and say goodbye for this reason at once."""

    def end(_: Any) -> Iterator[lobby_service_pb2.JoinResponse]:
        yield lobby_service_pb2.JoinResponse(welcome=lobby_service_pb2.Welcome(bot="bot"))
        yield lobby_service_pb2.JoinResponse(goodbye=lobby_service_pb2.Goodbye(reason=reason))

    return end


@contextmanager
def lobby(end: Ending) -> Iterator[str]:
    """Serve a lobby that ends calls so; give its address."""
    server = grpc.server(ThreadPoolExecutor(max_workers=2), options=OPTIONS)
    lobby_service_pb2_grpc.add_LobbyServiceServicer_to_server(_Servicer(end), server)
    with _serving(server) as address:
        yield address


class QuietTable(table_service_pb2_grpc.TableServiceServicer):
    """A table of one match at which nothing happens, until somebody comes back to it: then the match is over."""

    def __init__(self) -> None:
        """Prepare for whoever comes."""
        self.occupied = threading.Event()
        self.over = threading.Event()

    @contextmanager
    def serve(self) -> Iterator[str]:
        """Give the table's address."""
        server = grpc.server(ThreadPoolExecutor(max_workers=4), options=OPTIONS)
        table_service_pb2_grpc.add_TableServiceServicer_to_server(self, server)
        with _serving(server) as address:
            yield address

    def assigning(self, address: str) -> Ending:
        """Send whoever joins to the table at this address, and say goodbye after the match."""

        def end(_: Any) -> Iterator[lobby_service_pb2.JoinResponse]:
            assignment = lobby_service_pb2.Assignment(match_id="m0", address=address, ticket="ticket")
            goodbye = lobby_service_pb2.Goodbye(reason=lobby_service_pb2.GOODBYE_REASON_FINISHED)
            yield lobby_service_pb2.JoinResponse(welcome=lobby_service_pb2.Welcome(bot="bot"))
            yield lobby_service_pb2.JoinResponse(assignment=assignment)
            self.over.wait()
            yield lobby_service_pb2.JoinResponse(goodbye=goodbye)

        return end

    def Play(  # noqa: N802  (named by the protocol)
        self,
        request_iterator: Iterator[table_service_pb2.PlayRequest],
        context: Any,
    ) -> Iterator[table_service_pb2.PlayResponse]:
        """Begin the match; end it if it is not the first time."""
        next(request_iterator)
        start = table_service_pb2.MatchStart(
            match_id="m0", entrants=3, hands=1, rules=rules_to_message(load_preset()), max_faults=3, bot_seed=bytes(32)
        )
        yield table_service_pb2.PlayResponse(match_start=start)
        if self.occupied.is_set():
            yield table_service_pb2.PlayResponse(match_end=table_service_pb2.MatchEnd())
            self.over.set()
        else:
            gone = threading.Event()
            context.add_callback(gone.set)
            self.occupied.set()
            gone.wait()


@contextmanager
def _serving(server: grpc.Server) -> Iterator[str]:
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(0).wait()


class _Servicer(lobby_service_pb2_grpc.LobbyServiceServicer):
    def __init__(self, end: Ending) -> None:
        self._end = end

    def Join(self, request: lobby_service_pb2.JoinRequest, context: Any) -> Iterator[lobby_service_pb2.JoinResponse]:  # noqa: N802, ARG002  (named by the protocol)
        return self._end(context)
