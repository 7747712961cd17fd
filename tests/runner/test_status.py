"""What a call's handler fails of."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import grpc.aio

from kawuxing.runner.status import guarded


async def test_a_client_that_hangs_up_while_it_is_answered_is_no_failure(caplog: Any) -> None:
    """Nothing more is said to it, and nothing in the logs that an outsider could fill."""

    async def hang_up(_: object, context: Any) -> None:
        raise context.error

    # No abort: a second one is what gRPC complains of.
    context = SimpleNamespace(error=grpc.aio.BaseError(), peer=lambda: "ipv4:127.0.0.1:1")

    assert await guarded(hang_up)(b"", context) is None  # type: ignore[func-returns-value]
    assert [] == [record for record in caplog.records if record.levelname != "DEBUG"]
