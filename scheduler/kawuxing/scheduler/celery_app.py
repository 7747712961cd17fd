"""The Celery app and its one task.

The broker carries hints, never the truth: nothing is kept there, and everything may be lost or repeated.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final, Self

import structlog
from celery import Celery
from kombu.exceptions import OperationalError

QUEUE: Final = "kawuxing"
PLAY_MATCH: Final = "kawuxing.play_match"

_log = structlog.get_logger(__name__)

PlayMatch = Callable[[int, int], None]
"""Takes a match and an attempt, the store's own numbers, and returns when that attempt is over."""


def make_celery(broker_url: str) -> Celery:
    """Return a Celery app on this broker, still without its task."""
    embedded = broker_url.startswith("memory:")
    if broker_url == "memory://":
        # kombu warns about a URL without a host, although this transport has none.
        broker_url = "memory://localhost//"
    app = Celery("kawuxing", broker=broker_url, set_as_current=False)
    app.conf.update(
        task_serializer="json",
        accept_content=["json"],
        task_default_queue=QUEUE,
        task_ignore_result=True,
        # A task that was lost with its worker is worth repeating: the store decides whether it still means anything.
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        worker_pool="threads",
        # Embedded, at 1 a free slot would wait two seconds for its next task; no more is offered than there are slots.
        # Of several workers none may take more than it has slots for: the others would wait for what it holds.
        worker_prefetch_multiplier=0 if embedded else 1,
        worker_enable_remote_control=False,
        worker_send_task_events=False,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        broker_connection_retry_on_startup=True,
        broker_transport_options={"polling_interval": 0.02} if embedded else {},
    )
    return app


def register_play_match(app: Celery, play: PlayMatch) -> None:
    """Let this process's workers play matches with ``play``."""

    def play_match(match: int, attempt: int) -> None:
        play(match, attempt)

    # A shared task would be that of every app made later in this process too, in place of their own.
    app.task(play_match, name=PLAY_MATCH, shared=False)


def enqueue_play_match(app: Celery, match: int, attempt: int) -> None:
    """Send some worker the hint to play an offer; call it only after the offer is committed.

    With a broker that is away this does nothing but say so: the offer expires and is made again.
    """
    try:
        app.send_task(PLAY_MATCH, (match, attempt))
    except OperationalError as error:
        _log.warning("broker unavailable", error=str(error))


class CeleryThread:
    """A Celery worker with a pool of threads, run by a thread of this process instead of one of its own."""

    def __init__(self, app: Celery, *, concurrency: int) -> None:
        """Prepare a worker that runs up to ``concurrency`` tasks at once."""
        self._app = app
        self._controller: Any = app.WorkController(
            concurrency=concurrency,
            hostname="arena@localhost",
            without_mingle=True,
            without_gossip=True,
            without_heartbeat=True,
        )
        self._thread = threading.Thread(target=self._controller.start, name="kawuxing-celery", daemon=True)

    def __enter__(self) -> Self:
        """Start to take tasks."""
        # The pool's threads look a task up in the app of their process, not in the worker's.
        self._app.set_default()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Take no more tasks; wait for those that run, and for those queued, which must be quick to refuse by now."""
        self._controller.stop()
        self._thread.join()
