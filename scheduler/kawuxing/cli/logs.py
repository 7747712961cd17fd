"""Logs: our own lines and those of libraries, readable on a terminal, JSON for machines, quiet by default."""

from __future__ import annotations

import logging
import sys
from collections.abc import MutableMapping
from typing import Any, Final

import structlog
from structlog.tracebacks import ExceptionDictTransformer

_TEXTS: Final = ("event", "exception", "stack")
"""What is ours, and may have several lines."""


class _CurrentStderr(logging.Handler):
    """Writes to what ``sys.stderr`` is now: a progress display takes its place while it is shown."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            sys.stderr.write(self.format(record) + "\n")
        except Exception:  # noqa: BLE001  logging's own way with a handler that fails
            self.handleError(record)


def _escape(_logger: Any, _method: str, entry: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Escape what is not printable: bots word some values, and a terminal would obey them."""
    for key, value in entry.items():
        if isinstance(value, str) and key not in _TEXTS:
            entry[key] = printable(value)
    return entry


def printable(text: str) -> str:
    """Return a text of somebody else's so that a terminal shows it and does not obey it."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in text
    )


def configure_logs(level: str, *, json: bool | None = None) -> None:
    """Send every log line of ``level`` or above to stderr; as JSON if asked, by default unless that is a terminal."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
    ]
    as_json = not sys.stderr.isatty() if json is None else json
    # Local variables hold tickets and seeds, so no traceback shows them.
    renderer: list[Any] = (
        [
            structlog.processors.ExceptionRenderer(ExceptionDictTransformer(show_locals=False)),
            structlog.processors.JSONRenderer(),
        ]
        if as_json
        else [
            _escape,
            structlog.dev.ConsoleRenderer(
                colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
            ),
        ]
    )
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    handler = _CurrentStderr()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *renderer],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for library in ("alembic", "amqp", "asyncio", "celery", "grpc", "kombu", "sqlalchemy"):
        # Their lower levels tell of their own workings, not of the tournament's.
        logging.getLogger(library).setLevel(max(logging.WARNING, logging.getLevelName(level.upper())))
