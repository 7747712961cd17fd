"""``kawuxing check-bot``: tries a bot before it is let into a tournament."""

from __future__ import annotations

import json
import shutil
import signal
import tempfile
import textwrap
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from kawuxing.cli.environment import JsonOption
from kawuxing.cli.exits import Exit
from kawuxing.cli.lines import text_lines
from kawuxing.cli.logs import configure_logs, printable
from kawuxing.engine.errors import KawuxingError
from kawuxing.engine.rules import load_preset, preset_names

if TYPE_CHECKING:
    from kawuxing.runner.check.arena import CheckSettings
    from kawuxing.runner.check.report import Finding, Report

_LAUNCH_WAIT: Final = 60
_REMOTE_WAIT: Final = 600
_LONGEST_WAIT: Final = 7 * 24 * 60 * 60
_WIDTH: Final = 200
"""Characters of a line that people are shown where there is no terminal; programs and ``--save`` get all."""
_NARROWEST: Final = 20
"""Characters that the figures have in any case."""
_ALL_LEFT: Final = -1
_STOPS: Final = {signal.SIGTERM: Exit.TERMINATED, signal.SIGHUP: Exit.HUNG_UP}
"""What ends the check as Ctrl-C does, which asyncio takes itself, and what it then exits with."""
_SAVED: Final = ("report.json", "exchanges.json")


class SaveError(KawuxingError):
    """The folder of ``--save`` cannot be written."""


def check_bot(
    command: Annotated[
        list[str] | None,
        typer.Argument(help="The bot's program and its arguments, after --; without one, a bot is waited for."),
    ] = None,
    *,
    rules: Annotated[
        list[str] | None,
        typer.Option("--rules", metavar="PRESET", help="Play only by this preset; can be told several times."),
    ] = None,
    capacity: Annotated[
        int,
        typer.Option("--capacity", metavar="N", help="Matches at once that a launched bot is to play.", min=1, max=64),
    ] = 4,
    listen: Annotated[
        str, typer.Option("--listen", metavar="HOST:PORT", help="Where bots connect; port 0 is any free one.")
    ] = "127.0.0.1:0",
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Listen where other machines connect, without encryption.")
    ] = False,
    wait: Annotated[
        int | None,
        typer.Option(
            "--wait",
            metavar="SECONDS",
            help="How long to wait for the bot.",
            min=1,
            max=_LONGEST_WAIT,
            show_default=f"{_LAUNCH_WAIT}, or {_REMOTE_WAIT} without a command",
        ),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="FOLDER", help="Keep the report, every message and the bot's log there."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check whether a bot can be let into a tournament (docs/bots/check-bot.md).

    It is started, or waited for, and put through scripted hands by every preset, lost connections, unknown messages and
    restarts. The report says what failed, why, and what went over the wire around it.

    Exit codes: 0 the bot can be admitted; 1 it cannot; 2 the command line is at fault; 4 this machine is; 129, 130, 143
    stopped by SIGHUP, Ctrl-C, SIGTERM.
    """
    from kawuxing.runner.check.arena import CheckSettings
    from kawuxing.runner.check.matches import BOT
    from kawuxing.runner.command import check_command
    from kawuxing.runner.server import check_listen

    presets = tuple(dict.fromkeys(rules or preset_names()))
    for preset in presets:
        load_preset(preset)
    check_listen(listen, insecure=insecure, consent="--insecure")
    if command:
        check_command(BOT, tuple(command))
    configure_logs("error")
    settings = CheckSettings(
        presets=presets,
        command=tuple(command or ()),
        capacity=capacity,
        listen=listen,
        insecure=insecure,
        wait=timedelta(seconds=wait or (_LAUNCH_WAIT if command else _REMOTE_WAIT)),
    )
    report = _check(settings, save)
    if as_json:
        typer.echo(json.dumps(report.to_json(), indent=2, ensure_ascii=False))
    else:
        for line in _lines(report, shutil.get_terminal_size((_WIDTH, 0)).columns):
            typer.echo(line)
    raise typer.Exit(Exit.DONE if report.admitted else Exit.FAILED)


def _check(settings: CheckSettings, save: Path | None) -> Report:
    import asyncio

    import uvloop

    from kawuxing.runner.check import checking

    began = time.monotonic()
    stopped = Exit.INTERRUPTED

    def tell(what: str) -> None:
        typer.echo(f"{time.monotonic() - began:6.1f} s  {printable(what)}", err=True)

    async def check() -> Report:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()

        def stop(code: Exit) -> None:
            nonlocal stopped
            stopped = code
            if task is not None:
                task.cancel()

        for number, code in _STOPS.items():
            # As under nohup.
            if signal.getsignal(number) is not signal.SIG_IGN:
                loop.add_signal_handler(number, stop, code)
        with _folder(save) as folder:
            report = await checking.check_bot(settings, folder, tell)
            if save is not None:
                _save(report, folder)
        return report

    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            return runner.run(check())
    except (KeyboardInterrupt, asyncio.CancelledError):
        typer.echo("stopped; nothing was concluded", err=True)
        raise typer.Exit(stopped) from None


@contextmanager
def _folder(save: Path | None) -> Iterator[Path]:
    """Yield the folder for the bot's log: that of ``--save``, cleared of an earlier report, or a passing one."""
    if save is None:
        with tempfile.TemporaryDirectory(prefix="kawuxing-check-") as folder:
            yield Path(folder)
        return
    try:
        save.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=save):
            pass
        for name in _SAVED:
            (save / name).unlink(missing_ok=True)
    except OSError as error:
        raise SaveError(f"--save {save}: {error.strerror}; expected a folder that can be written") from error
    yield save


