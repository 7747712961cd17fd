"""What holds in every hand under any rules, and what seldom happens in one: for tests that play many hands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from kawuxing.engine.actions import Action, ActionType, parse_action
from kawuxing.engine.events import (
    Event,
    HandEnded,
    HandRevealed,
    HandWon,
    KongMade,
    KongRobbed,
    PaymentReason,
    PointsPaid,
    TileDiscarded,
)
from kawuxing.engine.hand import Hand
from kawuxing.engine.rules import RuleSet
from kawuxing.engine.testing import LivelyPlay


def played(rules: RuleSet, play: LivelyPlay, hands: int) -> Iterator[tuple[Hand, list[Event]]]:
    """Play hands, and yield after every step the hand with the events of the step."""
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


def check_tiles_are_conserved(hand: Hand, events: Sequence[Event]) -> None:
    """Wall, hands, melds and discards hold all tiles; a robbed tile goes to who robs it."""
    robbed = Counter(event.tile for event in events if isinstance(event, KongRobbed))
    assert Counter(hand.table.rules.tile_list) == tiles_of(hand) + robbed


def check_sizes(hand: Hand) -> None:
    """13 for who is not in turn, less 3 for each meld, and one more between draw (or pung) and discard."""
    for seat in hand.table.seats:
        held = sum(seat.concealed.counts) + 3 * len(seat.melds)
        assert held in (13, 14)
        assert sum(seat.concealed.counts) == sum(seat.concealed.sizes)
        assert not seat.revealed or held == 13 + (seat.drawn >= 0)


def check_waits(hand: Hand) -> None:
    """What the hand remembers of a seat's waits is what its tiles wait on; a revealed seat's are public."""
    rules = hand.table.rules
    for seat in hand.table.seats:
        if seat.drawn >= 0 or sum(seat.concealed.counts) % 3 != 1:
            continue
        assert seat.concealed.waits(rules, seat.melded) == seat.waits(rules)
        if seat.revealed and not hand.table.robbing:
            mask = sum(1 << kind for kind in seat.public_waits)
            assert mask == seat.waits(rules) > 0


def check_choices(hand: Hand, events: Sequence[Event]) -> None:
    """Each asked seat has two at least, all different, sorted; seats ascend; nobody is asked once the hand is over."""
    pending = hand.pending()
    assert bool(pending) != isinstance(events[-1], HandEnded)
    assert sorted(pending) == list(pending)
    for legal in pending.values():
        keys = [action.sort_key for action in legal]
        assert sorted(set(keys)) == keys
        assert len(keys) >= 2
        assert all(parse_action(str(action)) is action for action in legal)


class Ledger:
    """The points paid in the current hand, checked to sum to zero and to be what the hand says it paid."""

    def __init__(self, rules: RuleSet) -> None:
        """Begin before a hand."""
        self._seats = rules.seats
        self._paid = [0] * rules.seats

    def check(self, events: Sequence[Event]) -> None:
        """Add the payments of one step."""
        for event in events:
            if isinstance(event, PointsPaid):
                assert sum(event.points) == 0
                assert any(event.points)
                self._paid = [before + change for before, change in zip(self._paid, event.points, strict=True)]
            if isinstance(event, HandEnded):
                assert sum(event.points) == 0
                assert tuple(self._paid) == event.points == event.match_points[: self._seats]
                self._paid = [0] * self._seats


def check_replays(rules: RuleSet, play: LivelyPlay, hands: int) -> None:
    """A hand replays from its wall and decisions; in a round of claims it does not matter whose answer comes first."""
    for number in range(hands):
        wall = play.wall(rules)
        dealer = number % rules.seats
        hand, twin = Hand(rules, wall, dealer), Hand(rules, wall, dealer)
        assert hand.start() == twin.start()
        while hand.pending():
            answers = play.answers(hand)
            reordered: dict[int, Action] = {seat: answers[seat] for seat in reversed(list(answers))}
            assert hand.apply(answers) == twin.apply(reordered)
            assert hand.pending() == twin.pending()
        assert hand.outcome == twin.outcome


def rarities(rules: RuleSet, play: LivelyPlay, hands: int) -> Counter[str]:
    """Count what seldom happens in hands of lively play."""
    seen: Counter[str] = Counter()
    wins = 0
    for hand, events in played(rules, play, hands):
        for event in events:
            seen[type(event).__name__] += 1
            if isinstance(event, HandWon):
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
            seen["banned"] += seat == hand.table.turn and is_banned(hand, seat, legal)
        seen["locked"] += any(seat.locked for seat in hand.table.seats)
    return seen


def is_link(rules: RuleSet, event: PointsPaid) -> bool:
    single = {
        PaymentReason.CONCEALED_KONG: rules.concealed_kong_pays * (rules.seats - 1),
        PaymentReason.ADDED_KONG: rules.added_kong_pays * (rules.seats - 1),
        PaymentReason.DIRECT_KONG: rules.direct_kong_pays,
    }
    return event.reason in single and max(event.points) > single[event.reason] * rules.base


def is_banned(hand: Hand, seat: int, legal: Sequence[Action]) -> bool:
    """Whether this seat, about to discard, holds a kind that it may not discard while it is not revealed."""
    state = hand.table.seats[seat]
    free = {action.tile for action in legal if action.type is ActionType.DISCARD}
    held = {kind for kind, count in enumerate(state.concealed.counts) if count}
    return not state.revealed and bool(free) and free < held
