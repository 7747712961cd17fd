"""The kit against a scripted gRPC server."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import structlog
from tests.bots.conftest import stopping_arena

from kawuxing.bots import Bot, MatchInfo, Turn, serve
from kawuxing.bots.bot import decision_random
from kawuxing.bots.dialogue import BotDialogue
from kawuxing.bots.errors import BotStartError, CredentialsError
from kawuxing.bots.lobby import Connection, LobbyClient
from kawuxing.bots.random_bot import RandomBot
from kawuxing.engine.actions import DISCARD, PASS, Action
from kawuxing.engine.events import Event, HandEnded, HandStarted
from kawuxing.engine.faults import default_action
from kawuxing.v1 import lobby_service_pb2

FINISHED = lobby_service_pb2.GOODBYE_REASON_FINISHED
STOPPING = lobby_service_pb2.GOODBYE_REASON_STOPPING
WITHDRAWN = lobby_service_pb2.GOODBYE_REASON_WITHDRAWN


async def one_match(arena: Any, context: Any) -> None:
    await arena.assign(context, "one")
    await arena.table_over.wait()
    await arena.goodbye(context, FINISHED)


async def finished(arena: Any, context: Any) -> None:
    await arena.goodbye(context, FINISHED)


async def test_plays_an_assigned_match_to_its_end_and_stops_when_the_tournament_is_over(arena: Any) -> None:
    """One Assignment, one match, Goodbye FINISHED: the client is done."""
    table = arena.add_table("one")
    arena.scripts = [one_match]
    await arena.client(RandomBot).run()
    assert table.match.finished
    assert len(table.answers) == table.decision_id
    assert table.opened == 1


async def test_a_bot_is_the_same_after_lost_connections(arena: Any) -> None:
    """A table that breaks the stream just as answers arrive gets the same answers as one that does not."""
    calm, stormy = arena.add_table("one"), arena.add_table("two", lose_answers={0, 3, 4})
    stormy.deal_seed = calm.deal_seed
    stormy.match = type(stormy)(calm.deal_seed, set()).match
    asked: list[tuple[str, int]] = []
    told: dict[int, list[Event]] = {}

    class Witness(RandomBot):
        def choose(self, turn: Turn) -> Action:
            asked.append((str(id(self)), turn.decision_id))
            return super().choose(turn)

        def observe(self, event: Event) -> None:
            told.setdefault(id(self), []).append(event)

    async def script(arena: Any, context: Any) -> None:
        await arena.assign(context, "one")
        await arena.table_over.wait()
        arena.table_over.clear()
        await arena.assign(context, "two")
        await arena.table_over.wait()
        await arena.goodbye(context, FINISHED)

    arena.scripts = [script]
    bots: list[Bot] = []

    def make(match: MatchInfo) -> Bot:
        bots.append(Witness(match))
        return bots[-1]

    await arena.client(make).run()
    assert 4 == stormy.opened
    assert calm.answers == stormy.answers
    assert len(asked) == len(set(asked)), "no decision is put to the bot twice"
    first, second = told.values()
    assert first == second


async def test_every_bot_sees_hands_begin_and_end(arena: Any) -> None:
    """Observe is told of every event of the match."""
    arena.add_table("one")
    arena.scripts = [one_match]
    seen: list[Event] = []

    class Witness(RandomBot):
        def observe(self, event: Event) -> None:
            seen.append(event)

    await arena.client(Witness).run()
    assert [0, 1] == [event.hand for event in seen if isinstance(event, HandStarted)]
    assert [0, 1] == [event.hand for event in seen if isinstance(event, HandEnded)]


async def test_an_async_choose_is_awaited(arena: Any) -> None:
    """A bot may think elsewhere."""
    table = arena.add_table("one")
    arena.scripts = [one_match]

    class Slow(Bot):
        async def choose(self, turn: Turn) -> Action:
            await asyncio.sleep(0)
            return turn.legal[-1]

    await arena.client(Slow).run()
    assert table.match.finished


@pytest.mark.parametrize("wrong", [ZeroDivisionError("oops"), None])
async def test_a_failing_choose_costs_a_move_and_not_the_match(
    arena: Any, capsys: pytest.CaptureFixture[str], wrong: Exception | None
) -> None:
    """If choose raises or returns what is not legal, the default action is played and the error is shown.

    A traceback has the author's code only; of an action that is not legal there is none.
    """
    table = arena.add_table("one")
    arena.scripts = [one_match]
    expected: list[Action] = []

    class Failing(Bot):
        def choose(self, turn: Turn) -> Action:
            expected.append(default_action(turn.legal, turn.observation.drawn))
            if wrong is not None:
                raise wrong
            return next(action for action in (*DISCARD, PASS) if action not in turn.legal)

    await arena.client(Failing).run()
    assert expected == table.answers
    shown = "".join(capsys.readouterr())
    assert "choose failed" in shown
    assert (1 if wrong else 0) == shown.count("Traceback")
    if wrong:
        assert "raise wrong" in shown
        assert "player.py" not in shown
    else:
        said = re.search(r"Failing\.choose returned .+: expected one of the \d+ actions in Turn\.legal", shown)
        assert said is not None
        assert "player.py" not in shown


async def test_each_place_of_an_error_is_shown_once(arena: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Two mistakes of the same class have a traceback each; what comes again is told in a line, with its decision."""
    arena.add_table("one")
    arena.scripts = [one_match]
    asked: list[int] = []

    class Failing(Bot):
        def choose(self, turn: Turn) -> Action:
            asked.append(turn.decision_id)
            if turn.decision_id % 2:
                raise LookupError("odd")
            raise LookupError("even")

    await arena.client(Failing).run()
    shown = "".join(capsys.readouterr())
    assert 2 == shown.count("Traceback")
    assert len(asked) == shown.count("choose failed")
    assert all(f"decision={decision}" in shown for decision in asked)


