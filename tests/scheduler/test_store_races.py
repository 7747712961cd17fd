"""Many threads and processes on one store, and processes that die in the middle of what they do."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from threading import Barrier
from typing import TypeVar

from kawuxing.scheduler.store import Instance, MatchState, NewWorker, Store, TournamentState
from kawuxing.scheduler.store.testing import finished_match, small_tournament

Result = TypeVar("Result")
BOTS = ("ada", "ben", "cyd", "dan")
CAPACITY = 3
INSTANCES = tuple(Instance(id=bot, bot=bot, capacity=CAPACITY) for bot in BOTS)

_PLAYER = """
import sys
from datetime import timedelta
from kawuxing.scheduler.store import Instance, NewWorker, Store
from kawuxing.scheduler.store.testing import finished_match

url, me = sys.argv[1:]
store = Store(url)
store.register_worker(NewWorker(me, "here", 1, "here:1", 4))
instances = [Instance(bot, bot, 3) for bot in ("ada", "ben", "cyd", "dan")]
print("ready", flush=True)
counted = 0
while store.finish("cup") is None:
    store.offer_next("cup", instances, concurrency=99, expires_in=timedelta(minutes=1), deal_seed_of=lambda i, d: b"x")
    for live in store.live_matches("cup"):
        if store.start_match(live.match, live.attempt, me):
            if store.commit_result(live.match, live.attempt, me, finished_match(me)):
                counted += 1
                print("counted", live.index, flush=True)
"""
"""Offers, starts and commits until nothing is left, and tells what it counted."""

_STUCK = """
import sys, time
from datetime import timedelta
from kawuxing.scheduler.store import Instance, Store

def seed_of(index, deal):
    if index:
        print("in the middle", flush=True)
        time.sleep(600)
    return b"x"

store = Store(sys.argv[1])
instances = [Instance(bot, bot, 3) for bot in ("ada", "ben", "cyd", "dan")]
store.offer_next("cup", instances, concurrency=99, expires_in=timedelta(minutes=1), deal_seed_of=seed_of)
"""
"""Stands still inside the transaction that offers the second match."""


def start(program: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE, text=True)


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def lines_of(process: subprocess.Popen[str]) -> list[str]:
    out, _ = process.communicate(timeout=120)
    return out.splitlines()


def at_once(*calls: Callable[[], Result]) -> list[Result]:
    """Make all calls at the same moment, each in its thread."""
    barrier = Barrier(len(calls))

    def run(call: Callable[[], Result]) -> Result:
        barrier.wait()
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def prepare(url: str) -> None:
    with Store(url) as store:
        store.create_tournament(small_tournament(BOTS))
        store.begin_run("cup")


def offer(store: Store) -> tuple[int, ...]:
    offers = store.offer_next(
        "cup", INSTANCES, concurrency=99, expires_in=timedelta(minutes=1), deal_seed_of=lambda _index, _deal: b"x"
    )
    return tuple(live.match for live in offers)


def check_books(store: Store) -> None:
    """No instance has more than it can take, and what is counted is counted once."""
    live = store.live_matches("cup")
    reserved = Counter(entrant.instance for match in live for entrant in match.entrants)
    assert all(count <= CAPACITY for count in reserved.values()), reserved
    assert all(len(match.entrants) == 3 for match in live)
    indices = [result.index for result in store.results("cup")]
    assert sorted(set(indices)) == indices


def test_threads_that_offer(database: str) -> None:
    """Dispatchers that offer at the same time reserve no place twice."""
    prepare(database)
    with Store(database) as one, Store(database) as other:
        one.register_worker(NewWorker("w", "here", 1, "here:1", 64))

        offered = at_once(*[partial(offer, store) for store in (one, other) * 4])

        assert CAPACITY == len([match for matches in offered for match in matches])
        check_books(one)


def test_threads_that_start_and_commit(database: str) -> None:
    """Of all who start an offer, or commit different results, exactly one succeeds."""
    prepare(database)
    with Store(database) as one, Store(database) as other:
        stores = (one, other) * 4
        for number in range(8):
            one.register_worker(NewWorker(f"w{number}", "here", 1, "here:1", 8))
        for match in offer(one):
            started = at_once(
                *[partial(store.start_match, match, 1, f"w{number}") for number, store in enumerate(stores)]
            )
            [owner] = [str(live.incarnation) for live in started if live is not None]
            committed = at_once(
                *[
                    partial(store.commit_result, match, 1, owner, finished_match(f"{number}"))
                    for number, store in enumerate(stores)
                ]
            )
            assert 1 == committed.count(True)
        check_books(one)
        assert CAPACITY == len(one.results("cup"))


def test_commit_against_take_over(database: str) -> None:
    """A result committed while the worker's lease is revoked counts, or the match is played again: never both."""
    prepare(database)
    with Store(database) as store:
        for number in range(6):
            store.register_worker(NewWorker(f"w{number}", "here", 1, "here:1", 8))
            match = offer(store)[0]
            [attempt] = [live.attempt for live in store.live_matches() if live.match == match]
            store.start_match(match, attempt, f"w{number}")
            store.register_worker(NewWorker(f"next{number}", "here", 1, "here:1", 8))

            commit = partial(store.commit_result, match, attempt, f"w{number}", finished_match(f"{number}"))
            counted, _ = at_once(commit, partial(store.take_over, f"next{number}"))

            [status] = [status for status in store.matches("cup") if status.match == match]
            assert (MatchState.DONE if counted else MatchState.PENDING) == status.state
            assert counted == (f"{number}" in [result.sha256 for result in store.results("cup")])


