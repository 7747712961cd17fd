"""Channels to the arena, and what its errors mean."""

from __future__ import annotations

import ipaddress
from typing import Any, Final

import grpc
from google.rpc import error_details_pb2, status_pb2

from kawuxing.v1 import fault_pb2

_KEEPALIVE: Final = 20_000
"""Milliseconds between pings; the server cuts off clients that ping more often than every 10 s."""
_KEEPALIVE_TIMEOUT: Final = 10_000
OPTIONS: Final[tuple[tuple[str, int], ...]] = (
    ("grpc.keepalive_time_ms", _KEEPALIVE),
    ("grpc.keepalive_timeout_ms", _KEEPALIVE_TIMEOUT),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    # The channel's own pauses between attempts to connect grow to two minutes by default; a clock runs meanwhile.
    ("grpc.initial_reconnect_backoff_ms", 100),
    # Despite its name also how long one attempt may take: a busy or distant arena needs more than a moment.
    ("grpc.min_reconnect_backoff_ms", 5_000),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    ("grpc.enable_retries", 0),
)
"""What a channel to an arena is told."""
_DETAILS_KEY: Final = "grpc-status-details-bin"
_REASON_PREFIX: Final = "ERROR_REASON_"


def open_channel(address: str) -> Any:
    """Return a channel to ``host:port``; it connects when it is used. Call within the event loop that uses it."""
    # A proxy from the environment is meant for the internet, never for this machine.
    proxy = 0 if _is_this_machine(address) else 1
    return grpc.aio.insecure_channel(address, options=[*OPTIONS, ("grpc.enable_http_proxy", proxy)])


def error_reason(error: Any) -> int:
    """Return the ErrorReason that a failed call (grpc.aio.AioRpcError) carries, UNSPECIFIED if none known here."""
    for key, value in error.trailing_metadata() or ():
        if key == _DETAILS_KEY:
            return _reason_in(value)
    return fault_pb2.ERROR_REASON_UNSPECIFIED


def error_text(error: Any) -> str:
    """Return a failed call's status and message in one line."""
    return f"{error.code().name}: {error.details()}"


def _reason_in(details: bytes) -> int:
    for detail in status_pb2.Status.FromString(details).details:
        info = error_details_pb2.ErrorInfo()
        if detail.Unpack(info):
            reason = info.reason.removeprefix(_REASON_PREFIX)
            return dict(fault_pb2.ErrorReason.items()).get(
                f"{_REASON_PREFIX}{reason}", fault_pb2.ERROR_REASON_UNSPECIFIED
            )
    return fault_pb2.ERROR_REASON_UNSPECIFIED


def _is_this_machine(address: str) -> bool:
    host = address.rpartition(":")[0].strip("[]")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
