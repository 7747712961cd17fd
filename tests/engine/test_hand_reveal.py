"""Revealing 亮倒: what is shown, what may stay face down, and what a revealed seat may still do (RULES §5)."""

from __future__ import annotations

import pytest
from tests.engine.hands import dealt, texts, won

from kawuxing.engine.actions import PASS, WIN
from kawuxing.engine.events import (
    HandRevealed,
    KongMade,
    MeldType,
    PaymentReason,
    PointsPaid,
    TileDiscarded,
    TileDrawn,
    WaitsChanged,
)
from kawuxing.engine.hand import Hand
from kawuxing.engine.rules import RuleSet
from kawuxing.engine.testing import answer, play_defaults
from kawuxing.engine.tiles import parse_kind, parse_kinds

READY = "46p 123s 456s 789s 77z"
"""Waits on 5p."""


def reveals(hand: Hand, seat: int, discard: str = "") -> list[str]:
    return [text for text in texts(hand, seat) if text.startswith(f"REVEAL {discard}")]


def test_reveal_shows_the_hand_and_then_the_tile_falls(xiangyang: RuleSet) -> None:
    """The whole hand and its waits are public; the discard comes after."""
    hand = dealt(xiangyang, [READY], draws="8p")
    events = answer(hand, "0 REVEAL 8p")
    shown = tuple(sorted(parse_kinds(READY)))
    assert [HandRevealed(0, shown, (), parse_kinds("5p")), TileDiscarded(0, parse_kind("8p"))] == events[:2]


def test_reveal_is_offered_for_each_discard_that_leaves_the_hand_ready(xiangyang: RuleSet) -> None:
    """And for no other; without an option for face-down pungs there is one action a discard."""
    hand = dealt(xiangyang, ["456p 123s 456s 789s 7z"], draws="6z")
    assert ["REVEAL 6z", "REVEAL 7z"] == reveals(hand, 0)


def test_no_reveal_where_the_rules_have_none(xiangyang: RuleSet) -> None:
    """With reveal off a ready hand just discards."""
    hand = dealt(xiangyang.replace({"reveal": "off"}), [READY], draws="8p")
    assert [] == reveals(hand, 0)


def test_reveal_after_a_pung(xiangyang: RuleSet) -> None:
    """The discard after a pung can reveal too."""
    hand = dealt(xiangyang, ["7z", "46p 123s 456s 77z 9s 8p 5z"], draws="8p")
    answer(hand, "0 DISCARD 7z")
    answer(hand, "1 PUNG 7z")
    assert [] == reveals(hand, 1)
    hand = dealt(xiangyang, ["7z", "46p 123s 456s 77z 99s 5z"], draws="8p")
    answer(hand, "0 DISCARD 7z")
    answer(hand, "1 PUNG 7z")
    assert ["REVEAL 5z"] == reveals(hand, 1)


def test_revealed_seat_discards_what_it_draws_without_being_asked(xiangyang: RuleSet) -> None:
    """Its only legal action is played at once; it is asked again when it draws its wait."""
    hand = dealt(xiangyang, [READY, "1379p 13s 567z 2468s"], draws="8p 8p 8p 9p 8p 9p 5p")
    answer(hand, "0 REVEAL 8p")
    answer(hand, "1 DISCARD 8p")
    events = answer(hand, "2 DISCARD 8p")
    assert [
        TileDiscarded(2, parse_kind("8p")),
        TileDrawn(0, parse_kind("9p"), replacement=False, remaining=41),
        TileDiscarded(0, parse_kind("9p")),
        TileDrawn(1, parse_kind("8p"), replacement=False, remaining=40),
    ] == events
    answer(hand, "1 DISCARD 8p")
    answer(hand, "2 DISCARD 9p")
    assert ["WIN", "DISCARD 5p"] == texts(hand, 0)


def test_revealed_seat_may_not_pung(xiangyang: RuleSet) -> None:
    """A discard that it holds twice is not offered to it, unless it waits on it."""
    hand = dealt(xiangyang, ["77z 46p 123s 456s 789s", "7z 1379p 13s 56z 2468s"], draws="8p")
    answer(hand, "0 REVEAL 8p")
    events = answer(hand, "1 DISCARD 7z")
    assert TileDrawn is type(events[-1])
    assert [2] == list(hand.pending())


