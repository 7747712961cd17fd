"""``kawuxing rules``: what the rule sets say, and what they make of hands."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Annotated, Final

import typer

from kawuxing.engine.oracle import Query, answer_lines, play_query, score_query

app = typer.Typer(no_args_is_help=True, help="Rule sets, and answers by the rules to other programs' questions.")

_CORES: Final = os.cpu_count() or 1
_BLOCK: Final = 1 << 18
"""The most bytes to read at once; a pipe gives no more than a quarter of it."""
_FEW: Final = 16
"""So many lines that come together are answered sooner than other processes are told of them."""

Jobs = Annotated[
    int,
    typer.Option("--jobs", "-j", min=1, help="Processes that answer lines which come together.", show_default="cores"),
]


@app.command()
def score(jobs: Jobs = _CORES) -> None:
    """Score complete hands, or tell waits: JSON Lines in, JSON Lines out (docs/rules/tools.md)."""
    _answer(score_query, jobs)


@app.command()
def play(jobs: Jobs = _CORES) -> None:
    """Play hands by given walls and decisions: JSON Lines in, JSON Lines out (docs/rules/tools.md)."""
    _answer(play_query, jobs)


def _answer(query: Query, jobs: int) -> None:
    """Answer what has come in before reading on: a program that asks and waits must not wait for more answers."""
    pool = None
    answered = 0
    try:
        for lines in _lines_together():
            if jobs == 1 or len(lines) <= _FEW:
                answers = [answer_lines(lines, answered + 1, query)]
            else:
                pool = pool or multiprocessing.Pool(jobs, signal.signal, (signal.SIGINT, signal.SIG_IGN))
                answers = pool.starmap(partial(answer_lines, query=query), _shares(lines, answered + 1, jobs), 1)
            sys.stdout.write("".join(answers))
            sys.stdout.flush()
            answered += len(lines)
    finally:
        if pool:
            pool.terminate()


def _lines_together() -> Iterator[list[bytes]]:
    """Yield the lines of standard input, without their LF, all that are there at a time; the last needs no LF."""
    begun = bytearray()
    while block := os.read(sys.stdin.fileno(), _BLOCK):
        head, end, tail = block.rpartition(b"\n")
        if end:
            yield (bytes(begun) + head).split(b"\n")
            begun.clear()
        begun += tail
    if begun:
        yield [bytes(begun)]


def _shares(lines: Sequence[bytes], first: int, jobs: int) -> list[tuple[Sequence[bytes], int]]:
    """Return consecutive shares of the lines, several for each process, each with the number of its first line."""
    size = -(-len(lines) // (4 * jobs))
    return [(lines[start : start + size], first + start) for start in range(0, len(lines), size)]
