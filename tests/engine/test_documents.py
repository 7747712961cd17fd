"""What the five documents give as examples, in the preset drawn from each; and their slips, as RULES lists them.

S0 to S4 are the documents as RULES cites them; what stands in 「」 is quoted from them.
"""

from __future__ import annotations

import pytest
from tests.engine.hands import counts_of, dealt, melds_of, payments, score_of, texts, waits_of, win, won

from kawuxing.engine.events import MeldType, WaitsChanged
from kawuxing.engine.hand import Hand, Outcome
from kawuxing.engine.observation import NOBODY, Meld
from kawuxing.engine.patterns import Pattern
from kawuxing.engine.payments import claim_payment, exhaust_penalties, kong_payment
from kawuxing.engine.readings import readings
from kawuxing.engine.rules import load_preset
from kawuxing.engine.scoring import Circumstances, Score, score
from kawuxing.engine.seating import Seating, first_seating, next_seating
from kawuxing.engine.shapes import is_complete
from kawuxing.engine.testing import answer
from kawuxing.engine.tiles import KINDS, SUIT_INDEX, WHITE, parse_kinds

HUBEI = load_preset("hubei")
CLASSIC = load_preset("classic")
STANDARD = load_preset("standard")
THREE_SUIT = load_preset("three-suit")
XIANGYANG = load_preset("xiangyang")
SIT_OUT = load_preset("sit-out")
NO_MELDS = [0] * KINDS


# S0: hubei.

READY_147 = "23456s 111p 999p 77z"


def revealed_147(draws: str) -> Hand:
    """Seat 0 has revealed 23456s, with its two pungs face down; seats 1 and 2 hold no dragons."""
    hand = dealt(HUBEI, [READY_147, "147s 2468p 2589s 3p 6p", "3578s 2468p 357p 6s 9s"], draws="8p " + draws)
    answer(hand, "0 REVEAL 8p 1p 9p")
    return hand


def test_23456_waits_on_147() -> None:
    """S0: 「叫胡147条，可以将23456条亮出来」. The pungs stay face down, the pair is part of the wait."""
    seat = revealed_147("").table.seats[0]
    assert parse_kinds("147s") == seat.public_waits
    assert (parse_kinds("23456s 77z"), parse_kinds("1p 9p")) == (seat.shown, seat.face_down)


def test_a_pung_beside_the_wait_may_be_konged() -> None:
    """S0: 「不影响亮出的23456条叫胡，别人打出第四张或者自摸第四张一筒，是可以杠的」."""
    hand = revealed_147("1p")
    answer(hand, "1 DISCARD 1p")
    assert ["DIRECT_KONG 1p", "PASS"] == texts(hand, 0)

    hand = revealed_147("7p 7p 1p")
    answer(hand, "1 DISCARD 7p")
    answer(hand, "2 DISCARD 7p")
    assert ["CONCEALED_KONG 1p", "DISCARD 1p"] == texts(hand, 0)


def test_a_revealed_hand_discards_whatever_else_it_draws() -> None:
    """S0: 「亮牌的人摸到的非147条，都必须打掉，不能再换牌」. A 4s is asked about, a 2s is gone at once."""
    hand = revealed_147("7p 7p 2s 7p 3p 4s")
    answer(hand, "1 DISCARD 7p")
    answer(hand, "2 DISCARD 7p")
    assert parse_kinds("8p 2s") == tuple(hand.table.seats[0].discards)
    answer(hand, "1 DISCARD 7p")
    answer(hand, "2 DISCARD 3p")
    assert ["WIN", "DISCARD 4s"] == texts(hand, 0)


def test_others_may_not_discard_what_a_revealed_hand_waits_on() -> None:
    """S0: 「另外两个玩家除非在手牌只有147条的情况下，不能主动打出147条」."""
    hand = revealed_147("7p")
    held = "2p 3p 4p 6p 7p 8p 2s 5s 8s 9s"
    assert [f"DISCARD {tile}" for tile in held.split()] == [text for text in texts(hand, 1) if text[0] == "D"]


