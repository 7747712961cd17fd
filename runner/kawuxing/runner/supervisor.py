"""The supervisor: a small process that starts the bots and outlives the arena just long enough to end them.

``python -m kawuxing.runner.supervisor``, started by `kawuxing.runner.launcher` with one end of a socket pair as its
standard input; `kawuxing.runner.supervision` says what passes over it. It imports the standard library only, runs one
thread with one selector, never waits for the arena to read, and drains every bot's output even while the arena stalls.

It stands in a session of its own and takes no notice of SIGINT and SIGHUP, so a Ctrl-C in the arena's terminal reaches
neither it nor the bots. SIGTERM makes it end everything, as the end of the stream does.
"""

from __future__ import annotations

import os
import selectors
import signal
import sys
import time
from types import FrameType

from kawuxing.runner import process_tree
from kawuxing.runner.bounded_log import BoundedLog
from kawuxing.runner.supervised import SupervisedProcess
from kawuxing.runner.supervision import LaunchRequest, Message, decode, encode

_READ_SIZE = 64 * 1024
_BACKLOG = 256 * 1024
"""Bytes unread by the arena above which nothing is started again: what is kept for a stalled arena stays bounded."""
_FLUSH_EVERY = 1.0
"""Seconds between writes of the logs' ends."""
_POLL = 0.02
"""Seconds between looks for what is left at the end."""
_GIVE_UP = 10.0
"""Seconds after which the supervisor ends although something cannot be killed."""
_LAST_WORDS = 1.0
"""Seconds that a living arena has to read what is still to be told."""


class _Bot:
    """A launched bot: its processes and their log."""

    def __init__(self, request: LaunchRequest, log: BoundedLog, processes: list[SupervisedProcess]) -> None:
        self.request = request
        self.log = log
        self.processes = processes
        self.log_failed = False

    def stop(self) -> None:
        for process in self.processes:
            process.stop(self.request.grace)


