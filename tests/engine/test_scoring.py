"""Readings, patterns and totals (RULES §4, §9, §10)."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.hands import counts_of, dealt, melds_of, score_of, texts, win

from kawuxing.engine.events import MeldType
from kawuxing.engine.observation import Meld
from kawuxing.engine.patterns import MULTIPLIED, Pattern
from kawuxing.engine.readings import Reading, readings
from kawuxing.engine.rules import load_preset
from kawuxing.engine.scoring import Circumstances, Score, count_melds, score
from kawuxing.engine.shapes import is_complete
from kawuxing.engine.testing import answer
from kawuxing.engine.tiles import KINDS, SUIT_INDEX, WHITE, parse_kind

XIANGYANG = load_preset()
HUBEI = load_preset("hubei")
CLASSIC = load_preset("classic")
THREE_SUIT = load_preset("three-suit")

EXAMPLES = [
    ("4p5p5p6p", "1s 2s 3s", "5p", "", 2, 2, "middle_five"),
    (
        *("9s", "5z 6z 7zk 1p", "9s", "self_draw kong_draw revealed", 256, 128),
        "all_pungs big_three_dragons kong_draw reveal single_tile_hand",
    ),
    ("9s", "5z 6z 7z 1p", "9s", "", 64, 32, "all_pungs big_three_dragons single_tile_hand"),
    ("1111222233445p", "", "5p", "self_draw revealed", 128, 128, "double_dragon_seven_pairs full_flush reveal"),
    (
        *("4555678999p", "1pc", "5p", "self_draw kong_draw revealed", 128, 128),
        "concealed_four full_flush kong_draw middle_five reveal",
    ),
    ("1122334456677p", "", "5p", "self_draw", 16, 16, "full_flush seven_pairs"),
    ("1122334455566p", "", "5p", "self_draw", 32, 32, "concealed_four full_flush middle_five"),
    ("1233345p 777888s", "", "3p", "", 4, 1, "concealed_four"),
    ("12s 55678p 777z", "3s", "3s", "", 2, 2, "exposed_four"),
    ("46s 55678p 777z", "1s", "5s", "rob_kong", 4, 4, "middle_five rob_kong"),
]


@pytest.mark.parametrize(("concealed", "melds", "tile", "how", "xiangyang", "hubei", "patterns"), EXAMPLES)
def test_worked_examples(
    concealed: str, melds: str, tile: str, how: str, xiangyang: int, hubei: int, patterns: str
) -> None:
    """The worked examples of RULES §10 have their totals in both columns, and in xiangyang these patterns."""
    expected = tuple(Pattern(name) for name in patterns.split())
    assert Score(xiangyang, expected) == win(XIANGYANG, concealed, melds, tile, how)
    assert hubei == win(HUBEI, concealed, melds, tile, how).total


def test_worked_example_below_the_minimum() -> None:
    """RULES §10: hubei offers no win on the 3p that makes 123 345p 33p, though it may be konged; xiangyang does."""
    hands = ["1233345p 777888s", "3p"]
    offered = []
    for rules in (XIANGYANG, HUBEI):
        hand = dealt(rules, hands, dealer=1, draws="9s")
        answer(hand, "1 DISCARD 3p")
        offered.append(texts(hand, 0))
    kong = ["DIRECT_KONG 3p", "PUNG 3p", "PASS"]

    assert [["WIN", *kong], kong] == offered


def test_last_discard_with_a_multiplier() -> None:
    """Where last_discard multiplies by 2 it is a pattern."""
    rules = XIANGYANG.replace({"last_discard": 2})

    assert Score(2, (Pattern.LAST_DISCARD,)) == win(rules, "23p 456p 99p", "1s 2s", "4p", "last_discard")


def test_face_down_pungs_forgo_the_flush() -> None:
    """A winner that kept a pung face down does not score full_flush, whatever shape its hand has."""
    assert 4 == win(XIANGYANG, "123p 456p 99p 78p", "1p", "9p").total
    assert 1 == win(XIANGYANG, "123p 456p 99p 78p", "1p", "9p", "hidden_pungs").total
    assert 4 == win(XIANGYANG, "11p 33p 44p 66p 77p 88p 9p", "", "9p", "hidden_pungs").total


def test_dragons_break_the_flush() -> None:
    """Dragons beside one suit are no full_flush."""
    assert Pattern.FULL_FLUSH not in win(XIANGYANG, "123p 456p 789p 55z 66z", "", "5z").patterns


@pytest.mark.parametrize(
    ("concealed", "tile", "any_shape", "pung_and_sequence"),
    [
        ("111p 23p 55s 777s 888s", "1p", 4, 4),
        ("1233345p 777888s", "3p", 4, 1),
        ("3334455p 777s 888s", "3p", 4, 1),
    ],
)
def test_concealed_four_shape(concealed: str, tile: str, any_shape: int, pung_and_sequence: int) -> None:
    """With pung_and_sequence three of the four tiles must be a pung and the fourth in a sequence of the reading."""
    assert any_shape == win(XIANGYANG, concealed, "", tile).total
    assert pung_and_sequence == win(HUBEI, concealed, "", tile).total


def test_single_tile_hand_adds_all_pungs_by_option() -> None:
    """Beside single_tile_hand all_pungs counts only if the rule set says so."""
    assert (8, 4) == tuple(win(rules, "9p", "1p 2pc 3s 4s", "9p").total for rules in (XIANGYANG, HUBEI))


@pytest.mark.parametrize(
    ("concealed", "melds", "tile", "plain", "expected"),
    [
        ("11112233p 49p", "4p", "9p", 4, Score(32, (Pattern.CONCEALED_FOUR, Pattern.EXPOSED_FOUR, Pattern.FULL_FLUSH))),
        ("111122223333p 9p", "", "9p", 64, Score(256, (*[Pattern.CONCEALED_FOUR] * 3, Pattern.FULL_FLUSH))),
        ("234p 567p 888p 9p", "1pk", "9p", 4, Score(4, (Pattern.FULL_FLUSH,))),
    ],
)
def test_four_in_flush(concealed: str, melds: str, tile: str, plain: int, expected: Score) -> None:
    """With four_in_flush every four of a flush counts, whichever tile was won; kongs never do."""
    assert plain == win(XIANGYANG, concealed, melds, tile).total
    assert expected == win(CLASSIC, concealed, melds, tile)


def test_four_in_flush_asks_for_a_flush() -> None:
    """Without a flush, or with one forgone by face-down pungs, only the winning tile's four counts."""
    assert Score(1, ()) == win(CLASSIC, "1111p 23p 99s 88s", "4s", "8s")
    assert Score(1, ()) == win(CLASSIC, "1111p 23p 99p 88p", "4p", "8p", "hidden_pungs")


