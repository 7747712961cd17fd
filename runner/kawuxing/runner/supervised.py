"""One process of a launched bot, as the supervisor keeps it: started, drained, ended, cleared up and started again."""

from __future__ import annotations

import os
import selectors
import signal
import time
from collections.abc import Callable
from datetime import timedelta

from kawuxing.runner import process_tree
from kawuxing.runner.bounded_log import BoundedLog
from kawuxing.runner.restarts import Restarts
from kawuxing.runner.supervision import LaunchRequest, Message

MARKER = "KAWUXING_LAUNCH"
"""Variable by which processes that left their group and session are known to belong to a launch."""

_READ_SIZE = 64 * 1024
_LONGEST_LINE = 8 * 1024
"""Bytes of an unfinished line that are held back until it is finished."""
_LONGEST_LAST_LINE = 200
"""Characters told of the last line of a process that ended."""
_LAST_READS = 16
"""How many more reads a pipe gets when its process has ended: no pipe holds more than these."""
_POLL = 0.05
"""Seconds between looks for what is left of a process; nothing tells when a grandchild ends."""
_PUT_OFF = 1.0
"""Seconds by which a start is put off."""
_UNKILLABLE = 5.0
"""Seconds after SIGKILL when a process is given up: it hangs in the kernel, and nothing can be done about it."""