class Supervisor:
    """Starts, drains and ends the processes of bots, as the arena asks over `channel`."""

    def __init__(self, channel: int) -> None:
        """Listen.

        Args:
            channel: the connected stream socket to the arena; it is set non-blocking.
        """
        os.set_blocking(channel, False)
        self._channel = channel
        self._incoming = bytearray()
        self._outgoing = bytearray()
        self._bots: dict[str, _Bot] = {}
        self._ending = False
        self._connected = True
        self._flush_at = 0.0
        self._selector = selectors.DefaultSelector()
        self._selector.register(channel, selectors.EVENT_READ, self._converse)
        self._wake_read, self._wake_write = os.pipe()
        for end in (self._wake_read, self._wake_write):
            os.set_blocking(end, False)
        self._selector.register(self._wake_read, selectors.EVENT_READ, self._wake)

    def run(self) -> None:
        """Work until everything is ended, on request or because the arena is gone."""
        self._take_signals()
        self._report({"event": "ready", "pid": os.getpid(), "subreaper": process_tree.become_subreaper()})
        while self._bots or not self._ending:
            for key, _ in self._selector.select(self._timeout()):
                key.data()
            self._reap()
            if self._ending:
                for bot in self._bots.values():
                    bot.stop()
            self._tick()
        self._end_descendants()
        self._say_last_words()

    def _take_signals(self) -> None:
        signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)

        def ignore(_number: int, _frame: FrameType | None) -> None:
            """Only wake the loop. A signal set to be ignored would stay ignored in the bots."""

        def end(_number: int, _frame: FrameType | None) -> None:
            self._ending = True

        for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, ignore)
        signal.signal(signal.SIGTERM, end)

    def _timeout(self) -> float | None:
        now = time.monotonic()
        times = [
            at for bot in self._bots.values() for process in bot.processes if (at := process.wake_at(now)) is not None
        ]
        if any(bot.log.dirty for bot in self._bots.values()):
            times.append(self._flush_at)
        return max(0.0, min(times) - now) if times else None

    def _tick(self) -> None:
        may_start = len(self._outgoing) <= _BACKLOG
        for bot in self._bots.values():
            for process in bot.processes:
                process.tick(may_start=may_start)
        now = time.monotonic()
        if now >= self._flush_at:
            self._flush_at = now + _FLUSH_EVERY
            for bot in self._bots.values():
                self._flush(bot)
        for name, bot in list(self._bots.items()):
            if all(process.gone for process in bot.processes):
                del self._bots[name]
                bot.log.close()
                self._report({"event": "stopped", "bot": name})

    def _flush(self, bot: _Bot) -> None:
        bot.log.flush()
        failed = bot.log.error is not None
        if failed and not bot.log_failed:
            self._report({"event": "log_failed", "bot": bot.request.bot, "error": str(bot.log.error)})
        bot.log_failed = failed

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            for bot in self._bots.values():
                for process in bot.processes:
                    if process.pid == pid:
                        process.exited(os.waitstatus_to_exitcode(status))

    def _launch(self, request: LaunchRequest) -> None:
        try:
            log = BoundedLog(request.log)
        except OSError as error:
            self._report({"event": "refused", "bot": request.bot, "error": f"its log: {error}"})
            self._report({"event": "stopped", "bot": request.bot})
            return
        bot = _Bot(
            request,
            log,
            [
                SupervisedProcess(request, number, log=log, selector=self._selector, report=self._report)
                for number in range(request.processes)
            ],
        )
        self._bots[request.bot] = bot
        try:
            for process in bot.processes:
                process.start()
        except (OSError, ValueError) as error:
            bot.stop()
            self._report({"event": "refused", "bot": request.bot, "error": str(error)})
        else:
            self._report({"event": "launched", "bot": request.bot})

    def _obey(self, message: Message) -> None:
        if message["do"] == "close":
            self._ending = True
        elif self._ending:
            return
        elif message["do"] == "launch":
            self._launch(LaunchRequest.from_message(message))
        elif message["do"] == "retire":
            for bot in self._bots.values():
                for process in bot.processes:
                    process.retire()
        elif message["do"] == "stop" and message["bot"] in self._bots:
            self._bots[message["bot"]].stop()

    def _converse(self) -> None:
        self._send()
        if not self._connected:
            return
        try:
            data = os.read(self._channel, _READ_SIZE)
        except BlockingIOError:
            return
        except ConnectionError:
            data = b""
        if not data:
            self._hang_up()
            return
        self._incoming += data
        *lines, rest = self._incoming.split(b"\n")
        self._incoming = rest
        for line in lines:
            self._obey(decode(bytes(line)))

    def _report(self, message: Message) -> None:
        if self._connected:
            self._outgoing += encode(message)
            self._send()

    def _send(self) -> None:
        try:
            while self._outgoing:
                del self._outgoing[: os.write(self._channel, self._outgoing)]
        except BlockingIOError:
            self._watch_channel(selectors.EVENT_READ | selectors.EVENT_WRITE)
        except ConnectionError:
            self._hang_up()
        else:
            self._watch_channel(selectors.EVENT_READ)

    def _watch_channel(self, events: int) -> None:
        if self._connected and self._selector.get_key(self._channel).events != events:
            self._selector.modify(self._channel, events, self._converse)

    def _hang_up(self) -> None:
        if self._connected:
            self._connected = False
            self._selector.unregister(self._channel)
        self._outgoing.clear()
        self._ending = True

    def _wake(self) -> None:
        os.read(self._wake_read, _READ_SIZE)

    def _end_descendants(self) -> None:
        give_up_at = time.monotonic() + _GIVE_UP
        while (left := process_tree.descendants(os.getpid())) and time.monotonic() < give_up_at:
            for process in left:
                process_tree.signal_process(process.pid, signal.SIGKILL)
            time.sleep(_POLL)
            self._reap()
        if left:
            sys.stderr.write(f"these processes cannot be killed: {[process.pid for process in left]}\n")

    def _say_last_words(self) -> None:
        until = time.monotonic() + _LAST_WORDS
        while self._outgoing and (wait := until - time.monotonic()) > 0:
            for key, _ in self._selector.select(wait):
                if key.data == self._converse:
                    self._send()


def main() -> None:
    """Supervise until the arena says or shows that it ends; whatever goes wrong, leave no bot behind."""
    supervisor = Supervisor(sys.stdin.fileno())
    try:
        supervisor.run()
    finally:
        for process in process_tree.descendants(os.getpid()):
            process_tree.signal_process(process.pid, signal.SIGKILL)


if __name__ == "__main__":
    main()
