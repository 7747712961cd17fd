"""What one seat may see: redacted events and observations."""

from __future__ import annotations

import pytest

from kawuxing.engine.actions import parse_action
from kawuxing.engine.events import HIDDEN, HandRevealed, HandStarted, KongMade, MeldType, PungMade, TileDrawn
from kawuxing.engine.hand import Hand
from kawuxing.engine.observation import NOBODY, Meld, Observer, observe, redact
from kawuxing.engine.rules import RuleSet
from kawuxing.engine.testing import answer, arranged_wall
from kawuxing.engine.tiles import parse_kind, parse_kinds

READY = "111p 999s 46p 123s 77z"


def test_only_the_own_hand_is_dealt_openly(xiangyang: RuleSet) -> None:
    """The other seats' tiles are an empty tuple; an entrant that rests sees none."""
    started = Hand(xiangyang, arranged_wall(xiangyang, [READY]), 0).start()[0]
    assert isinstance(started, HandStarted)
    own = redact(started, 0)
    assert isinstance(own, HandStarted)
    assert (tuple(sorted(parse_kinds(READY))), (), ()) == own.concealed
    resting = redact(started, NOBODY)
    assert isinstance(resting, HandStarted)
    assert ((), (), ()) == resting.concealed


def test_draw_is_hidden_from_all_others_who_share_one_object() -> None:
    """Its owner gets the very event; what the others get is one object, so that it is encoded once."""
    drawn = TileDrawn(1, parse_kind("5p"), replacement=False, remaining=30)
    assert redact(drawn, 1) is drawn
    assert TileDrawn(1, HIDDEN, replacement=False, remaining=30) == redact(drawn, 0)
    assert redact(drawn, 0) is redact(drawn, 2)


def test_face_down_pungs_are_hidden_but_counted() -> None:
    """Others learn how many, not of which kinds; a reveal that hides nothing is the same for all."""
    hiding = HandRevealed(0, parse_kinds("46p"), parse_kinds("1p9s"), parse_kinds("5p"))
    assert redact(hiding, 0) is hiding
    assert HandRevealed(0, parse_kinds("46p"), (HIDDEN, HIDDEN), parse_kinds("5p")) == redact(hiding, 1)
    open_hand = HandRevealed(0, parse_kinds("46p"), (), parse_kinds("5p"))
    assert redact(open_hand, 1) is open_hand


def test_public_events_stay_the_same_object() -> None:
    """A concealed kong is shown too (RULES: its tile is public)."""
    kong = KongMade(0, MeldType.CONCEALED_KONG, 0, parse_kind("9s"))
    assert redact(kong, 1) is kong


def test_observation_of_a_reveal(hubei: RuleSet) -> None:
    """The observer knows its own face-down kinds; the others see the rest of the hand, a count and the waits."""
    hand = Hand(hubei, arranged_wall(hubei, [READY], draws="8p"), 0)
    hand.start()
    answer(hand, "0 REVEAL 8p 1p 9s")
    own, other, resting = observe(hand, 0), observe(hand, 1), observe(hand, NOBODY)
    assert parse_kinds("1p 9s") == own.face_down
    assert () == other.face_down
    view = other.seats[0]
    assert (True, tuple(sorted(parse_kinds("46p 123s 77z"))), 2, parse_kinds("5p"), 13) == (
        view.revealed,
        view.shown,
        view.face_down,
        view.waits,
        view.concealed_count,
    )
    assert view == resting.seats[0] == own.seats[0]
    assert ((), HIDDEN, NOBODY) == (resting.concealed, resting.drawn, resting.seat)


