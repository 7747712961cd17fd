"""Invariants of every hand, over thousands of hands of lively play under rule sets that differ in every option."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kawuxing.engine.actions import Action, ActionType, parse_action
from kawuxing.engine.events import (
    Event,
    HandEnded,
    HandExhausted,
    HandRevealed,
    HandWon,
    KongMade,
    KongRobbed,
    PaymentReason,
    PointsPaid,
    TileDiscarded,
    TileDrawn,
    WaitsChanged,
)
from kawuxing.engine.hand import Hand
from kawuxing.engine.rules import RuleSet
from kawuxing.engine.testing import LivelyPlay

HANDS = 120


def played(rules: RuleSet, seed: int, hands: int = HANDS) -> Iterator[tuple[Hand, list[Event]]]:
    """Play hands, and yield after every step the hand with the events of the step."""
    play = LivelyPlay(seed)
    for number in range(hands):
        hand = Hand(rules, play.wall(rules), number % rules.seats)
        yield hand, hand.start()
        while hand.pending():
            yield hand, hand.apply(play.answers(hand))


def tiles_of(hand: Hand) -> Counter[int]:
    table = hand.table
    tiles = Counter(table.wall[table.front : table.back])
    for seat in table.seats:
        tiles.update(seat.kinds())
        tiles.update(seat.discards)
        tiles.update(dict(enumerate(seat.melded)))
    return +tiles


def test_tiles_are_conserved_at_every_step(any_rules: RuleSet) -> None:
    """Wall, hands, melds and discards always hold all tiles; a robbed tile goes to who robs it."""
    everything = Counter(any_rules.tile_list)
    for hand, events in played(any_rules, seed=1):
        robbed = Counter(event.tile for event in events if isinstance(event, KongRobbed))
        assert everything == tiles_of(hand) + robbed


def test_seats_hold_the_right_number_of_tiles(any_rules: RuleSet) -> None:
    """13 for who is not in turn, less 3 for each meld, and one more between draw (or pung) and discard."""
    for hand, _ in played(any_rules, seed=2):
        for seat in hand.table.seats:
            held = sum(seat.concealed.counts) + 3 * len(seat.melds)
            assert held in (13, 14)
            assert sum(seat.concealed.counts) == sum(seat.concealed.sizes)
            assert not seat.revealed or held == 13 + (seat.drawn >= 0)


def test_known_waits_are_the_waits(any_rules: RuleSet) -> None:
    """What the hand remembers of a seat's waits is what the concealed tiles wait on; a revealed seat's are public."""
    for hand, _ in played(any_rules, seed=3, hands=60):
        for seat in hand.table.seats:
            if seat.drawn >= 0 or sum(seat.concealed.counts) % 3 != 1:
                continue
            assert seat.concealed.waits(any_rules, seat.melded) == seat.waits(any_rules)
            if seat.revealed and not hand.table.robbing:
                mask = sum(1 << kind for kind in seat.public_waits)
                assert mask == seat.waits(any_rules) > 0


def test_legal_actions_are_choices_in_canonical_order(any_rules: RuleSet) -> None:
    """Each asked seat has two at least, all different, sorted; seats ascend; nobody is asked once the hand is over."""
    for hand, events in played(any_rules, seed=4):
        pending = hand.pending()
        assert bool(pending) != isinstance(events[-1], HandEnded)
        assert sorted(pending) == list(pending)
        for legal in pending.values():
            keys = [action.sort_key for action in legal]
            assert sorted(set(keys)) == keys
            assert len(keys) >= 2
            assert all(parse_action(str(action)) is action for action in legal)


def test_every_hand_sums_to_zero(any_rules: RuleSet) -> None:
    """So does every payment, and the hand's points are the sum of its payments."""
    paid = [0] * any_rules.seats
    for _, events in played(any_rules, seed=5):
        for event in events:
            if isinstance(event, PointsPaid):
                assert sum(event.points) == 0
                assert any(event.points)
                paid = [before + change for before, change in zip(paid, event.points, strict=True)]
            if isinstance(event, HandEnded):
                assert sum(event.points) == 0
                assert tuple(paid) == event.points == event.match_points[: any_rules.seats]
                paid = [0] * any_rules.seats


