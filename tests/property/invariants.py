"""What holds in every hand under any rules, and what seldom happens in one: for tests that play many hands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tests.property.rarities import rarities

from kawuxing.engine.actions import parse_action
from kawuxing.engine.events import Event, HandEnded, KongRobbed, PointsPaid
from kawuxing.engine.hand import Hand
from kawuxing.engine.rules import RuleSet
from kawuxing.engine.testing import LivelyPlay


def check_hands(rules: RuleSet, play: LivelyPlay, hands: int) -> Counter[str]:
    """Play hands under all the invariants below, and return how often each rarity happened, and a "hand" for each."""
    seen = Counter(hand=hands)
    ledger = Ledger(rules)
    for hand, events in played(rules, play, hands):
        check_tiles_are_conserved(hand, events)
        check_sizes(hand)
        check_waits(hand)
        check_choices(hand, events)
        ledger.check(events)
        seen.update(rarities(hand, events))
    return seen


def played(rules: RuleSet, play: LivelyPlay, hands: int) -> Iterator[tuple[Hand, list[Event]]]:
    """Play hands, and yield after every step the hand with the events of the step.

    Beside each hand its twin replays it, from the same wall and decisions, told in another order: both do the same.
    """
    for number in range(hands):
        wall = play.wall(rules)
        hand, twin = (Hand(rules, wall, number % rules.seats) for _ in range(2))
        events = hand.start()
        assert events == twin.start()
        yield hand, events
        while hand.pending():
            assert hand.pending() == twin.pending()
            answers = play.answers(hand)
            events = hand.apply(answers)
            assert events == twin.apply({seat: answers[seat] for seat in reversed(list(answers))})
            yield hand, events
        assert not twin.pending()
        assert hand.outcome == twin.outcome


def check_tiles_are_conserved(hand: Hand, events: Sequence[Event]) -> None:
    """Wall, hands, melds and discards hold all tiles; a robbed tile goes to who robs it."""
    table = hand.table
    tiles = list(table.wall[table.front : table.back])
    for seat in table.seats:
        tiles += seat.kinds()
        tiles += seat.discards
        tiles += [kind for kind, count in enumerate(seat.melded) if count for _ in range(count)]
    tiles += [event.tile for event in events if isinstance(event, KongRobbed)]
    tiles.sort()
    assert table.rules.tile_list == tuple(tiles)


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
