"""What commands print: for people, for programs, on a terminal and on none, while a tournament runs and afterwards."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import signal
import subprocess
import time
from dataclasses import dataclass
from typing import Any

import pytest
from tests.e2e.arena import KAWUXING, Arena, tournament
from tests.e2e.quick import QuickCommand

REMOTE = '[[bots]]\nname = "late"\nremote = true\n'


@dataclass(frozen=True, slots=True)
class Halfway:
    """What was seen of a tournament of 24 matches that waits for a bot, with 6 played, and what it said itself."""

    outputs: dict[str, str]
    error: str

    def json(self, command: str) -> Any:
        """Return what a command printed, as JSON."""
        return json.loads(self.outputs[command])


@pytest.fixture(scope="module")
def halfway(tmp_path_factory: pytest.TempPathFactory, quick: QuickCommand) -> Halfway:
    """Run it until it can go no further, look, and stop it."""
    arena = Arena(tmp_path_factory.mktemp("halfway"))
    arena.write(tournament() + REMOTE)
    arena.command("bot", "add", "late", "--home", arena.home)
    outputs = {}
    with arena.start(*arena.run_arguments(), "--log-level", "debug") as process:
        try:
            assert process.stderr is not None
            lines = [""]
            while not lines[-1].startswith("6 of 24 matches"):
                lines.append(process.stderr.readline())
                assert lines[-1], f"the run ended: {lines}"
            for command in (
                "standings",
                "standings --json",
                "standings --csv",
                "standings cup --json",
                "matches",
                "matches --json",
                "matches --state done --json",
                "matches --state done --state pending --json",
                "matches --bot late --json",
                "standings Cup --json",
                "tournaments",
                "tournaments --json",
                "matches --bot bot-0 --state done --json",
            ):
                said = quick(*command.split(), "--home", arena.home, cwd=arena.folder)
                assert (0, "") == (said.code, said.error)
                outputs[command] = said.out
            process.send_signal(signal.SIGINT)
            out, rest = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (130, "") == (process.returncode, out)
    return Halfway(outputs, "".join(lines) + rest)


def test_standings_are_provisional_while_matches_are_to_come(halfway: Halfway) -> None:
    """As text, JSON and CSV; the tournament may be told, by id or by name, where there is only one."""
    assert halfway.outputs["standings"].startswith("Cup: 6 of 24 matches")
    assert "provisional" in halfway.outputs["standings"]
    table = halfway.json("standings --json")
    assert (6, 24, True) == (table["played"], table["scheduled"], table["provisional"])
    assert table == halfway.json("standings cup --json") == halfway.json("standings Cup --json")
    assert {"bot-0": 6, "bot-1": 6, "bot-2": 6, "late": 0} == {row["bot"]: row["matches"] for row in table["rows"]}
    rows = list(csv.DictReader(io.StringIO(halfway.outputs["standings --csv"])))
    assert [row["bot"] for row in table["rows"]] == [row["bot"] for row in rows]
    assert [str(row["points"]) for row in table["rows"]] == [row["points"] for row in rows]


def test_tournaments_are_listed(halfway: Halfway) -> None:
    """With how far each of them is."""
    told = {"id": "cup", "name": "Cup", "state": "running", "done": 6, "matches": 24}
    assert [told] == halfway.json("tournaments --json")
    assert ["id state matches name", "cup running 6/24 Cup"] == [
        " ".join(line.split()) for line in halfway.outputs["tournaments"].splitlines()
    ]


def test_matches_are_listed_and_filtered(halfway: Halfway) -> None:
    """By state, by bot, by both; every line has the beginning of the match's id, its state and bots."""
    matches = halfway.json("matches --json")

    assert list(range(24)) == [match["index"] for match in matches]
    done = [match for match in matches if match["state"] == "done"]
    assert (
        done == halfway.json("matches --state done --json") == halfway.json("matches --bot bot-0 --state done --json")
    )
    assert matches == halfway.json("matches --state done --state pending --json")
    assert [match for match in matches if "late" in match["bots"]] == halfway.json("matches --bot late --json")
    assert [0] * 6 == [sum(entrant["points"] for entrant in match["entrants"]) for match in done]
    header, *lines = halfway.outputs["matches"].splitlines()
    assert ["#", "match", "state"] == header.split()[:3]
    assert max(map(len, lines)) <= 80
    for match, line in zip(matches, lines, strict=True):
        assert [str(match["index"]), match["match"][:8], match["state"]] == line.split()[:3]
        assert all(bot in line for bot in match["bots"])


