"""Launched bots, with real processes."""

import asyncio
import json
import os
import re
import resource
import signal
import stat
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import psutil
import pytest
from structlog.testing import capture_logs

from kawuxing.runner.command import BotCommand
from kawuxing.runner.errors import LaunchError
from kawuxing.runner.launcher import (
    SUPERVISOR_LOG,
    BotExited,
    BotStarted,
    Launcher,
    LauncherEvent,
    LogFailed,
    SupervisorLost,
)
from kawuxing.runner.restarts import Backoff

QUICK = Backoff(first=timedelta(milliseconds=20), longest=timedelta(milliseconds=80))
PATIENCE = 60.0
"""Seconds after which a condition that does not come is a failure; a loaded machine is no reason to fail."""

SLEEP = "import time; time.sleep(3600)"

SIGNAL_LOGGER = """
import signal, time
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, lambda n, _: print("got", signal.Signals(n).name, flush=True))
print("ready", flush=True)
while True:
    time.sleep(3600)
"""

# Leaves, besides itself, a child in its group, one in a session of its own, and a daemon that forked twice and cleared
# its environment; tells the pids of all.
FORKER = """
import os, subprocess, sys, time
pids = open(sys.argv[1] + ".part", "w")
print(os.getpid(), file=pids)
sleep = [sys.executable, "-c", "import time; time.sleep(3600)"]
print(subprocess.Popen(sleep).pid, file=pids)
print(subprocess.Popen(sleep, start_new_session=True).pid, file=pids)
pids.flush()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print(os.getpid(), file=pids)
        pids.close()
        os.rename(sys.argv[1] + ".part", sys.argv[1])
        if sys.argv[2:] == ["clear"]:
            os.execve(sleep[0], sleep, {})
        time.sleep(3600)
    os._exit(0)
time.sleep(3600)
"""

# A small arena: launches the command in its arguments, tells the pids, and closes when told by a line.
ARENA = """
import asyncio, json, signal, sys
from pathlib import Path
import uvloop
from kawuxing.runner.command import BotCommand
from kawuxing.runner.launcher import Launcher

async def main():
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, lambda: print("interrupted", flush=True))
    async with Launcher(Path(sys.argv[1])) as launcher:
        bot = BotCommand(name="bot", command=tuple(sys.argv[2:]), address="127.0.0.1:1", token="t")
        launched = await launcher.launch(bot)
        print(json.dumps({"bot": launched.pids[0], "supervisor": launcher.supervisor_pid}), flush=True)
        await loop.run_in_executor(None, sys.stdin.readline)
    print("closed", flush=True)

uvloop.run(main())
"""


def python_bot(code: str, *arguments: str, name: str = "bot", process: str = "shared", capacity: int = 1) -> BotCommand:
    return BotCommand(
        name=name,
        command=(sys.executable, "-c", code, *arguments),
        address="127.0.0.1:1",
        token="t",  # noqa: S106
        process=process,  # type: ignore[arg-type]
        capacity=capacity,
    )


def alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def eventually(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 (files and processes set no event)
            await asyncio.sleep(0.01)


@asynccontextmanager
async def launching(
    folder: Path, *, backoff: Backoff = QUICK, grace: timedelta = timedelta(seconds=30)
) -> AsyncIterator[tuple[Launcher, list[LauncherEvent]]]:
    """Give a launcher and the events that it tells; a long grace shows that SIGKILL was not needed."""
    events: list[LauncherEvent] = []
    async with Launcher(folder, on_event=events.append, backoff=backoff, grace=grace) as launcher:
        yield launcher, events


def exits(events: list[LauncherEvent]) -> list[BotExited]:
    return [event for event in events if isinstance(event, BotExited)]


def starts(events: list[LauncherEvent]) -> list[BotStarted]:
    return [event for event in events if isinstance(event, BotStarted)]


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start arenas, each in a process group of its own as a terminal would give it; end what a failed test left."""
    arenas: list[subprocess.Popen[str]] = []

    def start(*command: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", ARENA, str(tmp_path), *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            process_group=0,
        )
        arenas.append(process)
        return process

    yield start
    for process in arenas:
        process.kill()
        process.communicate()


def read_line(process: subprocess.Popen[str]) -> str:
    """Return the next line that an arena says, its log's lines left out."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("{") or line.strip() in {"interrupted", "closed"}:
            return line.strip()
    pytest.fail("the arena ended unasked")


@pytest.mark.parametrize("environment", ["keep", "clear"])
async def test_no_orphan_remains_when_the_arena_is_killed(
    tmp_path: Path, arena: Callable[..., subprocess.Popen[str]], environment: str
) -> None:
    """SIGKILL to the arena ends the bot, its children and a daemon that forked twice, and then the supervisor."""
    pid_file = tmp_path / "pids"
    process = arena(sys.executable, "-c", FORKER, str(pid_file), environment)
    supervisor: int = json.loads(read_line(process))["supervisor"]
    await eventually(pid_file.exists)
    pids = [int(line) for line in pid_file.read_text().split()]
    assert [True] * 4 == [alive(pid) for pid in pids]
    process.kill()
    process.wait()
    await eventually(lambda: not any(map(alive, [*pids, supervisor])))
    assert (tmp_path / SUPERVISOR_LOG).read_text() == ""


async def test_an_interrupt_in_the_terminal_reaches_neither_bots_nor_supervisor(
    tmp_path: Path, arena: Callable[..., subprocess.Popen[str]]
) -> None:
    """After Ctrl-C the arena decides when its bots end: they get no SIGINT, and SIGTERM when it closes."""
    log = tmp_path / "bot.log"
    process = arena(sys.executable, "-c", SIGNAL_LOGGER)
    pids: dict[str, int] = json.loads(read_line(process))
    await eventually(lambda: "ready" in log.read_text())
    os.killpg(process.pid, signal.SIGINT)
    assert read_line(process) == "interrupted"
    assert alive(pids["bot"])
    assert alive(pids["supervisor"])
    assert process.stdin is not None
    process.stdin.write("close\n")
    process.stdin.flush()
    assert read_line(process) == "closed"
    assert ["SIGTERM"] == re.findall(r"got (\w+)", log.read_text())
    assert not any(map(alive, pids.values()))


async def test_an_interrupt_sent_to_the_supervisor_itself_is_ignored(tmp_path: Path) -> None:
    """SIGINT and SIGHUP change nothing, and the bots that it starts do not ignore them because of that."""
    async with launching(tmp_path) as (launcher, events):
        await launcher.launch(python_bot(SLEEP, name="first"))
        assert launcher.supervisor_pid is not None
        os.kill(launcher.supervisor_pid, signal.SIGINT)
        os.kill(launcher.supervisor_pid, signal.SIGHUP)
        second = await launcher.launch(python_bot(SLEEP, name="second"))
        os.kill(second.pids[0], signal.SIGHUP)
        await eventually(lambda: bool(exits(events)))
    assert ("second", "killed by SIGHUP") == (exits(events)[0].bot, exits(events)[0].reason)
    assert not [event for event in events if isinstance(event, SupervisorLost)]


async def test_a_chatty_bot_is_neither_blocked_nor_fills_the_disk(tmp_path: Path) -> None:
    """Fifty megabytes are taken while the arena's loop stalls; the log keeps the first and the last of them."""
    done = tmp_path / "done"
    code = f"""
import sys, time
print("the very first")
for _ in range(50):
    sys.stdout.write("x" * 1_000_000)
print("the very last", flush=True)
open({str(done)!r}, "w").close()
time.sleep(3600)
"""
    async with launching(tmp_path) as (launcher, _):
        await launcher.launch(python_bot(code))
        give_up = time.monotonic() + PATIENCE
        while not done.exists() and time.monotonic() < give_up:
            time.sleep(0.01)  # noqa: ASYNC251 (the loop stalls on purpose)
        assert done.exists()
    log = (tmp_path / "bot.log").read_text()
    assert len(log) < 2 * 65536 + 200
    assert "the very first" in log
    assert "the very last" in log
    left_out = re.search(r"(\d+) bytes left out here", log)
    assert left_out is not None
    assert 49_800_000 < int(left_out[1]) < 50_000_000


async def test_standard_error_is_logged_too(tmp_path: Path) -> None:
    """What a bot says last before it dies is in its log, between the supervisor's own lines."""
    async with launching(tmp_path) as (launcher, events):
        bot = await launcher.launch(python_bot("import sys; sys.exit('no model found')"))
        await eventually(lambda: bool(exits(events)))
    assert tmp_path / "bot.log" == bot.log
    assert re.match(
        r"\[kawuxing \S+\] process 0 started, pid \d+\nno model found\n\[kawuxing \S+\] process 0 ended: exit code 1;",
        bot.log.read_text(),
    )


async def test_a_missing_program_is_told_before_anything_starts(tmp_path: Path) -> None:
    """The error names bot and program, and neither a process nor a log is there."""
    async with launching(tmp_path) as (launcher, events):
        command = BotCommand(name="bot", command=("no-such-bot",), address="a:1", token="t")  # noqa: S106
        with pytest.raises(LaunchError, match="bot bot: no program 'no-such-bot'"):
            await launcher.launch(command)
    assert events == []
    assert not (tmp_path / "bot.log").exists()


async def test_a_program_that_the_system_cannot_run_is_refused(tmp_path: Path) -> None:
    """An executable file that is no program gives an error, and its name is free for another try."""
    program = tmp_path / "no-program"
    program.write_text("print('no first line says by what to run this')")
    program.chmod(0o755)
    async with launching(tmp_path) as (launcher, events):
        with pytest.raises(LaunchError, match=r"bot bot: .*Exec format error"):
            await launcher.launch(BotCommand(name="bot", command=(str(program),), address="a:1", token="t"))  # noqa: S106
        await launcher.launch(python_bot(SLEEP))
    assert [0] == [event.restarts for event in starts(events)]


async def test_a_log_that_cannot_be_made_refuses_the_bot(tmp_path: Path) -> None:
    """The error names the bot and the file; other bots are not affected."""
    (tmp_path / "bot.log.old").mkdir()
    (tmp_path / "bot.log").write_text("of the run before")
    async with launching(tmp_path) as (launcher, _):
        with pytest.raises(LaunchError, match=r"bot bot: its log: .*bot\.log"):
            await launcher.launch(python_bot(SLEEP))
        other = await launcher.launch(python_bot(SLEEP, name="other"))
        assert alive(other.pids[0])


async def test_a_bot_that_exits_is_started_again_with_growing_waits(tmp_path: Path) -> None:
    """Each end is told with its exit code and the wait, which doubles up to the longest."""
    async with launching(tmp_path) as (launcher, events):
        bot = await launcher.launch(python_bot("raise SystemExit(7)"))
        await eventually(lambda: len(starts(events)) > 4)
        assert bot.restarts >= 4
    ended = [event for event in exits(events) if event.wait is not None]
    assert {7} == {event.code for event in ended}
    assert [timedelta(milliseconds=ms) for ms in (20, 40, 80, 80)] == [event.wait for event in ended[:4]]
    assert [0, 1, 2, 3, 4] == [event.restarts for event in starts(events)[:5]]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("print('why', end='\\n \\n\\n'); raise SystemExit(3)", "why"),
        ("print('before', 'why', sep='\\n', end=''); raise SystemExit(3)", "why"),
        ("print('x' * 100_000 + 'y'); print('z' * 1000); raise SystemExit(3)", "z" * 200),
        ("import sys; sys.stderr.buffer.write('万\x1b'.encode() + b'\\xff'); raise SystemExit(3)", "万\x1b\\xff"),
        ("raise SystemExit(3)", ""),
    ],
    ids=["blank lines after it", "unfinished", "long", "no text", "silent"],
)
async def test_the_last_line_of_a_bot_that_ended_is_told(tmp_path: Path, code: str, expected: str) -> None:
    """It is mostly the reason: of what the process wrote the last line that has something in it, bounded."""
    async with launching(tmp_path) as (launcher, events):
        await launcher.launch(python_bot(code))
        await eventually(lambda: len(exits(events)) > 1)
    assert {expected} == {event.last_line for event in exits(events) if event.wait is not None}


