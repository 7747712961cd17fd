"""How values are written into columns: JSON as text, records compressed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import zstandard

from kawuxing.engine.faults import Fault
from kawuxing.engine.match import EntrantResult, MatchResult

_RECORD_LEVEL = 9
"""Records compress about as well as at higher levels, in well under a millisecond."""


def to_json(value: Mapping[str, Any] | Sequence[Any]) -> str:
    """Return ``value`` as compact JSON text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def bots_to_json(bots: Sequence[str]) -> str:
    """Return the bots of a match as text in which :func:`quoted` finds each."""
    return json.dumps(list(bots), separators=(",", ":"))


def quoted(bot: str) -> str:
    """Return the text that stands in a match's bots exactly if ``bot`` is one of them."""
    return json.dumps(bot)


def bots_of(text: str) -> tuple[str, ...]:
    """Return the bots that :func:`bots_to_json` wrote."""
    return tuple(json.loads(text))


def object_of(text: str) -> dict[str, Any]:
    """Return the JSON object in ``text``."""
    value: dict[str, Any] = json.loads(text)
    return value


def result_to_json(result: MatchResult) -> str:
    """Return a match's result as text."""
    return to_json([asdict(entrant) for entrant in result.entrants])


def result_of(text: str) -> MatchResult:
    """Return the result that :func:`result_to_json` wrote."""
    return MatchResult(
        tuple(
            EntrantResult(
                **{
                    **entrant,
                    "hand_points": tuple(entrant["hand_points"]),
                    "faults": tuple(Fault(fault) for fault in entrant["faults"]),
                }
            )
            for entrant in json.loads(text)
        )
    )


def times_of(text: str) -> tuple[tuple[int, ...], ...]:
    """Return decision times as they were given."""
    return tuple(tuple(histogram) for histogram in json.loads(text))


def compress(record: bytes) -> bytes:
    """Return a record's bytes as they are kept."""
    return zstandard.compress(record, _RECORD_LEVEL)


def decompress(data: bytes) -> bytes:
    """Return the record that :func:`compress` packed."""
    return zstandard.decompress(data)
