"""A match: dealer, resting entrants, faults and forfeits, the result (RULES §8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from kawuxing.engine.actions import PASS, WIN, Action, parse_action
from kawuxing.engine.errors import IllegalAnswerError
from kawuxing.engine.events import Event, HandEnded, HandStarted
from kawuxing.engine.faults import Fault
from kawuxing.engine.hand import Outcome
from kawuxing.engine.match import Answer, Match
from kawuxing.engine.observation import NOBODY
from kawuxing.engine.rules import RuleSet
from kawuxing.engine.seating import Seating, first_seating, next_seating
from kawuxing.engine.testing import LivelyPlay, arranged_wall
from kawuxing.engine.tiles import Kind

WAITING = "46p 123s 456s 789s 77z"
FEEDER = "5p 1379p 1357s 566z 8p"


def walls(*walls: tuple[Kind, ...]) -> Callable[[int], tuple[Kind, ...]]:
    return lambda hand: walls[min(hand, len(walls) - 1)]


def won_by(rules: RuleSet, winner: int, payer: int) -> tuple[Kind, ...]:
    """A wall on which ``payer``, when it deals, can discard a 5p that ``winner`` alone waits on."""
    hands = ["", "", ""]
    hands[winner], hands[payer] = WAITING, FEEDER
    return arranged_wall(rules, hands, draws="2p")


def default_answers(match: Match, chosen: Mapping[int, str] | None = None) -> dict[int, Answer]:
    texts = chosen or {}
    return {
        entrant: Answer(parse_action(texts[entrant]) if entrant in texts else match.default_of(entrant))
        for entrant in match.pending()
    }


def play_defaults(match: Match) -> list[Event]:
    events: list[Event] = []
    while not match.finished:
        events += match.apply(default_answers(match))
    return events


def started(events: list[Event]) -> list[HandStarted]:
    return [event for event in events if isinstance(event, HandStarted)]


@pytest.mark.parametrize(
    ("options", "outcome", "dealer"),
    [
        ({}, Outcome((2,), 1, NOBODY), 2),
        ({}, Outcome((2, 0), 1, NOBODY), 1),
        ({}, Outcome((), NOBODY, 2), 2),
        ({}, Outcome((), NOBODY, NOBODY), 0),
        ({"exhaust_dealer": "stays"}, Outcome((), NOBODY, 2), 0),
        ({"next_dealer": "rotate"}, Outcome((2,), 1, NOBODY), 1),
        ({"next_dealer": "rotate"}, Outcome((), NOBODY, 2), 1),
    ],
)
def test_next_dealer_by_option(xiangyang: RuleSet, options: dict[str, str], outcome: Outcome, dealer: int) -> None:
    """The only winner, the payer of several, by option the first revealed; or the deal goes round."""
    rules = xiangyang.replace(options)
    assert Seating((0, 1, 2), dealer) == next_seating(rules, first_seating(rules), outcome)


@pytest.mark.parametrize(
    ("options", "outcome", "expected"),
    [
        ({}, Outcome((1,), NOBODY, NOBODY), Seating((0, 3, 2), 1)),
        ({}, Outcome((1, 2), 0, NOBODY), Seating((0, 1, 2), 0)),
        ({}, Outcome((), NOBODY, 2), Seating((0, 1, 2), 2)),
        ({}, Outcome((), NOBODY, NOBODY), Seating((0, 1, 2), 0)),
        ({"exhaust_dealer": "stays"}, Outcome((), NOBODY, 2), Seating((0, 1, 2), 2)),
        ({"next_dealer": "rotate"}, Outcome((2,), NOBODY, NOBODY), Seating((0, 1, 3), 1)),
    ],
)
def test_who_wins_rests_next(sit_out: RuleSet, options: dict[str, str], outcome: Outcome, expected: Seating) -> None:
    """With sit_out the resting entrant takes the winner's seat as dealer; otherwise the same three go on."""
    rules = sit_out.replace(options)
    assert expected == next_seating(rules, first_seating(rules), outcome)