def test_processes_that_play(database: str) -> None:
    """Processes that offer, start and commit at the same time count every match once between them."""
    prepare(database)
    players = [start(_PLAYER, database, name) for name in ("w1", "w2")]
    with Store(database) as store:
        while any(player.poll() is None for player in players):
            check_books(store)
        told = [line for player in players for line in lines_of(player) if line.startswith("counted")]
        assert [0, 0] == [player.returncode for player in players]
        assert sorted(f"counted {index}" for index in range(24)) == sorted(told)
        assert list(range(24)) == [result.index for result in store.results("cup")]
        assert TournamentState.FINISHED == store.finish("cup")


def test_processes_that_open_an_empty_database(database: str) -> None:
    """Processes that open a new database at the same time all find it ready."""
    program = "import sys; from kawuxing.scheduler.store import Store; print(len(Store(sys.argv[1]).bots()))"
    openers = [start(program, database) for _ in range(3)]

    assert [["0"]] * 3 == [lines_of(opener) for opener in openers]


def test_killed_in_the_middle_of_a_transaction(database: str) -> None:
    """Nothing remains of a transition whose process was killed before its end, and nobody waits for it."""
    prepare(database)
    with Store(database) as store:
        store.register_worker(NewWorker("w", "here", 1, "here:1", 64))
        stuck = start(_STUCK, database)
        assert "in the middle" == line_of(stuck)
        assert {24} == {store.progress("cup")[MatchState.PENDING]}

        stuck.send_signal(signal.SIGKILL)
        lines_of(stuck)

        assert () == store.live_matches()
        assert CAPACITY == len(offer(store))
        assert {1} == {live.attempt for live in store.live_matches()}


def test_killed_again_and_again(database: str) -> None:
    """A tournament whose process is killed at whatever moment goes on where it was; all is counted once."""
    prepare(database)
    with Store(database) as store:
        told: list[str] = []
        for life in range(100):
            store.register_worker(NewWorker(f"arena{life}", "here", 1, "here:1", 1))
            store.take_over(f"arena{life}")
            check_books(store)
            player = start(_PLAYER, database, f"w{life}")
            # It dies after it has told so many results: somewhere in what comes next.
            lines = [line_of(player) for _ in range(2 + 4 * life)]
            player.kill()
            told += [*lines, *lines_of(player)]
            if store.finish("cup") is not None:
                break

        results = store.results("cup")
        assert list(range(24)) == [result.index for result in results]
        assert list(range(24)) == [record.index for record in store.records("cup")]
        counted = [int(line.split()[1]) for line in told if line.startswith("counted ")]
        assert len(set(counted)) == len(counted)
        assert {0} == {match.voids for match in store.matches("cup")}
