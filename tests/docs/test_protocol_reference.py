"""The protocol reference says what the .proto files say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from google.protobuf.descriptor import FileDescriptor

from kawuxing.v1 import (
    action_pb2,
    author_service_pb2,
    event_pb2,
    fault_pb2,
    lobby_service_pb2,
    observation_pb2,
    rules_pb2,
    table_service_pb2,
    tile_pb2,
)

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "bots" / "protocol-reference.md"
FILES = [
    module.DESCRIPTOR
    for module in (
        action_pb2,
        author_service_pb2,
        event_pb2,
        fault_pb2,
        lobby_service_pb2,
        observation_pb2,
        rules_pb2,
        table_service_pb2,
        tile_pb2,
    )
]


def section(name: str) -> str:
    """Return the part of the page under a heading."""
    _, _, rest = PAGE.read_text("utf-8").partition(f"\n### {name}\n")
    return re.split(r"^##", rest, maxsplit=1, flags=re.MULTILINE)[0]


def test_writing_the_page_again_changes_nothing(tmp_path: Path) -> None:
    """The committed page is, byte for byte, what `make protocol-docs` writes."""
    written = tmp_path / "page.md"
    subprocess.run([sys.executable, ROOT / "proto" / "reference.py", written], check=True)

    assert written.read_text("utf-8") == PAGE.read_text("utf-8")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_word_of_the_protocol_is_there(file: FileDescriptor) -> None:
    """Each service has its calls, each message its fields, each enum its values: a row with number and comment."""
    expected = {
        message.name: [rf"\| {field.number} \| `{field.name}` \| .+ \| .* \| .+ \|" for field in message.fields]
        for message in file.message_types_by_name.values()
    }
    expected |= {
        enum.name: [rf"\| {value.number} \| `{value.name}` \| .+ \|" for value in enum.values]
        for enum in file.enum_types_by_name.values()
    }
    expected |= {
        service.name: [rf"\| `{method.name}` \| .+ \| .+ \| .+ \|" for method in service.methods]
        for service in file.services_by_name.values()
    }
    for name, rows in expected.items():
        found = section(name)
        assert found, name
        assert [] == [row for row in rows if not re.search(f"^{row}$", found, re.MULTILINE)]


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("Observation", "| 10 | `offered_by` | `uint32` | optional |"),
        ("Observation", "| 11 | `seats` | [SeatView](#seatview) | repeated |"),
        ("RuleSet", "| 34 | `cap_exempt` | map from `string` to `uint32` |  |"),
        ("PlayRequest", "| 1 | `hello` | [Hello](#hello) | one of `request` |"),
        (
            "TableService",
            "| `Play` | stream of [PlayRequest](#playrequest) | stream of [PlayResponse](#playresponse) |",
        ),
        ("LobbyService", "| `Join` | [JoinRequest](#joinrequest) | stream of [JoinResponse](#joinresponse) |"),
    ],
)
def test_presence_and_streams_are_told(name: str, row: str) -> None:
    """The page tells what is repeated, optional, a map, in a oneof, or a stream."""
    assert f"\n{row} " in section(name)
