"""Matches played to their end for the tests of records."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import pytest

from kawuxing.engine import wall
from kawuxing.engine.faults import Fault
from kawuxing.engine.match import Answer
from kawuxing.engine.record import Record, RecordedEntrant, RecordedMatch, RecordHeader
from kawuxing.engine.rules import RuleSet, load_preset

MASTER_SEED = wall.practice_seed("records")
DEAL_SEED = wall.fresh_deal_seed(wall.tournament_key(MASTER_SEED, ""), 0)


def make_header(rules: RuleSet, hands: int, max_faults: int = 3) -> RecordHeader:
    return RecordHeader(
        tournament="spring-cup",
        match_id=wall.match_id(wall.tournament_key(MASTER_SEED, ""), 0),
        hands=hands,
        max_faults=max_faults,
        entrants=tuple(RecordedEntrant(f"bot-{number}", "1.0") for number in range(rules.entrants)),
        rules=rules,
        commitment=wall.commitment(MASTER_SEED),
    )


def play_match(rules: RuleSet, hands: int, salt: str, fault_every: int) -> Record:
    """Play a match in which a hash decides, the same anywhere; about every n-th decision is a fault, 0 = none."""
    recorded = RecordedMatch(make_header(rules, hands), lambda hand: wall.shuffled_wall(rules, DEAL_SEED, hand))
    recorded.start()
    asked = 0
    while pending := recorded.pending():
        answers = {}
        for entrant, legal in pending.items():
            asked += 1
            number = int.from_bytes(hashlib.sha256(f"{salt}:{asked}".encode()).digest()[:8], "big")
            default = recorded.match.default_of(entrant)
            if recorded.match.forfeited(entrant):
                answers[entrant] = Answer(default)
            elif fault_every and number % fault_every == 0:
                answers[entrant] = Answer(default, list(Fault)[number // fault_every % len(Fault)])
            else:
                answers[entrant] = Answer(legal[number % len(legal)])
        recorded.apply(answers)
    return recorded.finish()


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