class SupervisedProcess:
    """A place in which a bot's command runs, again and again, until it is told to stop.

    It goes round: waiting until it is due → running → clearing, when what the process left behind is ended → waiting.
    All times are those of `time.monotonic`, in seconds.
    """

    def __init__(
        self,
        request: LaunchRequest,
        number: int,
        *,
        log: BoundedLog,
        selector: selectors.BaseSelector,
        report: Callable[[Message], None],
    ) -> None:
        """Prepare; nothing is started yet.

        Args:
            request: what to run.
            number: which of the bot's processes this is, from 0.
            log: where the output goes; shared by the bot's processes.
            selector: calls an open pipe's data when there is output.
            report: takes events for the arena.
        """
        self._request = request
        self._number = number
        self._log = log
        self._selector = selector
        self._report = report
        self._restarts = Restarts(request.backoff, one_match=request.one_match)
        self._starts = 0
        self._started_at = 0.0
        self._output: int | None = None
        self._unfinished = b""
        self._last_line = b""
        self._marker = ""
        self._group = 0
        self._kill_at: float | None = None
        self._due: float | None = None
        self._retired = False
        self._stopping = False
        self.pid: int | None = None
        """The running process; None if there is none."""

    @property
    def gone(self) -> bool:
        """Whether it was told to stop and nothing is left of it."""
        return self._stopping and self._kill_at is None

    def wake_at(self, now: float) -> float | None:
        """Return when `tick` has something to do next; None if only an event can bring that."""
        if self._kill_at is None:
            return self._due
        return self._kill_at if self.pid is not None and now < self._kill_at else now + _POLL

    def start(self) -> None:
        """Start the process.

        Raises:
            OSError: the system refuses to run it.
            ValueError: a NUL stands in the command or in the environment.
        """
        self._due = None
        self._marker = f"{MARKER}={os.getpid()}.{self._number}.{self._starts}.{self._request.bot}"
        name, _, value = self._marker.partition("=")
        output, child_output = os.pipe()
        try:
            pid = os.posix_spawn(
                self._request.command[0],
                self._request.command,
                {**self._request.env, name: value},
                file_actions=[
                    (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                    (os.POSIX_SPAWN_DUP2, child_output, 1),
                    (os.POSIX_SPAWN_DUP2, child_output, 2),
                ],
                setsid=True,
                setsigmask=[],
                # Python ignores these two, and what is ignored stays so in a new program.
                setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],
            )
        except BaseException:
            os.close(output)
            raise
        finally:
            os.close(child_output)
        os.set_blocking(output, False)
        self._selector.register(output, selectors.EVENT_READ, self._read_output)
        self._output = output
        self._last_line = b""
        self.pid = self._group = pid
        self._started_at = time.monotonic()
        self._log.note(f"process {self._number} started, pid {pid}")
        self._tell("started", pid=pid, restarts=self._starts)
        self._starts += 1

    def exited(self, code: int) -> None:
        """Take note that the process ended and was reaped; what it left behind is ended by the following `tick`.

        Args:
            code: its exit code, negative for a signal.
        """
        pid, self.pid = self.pid, None
        now = time.monotonic()
        lived = timedelta(seconds=now - self._started_at)
        how = process_tree.describe_exit(code)
        # What it wrote last may still be in the pipe; what it left behind may go on writing.
        self._read_rest()
        told = {"pid": pid, "code": code, "lived": lived.total_seconds(), "last_line": self._shown_last_line()}
        if self._kill_at is None:
            self._kill_at = now
        if self._stopping or self._retired:
            self._log.note(f"process {self._number} {'stopped' if self._stopping else 'ended'}: {how}")
            self._tell("exited", **told)
        else:
            wait = self._restarts.delay(lived=lived, code=code).total_seconds()
            self._due = now + wait
            self._log.note(f"process {self._number} ended: {how}; starts again in {wait:g} s")
            self._tell("exited", **told, wait=wait)
        if not process_tree.HAS_DESCENT:
            # Without descent the group is all there is, and its number may be given anew once the group is empty.
            process_tree.signal_group(self._group, signal.SIGKILL)

    def retire(self) -> None:
        """Do not start the process again once it has ended by itself."""
        self._retired = True
        self._due = None

    def stop(self, grace: timedelta) -> None:
        """End the process for good: SIGTERM to all of it, and SIGKILL to what is left after the grace."""
        if self._stopping:
            return
        self._stopping = True
        self._due = None
        now = time.monotonic()
        if self.pid is not None:
            self._kill_at = now + grace.total_seconds()
            self._signal(signal.SIGTERM, self._members())

    def tick(self, *, may_start: bool) -> None:
        """Do what is due now; a start that is due but may not be is put off."""
        now = time.monotonic()
        if self._kill_at is not None:
            self._clear(now, self._kill_at)
        elif self._due is not None and now >= self._due:
            if may_start:
                self._start_again()
            else:
                self._due = now + _PUT_OFF

    def _start_again(self) -> None:
        try:
            self.start()
        except (OSError, ValueError) as error:
            wait = self._restarts.delay(lived=timedelta(0), code=None).total_seconds()
            self._due = time.monotonic() + wait
            self._log.note(f"process {self._number} could not be started: {error}; tried again in {wait:g} s")
            self._tell("not_started", error=str(error), wait=wait)

    def _clear(self, now: float, kill_at: float) -> None:
        if self.pid is not None and now < kill_at:
            return
        left = self._members()
        given_up = now >= kill_at + _UNKILLABLE
        if given_up or (self.pid is None and not left):
            if given_up:
                self._log.note(f"process {self._number} cannot be killed; pids {[process.pid for process in left]}")
            self._end_output()
            self._kill_at = None
        elif now >= kill_at:
            self._signal(signal.SIGKILL, left)

    def _members(self) -> list[process_tree.Process]:
        return process_tree.members(os.getpid(), self._group, self._marker)

    def _signal(self, number: signal.Signals, left: list[process_tree.Process]) -> None:
        if self.pid is not None:
            process_tree.signal_group(self._group, number)
        for process in left:
            if self.pid is None or process.group != self._group:
                process_tree.signal_process(process.pid, number)

    def _read_output(self) -> bool:
        """Take what the pipe has; return whether it may have more."""
        if self._output is None:
            return False
        try:
            data = os.read(self._output, _READ_SIZE)
        except BlockingIOError:
            return False
        if not data:
            self._close_output(self._output)
            return False
        # Whole lines only, since a bot's processes share the log.
        data = self._unfinished + data
        if text := data.rstrip():
            # Cut before it is decoded: no character has more than four bytes.
            self._last_line = text[text.rfind(b"\n") + 1 :][: 4 * _LONGEST_LAST_LINE]
        lines, end, rest = data.rpartition(b"\n")
        if len(rest) > _LONGEST_LINE:
            lines, end, rest = data, b"", b""
        self._log.write(lines + end)
        self._unfinished = rest
        return True

    def _shown_last_line(self) -> str:
        return self._last_line.decode(errors="backslashreplace").strip()[:_LONGEST_LAST_LINE]

    def _read_rest(self) -> None:
        # A process that escaped may hold the pipe open for ever, so its end is not waited for.
        for _ in range(_LAST_READS):
            if not self._read_output():
                break

    def _end_output(self) -> None:
        self._read_rest()
        if self._output is not None:
            self._close_output(self._output)

    def _close_output(self, output: int) -> None:
        self._selector.unregister(output)
        os.close(output)
        self._output = None
        self._log.write(self._unfinished)
        self._unfinished = b""

    def _tell(self, event: str, **fields: str | float | None) -> None:
        self._report({"event": event, "bot": self._request.bot, "process": self._number, **fields})