def test_observation_of_an_offer_and_a_claim(xiangyang: RuleSet) -> None:
    """The offered discard lies on the table until it is claimed, and then in the claimer's meld."""
    hand = Hand(xiangyang, arranged_wall(xiangyang, ["5p", "55p 1379s 14p 567z"], draws="9p"), 0)
    hand.start()
    answer(hand, "0 DISCARD 5p")
    before = observe(hand, 1)
    five = parse_kind("5p")
    assert (five, 0, 0, (five,)) == (before.offered, before.offered_by, before.turn, before.seats[0].discards)
    answer(hand, "1 PUNG 5p")
    after = observe(hand, 2)
    assert (HIDDEN, NOBODY, 1, ()) == (after.offered, after.offered_by, after.turn, after.seats[0].discards)
    assert (Meld(MeldType.PUNG, five, 0),) == after.seats[1].melds
    assert 11 == after.seats[1].concealed_count


def test_observer_needs_the_start_of_a_hand() -> None:
    """Before it there is nothing to fold into, and nothing to observe."""
    observer = Observer(0)
    with pytest.raises(ValueError, match="TileDrawn before the first HandStarted"):
        observer.apply(TileDrawn(0, 1, replacement=False, remaining=3))
    with pytest.raises(ValueError, match="before the first HandStarted"):
        observer.observation()


def test_observer_refuses_what_cannot_follow(xiangyang: RuleSet) -> None:
    """A claim of what is not offered, and an added kong without its pung."""
    observer = Observer(2)
    for event in Hand(xiangyang, arranged_wall(xiangyang, [READY]), 0).start():
        observer.apply(redact(event, 2))
    with pytest.raises(ValueError, match="does not offer"):
        observer.apply(PungMade(1, 0, parse_kind("5p")))
    with pytest.raises(ValueError, match="no pung"):
        observer.apply(KongMade(1, MeldType.ADDED_KONG, 1, parse_kind("5p")))


@pytest.mark.parametrize("seat", [0, 1, 2, NOBODY])
def test_kong_of_a_face_down_pung_is_followed(hubei: RuleSet, seat: int) -> None:
    """It becomes a meld that all see; the owner knows which pung is left, the others that one is."""
    hands = ["111p 999s 46p 123s 77z", "1379s 24p 567z 288s 6p"]
    hand = Hand(hubei, arranged_wall(hubei, hands, draws="8p 8p 8p 1p", replacements="3p"), 0)
    events = hand.start()
    for text in ("0 REVEAL 8p 1p 9s", "1 DISCARD 8p", "2 DISCARD 8p", "0 CONCEALED_KONG 1p"):
        events += answer(hand, text)
    observer = Observer(3 if seat == NOBODY else seat)
    for event in events:
        observer.apply(redact(event, seat))
    seen = observer.observation()
    assert observe(hand, seat) == seen
    assert (1, parse_kinds("9s") if seat == 0 else ()) == (seen.seats[0].face_down, seen.face_down)
    assert (Meld(MeldType.CONCEALED_KONG, parse_kind("1p"), 0),) == seen.seats[0].melds


@pytest.mark.parametrize("seat", [0, 1])
def test_shrunken_waits_are_followed(hubei: RuleSet, seat: int) -> None:
    """A flush's kong that takes waits away is told to all."""
    hands = ["1113456777999s", "5678p 56z 2468s 13p 1p"]
    hand = Hand(hubei, arranged_wall(hubei, hands, draws="9p 8p 9p 7s", replacements="2p"), 0)
    events = hand.start()
    for text in ("0 REVEAL 9p", "1 DISCARD 8p", "2 DISCARD 9p", "0 CONCEALED_KONG 7s"):
        events += answer(hand, text)
    observer = Observer(seat)
    for event in events:
        observer.apply(redact(event, seat))
    assert parse_kinds("236s") == observer.observation().seats[0].waits
    assert observe(hand, seat) == observer.observation()


def test_resting_observer_follows_what_is_public(xiangyang: RuleSet) -> None:
    """An entrant without a seat folds the same events and sees no hand."""
    hand = Hand(xiangyang, arranged_wall(xiangyang, [READY], draws="8p"), 0)
    observer = Observer(3)
    for event in [*hand.start(), *hand.apply({0: parse_action("REVEAL 8p")})]:
        observer.apply(redact(event, NOBODY))
    assert observer.seat == NOBODY
    assert observe(hand, NOBODY) == observer.observation()
