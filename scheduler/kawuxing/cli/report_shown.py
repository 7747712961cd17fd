"""Reports on a bot, for its author: the same from the arena and from the organiser."""

from __future__ import annotations

import json
import shutil
import textwrap
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any, Final

import typer

from kawuxing.cli.lines import text_lines
from kawuxing.cli.logs import printable
from kawuxing.v1 import fault_pb2
from kawuxing.v1.author_service_pb2 import BotReport, DecisionTimes

_MILLISECOND: Final = timedelta(milliseconds=1)
_ALL_LEFT: Final = -1
_NO_BREAK: Final = "\N{NO-BREAK SPACE}"
_WIDTH: Final = 100
"""Columns where there is no terminal."""


def print_reports(reports: Sequence[BotReport], *, as_json: bool) -> None:
    """Print reports, for people or as a JSON array."""
    if as_json:
        typer.echo(json.dumps([_to_json(report) for report in reports], indent=2, ensure_ascii=False))
        return
    if not reports:
        typer.echo("the bot is entered in no tournament yet")
    for number, report in enumerate(reports):
        if number:
            typer.echo()
        for line in _lines(report, shutil.get_terminal_size((_WIDTH, 0)).columns):
            typer.echo(line)


def _to_json(report: BotReport) -> dict[str, Any]:
    matches, times = report.matches, report.decision_times
    return {
        "bot": report.bot,
        "tournament": report.tournament,
        "matches": {field.name: getattr(matches, field.name) for field in matches.DESCRIPTOR.fields},
        "strikes": report.strikes,
        "withdrawn": report.withdrawn or None,
        "fault_counts": {_fault(told.fault): told.count for told in report.fault_counts},
        "faults": [
            {
                "match": told.match_id,
                "hand": told.hand,
                "decision_id": told.decision_id,
                "fault": _fault(told.fault),
                "legal_actions": list(told.legal_actions),
                "detail": told.detail,
            }
            for told in report.faults
        ],
        "decision_times": {"decisions": times.decisions, **_quantiles(times)},
        "slowest": [
            {
                "match": told.match_id,
                "hand": told.hand,
                "decision_id": told.decision_id,
                "milliseconds": told.time.ToTimedelta() / _MILLISECOND,
            }
            for told in report.slowest
        ],
        "log": report.log,
    }


def _quantiles(times: DecisionTimes) -> dict[str, float]:
    """Return the quantiles that are known, in milliseconds."""
    if not times.decisions:
        return {}
    return {
        f"{name}_ms": round(getattr(times, name).ToTimedelta() / _MILLISECOND, 3)
        for name in ("median", "p95", "longest")
    }


def _lines(report: BotReport, width: int) -> Iterator[str]:
    """Yield the report for people, not wider than ``width``, but for the log: its lines are as the bot printed them."""
    matches = report.matches
    yield f"{printable(report.bot)} in {printable(report.tournament)}"
    counts = ", ".join(
        f"{getattr(matches, field.name)} {field.name}"
        for field in matches.DESCRIPTOR.fields
        if field.name == "done" or getattr(matches, field.name)
    )
    yield f"matches: {counts}"
    if report.withdrawn:
        yield f"WITHDRAWN: {printable(report.withdrawn)}"
    elif report.strikes:
        yield f"strikes: {report.strikes} (matches in a row that it did not take up)"
    times = ", ".join(
        f"{name.removesuffix('_ms')} {time:g} ms" for name, time in _quantiles(report.decision_times).items()
    )
    yield f"decisions: {report.decision_times.decisions}{f', {times}' if times else ''}"
    faults = ", ".join(f"{told.count} {_fault(told.fault)}" for told in report.fault_counts)
    yield f"faults: {faults or 'none'}"
    if report.faults:
        yield ""
        yield from _fault_lines(report, width)
    if report.slowest:
        yield ""
        yield "the slowest decisions:"
        rows = [
            (told.match_id, str(told.hand), str(told.decision_id), f"{told.time.ToTimedelta() / _MILLISECOND:.3f}")
            for told in report.slowest
        ]
        yield from text_lines(("match", "hand", "decision", "milliseconds"), rows, right=3)
    if report.log:
        yield ""
        yield "the end of its log:"
        for line in report.log.splitlines():
            yield f"  {printable(line)}"


def _fault_lines(report: BotReport, width: int) -> Iterator[str]:
    made, told = sum(count.count for count in report.fault_counts), len(report.faults)
    yield f"the last {told} of {made} faults:" if made > told else "its faults:"
    rows = [(fault.match_id, str(fault.hand), str(fault.decision_id), _fault(fault.fault)) for fault in report.faults]
    lines = text_lines(("match", "hand", "decision", "fault"), rows, right=_ALL_LEFT)
    yield next(lines)
    for line, fault in zip(lines, report.faults, strict=True):
        yield line
        yield from _wrapped(printable(fault.detail), width)
        if fault.legal_actions:
            # An action stays in one line.
            actions = [printable(action).replace(" ", _NO_BREAK) for action in fault.legal_actions]
            yield from _wrapped(f"legal were: {', '.join(actions)}", width)


def _wrapped(text: str, width: int) -> Iterator[str]:
    lines = textwrap.wrap(text, width, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
    return (line.replace(_NO_BREAK, " ") for line in lines)


def _fault(value: int) -> str:
    """Return a fault's name; one unknown to this version is its number."""
    names = (name.removeprefix("FAULT_") for name, number in fault_pb2.Fault.items() if number == value)
    return next(names, str(value))