async def test_a_bot_that_cannot_start_ends_the_client(arena: Any) -> None:
    """What the constructor raises is the author's to see, at once."""
    arena.add_table("one")
    arena.scripts = [one_match]

    def broken(_: MatchInfo) -> Bot:
        raise FileNotFoundError("model.bin")

    with pytest.raises(BotStartError, match=r"FileNotFoundError: model\.bin"):
        await arena.client(broken).run()


async def test_a_refused_token_is_said_plainly(arena: Any) -> None:
    """Trying again would be of no use, so the client does not."""
    with pytest.raises(CredentialsError, match="refuses this bot: the token is unknown"):
        await arena.client(RandomBot, token="wrong").run()  # noqa: S106
    assert 1 == len(arena.joins)


@pytest.mark.parametrize("first", ["stopping", "lost"])
async def test_joins_again_when_the_arena_stops_or_is_lost(arena: Any, first: str) -> None:
    """Neither Goodbye STOPPING nor a lost stream is the end."""

    async def leave(arena: Any, context: Any) -> None:
        if first == "stopping":
            await arena.goodbye(context, STOPPING)
        else:
            await context.abort(14, "gone")

    arena.scripts = [leave, finished]
    await arena.client(RandomBot).run()
    assert 2 == len(arena.joins)


@pytest.fixture
def logged() -> Iterator[asyncio.Queue[Any]]:
    """What the kit logs, as it does."""
    lines: asyncio.Queue[Any] = asyncio.Queue()

    def keep(_: Any, level: str, line: Any) -> Any:
        lines.put_nowait((level, line["event"]))
        raise structlog.DropEvent

    structlog.configure(processors=[keep])
    yield lines
    structlog.reset_defaults()


