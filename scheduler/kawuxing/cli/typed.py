"""This command as it can be typed again."""

from __future__ import annotations

import shlex
import shutil
import sys


def own_name() -> str:
    """Return the name under which the shell finds this command."""
    return "kawuxing" if shutil.which("kawuxing") == shutil.which(sys.argv[0]) else sys.argv[0]


def typed_again(argument: str) -> str:
    """Return the line that was typed, with one argument more."""
    return shlex.join([own_name(), *sys.argv[1:], argument])
