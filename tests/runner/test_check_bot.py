"""The check of single bots, with real processes: what it says of good ones and of each misbehaviour."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from collections.abc import Callable, Coroutine
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from kawuxing.runner.check.arena import COMMON_CLOCK, CheckSettings
from kawuxing.runner.check.checking import check_bot
from kawuxing.runner.check.exchange import Exchange
from kawuxing.runner.check.findings import Findings
from kawuxing.runner.check.log import judge_log, printed_lines
from kawuxing.runner.check.report import TITLES, Finding, Report, Verdict
from kawuxing.runner.clock import ClockSettings
from kawuxing.scheduler.config_tables import ClockConfig

SECOND = timedelta(seconds=1)
QUICK = ClockSettings(bank=60 * SECOND, increment=SECOND / 2, move_max=2 * SECOND, start=3 * SECOND)
"""As the common clock, but nobody is waited for that long."""
PLAIN = (sys.executable, str(Path(__file__).with_name("check_bots.py")))
THINKER = """
import asyncio
from kawuxing.bots import Bot, serve

class Thinker(Bot):
    async def choose(self, turn):
        await asyncio.sleep(0.003)
        return turn.random.choice(turn.legal)

serve(Thinker)
"""

FAILING = """
from kawuxing.bots import Bot, serve

class Failing(Bot):
    async def choose(self, turn):
        raise ValueError("no idea")