def test_3456777_may_not_kong_its_7() -> None:
    """S0: 「亮倒的3456777条，叫胡258条和36条，这种情况下，就不能再碰和杠第四个七条」. Drawn, it is gone at once."""
    hands = ["3456777s 666z 111p", "7s 159s 24p 57z 26688p"]
    hand = dealt(HUBEI, hands, draws="9p 2p")
    answer(hand, "0 REVEAL 9p")
    assert parse_kinds("23568s") == hand.table.seats[0].public_waits
    answer(hand, "1 DISCARD 7s")
    assert [2] == list(hand.pending())

    hand = dealt(HUBEI, [hands[0]], draws="9p 8p 8p 7s")
    answer(hand, "0 REVEAL 9p")
    answer(hand, "1 DISCARD 8p")
    answer(hand, "2 DISCARD 8p")
    assert parse_kinds("9p 7s") == tuple(hand.table.seats[0].discards)


def test_a_full_flush_shows_everything() -> None:
    """S0: 「如果需要叫胡清一色牌型，必须把所有手牌都亮倒」."""
    shown, hidden = (
        win(HUBEI, "111s 999s 46s 234s 77s", "", "5s", how) for how in ("revealed", "revealed hidden_pungs")
    )
    assert (16, 4) == (shown.total, hidden.total)
    assert {Pattern.FULL_FLUSH} == set(shown.patterns) - set(hidden.patterns)


def revealed_2344555(draws: str) -> Hand:
    """Seat 0 has revealed 2344555p with two pungs of the same suit, all of it shown."""
    hands = ["2344555p 777p 999p", "8p 1379s 246s 556z 8s 7z", "8p 1379s 246s 567z 8s 5s"]
    hand = dealt(HUBEI, hands, draws="6z " + draws, replacements="6z")
    answer(hand, "0 REVEAL 6z")
    return hand


def test_2344555_waits_on_14_and_36_and_may_kong_5() -> None:
    """S0: 「可以叫胡14筒和36筒，来5筒还可以杠掉以后还是听牌胡14筒」「亮倒玩家也可以自己决定杠不杠5筒」."""
    hand = revealed_2344555("8p 8p 5p")
    assert parse_kinds("1346p") == hand.table.seats[0].public_waits
    answer(hand, "1 DISCARD 8p")
    answer(hand, "2 DISCARD 8p")
    assert ["CONCEALED_KONG 5p", "DISCARD 5p"] == texts(hand, 0)
    assert WaitsChanged(0, parse_kinds("14p")) in answer(hand, "0 CONCEALED_KONG 5p")


def test_others_decide_whether_to_discard_that_5() -> None:
    """S0: 「另两家自己做决定打不打出第四个5筒」: it is none of the waits, so the ban does not hold it back."""
    hand = revealed_2344555("5p")
    assert "DISCARD 5p" in texts(hand, 1)
    answer(hand, "1 DISCARD 5p")
    assert ["DIRECT_KONG 5p", "PASS"] == texts(hand, 0)


def test_kongs_pay_5_or_10() -> None:
    """S0: 「另两家各付底分×1=5」「点杠者支付给杠牌者底分×2=10」「另两家各付给杠牌者底分×2=10」."""
    kongs = (MeldType.ADDED_KONG, MeldType.DIRECT_KONG, MeldType.CONCEALED_KONG)
    expected = [(10, -5, -5), (10, -10, 0), (20, -10, -10)]
    assert expected == [kong_payment(HUBEI, kong, 0, 1, 0) for kong in kongs]


def test_kongs_upon_kongs_double_without_end() -> None:
    """S0: 「以第一个杠为基数，每增加一杠，在前一个基础上×2」「杠上杠无上限」."""
    direct = [kong_payment(HUBEI, MeldType.DIRECT_KONG, 0, 1, link)[0] for link in range(5)]
    assert [10, 20, 40, 80, 160] == direct


@pytest.mark.parametrize("preset", ["hubei", "classic", "standard", "xiangyang"])
def test_a_kong_not_made_at_once_is_lost(preset: str) -> None:
    """S0: 「不能先碰以后等再轮到自己再杠」.

    S1: 「手上有暗刻时，必须直接杠或者选择不杠，不能碰后再杠」, S2 and S4 alike.
    """
    hand = dealt(load_preset(preset), ["555p 1379s 24p 567z 9p", "5p"], dealer=1, draws="8p 7p 7p 8s")
    answer(hand, "1 DISCARD 5p")
    assert ["DIRECT_KONG 5p", "PUNG 5p", "PASS"] == texts(hand, 0)
    answer(hand, "0 PUNG 5p")
    answer(hand, "0 DISCARD 9p")
    answer(hand, "1 DISCARD 7p")
    answer(hand, "2 DISCARD 7p")
    assert parse_kinds("8s") == (hand.drawn(0),)
    assert {"DISCARD"} == {text.split()[0] for text in texts(hand, 0)}


