"""Reports for authors, out of the store and of the logs."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scheduler.cup import begin

from kawuxing.scheduler.reports import LOG_TAIL, StoreReports, bot_report
from kawuxing.scheduler.store import Store
from kawuxing.scheduler.store.testing import small_tournament

LINES = st.lists(st.binary(max_size=2000), max_size=60).map(b"\n".join)


def logged(text: bytes) -> str:
    """Return the log in the report of a bot that printed ``text``."""
    with TemporaryDirectory() as folder, Store(f"sqlite:///{folder}/arena.db") as store:
        store.create_tournament(small_tournament())
        (Path(folder) / "cup").mkdir()
        (Path(folder) / "cup" / "ada.log").write_bytes(text)
        (Path(folder) / "cup" / "ben.log").write_bytes(b"what ben printed")
        return bot_report(store, Path(folder), "cup", "ada").log


@settings(max_examples=30)
@given(text=LINES)
def test_a_report_ends_with_what_the_bot_printed_last(text: bytes) -> None:
    """As much as there is room for, from the beginning of a line on, with bytes that are no text escaped."""
    shown = text.decode("utf-8", errors="backslashreplace")
    log = logged(text)

    assert len(log.encode()) <= LOG_TAIL
    if len(shown.encode()) <= LOG_TAIL:
        assert shown == log
    else:
        assert shown.endswith(f"\n{log}") or "\n" not in shown[-len(log) :].strip("\n")


def test_a_long_line_is_cut() -> None:
    """It is better than nothing."""
    assert ("x" * LOG_TAIL, "é" * (LOG_TAIL // 2)) == (logged(b"x" * 100_000), logged("é".encode() * 40_000))


async def test_what_is_empty_is_left_out(store: Store, tmp_path: Path) -> None:
    """A bot that has not played and is not launched has its name, its tournament and its matches to come."""
    begin(store)
    reports = StoreReports(store, tmp_path)
    (tournament,) = await reports.tournaments("ada")
    report = await reports.report("ada", tournament)

    assert ("ada", "cup", 6) == (report.bot, report.tournament, report.matches.pending)
    assert {"bot", "tournament", "matches", "decision_times"} == {field.name for field, _ in report.ListFields()}
    assert not report.decision_times.ListFields()
