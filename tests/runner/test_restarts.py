"""When a command that exited is started again."""

from datetime import timedelta

from kawuxing.runner.restarts import Backoff, Restarts

INSTANT = timedelta(0)


def seconds(value: float) -> timedelta:
    return timedelta(seconds=value)


def test_waits_double_up_to_the_longest() -> None:
    """Each failure in a row doubles the wait, from half a second up to thirty."""
    restarts = Restarts(Backoff(), one_match=False)
    waits = [restarts.delay(lived=seconds(1), code=1) for _ in range(9)]
    assert [seconds(s) for s in (0.5, 1, 2, 4, 8, 16, 30, 30, 30)] == waits


def test_a_long_life_resets_the_wait() -> None:
    """A process that lived for a minute was well, so that its end is a first failure again."""
    restarts = Restarts(Backoff(), one_match=False)
    restarts.delay(lived=seconds(1), code=1)
    restarts.delay(lived=seconds(59), code=1)
    assert seconds(0.5) == restarts.delay(lived=seconds(60), code=-9)
    assert seconds(1) == restarts.delay(lived=seconds(1), code=1)


def test_a_finished_match_is_no_failure() -> None:
    """A process of one match that exits with 0 is started again at once, and forgives what was before."""
    restarts = Restarts(Backoff(), one_match=True)
    restarts.delay(lived=seconds(1), code=1)
    restarts.delay(lived=seconds(1), code=1)
    assert restarts.delay(lived=seconds(1), code=0) == INSTANT
    assert seconds(0.5) == restarts.delay(lived=seconds(1), code=1)


def test_an_exit_too_soon_to_have_played_is_a_failure() -> None:
    """A command that does nothing and exits with 0 is not started hundreds of times a second."""
    restarts = Restarts(Backoff(), one_match=True)
    assert seconds(0.5) == restarts.delay(lived=seconds(0.01), code=0)
    assert seconds(1) == restarts.delay(lived=seconds(0.01), code=0)


def test_a_shared_process_that_exits_with_0_has_failed_too() -> None:
    """A bot that is to stay is not supposed to exit at all."""
    assert seconds(0.5) == Restarts(Backoff(), one_match=False).delay(lived=seconds(1), code=0)


def test_what_cannot_be_started_waits_as_well() -> None:
    """A command that cannot be started is tried again with the same waits."""
    restarts = Restarts(Backoff(), one_match=True)
    assert seconds(0.5) == restarts.delay(lived=INSTANT, code=None)
    assert seconds(1) == restarts.delay(lived=INSTANT, code=None)
