"""What the arena and its supervisor say to each other, over one socket pair: JSON objects, one a line.

Arena to supervisor, by the field ``do``::

    launch  bot, command, env, processes, one_match, log, grace, backoff    start a bot; see `LaunchRequest`
    stop    bot                                                             end all of its processes, for good
    retire                                                                  start nothing again that ends by itself
    close                                                                   end everything, then end yourself

The end of the stream means the same as ``close``: that is how the supervisor learns that the arena died.

Supervisor to arena, by the field ``event``::

    ready        pid, subreaper                           it listens; whether it can find what leaves a process group
    launched     bot                                      all processes of a launch are started
    refused      bot, error                               a launch failed; what had started of it is being ended
    started      bot, process, pid, restarts              a process was started (restarts: how often before)
    exited       bot, process, pid, code, lived, last_line[, wait]
                                                          it ended; started again after `wait`, never if there is none
    not_started  bot, process, error, wait                starting again failed; tried again after `wait`
    log_failed   bot, error                               the log cannot be written; its output is dropped meanwhile
    stopped      bot                                      nothing is left of it; its name is free again

``process`` counts a bot's processes from 0. ``code`` is negative for a signal. Durations are seconds.
"""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any, NamedTuple

from kawuxing.runner.restarts import Backoff

Message = dict[str, Any]
"""One line, decoded."""


class LaunchRequest(NamedTuple):
    """A bot to start."""

    bot: str
    command: tuple[str, ...]
    """The first word is the absolute path of the program."""
    env: dict[str, str]
    """The whole environment."""
    processes: int
    one_match: bool
    """Each process ends by itself with 0 after one match, and is then started again at once."""
    log: str
    """Path of the log file."""
    grace: timedelta
    """Between SIGTERM and SIGKILL."""
    backoff: Backoff

    def to_message(self) -> Message:
        """Return the ``launch`` message."""
        fields = self._asdict()
        fields["grace"] = self.grace.total_seconds()
        fields["backoff"] = {name: value.total_seconds() for name, value in self.backoff._asdict().items()}
        return {"do": "launch", **fields}

    @classmethod
    def from_message(cls, message: Message) -> LaunchRequest:
        """Return what a ``launch`` message asks for."""
        return cls(
            bot=message["bot"],
            command=tuple(message["command"]),
            env=message["env"],
            processes=message["processes"],
            one_match=message["one_match"],
            log=message["log"],
            grace=timedelta(seconds=message["grace"]),
            backoff=Backoff(**{name: timedelta(seconds=value) for name, value in message["backoff"].items()}),
        )


def encode(message: Message) -> bytes:
    """Return the line of a message.

    JSON's ASCII form also carries the lone surrogates by which Python holds bytes of an environment that are no UTF-8.
    """
    return json.dumps(message).encode("ascii") + b"\n"


def decode(line: bytes) -> Message:
    """Return the message of a line."""
    message: Message = json.loads(line)
    return message