async def test_the_last_line_is_that_of_the_process_that_ended(tmp_path: Path) -> None:
    """What an earlier one wrote says nothing of a later one."""
    seen = tmp_path / "seen"
    code = "import os, sys; os.path.exists(sys.argv[1]) or print('only once'); open(sys.argv[1], 'w'); sys.exit(1)"
    async with launching(tmp_path) as (launcher, events):
        await launcher.launch(python_bot(code, str(seen)))
        await eventually(lambda: len(exits(events)) > 1)
    assert ["only once", ""] == [event.last_line for event in exits(events)][:2]


@pytest.mark.parametrize(("code", "level"), [(0, "info"), (3, "warning")])
async def test_a_bot_that_leaves_when_it_may_is_not_started_again(tmp_path: Path, code: int, level: str) -> None:
    """That it goes is what was wanted, and no reason for a warning; that it fails then is one."""
    leave = tmp_path / "leave"
    wait = f"import os, sys, time\nwhile not os.path.exists(sys.argv[1]): time.sleep(0.01)\nsys.exit({code})"
    with capture_logs() as logged:
        async with launching(tmp_path) as (launcher, events):
            bot = await launcher.launch(python_bot(wait, str(leave)))
            await launcher.launch(python_bot("raise SystemExit(0)", name="waiting"))
            await eventually(lambda: len(exits(events)) > 3)
            launcher.retire()
            logged.clear()
            leave.touch()
            await eventually(lambda: not bot.pids)
            ended = next(event for event in exits(events) if event.bot == "bot")
            told = len(events)
            await asyncio.sleep(0.3)
            assert told == len(events)
    assert (code, None) == (ended.code, ended.wait)
    said = [line["log_level"] for line in logged if line["event"] == "bot ended" and line["bot"] == "bot"]
    assert [level] == said


