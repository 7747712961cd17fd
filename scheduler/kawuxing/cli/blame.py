"""Saying in an error which of the files on the command line it is about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kawuxing.engine.errors import RecordError


@contextmanager
def blaming(path: Path) -> Iterator[None]:
    """Raise a RecordError from within again, as the same class, with the path before its text; ``-`` is stdin."""
    try:
        yield
    except RecordError as error:
        name = "standard input" if str(path) == "-" else path
        raise type(error)(f"{name}: {error}") from error