@pytest.mark.parametrize(
    ("host", "told"),
    [("127.0.0.1", "no lobby at this address"), ("no-such-host.invalid", "the address's host name is unknown")],
)
@pytest.mark.parametrize(("pause", "levels"), [(60, ["warning", "info", "info"]), (0, ["warning"] * 3)])
async def test_an_arena_that_cannot_be_reached_is_told_once_a_minute(
    host: str,
    told: str,
    pause: float,
    levels: list[str],
    logged: asyncio.Queue[Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is tried again and again, quietly until the pause is over; a host name that nobody knows is told as that."""
    monkeypatch.setattr("kawuxing.bots.outage._AGAIN", pause)
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"{host}:{closed.getsockname()[1]}"
        connection = Connection(address=address, token="right", capacity=1, matches=0, client="test")  # noqa: S106
        playing = asyncio.create_task(LobbyClient(connection, partial(BotDialogue, RandomBot)).run())
        async with asyncio.timeout(60):
            lines = [await logged.get() for _ in levels]
        playing.cancel()
        await asyncio.wait([playing])
    assert levels == [level for level, _ in lines]
    assert lines[0][1].startswith(told)


async def test_a_withdrawn_bot_stops(arena: Any) -> None:
    """Goodbye WITHDRAWN ends the client like FINISHED."""

    async def withdraw(arena: Any, context: Any) -> None:
        await arena.goodbye(context, WITHDRAWN)

    arena.scripts = [withdraw]
    await arena.client(RandomBot).run()
    assert 1 == len(arena.joins)


async def test_an_assignment_already_being_played_is_ignored(arena: Any) -> None:
    """The lobby repeats live assignments; the table sees one stream."""
    table = arena.add_table("one")

    async def repeat(arena: Any, context: Any) -> None:
        await arena.assign(context, "one")
        await arena.assign(context, "one")
        await one_match(arena, context)

    arena.scripts = [repeat]
    await arena.client(RandomBot).run()
    assert 1 == table.opened


async def test_a_match_assigned_anew_is_played_though_its_last_attempt_is_still_open(arena: Any) -> None:
    """A voided match comes back with another ticket, perhaps before the client has left the old table."""
    thinking = asyncio.Event()
    again = arena.add_table("again")
    arena.add_table("one")

    class Stuck(Bot):
        async def choose(self, turn: Turn) -> Action:
            if not thinking.is_set():
                thinking.set()
                await asyncio.Event().wait()
            return turn.legal[0]

    async def twice(arena: Any, context: Any) -> None:
        await arena.assign(context, "one")
        await thinking.wait()
        await arena.assign(context, "one", ticket="again")
        async with asyncio.timeout(20):
            await again.closed.wait()
        await arena.goodbye(context, FINISHED)

    arena.scripts = [twice]
    await arena.client(Stuck).run()
    assert again.match.finished


async def test_when_all_is_over_a_client_leaves_with_its_last_match(arena: Any) -> None:
    """It waits for the end of a match that is still open, and no longer."""
    table = arena.add_table("one")

    async def hasty(arena: Any, context: Any) -> None:
        await arena.assign(context, "one")
        await arena.goodbye(context, FINISHED)

    arena.scripts = [hasty]
    async with asyncio.timeout(4):
        await arena.client(RandomBot).run()
    assert table.match.finished


async def test_a_cancelled_match_is_left(arena: Any) -> None:
    """After Cancelled the client closes its stream to the table and goes on."""
    table = arena.add_table("one")
    thinking = asyncio.Event()

    class Stuck(Bot):
        async def choose(self, turn: Turn) -> Action:
            thinking.set()
            await asyncio.Event().wait()
            return turn.legal[0]

    async def cancel(arena: Any, context: Any) -> None:
        await arena.assign(context, "one")
        await thinking.wait()
        cancelled = lobby_service_pb2.Cancelled(match_id="one", reason="test")
        await context.write(lobby_service_pb2.JoinResponse(cancelled=cancelled))
        async with asyncio.timeout(20):
            await table.closed.wait()
        await arena.goodbye(context, FINISHED)

    arena.scripts = [cancel]
    await arena.client(Stuck).run()
    assert 1 == table.opened


async def test_stops_after_the_matches_it_was_to_play(arena: Any) -> None:
    """With a number of matches, no Goodbye is needed, and a void ticket does not count."""
    tables = [arena.add_table(match_id) for match_id in ("one", "two")]

    async def three(arena: Any, context: Any) -> None:
        await arena.assign(context, "unknown")
        await arena.assign(context, "one")
        await arena.table_over.wait()
        await arena.assign(context, "two")
        await asyncio.Event().wait()

    arena.scripts = [three]
    await arena.client(RandomBot, matches=2).run()
    assert all(table.match.finished for table in tables)


def test_randomness_is_a_function_of_seed_and_decision() -> None:
    """The same bot_seed and decision give the same choice; another decision or seed gives another."""
    draws = [decision_random(seed, decision).random() for seed in (b"a" * 8, b"b" * 8) for decision in (0, 1)]
    assert 4 == len(set(draws))
    assert draws[0] == decision_random(b"a" * 8, 0).random()


def start(arguments: list[str], **environment: str) -> subprocess.Popen[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("KAWUXING_", "GRPC_"))}
    command = [str(Path(sys.executable).with_name("kawuxing-bot")), *arguments]
    return subprocess.Popen(command, env=clean | environment, stdout=-1, stderr=-1, text=True)


async def end_of(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, errors = await asyncio.to_thread(process.communicate, timeout=60)
    return process.returncode, errors


async def test_the_program_plays_its_matches_and_exits_with_0(arena: Any) -> None:
    """Environment only, as the arena starts its bots: one match, then a clean and silent end."""
    table = arena.add_table("one")

    async def assign(arena: Any, context: Any) -> None:
        await arena.assign(context, "one")
        await asyncio.Event().wait()

    arena.scripts = [assign]
    process = start(
        ["random"],
        KAWUXING_ADDRESS=arena.address,
        KAWUXING_TOKEN="right",  # noqa: S106
        KAWUXING_CAPACITY="3",
        KAWUXING_MATCHES="1",
    )
    assert (0, "") == await end_of(process)
    assert table.match.finished
    assert 3 == arena.joins[0].capacity


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_the_program_ends_cleanly_at_a_signal(arena: Any, number: signal.Signals) -> None:
    """SIGTERM, SIGINT and the end of the terminal are no errors."""
    joined = asyncio.Event()

    async def wait(_: Any, __: Any) -> None:
        joined.set()
        await asyncio.Event().wait()

    arena.scripts = [wait]
    process = start(["random", "--address", arena.address, "--token", "right"])
    async with asyncio.timeout(60):
        await joined.wait()
    process.send_signal(number)
    assert (0, "") == await end_of(process)


BUSY = """
from kawuxing.bots import Bot, serve

class Busy(Bot):
    def choose(self, turn):
        print("thinking", flush=True)
        while True:
            pass

serve(Busy)
"""


async def test_a_second_signal_ends_a_bot_that_does_not_stop_thinking(arena: Any) -> None:
    """The first waits for the answer; Ctrl-C twice gets an author out of an endless loop."""
    arena.add_table("one")
    arena.scripts = [one_match]
    command = [sys.executable, "-c", BUSY, "--address", arena.address, "--token", "right"]
    process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    async with asyncio.timeout(60):
        assert b"thinking\n" == await process.stdout.readline()
        process.send_signal(signal.SIGINT)
        with pytest.raises(TimeoutError):
            # That it lives on is seen by waiting.
            await asyncio.wait_for(process.wait(), 0.2)
        process.send_signal(signal.SIGINT)
        assert -signal.SIGINT == await process.wait()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["random"], "no address: give --address or set KAWUXING_ADDRESS"),
        (["random", "--address", "localhost"], "address is 'localhost': expected host:port"),
        (["random", "--address", "http://a:1"], "address is 'http://a:1': expected host:port"),
        (["random", "--address", "a:1"], "no token: give --token or set KAWUXING_TOKEN"),
        (
            ["random", "--address", "a:1", "--token", "t", "--capacity", "65"],
            "capacity is '65': expected a whole number",
        ),
        (["random", "--address", "a:1", "--token", "t", "--matches", "x"], "matches is 'x': expected a whole number"),
        (["bold"], "invalid choice: 'bold'"),
    ],
)
async def test_wrong_settings_are_named_and_exit_with_2(arguments: list[str], message: str) -> None:
    """The message names the setting, its value and what was expected."""
    code, errors = await end_of(start(arguments))
    assert 2 == code
    assert message in errors


@pytest.mark.parametrize(
    ("make_bot", "arguments", "message"),
    [
        (5, [], "make_bot is 5: expected a Bot class"),
        ("RandomBot", [], "make_bot is 'RandomBot': expected a Bot class"),
        (RandomBot, ["--capacity", 2], r"arguments\[1\] is 2: expected str"),
    ],
)
def test_what_cannot_be_served_is_refused(make_bot: Any, arguments: Any, message: str) -> None:
    """The mistake is the program's, so that it is raised, before anything is read or dialled."""
    with pytest.raises(ValueError, match=message):
        serve(make_bot, arguments)


async def test_a_wrong_token_exits_with_2(arena: Any) -> None:
    """The arena's own words reach the author, without a traceback."""
    code, errors = await end_of(start(["random", "--address", arena.address, "--token", "wrong"]))
    assert 2 == code
    assert errors.startswith(f"error: the arena at {arena.address} refuses this bot: the token is unknown")
    assert "Traceback" not in errors


@pytest.mark.parametrize(("settings", "shown"), [({}, False), ({"GRPC_VERBOSITY": "INFO"}, True)])
async def test_what_grpc_notes_is_not_shown_unless_it_is_asked_for(settings: dict[str, str], shown: bool) -> None:
    """When an arena stops, gRPC's core would tell the author's terminal so in a line of its own."""
    async with asyncio.timeout(60), stopping_arena() as (address, again):
        process = start(["random", "--address", address, "--token", "right"], **settings)
        await again.wait()
    process.terminate()
    code, errors = await end_of(process)
    assert 0 == code
    assert shown == ("Got goaway" in errors)


def test_importing_the_kit_imports_no_grpc() -> None:
    """The kit's types are cheap: training code need not load the network."""
    heavy = "{'grpc', 'google', 'structlog'}"
    code = f"import sys, kawuxing.bots, kawuxing.bots.main; print(sorted({heavy} & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "[]" == ran.stdout.strip()
