"""Faults and results of a match."""

from __future__ import annotations

from kawuxing.codec.enums import EnumCodec
from kawuxing.engine.faults import Fault
from kawuxing.engine.match import EntrantResult
from kawuxing.v1 import fault_pb2, table_service_pb2

_FAULTS = EnumCodec(Fault, fault_pb2.Fault, "FAULT_")


def fault_to_message(fault: Fault) -> fault_pb2.Fault.ValueType:
    """Return the protocol's value of a fault."""
    value: fault_pb2.Fault.ValueType = _FAULTS.to_message(fault)
    return value


def fault_from_message(value: int) -> Fault:
    """Return the fault of the protocol's value. Raises ValueError for one unknown to this version."""
    return _FAULTS.from_message(value)


def result_to_message(result: EntrantResult) -> table_service_pb2.EntrantResult:
    """Return what MatchEnd says of one entrant's result."""
    return table_service_pb2.EntrantResult(
        points=result.points,
        rank=result.rank,
        faults=[fault_to_message(fault) for fault in result.faults],
        forfeited=result.forfeited_in >= 0,
    )