def test_progress_is_told_in_lines_where_there_is_no_terminal(halfway: Halfway) -> None:
    """How many are over and being played, how fast it goes, and for whom it waits; how long nobody can tell then."""
    waiting = r"not connected: late \(\d+ s until withdrawn\)"
    line = rf"^6 of 24 matches, 0 being played, \d+\.\d/s, – left; {waiting}$"
    assert re.search(line, halfway.error, re.MULTILINE)
    assert "\x1b" not in halfway.error


def test_log_lines_are_json_where_there_is_no_terminal(halfway: Halfway) -> None:
    """Each has time, level and event; what is about a match has its tournament, and what is about a bot its name."""
    lines = [json.loads(line) for line in halfway.error.splitlines() if line.startswith("{")]

    assert all({"timestamp", "level", "logger", "event"} <= line.keys() for line in lines)
    assert all("cup" == line["tournament"] for line in lines if "match" in line)
    assert all({"bot", "match"} <= line.keys() for line in lines if "entrant" in line)
    matches = {match["match"] for match in halfway.json("matches --state done --json")}
    for event in ("match offered", "connected", "match done", "disconnected"):
        assert matches == {line["match"] for line in lines if line["event"] == event}
    for event in ("bot started", "joined", "connected", "left"):
        assert {"bot-0", "bot-1", "bot-2"} == {line["bot"] for line in lines if line["event"] == event}


def test_a_run_logs_nothing_unless_asked(played: Arena) -> None:
    """Of a tournament in which nothing goes wrong only what people want to know is said."""
    said = played.command(*played.run_arguments())

    assert not [line for line in said.stderr.splitlines() if line.startswith("{")]
    assert said.stdout.startswith("Cup: 6 of 6 matches")
    for name in ("digest", "records", "verify"):
        assert re.search(rf"^{name}  +\S", said.stdout, re.MULTILINE)


def test_the_final_standings(played: Arena, quick: QuickCommand) -> None:
    """They are those that were exported, no longer provisional."""
    said = quick("standings", "--json", "--home", played.home, cwd=played.folder)
    csv_said = quick("standings", "--csv", "--home", played.home, cwd=played.folder)

    assert json.loads((played.exported / "leaderboard.json").read_text()) == json.loads(said.out)
    assert (played.exported / "leaderboard.csv").read_text() == csv_said.out
    assert not json.loads(said.out)["provisional"]


def test_a_record_as_text(played: Arena, quick: QuickCommand) -> None:
    """Every draw, discard and decision has its line with the bot's name; at the end are places and checksum."""
    record = min((played.exported / "records").iterdir())
    lines = [json.loads(line) for line in record.read_bytes().splitlines()]
    shown = quick("record", "show", record, cwd=played.folder)

    assert (0, "") == (shown.code, shown.error)
    header = lines[0]
    head = f"tournament cup, match {header['match']}, 1 hand\n  rules xiangyang\n  entrant 0: bot-0\n"
    assert shown.out.startswith(head)
    events = [line["event"] for line in lines if line.get("type") == "event"]
    for event, words in (("tile_drawn", " draws "), ("tile_discarded", " discards "), ("hand_revealed", " reveals ")):
        assert events.count(event) == sum(words in line for line in shown.out.splitlines())
    decisions = [line for line in lines if line.get("type") == "decision"]
    assert len(decisions) == len(re.findall(r"^    \S+ chooses .+ \(of \d+ legal actions\)$", shown.out, re.MULTILINE))
    assert "tiles: 1-9m characters 万, 1-9p dots 筒, 1-9s bamboo 条" in shown.out
    places = re.findall(r"^  (\d)\. ", shown.out[shown.out.index("\nresult\n") :], re.MULTILINE)
    assert (3, sorted(places)) == (len(places), places)
    assert shown.out.endswith(f"sha256 {lines[-1]['sha256']}\n")


def test_a_record_as_json_and_from_standard_input(played: Arena) -> None:
    """As JSON it is an array of its lines; - reads it from standard input."""
    record = min((played.exported / "records").iterdir())
    said = subprocess.run(
        [KAWUXING, "record", "show", "-", "--json"], check=True, capture_output=True, input=record.read_bytes()
    )

    assert [json.loads(line) for line in record.read_bytes().splitlines()] == json.loads(said.stdout)


