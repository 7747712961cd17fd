"""The rule sets that tests play: the default, and others that turn on what it leaves off. In CI, no test is skipped."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator
from typing import Final, TypeVar

import pytest
from hypothesis import HealthCheck, settings

from kawuxing.engine.rules import RuleSet, load_preset

# How fast a busy machine is says nothing about the behaviour under test.
settings.register_profile("kawuxing", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("kawuxing")

# A shell starts what runs in its background with Ctrl-C ignored; the processes under test must not inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)


def _fail_if_skipped(report: Report) -> Report:
    # A test that silently stops running is worth nothing.
    if os.environ.get("CI") == "true" and report.outcome == "skipped":
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid} was skipped, which CI does not allow: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let a skipped test fail in CI."""
    return _fail_if_skipped((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let a skipped module fail in CI."""
    return _fail_if_skipped((yield))


OF_HUBEI: Final = load_preset("hubei")
RULE_SETS: Final[dict[str, RuleSet]] = {
    "xiangyang": load_preset(),
    "hubei": OF_HUBEI,
    "three-suits": load_preset("three-suit"),
    "sit-out": load_preset("sit-out"),
    # What no preset has: the nearest winner only, and a penalty beside hands of which a part is shown.
    "four-seats": load_preset("four-seat").replace(
        {"base": 1, "multiple_winners": "nearest", "min_discard_multiplier": 1, "exhaust_penalty": "first_revealed"}
    ),
    "no-last-discard": load_preset().replace({"discard_last_tile": False, "missed_win_bigger": True}),
    # 48 tiles: short hands, many of one suit.
    "one-suit": OF_HUBEI.replace({"suits": ["s"], "discard_ban": False}),
}


@pytest.fixture(scope="session")
def xiangyang() -> RuleSet:
    """The default rule set."""
    return RULE_SETS["xiangyang"]


@pytest.fixture(scope="session")
def hubei() -> RuleSet:
    """S0's rules: most options differ from the default."""
    return RULE_SETS["hubei"]


@pytest.fixture(scope="session")
def three_suits() -> RuleSet:
    """S3's rules: 108 tiles, no reveal, no kong payments."""
    return RULE_SETS["three-suits"]


@pytest.fixture(scope="session")
def sit_out() -> RuleSet:
    """Four entrants, of whom one rests."""
    return RULE_SETS["sit-out"]


@pytest.fixture(scope="session")
def one_suit() -> RuleSet:
    """S0's rules with one numbered suit: flushes and the end of the wall are common."""
    return RULE_SETS["one-suit"]


@pytest.fixture(scope="session", params=sorted(RULE_SETS))
def any_rules(request: pytest.FixtureRequest) -> RuleSet:
    """Each of the rule sets in turn."""
    return RULE_SETS[request.param]
