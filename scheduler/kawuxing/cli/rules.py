"""``kawuxing rules``: what the rule sets say, and what they make of hands."""

from __future__ import annotations

import sys

import typer

from kawuxing.engine.oracle import Query, answer_line, play_query, score_query

app = typer.Typer(no_args_is_help=True, help="Rule sets, and answers by the rules to other programs' questions.")


@app.command()
def score() -> None:
    """Score complete hands, or tell waits: JSON Lines in, JSON Lines out (docs/rules/tools.md)."""
    _answer(score_query)


@app.command()
def play() -> None:
    """Play hands by given walls and decisions: JSON Lines in, JSON Lines out (docs/rules/tools.md)."""
    _answer(play_query)


def _answer(query: Query) -> None:
    for number, line in enumerate(sys.stdin.buffer, 1):
        sys.stdout.write(answer_line(line, number, query))
        # A program that asks and waits must not wait for more answers to come together.
        sys.stdout.flush()