serve(Failing)
"""

Check = Callable[..., Coroutine[Any, Any, Report]]


@pytest.fixture
def check(tmp_path: Path) -> Check:
    """Check the bot of a command, by one preset and a quick clock unless told otherwise."""

    async def check(*command: str, **settings: Any) -> Report:
        tell = settings.pop("tell", lambda _: None)
        chosen: dict[str, Any] = {"presets": ("xiangyang",), "clock": QUICK, "return_time": 20 * SECOND} | settings
        return await check_bot(CheckSettings(command=command, **chosen), tmp_path, tell)

    return check


def found(report: Report) -> dict[str, Finding]:
    """Return the findings by their ids."""
    return {finding.id: finding for finding in report.findings}


def bad(report: Report) -> dict[str, Verdict]:
    """Return the verdicts of what did not pass although it was run."""
    quiet = (Verdict.PASSED, Verdict.NOT_RUN)
    return {finding.id: finding.verdict for finding in report.findings if finding.verdict not in quiet}


def texts(exchange: Any) -> str:
    """Return what an exchange says, for looking something up in it."""
    return str([dict(entry) for entry in exchange])


async def test_a_shipped_bot_passes_everything(check: Check) -> None:
    """By presets with and without a reveal, face-down pungs, a fourth seat and an entrant who rests."""
    presets = ("xiangyang", "hubei", "three-suit", "four-seat", "sit-out")
    report = await check("kawuxing-bot", "greedy", presets=presets, clock=COMMON_CLOCK)

    assert dict.fromkeys(TITLES, Verdict.PASSED) == {each.id: each.verdict for each in report.findings}
    assert report.admitted
    assert list(presets) == [each.preset for each in report.coverage]
    assert [()] * len(presets) == [each.not_reached for each in report.coverage]
    figures = {check: finding.figures for check, finding in found(report).items()}
    assert 4 == figures["at-once"]["most_at_once"]
    assert figures["decision-times"]["p50_ms"] <= figures["decision-times"]["p99_ms"]
    assert 500 == figures["decision-times"]["increment_ms"]
    assert 0 == figures["log"]["lines_about_errors"]
    assert figures["memory"]["mib_at_start"] > 1
    assert figures["start"]["seconds_to_first_answer"] > figures["join"]["seconds"]
    said = texts(report.exchanges["lobby"])
    assert "greedy" in report.client.lower()
    assert "'assignment'" in said
    assert any("decision_request" in texts(said) for said in report.exchanges.values())


async def test_a_slow_bot_with_room_for_one_match_is_only_warned_of(check: Check) -> None:
    """It is never given more. What takes longer than the increment runs the bank down, but shuts no bot out.

    A bot that thinks in the background also keeps its place when its stream breaks meanwhile.
    """
    hasty = ClockSettings(QUICK.bank, timedelta(milliseconds=1), QUICK.move_max, QUICK.start)
    report = await check(sys.executable, "-c", THINKER, capacity=1, clock=hasty)

    assert {"decision-times": Verdict.WARNING} == bad(report)
    assert "longer than the increment of 0.001 s" in found(report)["decision-times"].why
    assert report.admitted
    assert {"capacity": 1, "most_at_once": 1} == found(report)["at-once"].figures


@pytest.mark.parametrize(
    ("vice", "failed", "why"),
    [
        ("never-sits-down", "sit-down", "it was assigned and not taken up in time"),
        ("never-answers", "in-time", "decision 5: TIMEOUT: no answer in 2000 ms"),
        ("answers-late", "in-time", "decision 5: TIMEOUT: no answer in 2000 ms"),
        ("out-of-range", "legal", "decision 5: ILLEGAL_CHOICE: "),
        ("answers-twice", "protocol", "decision 6: PROTOCOL_ERROR: UNEXPECTED_DECISION"),
        ("floods", "protocol", "decision 6: PROTOCOL_ERROR: UNEXPECTED_DECISION"),
        ("sends-garbage", "protocol", "decision 5: PROTOCOL_ERROR: MALFORMED_MESSAGE"),
        ("sends-too-much", "protocol", "decision 5: PROTOCOL_ERROR: MESSAGE_TOO_LARGE: the message has 1000"),
        pytest.param(
            "sends-10-mb",
            "stay",
            r"its stream ended \d+ times before the match did: .* sent more than 1 MiB",
            marks=pytest.mark.long,
        ),
        ("closes-stream", "stay", "its stream ended once before the match did: the bot closed its side, hung up"),
        ("reconnects", "stay", r"its stream ended \d+ times before the match did"),
        ("dies", "stay", "its process ended: exit code 1; match whole-0"),
        ("joins-twice", "stay", r"it sat down where it sat already \(SUPERSEDED"),
        ("never-reads", "in-time", "decision 0: TIMEOUT: no answer in 3000 ms"),
    ],
)
async def test_a_misbehaving_bot_fails_what_is_about_its_misbehaviour(
    check: Check, vice: str, failed: str, why: str
) -> None:
    """The report says why, shows what was said around it, and the check goes no further."""
    report = await check("kawuxing-bot", f"misbehaving-{vice}", join_time=2 * SECOND)

    assert not report.admitted
    finding = found(report)[failed]
    assert Verdict.FAILED == finding.verdict
    assert re.search(why, finding.why)
    assert finding.exchange
    assert "its first match went wrong" in report.stopped
    assert Verdict.NOT_RUN == found(report)["reconnect"].verdict


async def test_the_exchange_shows_what_was_wrong(check: Check) -> None:
    """The question, the answer that was none, and when they came; no ticket or token."""
    report = await check("kawuxing-bot", "misbehaving-sends-garbage")

    exchange = found(report)["protocol"].exchange
    garbage = next(index for index, entry in enumerate(exchange) if "no_message" in entry)
    assert {"bytes": 64, "no_message": "ff" * 64} == {key: exchange[garbage][key] for key in ("bytes", "no_message")}
    assert 5 == exchange[garbage - 1]["message"]["decision_request"]["decision_id"]
    assert exchange[garbage - 1]["seconds"] <= exchange[garbage]["seconds"]
    assert "PROTOCOL_ERROR" in found(report)["protocol"].why
    assert {"…"} == set(re.findall(r"'(?:ticket|token)': '([^']*)'", str(dict(report.exchanges))))


async def test_weaknesses_that_show_in_play_are_told_apart(check: Check) -> None:
    """Dice of its own, answers that are repeated, leaving over a fault, staying on after the end."""
    report = await check(*PLAIN, "moody", "repeats", "sulks", "lingers")

    assert {
        "reproducible": Verdict.FAILED,
        "process-restart": Verdict.FAILED,
        "reconnect": Verdict.FAILED,
        "late-answer": Verdict.FAILED,
        "goodbye": Verdict.WARNING,
    } == bad(report)
    why = {check: finding.why for check, finding in found(report).items()}
    assert re.search(r"decision \d+: .* the first time, .* the second, from the same bot_seed", why["reproducible"])
    unexpected = r"PROTOCOL_ERROR: UNEXPECTED_DECISION: a Decision for decision_id 2, but (3|none) is open"
    assert re.search(unexpected, why["reconnect"])
    assert "its process ended: exit code 3" in why["late-answer"]
    assert "its process still ran" in why["goodbye"]


async def test_a_bot_whose_memory_grows_for_good_is_warned_of(check: Check) -> None:
    """After as many matches as a virtual machine may need to warm up."""
    report = await check(*PLAIN, "hoards")

    assert {"memory": Verdict.WARNING} == bad(report)
    assert re.fullmatch(r"it grew by \d{3} MiB in 1\d\d matches, and had not stopped", found(report)["memory"].why)


async def test_a_bot_whose_memory_grows_while_it_warms_up_is_not_warned_of(check: Check) -> None:
    """More matches are played until it has stopped growing, as the memory of a virtual machine does."""
    report = await check(*PLAIN, "warms-up")

    assert {} == bad(report)
    figures = found(report)["memory"].figures
    assert figures["mib_at_end"] - figures["mib_at_start"] > 100
    assert figures["mib_per_match"] < 1


async def test_weaknesses_that_show_when_something_happens_are_told_apart(check: Check) -> None:
    """Not knowing a new event, sitting down twice when assigned again, leaving over a cancelled match."""
    report = await check(*PLAIN, "fragile-about-events", "sits-twice", "resigns")

    assert {
        "newer-arena": Verdict.FAILED,
        "rejoin": Verdict.FAILED,
        "reconnect": Verdict.FAILED,
        "voided": Verdict.FAILED,
    } == bad(report)
    why = {check: finding.why for check, finding in found(report).items()}
    assert "its process ended: exit code 5" in why["newer-arena"]
    assert "SUPERSEDED" in why["rejoin"]
    assert "its process ended: exit code 6" in why["voided"]
    assert any("an event that I do not know" in line for line in report.log)


async def test_weaknesses_that_show_once_are_told_apart(check: Check) -> None:
    """A bad choice in one whole match, other decisions in every new process, a bad end."""
    report = await check(*PLAIN, "stumbles", "forgets", "ends-badly")

    assert {
        "legal": Verdict.FAILED,
        "whole-matches": Verdict.FAILED,
        "process-restart": Verdict.FAILED,
        "goodbye": Verdict.WARNING,
    } == bad(report)
    why = {check: finding.why for check, finding in found(report).items()}
    assert why["whole-matches"].startswith("match whole-5 by xiangyang: decision 0: ILLEGAL_CHOICE: ")
    assert "the second, from the same bot_seed" in why["process-restart"]
    assert "its process ended badly: exit code 7" == why["goodbye"]


async def test_a_bot_that_goes_wrong_three_times_is_not_asked_to_play_more(check: Check) -> None:
    """What was wrong is told, and what was not tried."""
    report = await check(*PLAIN, "stumbles-on", capacity=1)

    assert "the check went no further: it went wrong in 3 matches" == report.stopped
    assert {"legal": Verdict.FAILED} == bad(report)
    assert "(and in 2 more matches)" in found(report)["legal"].why
    assert Verdict.NOT_RUN == found(report)["reproducible"].verdict


@pytest.mark.long
async def test_a_bot_that_starts_slowly_is_warned_of(check: Check) -> None:
    """A tournament's clock gives it 30 s for its first answer."""
    report = await check(*PLAIN, "dawdles")

    assert {"start": Verdict.WARNING} == bad(report)
    assert found(report)["start"].figures["seconds_to_first_answer"] > 30