def test_revealed_winner_takes_all_shares(xiangyang: RuleSet) -> None:
    """RULES §10: A revealed wins 4 on B's discard: B pays 8, C 0."""
    hand = dealt(xiangyang, [READY, "5p 1379p 13s 56z 2468s"], draws="8p")
    answer(hand, "0 REVEAL 8p")
    answer(hand, "1 DISCARD 5p")
    events = answer(hand, "0 WIN")
    assert (4, ("middle_five", "reveal")) == (won(events).total, won(events).patterns)
    assert PointsPaid(PaymentReason.WIN, 0, (8, -8, 0)) in events


def test_revealed_winner_is_paid_once_in_hubei(hubei: RuleSet) -> None:
    """RULES §10: hubei, the same: B pays 20. The ban is off, for B has other tiles to discard."""
    rules = hubei.replace({"discard_ban": False})
    hand = dealt(rules, [READY, "5p 1379p 13s 56z 2468s"], draws="8p")
    answer(hand, "0 REVEAL 8p")
    answer(hand, "1 DISCARD 5p")
    assert PointsPaid(PaymentReason.WIN, 0, (20, -20, 0)) in answer(hand, "0 WIN")


def test_revealed_payer_pays_double_even_for_the_tile_it_reveals_with(hubei: RuleSet) -> None:
    """RULES §10: hubei, B revealed discards A's unrevealed ×2: B pays 20, revealed from that very tile on."""
    ready_otherwise = "79s 111s 123p 999p 66z"
    hand = dealt(hubei, [READY, ready_otherwise], dealer=1, draws="5p")
    answer(hand, "1 REVEAL 5p")
    events = answer(hand, "0 WIN")
    assert 2 == won(events).total
    assert PointsPaid(PaymentReason.WIN, 0, (20, -20, 0)) in events


def test_kong_that_keeps_the_waits_is_allowed(xiangyang: RuleSet) -> None:
    """Any of the three kongs: here concealed and direct ones of pungs beside the wait."""
    hand = dealt(xiangyang, ["46p 111s 999s 567s 77z", "", "9s"], draws="8p 1s", replacements="2p")
    answer(hand, "0 REVEAL 8p")
    answer(hand, "1 DISCARD 1s")
    assert ["DIRECT_KONG 1s", "PASS"] == texts(hand, 0)
    events = answer(hand, "0 DIRECT_KONG 1s")
    assert KongMade(0, MeldType.DIRECT_KONG, 1, parse_kind("1s")) == events[0]
    assert TileDiscarded(0, parse_kind("2p")) in events
    assert tuple(sorted(parse_kinds("46p 999s 567s 77z"))) == hand.table.seats[0].shown


def test_revealed_added_kong(xiangyang: RuleSet) -> None:
    """A pung from before the reveal may be extended."""
    hand = dealt(xiangyang, ["46p 11s 999s 567s 77z 8p", "1s"], dealer=1, draws="8p 8p 8p 1s")
    answer(hand, "1 DISCARD 1s")
    answer(hand, "0 PUNG 1s")
    answer(hand, "0 REVEAL 8p")
    answer(hand, "1 DISCARD 8p")
    answer(hand, "2 DISCARD 8p")
    assert ["ADDED_KONG 1s", "DISCARD 1s"] == texts(hand, 0)


def test_revealed_seat_does_not_add_a_tile_that_it_waits_on(xiangyang: RuleSet) -> None:
    """Its waits would change, for it then holds all four: it may only win the tile or discard it."""
    hand = dealt(xiangyang, ["33s 45s 999s 567s 77z 8p", "3s"], dealer=1, draws="8p 8p 8p 3s")
    answer(hand, "1 DISCARD 3s")
    answer(hand, "0 PUNG 3s")
    answer(hand, "0 REVEAL 8p")
    assert parse_kinds("36s") == hand.table.seats[0].public_waits
    answer(hand, "1 DISCARD 8p")
    answer(hand, "2 DISCARD 8p")
    assert ["WIN", "DISCARD 3s"] == texts(hand, 0)