@pytest.mark.parametrize(("preset", "expected"), [("hubei", True), ("classic", False)])
def test_concealed_kong_after_a_pung_before_the_first_discard(preset: str, *, expected: bool) -> None:
    """S0: 「C在没有打出第一张牌时，可以在碰或者直杠A或B打出的任意牌后马上暗杠」.

    S1: 「手里有暗杠，不能碰其他牌后再开暗杠」.
    """
    hand = dealt(load_preset(preset), ["", "5p", "55p 9999s 13p 57s 567z"], draws="8p 8p")
    answer(hand, "0 DISCARD 8p")
    answer(hand, "1 DISCARD 5p")
    answer(hand, "2 PUNG 5p")
    assert expected == ("CONCEALED_KONG 9s" in texts(hand, 2))


@pytest.mark.parametrize(("concealed", "other"), [("34456s", "2s"), ("45667s", "8s")])
def test_the_middle_five_is_won_with_the_5(concealed: str, other: str) -> None:
    """S0: 「必须是胡到“五”，才能算卡五星，胡到2和8都不算」."""
    rest = " 123p 789p 77z"
    assert Score(2, (Pattern.MIDDLE_FIVE,)) == win(HUBEI, concealed + rest, "", "5s")
    assert Score(1, ()) == win(HUBEI, concealed + rest, "", other)


@pytest.mark.parametrize(
    "concealed",
    [
        pytest.param("4466s 5s 11p 33p 77p 99p", id="split into sequences it does not even wait"),
        pytest.param("44566s 112233p 99p", id="as 123 123p 456 456s 99p it is a middle five"),
    ],
)
def test_seven_pairs_have_no_middle_five(concealed: str) -> None:
    """S0: 「卡五星和七对这两种牌型不能共存」: ×4, not ×8."""
    assert Score(4, (Pattern.SEVEN_PAIRS,)) == win(HUBEI, concealed, "", "5s")


def test_a_concealed_four_is_a_pung_and_a_sequence() -> None:
    """S0: 「必须只有一张牌组成句子，另三张组成一坎」, 「3筒只能组成两个句子和一对将牌」 is none."""
    assert Score(4, (Pattern.CONCEALED_FOUR,)) == win(HUBEI, "33345p 777888s 99s", "", "3p")
    assert Score(1, ()) == win(HUBEI, "1233345p 777888s", "", "3p")


def missed_5p() -> Hand:
    """Seat 0 waits on 5p and white; it passed up the 5p of the next seat, and the seat before it is to discard."""
    hands = ["55p 55z 666z 777z 123s", "5p 1379s 2468p 468s 2p", "5p 5z 1379s 2468p 468s"]
    hand = dealt(HUBEI, hands, dealer=1, draws="9p 9s")
    answer(hand, "1 DISCARD 5p")
    assert "WIN" in texts(hand, 0)
    answer(hand, "0 PASS")
    return hand


def test_a_missed_win_allows_the_bigger_one() -> None:
    """S0: 「接着打的5筒也不能胡，除非上家打的是白板，因为胡白板就把小三元变成了大三元」."""
    hand = missed_5p()
    answer(hand, "2 DISCARD 5p")
    assert "WIN" not in texts(hand, 0)

    hand = missed_5p()
    answer(hand, "2 DISCARD 5z")
    assert "WIN" in texts(hand, 0)
    assert (8, (Pattern.BIG_THREE_DRAGONS,)) == (won(events := answer(hand, "0 WIN")).total, won(events).patterns)


def test_revealing_doubles_what_comes_in_and_goes_out() -> None:
    """S0: 「亮倒×2，进出一致」. A revealed winner's 4 has the 2 in it; a revealed payer pays 2 more."""
    assert (20, -20, 0) == claim_payment(HUBEI, 0, 1, 4, winner_revealed=True, payer_revealed=False)
    assert (40, -40, 0) == claim_payment(HUBEI, 0, 1, 4, winner_revealed=False, payer_revealed=True)