@pytest.mark.parametrize(
    ("weakness", "failed", "why"),
    [
        ("stays-away", "reconnect", "decision 2: DISCONNECTED"),
        pytest.param("joins-once", "rejoin", "it was not back in the lobby in 2 s", marks=pytest.mark.long),
        pytest.param("fragile", "newer-arena", "its process ended: exit code 4", marks=pytest.mark.long),
        pytest.param("remembers", "voided", "it was assigned and not taken up in time", marks=pytest.mark.long),
        ("gives-up", "arena-restart", "it did not join again in 2 s"),
        ("too-new", "join", "FAILED_PRECONDITION: protocol_version is 2: expected 1"),
    ],
)
async def test_a_bot_that_does_not_come_back_fails_where_it_should_have(
    check: Check, weakness: str, failed: str, why: str
) -> None:
    """To its table, to the lobby, after what it did not know, to a match played again, to a new arena, or ever."""
    report = await check(*PLAIN, weakness, join_time=SECOND, return_time=2 * SECOND, wait=5 * SECOND)

    assert not report.admitted
    assert [failed] == [check for check, verdict in bad(report).items() if verdict is Verdict.FAILED]
    assert why in found(report)[failed].why


@pytest.mark.parametrize("weaknesses", [(), ("lingers",)], ids=str)
async def test_a_remote_bot_is_waited_for(tmp_path: Path, weaknesses: tuple[str, ...]) -> None:
    """It gets its address and token; what only a launched bot can show is not run; after the end it stays away."""
    told: list[str] = []
    waiting = asyncio.Event()

    def tell(what: str) -> None:
        told.append(what)
        waiting.set()

    settings = CheckSettings(presets=("xiangyang",), clock=QUICK, wait=60 * SECOND)
    checking = asyncio.ensure_future(check_bot(settings, tmp_path, tell))
    await waiting.wait()
    variables = dict(re.findall(r"(KAWUXING_\w+)=(\S+)", told[0]))
    env = {**os.environ, **variables, "KAWUXING_CAPACITY": "2"}
    bot = await asyncio.create_subprocess_exec(*PLAIN, *weaknesses, env=env)
    report = await checking
    if weaknesses:
        bot.kill()

    assert (-signal.SIGKILL if weaknesses else 0) == await bot.wait()
    assert ({"goodbye": Verdict.WARNING} if weaknesses else {}) == bad(report)
    assert ("it joined again, although the Goodbye said FINISHED" if weaknesses else "") == found(report)["goodbye"].why
    assert {"process-restart", "log", "memory"} == {
        each.id for each in report.findings if each.verdict is Verdict.NOT_RUN
    }
    assert 2 == found(report)["at-once"].figures["capacity"]