def test_first_to_reveal_stays_the_first(xiangyang: RuleSet) -> None:
    """Whoever reveals later, the hand ends with the first one on record."""
    hand = dealt(xiangyang, [READY, "12p 456p 123s 555z 66z"], draws="8p 9p")
    answer(hand, "0 REVEAL 8p")
    answer(hand, "1 REVEAL 9p")
    play_defaults(hand)
    assert hand.outcome is not None
    assert 0 == hand.outcome.first_revealed


def test_revealed_seat_kongs_only_what_it_draws(xiangyang: RuleSet) -> None:
    """Four of a kind from before the reveal stay as they are, even where the drawn tile would keep the waits."""
    hand = dealt(xiangyang, ["1111p 23p 456s 789s 7z", "13579s 357p 556z 68p"], draws="8p 9s 9s 4p")
    events = answer(hand, "0 REVEAL 8p")
    assert isinstance(events[0], HandRevealed)
    assert parse_kinds("7z") == events[0].waits
    answer(hand, "1 DISCARD 9s")
    assert TileDiscarded(0, parse_kind("4p")) in answer(hand, "2 DISCARD 9s")


def test_direct_kong_that_changes_the_waits_is_not_offered(xiangyang: RuleSet) -> None:
    """A revealed seat that holds three of the discard, all part of its wait, may win it at most."""
    hand = dealt(xiangyang, ["23334567s 66z 111p", "3s 159s 24p 57z 26688p"], draws="9p")
    answer(hand, "0 REVEAL 9p")
    answer(hand, "1 DISCARD 3s")
    assert ["WIN", "PASS"] == texts(hand, 0)
    hand = dealt(xiangyang, ["3456777s 666z 111p", "7s 159s 24p 57z 26688p"], draws="9p")
    answer(hand, "0 REVEAL 9p")
    answer(hand, "1 DISCARD 7s")
    assert [2] == list(hand.pending())


def test_added_kong_of_a_wait_shrinks_it_in_a_flush(xiangyang: RuleSet) -> None:
    """With revealed_flush_kong a hand of one suit may add a tile it waits on, and then no longer waits on it."""
    rules = xiangyang.replace({"revealed_flush_kong": True})
    hand = dealt(rules, ["33s 45s 999s 111s 77s 8p", "3s"], dealer=1, draws="8p 8p 8p 3s", replacements="2p")
    answer(hand, "1 DISCARD 3s")
    answer(hand, "0 PUNG 3s")
    answer(hand, "0 REVEAL 8p")
    before = hand.table.seats[0].public_waits
    assert parse_kind("3s") in before
    answer(hand, "1 DISCARD 8p")
    answer(hand, "2 DISCARD 8p")
    assert ["WIN", "ADDED_KONG 3s", "DISCARD 3s"] == texts(hand, 0)
    events = answer(hand, "0 ADDED_KONG 3s")
    assert WaitsChanged(0, tuple(kind for kind in before if kind != parse_kind("3s"))) == events[1]


@pytest.mark.parametrize("flush_kong", [False, True])
@pytest.mark.parametrize(
    ("ready", "waits", "drawn", "expected"),
    [
        ("23334567s 66z 111p", "3s 6z", "3s", ["WIN", "DISCARD 3s"]),
        ("3456777s 666z 111p", "23568s", "7s", ["DISCARD 7s"]),
    ],
)
def test_kong_that_changes_the_waits_is_not_allowed(
    xiangyang: RuleSet, ready: str, waits: str, drawn: str, expected: list[str], *, flush_kong: bool
) -> None:
    """The hands that S4 and S0 name: the konged tile is part of the wait. They are no flush."""
    rules = xiangyang.replace({"revealed_flush_kong": flush_kong})
    hand = dealt(rules, [ready, "1259s 24p 57z 26688p"], draws=f"9p 8p 9p {drawn} 8p")
    events = answer(hand, "0 REVEAL 9p")
    assert isinstance(events[0], HandRevealed)
    assert parse_kinds(waits) == events[0].waits
    answer(hand, "1 DISCARD 8p")
    events = answer(hand, "2 DISCARD 9p")
    if len(expected) == 1:
        assert TileDiscarded(0, parse_kind(drawn)) in events
    else:
        assert expected == texts(hand, 0)