@pytest.mark.parametrize(
    ("concealed", "melds", "tile", "how", "patterns"),
    [
        pytest.param(
            *("9s", "5z 6z 7z 1pk", "9s", "self_draw kong_draw revealed"),
            "big_three_dragons kong_draw reveal single_tile_hand",
            id="亮倒大三元的手抓一杠上开",
        ),
        pytest.param(
            *("1111p 9999p 33p 55p 7p", "", "7p", "self_draw revealed"),
            "double_dragon_seven_pairs full_flush reveal",
            id="清一色双龙七对亮倒",
        ),
        pytest.param(
            *("55546p 789p 99p", "1pc", "5p", "self_draw kong_draw revealed"),
            "concealed_four full_flush kong_draw middle_five reveal",
            id="清一色卡五星暗四归亮倒杠上开",
        ),
    ],
)
def test_the_maxima_are_128(concealed: str, melds: str, tile: str, how: str, patterns: str) -> None:
    """S0: 「一起分析一下最大的翻数！」, its first, third and fourth."""
    expected = Score(128, tuple(Pattern(name) for name in patterns.split()))
    assert expected == win(HUBEI, concealed, melds, tile, how)


def test_its_second_maximum_cannot_exist() -> None:
    """S0's 「亮倒大三元的卡五星暗四归杠上开」 would be 256.

    Three dragon pungs leave one set and a pair; 暗四归 needs two sets.
    """
    how = Circumstances(self_draw=True, kong_draw=True, revealed=True)
    dragons = [Meld(MeldType.CONCEALED_KONG, kind, 0) for kind in parse_kinds("567z")]
    numbered = [kind for kind in HUBEI.kinds if kind < WHITE]
    sets = [(kind, kind, kind) for kind in numbered]
    sets += [(kind, kind + 1, kind + 2) for kind in numbered if SUIT_INDEX[kind] == SUIT_INDEX[kind + 2]]
    totals = set()
    for tiles in sets:
        for pair in numbered:
            held = [*tiles, pair, pair]
            counts = [held.count(kind) for kind in range(KINDS)]
            if max(counts) > 4:
                continue
            for tile in set(held):
                for rules in (HUBEI, XIANGYANG):
                    result = score(rules, counts, dragons, tile, how)
                    assert result is not None
                    assert Pattern.CONCEALED_FOUR not in result.patterns
                    totals.add(result.total)
    assert {32, 64} == totals


# S1: classic.


@pytest.mark.parametrize(
    ("tiles", "melds", "others", "expected"),
    [
        ("4556p", "1s 2s 3s", "", "middle_five"),
        ("4688p", "1s 2s 3s", "", "middle_five"),
        ("2245667p", "1s 2s", "8p", "middle_five"),
        ("2245556p", "1s 2s", "2p", "concealed_four middle_five"),
    ],
)
def test_hands_that_win_the_middle_five(tiles: str, melds: str, others: str, expected: str) -> None:
    """S1: 「例如4556、4688、2245667、2245556胡5 ×2」. In the last the 5p is also the fourth; some have other waits."""
    assert sorted(["5p", *others.split()]) == waits_of(CLASSIC, tiles, melds).split()
    result = win(CLASSIC, tiles, melds, "5p")
    assert expected == " ".join(result.patterns)
    for other in others.split():
        assert Pattern.MIDDLE_FIVE not in win(CLASSIC, tiles, melds, other).patterns


def test_seven_pairs_in_a_flush_over_the_middle_five() -> None:
    """S1: 「只算最大胡牌牌型4×4的清一色加七对，不算4×2的清一色加卡五星」."""
    assert Score(16, (Pattern.FULL_FLUSH, Pattern.SEVEN_PAIRS)) == win(CLASSIC, "1122334456677p", "", "5p")
    without = CLASSIC.replace({"seven_pairs": False})
    assert Score(8, (Pattern.FULL_FLUSH, Pattern.MIDDLE_FIVE)) == win(without, "1122334456677p", "", "5p")


