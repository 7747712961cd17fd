"""Reports as people and programs read them."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from google.protobuf import duration_pb2

from kawuxing.cli.report_shown import print_reports
from kawuxing.v1.author_service_pb2 import (
    BotReport,
    DecisionTimes,
    FaultCount,
    FaultReport,
    MatchCounts,
    SlowDecision,
)
from kawuxing.v1.fault_pb2 import FAULT_TIMEOUT

Captured = pytest.CaptureFixture[str]


def milliseconds(amount: float) -> duration_pb2.Duration:
    duration = duration_pb2.Duration()
    duration.FromTimedelta(timedelta(milliseconds=amount))
    return duration


def report() -> BotReport:
    """Return a report in which there is something of everything."""
    return BotReport(
        bot="ada",
        tournament="cup",
        matches=MatchCounts(done=3, cancelled=2),
        strikes=1,
        withdrawn="absent for longer than 4 s",
        fault_counts=[FaultCount(fault=FAULT_TIMEOUT, count=7)],
        faults=[
            FaultReport(
                match_id="f00d",
                hand=1,
                decision_id=12,
                fault=FAULT_TIMEOUT,
                legal_actions=["PUNG 8p", "PASS"],
                detail="no answer in 500 ms",
            )
        ],
        decision_times=DecisionTimes(
            decisions=60, median=milliseconds(0.25), p95=milliseconds(2), longest=milliseconds(512)
        ),
        slowest=[SlowDecision(match_id="f00d", hand=1, decision_id=12, time=milliseconds(500.001))],
        log="thinking\n",
    )


def test_a_report_for_people(capsys: Captured) -> None:
    """Line by line."""
    print_reports([report()], as_json=False)

    assert [
        "ada in cup",
        "matches: 3 done, 2 cancelled",
        "WITHDRAWN: absent for longer than 4 s",
        "decisions: 60, median 0.25 ms, p95 2 ms, longest 512 ms",
        "faults: 7 TIMEOUT",
        "",
        "the last 1 of 7 faults:",
        "match  hand  decision  fault",
        "f00d   1     12        TIMEOUT",
        "  no answer in 500 ms",
        "  legal were: PUNG 8p, PASS",
        "",
        "the slowest decisions:",
        "match  hand  decision  milliseconds",
        "f00d   1     12             500.001",
        "",
        "the end of its log:",
        "  thinking",
    ] == capsys.readouterr().out.splitlines()


def test_a_report_fits_the_terminal(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long lines are broken, but no action is; what the bot printed stays as it is."""
    monkeypatch.setenv("COLUMNS", "60")
    fault = FaultReport(
        match_id="f" * 32,
        fault=FAULT_TIMEOUT,
        legal_actions=[f"REVEAL {tile}p 1p 2p 3p" for tile in range(1, 10)],
        detail="the stream was ended: " + "I am lost " * 10,
    )
    print_reports([BotReport(bot="ada", tournament="cup", faults=[fault], log="x" * 100)], as_json=False)

    told, log = capsys.readouterr().out.split("the end of its log:\n")
    assert all(len(line) <= 60 for line in told.splitlines())
    assert "REVEAL 4p 1p 2p 3p,\n    REVEAL 5p" in told
    assert f"  {'x' * 100}\n" == log


def test_a_report_for_programs(capsys: Captured) -> None:
    """The same as JSON, times in milliseconds."""
    print_reports([report()], as_json=True)

    assert [
        {
            "bot": "ada",
            "tournament": "cup",
            "matches": {"done": 3, "pending": 0, "playing": 0, "cancelled": 2, "failed": 0},
            "strikes": 1,
            "withdrawn": "absent for longer than 4 s",
            "fault_counts": {"TIMEOUT": 7},
            "faults": [
                {
                    "match": "f00d",
                    "hand": 1,
                    "decision_id": 12,
                    "fault": "TIMEOUT",
                    "legal_actions": ["PUNG 8p", "PASS"],
                    "detail": "no answer in 500 ms",
                }
            ],
            "decision_times": {"decisions": 60, "median_ms": 0.25, "p95_ms": 2.0, "longest_ms": 512.0},
            "slowest": [{"match": "f00d", "hand": 1, "decision_id": 12, "milliseconds": 500.001}],
            "log": "thinking\n",
        }
    ] == json.loads(capsys.readouterr().out)


def test_a_bot_that_has_not_played(capsys: Captured) -> None:
    """What there is not is left out; strikes are told while they can still be made good."""
    print_reports([BotReport(bot="ada", tournament="cup", matches=MatchCounts(pending=6), strikes=2)], as_json=False)

    assert [
        "ada in cup",
        "matches: 0 done, 6 pending",
        "strikes: 2 (matches in a row that it did not take up)",
        "decisions: 0",
        "faults: none",
    ] == capsys.readouterr().out.splitlines()


def test_a_bot_in_no_tournament(capsys: Captured) -> None:
    """An empty list for programs, a sentence for people."""
    print_reports([], as_json=False)
    print_reports([], as_json=True)

    assert "the bot is entered in no tournament yet\n[]\n" == capsys.readouterr().out


def test_what_a_bot_printed_cannot_steer_the_terminal(capsys: Captured) -> None:
    """An organiser reads it too."""
    print_reports([BotReport(bot="ada", tournament="cup", log="\x1b[2J卡五星\x07\n")], as_json=False)

    assert "  \\x1b[2J卡五星\\x07" == capsys.readouterr().out.splitlines()[-1]


def test_a_kind_of_fault_of_a_newer_arena_is_its_number(capsys: Captured) -> None:
    """The protocol may gain some."""
    print_reports([BotReport(fault_counts=[FaultCount(fault=9, count=1)])], as_json=False)  # type: ignore[arg-type]

    assert "faults: 1 9" == capsys.readouterr().out.splitlines()[-1]