def test_winner_deals_the_next_hand_and_points_carry_over(xiangyang: RuleSet) -> None:
    """The match goes on into the next hand by itself, with the points so far."""
    match = Match(xiangyang, 2, walls(won_by(xiangyang, 2, 0)), 3)
    match.start()
    match.apply(default_answers(match, {0: "DISCARD 5p"}))
    assert {2: (WIN, PASS)} == match.pending()
    events = match.apply({2: Answer(WIN)})
    (next_hand,) = started(events)
    assert (1, 2, (-2, 0, 2)) == (next_hand.hand, next_hand.dealer, next_hand.points)
    assert not match.finished


def test_resting_entrant_takes_the_winners_seat(sit_out: RuleSet) -> None:
    """Entrants and seats come apart: entrant 3 sits in seat 2, entrant 2 rests and keeps its points."""
    match = Match(sit_out, 2, walls(won_by(sit_out, 2, 0)), 3)
    match.start()
    assert [0, 1, 2, NOBODY] == [match.seat_of(entrant) for entrant in range(4)]
    match.apply(default_answers(match, {0: "DISCARD 5p"}))
    (next_hand,) = started(match.apply({2: Answer(WIN)}))
    assert ((0, 1, 3), 2, (-2, 0, 2, 0)) == (next_hand.entrants, next_hand.dealer, next_hand.points)
    assert [0, 1, NOBODY, 2] == [match.seat_of(entrant) for entrant in range(4)]
    assert [3] == list(match.pending())
    play_defaults(match)
    result = match.result()
    assert [2, 2, 1, 1] == [entrant.hands_played for entrant in result.entrants]
    assert 0 == result.entrants[2].hand_points[1]
    assert 0 == sum(entrant.points for entrant in result.entrants)


def test_result_counts_wins_deal_ins_and_reveals(xiangyang: RuleSet) -> None:
    """Equal points share the better rank."""
    match = Match(xiangyang, 1, walls(won_by(xiangyang, 2, 0)), 3)
    match.start()
    match.apply(default_answers(match, {0: "DISCARD 5p"}))
    match.apply({2: Answer(WIN)})
    loser, bystander, winner = match.result().entrants
    assert match.finished
    assert {} == match.pending()
    assert (-2, 3, (-2,), 0, 1) == (loser.points, loser.rank, loser.hand_points, loser.wins, loser.deal_ins)
    assert (0, 2, 0, 0) == (bystander.points, bystander.rank, bystander.wins, bystander.deal_ins)
    assert (2, 1, 1, 0, 0) == (winner.points, winner.rank, winner.wins, winner.deal_ins, winner.reveals)
    assert ((), -1) == (winner.faults, winner.forfeited_in)


def test_result_waits_for_the_end(xiangyang: RuleSet) -> None:
    """There is none while a hand is in progress."""
    match = Match(xiangyang, 1, walls(won_by(xiangyang, 2, 0)), 3)
    match.start()
    with pytest.raises(ValueError, match="hand 0 of 1 is in progress"):
        match.result()


def test_reveals_are_counted(xiangyang: RuleSet) -> None:
    """Once a hand, for the seat that revealed."""
    wall = arranged_wall(xiangyang, [WAITING, "13579p"], draws="8p")
    match = Match(xiangyang, 1, walls(wall), 3)
    match.start()
    match.apply(default_answers(match, {0: "REVEAL 8p"}))
    play_defaults(match)
    assert [1, 0, 0] == [entrant.reveals for entrant in match.result().entrants]


def test_fault_plays_the_default_and_is_counted(xiangyang: RuleSet) -> None:
    """A fault with another action is refused, and changes nothing."""
    match = Match(xiangyang, 1, walls(won_by(xiangyang, 2, 0)), 3)
    match.start()
    with pytest.raises(IllegalAnswerError, match="entrant 0 has the fault TIMEOUT: expected its default DISCARD 2p"):
        match.apply({0: Answer(parse_action("DISCARD 5p"), Fault.TIMEOUT)})
    match.apply({0: Answer(match.default_of(0), Fault.TIMEOUT)})
    assert not match.forfeited(0)
    play_defaults(match)
    assert ((Fault.TIMEOUT,), -1) == (match.result().entrants[0].faults, match.result().entrants[0].forfeited_in)