def test_dragon_seven_pairs_in_a_flush_or_the_middle_five_with_a_four() -> None:
    """S1: 「只算4×8的清一色加龙七对或者只算4×2×4的清一色加卡五星加暗四归」: 32 either way."""
    standard = (Pattern.CONCEALED_FOUR, Pattern.FULL_FLUSH, Pattern.MIDDLE_FIVE)
    pairs = (Pattern.DRAGON_SEVEN_PAIRS, Pattern.FULL_FLUSH)
    assert Score(32, standard) == win(CLASSIC, "1122334455566p", "", "5p")
    assert Score(32, standard) == win(CLASSIC.replace({"seven_pairs": False}), "1122334455566p", "", "5p")
    shaped = CLASSIC.replace({"concealed_four_shape": "pung_and_sequence"})
    assert Score(32, pairs) == win(shaped, "1122334455566p", "", "5p")


def test_its_example_of_12_tiles_is_no_hand() -> None:
    """S1's 「11 22 33 44 5 667」 has a tile too few; RULES §10 reads it as 1122334456677."""
    short, meant = ("11p 22p 33p 44p 5p 667p", "11p 22p 33p 44p 5p 66p 77p")
    assert (12, 13) == (sum(counts_of(short)), sum(counts_of(meant)))
    assert "5p 8p" == waits_of(CLASSIC, meant)
    assert not is_complete(CLASSIC, counts_of(short + "5p"), NO_MELDS)


@pytest.mark.parametrize(
    ("preset", "totals"), [("classic", (16, 128, 64)), ("zaoyang", (8, 16, 8)), ("shiyan", (8, 8, 8))]
)
def test_local_caps(preset: str, totals: tuple[int, ...]) -> None:
    """S1: 「特殊仅双龙七对计算X16倍底金，其余均以X8封顶」「十堰地区X8倍底金即满和，不再累计」."""
    rules = load_preset(preset)
    flush_pairs = win(rules, "1122334466889s", "", "9s")
    double_dragon = win(rules, "1111p 9999p 33p 55p 7p", "", "7p", "revealed")
    big_dragons = win(rules, "9s", "5z 6z 7z 1p", "9s")
    assert totals == (flush_pairs.total, double_dragon.total, big_dragons.total)


def test_a_discard_after_two_kongs_doubles_once() -> None:
    """S1: 「不管有几个杠上杠，放的杠上炮都只×2」."""
    hands = ["1111s 9999s 137p 67z", "46p 234s 567s 888s 77z"]
    hand = dealt(CLASSIC, hands, draws="8p", replacements="2s 5p")
    answer(hand, "0 CONCEALED_KONG 1s")
    answer(hand, "0 CONCEALED_KONG 9s")
    answer(hand, "0 DISCARD 5p")
    event = won(answer(hand, "1 WIN"))
    assert (4, (Pattern.KONG_DISCARD, Pattern.MIDDLE_FIVE)) == (event.total, event.patterns)


def test_who_discards_to_a_revealed_hand_pays_for_all() -> None:
    """S1: 「那么就相当于亮倒的人自摸，但由点炮者一个人出」."""
    assert (8, -8, 0) == claim_payment(CLASSIC, 0, 1, 4, winner_revealed=True, payer_revealed=False)


def test_the_first_to_reveal_pays_for_an_exhausted_hand() -> None:
    """S1: 「如果荒庄，那么第一个亮倒的要赔每家1个」."""
    assert [(2, (1, 1, -2))] == exhaust_penalties(CLASSIC, (True, False, True), 2)


def test_fours_in_a_flush_count_and_else_only_the_one_that_is_won() -> None:
    """S1: 「大胡（清一色）的话，手上的四归也算」「屁胡要是要听牌后胡的那张才算」."""
    flush = (Pattern.CONCEALED_FOUR, Pattern.FULL_FLUSH)
    assert Score(16, flush) == win(CLASSIC, "111123p 456p 789p 9p", "", "9p")
    assert Score(1, ()) == win(CLASSIC, "111123p 456p 789s 9s", "", "9s")
    assert Score(4, (Pattern.CONCEALED_FOUR,)) == win(CLASSIC, "11123p 456p 789s 99s", "", "1p")


def test_the_last_tile_doubles_though_an_exhausted_hand_has_none() -> None:
    """S1 says 「该局荒庄(无海捞)」 and lists 「抓棹面上最后一张牌的人正好能胡牌。×2」: the ×2 is followed."""
    assert Score(2, (Pattern.LAST_DRAW,)) == win(CLASSIC, "23p 678p 99p", "1s 2s", "4p", "self_draw last_draw")


