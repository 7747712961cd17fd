"""Complete hands, waits and ready discards (RULES §3)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.hands import counts_of

from kawuxing.engine.rules import RuleSet, load_preset
from kawuxing.engine.shapes import Concealed, is_complete, waits
from kawuxing.engine.tiles import KINDS, SUIT_INDEX, TEXT, WHITE, parse_kind, parse_kinds

XIANGYANG = load_preset()
RULE_SETS = [
    XIANGYANG,
    XIANGYANG.replace({"seven_pairs": False}),
    XIANGYANG.replace({"suits": ["m", "p", "s"], "dragons": False, "seven_pairs": False, "max_suits": 2}),
    XIANGYANG.replace({"suits": ["m", "p", "s"], "seats": 4}),
    XIANGYANG.replace({"suits": ["m", "p", "s"], "max_suits": 1}),
]
NO_MELDS = [0] * KINDS


def kinds_in(mask: int) -> list[int]:
    return [kind for kind in range(KINDS) if mask >> kind & 1]


def texts(mask: int) -> str:
    return " ".join(TEXT[kind] for kind in kinds_in(mask))


def splits_into_sets(counts: list[int]) -> bool:
    """Say whether all these tiles are sets, by taking the lowest tile's set away in every way."""
    kind = next((kind for kind, count in enumerate(counts) if count), -1)
    if kind < 0:
        return True
    groups = [(kind, kind, kind)]
    if kind + 2 < WHITE and SUIT_INDEX[kind] == SUIT_INDEX[kind + 2]:
        groups.append((kind, kind + 1, kind + 2))
    for group in groups:
        rest = list(counts)
        for member in group:
            rest[member] -= 1
        if min(rest) >= 0 and splits_into_sets(rest):
            return True
    return False


def naively_complete(rules: RuleSet, concealed: Sequence[int], melds: Sequence[int]) -> bool:
    """Say whether a hand is complete in the words of RULES §3."""
    suits = {SUIT_INDEX[kind] for kind in range(WHITE) if concealed[kind] + melds[kind]}
    if rules.max_suits and len(suits) > rules.max_suits:
        return False
    if rules.seven_pairs and sum(concealed) == 14 and all(count % 2 == 0 for count in concealed):
        return True
    for kind, count in enumerate(concealed):
        if count >= 2:
            rest = list(concealed)
            rest[kind] -= 2
            if splits_into_sets(rest):
                return True
    return False


@st.composite
def hands(draw: st.DrawFn, tiles: int) -> tuple[RuleSet, list[int], list[int]]:
    """Draw a rule set, ``tiles`` concealed tiles less three a meld, mostly near to complete, and the melds' tiles."""
    rules = draw(st.sampled_from(RULE_SETS))
    kinds = list(rules.kinds)
    concealed = [0] * KINDS
    melds = [0] * KINDS

    def room(kind: int) -> int:
        return 4 - concealed[kind] - melds[kind]

    number = draw(st.integers(0, 4))
    for kind in draw(st.lists(st.sampled_from(kinds), min_size=number, max_size=number, unique=True)):
        melds[kind] = draw(st.sampled_from([3, 4]))
    wanted = tiles - 3 * number
    starts = [kind for kind in kinds if kind + 2 in kinds and SUIT_INDEX[kind] == SUIT_INDEX[kind + 2] and kind < WHITE]
    few_suits = draw(st.booleans())
    if few_suits:
        suit = SUIT_INDEX[draw(st.sampled_from(starts))]
        starts = [kind for kind in starts if SUIT_INDEX[kind] == suit]
        kinds = [kind for kind in kinds if SUIT_INDEX[kind] == suit]
    groups = st.one_of(
        st.sampled_from(starts).map(lambda kind: (kind, kind + 1, kind + 2)),
        st.sampled_from(kinds).map(lambda kind: (kind,) * 3),
        st.sampled_from(kinds).map(lambda kind: (kind,) * 2),
    )
    for group in draw(st.lists(groups, max_size=7)):
        for kind in group:
            if room(kind) > 0 and sum(concealed) < wanted:
                concealed[kind] += 1
    while sum(concealed) < wanted:
        concealed[draw(st.sampled_from([kind for kind in rules.kinds if room(kind) > 0]))] += 1
    return rules, concealed, melds


@given(hands(14))
def test_complete_as_defined(hand: tuple[RuleSet, list[int], list[int]]) -> None:
    """A hand is complete exactly if it is by the words of the rules."""
    rules, concealed, melds = hand

    assert naively_complete(rules, concealed, melds) == is_complete(rules, concealed, melds)


@given(hands(13))
def test_waits_complete(hand: tuple[RuleSet, list[int], list[int]]) -> None:
    """The waits are the kinds that complete the hand when tried, but for those of which it has all four already."""
    rules, concealed, melds = hand
    expected = [
        kind
        for kind in range(KINDS)
        if concealed[kind] + melds[kind] < 4
        and is_complete(rules, [count + (kind == other) for other, count in enumerate(concealed)], melds)
    ]

    assert expected == kinds_in(waits(rules, concealed, melds))


