"""Whole tournaments, run and killed and run again as an organiser would."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from tests.e2e.arena import Arena, tournament


def _wait_until(condition: Callable[[], bool], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.02)


def _record_bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / "records").iterdir())}


def test_a_run_plays_every_match_and_leaves_a_folder_that_verifies(played: Arena) -> None:
    """Three bots in all six seat orders make six matches, and each has a record in the folder."""
    result = played.json("verify", played.exported)

    assert ["replay", "walls", "tournament"] == result["levels"]
    assert 6 == result["records"]
    assert 6 == len(_record_bytes(played.exported))


def test_the_same_seed_and_bots_give_the_same_bytes_whatever_the_concurrency(played: Arena, arena: Arena) -> None:
    """Another run, one match at a time, gives the same digest, records and leaderboard, but for decision times."""
    again = arena.json(*arena.run_arguments(), "--concurrency", "1")

    before = json.loads((played.exported / "tournament.json").read_text())
    assert before["digest"] == again["digest"]
    assert _record_bytes(played.exported) == _record_bytes(arena.exported)
    assert _without_times(played) == _without_times(arena)


LEAVER = """
import asyncio, os
import grpc.aio
from kawuxing.v1.lobby_service_pb2 import JoinRequest
from kawuxing.v1.lobby_service_pb2_grpc import LobbyServiceStub
from kawuxing.v1.table_service_pb2_grpc import TableServiceStub
from plain_bot import sit

async def main():
    async with grpc.aio.insecure_channel(os.environ["KAWUXING_ADDRESS"]) as channel:
        request = JoinRequest(token=os.environ["KAWUXING_TOKEN"], capacity=4, protocol_version=1)
        matches = []
        async for message in LobbyServiceStub(channel).Join(request):
            if message.HasField("assignment"):
                matches.append(asyncio.create_task(sit(TableServiceStub(channel), message.assignment.ticket)))
            if message.HasField("goodbye"):
                os._exit(0)

asyncio.run(main())
"""


def test_a_bot_that_leaves_at_its_goodbye_is_no_news(arena: Arena) -> None:
    """It exits with 0 before the arena ends it: nobody is warned, and it is not started again."""
    (arena.folder / "leaver.py").write_text(LEAVER, "utf-8")
    leaver = f"""