# S2: standard.


@pytest.mark.parametrize(
    ("concealed", "melds", "shape"),
    [
        ("11p 123p 456p 123s 789s", "", (4, 0)),
        ("11p 123p 456p 789s", "5z", (3, 1)),
        ("11p 123p 456p 999s", "5zk", (2, 2)),
        ("11p 123p 999s", "5z 6zc", (1, 3)),
        ("11p 222p", "5za 9s 8sk", (0, 4)),
    ],
)
def test_basic_shapes(concealed: str, melds: str, shape: tuple[int, int]) -> None:
    """S2: 「胡牌的基本牌型（1）11、123、123、123、123」 to 「（5）11、111、111、111、111」, kongs for 111 alike."""
    (reading,) = readings(counts_of(concealed))
    assert shape == (len(reading.sequences), len(reading.pungs) + len(melds_of(melds)))
    assert score_of(STANDARD, concealed[1:], melds, "1p") is not None


def test_seven_pairs_are_the_sixth_shape() -> None:
    """S2: 「（6）11、11、11、11、11、11、。(七對)」, which names one pair too few."""
    assert is_complete(STANDARD, counts_of("11p 33p 55p 77p 99s 22s 55z"), NO_MELDS)
    assert not is_complete(STANDARD, counts_of("11p 33p 55p 77p 99s 22s"), NO_MELDS)


def test_who_discards_to_a_revealed_hand_pays_double() -> None:
    """S2: 「B放炮且包胡，B要按照A的糊牌大小賠2倍給A。C不出」, S4 alike."""
    for rules in (STANDARD, XIANGYANG):
        assert (8, -8, 0) == claim_payment(rules, 0, 1, 4, winner_revealed=True, payer_revealed=False)


@pytest.mark.parametrize(
    ("revealed", "points"),
    [
        pytest.param((True, False, False), [(0, (-2, 1, 1))], id="要賠兩個沒有亮倒的玩家每人1個"),
        pytest.param((True, True, False), [(0, (-1, 0, 1)), (1, (0, -1, 1))], id="分別要賠沒有亮倒的玩家1個"),
        pytest.param((True, True, True), [], id="三個玩家都亮倒，都不賠"),
    ],
)
def test_revealed_seats_pay_for_an_exhausted_hand(
    revealed: tuple[bool, ...], points: list[tuple[int, tuple[int, ...]]]
) -> None:
    """S2: 「4，亮倒和荒莊」, its three cases; S4 alike."""
    for rules in (STANDARD, XIANGYANG):
        assert points == exhaust_penalties(rules, revealed, 0)


def test_the_second_kong_doubles_and_not_the_first() -> None:
    """S2: 「槓上槓的要翻倍（第一槓不翻倍），如果槓完之後又被人槓或者自己槓，就再翻一倍」."""
    concealed = [kong_payment(STANDARD, MeldType.CONCEALED_KONG, 0, 0, link) for link in range(3)]
    assert [(4, -2, -2), (8, -4, -4), (16, -8, -8)] == concealed


@pytest.mark.parametrize("preset", ["standard", "xiangyang"])
def test_a_missed_win_locks_for_every_tile(preset: str) -> None:
    """S2: 「A在沒有抓牌的情況下，不管A胡幾張牌，都不能胡另外玩家打出的牌」, S4 alike: not the big dragons either."""
    hands = ["55p 55z 666z 777z 123s", "5p 1379s 2468p 468s 2p", "5p 5z 1379s 2468p 468s"]
    hand = dealt(load_preset(preset), hands, dealer=1, draws="9p 9s")
    answer(hand, "1 DISCARD 5p")
    answer(hand, "0 PASS")
    answer(hand, "2 DISCARD 5z")
    assert ["PUNG 5z", "PASS"] == texts(hand, 0)


# S3: three-suit.


@pytest.mark.parametrize(
    ("concealed", "tile"),
    [
        pytest.param("46m 123m 789m 111s 22s", "5m", id="手中有4万和6万，胡5万"),
        pytest.param("24s 567s 123m 777m 99m", "3s", id="手中有2条和4条，胡3条"),
        pytest.param("79p 123p 456p 111s 55s", "8p", id="7筒和9筒，胡8筒"),
    ],
)
def test_a_gap_wait(concealed: str, tile: str) -> None:
    """S3: 「当手中有两张相邻的牌，中间缺一张，此时胡中间的那张牌就叫"卡"」, its three examples."""
    assert tile == waits_of(THREE_SUIT, concealed)
    assert Score(2, (Pattern.GAP_WAIT,)) == win(THREE_SUIT, concealed, "", tile)