async def test_a_program_that_vanished_is_tried_again(tmp_path: Path) -> None:
    """A program that is replaced while its bot restarts is found again once it is back."""
    program = tmp_path / "my-bot"
    program.write_text(f"#!/bin/sh\nrm {program}\n")
    program.chmod(0o755)
    async with launching(tmp_path) as (launcher, events):
        await launcher.launch(BotCommand(name="bot", command=(str(program),), address="a:1", token="t"))  # noqa: S106
        await eventually(lambda: any(event.code is None for event in exits(events)))
        replacement = tmp_path / "replacement"
        replacement.write_text("#!/bin/sh\nexec sleep 3600\n")
        replacement.chmod(0o755)
        replacement.rename(program)
        await eventually(lambda: len(starts(events)) > 1)
    vanished = next(event for event in exits(events) if event.code is None)
    assert "No such file" in vanished.reason


async def test_what_an_ended_bot_left_behind_does_not_stay(tmp_path: Path) -> None:
    """When a bot ends by itself, its children and daemons are ended before it is started again."""
    pid_file = tmp_path / "pids"
    async with launching(tmp_path) as (launcher, events):
        bot = await launcher.launch(python_bot(FORKER, str(pid_file)))
        await eventually(pid_file.exists)
        pids = [int(line) for line in pid_file.read_text().split()]
        os.kill(bot.pids[0], signal.SIGKILL)
        await eventually(lambda: len(starts(events)) > 1)
        assert [False] * 4 == [alive(pid) for pid in pids]


