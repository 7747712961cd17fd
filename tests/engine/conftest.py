"""Matches played to their end for the tests of records."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.engine.hashed_play import DEAL_SEED, make_header, play_match

from kawuxing.engine.record import Record, RecordHeader
from kawuxing.engine.rules import RuleSet, load_preset

Play = Callable[..., Record]


@pytest.fixture(scope="session")
def header() -> Callable[..., RecordHeader]:
    """Make a header for a rule set and number of hands."""
    return make_header


@pytest.fixture(scope="session")
def deal_seed() -> bytes:
    """The deal seed of every match played here."""
    return DEAL_SEED


@pytest.fixture(scope="session")
def play() -> Play:
    """Play a match of some hands to its end."""

    def play(hands: int = 1, *, rules: RuleSet | None = None, salt: str = "play", fault_every: int = 0) -> Record:
        return play_match(rules or load_preset(), hands, salt, fault_every)

    return play
