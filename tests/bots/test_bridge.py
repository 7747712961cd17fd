"""A program that reads and writes lines of JSON plays as a bot does, whatever it gets wrong."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import psutil
import pytest
import uvloop
from google.protobuf import json_format
from tests.bots.conftest import HANDS, Table, stopping_arena

from kawuxing.bots.bridge import MAX_STARTS, MODES, Bridge
from kawuxing.bots.errors import BotStartError
from kawuxing.bots.lobby import Connection, LobbyClient
from kawuxing.codec.actions import action_to_message
from kawuxing.codec.observations import observation_to_message
from kawuxing.engine.actions import Action
from kawuxing.engine.events import HandEnded
from kawuxing.engine.match import Answer
from kawuxing.engine.observation import observe
from kawuxing.v1 import lobby_service_pb2, table_service_pb2

PROGRAM = """
import json, os, sys, time

notes = open({notes!r}, "a")

def say(text):
    print(text, flush=True)

def answer(decision, choice):
    say(json.dumps({{"decisionId": decision, "choice": choice}}))

for line in sys.stdin:
    print(line, end="", file=notes, flush=True)
    message = json.loads(line)
    if "decisionRequest" in message:
        asked = message["decisionRequest"]["decisionId"]
        last = len(message["decisionRequest"]["legalActions"]) - 1
{at_request}
print("closed", file=notes, flush=True)
{at_end}
"""
"""Notes what it is told, and answers with the last legal action unless a test has it do otherwise."""
GOOD = "answer(asked, last)"
HALF_A_MINUTE = timedelta(seconds=30)


@dataclass
class Author:
    """Writes programs."""

    folder: Path
    notes: Path = field(init=False)

    def __post_init__(self) -> None:
        """Begin with nothing noted."""
        self.notes = self.folder / "notes"

    def write(self, at_request: str = GOOD, at_end: str = "") -> list[str]:
        """Return the command of a program that does as it is written at every question, and at the end of its input."""
        path = self.folder / "program.py"
        lines = "".join(f"        {line}\n" for line in at_request.splitlines())
        path.write_text(PROGRAM.format(notes=str(self.notes), at_request=lines, at_end=at_end), "utf-8")
        return [sys.executable, str(path)]

    def noted(self) -> list[str]:
        """Return the lines that the program was told, ``closed`` at the end of its input."""
        return self.notes.read_text("utf-8").splitlines()

    def told(self) -> list[dict[str, Any]]:
        """Return the messages that the program was told."""
        return [json.loads(line) for line in self.noted() if line != "closed"]


@pytest.fixture
def author(tmp_path: Path) -> Author:
    """Writes programs in an empty folder."""
    return Author(tmp_path)


@dataclass
class Played:
    """What came of a match."""

    actions: list[Action]
    """What entrant 0 did."""
    defaults: list[Action]
    """What the arena would have done for it."""
    unanswered: list[int]
    """The questions to which no answer came."""


async def play(
    command: list[str], mode: str = "snapshot", *, time_left: Callable[[int], timedelta] = lambda _: HALF_A_MINUTE
) -> Played:
    """Play a short match, entrant 0 by a program, the others by their first legal action, without a network."""
    table = Table(b"bridge".ljust(32, b"."), set())
    dialogue = Bridge(command, MODES[mode])("m")
    respond = table_service_pb2.PlayResponse
    played = Played([], [], [])
    asked = 0
    try:
        await dialogue.hear(respond(match_start=table.start()))
        table.events += table.match.start()
        while pending := table.match.pending():
            answers = {entrant: Answer(legal[0]) for entrant, legal in pending.items()}
            if legal := pending.get(0):
                played.defaults.append(table.match.default_of(0))
                decision = await dialogue.hear(respond(decision_request=question(table, mode, asked, time_left(asked))))
                if decision is None:
                    played.unanswered.append(asked)
                else:
                    assert asked == decision.decision_id
                    answers[0] = Answer(legal[decision.choice])
                played.actions.append(answers[0].action)
                asked += 1
            table.events += table.match.apply(answers)
            for number in range(table.sent, len(table.events)):
                if isinstance(table.events[number], HandEnded):
                    since = table.sent if mode == "delta" else number
                    table.sent = number + 1
                    hand_end = table_service_pb2.HandEnd(events=table.messages(since, number + 1))
                    assert await dialogue.hear(respond(hand_end=hand_end)) is None
        await dialogue.hear(respond(match_end=table_service_pb2.MatchEnd(record_sha256="0" * 64)))
    finally:
        await dialogue.close()
    return played


def question(table: Table, mode: str, asked: int, time_left: timedelta) -> table_service_pb2.DecisionRequest:
    """Return the open question to entrant 0."""
    legal = table.match.pending()[0]
    request = table_service_pb2.DecisionRequest(decision_id=asked, legal_actions=map(action_to_message, legal))
    request.time_left.FromTimedelta(time_left)
    if mode == "delta":
        request.events.extend(table.messages(table.sent, len(table.events)))
        table.sent = len(table.events)
    else:
        request.observation.CopyFrom(observation_to_message(observe(table.match.hand, 0)))
    return request


@pytest.mark.parametrize("mode", MODES)
async def test_every_message_is_one_line_of_the_protocols_json(author: Author, mode: str) -> None:
    """From MatchStart to MatchEnd; then the input is closed, and the program ends by itself."""
    played = await play(author.write(), mode)
    *lines, end = author.noted()
    messages = [json_format.Parse(line, table_service_pb2.PlayResponse()) for line in lines]
    kinds = [message.WhichOneof("response") for message in messages]

    assert "closed" == end
    assert ["match_start", "match_end"] == [kinds[0], kinds[-1]]
    assert HANDS == kinds.count("hand_end")
    assert len(played.actions) == kinds.count("decision_request")
    assert [] == played.unanswered


@pytest.mark.parametrize("mode", MODES)
async def test_the_mode_chooses_how_news_is_told(author: Author, mode: str) -> None:
    """A snapshot has the observation, a delta the events, each in every question."""
    await play(author.write(), mode)
    questions = [message["decisionRequest"] for message in author.told() if "decisionRequest" in message]

    assert {mode == "snapshot"} == {"observation" in question for question in questions}
    assert {mode == "delta"} == {bool(question["events"]) for question in questions}


async def test_what_is_zero_is_printed(author: Author) -> None:
    """Whoever has no library for the protocol does not have to know its defaults."""
    await play(author.write())
    start, first, *_ = author.told()

    assert 0 == start["matchStart"]["entrant"]
    assert 0 == first["decisionRequest"]["decisionId"]
    assert [] == first["decisionRequest"]["observation"]["seats"][0]["melds"]


@pytest.mark.parametrize(
    "at_request",
    [
        "say(''); answer(asked, last)",
        "say(json.dumps({'decisionId': asked, 'choice': last}) + '\\r')",
        "say(json.dumps({'decision_id': str(asked), 'choice': float(last)}))",
        "say('thinking …'); say('42'); say('[]'); answer(asked, last)",
        "answer(asked, last); answer(asked, last)",
        "say('x' * 1_000_000); answer(asked, last)",
    ],
    ids=["blank lines", "CRLF", "other spellings", "chatter", "answers twice", "a long line"],
)
async def test_what_is_easily_understood_costs_nothing(author: Author, at_request: str) -> None:
    """All of these answer with the last legal action, and so does the program that does nothing besides."""
    expected = await play(author.write())

    assert expected == await play(author.write(at_request))


@pytest.mark.parametrize(
    ("at_request", "said"),
    [
        ("say('{')", "Failed to load JSON"),
        ("say('{' * 50_000)", "Failed to load JSON"),
        ("say('{}') if asked else answer(0, last + 1)", "decisionId is missing: expected 1"),
        ("say('{\"decisionId\": null}') if asked else answer(0, last + 1)", "decisionId is missing: expected 1"),
        ("answer(asked, last + 1)", "choice is "),
        ("answer(asked, -1)", "out of range"),
        ("answer(asked + 1, last)", "decisionId is 1: expected 0"),
        ("say(json.dumps({'decisionId': asked, 'action': 'WIN'}))", "no field named"),
        ("sys.stdout.buffer.write(b'{\\xff}\\n'); sys.stdout.buffer.flush()", "can't decode byte"),
    ],
)
@pytest.mark.parametrize("mode", MODES)
async def test_a_wrong_answer_costs_a_move_and_not_the_match(
    author: Author, capsys: pytest.CaptureFixture[str], at_request: str, said: str, mode: str
) -> None:
    """The default action is played at once, and the line is shown with what is wrong in it."""
    played = await play(author.write(at_request), mode)

    assert (played.defaults, []) == (played.actions, played.unanswered)
    shown = "".join(capsys.readouterr())
    assert "a line of the program is no answer" in shown
    assert said in shown


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("'thinking about 0'", "line='thinking about 0'"),
        ("'thinking …'", "line='thinking …'"),
        ("'42'", "line=42"),
        ("'a\\x1b[2Jb\\u009b'", "line=a\\x1b[2Jb\\x9b"),
    ],
)
async def test_a_line_that_is_no_answer_is_shown_as_it_was(
    author: Author, capsys: pytest.CaptureFixture[str], printed: str, shown: str
) -> None:
    """In quotes at most once, and so that no terminal obeys it."""
    await play(author.write(f"say({printed}); answer(asked, last)"))

    said = re.sub(r"\x1b\[\d*m", "", "".join(capsys.readouterr()))
    assert f"{shown}\n" in re.sub(r" +(match=\S+)?\n", "\n", said), said


async def test_a_late_answer_is_dropped(author: Author, capsys: pytest.CaptureFixture[str]) -> None:
    """A question whose time has run out is left to the arena; the answer that comes after it harms nothing."""
    late = "if asked == 1:\n    time.sleep(0)\nelse:\n    if asked == 2: answer(1, 0)\n    answer(asked, last)"
    played = await play(
        author.write(late), time_left=lambda asked: timedelta(milliseconds=1) if asked == 1 else HALF_A_MINUTE
    )

    assert [1] == played.unanswered
    shown = "".join(capsys.readouterr())
    assert "the program did not answer in time" in shown
    assert "skipped an answer to what is over: decision 2 is open" in shown


async def test_a_program_that_never_reads_or_answers_does_not_stop_the_bridge() -> None:
    """Every question is left to the arena, and at the end the program is killed."""
    played = await play(
        [sys.executable, "-c", "import time; time.sleep(600)"], time_left=lambda _: timedelta(milliseconds=1)
    )

    assert list(range(len(played.actions))) == played.unanswered


async def test_a_flood_is_shown_in_part(author: Author, capsys: pytest.CaptureFixture[str]) -> None:
    """Thousands of lines between the answers: the match goes on, and the log stays short."""
    expected = await play(author.write())
    capsys.readouterr()

    assert expected == await play(author.write("for _ in range(2000): say('more')\nanswer(asked, last)"))
    shown = "".join(capsys.readouterr()).splitlines()
    assert 21 == len(shown)
    assert "further such lines of this match are not shown" in shown[-1]


@pytest.mark.parametrize("mode", MODES)
async def test_a_program_that_dies_is_started_again_and_told_where_the_match_stands(author: Author, mode: str) -> None:
    """MatchStart, Resume and the open question again: what a bot gets that comes back to the table."""
    expected = await play(author.write(), mode)
    before = len(author.told())
    dies = f"if asked == 3 and not os.path.exists({str(author.folder / 'died')!r}):\n"
    dies += f"    open({str(author.folder / 'died')!r}, 'w')\n    os._exit(7)\n"
    assert expected == await play(author.write(dies + GOOD), mode)

    told = author.told()[before:]
    again = told.index({"matchStart": told[0]["matchStart"]}, 1)
    asked = told[again - 1]["decisionRequest"]
    start, resume, question = told[again : again + 3]
    assert {"matchStart": told[0]["matchStart"]} == start
    if mode == "snapshot":
        assert asked["observation"] == resume["resume"]["observation"]
        assert asked == question["decisionRequest"]
    else:
        events = [
            event for message in told[:again] for event in message.get("decisionRequest", {"events": []})["events"]
        ]
        assert events == resume["resume"]["events"]
        assert asked | {"events": []} == question["decisionRequest"]


@pytest.mark.parametrize(
    "leaves",
    ["os.close(1); time.sleep(60)", "subprocess.Popen(['sleep', '60']); os._exit(0)"],
    ids=["closes its output", "ends, and what it started holds its output"],
)
def test_a_program_that_can_say_no_more_is_started_again(author: Author, leaves: str) -> None:
    """As one that dies: the end of its output counts, and so does its own."""
    expected = uvloop.run(play(author.write()))
    left = str(author.folder / "left")
    once = (
        f"import subprocess\nif asked == 3 and not os.path.exists({left!r}):\n    open({left!r}, 'w')\n    {leaves}\n"
    )

    assert expected == uvloop.run(play(author.write(once + GOOD)))


async def test_a_program_that_dies_again_and_again_costs_moves_and_not_the_match(
    author: Author, capsys: pytest.CaptureFixture[str]
) -> None:
    """After MAX_STARTS starts its default actions are played."""
    played = await play(author.write("if asked == 1: sys.exit(7)\n" + GOOD))

    assert MAX_STARTS == sum("matchStart" in message for message in author.told())
    assert (played.defaults[1:], []) == (played.actions[1:], played.unanswered)
    assert MAX_STARTS == "".join(capsys.readouterr()).count("the program ended")


async def test_a_program_that_never_answers_before_it_dies_is_no_bot(author: Author) -> None:
    """A syntax error, say: better no bot than one that cannot think."""
    command = author.write("")
    (author.folder / "program.py").write_text("if\n")

    with pytest.raises(BotStartError, match=f"ended {MAX_STARTS} times in one match and has never answered"):
        await play(command)


async def test_a_program_that_cannot_be_started_is_told(author: Author) -> None:
    """By its name, before anything is joined, or when it is started."""
    with pytest.raises(BotStartError, match="program 'no-such-program': expected the name of a program in PATH"):
        Bridge(["no-such-program"], MODES["delta"])
    broken = author.folder / "broken"
    broken.write_bytes(b"\x7fELF no more")
    broken.chmod(0o755)
    with pytest.raises(BotStartError, match="broken' cannot be started: Exec format error"):
        await play([str(broken)])


async def test_whatever_a_program_leaves_behind_ends_with_the_match(author: Author) -> None:
    """Neither a program that stays after its input was closed nor what it started outlives its match."""
    pids = author.folder / "pids"
    start = (
        "if not asked:\n"
        "    import subprocess\n"
        "    child = subprocess.Popen(['sleep', '600'])\n"
        f"    print(os.getpid(), child.pid, file=open({str(pids)!r}, 'w'))\n"
    )
    await play(author.write(start + GOOD, at_end="time.sleep(600)"))

    assert [] == [pid for pid in map(int, pids.read_text().split()) if runs(pid)]


def runs(pid: int) -> bool:
    """Return whether a process is there and no zombie."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def test_a_program_is_not_asked_again_after_a_lost_connection(arena: Any, author: Author) -> None:
    """The table asks again when an answer got lost; the bridge repeats it. The program plays on after Resume."""
    calm, stormy = arena.add_table("one"), arena.add_table("two", lose_answers={0, 3, 4})
    stormy.deal_seed = calm.deal_seed
    stormy.match = Table(calm.deal_seed, set()).match

    async def script(arena: Any, context: Any) -> None:
        for match_id in ("one", "two"):
            arena.table_over.clear()
            await arena.assign(context, match_id)
            await arena.table_over.wait()
        await arena.goodbye(context, lobby_service_pb2.GOODBYE_REASON_FINISHED)

    arena.scripts = [script]
    connection = Connection(address=arena.address, token="right", capacity=1, matches=0, client="test")  # noqa: S106
    await LobbyClient(connection, Bridge(author.write(), MODES["delta"])).run()

    assert 4 == stormy.opened
    assert calm.answers == stormy.answers
    assert len(calm.answers) * 2 == sum("decisionRequest" in message for message in author.told())
    assert 3 == sum("resume" in message for message in author.told())


