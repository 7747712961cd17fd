"""Bots that connect by themselves: registered, refused, absent, gone and back, and launched ones that never work."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.arena import Arena
from tests.e2e.quick import QuickCommand

from kawuxing.cli.exits import Exit
from kawuxing.scheduler.store import Store

KAWUXING_BOT = str(Path(sys.executable).parent / "kawuxing-bot")
CONFIG = """
name = "Cup"
seed = "a practice seed"

[match]
hands = {hands}

[schedule]
seat_orders = "rotations"
deals = {deals}

[run]
absence_limit = {absence_limit}
"""
LAUNCHED = '[[bots]]\nname = "{name}"\ncommand = ["kawuxing-bot", "random"]\n'
REMOTE = '[[bots]]\nname = "{name}"\nremote = true\n'


def config(*bots: str, hands: int = 1, deals: int = 1, absence_limit: int = 60) -> str:
    return CONFIG.format(hands=hands, deals=deals, absence_limit=absence_limit) + "".join(bots)


def add(arena: Arena, name: str) -> str:
    """Register a remote bot and return its token."""
    token: str = arena.json("bot", "add", name, "--home", arena.home)["token"]
    return token


@contextmanager
def running(arena: Arena) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run the tournament with JSON at its end; give the process and the address that bots can join at."""
    with arena.start(*arena.run_arguments(), "--json") as process:
        try:
            assert process.stderr is not None
            while "bots can join at " not in (line := process.stderr.readline()):
                assert line, "the run ended"
            yield process, line.split()[-1]
        finally:
            process.kill()


