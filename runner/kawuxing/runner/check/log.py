"""The log of a bot that is launched here: what it printed, and what in it speaks of an error."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from kawuxing.runner.check.findings import Findings
from kawuxing.runner.check.matches import BOT
from kawuxing.runner.errors import LaunchError

_SHOWN: Final = 20
"""Lines that a report shows of the end of a log, and from where it first tells of an error."""
_LONGEST: Final = 200
"""Characters that a warning quotes of a line."""
_SUPERVISOR: Final = "[kawuxing"
"""How lines begin that the arena writes between those of the bot."""
_ALARMING: Final = re.compile(
    r"\b(\w*error|\w*exception|\w*warning|traceback|panic|panicked)\b", re.IGNORECASE | re.ASCII
)
"""Whole words, among them names as ValueError; not "0 errors"."""


def printed_lines(logs: Path) -> list[str]:
    """Return what the bot has printed since it was launched last, without what the arena wrote in between."""
    return [line for line in _lines(logs / f"{BOT}.log") if not line.startswith(_SUPERVISOR)]


def remove_logs(logs: Path) -> None:
    """Remove the logs of an earlier check from the folder. Raises LaunchError if that cannot be done."""
    for log in _logs(logs):
        try:
            log.unlink(missing_ok=True)
        except OSError as error:
            raise LaunchError(f"{log}: {error.strerror}; expected a log of an earlier check, or nothing") from error


def last_lines(logs: Path) -> tuple[str, ...]:
    """Return the last lines of the bot's log, and of the one before its process was started anew."""
    return tuple(line for log in _logs(logs) for line in _lines(log)[-_SHOWN:])


def lines_about_errors(printed: Sequence[str]) -> tuple[str, ...]:
    """Return what was printed from the first line on that speaks of an error, which a traceback may follow."""
    first = next((number for number, line in enumerate(printed) if _ALARMING.search(line)), len(printed))
    return tuple(printed[first : first + _SHOWN])


def judge_log(findings: Findings, printed: Sequence[str]) -> None:
    """Warn of lines that speak of an error: a bot that fails may be hidden behind one that plays on by default."""
    alarming = [line.strip() for line in printed if _ALARMING.search(line)]
    figures = {"lines": len(printed), "lines_about_errors": len(alarming)}
    why = f"{_count(len(alarming))} of an error, the first: {alarming[0][:_LONGEST]}" if alarming else ""
    findings.warned("log", why, **figures)


def _count(lines: int) -> str:
    return "1 line speaks" if lines == 1 else f"{lines} lines speak"


def _logs(logs: Path) -> tuple[Path, Path]:
    return logs / f"{BOT}.log.old", logs / f"{BOT}.log"


def _lines(log: Path) -> list[str]:
    return log.read_text("utf-8", "replace").splitlines() if log.exists() else []
