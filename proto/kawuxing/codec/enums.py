"""Enums: an engine ``StrEnum`` and the protocol's enum of the same member names under a prefix."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Generic, TypeVar

Member = TypeVar("Member", bound=StrEnum)


class EnumCodec(Generic[Member]):
    """Translates one enum by its member names; building it fails if a member is missing in the protocol."""

    def __init__(self, members: type[Member], message_enum: Any, prefix: str) -> None:
        """Pair every member with the value called ``prefix`` + its name."""
        self._prefix = prefix
        self._to: Mapping[Member, int] = {member: message_enum.Value(f"{prefix}{member.name}") for member in members}
        self._from: Mapping[int, Member] = {value: member for member, value in self._to.items()}

    def to_message(self, member: Member) -> Any:
        """Return the protocol's value."""
        return self._to[member]

    def from_message(self, value: int) -> Member:
        """Return the engine's member. Raises ValueError, naming the value, for one unknown to this version."""
        try:
            return self._from[value]
        except KeyError:
            raise ValueError(f"{self._prefix}… {value}: unknown to this version of the protocol") from None