def start(*arguments: str, **environment: str) -> subprocess.Popen[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("KAWUXING_", "GRPC_"))}
    command = [str(Path(sys.executable).with_name("kawuxing")), "bridge", *arguments]
    return subprocess.Popen(command, env=clean | environment, stdout=-1, stderr=-1, text=True)


async def end_of(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, errors = await asyncio.to_thread(process.communicate, timeout=60)
    return process.returncode, errors


async def test_the_command_plays_its_matches_and_exits_with_0(arena: Any, author: Author) -> None:
    """Settings come from the environment, as the arena starts its bots; what the program says on stderr is shown.

    The program's own environment does not have the token.
    """
    table = arena.add_table("one")

    async def assign(arena: Any, context: Any) -> None:
        await arena.assign(context, "one")
        await asyncio.Event().wait()

    arena.scripts = [assign]
    command = author.write(GOOD, at_end="print(os.environ.get('KAWUXING_TOKEN'), file=sys.stderr)")
    environment = {"KAWUXING_ADDRESS": arena.address, "KAWUXING_TOKEN": "right", "KAWUXING_MATCHES": "1"}

    assert (0, "None\n") == await end_of(start("--mode", "delta", "--", *command, **environment))
    assert table.match.finished


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_a_signal_ends_the_command_and_its_program(arena: Any, author: Author, number: signal.Signals) -> None:
    """The exit code is 0, as that of every bot, and the program's input is closed."""
    arena.add_table("one")

    async def assign(arena: Any, context: Any) -> None:
        await arena.assign(context, "one")
        await asyncio.Event().wait()

    arena.scripts = [assign]
    os.mkfifo(author.folder / "asked")
    command = author.write(f"open({str(author.folder / 'asked')!r}, 'w').write(str(os.getpid()))")
    process = start("--address", arena.address, "--token", "right", *command)
    pid = int(await asyncio.to_thread((author.folder / "asked").read_text))
    process.send_signal(number)

    assert (0, "") == await end_of(process)
    assert not runs(pid)
    assert "closed" == author.noted()[-1]


@pytest.mark.parametrize(("settings", "shown"), [({}, False), ({"GRPC_VERBOSITY": "INFO"}, True)])
async def test_what_grpc_notes_is_not_shown_unless_it_is_asked_for(settings: dict[str, str], shown: bool) -> None:
    """When an arena stops, gRPC's core would tell the author's terminal so in a line of its own."""
    async with asyncio.timeout(60), stopping_arena() as (address, again):
        process = start("--address", address, "--token", "right", "cat", **settings)
        await again.wait()
    process.terminate()
    code, errors = await end_of(process)
    assert 0 == code
    assert shown == ("Got goaway" in errors)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--", "cat"], 2, "error: no address: give --address or set KAWUXING_ADDRESS"),
        (["--address", "here", "cat"], 2, "error: address is 'here': expected host:port"),
        (["--address", "127.0.0.1:1", "--token", "t", "nonesuch"], 1, "error: program 'nonesuch': expected"),
        (["--mode", "whole", "cat"], 2, "'whole' is not one of 'snapshot', 'delta'"),
        ([], 2, "Missing argument"),
    ],
)
async def test_wrong_settings_are_told(arguments: list[str], code: int, said: str) -> None:
    """With the exit codes of every bot, before anything is joined."""
    ended, errors = await end_of(start(*arguments, COLUMNS="200"))

    assert code == ended
    assert said in errors
