"""Replaying a record: the match is played again from its walls and decisions, and must give the same bytes."""

from __future__ import annotations

from kawuxing.engine.record import Record


def verify_replay(data: bytes) -> Record:
    """Return the record that ``data`` is, after checking every decision, event and point of it.

    Raises InvalidRecordError, saying what differs first and in which line, if the bytes are not canonical, not whole, or
    do not follow from the record's own walls and decisions; UnsupportedRecordError for a newer format or rules revision.
    """
    raise NotImplementedError
