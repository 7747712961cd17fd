"""Hands worked out by hand from RULES §§3-5 and §9, in every preset; the reasoning stands beside each.

What of it may be won, and who pays what, is in test_settlements.py.
"""

from __future__ import annotations

import pytest
from tests.engine.hands import Row

from kawuxing.engine.rules import load_preset, preset_names

HANDS: dict[str, dict[str, Row]] = {
    # Any four concealed count, all_pungs beside single_tile_hand, fours only of the winning tile, no cap.
    "xiangyang": {
        "234 678p 345 789s 66z: nothing holds": Row("234p 678p 345s 78s 66z", "", "9s", "", 1, ""),
        "the last discard is not listed: middle 2 x kong discard 2": Row(
            "46s 123p 789p 345s 77z", "", "5s", "kong_discard last_discard", 4, "kong_discard middle_five"
        ),
        "234 456p with the pair 44p has any four 4p: 4 x last draw 2": Row(
            "2344456p 999s 111s", "", "4p", "self_draw last_draw", 8, "concealed_four last_draw"
        ),
        "the fourth of the pung is the 5p between 46p: exposed 2 x middle 2": Row(
            "46p 123s 789s 66z", "5p", "5p", "", 4, "exposed_four middle_five"
        ),
        "four melds: small dragons 4 x pungs 2 x single tile 4": Row(
            "7z", "1p 5z 6z 9s", "7z", "", 32, "all_pungs single_tile_hand small_three_dragons"
        ),
        "kongs are dragon sets, too: big dragons 8 x kong draw 2": Row(
            "66z 234p 88s", "5zk 7zc", "6z", "self_draw kong_draw", 16, "big_three_dragons kong_draw"
        ),
        "111 123 456 789 99p: flush 4 x fourth 1p 4": Row(
            "11123p 456p 789p 99p", "", "1p", "", 16, "concealed_four full_flush"
        ),
        "won by 9p: the four 1p do not count": Row("111123p 456p 789p 9p", "", "9p", "", 4, "full_flush"),
        "four 1p are two of the pairs: dragon 8 x reveal 2": Row(
            "1111p 44p 66p 22s 55s 7z", "", "7z", "revealed", 16, "dragon_seven_pairs reveal"
        ),
        "55p is a pair of seven, not the middle of 456p": Row(
            "4466p 5p 11s 33s 77s 99s", "", "5p", "", 4, "seven_pairs"
        ),
        "seven pairs 4 over 123 123p 789 789s 55s, which is worth 1": Row(
            "112233p 778899s 5s", "", "5s", "last_discard", 4, "seven_pairs"
        ),
        "kongs and concealed pungs are pungs: 2 x kong discard 2": Row(
            "444p 66s 77z", "1pk 9sa", "6s", "kong_discard", 4, "all_pungs kong_discard"
        ),
        "dragons form no sequence": Row("123p 456p 789p 11s 56z", "", "7z", "", 0, ""),
    },
    # Scores as xiangyang does.
    "standard": {
        "345 456s: the 5s is in 456s, whatever else it waits on": Row(
            "34456s 123p 789p 55z", "", "5s", "", 2, "middle_five"
        ),
        "234 456s: the other wait of the same hand": Row("34456s 123p 789p 55z", "", "2s", "", 1, ""),
        "4556p waits on 5p alone": Row("4556p 123s 789s 777z", "", "5p", "", 2, "middle_five"),
        "replacement 2 x last tile 2 x reveal 2": Row(
            "12345p 789s 22s", "6zk", "3p", "self_draw kong_draw last_draw revealed", 8, "kong_draw last_draw reveal"
        ),
        "555 456p: fourth 5p 4 x middle 2": Row("55546p 123s 789s 11s", "", "5p", "", 8, "concealed_four middle_five"),
        "666z 777z and the pair 55z: small dragons 4 x kong discard 2": Row(
            "55z 66z 777z 123p 789s", "", "6z", "kong_discard", 8, "kong_discard small_three_dragons"
        ),
        "7z of 77z 11p makes the big: 8 x pungs 2 x reveal 2": Row(
            "666z 77z 11p 999s", "5z", "7z", "revealed", 32, "all_pungs big_three_dragons reveal"
        ),
        "1p of 77z 11p makes the small: 4 x pungs 2": Row(
            "666z 77z 11p 999s", "5z", "1p", "", 8, "all_pungs small_three_dragons"
        ),
        "flush 4 x pungs 2 x single tile 4 x kong draw 2": Row(
            "9s", "1s 2s 4sk 7s", "9s", "self_draw kong_draw", 64, "all_pungs full_flush kong_draw single_tile_hand"
        ),
        "seven pairs 4 x flush 4": Row("1122334466889s", "", "9s", "", 16, "full_flush seven_pairs"),
        "dragon seven pairs 8 x flush 4": Row("1111335577889p", "", "9p", "", 32, "dragon_seven_pairs full_flush"),
        "pairs of dragons are pairs": Row("1111p 2222s 55z 66z 7z", "", "7z", "", 16, "double_dragon_seven_pairs"),
    },
    # four_in_flush: in a flush every four without a kong counts, whichever tile is won.
    "classic": {
        "111 123 456 789 99p won by 9p: flush 4 x four 1p 4": Row(
            "111123p 456p 789p 9p", "", "9p", "", 16, "concealed_four full_flush"
        ),
        "a pung of 2p and 234p won by 9p: flush 4 x exposed 2": Row(
            "234p 567p 888p 9p", "2p", "9p", "", 8, "exposed_four full_flush"
        ),
        "the same without the flush": Row("234p 567p 888s 9s", "2p", "9s", "", 1, ""),
        "11 222 234 789s and a pung of 7s won by 1s: 4 x 2 x 4": Row(
            "222234s 789s 1s", "7s", "1s", "", 32, "concealed_four exposed_four full_flush"
        ),
        "111 222 123 33 789p won by 9p: flush 4 x four 1p 4 x four 2p 4": Row(
            "1111222233378p", "", "9p", "", 64, "concealed_four concealed_four full_flush"
        ),
        "a kong is no four": Row("456p 789p 11p 22p", "3pc", "1p", "", 4, "full_flush"),
        "555 456 789 99p and 111p: 4 x fourth 5p 4 x middle 2": Row(
            "55546p 789p 99p", "1p", "5p", "", 32, "concealed_four full_flush middle_five"
        ),
        "no flush, no four 1p; the single 5s makes 456s": Row("111123p 456s 789s 5s", "", "5s", "", 2, "middle_five"),
        "a dragon breaks the flush and with it the four": Row("111123p 456p 99p 55z", "", "5z", "last_discard", 1, ""),
        "seven pairs know no fours: dragon 8 x flush 4": Row(
            "1111p 33p 55p 66p 88p 9p", "", "9p", "", 32, "dragon_seven_pairs full_flush"
        ),
        "middle 2 x reveal 2 x robbed 2": Row(
            "46p 789p 11s", "2s 3s", "5p", "rob_kong revealed", 8, "middle_five reveal rob_kong"
        ),
        "kongs in a flush of one tile: 4 x pungs 2 x single 4 x last 2": Row(
            "7p", "1p 3pc 5pk 9p", "7p", "self_draw last_draw", 64, "all_pungs full_flush last_draw single_tile_hand"
        ),
    },
    # last_discard counts; concealed_four asks for pung and sequence; single tile without pungs; hidden pungs.
    "hubei": {
        "the last discard 2": Row("234p 678p 345s 78s 66z", "", "9s", "last_discard", 2, "last_discard"),
        "234 456p 44p: the four 4p are in no pung, only the last draw counts": Row(
            "2344456p 999s 111s", "", "4p", "self_draw last_draw", 2, "last_draw"
        ),
        "345 567p 55p: neither four nor middle": Row("3455567p 999s 111s", "", "5p", "self_draw", 1, ""),
        "222 234p: four 2p 4 x kong discard 2": Row(
            "22234p 345s 789s 66z", "", "2p", "kong_discard", 8, "concealed_four kong_discard"
        ),
        "four melds: single tile 4 alone": Row("7z", "1p 3pc 5sk 9s", "7z", "", 4, "single_tile_hand"),
        "four melds: small dragons 4 x single tile 4": Row(
            "7z", "1p 5z 6z 9s", "7z", "", 16, "single_tile_hand small_three_dragons"
        ),
        "111 999 456 33 678p all shown: flush 4 x middle 2 x reveal 2": Row(
            "111p 999p 46p 33p 678p", "", "5p", "revealed", 16, "full_flush middle_five reveal"
        ),
        "the same with a pung face down: no flush": Row(
            "111p 999p 46p 33p 678p", "", "5p", "revealed hidden_pungs", 4, "middle_five reveal"
        ),
        "the same konged later: still no flush, kong draw 2": Row(
            "999p 46p 33p 678p",
            "1pc",
            "5p",
            "self_draw kong_draw revealed hidden_pungs",
            8,
            "kong_draw middle_five reveal",
        ),
        "big dragons 8 x middle 2 x reveal 2 x kong draw 2": Row(
            "46p 99p",
            "5z 6zk 7z",
            "5p",
            "self_draw kong_draw revealed",
            64,
            "big_three_dragons kong_draw middle_five reveal",
        ),
        "four ways at once: middle 2 x kong discard 2 x last 2 x reveal 2": Row(
            "46p 789p 345s 66z",
            "1s",
            "5p",
            "kong_discard last_discard revealed",
            16,
            "kong_discard last_discard middle_five reveal",
        ),
        "double dragon 16 x flush 4 x last discard 2": Row(
            "3333p 7777p 11p 55p 9p",
            "",
            "9p",
            "last_discard",
            128,
            "double_dragon_seven_pairs full_flush last_discard",
        ),
        "123 123 456 456 55p: four 5p in no pung, so dragon seven pairs 8 x flush 4": Row(
            "1122334455566p", "", "5p", "", 32, "dragon_seven_pairs full_flush"
        ),
    },
    # The largest pattern, then self_draw, gap_wait, kong_draw. Two suits at most, no seven pairs.
    "three-suit": {
        "2m between 13m": Row("13m 456m 789s 222s 88s", "", "2m", "", 2, "gap_wait"),
        "4m is the middle of 345m, though 23m waited, too": Row("23345m 678m 99m 111p", "", "4m", "", 2, "gap_wait"),
        "drawn at an end": Row("12m 456m 789s 222s 88s", "", "3m", "self_draw", 2, "self_draw"),
        "pungs 5": Row("444p 66p 77p", "1m 9mk", "6p", "", 5, "all_pungs"),
        "flush 5 x gap 2 x drawn 2": Row(
            "13s 567s 789s 444s 99s", "", "2s", "self_draw", 20, "full_flush gap_wait self_draw"
        ),
        "258 10 over pungs 5": Row("222m 88m 555m 88p 222p", "", "8m", "", 10, "all_258"),
        "four melds of one suit: pungs and flush 20": Row("9s", "1s 2s 3sc 4s", "9s", "", 20, "flush_pungs"),
        "111 222 333 444m and 99p are pungs 5, over 123m with a gap": Row(
            "11122333m 444m 99p", "", "2m", "", 5, "all_pungs"
        ),
        "the same in one suit: 20, over a flush with a gap 10": Row(
            "11122333m 444m 99m", "", "2m", "", 20, "flush_pungs"
        ),
        "neither kong discards nor the last one count": Row(
            "12s 567s 789s 444s 99s", "", "3s", "kong_discard last_discard", 5, "full_flush"
        ),
        "258 10 x drawn 2 x replacement 2, the last tile for nothing": Row(
            "22p 555p 88p", "2m 5mk", "2p", "self_draw kong_draw last_draw", 40, "all_258 kong_draw self_draw"
        ),
        "the fourth 1m is nothing in a flush": Row("11123m 456m 789m 99m", "", "1m", "", 5, "full_flush"),
        "seven pairs are no hand": Row("1122m 3344p 55p 66p 7p", "", "7p", "", 0, ""),
        "three suits are no hand, melds included": Row("123p 456p 78m 9m9m", "1s", "9m", "", 0, ""),
    },
    # classic, cap 8; a double dragon counts 16.
    "zaoyang": {
        "nothing holds": Row("234p 678p 345s 78s 66z", "", "9s", "last_discard", 1, ""),
        "middle 2 x kong discard 2 is under the cap": Row(
            "46s 123p 789p 345s 77z", "", "5s", "kong_discard", 4, "kong_discard middle_five"
        ),
        "pungs 2 x single tile 4 is the cap": Row("9p", "1p 2pc 3s 4s", "9p", "", 8, "all_pungs single_tile_hand"),
        "seven pairs 4 x flush 4 = 16, capped": Row("1122334466889s", "", "9s", "", 8, "full_flush seven_pairs"),
        "dragon 8 x reveal 2 = 16, capped": Row(
            "1111p 44p 66p 22s 55s 7z", "", "7z", "revealed", 8, "dragon_seven_pairs reveal"
        ),
        "double dragon 16, exempt": Row("1111p 2222s 55z 66z 7z", "", "7z", "", 16, "double_dragon_seven_pairs"),
        "double dragon 16 x flush 4 x reveal 2 = 128, capped at its own 16": Row(
            "3333p 7777p 11p 55p 9p", "", "9p", "revealed", 16, "double_dragon_seven_pairs full_flush reveal"
        ),
        "three fours: as double dragon 16, though 111 222 333 123 99p is 256 before the cap": Row(
            "1111p 2222p 3333p 9p", "", "9p", "", 16, "double_dragon_seven_pairs full_flush"
        ),
        "big dragons 8 x pungs 2 = 16, capped": Row(
            "666z 77z 11p 999s", "5z", "7z", "", 8, "all_pungs big_three_dragons"
        ),
        "flush 4 x exposed 2, a four not won, is the cap; reveal 2 is above it": Row(
            "234p 567p 888p 9p", "2p", "9p", "revealed", 8, "exposed_four full_flush reveal"
        ),
        "seven pairs 16 and 123 123 456 456 77p 4 are capped to 8 and 4": Row(
            "1122334455667p", "", "7p", "", 8, "full_flush seven_pairs"
        ),
        "two readings of 32, both capped: the one that sorts first": Row(
            "1122334455566p", "", "5p", "", 8, "concealed_four full_flush middle_five"
        ),
    },
    # classic, cap 8 without exemption.
    "shiyan": {
        "the last discard is nothing": Row("234p 678p 345s 78s 66z", "", "9s", "last_discard", 1, ""),
        "reveal 2 is all": Row("234p 678p 345s 78s 66z", "", "9s", "revealed", 2, "reveal"),
        "pungs 2 x reveal 2": Row("3334p", "1s 9s 5z", "4p", "revealed", 4, "all_pungs reveal"),
        "seven pairs 4": Row("112233p 778899s 5s", "", "5s", "", 4, "seven_pairs"),
        "a flush whose four is a kong: 4": Row("456p 789p 11p 22p", "3pc", "1p", "", 4, "full_flush"),
        "small dragons 4 x robbed 2 is the cap": Row(
            "13p 888s 77z", "5z 6z", "2p", "rob_kong", 8, "rob_kong small_three_dragons"
        ),
        "exposed 2 x middle 2 x kong discard 2 is the cap": Row(
            "46p 123s 789s 66z", "5p", "5p", "kong_discard", 8, "exposed_four kong_discard middle_five"
        ),
        "replacement 2 x last 2 x middle 2 x reveal 2 = 16, capped": Row(
            "46p 789p 345s 66z",
            "1sk",
            "5p",
            "self_draw kong_draw last_draw revealed",
            8,
            "kong_draw last_draw middle_five reveal",
        ),
        "double dragon 16, capped": Row("1111p 2222s 55z 66z 7z", "", "7z", "", 8, "double_dragon_seven_pairs"),
        "three fours: both capped to 8, of which 111 222 333 123 99p is 256 and the double dragon 64": Row(
            "1111p 2222p 3333p 9p", "", "9p", "", 8, "concealed_four concealed_four concealed_four full_flush"
        ),
        "big dragons 8 x pungs 2 x single tile 4 = 64, capped": Row(
            "9s", "5z 6z 7z 1p", "9s", "", 8, "all_pungs big_three_dragons single_tile_hand"
        ),
        "flush 4 x four 1p 4 x four 2p 4 = 64, capped": Row(
            "1111222233378p", "", "9p", "", 8, "concealed_four concealed_four full_flush"
        ),
    },
    # hubei with zaoyang's cap.
    "hubei-capped": {
        "the last discard": Row("234p 678p 345s 78s 66z", "", "9s", "last_discard", 2, "last_discard"),
        "345 567p 55p is no four": Row("3455567p 999s 111s", "", "5p", "", 1, ""),
        "555 456p: 4 x middle 2 is the cap": Row("55546p 123s 789s 11s", "", "5p", "", 8, "concealed_four middle_five"),
        "a pung face down: middle 2 x reveal 2, far from 16": Row(
            "111p 999p 46p 33p 678p", "", "5p", "revealed hidden_pungs", 4, "middle_five reveal"
        ),
        "all shown: flush 4 x middle 2 x reveal 2 = 16, capped": Row(
            "111p 999p 46p 33p 678p", "", "5p", "revealed", 8, "full_flush middle_five reveal"
        ),
        "seven pairs 4 x kong discard 2 is the cap": Row(
            "112233p 778899s 5s", "", "5s", "kong_discard", 8, "kong_discard seven_pairs"
        ),
        "dragon 8 x last discard 2 = 16, capped": Row(
            "1111p 44p 66p 22s 55s 7z", "", "7z", "last_discard", 8, "dragon_seven_pairs last_discard"
        ),
        "double dragon 16 x last discard 2 = 32, capped at its own 16": Row(
            "1111p 2222s 55z 66z 7z", "", "7z", "last_discard", 16, "double_dragon_seven_pairs last_discard"
        ),
        "three fours: fours of a flush do not count, double dragon 64, capped at its own 16": Row(
            "1111p 2222p 3333p 9p", "", "9p", "", 16, "double_dragon_seven_pairs full_flush"
        ),
        "8 x single tile 4 x reveal 2 x kong draw 2 = 128, capped": Row(
            "9s",
            "5z 6z 7zk 1p",
            "9s",
            "self_draw kong_draw revealed",
            8,
            "big_three_dragons kong_draw reveal single_tile_hand",
        ),
        "dragon 8 x flush 4 and 123 123 456 456 55p 8: both count 8, the larger product is listed": Row(
            "1122334455566p", "", "5p", "", 8, "dragon_seven_pairs full_flush"
        ),
    },
    # Scores as xiangyang does; what is under 2 wins no discard (test_settlements.py).
    "xiangyang-min2": {
        "nothing holds, a robbed kong would": Row("23p 678p 99p", "1s 2s", "4p", "", 1, ""),
        "robbing the kong 2 is enough": Row("23p 678p 99p", "1s 2s", "4p", "rob_kong", 2, "rob_kong"),
        "a kong discard 2 is enough": Row("23p 678p 99p", "1s 2s", "4p", "kong_discard", 2, "kong_discard"),
        "the last discard is not": Row("23p 678p 99p", "1s 2s", "4p", "last_discard", 1, ""),
        "being revealed 2 is enough": Row("23p 678p 99p", "1s 2s", "4p", "revealed", 2, "reveal"),
        "the 5p of 567p is at an end": Row("67p 123s 99p", "7s 8sk", "5p", "", 1, ""),
        "the 5p of 456p is in the middle": Row("46p 123s 99p", "7s 8sk", "5p", "", 2, "middle_five"),
        "four 3p held before and a 9s won are nothing": Row("333345p 345s 78s 66z", "", "9s", "", 1, ""),
        "333 345p won by 3p": Row("33345p 345s 789s 66z", "", "3p", "", 4, "concealed_four"),
        "12s beside a pung of 3s": Row("12s 678p 789s 77z", "3s", "3s", "", 2, "exposed_four"),
        "four melds: pungs 2 x single tile 4": Row("8p", "1pa 3s 7s 6z", "8p", "", 8, "all_pungs single_tile_hand"),
    },
    # xiangyang with four_in_flush, cap 8.
    "sit-out": {
        "nothing holds": Row("234p 678p 345s 78s 66z", "", "9s", "last_discard", 1, ""),
        "middle 2": Row("4556p 123s 789s 777z", "", "5p", "last_discard", 2, "middle_five"),
        "kong draw 2 x reveal 2": Row(
            "23p 678p 99p", "1sk 2s", "4p", "self_draw kong_draw revealed", 4, "kong_draw reveal"
        ),
        "234 456p 44p: any shape 4": Row("2344456p 999s 111s", "", "4p", "", 4, "concealed_four"),
        "pungs 2 x single tile 4 is the cap": Row("9p", "1p 2pc 3s 4s", "9p", "", 8, "all_pungs single_tile_hand"),
        "dragon 8 is the cap": Row("1111p 44p 66p 22s 55s 7z", "", "7z", "", 8, "dragon_seven_pairs"),
        "small dragons 4 x middle 2 x robbed 2 = 16, capped": Row(
            "46s 888p 77z", "5z 6z", "5s", "rob_kong", 8, "middle_five rob_kong small_three_dragons"
        ),
        "double dragon 16, not exempt": Row("1111p 2222s 55z 66z 7z", "", "7z", "", 8, "double_dragon_seven_pairs"),
        "a flush with a four not won: 16, capped": Row(
            "111123p 456p 789p 9p", "", "9p", "", 8, "concealed_four full_flush"
        ),
        "a flush with an exposed four not won: 4 x 2 is the cap": Row(
            "234p 567p 888p 9p", "2p", "9p", "", 8, "exposed_four full_flush"
        ),
        "seven pairs 4 x flush 4 = 16, capped": Row("1122334466889s", "", "9s", "", 8, "full_flush seven_pairs"),
    },
    # hubei with characters: three suits and dragons in one hand.
    "four-seat": {
        "5m between 46m": Row("46m 123p 789s 555z 22m", "", "5m", "", 2, "middle_five"),
        "three suits are a hand; four 1m held before are nothing": Row("123m 456s 789p 111m 5p", "", "5p", "", 1, ""),
        "pairs of three suits and dragons": Row("11m 33m 55p 77p 22s 44s 6z", "", "6z", "", 4, "seven_pairs"),
        "123 234 456 789 99m: flush of characters 4 x last discard 2": Row(
            "123m 456m 789m 23m 99m", "", "4m", "last_discard", 8, "full_flush last_discard"
        ),
        "the same pung in three suits: single tile 4 alone": Row("9m", "1m 1p 1s 5z", "9m", "", 4, "single_tile_hand"),
        "555 456m: 4 x middle 2": Row("55546m 123p 789s 77z", "", "5m", "", 8, "concealed_four middle_five"),
        "345 567m 55m: no four, no middle": Row("3455567m 999s 111p", "", "5m", "", 1, ""),
        "big dragons 8 x kong draw 2": Row(
            "78m 99m", "5zk 6z 7zc", "6m", "self_draw kong_draw", 16, "big_three_dragons kong_draw"
        ),
        "double dragon over two suits": Row("1111m 9999s 55p 66z 7z", "", "7z", "", 16, "double_dragon_seven_pairs"),
        "a pung of characters face down: no flush": Row(
            "111m 999m 46m 33m 678m", "", "5m", "revealed hidden_pungs", 4, "middle_five reveal"
        ),
        "sequences do not cross suits": Row("12m 456m 789p 555z 66z", "", "3p", "", 0, ""),
        "a pung of 3m and 12m": Row("12m 678p 789s 77z", "3m", "3m", "", 2, "exposed_four"),
    },
}


def test_every_preset_has_its_hands() -> None:
    """So that a new preset cannot be forgotten: at least ten, among them ways to score different totals."""
    assert set(preset_names()) == set(HANDS)
    for rows in HANDS.values():
        assert len([row for row in rows.values() if row.total]) >= 10
        assert len({row.total for row in rows.values()}) >= 4


@pytest.mark.parametrize(
    ("preset", "row"),
    [pytest.param(preset, row, id=f"{preset}: {why}") for preset, rows in HANDS.items() for why, row in rows.items()],
)
def test_a_hand_scores_as_worked_out_by_hand(preset: str, row: Row) -> None:
    """Its total and its patterns, or that it is not complete."""
    assert row.expected == row.score(load_preset(preset))