async def test_a_remote_bot_that_does_not_come_is_not_admitted(check: Check) -> None:
    """The report says how long it was waited for."""
    report = await check(wait=SECOND / 10)

    assert {"join": Verdict.FAILED} == bad(report)
    assert "no Join came through in 0.1 s" == found(report)["join"].why


async def test_a_bot_that_ends_before_it_joins_is_not_waited_for(tmp_path: Path) -> None:
    """After three starts the check is over; each end is told as it happens, with what the program said last."""
    told: list[str] = []
    settings = CheckSettings(
        presets=("xiangyang",), command=(sys.executable, "no_such_bot.py"), clock=QUICK, wait=300 * SECOND
    )
    report = await check_bot(settings, tmp_path, told.append)

    assert ["starting the bot", "waiting for the bot to join"] == told[:2]
    ends = [line for line in told if line.startswith("its process ended: exit code 2: ")]
    assert 3 == len(ends)
    assert "No such file or directory" in ends[0]
    assert ends[-1] in found(report)["join"].why
    assert report.seconds < 60


async def test_a_bot_that_ends_well_before_it_joins_is_not_waited_for_either(check: Check) -> None:
    """Exit code 0 instead of a Join is no better, and what the program said last may tell why."""
    report = await check(sys.executable, "-c", "print('nothing to do')", wait=300 * SECOND)

    assert {"join": Verdict.FAILED} == bad(report)
    why = r"no Join came through in [\d.]+ s; its process ended: exit code 0: nothing to do"
    assert re.fullmatch(why, found(report)["join"].why)
    assert report.seconds < 60