@given(hands(14))
def test_ready_discards_wait(hand: tuple[RuleSet, list[int], list[int]]) -> None:
    """The ready discards are the kinds, ascending, without which the hand has waits when tried, and those waits."""
    rules, concealed, melds = hand
    expected = []
    for kind in range(KINDS):
        if concealed[kind]:
            left = waits(rules, [count - (kind == other) for other, count in enumerate(concealed)], melds)
            if left:
                expected.append((kind, left))
    tiles = Concealed.from_counts(concealed)

    assert expected == tiles.ready_discards(rules, melds)
    assert concealed == tiles.counts


@given(hands(14), st.data())
def test_incremental(hand: tuple[RuleSet, list[int], list[int]], data: st.DataObject) -> None:
    """Tiles that come and go leave the same answers as if the hand had always been what it is now."""
    rules, concealed, melds = hand
    start = data.draw(st.lists(st.sampled_from(rules.kinds), max_size=14))
    tiles = Concealed(start)
    for kind in data.draw(st.permutations([kind for kind, count in enumerate(concealed) for _ in range(count)])):
        tiles.add(kind)
    for kind in start:
        tiles.remove(kind)
    fresh = Concealed.from_counts(concealed)

    assert (fresh.counts, fresh.keys, fresh.sizes, fresh.odd) == (tiles.counts, tiles.keys, tiles.sizes, tiles.odd)
    assert fresh.is_complete(rules, melds) == tiles.is_complete(rules, melds)


@pytest.mark.parametrize(
    ("concealed", "melds", "expected"),
    [
        ("4p 5p 5p 6p", "111s 222s 333s", "5p"),
        ("1112345678999p", "", "1p 2p 3p 4p 5p 6p 7p 8p 9p"),
        ("23334567s 55z", "111p", "3s 5z"),
        ("1122334455667p", "", "1p 4p 7p"),
        ("123p 456p 789p 12s 55z", "", "3s"),
        ("9s", "555z 666z 7777z 111p", "9s"),
        ("1111p 234p 567p 888s", "", "4p 7p"),
        ("55z 66z 123p 123s 789s", "", "5z 6z"),
        ("56z 123p 123p 123s 78s", "", ""),
    ],
)
def test_known_waits(concealed: str, melds: str, expected: str) -> None:
    """Well-known hands wait on what a player would say."""
    assert expected == texts(waits(XIANGYANG, counts_of(concealed), counts_of(melds)))


def test_no_wait_on_a_fifth_tile() -> None:
    """A seat that holds all four of a kind, in hand or in melds, does not wait on it."""
    assert not waits(XIANGYANG, counts_of("2222p"), counts_of("111s 333s 555z"))
    assert texts(waits(XIANGYANG, counts_of("1p 1p 2p 3p"), counts_of("111s 333s 4444p"))) == "1p"


def test_seven_pairs() -> None:
    """Seven pairs need 14 concealed tiles, four alike are two of them, and the rule set must have them."""
    without = XIANGYANG.replace({"seven_pairs": False})

    assert is_complete(XIANGYANG, counts_of("1111p 33p 5555s 77s 55z"), NO_MELDS)
    assert not is_complete(without, counts_of("1111p 33p 5555s 77s 55z"), NO_MELDS)
    assert not is_complete(XIANGYANG, counts_of("11p 33p 5555s 77s 5z"), counts_of("666z"))
    assert texts(waits(XIANGYANG, counts_of("1111p 33p 5555s 77s 5z"), NO_MELDS)) == "5z"


def test_max_suits() -> None:
    """With max_suits a hand of more suits is not complete nor waits, melds counted, dragons not."""
    rules = XIANGYANG.replace({"suits": ["m", "p", "s"], "max_suits": 2})
    two, third, dragons = "11m 234p 567p", "111s", "777z"

    assert is_complete(rules, counts_of(two), counts_of("999m " + dragons))
    assert not is_complete(rules, counts_of(two), counts_of("999m " + third))
    assert waits(rules, counts_of("11m 234p 56p"), counts_of("999m " + dragons))
    assert not waits(rules, counts_of("11m 234p 56p"), counts_of("999m " + third))


def test_discard_that_drops_a_suit() -> None:
    """With max_suits only the discard of the last tile of a suit too many makes ready."""
    rules = XIANGYANG.replace({"suits": ["m", "p", "s"], "dragons": False, "max_suits": 2})
    tiles = Concealed(parse_kinds("123m 456m 789m 11p 23p 5s"))

    assert [(parse_kind("5s"), "1p 4p")] == [
        (kind, texts(mask)) for kind, mask in tiles.ready_discards(rules, NO_MELDS)
    ]