def _save(report: Report, folder: Path) -> None:
    for name, content in zip(_SAVED, (report.to_json(), dict(report.exchanges)), strict=True):
        (folder / name).write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")


def _lines(report: Report, width: int) -> Iterator[str]:
    """Yield the report for people, with what can be long cut to a width; the verdict first, and once more last."""
    name = " ".join(report.command) or printable(report.client) or "the bot"
    counts = ", ".join(f"{count} {verdict}" for verdict, count in _counts(report).items())
    verdict = f"{name}: {'admitted' if report.admitted else 'NOT ADMITTED'}"
    yield verdict
    yield f"{counts}; {report.matches} {'match' if report.matches == 1 else 'matches'} in {report.seconds:.0f} s"
    yield ""
    yield from _table(report.findings, width)
    shown: set[str] = set()
    for finding in report.findings:
        if finding.why and finding.why != report.stopped:
            yield ""
            yield from _explained(finding, width, shown)
    if report.stopped:
        yield ""
        yield report.stopped
    missing = [(each.preset, ", ".join(each.not_reached)) for each in report.coverage if each.not_reached]
    if missing:
        yield ""
        yield from text_lines(("preset", "never asked in this check"), missing, right=_ALL_LEFT)
    # Without an error in it, the end of the log may tell why the bot was gone.
    log = [("the last lines of its log:", report.log)] if not report.admitted else []
    for title, lines in [("its log, from where it first speaks of an error:", report.errors), *log]:
        if lines:
            yield ""
            yield title
            yield from (f"  {printable(line)}" for line in lines)
    warned = [finding for finding in report.findings if finding.verdict == "warning"]
    warnings = f", with {len(warned)} {'warning' if len(warned) == 1 else 'warnings'}" if warned else ""
    yield ""
    yield f"{verdict}{warnings}"
    yield from (_sentence(finding) for finding in report.findings if finding.verdict == "failed")
    yield from map(_sentence, warned)


def _table(findings: Sequence[Finding], width: int) -> Iterator[str]:
    """Yield the table; figures that do not fit go on in further lines."""
    names = ("check", "verdict", "the bot", "figures")
    told = [(finding.id, finding.verdict.value, finding.title) for finding in findings]
    before = sum(max(map(len, column)) + 2 for column in zip(names[:-1], *told, strict=True))
    rows = []
    for cells, finding in zip(told, findings, strict=True):
        first, *more = textwrap.wrap(_figures(finding.figures), max(_NARROWEST, width - before)) or [""]
        rows += [(*cells, first), *(("", "", "", line) for line in more)]
    yield from text_lines(names, rows, right=_ALL_LEFT)


def _counts(report: Report) -> Mapping[str, int]:
    verdicts = [finding.verdict.value for finding in report.findings]
    return {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(sorted(verdicts))}


def _figures(figures: Mapping[str, Any]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in figures.items())


def _sentence(finding: Finding) -> str:
    return f"{finding.id}, {finding.verdict.value}: {printable(finding.why)}"


def _explained(finding: Finding, width: int, shown: set[str]) -> Iterator[str]:
    """Yield what a finding says, and the messages around it but for those that were shown before."""
    yield _sentence(finding)
    lines = [_message_line(entry, width) for entry in finding.exchange]
    fresh = [line for line in lines if line not in shown]
    shown.update(fresh)
    if fresh:
        known = len(lines) - len(fresh)
        yield f"  the last messages of that exchange{f', but for {known} shown above' if known else ''}:"
        yield from fresh
    elif lines:
        yield "  the last messages of that exchange are shown above"


def _message_line(entry: Mapping[str, Any], width: int) -> str:
    told = entry.get("note") or json.dumps(
        {key: value for key, value in entry.items() if key not in {"seconds", "from"}}, ensure_ascii=False
    )
    line = f"  {entry['seconds']:10.4f} s  {entry['from']:5}  {printable(told)}"
    return line if len(line) <= width else f"{line[: width - 1]}…"