@pytest.mark.parametrize(
    ("concealed", "melds", "tile", "how", "total"),
    [
        pytest.param("12m 456m 789s 111s 88s", "", "3m", "", 1, id="平胡=1分"),
        pytest.param("12m 456m 789s 111s 88s", "", "3m", "self_draw", 2, id="自摸×2"),
        pytest.param("13m 456m 789s 111s 88s", "", "2m", "", 2, id="卡张×2"),
        pytest.param("111s 222m 333m 44m 55s", "", "4m", "", 5, id="碰碰胡=5分"),
        pytest.param("123m 456m 789m 123m 9m", "", "9m", "", 5, id="清一色=5分"),
        pytest.param("222m 888m 88p 55p", "5m", "8p", "", 10, id="将一色=10分"),
        pytest.param("111m 333m 55m 77m", "9m", "7m", "", 20, id="清碰=20分"),
        pytest.param("222m 888m 88p 55p", "5mk", "8p", "self_draw kong_draw", 40, id="杠上开花 ×2"),
    ],
)
def test_points_of_the_five_stars(concealed: str, melds: str, tile: str, how: str, total: int) -> None:
    """S3: 「一般以平胡=1分作为底分，自摸×2，卡张×2，碰碰胡=5分，清一色=5分，将一色=10分，清碰=20分等」."""
    assert total == win(THREE_SUIT, concealed, melds, tile, how).total


@pytest.mark.parametrize(
    ("concealed", "one_suit_less"),
    [
        pytest.param("123m 456s 789p 111m 5p", "123m 456m 789p 111m 5p", id="123万+456条+789筒+111万+5筒作将"),
        pytest.param("111s 222m 333p 444m 5s", "111s 222m 333s 444m 5s", id="111条+222万+333筒+444万+5条作将"),
    ],
)
def test_its_examples_of_three_suits_are_no_hands(concealed: str, one_suit_less: str) -> None:
    """S3's examples of 平胡 and 碰碰胡 are slips: they break its own 「胡牌时手牌只能有两种花色」."""
    pair = concealed[-2:]
    assert score_of(THREE_SUIT, concealed, "", pair) is None
    assert score_of(THREE_SUIT, one_suit_less, "", pair) is not None


# S4: xiangyang.


def test_seven_pairs_in_a_flush_are_16() -> None:
    """S4: 「清一色加七对就是：4×4=16番」."""
    expected = Score(16, (Pattern.FULL_FLUSH, Pattern.SEVEN_PAIRS))
    assert expected == win(XIANGYANG, "1122334466889s", "", "9s")


@pytest.mark.parametrize("melds", ["5z 6z 7z 1p", "5zk 6zc 7za 1p"])
def test_big_dragons_in_four_melds_are_64(melds: str) -> None:
    """S4: 「大三元+碰碰胡+手抓一：8×2×4=64番」, of pungs or kongs (「刻子（杠）」)."""
    expected = Score(64, (Pattern.ALL_PUNGS, Pattern.BIG_THREE_DRAGONS, Pattern.SINGLE_TILE_HAND))
    assert expected == win(XIANGYANG, "9s", melds, "9s")


READY_3 = "23334567s 66z 111p"


@pytest.mark.parametrize(
    ("first", "revealed", "kong"),
    [("DISCARD 9p", False, True), ("REVEAL 9p", True, False)],
)
def test_23334567_may_kong_its_3_unless_it_is_revealed(first: str, *, revealed: bool, kong: bool) -> None:
    """S4: 「抓到或者其他玩家出3，可以杠3」, but 「在亮倒的情况下，23334567 不可以杠3」. Read with a pair beside it."""
    feeder = "3s 159s 24p 57z 26688p"
    hand = dealt(XIANGYANG, [READY_3, feeder], draws="9p")
    answer(hand, f"0 {first}")
    assert revealed == hand.table.seats[0].revealed
    answer(hand, "1 DISCARD 3s")
    assert kong == ("DIRECT_KONG 3s" in texts(hand, 0))

    hand = dealt(XIANGYANG, [READY_3, "1259s 24p 57z 26688p"], draws="9p 8p 9p 3s")
    answer(hand, f"0 {first}")
    answer(hand, "1 DISCARD 8p")
    answer(hand, "2 DISCARD 9p")
    assert kong == ("CONCEALED_KONG 3s" in texts(hand, 0))