def test_four_in_flush_asks_for_the_shape() -> None:
    """With pung_and_sequence the shape is asked of each four in the flush."""
    rules = HUBEI.replace({"four_in_flush": True})

    assert 16 == win(rules, "1111p 23p 99p 88p", "6p", "8p").total
    assert (16, 4) == tuple(win(one, "12333345p 88899p", "", "9p").total for one in (CLASSIC, rules))


@pytest.mark.parametrize(
    ("overrides", "total"),
    [
        ({}, 64),
        ({"cap": 8}, 8),
        ({"cap": 8, "cap_exempt": {"double_dragon_seven_pairs": 16}}, 16),
        ({"cap": 8, "cap_exempt": {"big_three_dragons": 16}}, 8),
        ({"cap": 100}, 64),
    ],
)
def test_cap(overrides: Mapping[str, Any], total: int) -> None:
    """The cap limits the product of a reading; an exempt pattern gives its own reading its own cap."""
    rules = XIANGYANG.replace(overrides)

    assert total == win(rules, "1111222233445p", "", "5p").total


def test_largest_capped_total_counts() -> None:
    """Of several readings that count the same under the cap the one with the largest product is listed."""
    capped = XIANGYANG.replace({"cap": 8})
    concealed = "1122334455667p"

    assert Score(16, (Pattern.FULL_FLUSH, Pattern.SEVEN_PAIRS)) == win(XIANGYANG, concealed, "", "7p")
    assert Score(8, (Pattern.FULL_FLUSH, Pattern.SEVEN_PAIRS)) == win(capped, concealed, "", "7p")


def test_first_of_equal_readings_counts() -> None:
    """Of readings with the same total and product the one whose sorted pattern list comes first is listed."""
    expected = (Pattern.CONCEALED_FOUR, Pattern.FULL_FLUSH, Pattern.MIDDLE_FIVE)

    assert Score(32, expected) == win(XIANGYANG, "1122334455566p", "", "5p")


