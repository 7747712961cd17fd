"""Canonical JSON, one object a line: what records are written in, and read in strictly (docs/records.md).

Printable ASCII without backslashes, no floats, no null, integers between -2^53 and 2^53, keys sorted, no spaces, LF at
the end. One value has one text, so that equal records are equal bytes and a checksum means something.
"""

from __future__ import annotations

import json
from typing import Any, Final, NoReturn

MAX_LINE: Final = 1 << 20
"""Longest line in bytes, LF included; the longest honest one, the result of 10,000 hands, has a third of it."""

_INTEGER_LIMIT: Final = 1 << 53
_MAX_DIGITS: Final = 17
_SHOWN: Final = 60

_encoder: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)


def encode(value: dict[str, Any]) -> str:
    """Return the canonical line of ``value``, LF included.

    Raises ValueError if it holds what canonical JSON cannot say: a float, None, a number too large, a string with a
    character that needs an escape; or if the line would be too long.
    """
    _check_value(value)
    text = _encoder.encode(value)
    _check_text(text)
    return text + "\n"


def decode(line: bytes) -> dict[str, Any]:
    """Return the object that a line says.

    Raises ValueError, saying what was expected, unless :func:`encode` would write this object as the same bytes.
    """
    if not line.endswith(b"\n"):
        raise ValueError("does not end with LF: the record is cut off or longer than a line may be")
    text = line[:-1].decode("latin-1")
    _check_text(text)
    try:
        value = _decoder.decode(text)
        # Floats and large numbers the decoder has refused; a look at every value is only needed for a null.
        if "null" in text:
            _check_value(value)
        canonical = _encoder.encode(value)
    except RecursionError:
        raise ValueError("is nested too deeply: expected a JSON object as the format has it") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"is not JSON: {error.msg} in column {error.colno}") from None
    if canonical != text:
        raise ValueError(_first_deviation(canonical, text))
    if not isinstance(value, dict):
        raise ValueError(f"is {shorten(text)}: expected a JSON object")  # noqa: TRY004  (whatever is wrong with a line is one error)
    return value


def text_of(value: Any) -> str:
    """Return the canonical text of a decoded value of any type."""
    return _encoder.encode(value)


def show(value: Any) -> str:
    """Return the canonical text of a decoded value for a message, cut where it is long."""
    return shorten(text_of(value))


def shorten(text: str) -> str:
    """Return ``text`` for a message, cut where it is long."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _check_text(text: str) -> None:
    if len(text) >= MAX_LINE:
        raise ValueError(f"is longer than {MAX_LINE} bytes")
    if not (text.isascii() and text.isprintable()) or "\\" in text:
        column = next(index for index, character in enumerate(text) if not " " <= character <= "~" or character == "\\")
        raise ValueError(f"has {text[column]!a} in column {column + 1}: expected printable ASCII without backslashes")


def _check_value(value: Any) -> None:
    if isinstance(value, dict):
        for item in value.values():
            _check_value(item)
    elif isinstance(value, list | tuple):
        for item in value:
            _check_value(item)
    elif value is None or isinstance(value, float):
        raise ValueError(f"has {value!r}: expected objects, arrays, strings, whole numbers, true or false")
    elif isinstance(value, int):
        _check_integer(value)


def _check_integer(value: int) -> int:
    if not -_INTEGER_LIMIT < value < _INTEGER_LIMIT:
        raise ValueError("has a number of 2^53 or more")
    return value


def _parse_integer(digits: str) -> int:
    # The length first: to convert a long one takes quadratic time.
    return _check_integer(int(digits) if len(digits) <= _MAX_DIGITS else _INTEGER_LIMIT)


def _refuse_number(text: str) -> NoReturn:
    raise ValueError(f"has {shorten(text)}: expected a whole number")


_decoder: Final = json.JSONDecoder(parse_int=_parse_integer, parse_float=_refuse_number, parse_constant=_refuse_number)


def _first_deviation(canonical: str, text: str) -> str:
    column = next(
        (index for index, (expected, found) in enumerate(zip(canonical, text, strict=False)) if expected != found),
        min(len(canonical), len(text)),
    )
    expected, found = (shorten(side[column:]) or "the end of the line" for side in (canonical, text))
    return f"is not canonical from column {column + 1}: expected {expected}, found {found}"
