"""Matches in which a hash decides: the same on every machine, whatever becomes of the bots."""

from __future__ import annotations

import hashlib

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


def eventful_record() -> Record:
    """Return a record by the default rules with reveals, claims, kongs, wins, penalties, faults and a forfeit."""
    return play_match(load_preset(), 4, "golden31", 25)
