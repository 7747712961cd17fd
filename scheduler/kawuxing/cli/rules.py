"""``kawuxing rules``: what the rule sets say, and what they make of hands."""

from __future__ import annotations

import typer

app = typer.Typer(no_args_is_help=True, help="Rule sets, and answers by the rules to other programs' questions.")
