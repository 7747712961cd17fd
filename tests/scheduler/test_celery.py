"""Celery with the embedded broker, and with one that is away."""

from __future__ import annotations

import queue
import statistics
import threading
import time

from structlog.testing import capture_logs

from kawuxing.scheduler.celery_app import CeleryThread, enqueue_play_match, make_celery, register_play_match

TIMEOUT = 30


def test_a_free_slot_is_refilled_within_a_tenth_of_a_second() -> None:
    """A task that waits begins as soon as another ends: the default of Celery takes two seconds."""
    app = make_celery("memory://")
    begun: queue.Queue[tuple[int, float]] = queue.Queue()
    go_on = threading.Semaphore(0)

    def play(match: int, _attempt: int) -> None:
        begun.put((match, time.monotonic()))
        assert go_on.acquire(timeout=TIMEOUT)

    register_play_match(app, play)
    rounds = 20
    waits = []
    with CeleryThread(app, concurrency=2):
        for match in range(rounds):
            enqueue_play_match(app, match, 1)
        first = {begun.get(timeout=TIMEOUT)[0] for _ in range(2)}
        for _ in range(rounds - 2):
            assert begun.empty()
            freed = time.monotonic()
            go_on.release()
            waits.append(begun.get(timeout=TIMEOUT)[1] - freed)
        go_on.release(2)

    assert {0, 1} == first
    assert statistics.median(waits) < 0.1, waits


def test_a_task_carries_the_match_and_the_attempt_and_nothing_else() -> None:
    """The broker is told which offer it is about; what that means stands in the store."""
    app = make_celery("memory://")
    played: queue.Queue[tuple[int, int]] = queue.Queue()
    register_play_match(app, lambda match, attempt: played.put((match, attempt)))
    with CeleryThread(app, concurrency=1):
        for number in range(3):
            enqueue_play_match(app, number, number + 10)
        assert [(0, 10), (1, 11), (2, 12)] == [played.get(timeout=TIMEOUT) for _ in range(3)]


def test_a_task_that_fails_does_not_stop_the_worker() -> None:
    """It is logged, and the next one is played."""
    app = make_celery("memory://")
    played: queue.Queue[int] = queue.Queue()

    def play(match: int, _attempt: int) -> None:
        if match == 0:
            raise RuntimeError("out of luck")
        played.put(match)

    register_play_match(app, play)
    with CeleryThread(app, concurrency=1):
        enqueue_play_match(app, 0, 1)
        enqueue_play_match(app, 1, 1)
        assert 1 == played.get(timeout=TIMEOUT)


def test_a_broker_that_is_away_is_only_logged() -> None:
    """The offer stays in the store, expires, and is made again."""
    # Nothing listens on port 1.
    app = make_celery("amqp://guest:guest@127.0.0.1:1//")
    with capture_logs() as logs:
        enqueue_play_match(app, 1, 1)

    assert [("broker unavailable", "warning")] == [(line["event"], line["log_level"]) for line in logs]
