"""Putting protobuf messages together from fields that are serialised already.

Building messages is what an arena's time would go into, so what several messages share is built and serialised once.
The wire format allows it: a message is its fields one after the other, a repeated field its elements, each with a tag.
"""

from __future__ import annotations

from typing import Final

DELIMITED: Final = 2
"""Wire type of what has a length: messages, strings, bytes."""
VARINT: Final = 0
"""Wire type of integers, enums and booleans."""

_LOW_BITS: Final = 0x7F
_MORE: Final = 0x80
_TYPE_BITS: Final = 3


def varint(value: int) -> bytes:
    """Return a non-negative integer as it stands on the wire."""
    if value <= _LOW_BITS:
        return _SHORT[value]
    out = bytearray()
    while value > _LOW_BITS:
        out.append(value & _LOW_BITS | _MORE)
        value >>= 7
    out.append(value)
    return bytes(out)


def tag(number: int, wire_type: int) -> bytes:
    """Return what announces the field of this number."""
    return varint(number << _TYPE_BITS | wire_type)


def delimited(payload: bytes) -> bytes:
    """Return a serialised message as it stands after its tag."""
    return varint(len(payload)) + payload


_SHORT: Final = tuple(bytes([value]) for value in range(_LOW_BITS + 1))