async def test_stop_ends_all_of_one_bot_and_nothing_of_another(tmp_path: Path) -> None:
    """Also what left the bot's process group; and the name is free afterwards."""
    gone, staying = tmp_path / "gone", tmp_path / "staying"
    async with launching(tmp_path) as (launcher, events):
        await launcher.launch(python_bot(FORKER, str(gone), name="a"))
        await launcher.launch(python_bot(FORKER, str(staying), name="b"))
        await eventually(lambda: gone.exists() and staying.exists())
        await launcher.stop("a")
        assert [False] * 4 == [alive(int(pid)) for pid in gone.read_text().split()]
        assert [True] * 4 == [alive(int(pid)) for pid in staying.read_text().split()]
        await launcher.launch(python_bot(SLEEP, name="a"))
    assert [("a", "killed by SIGTERM", None)] == [(e.bot, e.reason, e.wait) for e in exits(events)[:1]]
    assert [False] * 4 == [alive(int(pid)) for pid in staying.read_text().split()]


async def test_stop_kills_a_bot_that_ignores_sigterm(tmp_path: Path) -> None:
    """After the grace comes SIGKILL."""
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); " + SLEEP
    async with launching(tmp_path, grace=timedelta(milliseconds=100)) as (launcher, events):
        bot = await launcher.launch(python_bot(code))
        pid = bot.pids[0]
        await eventually(lambda: "deaf" in bot.log.read_text())
        await launcher.stop("bot")
        assert not alive(pid)
    assert ["killed by SIGKILL"] == [event.reason for event in exits(events)]


async def test_a_wrapped_bot_has_the_grace_to_end_well(tmp_path: Path) -> None:
    """The grace is for all of the group, also when the script that wraps the bot ends first."""
    code = """
import signal, time
def end(*_):
    time.sleep(0.3)
    print("saved", flush=True)
    raise SystemExit
signal.signal(signal.SIGTERM, end)
print("ready", flush=True)
time.sleep(3600)
"""
    async with launching(tmp_path) as (launcher, _):
        command = ("sh", "-c", '"$0" -c "$1"; exit', sys.executable, code)
        bot = await launcher.launch(BotCommand(name="bot", command=command, address="a:1", token="t"))  # noqa: S106
        await eventually(lambda: "ready" in bot.log.read_text())
        await launcher.stop("bot")
    assert "saved" in bot.log.read_text()


async def test_stop_ends_a_bot_that_waits_for_its_restart(tmp_path: Path) -> None:
    """A bot without a process is stopped at once and not started again."""
    hour = timedelta(hours=1)
    async with launching(tmp_path, backoff=Backoff(first=hour, longest=hour)) as (launcher, events):
        await launcher.launch(python_bot("raise SystemExit(1)"))
        await eventually(lambda: bool(exits(events)))
        await launcher.stop("bot")
        with pytest.raises(LaunchError, match="bot bot: no bot of this name is launched"):
            await launcher.stop("bot")
    assert len(starts(events)) == 1


async def test_every_match_has_a_fresh_process(tmp_path: Path) -> None:
    """A bot of capacity 3 has three processes of one match each, and one that exits with 0 is replaced at once."""
    code = f"""
import os, time
print("matches", os.environ["KAWUXING_MATCHES"], "capacity", os.environ["KAWUXING_CAPACITY"], flush=True)
while not os.path.exists({str(tmp_path)!r} + "/over." + str(os.getpid())):
    time.sleep(0.01)
"""
    at_once = Backoff(first=timedelta(hours=1), longest=timedelta(hours=1), shortest_match=timedelta(0))
    async with launching(tmp_path, backoff=at_once) as (launcher, events):
        bot = await launcher.launch(python_bot(code, process="match", capacity=3))
        before = dict(bot.pids)
        assert {0, 1, 2} == set(before)
        (tmp_path / f"over.{before[1]}").touch()
        await eventually(lambda: len(starts(events)) == 4)
        assert before[1] != bot.pids[1]
        assert (before[0], before[2]) == (bot.pids[0], bot.pids[2])
        await eventually(lambda: bot.log.read_text().count("matches 1 capacity 1") == 4)
    assert [(1, 0, timedelta(0))] == [(event.process, event.code, event.wait) for event in exits(events)[:1]]


