"""Launches bots from the arena: the asyncio side of the supervisor (`kawuxing.runner.supervisor`).

::

    async with Launcher(run_folder / "logs") as launcher:
        await launcher.launch(BotCommand(name="greedy", command=("kawuxing-bot", "greedy"), address=..., token=...))
        ...

Every bot is started, drained, restarted and ended by the supervisor, a process of its own. The arena only asks and is
told, so that bots are ended although the arena was killed, and are drained although its loop stalls.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Self

import structlog

from kawuxing.runner import process_tree
from kawuxing.runner.command import BotCommand, bot_environment, check_command, without_secrets
from kawuxing.runner.errors import LaunchError
from kawuxing.runner.restarts import Backoff
from kawuxing.runner.supervision import LaunchRequest, Message, decode, encode

SUPERVISOR_LOG = "_supervisor.log"
"""File in the folder of logs for the supervisor's own errors; no bot's name begins with ``_``."""

_LONGEST_LINE = 1024 * 1024
_START_TIME = timedelta(seconds=30)
_END_TIME = timedelta(seconds=20)
"""Beyond the grace: how long the supervisor may take to end everything before it is killed itself."""

_log: structlog.stdlib.BoundLogger = structlog.get_logger("kawuxing.runner.launcher")


@dataclass(frozen=True, slots=True)
class BotStarted:
    """A process of a bot was started."""

    bot: str
    process: int
    """Which of the bot's processes, from 0."""
    pid: int
    restarts: int
    """How often it was started before."""


@dataclass(frozen=True, slots=True)
class BotExited:
    """A process of a bot ended, or could not be started again."""

    bot: str
    process: int
    reason: str
    """``exit code 1``, ``killed by SIGKILL``, or why it could not be started."""
    code: int | None
    """The exit code, negative for the signal that ended it; None if it could not be started."""
    lived: timedelta
    wait: timedelta | None
    """Until it is started again; None if it was told to stop, or ended by itself after `Launcher.retire`."""
    last_line: str = ""
    """The last line with anything in it that it wrote, at most 200 characters and not escaped."""


@dataclass(frozen=True, slots=True)
class LogFailed:
    """A bot's log cannot be written; the bot is not affected."""

    bot: str
    error: str


@dataclass(frozen=True, slots=True)
class SupervisorLost:
    """The supervisor ended unasked. The bots' process groups were killed, and this launcher can launch no more."""


LauncherEvent = BotStarted | BotExited | LogFailed | SupervisorLost


@dataclass(slots=True)
class LaunchedBot:
    """A launched bot, kept up to date by its launcher."""

    name: str
    log: Path
    pids: dict[int, int] = field(default_factory=dict)
    """The running processes: which of the bot's processes → pid."""
    restarts: int = 0
    """How often any of its processes was started again."""


