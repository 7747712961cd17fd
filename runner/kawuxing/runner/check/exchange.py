"""What went over the wire in one match, or between the bot and the lobby, with times."""

from __future__ import annotations

import time
from collections import Counter, deque
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import grpc
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import DecodeError, Message

from kawuxing.v1.lobby_service_pb2 import JoinRequest, JoinResponse
from kawuxing.v1.table_service_pb2 import PlayRequest, PlayResponse

SHOWN: Final = 20
"""Messages, both ways together, that a report shows of an exchange."""
_SHOWN_AFTER: Final = 6
"""How many of them may come after what the report is about."""
_SHOWN_BYTES: Final = 64
_LARGE: Final = 64 * 1024
"""Bytes from which a message's size is shown: no bot may send more."""
FLOOD: Final = 50
"""Refusals within FLOOD_TIME that are still no flood: five a second, from a bot that does not wait longer each time."""
FLOOD_TIME: Final = 10.0
"""Seconds."""
_KEPT: Final = 20_000
"""Messages and notes of one exchange that are kept: many times what any match has."""
_KEPT_BYTES: Final = 8 * 1024 * 1024
"""Bytes of messages of one exchange that are kept."""
_SUPERSEDED: Final = grpc.StatusCode.ABORTED.name
"""The one reason for which the arena ends a stream with this code."""


class Side(StrEnum):
    """Who said something."""

    BOT = "bot"
    ARENA = "arena"
    CHECK = "check"
    """Not a message: what the check did to the stream, or saw become of it."""


class Ending(StrEnum):
    """How a stream ended."""

    OVER = "the last message was sent"
    CUT = "the check cut it"
    LEFT = "the bot closed its side, hung up, died, or sent more than 1 MiB"
    REFUSED = "the arena ended it"


@dataclass(frozen=True, slots=True)
class _Entry:
    seconds: float
    side: Side
    said: bytes | str


class Exchange:
    """The messages of one ticket, or of the lobby."""

    def __init__(self, name: str, *, lobby: bool = False) -> None:
        """Begin an empty exchange; times count from now."""
        self.name = name
        self.endings: Counter[Ending] = Counter()
        """How often its streams ended in each way."""
        self.refused = 0
        """How many streams the arena ended."""
        self.last_refusal = ""
        """With what it ended the last of them."""
        self.superseded = 0
        """How often one of its streams took over from another that was still open."""
        self.flooded = False
        """Whether more than FLOOD streams were refused within FLOOD_TIME."""
        self.away: list[float] = []
        """Seconds from each cut to the bot's next word."""
        self.first_answer: float | None = None
        """When the bot's first decision was read, by the monotonic clock."""
        self._kinds: dict[Side, type[Message]] = (
            {Side.BOT: JoinRequest, Side.ARENA: JoinResponse}
            if lobby
            else {Side.BOT: PlayRequest, Side.ARENA: PlayResponse}
        )
        self._began = time.monotonic()
        self._cut_at: float | None = None
        self._refused_at: deque[float] = deque(maxlen=FLOOD + 1)
        self._entries: list[_Entry] = []
        self._bytes = 0
        self._counts: Counter[Side] = Counter()

    def add(self, side: Side, said: bytes | str) -> None:
        """Note a message, or what happened."""
        now = time.monotonic()
        if side is Side.BOT and self._cut_at is not None:
            self.away.append(now - self._cut_at)
            self._cut_at = None
        self._counts[side] += 1
        if len(self._entries) < _KEPT:
            self._entries.append(_Entry(now - self._began, side, self._room_for(said)))

    def end(self, ending: Ending, refusal: str = "") -> None:
        """Note the end of a stream."""
        now = time.monotonic()
        self.endings[ending] += 1
        if ending is Ending.CUT:
            self._cut_at = now
        if refusal:
            self.refused += 1
            self.last_refusal = refusal
            self.superseded += refusal.startswith(_SUPERSEDED)
            self._refused_at.append(now)
            self.flooded |= len(self._refused_at) > FLOOD and now - self._refused_at[0] <= FLOOD_TIME
        self.add(Side.CHECK, f"stream ended: {refusal or ending.value}")

    def count(self, side: Side) -> int:
        """Return how many messages came from one side."""
        return self._counts[side]

    def to_json(self) -> list[dict[str, Any]]:
        """Return everything, messages as proto3 JSON with the fields' names of the .proto files."""
        told = list(map(self._told, self._entries))
        if left_out := self._counts.total() - len(told):
            told.append({"from": Side.CHECK.value, "note": f"{left_out} more are not kept"})
        return told

    def excerpt(self, decision: int | None = None, *, ending: str = Ending.LEFT.value) -> list[dict[str, Any]]:
        """Return what was said around a decision, or around the first stream that ended so, or else last."""
        told = self.to_json()
        end = len(told)
        for index, entry in enumerate(told):
            if decision is None:
                if entry.get("note", "").endswith(ending):
                    end = index + _SHOWN_AFTER
                    break
            elif _is_about(entry.get("message", {}), decision):
                end = index + _SHOWN_AFTER
        return told[max(0, min(end, len(told)) - SHOWN) : end]

    def _room_for(self, said: bytes | str) -> bytes | str:
        """Return what is kept of a message: whoever floods must not fill the memory."""
        if isinstance(said, bytes):
            if self._bytes + len(said) > _KEPT_BYTES:
                return f"{len(said)} bytes, which are not kept"
            self._bytes += len(said)
        return said

    def _told(self, entry: _Entry) -> dict[str, Any]:
        return {"seconds": round(entry.seconds, 6), "from": entry.side.value} | self._content(entry)

    def _content(self, entry: _Entry) -> dict[str, Any]:
        if isinstance(entry.said, str):
            return {"note": entry.said}
        try:
            message = self._kinds[entry.side].FromString(entry.said)
        except DecodeError:
            shown = entry.said[:_SHOWN_BYTES].hex()
            return {"bytes": len(entry.said), "no_message": shown}
        told = MessageToDict(message, preserving_proto_field_name=True)
        # Tokens and tickets are passwords, and reports are sent around.
        for holder, secret in ((told, "token"), (told.get("hello"), "ticket"), (told.get("assignment"), "ticket")):
            if isinstance(holder, dict) and secret in holder:
                holder[secret] = "…"
        if len(entry.said) > _LARGE:
            return {"bytes": len(entry.said), "message": told}
        return {"message": told}


def _is_about(message: dict[str, Any], decision: int) -> bool:
    """Return whether a message is the question or the answer of a decision."""
    for kind in ("decision_request", "decision"):
        if kind in message:
            # As always in proto3 JSON, zero is left out.
            return bool(message[kind].get("decision_id", 0) == decision)
    return False
