"""How a hand runs: dealing, turns, claims and their precedence, the last tile (RULES §1, §2)."""

from __future__ import annotations

import pytest
from tests.engine.hands import texts

from kawuxing.engine.actions import DISCARD, PASS, WIN, parse_action
from kawuxing.engine.errors import IllegalAnswerError
from kawuxing.engine.events import (
    HandEnded,
    HandExhausted,
    HandStarted,
    HandWon,
    KongMade,
    MeldType,
    PungMade,
    TileDiscarded,
    TileDrawn,
)
from kawuxing.engine.hand import Hand
from kawuxing.engine.rules import RuleSet
from kawuxing.engine.testing import answer, arranged_wall, play_defaults
from kawuxing.engine.tiles import parse_kind, parse_kinds

# Two seats that wait on 5p, and a dealer who holds one.
WAITING = "46p 123s 456s 789s 77z"
WAITING_TOO = "46p 123s 456s 789s 66z"
DEALER = "5p 1379p 13579s 567z"


def test_deal_is_by_seat_and_the_dealer_draws_first(xiangyang: RuleSet) -> None:
    """Seat i gets wall[13i ... 13i+12] whoever deals, and the dealer draws wall[13n]."""
    wall = arranged_wall(xiangyang, [DEALER, WAITING, WAITING_TOO], draws="9p")
    hand = Hand(xiangyang, wall, 2)
    started, drawn = hand.start()
    assert isinstance(started, HandStarted)
    assert tuple(tuple(sorted(wall[13 * seat : 13 * seat + 13])) for seat in range(3)) == started.concealed
    assert (84 - 39, 2, (0, 1, 2), (0, 0, 0)) == (
        started.remaining,
        started.dealer,
        started.entrants,
        started.points,
    )
    assert TileDrawn(2, parse_kind("9p"), replacement=False, remaining=44) == drawn
    assert [2] == list(hand.pending())
    assert parse_kind("9p") == hand.drawn(2)
    assert hand.drawn(0) == -1


def test_wall_must_be_the_tiles_of_the_rule_set(xiangyang: RuleSet) -> None:
    """A wall with another tile, or too few, is refused."""
    wall = arranged_wall(xiangyang, [])
    with pytest.raises(ValueError, match="expected the 84 tiles"):
        Hand(xiangyang, wall[:-1], 0)
    with pytest.raises(ValueError, match="expected the 84 tiles"):
        Hand(xiangyang, (0, *wall[1:]), 0)
    with pytest.raises(ValueError, match="dealer 3"):
        Hand(xiangyang, wall, 3)


def test_illegal_answers_change_nothing(xiangyang: RuleSet) -> None:
    """A missing seat, one that was not asked, and an action that is not legal are refused, and the hand goes on."""
    hand = Hand(xiangyang, arranged_wall(xiangyang, [DEALER], draws="9p"), 0)
    hand.start()
    before = hand.pending()
    with pytest.raises(IllegalAnswerError, match=r"from seats \[\]: expected them from \[0\]"):
        hand.apply({})
    with pytest.raises(IllegalAnswerError, match=r"from seats \[0, 1\]"):
        hand.apply({0: parse_action("DISCARD 9p"), 1: PASS})
    with pytest.raises(IllegalAnswerError, match="seat 0 answers DISCARD 1m: expected one of DISCARD 1p"):
        hand.apply({0: DISCARD[0]})
    assert before == hand.pending()
    assert TileDiscarded(0, parse_kind("9p")) == hand.apply({0: parse_action("DISCARD 9p")})[0]


def test_no_answers_are_taken_before_the_deal_and_after_the_end(xiangyang: RuleSet) -> None:
    """When nobody is asked, no answer is right, not even an empty one."""
    hand = Hand(xiangyang, arranged_wall(xiangyang, [DEALER]), 0)
    with pytest.raises(IllegalAnswerError, match="nobody is asked"):
        hand.apply({})
    hand.start()
    play_defaults(hand)
    with pytest.raises(IllegalAnswerError, match="nobody is asked"):
        hand.apply({})
    with pytest.raises(ValueError, match="already"):
        hand.start()


def test_legal_actions_come_in_canonical_order(xiangyang: RuleSet) -> None:
    """Kongs before discards before reveals, each by kind."""
    hand = Hand(xiangyang, arranged_wall(xiangyang, ["111p 224455778p 9s"], draws="1p"), 0)
    hand.start()
    discards = ["DISCARD 1p", "DISCARD 2p", "DISCARD 4p", "DISCARD 5p", "DISCARD 7p", "DISCARD 8p", "DISCARD 9s"]
    assert ["CONCEALED_KONG 1p", *discards, "REVEAL 8p", "REVEAL 9s"] == texts(hand, 0)