[[bots]]
name = "leaver"
command = ["python", "leaver.py"]
env = {{ PYTHONPATH = {json.dumps(str(Path(__file__).parent))} }}
"""
    arena.write(tournament(bots=2) + leaver)
    said = arena.command(*arena.run_arguments(), "--log-level", "info").stderr

    lines = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    assert not [line for line in lines if line["level"] not in {"debug", "info"}]
    assert ["leaver"] == [line["bot"] for line in lines if line["event"] == "bot started" and line["bot"] == "leaver"]


def _without_times(arena: Arena) -> list[dict[str, object]]:
    rows = json.loads((arena.exported / "leaderboard.json").read_text())["rows"]
    return [{key: value for key, value in row.items() if key != "times"} for row in rows]


def test_another_seed_gives_another_digest(played: Arena, arena: Arena) -> None:
    """The seed is what the records depend on."""
    arena.write(tournament().replace("a practice seed", "another practice seed"))

    assert (
        arena.json(*arena.run_arguments())["digest"]
        != json.loads((played.exported / "tournament.json").read_text())["digest"]
    )


def test_running_a_finished_tournament_again_plays_nothing_and_prints_the_same(played: Arena) -> None:
    """The second run is an answer, not a second tournament."""
    first = played.json(*played.run_arguments())
    second = played.json(*played.run_arguments())

    assert first == second
    assert "finished" == second["state"]


@pytest.mark.timeout(600)
def test_killed_ten_times_at_random_moments_every_match_is_counted_exactly_once(tmp_path: Path) -> None:
    """The digest is that of an undisturbed run, no match is played twice or lost, and no bot outlives its arena."""
    text = tournament(bots=4, hands=2, deals=2)
    calm, killed = Arena(tmp_path / "calm"), Arena(tmp_path / "killed")
    for arena in (calm, killed):
        arena.folder.mkdir()
        arena.write(text)
    expected = calm.json(*calm.run_arguments())

    moments = [random.uniform(0.3, 4.5) for _ in range(10)]
    print("killed after", moments)
    for moment in moments:
        with killed.start(*killed.run_arguments()) as process:
            try:
                process.wait(moment)
            except subprocess.TimeoutExpired:
                descendants = psutil.Process(process.pid).children(recursive=True)
                process.kill()
                _wait_until(lambda: not any(_runs(child) for child in descendants))  # noqa: B023

    assert expected["digest"] == killed.json(*killed.run_arguments())["digest"]
    matches = killed.json("matches", "--home", killed.home)
    assert {"done": 48} == Counter(match["state"] for match in matches)
    assert [0] * 48 == [match["voids"] for match in matches]
    assert _record_bytes(calm.exported) == _record_bytes(killed.exported)


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stopped_run_ends_matches_in_progress_and_goes_on_later(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    """The first signal drains: nothing is voided, the exit code tells of the signal, and the same command goes on."""
    arena = Arena(tmp_path)
    arena.write(tournament(bots=4, hands=4, deals=2))
    process = arena.start(*arena.run_arguments())
    _wait_until(lambda: _done(arena) > 0)
    os.kill(process.pid, number)
    _, error = process.communicate(timeout=60)

    assert code == process.returncode
    assert "the same command goes on" in error
    assert 0 < _done(arena) < 48
    assert 48 == len(arena.json("matches", "--home", arena.home))
    arena.command(*arena.run_arguments())
    assert {"done": 48} == Counter(match["state"] for match in arena.json("matches", "--home", arena.home))


def _done(arena: Arena) -> int:
    if not (arena.home / "arena.db").exists():
        return 0
    process = arena.start("matches", "--home", arena.home, "--state", "done", "--json")
    out, _ = process.communicate(timeout=30)
    return len(json.loads(out)) if process.returncode == 0 else 0


def test_a_second_signal_ends_the_run_at_once_and_its_bots_with_it(tmp_path: Path) -> None:
    """Who is in a hurry presses Ctrl-C twice; the supervisor still ends every bot."""
    arena = Arena(tmp_path)
    arena.write(tournament(bots=3, hands=200, deals=2))
    process = arena.start(*arena.run_arguments())
    _wait_until(lambda: len(psutil.Process(process.pid).children(recursive=True)) >= 4)
    descendants = psutil.Process(process.pid).children(recursive=True)
    assert process.stderr is not None
    os.kill(process.pid, signal.SIGINT)
    line = ""
    while "once more stops at once" not in line:
        line = process.stderr.readline()
        assert line, "the run ended although it was asked only once"
    os.kill(process.pid, signal.SIGINT)

    assert 130 == process.wait(5)
    process.communicate()
    _wait_until(lambda: not any(_runs(child) for child in descendants))


def test_a_secret_seed_is_kept_private_and_revealed_at_the_end(arena: Arena) -> None:
    """Without a text in the file the seed is 32 secret bytes, committed to before the first match."""
    arena.write(tournament().replace('seed = "a practice seed"', ""))
    committed = arena.json("commit", arena.config, "--home", arena.home)
    secret = arena.home / "seeds" / "cup.seed"

    assert 0o600 == secret.stat().st_mode & 0o777
    arena.command(*arena.run_arguments())
    revealed = json.loads((arena.exported / "seed.json").read_text())
    assert committed["commitment"] == revealed["commitment"]
    assert secret.read_text().strip() == revealed["master_seed"]
    assert not arena.json("verify", arena.exported)["practice"]


def test_public_entropy_added_after_the_commitment_changes_the_walls_but_not_the_commitment(arena: Arena) -> None:
    """So the organiser cannot have searched for a seed whose walls suit somebody."""
    secret = tournament().replace('seed = "a practice seed"', "")
    arena.write(secret)
    committed = arena.json("commit", arena.config, "--home", arena.home)
    arena.write(secret.replace("[match]", 'public_entropy = "lottery 3 14 15 92 65"\n[match]', 1))
    arena.command(*arena.run_arguments())

    revealed = json.loads((arena.exported / "seed.json").read_text())
    assert committed["commitment"] == revealed["commitment"]
    assert "lottery 3 14 15 92 65" == revealed["public_entropy"]
    arena.command("verify", arena.exported)


def test_duplicate_walls_give_all_seat_orders_of_a_deal_the_same_walls(arena: Arena) -> None:
    """Every match is in fresh processes, and the leaderboard says what kind of tournament it was."""
    text = tournament(deals=1).replace("[run]", 'walls = "duplicate"\n[run]')
    arena.write(
        text.replace('command = ["kawuxing-bot", "random"]', 'command = ["kawuxing-bot", "random"]\nprocess = "match"')
    )
    arena.command(*arena.run_arguments())

    walls = {
        next(line for line in data.splitlines() if b'"type":"hand"' in line).partition(b'"wall":')[2]
        for data in _record_bytes(arena.exported).values()
    }
    assert 1 == len(walls)
    notes = json.loads((arena.exported / "leaderboard.json").read_text())["notes"]
    assert "duplicate deals, trusted bots" in notes
    arena.command("verify", arena.exported)