FLUSH = "1113456777999s"
"""Waits on 2s, 3s, 5s, 6s and 8s; without the 7s on 2s, 3s and 6s."""


@pytest.mark.parametrize("allowed", [True, False])
def test_flush_kong_may_shrink_the_waits(xiangyang: RuleSet, *, allowed: bool) -> None:
    """With revealed_flush_kong, a hand of one suit that showed everything may kong and keep part of its waits."""
    rules = xiangyang.replace({"revealed_flush_kong": allowed})
    hand = dealt(rules, [FLUSH, "5678p 56z 2468s 13p 1p"], draws="9p 8p 9p 7s 8p", replacements="2p")
    events = answer(hand, "0 REVEAL 9p")
    assert isinstance(events[0], HandRevealed)
    assert parse_kinds("23568s") == events[0].waits
    answer(hand, "1 DISCARD 8p")
    answer(hand, "2 DISCARD 9p")
    if not allowed:
        assert [1] == list(hand.pending())
        return
    assert ["CONCEALED_KONG 7s", "DISCARD 7s"] == texts(hand, 0)
    events = answer(hand, "0 CONCEALED_KONG 7s")
    assert [KongMade(0, MeldType.CONCEALED_KONG, 0, parse_kind("7s")), WaitsChanged(0, parse_kinds("236s"))] == events[
        :2
    ]


def test_no_flush_kong_after_hiding_a_pung(xiangyang: RuleSet) -> None:
    """A seat that kept a pung face down does not shrink its waits."""
    rules = xiangyang.replace({"revealed_flush_kong": True, "reveal": "wait"})
    hand = dealt(rules, [FLUSH, "5678p 56z 2468s 13p 1p"], draws="9p 8p 9p 7s 8p")
    answer(hand, "0 REVEAL 9p 1s")
    answer(hand, "1 DISCARD 8p")
    answer(hand, "2 DISCARD 9p")
    assert [1] == list(hand.pending())


def test_pungs_that_do_not_touch_the_waits_may_stay_face_down(hubei: RuleSet) -> None:
    """Every set of them is an action of its own, in canonical order."""
    hand = dealt(hubei, ["111p 999s 46p 123s 77z"], draws="8p")
    assert ["REVEAL 8p", "REVEAL 8p 1p", "REVEAL 8p 1p 9s", "REVEAL 8p 9s"] == reveals(hand, 0, "8p")
    events = answer(hand, "0 REVEAL 8p 1p 9s")
    shown = tuple(sorted(parse_kinds("46p 123s 77z")))
    assert HandRevealed(0, shown, parse_kinds("1p 9s"), parse_kinds("5p")) == events[0]


def test_pung_that_is_part_of_the_wait_may_not_stay_face_down(hubei: RuleSet) -> None:
    """3334567s waits on more than 4567s does, so only the other pungs may be hidden."""
    hand = dealt(hubei, ["3334567s 111p 666z"], draws="8p")
    assert ["REVEAL 8p", "REVEAL 8p 1p", "REVEAL 8p 1p 6z", "REVEAL 8p 6z"] == reveals(hand, 0, "8p")


def test_four_of_a_kind_are_no_pung_to_hide(hubei: RuleSet) -> None:
    """Only kinds of which exactly three are held can stay face down."""
    hand = dealt(hubei, ["1111p 23p 456s 789s 7z"], draws="8p")
    assert ["REVEAL 8p"] == reveals(hand, 0, "8p")


