"""docs/protocol.md says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import grpc

from kawuxing.runner.lobby import MAX_INSTANCES
from kawuxing.runner.seat import MAX_CONNECTIONS
from kawuxing.runner.status import Refusal
from kawuxing.runner.testing import decision, hello
from kawuxing.v1 import fault_pb2
from kawuxing.v1.table_service_pb2 import PlayRequest

TEXT = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text("utf-8")


def test_every_error_reason_is_documented() -> None:
    """Under the name that ErrorInfo carries."""
    section = TEXT.partition("## Errors")[2]
    documented = set(re.findall(r"^\| ([A-Z_]+) \| [A-Z_]+ \|", section, re.MULTILINE))
    reasons = {value for value in fault_pb2.ErrorReason.values() if value != fault_pb2.ERROR_REASON_UNSPECIFIED}
    assert {Refusal(grpc.StatusCode.ABORTED, value, "").reason_name for value in reasons} == documented


def test_every_fault_is_documented() -> None:
    """In the table of faults."""
    section = TEXT.partition("## Faults")[2].partition("\n## ")[0]
    documented = set(re.findall(r"^\| ([A-Z_]+) \|", section, re.MULTILINE))
    faults = {name.removeprefix("FAULT_") for name in fault_pb2.Fault.keys() if name != "FAULT_UNSPECIFIED"}  # noqa: SIM118
    assert faults == documented


def test_the_wire_example_is_what_a_bot_sends() -> None:
    """Byte for byte."""
    shown = [bytes.fromhex(text) for text in re.findall(r"^bot +\w+ +((?:[0-9a-f]{2} ?)+)$", TEXT, re.MULTILINE)]
    assert [hello("ticket"), decision(0, 9), decision(1, 10)] == [PlayRequest.FromString(data) for data in shown]
    assert [message.SerializeToString() for message in (hello("ticket"), decision(0, 9), decision(1, 10))] == shown


def test_the_limits_are_those_of_the_code() -> None:
    """Connections and instances."""
    assert f"{MAX_INSTANCES} instances of a bot, {MAX_CONNECTIONS} connections of a ticket" in TEXT