@pytest.mark.parametrize(
    ("concealed", "melds", "tile", "how", "total", "patterns"),
    [
        ("123p 456p 789m 23m 99m", "", "4m", "", 1, []),
        ("123p 456p 789m 23m 99m", "", "4m", "self_draw", 2, ["self_draw"]),
        ("123p 456p 789m 24m 99m", "", "3m", "self_draw", 4, ["gap_wait", "self_draw"]),
        ("333m 55m 99p", "1p 2m", "9p", "", 5, ["all_pungs"]),
        ("123p 456p 789p 23p 99p", "", "4p", "", 5, ["full_flush"]),
        ("222p 55p 888m 55m", "2m", "5m", "", 10, ["all_258"]),
        ("222p 55p 888p 99p", "1p", "9p", "self_draw kong_draw", 80, None),
        ("22p 555p 88p", "2m 5m", "2p", "last_draw revealed kong_discard", 10, ["all_258"]),
    ],
)
def test_best_pattern(concealed: str, melds: str, tile: str, how: str, total: int, patterns: list[str] | None) -> None:
    """Three-suit scoring lists the largest pattern alone, and what doubles it."""
    expected = patterns if patterns is not None else ["flush_pungs", "kong_draw", "self_draw"]
    result = win(THREE_SUIT, concealed, melds, tile, how)

    assert (total, expected) == (result.total, list(result.patterns))


def test_too_many_suits() -> None:
    """A hand of more suits than max_suits is not complete."""
    assert score_of(THREE_SUIT, "123p 456p 789m 234m 9s", "", "9s") is None


def test_count_melds() -> None:
    """A pung counts three tiles, any kong four."""
    assert counts_of("555z 1111p 2222p 3333p") == count_melds(melds_of("5z 1pk 2pc 3pa"))


def test_readings() -> None:
    """Three kinds three times, with a pair, are three pungs or three sequences; each reading comes once."""
    one, two, three, nine = (parse_kind(text) for text in ("1p", "2p", "3p", "9s"))
    expected = [Reading((), (one, one, one), nine), Reading((one, two, three), (), nine)]

    assert expected == sorted(readings(counts_of("111222333p 99s")), key=lambda reading: reading.pungs)


@st.composite
def complete_hands(draw: st.DrawFn) -> tuple[list[int], list[Meld]]:
    """Draw four sets, some of them melds, and a pair, of which no kind is needed five times."""
    kinds = XIANGYANG.kinds
    used = [0] * KINDS
    concealed = [0] * KINDS
    melds: list[Meld] = []
    sequences = [(kind, kind + 1, kind + 2) for kind in kinds if kind + 2 < WHITE]
    groups = [group for group in sequences if SUIT_INDEX[group[0]] == SUIT_INDEX[group[2]]]
    groups += [(kind,) * 3 for kind in kinds]
    for size in (3, 3, 3, 3, 2):
        choices = groups if size == 3 else [(kind,) * 2 for kind in kinds]
        fits = [group for group in choices if all(used[kind] + group.count(kind) <= 4 for kind in group)]
        group = draw(st.sampled_from(fits))
        is_meld = size == 3 and len(set(group)) == 1 and draw(st.booleans())
        for kind in group:
            used[kind] += 1
            concealed[kind] += not is_meld
        if is_meld:
            melds.append(Meld(MeldType.PUNG, group[0], 0))
    return concealed, melds


@given(complete_hands(), st.data())
def test_every_complete_hand_scores(hand: tuple[list[int], list[Meld]], data: st.DataObject) -> None:
    """A complete hand has a total of at least 1, which is the product of the patterns listed, sorted."""
    concealed, melds = hand
    tile = data.draw(st.sampled_from([kind for kind, count in enumerate(concealed) if count]))
    result = score(XIANGYANG, concealed, melds, tile, Circumstances())

    assert is_complete(XIANGYANG, concealed, count_melds(melds))
    assert result is not None
    assert prod(MULTIPLIED[pattern] for pattern in result.patterns) == result.total
    assert sorted(result.patterns) == list(result.patterns)


@given(complete_hands(), st.data())
def test_revealing_doubles(hand: tuple[list[int], list[Meld]], data: st.DataObject) -> None:
    """Without a cap a revealed winner's total is twice an unrevealed one's."""
    concealed, melds = hand
    tile = data.draw(st.sampled_from([kind for kind, count in enumerate(concealed) if count]))
    plain = score(XIANGYANG, concealed, melds, tile, Circumstances())
    revealed = score(XIANGYANG, concealed, melds, tile, Circumstances(revealed=True))

    assert plain is not None
    assert revealed is not None
    assert 2 * plain.total == revealed.total


@given(complete_hands())
def test_readings_use_every_tile(hand: tuple[list[int], list[Meld]]) -> None:
    """Every reading of a hand is all of its concealed tiles, and no reading comes twice."""
    concealed, _ = hand
    found = readings(concealed)

    assert found
    assert len(set(found)) == len(found)
    for reading in found:
        tiles = [kind for kind in reading.pungs for _ in range(3)] + [reading.pair] * 2
        tiles += [kind + step for kind in reading.sequences for step in range(3)]
        assert concealed == [tiles.count(kind) for kind in range(KINDS)]
