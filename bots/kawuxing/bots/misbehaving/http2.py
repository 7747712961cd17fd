"""As much of HTTP/2 (RFC 9113, RFC 7541) as it takes to begin a gRPC call by hand, in ways no gRPC client lets one."""

from __future__ import annotations

import struct
from typing import Final

PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

_DATA: Final = 0x0
_HEADERS: Final = 0x1
_SETTINGS: Final = 0x4
_END_HEADERS: Final = 0x4
_INITIAL_WINDOW_SIZE: Final = 0x4
_FIRST_STREAM: Final = 1


def opening(*, window: int) -> bytes:
    """Return a connection's first bytes; ``window`` is how many the server may send on a stream, until told more."""
    return PREFACE + _frame(_SETTINGS, 0, 0, struct.pack(">HI", _INITIAL_WINDOW_SIZE, window))


def call(authority: str, path: str, message: bytes) -> bytes:
    """Return the beginning of a connection's first call: its headers and one message."""
    headers = {
        ":method": "POST",
        ":scheme": "http",
        ":path": path,
        ":authority": authority,
        "te": "trailers",
        "content-type": "application/grpc",
    }
    block = b"".join(b"\0" + _text(name) + _text(value) for name, value in headers.items())
    body = struct.pack(">BI", 0, len(message)) + message
    return _frame(_HEADERS, _END_HEADERS, _FIRST_STREAM, block) + _frame(_DATA, 0, _FIRST_STREAM, body)


def _text(text: str) -> bytes:
    # Without Huffman's code; a length below 127 is one byte.
    return bytes((len(text),)) + text.encode("ascii")


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload
