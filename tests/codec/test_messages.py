"""Whatever the engine says reaches a bot unchanged, and whatever this version has no word for is refused or skipped."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kawuxing.codec.actions import action_from_message, action_to_message
from kawuxing.codec.events import event_from_message, event_to_message
from kawuxing.codec.faults import fault_from_message, fault_to_message, result_to_message
from kawuxing.codec.observations import observation_from_message, observation_to_message
from kawuxing.codec.tiles import TILE_OF, kind_from_tile
from kawuxing.engine.actions import Action, ActionType, action
from kawuxing.engine.events import (
    HIDDEN,
    Event,
    HandEnded,
    HandExhausted,
    HandRevealed,
    HandStarted,
    HandWon,
    KongMade,
    KongRobbed,
    MeldType,
    PaymentReason,
    PointsPaid,
    PungMade,
    TileDiscarded,
    TileDrawn,
    WaitsChanged,
)
from kawuxing.engine.faults import Fault
from kawuxing.engine.hand import Hand
from kawuxing.engine.match import EntrantResult
from kawuxing.engine.observation import NOBODY, Meld, Observation, SeatView, observe, redact
from kawuxing.engine.rules import RuleSet
from kawuxing.engine.testing import LivelyPlay
from kawuxing.engine.tiles import KINDS, RANK, SUIT_INDEX
from kawuxing.v1 import action_pb2, event_pb2, fault_pb2, observation_pb2, tile_pb2

SEATS = 4
UNKNOWN: Any = 99
"""A value that no enum of the protocol has."""

numbers = st.integers(0, 2**32 - 1)
points = st.integers(-(2**31), 2**31 - 1)
seats = st.integers(0, SEATS - 1)
kinds = st.integers(0, KINDS - 1)
kinds_or_hidden = st.integers(HIDDEN, KINDS - 1)
by_seat = st.lists(points, min_size=SEATS, max_size=SEATS).map(tuple)
# What is ascending or bounded in play is not the codec's business.
held = st.lists(kinds, max_size=14).map(tuple)
hands = st.tuples(held, held, held, held)
melds = st.builds(Meld, st.sampled_from(MeldType), kinds, seats)

EVENTS: dict[type[Event], st.SearchStrategy[Any]] = {
    HandStarted: st.builds(
        HandStarted, numbers, seats, st.permutations(range(SEATS)).map(tuple), by_seat, numbers, hands
    ),
    TileDrawn: st.builds(TileDrawn, seats, kinds_or_hidden, st.booleans(), numbers),
    HandRevealed: st.builds(HandRevealed, seats, held, st.lists(kinds_or_hidden, max_size=3).map(tuple), held),
    TileDiscarded: st.builds(TileDiscarded, seats, kinds),
    PungMade: st.builds(PungMade, seats, seats, kinds),
    KongMade: st.builds(KongMade, seats, st.sampled_from(MeldType), seats, kinds),
    KongRobbed: st.builds(KongRobbed, seats, kinds),
    WaitsChanged: st.builds(WaitsChanged, seats, held),
    HandWon: st.builds(HandWon, seats, seats, kinds, numbers, st.lists(st.text(max_size=20), max_size=5).map(tuple)),
    HandExhausted: st.builds(HandExhausted),
    PointsPaid: st.builds(PointsPaid, st.sampled_from(PaymentReason), seats, by_seat),
    HandEnded: st.builds(HandEnded, numbers, hands, by_seat, by_seat),
}
views = st.builds(
    SeatView,
    entrant=numbers,
    points=points,
    concealed_count=numbers,
    melds=st.lists(melds, max_size=4).map(tuple),
    discards=held,
    revealed=st.booleans(),
    shown=held,
    face_down=numbers,
    waits=held,
)
observations = st.builds(
    Observation,
    hand=numbers,
    seat=seats | st.just(NOBODY),
    dealer=seats,
    turn=seats,
    remaining=numbers,
    concealed=held,
    drawn=kinds_or_hidden,
    face_down=held,
    offered=kinds_or_hidden,
    offered_by=seats | st.just(NOBODY),
    seats=st.lists(views, max_size=SEATS).map(tuple),
)
actions = st.builds(
    action,
    st.sampled_from(ActionType),
    kinds_or_hidden,
    st.sets(kinds, max_size=4).map(lambda down: tuple(sorted(down))),
)


def over_the_wire(message: Any) -> Any:
    """Return what the other side parses."""
    return type(message).FromString(message.SerializeToString())


@given(value=actions)
def test_an_action_survives_the_wire_as_the_same_object(value: Action) -> None:
    """Encoding and decoding gives the interned action itself."""
    assert value is action_from_message(over_the_wire(action_to_message(value)))


def test_equal_actions_share_one_message() -> None:
    """The message of an action is built once."""
    value = action(ActionType.REVEAL, 3, (9,))

    assert action_to_message(value) is action_to_message(action(ActionType.REVEAL, 3, (9,)))


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
@given(data=st.data(), seat=st.integers(NOBODY, SEATS - 1), number=numbers)
def test_an_event_survives_the_wire_as_its_seat_may_see_it(
    kind: type[Event], data: st.DataObject, seat: int, number: int
) -> None:
    """Encoding for a seat, or for an entrant that rests, and decoding gives the redacted event and its number."""
    seen = redact(data.draw(EVENTS[kind]), seat)

    message = over_the_wire(event_to_message(seen, number, seat))

    assert (number, seen) == (message.number, event_from_message(message))


def test_every_kind_of_event_has_its_message() -> None:
    """The oneof of Event has a field for each of the engine's events, and no other."""
    fields = event_pb2.Event.DESCRIPTOR.oneofs_by_name["event"].fields

    assert {kind.__name__ for kind in EVENTS} == {field.message_type.name for field in fields if field.message_type}


def test_a_resting_entrant_is_told_of_a_hand_without_a_seat_or_tiles() -> None:
    """HandStarted leaves seat and tiles out for who sits out; it decodes to nobody's tiles."""
    started = HandStarted(1, 0, (0, 3, 2), (0, 0, 0, 0), 45, ((1,) * 13, (2,) * 13, (3,) * 13))

    message = event_to_message(redact(started, NOBODY), 7, NOBODY)

    assert (False, []) == (message.hand_started.HasField("seat"), list(message.hand_started.concealed))
    assert redact(started, NOBODY) == event_from_message(message)


def test_seat_zero_is_told_its_seat() -> None:
    """Seat 0 is not taken for a missing seat: its tiles come back as its own."""
    started = HandStarted(0, 2, (0, 1, 2), (0, 0, 0), 45, ((1,) * 13, (2,) * 13, (3,) * 13))

    message = over_the_wire(event_to_message(redact(started, 0), 0, 0))

    assert HandStarted(0, 2, (0, 1, 2), (0, 0, 0), 45, ((1,) * 13, (), ())) == event_from_message(message)


@given(value=observations)
def test_an_observation_survives_the_wire(value: Observation) -> None:
    """Encoding and decoding gives an equal observation, also of seat 0, of nobody, and where nothing is offered."""
    assert value == observation_from_message(over_the_wire(observation_to_message(value)))


def test_whole_matches_survive_the_wire(any_rules: RuleSet) -> None:
    """Every event, observation and legal action of played hands comes out as it went in, for every entrant."""
    play = LivelyPlay(21)
    for number in range(10):
        hand = Hand(any_rules, play.wall(any_rules), number % any_rules.seats, number=number)
        _check_what_everybody_sees(hand, hand.start())
        while hand.pending():
            _check_what_everybody_sees(hand, hand.apply(play.answers(hand)))


def _check_what_everybody_sees(hand: Hand, events: list[Event]) -> None:
    for seat in range(NOBODY, len(hand.table.seats)):
        for event in events:
            seen = redact(event, seat)
            assert seen == event_from_message(over_the_wire(event_to_message(seen, 0, seat)))
        observation = observe(hand, seat)
        assert observation == observation_from_message(over_the_wire(observation_to_message(observation)))
    for legal in hand.pending().values():
        assert list(legal) == [action_from_message(over_the_wire(action_to_message(value))) for value in legal]


@pytest.mark.parametrize("fault", Fault)
def test_a_fault_survives_the_wire(fault: Fault) -> None:
    """Encoding and decoding gives the same fault."""
    assert fault is fault_from_message(fault_to_message(fault))


def test_no_fault_of_the_protocol_is_unknown_to_the_engine() -> None:
    """Both enums are closed and equal."""
    assert ["UNSPECIFIED", *(fault.name for fault in Fault)] == [
        name.removeprefix("FAULT_")
        for name in fault_pb2.Fault.keys()  # noqa: SIM118  (no mapping)
    ]


def test_a_result_says_what_it_says_of_each_entrant() -> None:
    """Points, rank, faults in their order and whether it forfeited, also in the very first hand."""
    result = EntrantResult(
        points=-7,
        rank=3,
        hand_points=(-7,),
        hands_played=1,
        wins=0,
        deal_ins=1,
        reveals=0,
        faults=(Fault.TIMEOUT, Fault.DISCONNECTED),
        forfeited_in=0,
    )

    message = result_to_message(result)

    assert (-7, 3, [fault_pb2.FAULT_TIMEOUT, fault_pb2.FAULT_DISCONNECTED], True) == (
        message.points,
        message.rank,
        list(message.faults),
        message.forfeited,
    )


def test_a_tile_is_its_suit_in_tens_and_its_rank() -> None:
    """The value of every tile is ten times its suit plus its rank: 15 is the five of dots."""
    assert {kind: 10 * SUIT_INDEX[kind] + RANK[kind] for kind in range(KINDS)} | {HIDDEN: 0} == TILE_OF
    assert TILE_OF[13] == tile_pb2.TILE_5P == 15


@pytest.mark.parametrize("tile", sorted(set(range(-1, 50)) - set(tile_pb2.Tile.values())))
def test_an_unknown_tile_is_refused(tile: int) -> None:
    """A value between or beyond the tiles is nobody's kind."""
    with pytest.raises(ValueError, match=f"tile {tile}: unknown to this version"):
        kind_from_tile(tile)


def test_an_event_of_an_unknown_kind_is_to_be_skipped() -> None:
    """An event from a newer server, with a field that this version does not know, decodes to None."""
    field_99_with_an_empty_message = b"\x08\x05\x9a\x06\x00"

    message = event_pb2.Event.FromString(field_99_with_an_empty_message)

    assert (5, None) == (message.number, event_from_message(message))


@pytest.mark.parametrize(
    ("message", "named"),
    [
        (event_pb2.Event(tile_drawn=event_pb2.TileDrawn(tile=UNKNOWN)), "tile 99"),
        (event_pb2.Event(kong_made=event_pb2.KongMade(meld=UNKNOWN)), "MELD_TYPE_… 99"),
        (event_pb2.Event(kong_made=event_pb2.KongMade()), "MELD_TYPE_… 0"),
        (event_pb2.Event(points_paid=event_pb2.PointsPaid(reason=UNKNOWN)), "PAYMENT_REASON_… 99"),
        (event_pb2.Event(hand_ended=event_pb2.HandEnded(concealed=[event_pb2.TileList(tiles=[UNKNOWN])])), "tile 99"),
    ],
)
def test_a_known_event_with_unknown_contents_is_refused(message: event_pb2.Event, named: str) -> None:
    """What cannot be skipped without misunderstanding the rest raises ValueError, naming the value."""
    with pytest.raises(ValueError, match=named):
        event_from_message(over_the_wire(message))


@pytest.mark.parametrize(
    "message",
    [
        observation_pb2.Observation(drawn=UNKNOWN),
        observation_pb2.Observation(seats=[observation_pb2.SeatView(melds=[observation_pb2.Meld(type=UNKNOWN)])]),
        observation_pb2.Observation(seats=[observation_pb2.SeatView(waits=[UNKNOWN])]),
    ],
)
def test_an_observation_with_unknown_contents_is_refused(message: observation_pb2.Observation) -> None:
    """A tile or meld of a newer version raises ValueError, naming the value."""
    with pytest.raises(ValueError, match="99: unknown to this version"):
        observation_from_message(over_the_wire(message))


@pytest.mark.parametrize(
    "message",
    [
        action_pb2.Action(type=UNKNOWN),
        action_pb2.Action(type=action_pb2.ACTION_TYPE_DISCARD, tile=UNKNOWN),
        action_pb2.Action(type=action_pb2.ACTION_TYPE_REVEAL, face_down=[UNKNOWN]),
    ],
)
def test_an_unknown_action_is_refused(message: action_pb2.Action) -> None:
    """A type or tile of a newer version raises ValueError, naming the value."""
    with pytest.raises(ValueError, match="99: unknown to this version"):
        action_from_message(over_the_wire(message))


def test_an_unknown_fault_is_refused() -> None:
    """A fault of a newer version, or none, raises ValueError, naming the value."""
    with pytest.raises(ValueError, match="FAULT_… 99: unknown to this version"):
        fault_from_message(UNKNOWN)
    with pytest.raises(ValueError, match="FAULT_… 0: unknown to this version"):
        fault_from_message(fault_pb2.FAULT_UNSPECIFIED)