async def test_a_bot_inherits_nothing_but_its_output(tmp_path: Path) -> None:
    """No file of the arena or the supervisor is open in a bot, and it leads a session of its own."""
    code = """
import os
path = "/proc/self/fd/"
names = {n: os.readlink(path + n) for n in os.listdir(path) if os.path.exists(path + n)}
print(sorted(names), names["0"], names["1"] == names["2"], os.getsid(0) == os.getpid(), flush=True)
"""
    reading, writing = os.pipe()
    os.set_inheritable(reading, True)
    os.set_inheritable(writing, True)
    async with launching(tmp_path) as (launcher, events):
        bot = await launcher.launch(python_bot(code))
        await eventually(lambda: bool(exits(events)))
    os.close(reading)
    os.close(writing)
    assert "['0', '1', '2'] /dev/null True True" in bot.log.read_text()


async def test_nothing_leaks_over_many_restarts(tmp_path: Path) -> None:
    """The supervisor has as many open files and children after many restarts as before, and no zombies."""
    once_more = Backoff(first=timedelta(milliseconds=1), longest=timedelta(milliseconds=1))
    async with launching(tmp_path, backoff=once_more) as (launcher, events):
        await launcher.launch(python_bot(SLEEP, name="stays"))
        assert launcher.supervisor_pid is not None
        supervisor = psutil.Process(launcher.supervisor_pid)
        files = supervisor.num_fds()
        command = BotCommand(name="exits", command=("sh", "-c", "(sleep 0 &)"), address="a:1", token="t")  # noqa: S106
        await launcher.launch(command)
        await eventually(lambda: len(starts(events)) > 30)
        await launcher.stop("exits")
        assert ["stays"] == list(launcher.bots)
        await eventually(lambda: len(supervisor.children()) == 1)
        assert files == supervisor.num_fds()


async def test_a_supervisor_that_dies_takes_no_bot_for_granted(tmp_path: Path) -> None:
    """Its bots are killed, its loss is told, and the launcher says clearly that it cannot go on."""
    async with launching(tmp_path) as (launcher, events):
        bot = await launcher.launch(python_bot(SLEEP))
        pid = bot.pids[0]
        assert launcher.supervisor_pid is not None
        os.kill(launcher.supervisor_pid, signal.SIGKILL)
        await eventually(lambda: SupervisorLost() in events)
        await eventually(lambda: not alive(pid))
        with pytest.raises(LaunchError, match="its supervisor was lost"):
            await launcher.launch(python_bot(SLEEP))


async def test_a_supervisor_that_breaks_kills_its_bots_and_says_why(tmp_path: Path) -> None:
    """An error in the supervisor leaves nothing behind, not even a daemon, and stands in its log."""
    pid_file = tmp_path / "pids"
    async with launching(tmp_path) as (launcher, events):
        await launcher.launch(python_bot(FORKER, str(pid_file)))
        await eventually(pid_file.exists)
        launcher._send({"do": "launch"})
        await eventually(lambda: SupervisorLost() in events)
    pids = [int(line) for line in pid_file.read_text().split()]
    await eventually(lambda: not any(map(alive, pids)))
    assert "KeyError: 'bot'" in (tmp_path / SUPERVISOR_LOG).read_text()


async def test_a_supervisor_that_does_not_start_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says where to read what went wrong."""
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(LaunchError, match=rf"does not start; what it said stands in .*{SUPERVISOR_LOG}"):
        await Launcher(tmp_path).start()


async def test_a_log_that_cannot_be_written_does_not_harm_its_bot(tmp_path: Path) -> None:
    """It is told once, and the bot lives and is drained."""
    done = tmp_path / "done"
    code = f"""