def test_seat_that_can_only_pass_is_not_asked(xiangyang: RuleSet) -> None:
    """A discard that nobody can claim passes at once to the next seat's draw."""
    hand = Hand(xiangyang, arranged_wall(xiangyang, [DEALER, WAITING, WAITING_TOO], draws="9p 2p"), 0)
    hand.start()
    assert [TileDiscarded(0, parse_kind("9p")), TileDrawn(1, parse_kind("2p"), replacement=False, remaining=43)] == (
        answer(hand, "0 DISCARD 9p")
    )
    assert [1] == list(hand.pending())


def test_all_claimers_are_asked_at_once_and_all_win(xiangyang: RuleSet) -> None:
    """Two seats that wait on the discard are asked together; with multiple_winners all, both win, in turn order."""
    hand = Hand(xiangyang, arranged_wall(xiangyang, [WAITING, WAITING_TOO, DEALER], draws="9p"), 2)
    hand.start()
    answer(hand, "2 DISCARD 5p")
    assert {0: (WIN, PASS), 1: (WIN, PASS)} == hand.pending()
    events = answer(hand, "1 WIN", "0 WIN")
    assert [0, 1] == [event.seat for event in events if isinstance(event, HandWon)]
    ended = events[-1]
    assert isinstance(ended, HandEnded)
    assert (2, 2, -4) == ended.points
    assert tuple(sorted(parse_kinds(WAITING + "5p"))) == ended.concealed[0]
    assert hand.outcome is not None
    assert ((0, 1), 2) == (hand.outcome.winners, hand.outcome.payer)


def test_only_the_nearest_wins_where_the_rules_say_so(xiangyang: RuleSet) -> None:
    """With multiple_winners nearest, the first in turn order from the discarder wins alone."""
    rules = xiangyang.replace({"multiple_winners": "nearest"})
    hand = Hand(rules, arranged_wall(rules, [WAITING, DEALER, WAITING_TOO], draws="9p"), 1)
    hand.start()
    answer(hand, "1 DISCARD 5p")
    events = answer(hand, "0 WIN", "2 WIN")
    assert [2] == [event.seat for event in events if isinstance(event, HandWon)]


def test_round_waits_for_every_answer_even_after_a_win(xiangyang: RuleSet) -> None:
    """One winner's answer is not enough: the other asked seat must answer too."""
    hand = Hand(xiangyang, arranged_wall(xiangyang, [DEALER, WAITING, WAITING_TOO], draws="9p"), 0)
    hand.start()
    answer(hand, "0 DISCARD 5p")
    with pytest.raises(IllegalAnswerError):
        hand.apply({1: WIN})


def test_win_takes_precedence_over_a_kong(xiangyang: RuleSet) -> None:
    """A seat that wins the discard keeps another from konging it."""
    wall = arranged_wall(xiangyang, [DEALER, "555p 1479s 567z 18p 2s", WAITING], draws="9p")
    hand = Hand(xiangyang, wall, 0)
    hand.start()
    answer(hand, "0 DISCARD 5p")
    assert ["DIRECT_KONG 5p", "PUNG 5p", "PASS"] == texts(hand, 1)
    events = answer(hand, "1 DIRECT_KONG 5p", "2 WIN")
    assert isinstance(events[0], HandWon)
    assert not any(isinstance(event, KongMade) for event in events)


def test_pung_takes_the_turn_without_a_draw(xiangyang: RuleSet) -> None:
    """After a pung the seat discards, the kind just punged too; the discard has left the table."""
    hand = Hand(xiangyang, arranged_wall(xiangyang, [DEALER, "1p", "555p 1479s 567z 18p 2s"], draws="9p"), 0)
    hand.start()
    answer(hand, "0 DISCARD 5p")
    assert [PungMade(2, 0, parse_kind("5p"))] == answer(hand, "2 PUNG 5p")
    assert [2] == list(hand.pending())
    assert hand.drawn(2) == -1
    assert "DISCARD 5p" in texts(hand, 2)
    assert [] == hand.table.seats[0].discards
    assert MeldType.PUNG is hand.table.seats[2].melds[0].type


def test_no_win_and_no_kong_right_after_a_pung(xiangyang: RuleSet) -> None:
    """A pung that leaves a complete hand does not win, and by default four of a kind cannot be konged then."""
    hand = Hand(xiangyang, arranged_wall(xiangyang, ["5p 1379p 13578s 567z", "55p 1p 6666s 123s 777z"], draws="9p"), 0)
    hand.start()
    answer(hand, "0 DISCARD 5p")
    answer(hand, "1 PUNG 5p")
    assert {"DISCARD", "REVEAL"} == {text.split()[0] for text in texts(hand, 1)}