def test_one_hand_of_a_record(quick: QuickCommand, golden: str, arena: Arena) -> None:
    """Only that hand is shown, between header and result."""
    whole = quick("record", "show", golden, cwd=arena.folder).out
    hand = quick("record", "show", golden, "--hand", "1", cwd=arena.folder).out

    assert ["hand 1"] == re.findall(r"^hand \d", hand, re.MULTILINE)
    assert ["hand 0", "hand 1"] == re.findall(r"^hand \d", whole, re.MULTILINE)
    begin, end = whole.index("\nhand 1,"), whole.index("\nresult\n")
    assert whole[begin:end].strip() in hand
    assert whole[whole.index("\nresult\n") :] == hand[hand.index("\nresult\n") :]


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> str:
    """The record that is published with the format."""
    return str(request.config.rootpath / "tests" / "golden" / "record-xiangyang.jsonl")


def test_version_and_help(quick: QuickCommand, arena: Arena) -> None:
    """Every subcommand explains itself."""
    assert re.fullmatch(r"kawuxing \d+\.\d+\.\d+\S*\n", quick("--version", cwd=arena.folder).out)
    commands = ("run", "commit", "standings", "tournaments", "matches", "verify", "record show", "record verify")
    for command in (*commands, "bot add", "bot rotate", "bot remove", "bot list"):
        said = quick(*command.split(), "--help", cwd=arena.folder)
        assert said == quick(*command.split(), "-h", cwd=arena.folder)
        assert 0 == said.code
        assert f"Usage: kawuxing {command}" in said.out


def test_help_tells_for_whom_a_command_is(quick: QuickCommand, arena: Arena) -> None:
    """Organisers, authors of bots and everybody find theirs together, and what the exit codes mean."""
    said = quick("--help", cwd=arena.folder).out
    groups = re.split(r"─ (?:For )?(\w+)[\w ]* ─", said)[1:]
    commands = {
        group: re.findall(r"^│ ([a-z-]+) ", text, re.MULTILINE)
        for group, text in zip(groups[::2], groups[1::2], strict=True)
    }

    assert ["run", "commit", "standings", "tournaments", "matches", "bot"] == commands["organisers"]
    assert ["check-bot", "bridge", "report"] == commands["authors"]
    assert ["play", "replay", "verify", "record", "rules"] == commands["everybody"]
    assert "Exit codes: 0 all is well;" in said


def test_help_is_wrapped_for_the_terminal(quick: QuickCommand, arena: Arena) -> None:
    """A paragraph is not broken where the source breaks it."""
    said = quick("check-bot", "--help", cwd=arena.folder, env=[("COLUMNS", "100")]).out

    first, second, *_ = said.partition("It is started")[2].splitlines()
    assert len(f" It is started{first.rstrip()} {second.split()[0]}") > 98


def test_on_a_terminal_there_are_a_bar_and_live_standings(arena: Arena) -> None:
    """While it runs: matches being played, done of all, rate, time left, the table; then the leaderboard stays."""
    arena.write(tournament(hands=4))
    ours, its = pty.openpty()
    env = {name: value for name, value in os.environ.items() if not name.startswith("KAWUXING_")}
    process = subprocess.Popen(
        [KAWUXING, *map(str, arena.run_arguments())],
        stdin=its,
        stdout=its,
        stderr=its,
        cwd=arena.folder,
        env={**env, "TERM": "xterm-256color", "COLUMNS": "150", "LINES": "40"},
        start_new_session=True,
    )
    os.close(its)
    shown = _read_all(ours)

    assert 0 == process.wait(30)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    assert "\x1b[" in shown
    assert re.search(r"\d of 6 matches, \d being played [━╸╺ ]+ \d:\d\d:\d\d", plain)
    assert re.search(r"Cup: [0-5] of 6 matches", plain), "no live standings"
    assert re.search(r"\d+\.\d/s, \d+:\d\d:\d\d left", plain)
    assert "Cup: 6 of 6 matches" in plain
    assert '{"' not in plain


def _read_all(descriptor: int) -> str:
    """Read what a terminal shows until its last writer is gone."""
    shown = b""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            data = os.read(descriptor, 65536)
        except OSError:
            # Linux says so when nobody has the other side any more.
            break
        if not data:
            break
        shown += data
    os.close(descriptor)
    return shown.decode("utf-8")