import os, time
os.write(1, b"x" * 1_000_000)
os.mkdir({str(done)!r})
time.sleep(3600)
"""
    async with launching(tmp_path) as (launcher, events):
        assert launcher.supervisor_pid is not None
        resource.prlimit(launcher.supervisor_pid, resource.RLIMIT_FSIZE, (0, 0))
        bot = await launcher.launch(python_bot(code))
        await eventually(done.exists)
        await eventually(lambda: any(isinstance(event, LogFailed) for event in events))
        assert alive(bot.pids[0])
    assert [LogFailed("bot", "[Errno 27] File too large")] == [e for e in events if isinstance(e, LogFailed)]


async def test_sigterm_to_the_supervisor_ends_the_bots(tmp_path: Path) -> None:
    """Whoever ends the supervisor by hand leaves no bot behind."""
    async with launching(tmp_path) as (launcher, events):
        bot = await launcher.launch(python_bot(SLEEP))
        pid = bot.pids[0]
        assert launcher.supervisor_pid is not None
        os.kill(launcher.supervisor_pid, signal.SIGTERM)
        await eventually(lambda: SupervisorLost() in events)
        assert not alive(pid)


async def test_one_name_is_launched_once(tmp_path: Path) -> None:
    """A second bot of a name is refused and the first is not touched."""
    async with launching(tmp_path) as (launcher, _):
        bot = await launcher.launch(python_bot(SLEEP))
        with pytest.raises(LaunchError, match="bot bot: a bot of this name is launched already"):
            await launcher.launch(python_bot(SLEEP))
        assert alive(bot.pids[0])


async def test_a_launcher_runs_once(tmp_path: Path) -> None:
    """It launches nothing before its start or after its close, starts once, and may be closed again."""
    launcher = Launcher(tmp_path)
    await launcher.close()
    with pytest.raises(LaunchError, match="does not run"):
        await launcher.launch(python_bot(SLEEP))
    await launcher.start()
    with pytest.raises(LaunchError, match="was started before"):
        await launcher.start()
    await launcher.close()
    await launcher.close()
    with pytest.raises(LaunchError, match="does not run"):
        await launcher.launch(python_bot(SLEEP))


async def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """The error says which folder of logs it was."""
    (tmp_path / "file").touch()
    with pytest.raises(LaunchError, match=r"logs in .*file/logs"):
        await Launcher(tmp_path / "file" / "logs").start()


async def test_a_cancelled_launch_leaves_no_bot(tmp_path: Path) -> None:
    """Whoever gives up waiting for a launch does not have to stop the bot."""
    async with launching(tmp_path) as (launcher, events):
        launch = asyncio.create_task(launcher.launch(python_bot(SLEEP)))
        await asyncio.sleep(0)
        assert "bot" in launcher.bots
        launch.cancel()
        await eventually(lambda: "bot" not in launcher.bots)
        with pytest.raises(asyncio.CancelledError):
            await launch
        assert not [event for event in starts(events) if alive(event.pid)]


async def test_logs_are_for_the_owner_alone(tmp_path: Path) -> None:
    """Whatever the umask says: the folder, each bot's log with that of the run before, and the supervisor's."""
    logs = tmp_path / "logs"
    umask = os.umask(0)
    try:
        for _ in range(2):
            async with Launcher(logs) as launcher:
                await launcher.launch(python_bot(SLEEP, name="ada"))
    finally:
        os.umask(umask)

    assert 0o700 == stat.S_IMODE(logs.stat().st_mode)
    assert {"ada.log": 0o600, "ada.log.old": 0o600, SUPERVISOR_LOG: 0o600} == {
        path.name: stat.S_IMODE(path.stat().st_mode) for path in logs.iterdir()
    }