async def test_a_bot_that_floods_the_lobby_with_joins_that_are_refused_fails(check: Check) -> None:
    """Although it joins, too, and plays well: at the lobby it gets in everybody's way."""
    report = await check(*PLAIN, "hammers")

    assert {"join": Verdict.FAILED} == bad(report)
    finding = found(report)["join"]
    assert re.fullmatch(
        r"\d+ of its Joins were refused, more than 50 of them within 10 s, "
        r"the last: INVALID_ARGUMENT: capacity is 0: expected 1 to 64",
        finding.why,
    )
    assert any(
        finding.why.endswith(entry.get("note", "-").removeprefix("stream ended: ")) for entry in finding.exchange
    )


async def test_a_bot_that_fails_behind_the_kit_is_warned_of(check: Check) -> None:
    """The kit plays the default action whenever it raises, so that its matches go well and only its log tells."""
    report = await check(sys.executable, "-c", FAILING)

    assert report.admitted
    assert {"log": Verdict.WARNING} == bad(report)
    finding = found(report)["log"]
    assert re.search(r"^\d+ lines speak of an error, the first: .*the bot's choose failed.*no idea", finding.why)
    assert finding.figures["lines"] >= finding.figures["lines_about_errors"] > 1
    assert "Traceback (most recent call last):" == report.errors[1]


async def test_who_waits_for_many_matches_is_told_how_many_were_played(check: Check) -> None:
    """Not only at the end of a stage, which can take minutes."""
    told: list[str] = []
    await check("kawuxing-bot", "random", tell=told.append, progress_time=timedelta(0))

    stage = next(line for line in told if line.endswith("up to 4 at once"))
    assert "1 of 6 played" == told[told.index(stage) + 1]


@pytest.mark.parametrize(
    ("line", "alarming"),
    [
        ("Traceback (most recent call last):", True),
        ("ValueError: no idea", True),
        ("java.lang.NullPointerException", True),
        ("thread 'main' panicked at src/main.rs:1", True),
        ("[WARNING] out of book", True),
        ("an Error", True),
        ("0 errors in terrorist's mirror", False),
        ("joined as exceptional", False),
        ("[kawuxing 2026-01-01T00:00:00Z] process 0 ended: error", False),
    ],
)
def test_whole_words_of_its_own_lines_are_looked_for(tmp_path: Path, line: str, alarming: bool) -> None:
    """In any case; what the arena notes in the log of the bot is not the bot's."""
    (tmp_path / "candidate.log").write_text(f"ready\n{line}\n", "utf-8")
    findings = Findings(Exchange("lobby", lobby=True))

    judge_log(findings, printed_lines(tmp_path))

    finding = next(each for each in findings.listed("") if each.id == "log")
    assert (Verdict.WARNING if alarming else Verdict.PASSED) == finding.verdict
    assert (f"1 line speaks of an error, the first: {line}" if alarming else "") == finding.why


def test_the_common_clock_is_that_of_tournaments() -> None:
    """What the decision times are measured against is what tournament.toml gives when it tells no clock."""
    clock = ClockConfig()

    assert COMMON_CLOCK == ClockSettings(clock.bank, clock.increment, clock.move_max, clock.start)
