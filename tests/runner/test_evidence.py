"""What a match leaves beside its record."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from kawuxing.engine.actions import DISCARD, PASS
from kawuxing.engine.faults import Fault
from kawuxing.runner.evidence import EvidenceLog
from kawuxing.runner.spec import MAX_SLOWEST, FaultEvidence
from kawuxing.runner.testing import match_spec


@given(st.lists(st.lists(st.integers(min_value=0, max_value=10**9), max_size=40), max_size=4))
def test_the_slowest_decisions_are_kept_of_each_entrant(hands: list[list[int]]) -> None:
    """The MAX_SLOWEST slowest of all its hands, the slowest first, each with its hand and decision; nobody else's."""
    log = EvidenceLog(match_spec())
    decisions = [(time, hand) for hand, times in enumerate(hands) for time in times]
    for decision_id, (time, hand) in enumerate(decisions):
        log.hand = hand
        log.time(1, decision_id, time)
    nobody, slowest, _ = log.evidence(0).slowest

    assert sorted((time for time, _ in decisions), reverse=True)[:MAX_SLOWEST] == [
        kept.time // timedelta(microseconds=1) for kept in slowest
    ]
    assert [(kept.time // timedelta(microseconds=1), kept.hand) for kept in slowest] == [
        decisions[kept.decision_id] for kept in slowest
    ]
    assert (len(slowest), ()) == (len({kept.decision_id for kept in slowest}), nobody)


def test_a_fault_is_kept_with_what_was_asked() -> None:
    """Whose it is, in which hand and decision, the legal actions, and what was wrong."""
    log = EvidenceLog(match_spec())
    log.hand = 3
    log.fault(2, 14, Fault.ILLEGAL_CHOICE, (PASS, DISCARD[4]), "choice is 7: expected 0 to 1")

    assert (
        FaultEvidence(2, 3, 14, Fault.ILLEGAL_CHOICE, (PASS, DISCARD[4]), "choice is 7: expected 0 to 1"),
    ) == log.evidence(0).faults
