"""The arena's gRPC server: lobby, tables, authors' reports, health and reflection on one port."""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from collections.abc import Callable, Sequence
from typing import Final

import grpc
import grpc.aio
import structlog
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from kawuxing.engine.shapes import suit_tables
from kawuxing.runner import authors as authors_module
from kawuxing.runner import lobby as lobby_module
from kawuxing.runner import tables as tables_module
from kawuxing.runner.authors import Authors, ReportSource
from kawuxing.runner.errors import AddressError, ListenError
from kawuxing.runner.lag import LagMonitor
from kawuxing.runner.lobby import BotDirectory, Lobby
from kawuxing.runner.spec import Commit, MatchSpec, Outcome, Step
from kawuxing.runner.tables import Tables
from kawuxing.runner.timers import LoopTimers

TRANSPORT_LIMIT: Final = 1024 * 1024
"""Bytes of the largest message that gRPC hands over at all."""
KEEPALIVE_TIME: Final = 30
"""Seconds of silence after which a connection is asked for a sign of life."""
KEEPALIVE_TIMEOUT: Final = 10
"""Seconds in which it must come."""
MIN_PING_INTERVAL: Final = 10
"""Clients may ask for one every so many seconds."""

MAX_STREAMS: Final = 256
"""Streams of one connection at once; more wait at the client. A bot needs one for each match and one for the lobby."""

_PORT: Final = re.compile("[0-9]{1,5}")
_PORTS: Final = 1 << 16
OPTIONS: Final = (
    ("grpc.max_receive_message_length", TRANSPORT_LIMIT),
    ("grpc.max_send_message_length", TRANSPORT_LIMIT),
    ("grpc.max_concurrent_streams", MAX_STREAMS),
    # Else two servers could share a port, and each would see some of the bots.
    ("grpc.so_reuseport", 0),
    ("grpc.keepalive_time_ms", KEEPALIVE_TIME * 1000),
    ("grpc.keepalive_timeout_ms", KEEPALIVE_TIMEOUT * 1000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.http2.min_ping_interval_without_data_ms", MIN_PING_INTERVAL * 1000),
)
"""What an arena's gRPC server is told."""

_log = structlog.get_logger(__name__)


class ArenaServer:
    """Lets bots join and plays matches between them. One for a process, in the thread of its event loop."""

    def __init__(
        self,
        directory: BotDirectory,
        *,
        listen: str = "127.0.0.1:0",
        insecure: bool = False,
        reports: ReportSource | None = None,
        on_change: Callable[[], None] | None = None,
        interceptors: Sequence[grpc.aio.ServerInterceptor] = (),
    ) -> None:
        """Prepare to listen on ``listen`` (host:port, port 0 for any free one, IPv6 hosts in brackets).

        Bots' authors are told what is in ``reports``; without it there is no AuthorService. ``on_change`` is called
        whenever an instance of a bot came or went; ``interceptors`` see every call.

        Raises AddressError as `check_listen` does.
        """
        self._host, self._port = check_listen(listen, insecure=insecure)
        self.lobby = Lobby(directory, on_change)
        """Who is here."""
        self._authors = None if reports is None else Authors(directory, reports)
        self._interceptors = interceptors
        self._started: _Started | None = None

    async def start(self) -> str:
        """Start to listen and return the address, host:port.

        Raises ListenError if the address cannot be used, a port in use for example.
        """
        self._check_free()
        # Made on first use otherwise, while a bot's clock runs and every match waits.
        await asyncio.to_thread(suit_tables)
        timers = LoopTimers(asyncio.get_running_loop())
        lag = LagMonitor(timers)
        tables = Tables(timers, lag)
        server = grpc.aio.server(interceptors=self._interceptors, options=OPTIONS)
        server.add_generic_rpc_handlers((self.lobby.handler(), tables.handler()))
        services = [lobby_module.SERVICE, tables_module.SERVICE, health.SERVICE_NAME]
        if self._authors is not None:
            server.add_generic_rpc_handlers((self._authors.handler(),))
            services.append(authors_module.SERVICE)
        servicer = health.aio.HealthServicer()
        for service in services:
            await servicer.set(service, health_pb2.HealthCheckResponse.SERVING)
        health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
        reflection.enable_server_reflection((*services, reflection.SERVICE_NAME), server)
        host = f"[{self._host}]" if ":" in self._host else self._host
        wanted = f"{host}:{self._port}"
        try:
            port = server.add_insecure_port(wanted)
        except RuntimeError as error:
            raise ListenError(f"cannot listen on {wanted}: {error}") from None
        await server.start()
        lag.start()
        self._started = _Started(server, servicer, tables, lag)
        address = f"{host}:{port}"
        _log.info("listening", address=address)
        return address

    async def stop(self, grace: float) -> None:
        """Take no new calls, give open ones ``grace`` seconds to end, then end them."""
        if self._started is not None:
            await self._started.health.enter_graceful_shutdown()
            await self._started.server.stop(grace)
            self._started.lag.stop()
            self._started = None

    async def play(
        self, spec: MatchSpec, commit: Commit, *, waiting: Step | None = None, seated: Step | None = None
    ) -> Outcome:
        """Play a match once its bots have come, and return what became of it.

        ``waiting`` is awaited once the tickets are good here, ``seated`` once every bot has sat down and before the
        first question; ``join_time`` counts between the two.

        The bots are told MatchEnd only after ``commit`` returned True. If it returns False, or any of the three raises,
        or the arena fails, they are told MatchVoided and the outcome is Voided. If this is cancelled they are told
        MatchVoided too, and CancelledError goes on.

        Raises ValueError, naming the field, if ``spec`` cannot be recorded or a ticket is in use already.
        """
        if self._started is None:
            raise RuntimeError("play before start: expected a server that listens")
        return await self._started.tables.play(spec, commit, waiting=waiting, seated=seated)

    def _check_free(self) -> None:
        # gRPC only says that it failed; the socket says why.
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(
                self._host, self._port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            with socket.socket(family, kind, protocol) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
        except OSError as error:
            raise ListenError(f"cannot listen on {self._host}:{self._port}: {error.strerror}") from None


class _Started:
    """What only a server that listens has."""

    def __init__(
        self, server: grpc.aio.Server, servicer: health.aio.HealthServicer, tables: Tables, lag: LagMonitor
    ) -> None:
        self.server = server
        self.health = servicer
        self.tables = tables
        self.lag = lag


def check_listen(listen: str, *, insecure: bool, consent: str = "insecure = True") -> tuple[str, int]:
    """Return host and port of ``listen``, an IPv6 address without its brackets.

    Raises AddressError if it is not host:port, or is open to other machines without ``insecure``: the server does not
    encrypt, so tokens and tiles would travel in the clear. ``consent`` is how whoever gave the address says
    ``insecure``.
    """
    host, colon, port = listen.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not _is_host(host) or _PORT.fullmatch(port) is None or int(port) >= _PORTS:
        raise AddressError(f"listen is {listen!r}: expected host:port, such as 127.0.0.1:7300")
    if not insecure and not _is_loopback(host):
        raise AddressError(
            f"listen is {listen!r}, which other machines can reach without TLS: expected 127.0.0.1 (with a TLS "
            f"proxy before it, if others are to reach it), or {consent} if the network can be trusted"
        )
    return host, int(port)


def _is_host(host: str) -> bool:
    try:
        # As getaddrinfo does: no part of a name may be empty, or longer than 63 bytes.
        return host.encode("idna") != b""
    except UnicodeError:
        return False


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
