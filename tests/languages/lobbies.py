"""Lobbies that do one thing: end the call of whoever joins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeAlias

import grpc
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from kawuxing.v1 import lobby_service_pb2, lobby_service_pb2_grpc

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
    server = grpc.server(ThreadPoolExecutor(max_workers=2))
    lobby_service_pb2_grpc.add_LobbyServiceServicer_to_server(_Servicer(end), server)
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
