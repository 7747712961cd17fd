"""The rule sets that tests play: the default, and others that turn on what it leaves off. In CI, no test is skipped."""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import Any, Final, TypeVar

import pytest
from hypothesis import HealthCheck, settings

from kawuxing.engine.rules import RuleSet, load_preset

# How fast a busy machine is says nothing about the behaviour under test.
settings.register_profile("kawuxing", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("kawuxing")

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


HUBEI: Final[dict[str, Any]] = {
    "base": 5,
    "min_discard_multiplier": 2,
    "single_tile_adds_all_pungs": False,
    "concealed_four_shape": "pung_and_sequence",
    "last_discard": 2,
    "reveal": "wait",
    "revealed_flush_kong": True,
    "discard_ban": True,
    "revealed_payer_doubles": True,
    "revealed_winner_takes_all_shares": False,
    "missed_win_lock": "until_discard",
    "missed_win_bigger": True,
    "concealed_kong_after_pung": "before_first_discard",
    "kong_chain_same_tile": True,
    "exhaust_penalty": "none",
    "exhaust_dealer": "stays",
}
FOUR_SEATS: Final[dict[str, Any]] = HUBEI | {
    "suits": ["m", "p", "s"],
    "seats": 4,
    "base": 1,
    "multiple_winners": "nearest",
    "min_discard_multiplier": 1,
    "exhaust_penalty": "first_revealed",
}
THREE_SUITS: Final[dict[str, Any]] = {
    "suits": ["m", "p", "s"],
    "dragons": False,
    "scoring": "best_pattern",
    "seven_pairs": False,
    "reveal": "off",
    "missed_win_lock": "none",
    "concealed_kong_pays": 0,
    "added_kong_pays": 0,
    "direct_kong_pays": 0,
    "kong_chain": False,
    "rob_kong": False,
    "exhaust_penalty": "none",
    "next_dealer": "rotate",
    "exhaust_dealer": "stays",
    "max_suits": 2,
}
SIT_OUT: Final[dict[str, Any]] = {
    "sit_out": True,
    "cap": 8,
    "kong_chain_cap": 2,
    "kong_chain_same_tile": True,
    "four_in_flush": True,
}
ONE_SUIT: Final[dict[str, Any]] = HUBEI | {"suits": ["s"], "discard_ban": False}
"""48 tiles: short hands, many of one suit."""
NO_LAST_DISCARD: Final[dict[str, Any]] = {"discard_last_tile": False, "missed_win_bigger": True}
OVERRIDES: Final[dict[str, dict[str, Any]]] = {
    "xiangyang": {},
    "hubei": HUBEI,
    "four-seats": FOUR_SEATS,
    "three-suits": THREE_SUITS,
    "sit-out": SIT_OUT,
    "no-last-discard": NO_LAST_DISCARD,
    "one-suit": ONE_SUIT,
}


@pytest.fixture(scope="session")
def xiangyang() -> RuleSet:
    """The default rule set."""
    return load_preset()


@pytest.fixture(scope="session")
def hubei() -> RuleSet:
    """S0's rules: most options differ from the default."""
    return load_preset().replace(HUBEI)


@pytest.fixture(scope="session")
def three_suits() -> RuleSet:
    """S3's rules: 108 tiles, no reveal, no kong payments."""
    return load_preset().replace(THREE_SUITS)


@pytest.fixture(scope="session")
def sit_out() -> RuleSet:
    """Four entrants, of whom one rests."""
    return load_preset().replace(SIT_OUT)


@pytest.fixture(scope="session")
def one_suit() -> RuleSet:
    """S0's rules with one numbered suit: flushes and the end of the wall are common."""
    return load_preset().replace(ONE_SUIT)


@pytest.fixture(scope="session", params=sorted(OVERRIDES))
def any_rules(request: pytest.FixtureRequest) -> RuleSet:
    """Each of the rule sets in turn."""
    return load_preset().replace(OVERRIDES[request.param])
