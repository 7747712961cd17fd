"""Whatever options are accepted together can be played: hands hold their invariants, and the record replays."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given, reject
from hypothesis import strategies as st
from tests.property.invariants import check_hands
from tests.property.rare_play import RarePlay

from kawuxing.engine.errors import RulesError
from kawuxing.engine.match import Answer
from kawuxing.engine.patterns import Pattern
from kawuxing.engine.record import RecordedEntrant, RecordedMatch, RecordHeader
from kawuxing.engine.replay import verify_replay
from kawuxing.engine.rules import (
    ConcealedFourShape,
    ConcealedKongAfterPung,
    ExhaustDealer,
    ExhaustPenalty,
    MissedWinLock,
    MultipleWinners,
    NextDealer,
    Reveal,
    RuleSet,
    Scoring,
    load_preset,
)

PAYS = st.integers(0, 3)
CAPS = st.sampled_from([0, 0, 2, 8, 64])
OPTIONS: dict[str, st.SearchStrategy[Any]] = {
    "suits": st.lists(st.sampled_from("mps"), min_size=1, max_size=3, unique=True),
    "dragons": st.booleans(),
    "seats": st.integers(3, 4),
    "sit_out": st.booleans(),
    "scoring": st.sampled_from([*Scoring]),
    "base": st.sampled_from([1, 5, 1000]),
    "min_discard_multiplier": st.sampled_from([1, 2, 4, 1024]),
    "multiple_winners": st.sampled_from([*MultipleWinners]),
    "seven_pairs": st.booleans(),
    "single_tile_adds_all_pungs": st.booleans(),
    "concealed_four_shape": st.sampled_from([*ConcealedFourShape]),
    "four_in_flush": st.booleans(),
    "last_discard": st.integers(1, 2),
    "discard_last_tile": st.booleans(),
    "reveal": st.sampled_from([*Reveal]),
    "revealed_flush_kong": st.booleans(),
    "discard_ban": st.booleans(),
    "revealed_payer_doubles": st.booleans(),
    "revealed_winner_takes_all_shares": st.booleans(),
    "missed_win_lock": st.sampled_from([*MissedWinLock]),
    "missed_win_bigger": st.booleans(),
    "concealed_kong_after_pung": st.sampled_from([*ConcealedKongAfterPung]),
    "concealed_kong_pays": PAYS,
    "added_kong_pays": PAYS,
    "direct_kong_pays": PAYS,
    "kong_chain": st.booleans(),
    "kong_chain_same_tile": st.booleans(),
    "kong_chain_cap": CAPS,
    "rob_kong": st.booleans(),
    "exhaust_penalty": st.sampled_from([*ExhaustPenalty]),
    "next_dealer": st.sampled_from([*NextDealer]),
    "exhaust_dealer": st.sampled_from([*ExhaustDealer]),
    "max_suits": st.integers(0, 3),
    "cap": CAPS,
    "cap_exempt": st.dictionaries(st.sampled_from([pattern.value for pattern in Pattern]), CAPS, max_size=2),
}


@given(options=st.fixed_dictionaries(OPTIONS), seed=st.integers(0, 1 << 32))
@example(options=load_preset("sit-out").to_options(), seed=1)
@example(options=load_preset("four-seat").to_options(), seed=1)
def test_what_is_accepted_can_be_played(options: dict[str, Any], seed: int) -> None:
    """Hands of any rule set keep every invariant to their end, and a match of them is read back from its record."""
    try:
        rules = RuleSet.from_options(options)
    except RulesError:
        reject()
    play = RarePlay(seed)
    check_hands(rules, play, 2)
    header = RecordHeader(
        tournament="any",
        match_id="any-0",
        hands=2,
        max_faults=3,
        entrants=tuple(RecordedEntrant(f"bot-{entrant}", "1") for entrant in range(rules.entrants)),
        rules=rules,
        commitment="0" * 64,
    )
    recorded = RecordedMatch(header, lambda _: play.wall(rules))
    recorded.start()
    while pending := recorded.pending():
        recorded.apply({entrant: Answer(legal[seed % len(legal)]) for entrant, legal in pending.items()})
    record = recorded.finish()

    assert record.result == verify_replay(record.data).result
    assert 0 == sum(entrant.points for entrant in record.result.entrants)


def test_every_option_varies() -> None:
    """The property above is about all of the options."""
    assert sorted(load_preset().to_options()) == sorted(OPTIONS)