class Launcher:
    """Starts and ends bots through a supervisor process; belongs to one asyncio loop."""

    def __init__(
        self,
        log_dir: Path,
        *,
        on_event: Callable[[LauncherEvent], None] | None = None,
        backoff: Backoff | None = None,
        grace: timedelta = timedelta(seconds=2),
    ) -> None:
        """Prepare; nothing is started yet.

        Args:
            log_dir: folder for the bots' logs, ``<name>.log``; made, for its owner alone, if it is not there.
            on_event: called in the loop with each event; must not raise.
            backoff: the waits before a command that exited is started again.
            grace: between SIGTERM and SIGKILL.
        """
        self._log_dir = log_dir
        self._on_event = on_event
        self._backoff = backoff or Backoff()
        self._grace = grace
        self._bots: dict[str, LaunchedBot] = {}
        self._launching: dict[str, asyncio.Future[None]] = {}
        self._refusals: dict[str, str] = {}
        self._stopping: dict[str, asyncio.Future[None]] = {}
        self._supervisor: subprocess.Popen[bytes] | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._listener: asyncio.Task[None] | None = None
        self._retiring = False
        self._closing = False

    async def __aenter__(self) -> Self:
        """Start the supervisor."""
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """End every bot and the supervisor."""
        await self.close()

    async def start(self) -> None:
        """Start the supervisor and wait until it listens.

        Raises:
            LaunchError: the folder of logs cannot be written, the supervisor does not start, or it was started before.
        """
        if self._supervisor is not None:
            raise LaunchError("this launcher was started before; expected a new one")
        ours, its = socket.socketpair()
        try:
            with its:
                self._supervisor = self._spawn(its.fileno())
            reader, self._writer = await asyncio.open_unix_connection(sock=ours, limit=_LONGEST_LINE)
            async with asyncio.timeout(_START_TIME.total_seconds()):
                ready = decode(await reader.readuntil(b"\n"))
        except BaseException as error:
            ours.close()
            await self._end_supervisor()
            if isinstance(error, TimeoutError | EOFError | ConnectionError):
                log = self._log_dir / SUPERVISOR_LOG
                raise LaunchError(f"the supervisor of bots does not start; what it said stands in {log}") from error
            raise
        _log.debug("supervisor started", pid=ready["pid"], subreaper=ready["subreaper"])
        self._listener = asyncio.create_task(self._listen(reader), name="launcher")

    @property
    def supervisor_pid(self) -> int | None:
        """The supervisor's process; None before the start."""
        return None if self._supervisor is None else self._supervisor.pid

    @property
    def bots(self) -> Mapping[str, LaunchedBot]:
        """What is launched now, by name; being launched and being stopped included."""
        return MappingProxyType(self._bots)

    async def launch(self, bot: BotCommand) -> LaunchedBot:
        """Start a bot; return when all of its processes are started.

        Raises:
            LaunchError: its program is missing or cannot be run, a bot of this name is launched already, or the
                launcher does not run.
        """
        if bot.name in self._bots:
            raise LaunchError(f"bot {bot.name}: a bot of this name is launched already")
        program = check_command(bot.name, bot.command, bot.env)
        one_match = bot.process == "match"
        request = LaunchRequest(
            bot=bot.name,
            command=(str(program), *bot.command[1:]),
            env=bot_environment(bot, os.environ),
            processes=bot.capacity if one_match else 1,
            one_match=one_match,
            log=str(self._log_dir.absolute() / f"{bot.name}.log"),
            grace=self._grace,
            backoff=self._backoff,
        )
        self._send(request.to_message())
        launched = LaunchedBot(bot.name, Path(request.log))
        self._bots[bot.name] = launched
        done = self._launching[bot.name] = asyncio.get_running_loop().create_future()
        try:
            await done
        except asyncio.CancelledError:
            with contextlib.suppress(LaunchError):
                self._send({"do": "stop", "bot": bot.name})
            raise
        return launched

    async def stop(self, name: str) -> None:
        """End all processes of a bot for good; return when nothing is left of it.

        Raises:
            LaunchError: no bot of this name is launched, or the launcher does not run.
        """
        if name not in self._bots:
            raise LaunchError(f"bot {name}: no bot of this name is launched; there are {sorted(self._bots)}")
        self._send({"do": "stop", "bot": name})
        done = self._stopping.setdefault(name, asyncio.get_running_loop().create_future())
        await asyncio.shield(done)

    def retire(self) -> None:
        """Let the bots go: what ends by itself from now on is not started again, and to end with 0 is no news.

        Harmless if the launcher does not run: then no bot does.
        """
        with contextlib.suppress(LaunchError):
            self._send({"do": "retire"})
        self._retiring = True

    async def close(self) -> None:
        """End every bot and the supervisor; return when nothing is left of them. Harmless when repeated."""
        if self._listener is None:
            return
        try:
            if not self._closing and not self._listener.done():
                self._send({"do": "close"})
                self._closing = True
            async with asyncio.timeout((self._grace + _END_TIME).total_seconds()):
                await asyncio.shield(self._listener)
        except TimeoutError:
            _log.error("supervisor does not end; killed")
            self._kill_groups()
        finally:
            await self._end_supervisor()

    def _spawn(self, channel: int) -> subprocess.Popen[bytes]:
        try:
            self._log_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
            with open(self._log_dir / SUPERVISOR_LOG, "wb", opener=_open_private) as errors:
                # -P: no folder that the arena happens to run in can stand in for a module.
                return subprocess.Popen(
                    [sys.executable, "-P", "-m", "kawuxing.runner.supervisor"],
                    stdin=channel,
                    stdout=subprocess.DEVNULL,
                    stderr=errors,
                    env=without_secrets(os.environ),
                    # A session of its own: what the terminal sends to the arena's process group does not reach it.
                    start_new_session=True,
                )
        except OSError as error:
            raise LaunchError(f"the supervisor of bots, with its logs in {self._log_dir}: {error}") from error

    async def _end_supervisor(self) -> None:
        """Make sure that the supervisor is gone and nothing of the connection is left."""
        if self._writer is not None:
            self._writer.close()
        supervisor = self._supervisor
        if supervisor is None:
            return
        try:
            # Once the connection is closed it ends by itself; this waits, but not for ever.
            await asyncio.to_thread(supervisor.wait, (self._grace + _END_TIME).total_seconds())
        except subprocess.TimeoutExpired:
            supervisor.kill()
            await asyncio.to_thread(supervisor.wait)

    def _send(self, message: Message) -> None:
        # No drain: a few requests are all that is ever sent, and the supervisor never stops reading.
        if self._writer is None or self._listener is None or self._listener.done() or self._closing:
            raise LaunchError("the launcher of bots does not run: not started, closed, or its supervisor was lost")
        self._writer.write(encode(message))

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        try:
            while line := await reader.readline():
                self._take(decode(line))
        except ConnectionError:
            _log.debug("connection to the supervisor broke")
        finally:
            self._settle_all()

    def _settle_all(self) -> None:
        """Let nobody wait for what the supervisor will not tell any more."""
        lost = not self._closing
        if lost:
            _log.error("supervisor lost; bots killed", bots=sorted(self._bots))
            self._kill_groups()
            if self._writer is not None:
                self._writer.close()
        self._bots.clear()
        for waiting in self._launching.values():
            if not waiting.done():
                waiting.set_exception(LaunchError("the supervisor of bots ended before the bot was started"))
        for waiting in self._stopping.values():
            if not waiting.done():
                waiting.set_result(None)
        if lost:
            self._tell(SupervisorLost())

    def _take(self, message: Message) -> None:
        name = message["bot"]
        bot = self._bots[name]
        log = _log.bind(bot=name)
        match message["event"]:
            case "launched":
                self._settle_launch(name, None)
            case "refused":
                self._refusals[name] = message["error"]
            case "started":
                bot.pids[message["process"]] = message["pid"]
                bot.restarts += message["restarts"] > 0
                log.info("bot started", pid=message["pid"], restarts=message["restarts"])
                self._tell(BotStarted(name, message["process"], message["pid"], message["restarts"]))
            case "exited" | "not_started":
                bot.pids.pop(message["process"], None)
                event = _exit_event(message)
                log = log.bind(reason=event.reason, lived=str(event.lived))
                if event.last_line:
                    log = log.bind(last_line=event.last_line)
                failed_at_goodbye = self._retiring and not self._closing and event.code != 0
                level = log.warning if event.wait or failed_at_goodbye else log.info
                level("bot ended", wait=str(event.wait), log=str(bot.log))
                self._tell(event)
            case "log_failed":
                log.warning("bot's log cannot be written", error=message["error"])
                self._tell(LogFailed(name, message["error"]))
            case "stopped":
                del self._bots[name]
                refusal = self._refusals.pop(name, "it was stopped before it was started")
                self._settle_launch(name, LaunchError(f"bot {name}: {refusal}"))
                stopped = self._stopping.pop(name, None)
                if stopped is not None and not stopped.done():
                    stopped.set_result(None)

    def _settle_launch(self, name: str, error: LaunchError | None) -> None:
        waiting = self._launching.pop(name, None)
        if waiting is None or waiting.done():
            return
        if error is None:
            waiting.set_result(None)
        else:
            waiting.set_exception(error)

    def _kill_groups(self) -> None:
        for bot in self._bots.values():
            for pid in bot.pids.values():
                process_tree.signal_group(pid, signal.SIGKILL)

    def _tell(self, event: LauncherEvent) -> None:
        if self._on_event is not None:
            self._on_event(event)


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _exit_event(message: Message) -> BotExited:
    code = message.get("code")
    return BotExited(
        bot=message["bot"],
        process=message["process"],
        reason=message["error"] if code is None else process_tree.describe_exit(code),
        code=code,
        lived=timedelta(seconds=message.get("lived", 0)),
        wait=timedelta(seconds=message["wait"]) if "wait" in message else None,
        last_line=message.get("last_line", ""),
    )
