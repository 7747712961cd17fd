"""What the command's exit codes mean, and which one an error has."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from kawuxing.engine.errors import KawuxingError

_OF_ERROR: Final = {
    "InvalidRecordError": 1,
    "UnsupportedRecordError": 3,
    "ListenError": 4,
    "LaunchError": 4,
    "HomeError": 4,
    "HomeInUseError": 4,
    "SeedError": 4,
    "StoreUnavailableError": 4,
    "StoreVersionError": 4,
    "ExportError": 4,
    "SaveError": 4,
    "ArenaAwayError": 4,
}


class Exit(IntEnum):
    """The exit codes of every subcommand."""

    DONE = 0
    """All is well."""
    FAILED = 1
    """The answer is no: a record does not verify, a tournament is incomplete."""
    BAD_INPUT = 2
    """The command line or a file that it names is at fault; nothing was changed."""
    CANNOT_VERIFY = 3
    """The record is of a format or rules revision that this version does not know: neither valid nor invalid."""
    ENVIRONMENT = 4
    """This machine is at fault: a port in use, a folder that cannot be written, a missing program, a database away."""
    HUNG_UP = 129
    """Stopped by SIGHUP: its terminal is gone."""
    INTERRUPTED = 130
    """Stopped by Ctrl-C; the same command goes on."""
    TERMINATED = 143
    """Stopped by SIGTERM; the same command goes on."""


def exit_of(error: KawuxingError) -> Exit:
    """Return the exit code of an error that reached the command line."""
    for kind in type(error).__mro__:
        # By name: to import the classes would be to import all that raises them.
        if kind.__name__ in _OF_ERROR:
            return Exit(_OF_ERROR[kind.__name__])
    return Exit.BAD_INPUT