def test_face_down_pung_may_be_konged_and_is_shown_then(hubei: RuleSet) -> None:
    """The kong keeps the waits; the pung leaves the face-down ones."""
    hand = dealt(hubei, ["111p 999s 46p 123s 77z", "1379s 24p 567z 288s 6p"], draws="8p 8p 8p 1p", replacements="3p")
    answer(hand, "0 REVEAL 8p 1p 9s")
    answer(hand, "1 DISCARD 8p")
    answer(hand, "2 DISCARD 8p")
    assert ["CONCEALED_KONG 1p", "DISCARD 1p"] == texts(hand, 0)
    answer(hand, "0 CONCEALED_KONG 1p")
    assert parse_kinds("9s") == hand.table.seats[0].face_down


@pytest.mark.parametrize(
    ("reveal", "patterns"),
    [
        ("REVEAL 8p", ("full_flush", "middle_five", "reveal")),
        ("REVEAL 8p 1s", ("middle_five", "reveal")),
    ],
)
def test_hidden_pung_costs_the_full_flush(hubei: RuleSet, reveal: str, patterns: tuple[str, ...]) -> None:
    """Even though the winning hand shows it."""
    hand = dealt(hubei, ["111s 999s 46s 234s 77s", "5s 1379p 2468p 567z 9p"], draws="8p 3p 2p 5s")
    answer(hand, f"0 {reveal}")
    answer(hand, "1 DISCARD 3p")
    answer(hand, "2 DISCARD 2p")
    assert patterns == won(answer(hand, "0 WIN")).patterns


def test_hidden_pung_costs_the_full_flush_on_a_discard_too(xiangyang: RuleSet) -> None:
    """However the hand is won."""
    rules = xiangyang.replace({"reveal": "wait"})
    hand = dealt(rules, ["111s 999s 46s 234s 77s", "5s 1379p 2468p 567z 9p"], draws="8p 3p")
    answer(hand, "0 REVEAL 8p 1s")
    answer(hand, "1 DISCARD 5s")
    assert ("middle_five", "reveal") == won(answer(hand, "0 WIN")).patterns


def test_ban_forbids_what_a_revealed_seat_waits_on(hubei: RuleSet) -> None:
    """Neither a plain discard nor a reveal may use it; the rest stays legal."""
    hand = dealt(hubei, ["23p 123s 456s 789s 77z", "1p 456p 234s 567s 789s"], draws="8p 6z")
    answer(hand, "0 REVEAL 8p")
    assert parse_kinds("14p") == hand.table.seats[0].public_waits
    discards = [text for text in texts(hand, 1) if not text.startswith("REVEAL")]
    assert "DISCARD 1p" not in discards
    assert "DISCARD 4p" not in discards
    assert "DISCARD 5p" in discards
    assert ["REVEAL 6z"] == reveals(hand, 1)


def test_ban_yields_when_every_tile_is_banned(hubei: RuleSet) -> None:
    """A seat whose whole concealed hand is waited on may discard any of it."""
    feeder = "5z 6z 7z 9p 246p 2468s 13s"
    hand = dealt(hubei, ["23p 123s 456s 789s 55p", "55z 66z 77z 99p 7p 35s 1p 4p", feeder], draws="8p 8p 8p 6p 7s 9s")
    answer(hand, "0 REVEAL 8p")
    answer(hand, "1 DISCARD 8p")
    for fed, junk in (("5z", "7p"), ("6z", "3s"), ("7z", "5s")):
        answer(hand, f"2 DISCARD {fed}")
        answer(hand, f"1 PUNG {fed}")
        assert "DISCARD 1p" not in texts(hand, 1)
        answer(hand, f"1 DISCARD {junk}")
    answer(hand, "2 DISCARD 9p")
    answer(hand, "1 PUNG 9p")
    assert ["DISCARD 1p", "DISCARD 4p"] == [text for text in texts(hand, 1) if text.startswith("DISCARD")]


def test_without_the_ban_a_revealed_wait_may_be_discarded(xiangyang: RuleSet) -> None:
    """At the price of paying for it."""
    hand = dealt(xiangyang, [READY, "5p 1379p 13s 56z 2468s"], draws="8p")
    answer(hand, "0 REVEAL 8p")
    assert "DISCARD 5p" in texts(hand, 1)
    answer(hand, "1 DISCARD 5p")
    assert {0: (WIN, PASS)} == hand.pending()