def test_after_that_kong_it_is_no_longer_ready() -> None:
    """S4: 「杠3后，不再是听牌牌型」."""
    assert "3s 6z" == waits_of(XIANGYANG, READY_3)
    assert "" == waits_of(XIANGYANG, "24567s 66z 111p", "3sc")


def test_a_revealed_hand_wins_discards_too() -> None:
    """S4 says 「只能自摸胡牌」 and 「如果有玩家点炮，那么，点炮者出双份」: the second is followed."""
    hand = dealt(XIANGYANG, ["46p 123s 456s 789s 77z", "5p 1379p 13s 56z 2468s"], draws="8p")
    answer(hand, "0 REVEAL 8p")
    answer(hand, "1 DISCARD 5p")
    assert ["WIN", "PASS"] == texts(hand, 0)
    assert [(8, -8, 0)] == payments(answer(hand, "0 WIN"))


@pytest.mark.parametrize("how", ["", "self_draw"])
def test_both_fours_are_won_either_way(how: str) -> None:
    """S4 notes 「（放炮）」 beside 明四归 and 「（自摸）」 beside 暗四归.

    Its table lets both be won either way, 「自摸2人出 ；放炮一人出」, and is followed.
    """
    assert Score(2, (Pattern.EXPOSED_FOUR,)) == win(XIANGYANG, "12s 678p 789s 77z", "3s", "3s", how)
    assert Score(4, (Pattern.CONCEALED_FOUR,)) == win(XIANGYANG, "22234p 345s 789s 66z", "", "2p", how)


def test_a_revealed_win_doubles_and_kongs_do_not() -> None:
    """S4: 「亮倒后胡牌积分翻番；但喜钱不翻番」."""
    hand = dealt(XIANGYANG, ["46p 111s 999s 567s 77z", "1s"], draws="8p", replacements="5p")
    answer(hand, "0 REVEAL 8p")
    answer(hand, "1 DISCARD 1s")
    assert [(2, -2, 0)] == payments(answer(hand, "0 DIRECT_KONG 1s"))
    event = won(answer(hand, "0 WIN"))
    assert (8, (Pattern.KONG_DRAW, Pattern.MIDDLE_FIVE, Pattern.REVEAL)) == (event.total, event.patterns)


# S4's last part: sit-out.


@pytest.mark.parametrize("link", [1, 2, 3])
def test_kongs_upon_kongs_pay_2_or_4_each_and_no_more(link: int) -> None:
    """S4: 「杠上明杠每家乘2，杠上暗杠每家乘4封顶每杠算钱」."""
    assert (4, -2, -2) == kong_payment(SIT_OUT, MeldType.ADDED_KONG, 0, 0, link)
    assert (8, -4, -4) == kong_payment(SIT_OUT, MeldType.CONCEALED_KONG, 0, 0, link)


def test_a_four_in_a_flush_is_worth_the_cap() -> None:
    """S4: 「但大胡时有四归算满胡」: exposed or concealed, whichever tile is won."""
    assert 8 == win(SIT_OUT, "111123p 456p 789p 9p", "", "9p").total
    assert 8 == win(SIT_OUT, "234p 567p 888p 9p", "2p", "9p").total


def test_who_rests() -> None:
    """S4: 「之后谁胡谁休息，等待者上位坐庄」「一炮两响三人继续，点炮者坐庄，亮倒荒庄先亮者坐庄」."""
    seating = first_seating(SIT_OUT)
    assert Seating((0, 3, 2), 1) == next_seating(SIT_OUT, seating, Outcome((1,), NOBODY, NOBODY))
    assert Seating((0, 1, 2), 2) == next_seating(SIT_OUT, seating, Outcome((0, 1), 2, NOBODY))
    assert Seating((0, 1, 2), 1) == next_seating(SIT_OUT, seating, Outcome((), NOBODY, 1))