def test_same_decisions_give_the_same_events_whatever_their_order(any_rules: RuleSet) -> None:
    """A hand replays from its wall and decisions; in a round of claims it does not matter whose answer comes first."""
    play = LivelyPlay(6)
    for number in range(HANDS):
        wall = play.wall(any_rules)
        dealer = number % any_rules.seats
        hand, twin = Hand(any_rules, wall, dealer), Hand(any_rules, wall, dealer)
        assert hand.start() == twin.start()
        while hand.pending():
            answers = play.answers(hand)
            reordered: dict[int, Action] = {seat: answers[seat] for seat in reversed(list(answers))}
            assert hand.apply(answers) == twin.apply(reordered)
            assert hand.pending() == twin.pending()
        assert hand.outcome == twin.outcome


def rarities(rules: RuleSet, hands: int) -> Counter[str]:
    """Count what seldom happens in hands of lively play."""
    seen: Counter[str] = Counter()
    wins = 0
    drawn: dict[int, TileDrawn] = {}
    for hand, events in played(rules, seed=7, hands=hands):
        for event in events:
            seen[type(event).__name__] += 1
            if isinstance(event, TileDrawn):
                drawn[event.seat] = event
            elif isinstance(event, HandWon):
                wins += 1
                seen.update(event.patterns)
                seen["last tile won"] += hand.table.remaining == 0
            elif isinstance(event, HandRevealed):
                seen["face down"] += bool(event.face_down)
            elif isinstance(event, KongMade):
                seen[event.meld] += 1
                seen["revealed kong"] += hand.table.seats[event.seat].revealed
            elif isinstance(event, PointsPaid):
                seen["link"] += is_link(rules, event)
                seen["penalty"] += event.reason is PaymentReason.EXHAUST_PENALTY
            elif isinstance(event, HandEnded):
                seen["double win"] += wins > 1
                wins = 0
            elif isinstance(event, TileDiscarded):
                seen["last discard"] += hand.table.remaining == 0 and not isinstance(events[-1], HandEnded)
        for seat, legal in hand.pending().items():
            state = hand.table.seats[seat]
            seen["offered while locked"] += state.locked and legal[0].type is ActionType.WIN and state.drawn < 0
        seen["locked"] += any(seat.locked for seat in hand.table.seats)
    return seen


def is_link(rules: RuleSet, event: PointsPaid) -> bool:
    single = {
        PaymentReason.CONCEALED_KONG: rules.concealed_kong_pays * (rules.seats - 1),
        PaymentReason.ADDED_KONG: rules.added_kong_pays * (rules.seats - 1),
        PaymentReason.DIRECT_KONG: rules.direct_kong_pays,
    }
    return event.reason in single and max(event.points) > single[event.reason] * rules.base


def test_lively_play_reaches_what_is_rare(xiangyang: RuleSet, hubei: RuleSet, one_suit: RuleSet) -> None:
    """The properties above are worth something: whatever the rules know does happen in such play."""
    seen = rarities(xiangyang, 1200) + rarities(hubei, 200) + rarities(one_suit, 500)
    expected = [
        *(kind.__name__ for kind in (HandExhausted, HandRevealed, KongRobbed, WaitsChanged)),
        *("face down", "revealed kong", "link", "penalty", "double win", "locked", "offered while locked"),
        *("concealed_kong", "added_kong", "direct_kong", "last tile won", "last discard"),
        *("kong_draw", "kong_discard", "rob_kong", "last_draw", "middle_five", "seven_pairs", "full_flush"),
        *("all_pungs", "exposed_four", "concealed_four", "reveal", "dragon_seven_pairs"),
    ]
    assert [] == [name for name in expected if not seen[name]]