@contextmanager
def remote_bot(address: str, token: str, *options: str) -> Iterator[subprocess.Popen[str]]:
    """Start a bot somewhere else: it is told the arena's address and its token, nothing more."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("KAWUXING_")}
    with subprocess.Popen(
        [KAWUXING_BOT, "random", *options],
        stderr=subprocess.PIPE,
        text=True,
        env={**clean, "KAWUXING_ADDRESS": address, "KAWUXING_TOKEN": token},
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_until(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.05)


def test_a_token_is_shown_once_and_kept_nowhere(arena: Arena) -> None:
    """What the home has of it is a hash: whoever reads the database can play as nobody."""
    said = arena.command("bot", "add", "ada", "--home", arena.home).stdout
    token = said.splitlines()[2].strip()

    assert said.startswith("ada is registered. Its token, shown this once:\n")
    assert "KAWUXING_TOKEN" in said
    assert len(token) >= 32
    assert not [path for path in arena.home.rglob("*") if path.is_file() and token.encode() in path.read_bytes()]
    with Store(f"sqlite:///{arena.home}/arena.db") as store:
        assert "ada" == store.authenticate(token)


def test_bots_are_listed_rotated_and_removed(tmp_path: Path, quick: QuickCommand) -> None:
    """A new token ends the old one, a removed bot has none, and the list says who is registered."""
    home = ("--home", tmp_path / "home")
    first = json.loads(quick("bot", "add", "ada", "--json", *home, cwd=tmp_path).out)
    quick("bot", "add", "ben", *home, cwd=tmp_path)
    second = json.loads(quick("bot", "rotate", "ada", "--json", *home, cwd=tmp_path).out)

    assert "ada" == first["name"] == second["name"]
    with Store(f"sqlite:///{tmp_path}/home/arena.db") as store:
        assert [None, "ada"] == [store.authenticate(told["token"]) for told in (first, second)]
        listed = quick("bot", "list", *home, cwd=tmp_path).out.splitlines()
        assert ["ada remote", "ben remote"] == [" ".join(line.split()[:2]) for line in listed]
        removed = quick("bot", "remove", "ada", *home, cwd=tmp_path)
        assert (Exit.DONE, "bot ada is no longer registered\n") == (removed.code, removed.out)
        assert store.authenticate(second["token"]) is None
    told = json.loads(quick("bot", "list", "--json", *home, cwd=tmp_path).out)
    assert [("ben", True)] == [(bot["name"], bot["remote"]) for bot in told]
    quick("bot", "remove", "ben", *home, cwd=tmp_path)
    assert quick("bot", "list", *home, cwd=tmp_path).out.startswith("no bot is registered (")


def test_a_remote_bot_that_goes_away_in_the_middle_plays_on_when_it_is_back(arena: Arena, quick: QuickCommand) -> None:
    """It finds the matches that it was playing, loses nothing but time, and goes with exit code 0 at the end."""
    arena.write(config(REMOTE.format(name="ada"), *map(LAUNCHED.format_map, _names("ben", "cyd")), hands=4, deals=4))
    token = add(arena, "ada")

    def done() -> int:
        out = quick("matches", "--state", "done", "--json", "--home", arena.home, cwd=arena.folder).out
        return len(json.loads(out))

    with running(arena) as (run, address):
        with remote_bot(address, token, "--capacity", "4"):
            wait_until(lambda: done() > 0)
        with remote_bot(address, token, "--capacity", "4") as back:
            out, _ = run.communicate(timeout=120)
            assert 0 == back.wait(30)

    summary = json.loads(out)
    assert (0, "finished") == (run.returncode, summary["state"])
    assert [("ada", 12, 0)] == [
        (row["bot"], row["matches"], sum(row["faults"].values()))
        for row in summary["leaderboard"]["rows"]
        if row["bot"] == "ada"
    ]
    assert not [path for path in arena.home.rglob("*") if path.is_file() and token.encode() in path.read_bytes()]
    arena.command("verify", arena.exported)


def _names(*names: str) -> list[dict[str, str]]:
    return [{"name": name} for name in names]


@dataclass(frozen=True, slots=True)
class Deserted:
    """A tournament of which two bots of five never played."""

    arena: Arena
    code: int
    summary: dict[str, Any]
    refused: tuple[int, str]
    """Exit code and words of a bot that came with a wrong token."""


@pytest.fixture(scope="module")
def deserted(tmp_path_factory: pytest.TempPathFactory) -> Deserted:
    """Play it: one bot is remote and never comes, one ends at once whenever it is started."""
    arena = Arena(tmp_path_factory.mktemp("deserted"))
    crashing = f'[[bots]]\nname = "dan"\ncommand = ["{sys.executable}", "-c", "raise SystemExit(7)"]\n'
    launched = map(LAUNCHED.format_map, _names("ada", "ben", "cyd"))
    arena.write(config(*launched, crashing, REMOTE.format(name="eve"), absence_limit=4))
    add(arena, "eve")
    with running(arena) as (run, address):
        with remote_bot(address, "a token that nobody has") as stranger:
            _, said = stranger.communicate(timeout=60)
        out, _ = run.communicate(timeout=120)
    return Deserted(arena, run.returncode, json.loads(out), (stranger.returncode, said))


def test_a_wrong_token(deserted: Deserted) -> None:
    """The bot ends with exit code 2 and says whom to ask."""
    code, said = deserted.refused

    assert 2 == code
    assert re.fullmatch(
        r"error: the arena at 127\.0\.0\.1:\d+ refuses this bot: "
        r"the token is unknown to this arena: ask its organiser for one\n",
        said,
    )


def test_bots_that_never_come_are_withdrawn_and_the_others_play(deserted: Deserted) -> None:
    """The tournament is finished: the absent are listed without a rank and with the reason."""
    rows = {row["bot"]: row for row in deserted.summary["leaderboard"]["rows"]}

    assert (Exit.DONE, "finished") == (deserted.code, deserted.summary["state"])
    assert {"ada": 3, "ben": 3, "cyd": 3, "dan": 0, "eve": 0} == {bot: row["matches"] for bot, row in rows.items()}
    assert all(rows[bot]["rank"] is not None for bot in ("ada", "ben", "cyd"))
    for bot in ("dan", "eve"):
        assert (None, None) == (rows[bot]["rank"], rows[bot]["elo"])
        assert "absent for longer than 4 s" == rows[bot]["withdrawn"]


def test_matches_of_withdrawn_bots_are_cancelled(deserted: Deserted, quick: QuickCommand) -> None:
    """Each says whose they would have been, and why they were not."""
    home = ("--home", deserted.arena.home)
    matches = json.loads(quick("matches", "--json", *home, cwd=deserted.arena.folder).out)

    assert {"done": 3, "cancelled": 27} == Counter(match["state"] for match in matches)
    told = {match["reason"] for match in matches if match["state"] == "cancelled"}
    assert {f"{bot} is withdrawn: absent for longer than 4 s" for bot in ("dan", "eve")} >= told


def test_a_deserted_tournament_verifies(deserted: Deserted, quick: QuickCommand) -> None:
    """Cancellations are part of its digest."""
    told = json.loads(quick("verify", deserted.arena.exported, "--json", cwd=deserted.arena.folder).out)

    assert (3, 27) == (told["records"], told["cancelled"])
    assert deserted.summary["digest"] == told["digest"]


def test_what_a_crashing_bot_said_is_in_its_log(deserted: Deserted) -> None:
    """The organiser finds why it never came."""
    log = (deserted.arena.home / "logs" / "cup" / "dan.log").read_text()

    assert "exit code 7" in log
