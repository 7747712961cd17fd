"""The bytes of a record under examination: read line by line, compared with what they should be, differences told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from kawuxing.engine import canonical
from kawuxing.engine.errors import InvalidRecordError


class RecordText:
    """A record's bytes and a place in them, always at the beginning of a line."""

    def __init__(self, data: bytes) -> None:
        """Begin at the first line."""
        self._data = data
        self._offset = 0
        self._found_to = 0
        self._line = 1

    @property
    def line(self) -> int:
        """Number of the next line, from 1."""
        return self._line

    def fields(self) -> dict[str, Any]:
        """Return the object that the next line says, without passing over it.

        Raises InvalidRecordError if the record ends here or the line is not canonical.
        """
        if self._offset == len(self._data):
            raise self.error("is missing: the record is cut off")
        try:
            return canonical.decode(_line_at(self._data, self._offset))
        except ValueError as error:
            raise self.error(str(error)) from None

    def expect(self, lines: Sequence[str]) -> None:
        """Pass over ``lines``.

        Raises InvalidRecordError, naming the first line that is not the expected one and what differs in it.
        """
        chunk = "".join(lines).encode("ascii")
        if not self._data.startswith(chunk, self._offset):
            self._raise_difference(lines)
        self._offset += len(chunk)
        self._line += len(lines)

    def expect_end(self) -> None:
        """Raise InvalidRecordError unless all bytes have been passed over."""
        if self._offset != len(self._data):
            rest = canonical.shorten(_line_at(self._data, self._offset).decode("latin-1"))
            raise self.error(f"is {rest!a}: expected the end of the record")

    def compare(self, found: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
        """Compare fields of the next line, for its kind first, then in key order; others are not looked at.

        Raises InvalidRecordError, naming the first that differs.
        """
        found_kind, expected_kind = _kind(found), _kind(expected)
        if found_kind != expected_kind:
            raise self.error(f"is {found_kind}: expected {expected_kind} {canonical.show(expected)}")
        for name in sorted(expected):
            if name not in found:
                raise self.error(f"({found_kind}): the field {name!r} is missing")
            if _differ(found[name], expected[name]):
                raise self.error(f"({found_kind}): {_difference(name, found[name], expected[name])}")

    def error(self, message: str) -> InvalidRecordError:
        """Return the error about the next line."""
        return InvalidRecordError(f"line {self._line} {message}")

    def find(self, mark: bytes) -> bytes:
        """Return the next line that holds ``mark``, each once and wherever the next line is; empty if there is none."""
        position = self._data.find(mark, self._found_to)
        if position < 0:
            self._found_to = len(self._data)
            return b""
        start = self._data.rfind(b"\n", max(self._found_to - 1, position - canonical.MAX_LINE, 0), position) + 1
        line = _line_at(self._data, start)
        self._found_to = max(position + len(mark), start + len(line))
        return line

    def _raise_difference(self, lines: Sequence[str]) -> None:
        for line in lines:
            wanted = line.encode("ascii")
            if not self._data.startswith(wanted, self._offset):
                found, expected = self.fields(), canonical.decode(wanted)
                self.compare(found, expected)
                unknown = ", ".join(sorted(found.keys() - expected.keys()))
                raise self.error(f"({_kind(found)}): has fields that are not expected: {canonical.shorten(unknown)}")
            self._offset += len(wanted)
            self._line += 1


def _line_at(data: bytes, start: int) -> bytes:
    """Return the line from ``start`` on with its LF, or without one as much as a line can hold."""
    end = data.find(b"\n", start, start + canonical.MAX_LINE)
    return data[start : end + 1] if end >= 0 else data[start : start + canonical.MAX_LINE]


def _kind(fields: Mapping[str, Any]) -> str:
    if "sha256" in fields:
        return "the checksum"
    kind = canonical.shorten(str(fields.get("type", "a line of no type")))
    return f"event {canonical.shorten(str(fields.get('event')))}" if kind == "event" else kind


def _difference(path: str, found: Any, expected: Any) -> str:
    """Say where two values, which differ, first differ."""
    if path == "wall":
        # A wall is taken from the record itself unless it is no wall at all.
        return _wall_difference(found, expected)
    if path == "sha256":
        return f"the checksum is {canonical.show(found)}, but the bytes before it have {expected}"
    if isinstance(found, list) and isinstance(expected, list):
        return _array_difference(path, found, expected)
    if isinstance(found, dict) and isinstance(expected, dict):
        return _object_difference(path, found, expected)
    return f"{path} is {canonical.show(found)}, but the record's walls and decisions give {canonical.show(expected)}"


def _array_difference(path: str, found: list[Any], expected: list[Any]) -> str:
    for index, (found_item, expected_item) in enumerate(zip(found, expected, strict=False)):
        if _differ(found_item, expected_item):
            return _difference(f"{path}[{index}]", found_item, expected_item)
    return f"{path} has {len(found)} items, but the record's walls and decisions give {len(expected)}"


def _object_difference(path: str, found: dict[str, Any], expected: dict[str, Any]) -> str:
    for name in sorted(found.keys() & expected.keys()):
        if _differ(found[name], expected[name]):
            return _difference(f"{path}.{name}", found[name], expected[name])
    names = ", ".join(sorted(found.keys() ^ expected.keys()))
    return f"{path} has missing or unknown fields: {canonical.shorten(names)}"


def _differ(found: Any, expected: Any) -> bool:
    # By their text: Python takes true for 1.
    return canonical.text_of(found) != canonical.text_of(expected)


def _wall_difference(found: Any, expected: list[str]) -> str:
    """Say why ``found`` is not a shuffle of the tiles of ``expected``."""
    if not isinstance(found, list) or not all(isinstance(tile, str) for tile in found):
        return f"wall is {canonical.show(found)}: expected an array of tiles"
    found_counts, expected_counts = Counter(found), Counter(expected)
    for tile in sorted(found_counts.keys() | expected_counts.keys()):
        if found_counts[tile] != expected_counts[tile]:
            count = found_counts[tile]
            return (
                f"wall has {count} of {canonical.show(tile)}: expected {expected_counts[tile]} as the rules have them"
            )
    raise AssertionError("a wall with all tiles of the rules was not taken")
