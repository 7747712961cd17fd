"""How a call ends that does not end well: a gRPC status whose details hold a google.rpc.ErrorInfo."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, NoReturn, TypeAlias

import grpc
import structlog
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from kawuxing.v1 import fault_pb2

ERROR_DOMAIN: Final = "kawuxing"
"""The domain of every ErrorInfo."""

_PREFIX: Final = "ERROR_REASON_"

Context: TypeAlias = Any
"""A grpc.aio.ServicerContext of raw bytes; grpc ships no types."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a call is ended: what the client gets to see."""

    code: grpc.StatusCode
    reason: fault_pb2.ErrorReason.ValueType
    message: str
    """What is wrong and what to do about it."""

    @property
    def reason_name(self) -> str:
        """The reason as ErrorInfo has it: the enum's name without its prefix, such as UNKNOWN_TICKET."""
        return fault_pb2.ErrorReason.Name(self.reason).removeprefix(_PREFIX)


Handler: TypeAlias = Callable[[Any, Context], Awaitable[None]]
"""Answers a call: takes the request (bytes, or an iterator of such) and the call's context."""

_log = structlog.get_logger(__name__)


def guarded(handler: Handler) -> Handler:
    """Return ``handler``, but what it fails of is told to the logs and not to the client, whom paths do not concern."""

    async def guard(request: Any, context: Context) -> None:
        try:
            await handler(request, context)
        except grpc.aio.AbortError:
            raise
        except grpc.aio.BaseError:
            _log.debug("the client is gone", peer=context.peer())
        except Exception:  # noqa: BLE001  (whatever failed: the client must hear something, and not this)
            _log.exception("a call failed", peer=context.peer())
            await abort(context, _FAILED)

    return guard


async def abort(context: Context, refusal: Refusal) -> NoReturn:
    """End the call of ``context``: raises what grpc.aio expects of a handler that aborts."""
    detail = any_pb2.Any()
    detail.Pack(error_details_pb2.ErrorInfo(reason=refusal.reason_name, domain=ERROR_DOMAIN))
    status = rpc_status.to_status(
        status_pb2.Status(code=refusal.code.value[0], message=refusal.message, details=[detail])
    )
    await context.abort(refusal.code, refusal.message, status.trailing_metadata)
    raise AssertionError("abort returned")  # Unreachable: grpc.aio's abort always raises.


def too_large(size: int, limit: int) -> Refusal:
    """Return the refusal of a message of ``size`` bytes."""
    return Refusal(
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        fault_pb2.ERROR_REASON_MESSAGE_TOO_LARGE,
        f"the message has {size} bytes: expected at most {limit}",
    )


def malformed(expected: str) -> Refusal:
    """Return the refusal of a message that is not the one ``expected``."""
    return Refusal(
        grpc.StatusCode.INVALID_ARGUMENT,
        fault_pb2.ERROR_REASON_MALFORMED_MESSAGE,
        f"the message could not be understood: expected {expected}",
    )


_FAILED: Final = Refusal(
    grpc.StatusCode.UNAVAILABLE,
    fault_pb2.ERROR_REASON_ARENA_FAILED,
    "the arena failed to answer; try again later, its organiser finds the reason in its logs",
)