def test_too_many_faults_forfeit(xiangyang: RuleSet) -> None:
    """From the limit on only the default action is taken, no fault is counted, and the entrant ranks last."""
    match = Match(xiangyang, 2, walls(won_by(xiangyang, 2, 0)), 2)
    match.start()
    while not match.forfeited(1):
        answers = default_answers(match)
        if 1 in answers:
            answers[1] = Answer(answers[1].action, Fault.DISCONNECTED)
        match.apply(answers)
    while 1 not in match.pending():
        match.apply(default_answers(match))
    other = next(action for action in match.pending()[1] if action != match.default_of(1))
    answers = default_answers(match)
    with pytest.raises(IllegalAnswerError, match="entrant 1 has forfeited: expected its default"):
        match.apply({**answers, 1: Answer(other)})
    with pytest.raises(IllegalAnswerError, match="entrant 1 has forfeited: expected no fault"):
        match.apply({**answers, 1: Answer(answers[1].action, Fault.TIMEOUT)})
    play_defaults(match)
    forfeited = match.result().entrants[1]
    assert ((Fault.DISCONNECTED,) * 2, 0, 3) == (forfeited.faults, forfeited.forfeited_in, forfeited.rank)


def test_forfeited_entrants_share_the_last_rank(xiangyang: RuleSet) -> None:
    """Whatever points they have: one is first, two share the second."""
    match = Match(xiangyang, 1, walls(won_by(xiangyang, 2, 0)), 1)
    match.start()
    while not (match.forfeited(0) and match.forfeited(2)):
        match.apply(
            {
                entrant: Answer(answer.action, Fault.TIMEOUT if entrant != 1 and not match.forfeited(entrant) else None)
                for entrant, answer in default_answers(match).items()
            }
        )
    play_defaults(match)
    assert [2, 1, 2] == [entrant.rank for entrant in match.result().entrants]


def test_answers_must_come_from_exactly_the_asked_entrants(xiangyang: RuleSet) -> None:
    """A missing, an unasked and an illegal answer are refused, changing nothing."""
    match = Match(xiangyang, 1, walls(won_by(xiangyang, 2, 0)), 3)
    match.start()
    before = dict(match.pending())
    wrong: list[dict[int, Action]] = [{}, {1: PASS}, {0: parse_action("DISCARD 5p"), 1: PASS}, {0: PASS}]
    for answers in wrong:
        with pytest.raises(IllegalAnswerError):
            match.apply({entrant: Answer(chosen) for entrant, chosen in answers.items()})
    assert before == match.pending()


@pytest.mark.parametrize(("hands", "max_faults"), [(0, 3), (1, 0)])
def test_match_needs_a_hand_and_a_fault_limit(xiangyang: RuleSet, hands: int, max_faults: int) -> None:
    """Neither can be zero."""
    with pytest.raises(ValueError, match="expected at least 1 of each"):
        Match(xiangyang, hands, walls(won_by(xiangyang, 2, 0)), max_faults)


def test_points_add_up_over_a_match(any_rules: RuleSet) -> None:
    """Every hand's points, and the match's, sum to zero; the events say the same as the result."""
    play = LivelyPlay(5)
    match = Match(any_rules, 20, lambda _: play.wall(any_rules), 3)
    events = match.start()
    while not match.finished:
        entrants = match.hand.table.entrants
        events += match.apply({entrants[seat]: Answer(chosen) for seat, chosen in play.answers(match.hand).items()})
    result = match.result().entrants
    assert len(result) == any_rules.entrants
    assert [0] * 20 == [sum(points) for points in zip(*(entrant.hand_points for entrant in result), strict=True)]
    last = events[-1]
    assert isinstance(last, HandEnded)
    assert last.match_points == tuple(entrant.points for entrant in result)
    assert list(range(20)) == [event.hand for event in started(events)]
