"""What every bot in another language must do, whatever it is written in. Each takes the command that starts the bot."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import grpc
from tests.e2e.arena import Arena
from tests.languages.lobbies import QuietTable, lobby, refusing, saying_goodbye
from tests.languages.proxies import CUTS, breaking_proxy, cut_off_proxy

from kawuxing.v1 import lobby_service_pb2

CONFIG: Final = """
name = "Cup"
seed = "a practice seed"

[rules]
preset = "{preset}"

[match]
hands = {hands}

[schedule]
seat_orders = "rotations"
deals = {deals}

[run]
concurrency = {concurrency}
"""
BOT: Final = """
[[bots]]
name = {name}
command = {command}
process = "{process}"
capacity = 4
"""
REMOTE: Final = """
[[bots]]
name = {name}
remote = true
"""
GREEDY: Final = ("kawuxing-bot", "greedy")
RANDOM: Final = ("kawuxing-bot", "random")


def tournament(
    preset: str,
    bots: Mapping[str, Sequence[str] | None],
    *,
    hands: int = 4,
    deals: int = 1,
    process: str = "shared",
    concurrency: int = 4,
) -> str:
    """Return the text of a tournament.toml; a bot without a command is remote."""
    return CONFIG.format(preset=preset, hands=hands, deals=deals, concurrency=concurrency) + "".join(
        (REMOTE if command is None else BOT).format(name=json.dumps(name), command=json.dumps(command), process=process)
        for name, command in bots.items()
    )


def play(arena: Arena, text: str) -> Any:
    """Run a tournament to its end and return its summary, after checking that nobody did wrong."""
    arena.write(text)
    summary = json.loads(arena.command(*arena.run_arguments(), "--json", timeout=300).stdout)
    check(summary)
    return summary


def check(summary: Any) -> None:
    """Check that every match was played and no fault occurred."""
    board = summary["leaderboard"]
    assert ("finished", board["scheduled"]) == (summary["state"], board["played"])
    assert {row["bot"]: 0 for row in board["rows"]} == {
        row["bot"]: sum(row["faults"].values()) for row in board["rows"]
    }


def beats_random(arena: Arena, command: Sequence[str], preset: str) -> None:
    """Play several matches at once against shipped bots: no fault, and clearly more points than random ones."""
    bots = {"bot": command, "greedy": GREEDY, "random-1": RANDOM, "random-2": RANDOM}
    rows = {row["bot"]: row for row in play(arena, tournament(preset, bots, deals=2))["leaderboard"]["rows"]}

    for rival in ("random-1", "random-2"):
        assert rows[rival]["points_per_hand"] + 1 < rows["bot"]["points_per_hand"]


def plays_one_match_a_process(arena: Arena, command: Sequence[str]) -> None:
    """Play a tournament in which every process ends after one match."""
    bots = {"bot": command, "random-1": RANDOM, "random-2": RANDOM}
    play(arena, tournament("xiangyang", bots, hands=1, process="match"))

    log = (arena.home / "logs" / "cup" / "bot.log").read_text("utf-8")
    # The arena may stop the process of the last of the three matches before that has ended by itself.
    assert 2 <= log.count("ended: exit code 0")


def finds_its_way_back(arena: Arena, command: Sequence[str]) -> None:
    """Start before the arena, lose the connection three times, play every match without a fault, end with it."""
    arena.write(tournament("xiangyang", {"bot": None, "random-1": RANDOM, "random-2": RANDOM}, deals=4))
    token = arena.json("bot", "add", "bot", "--home", arena.home)["token"]
    address = _unused_address()
    with started(command, address, token, KAWUXING_CAPACITY="4") as bot:
        assert bot.stderr is not None
        # The first thing to complain of is that nobody listens there.
        assert address in bot.stderr.readline()
        with arena.start(*arena.run_arguments(), "--json") as run:
            try:
                assert run.stderr is not None
                while "bots can join at " not in (line := run.stderr.readline()):
                    assert line, "the run ended"
                with breaking_proxy(address, line.split()[-1]) as broken:
                    out, _ = run.communicate(timeout=240)
                    assert 0 == bot.wait(30)
            finally:
                run.kill()
    assert 0 == run.returncode
    check(json.loads(out))
    assert list(CUTS) == broken


def refuses_wrong_settings(command: Sequence[str]) -> None:
    """End with exit code 2 and name the setting, before connecting to anything."""
    right = {"KAWUXING_ADDRESS": "127.0.0.1:1", "KAWUXING_TOKEN": "secret"}
    wrong = (
        ("KAWUXING_ADDRESS", ""),
        ("KAWUXING_ADDRESS", "no-port"),
        ("KAWUXING_ADDRESS", "host:65536"),
        ("KAWUXING_TOKEN", ""),
        ("KAWUXING_CAPACITY", "0"),
        ("KAWUXING_CAPACITY", "65"),
        ("KAWUXING_CAPACITY", "many"),
        ("KAWUXING_MATCHES", "-1"),
    )
    for name, value in wrong:
        done = subprocess.run(
            command, env=_environment(right | {name: value}), capture_output=True, text=True, timeout=60, check=False
        )
        assert (name, value, 2) == (name, value, done.returncode), done.stderr
        assert name in done.stderr
        assert value in done.stderr


def goes_when_refused(arena: Arena, command: Sequence[str]) -> None:
    """End with exit code 2 if the arena does not know the token, and say what the arena said."""
    arena.write(tournament("xiangyang", {"bot": None, "random-1": RANDOM, "random-2": RANDOM}))
    arena.json("bot", "add", "bot", "--home", arena.home)
    with arena.start(*arena.run_arguments()) as run:
        try:
            assert run.stderr is not None
            while "bots can join at " not in (line := run.stderr.readline()):
                assert line, "the run ended"
            with started(command, line.split()[-1], "a token that nobody has") as bot:
                _, said = bot.communicate(timeout=60)
        finally:
            run.kill()
    assert 2 == bot.returncode, said
    assert "the token is unknown to this arena" in said


def ends_as_the_lobby_says(command: Sequence[str]) -> None:
    """End when joining again is of no use, with the exit code that says why."""
    refusals = (
        (grpc.StatusCode.PERMISSION_DENIED, "WITHDRAWN", 0),
        (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD", 2),
        (grpc.StatusCode.UNIMPLEMENTED, "", 2),
        (grpc.StatusCode.FAILED_PRECONDITION, "UNSUPPORTED_PROTOCOL", 3),
    )
    for code, reason, expected in refusals:
        with lobby(refusing(code, reason, "as told by the lobby")) as address, started(command, address, "s") as bot:
            _, said = bot.communicate(timeout=30)
        assert (code, expected) == (code, bot.returncode), said
        assert "as told by the lobby" in said
    for goodbye in (lobby_service_pb2.GOODBYE_REASON_FINISHED, lobby_service_pb2.GOODBYE_REASON_WITHDRAWN):
        with lobby(saying_goodbye(goodbye)) as address, started(command, address, "s") as bot:
            _, said = bot.communicate(timeout=30)
        assert (goodbye, 0) == (goodbye, bot.returncode), said


@contextmanager
def loses_a_long_match(command: Sequence[str]) -> Iterator[Callable[[], None]]:
    """Sit down at a table; give what cuts the connection to it, but not to the lobby, and sees the bot come back."""
    table = QuietTable()
    with (
        table.serve() as behind,
        cut_off_proxy(behind) as (address, cut),
        lobby(table.assigning(address)) as joined,
        started(command, joined, "secret") as bot,
    ):

        def come_back() -> None:
            assert not table.over.is_set(), command
            cut()
            assert table.over.wait(30), command
            assert (command, 0) == (command, bot.wait(30))

        assert table.occupied.wait(60), command
        try:
            yield come_back
        finally:
            # Lets the lobby go.
            table.over.set()


def ends_on_a_signal(command: Sequence[str]) -> None:
    """End with exit code 0 on SIGTERM and on SIGINT, even while there is no arena."""
    for number in (signal.SIGTERM, signal.SIGINT):
        with started(command, _unused_address(), "secret") as bot:
            assert bot.stderr is not None
            bot.stderr.readline()
            bot.send_signal(number)
            assert (number, 0) == (number, bot.wait(30))


@contextmanager
def started(command: Sequence[str], address: str, token: str, **settings: str) -> Iterator[subprocess.Popen[str]]:
    """Start the bot somewhere else: it is told the arena's address and its token, nothing more."""
    told = {"KAWUXING_ADDRESS": address, "KAWUXING_TOKEN": token, **settings}
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=_environment(told)
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def _unused_address() -> str:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"127.0.0.1:{server.getsockname()[1]}"


def _environment(told: Mapping[str, str]) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("KAWUXING_")}
    return clean | dict(told)