def test_last_tile_is_won_or_discarded_and_the_last_discard_only_won(xiangyang: RuleSet) -> None:
    """With no tile left there is no kong, reveal or pung; when nobody wins the last discard, the hand is exhausted."""
    # 45 draws after the deal: the dealer, seat 0, draws the first and the last but two; seat 2 draws the last.
    wall = arranged_wall(xiangyang, ["5577p", "5577s", "999s 123s 456s 777z 1p"], last="9s")
    hand = Hand(xiangyang, wall, 0)
    hand.start()
    events = []
    while hand.table.remaining:
        events += answer(hand)
    assert TileDrawn(2, parse_kind("9s"), replacement=False, remaining=0) in events
    assert {"DISCARD"} == {text.split()[0] for text in texts(hand, 2)}
    assert hand.table.seats[2].concealed.counts[parse_kind("9s")] == 4
    end = answer(hand, "2 DISCARD 1s")
    assert [TileDiscarded, HandExhausted, HandEnded] == [type(event) for event in end]


@pytest.mark.parametrize(("factor", "patterns"), [(1, ("middle_five",)), (2, ("last_discard", "middle_five"))])
def test_last_discard_can_be_won(xiangyang: RuleSet, factor: int, patterns: tuple[str, ...]) -> None:
    """A seat that waits on the last discard is asked; last_discard is listed only where it counts ×2."""
    rules = xiangyang.replace({"last_discard": factor})
    wall = arranged_wall(rules, [WAITING, "1379p 1379s 567z 28p", ""], last="5p")
    hand = Hand(rules, wall, 0)
    hand.start()
    while hand.table.remaining:
        answer(hand)
    answer(hand, "2 DISCARD 5p")
    won = answer(hand, "0 WIN")[0]
    assert isinstance(won, HandWon)
    assert (2 * factor, patterns) == (won.total, won.patterns)


def test_last_draw_counts_double(xiangyang: RuleSet) -> None:
    """A self-draw with no tile left has last_draw."""
    wall = arranged_wall(xiangyang, ["", "1379p 1379s 567z 28p", WAITING], last="5p")
    hand = Hand(xiangyang, wall, 0)
    hand.start()
    while hand.table.remaining:
        answer(hand)
    won = answer(hand, "2 WIN")[0]
    assert isinstance(won, HandWon)
    assert (4, ("last_draw", "middle_five"), 2) == (won.total, won.patterns, won.source)


@pytest.mark.parametrize(("last", "expected"), [("5p", HandWon), ("9p", HandExhausted)])
def test_without_a_last_discard_the_last_tile_wins_or_exhausts_at_once(
    xiangyang: RuleSet, last: str, expected: type
) -> None:
    """With discard_last_tile off nobody is asked about the last tile."""
    rules = xiangyang.replace({"discard_last_tile": False})
    wall = arranged_wall(rules, ["", "1379p 1379s 567z 28p", WAITING], last=last)
    hand = Hand(rules, wall, 0)
    hand.start()
    events = play_defaults(hand)
    final_draw = next(
        index for index, event in enumerate(events) if isinstance(event, TileDrawn) and event.remaining == 0
    )
    assert expected is type(events[final_draw + 1])


def test_minimum_for_a_discard_does_not_bind_a_self_draw(xiangyang: RuleSet) -> None:
    """With a minimum of 2 a plain wait cannot win a discard, but draws its win."""
    rules = xiangyang.replace({"min_discard_multiplier": 2})
    plain = "23p 123s 456s 789s 77z"
    wall = arranged_wall(rules, ["14p 1379p 1357s 567z", plain, ""], draws="8p 1p")
    hand = Hand(rules, wall, 0)
    hand.start()
    answer(hand, "0 DISCARD 4p")
    assert [1] == list(hand.pending())
    assert WIN is hand.pending()[1][0]
    assert PASS not in hand.pending()[1]


def test_payer_factor_counts_towards_the_minimum(hubei: RuleSet) -> None:
    """A revealed payer's ×2 lifts a plain win to the minimum of 2; the shares of the default rules would not."""
    plain = "23p 123s 456s 789s 77z"
    wall = arranged_wall(hubei, ["46p 123p 456p 789p 66z", plain, ""], draws="8s 9s 9s 4p")
    hand = Hand(hubei, wall, 0)
    hand.start()
    answer(hand, "0 REVEAL 8s")
    answer(hand, "1 DISCARD 9s")
    events = answer(hand, "2 DISCARD 9s")
    assert TileDiscarded(0, parse_kind("4p")) == events[-1]
    assert {1: (WIN, PASS)} == hand.pending()
