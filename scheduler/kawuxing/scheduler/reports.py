"""Reports for bots' authors, out of the store and of the logs of launched bots."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Final

from google.protobuf import duration_pb2

from kawuxing.codec.faults import fault_to_message
from kawuxing.engine.faults import Fault
from kawuxing.runner.decision_times import DecisionTimes
from kawuxing.scheduler.store import MatchState, Report, ReportedDecision, Store
from kawuxing.v1 import author_service_pb2 as v1

LOG_TAIL: Final = 32 * 1024
"""Bytes of the end of a bot's log that its report has."""


def bot_report(store: Store, logs: Path, tournament: str, bot: str) -> v1.BotReport:
    """Return what is known of a bot in a tournament; ``logs`` is the folder with one of logs for each tournament.

    Raises UnknownTournamentError, and NotEnteredError if the bot is not entered there.
    """
    report = store.report(tournament, bot)
    return v1.BotReport(
        bot=bot,
        tournament=tournament,
        matches=_matches(report),
        strikes=report.entrant.strikes,
        withdrawn=report.entrant.withdrawn or "",
        fault_counts=[
            v1.FaultCount(fault=fault_to_message(fault), count=report.fault_counts[fault])
            for fault in Fault
            if report.fault_counts.get(fault)
        ],
        faults=[
            v1.FaultReport(
                match_id=told.match_id,
                hand=told.hand,
                decision_id=told.decision_id,
                fault=fault_to_message(told.fault),
                legal_actions=told.legal,
                detail=told.detail,
            )
            for told in report.faults
        ],
        decision_times=_times(DecisionTimes(report.decision_times), report.slowest),
        slowest=[
            v1.SlowDecision(
                match_id=told.match_id,
                hand=told.hand,
                decision_id=told.decision_id,
                time=_duration(timedelta(microseconds=told.microseconds)),
            )
            for told in report.slowest
        ],
        log=_log_tail(logs / tournament / f"{bot}.log"),
    )


class StoreReports:
    """What the authors of the bots in a store are told."""

    def __init__(self, store: Store, logs: Path) -> None:
        """Read from ``store`` and from ``logs``, the folder with one of logs for each tournament."""
        self._store = store
        self._logs = logs

    async def tournaments(self, bot: str) -> Sequence[str]:
        """Return the ids of the tournaments in which the bot is entered, the newest first."""
        return await asyncio.to_thread(self._store.tournaments_of, bot)

    async def report(self, bot: str, tournament: str) -> v1.BotReport:
        """Return what is known of the bot in one of these."""
        return await asyncio.to_thread(bot_report, self._store, self._logs, tournament, bot)


def _matches(report: Report) -> v1.MatchCounts:
    counts = report.matches
    return v1.MatchCounts(
        done=counts[MatchState.DONE],
        pending=counts[MatchState.PENDING],
        playing=counts[MatchState.OFFERED] + counts[MatchState.PLAYING],
        cancelled=counts[MatchState.CANCELLED],
        failed=counts[MatchState.FAILED],
    )


def _times(times: DecisionTimes, slowest: Sequence[ReportedDecision]) -> v1.DecisionTimes:
    if not times.count:
        return v1.DecisionTimes()
    median, p95, longest = (timedelta(milliseconds=times.quantile(share)) for share in (0.5, 0.95, 1.0))
    for told in slowest[:1]:
        # Matches of the first versions left no slowest decisions: the longest of all may have been one of theirs.
        if DecisionTimes.of([told.microseconds / 1000]).quantile(1.0) == times.quantile(1.0):
            longest = timedelta(microseconds=told.microseconds)
    return v1.DecisionTimes(
        decisions=times.count, median=_duration(median), p95=_duration(p95), longest=_duration(longest)
    )


def _log_tail(path: Path) -> str:
    """Return the end of a log, from the beginning of a line on; empty if there is none."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - LOG_TAIL))
            data = file.read(LOG_TAIL)
    except FileNotFoundError:
        return ""
    text = data.decode("utf-8", errors="backslashreplace").encode()
    if max(size, len(text)) > LOG_TAIL:
        text = text[-LOG_TAIL:]
        text = text.partition(b"\n")[2] or text
    return text.decode("utf-8", errors="ignore")


def _duration(amount: timedelta) -> duration_pb2.Duration:
    message = duration_pb2.Duration()
    message.FromTimedelta(amount)
    return message
