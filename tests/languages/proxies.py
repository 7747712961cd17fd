"""What stands between a bot and an arena, and loses connections."""

from __future__ import annotations

import itertools
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

CUTS: Final = (8192, 16384, 32768)
"""Bytes from the arena after which the first connections of a ``breaking_proxy`` break."""


@contextmanager
def breaking_proxy(address: str, arena: str) -> Iterator[list[int]]:
    """Forward connections to the arena, the first of them only for so many bytes; give the list of those broken."""
    broken: list[int] = []
    limits = itertools.chain(CUTS, itertools.repeat(None))

    def forward(bot: socket.socket, upstream: socket.socket) -> None:
        _start(_pump, bot, upstream)
        _start(_pump, upstream, bot, next(limits), broken)

    with _listening(socket.create_server(_host_and_port(address)), arena, forward):
        yield broken


@contextmanager
def cut_off_proxy(arena: str) -> Iterator[tuple[str, Callable[[], None]]]:
    """Forward connections to the arena; give the address to connect to, and what breaks all of them at once."""
    open_ones: list[socket.socket] = []

    def forward(bot: socket.socket, upstream: socket.socket) -> None:
        open_ones.append(upstream)
        _start(_pump, bot, upstream)
        _start(_pump, upstream, bot)

    def cut() -> None:
        while open_ones:
            # One that ended by itself is closed.
            with suppress(OSError):
                open_ones.pop().shutdown(socket.SHUT_RDWR)

    listener = socket.create_server(("127.0.0.1", 0))
    with _listening(listener, arena, forward):
        yield f"127.0.0.1:{listener.getsockname()[1]}", cut


@contextmanager
def _listening(
    listener: socket.socket, arena: str, forward: Callable[[socket.socket, socket.socket], None]
) -> Iterator[None]:
    accepting = _start(_accept_all, listener, _host_and_port(arena), forward)
    try:
        yield
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        accepting.join()
        listener.close()


def _accept_all(
    listener: socket.socket, arena: tuple[str, int], forward: Callable[[socket.socket, socket.socket], None]
) -> None:
    while True:
        try:
            bot, _ = listener.accept()
        except OSError:
            return
        forward(bot, socket.create_connection(arena))


def _start(work: Callable[..., None], *arguments: object) -> threading.Thread:
    thread = threading.Thread(target=work, args=arguments, daemon=True)
    thread.start()
    return thread


def _pump(
    source: socket.socket, sink: socket.socket, limit: int | None = None, broken: list[int] | None = None
) -> None:
    """Copy until either side ends or ``limit`` bytes have gone by, then end both."""
    passed = 0
    # What ends one direction ends the other with an error.
    with source, sink, suppress(OSError):
        while piece := source.recv(4096):
            sink.sendall(piece)
            passed += len(piece)
            if limit is not None and broken is not None and passed >= limit:
                broken.append(limit)
                break
        for side in (source, sink):
            side.shutdown(socket.SHUT_RDWR)


def _host_and_port(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    return host, int(port)
