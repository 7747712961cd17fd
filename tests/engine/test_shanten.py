"""Shanten and tile acceptance."""

from __future__ import annotations

from itertools import combinations_with_replacement

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kawuxing.engine.rules import RuleSet, load_preset
from kawuxing.engine.shanten import HOPELESS, acceptance, outlook, shanten
from kawuxing.engine.shapes import is_complete, waits
from kawuxing.engine.tiles import KINDS, SUIT_INDEX, TEXT, WHITE, parse_kinds

XIANGYANG = load_preset()
RULE_SETS = [
    XIANGYANG,
    XIANGYANG.replace({"seven_pairs": False}),
    XIANGYANG.replace({"suits": ["m", "p", "s"], "dragons": False, "seven_pairs": False, "max_suits": 2}),
    XIANGYANG.replace({"suits": ["m", "p", "s"], "seats": 4}),
    XIANGYANG.replace({"suits": ["m", "p", "s"], "max_suits": 1}),
]


def counts_of(text: str) -> list[int]:
    return [parse_kinds(text).count(kind) for kind in range(KINDS)]


def changed(counts: list[int], kind: int, by: int) -> list[int]:
    return [count + by * (kind == other) for other, count in enumerate(counts)]


@st.composite
def hands(draw: st.DrawFn, tiles: int) -> tuple[RuleSet, list[int], list[int]]:
    """Draw a rule set, ``tiles`` concealed tiles less three a meld out of one to all suits, and the melds' tiles."""
    rules = draw(st.sampled_from(RULE_SETS))
    shuffle = draw(st.randoms(use_true_random=False))
    number = draw(st.integers(0, 4))
    suits = shuffle.sample(rules.suit_indexes, draw(st.integers(1, len(rules.suit_indexes))))
    kinds = [kind for kind in rules.kinds if SUIT_INDEX[kind] in suits]
    melds = [0] * KINDS
    for kind in shuffle.sample(kinds, min(number, len(kinds) - 1)):
        melds[kind] = shuffle.choice([3, 4])
    left = tiles - 3 * sum(count > 0 for count in melds)
    near = [kind for kind in kinds for _ in range(4 - melds[kind])]
    if len(near) < left:
        near = [kind for kind in rules.kinds for _ in range(4 - melds[kind])]
    concealed = [0] * KINDS
    for kind in shuffle.sample(near, left):
        concealed[kind] += 1
    return rules, concealed, melds


def naive_distance(rules: RuleSet, concealed: list[int], melds: list[int]) -> int:
    """Return how many tiles the nearest complete hand needs beside those held, by looking at every complete hand."""
    runs = [(kind, kind + 1, kind + 2) for kind in rules.kinds if kind + 2 < WHITE]
    groups = [run for run in runs if SUIT_INDEX[run[0]] == SUIT_INDEX[run[2]]] + [(kind,) * 3 for kind in rules.kinds]
    best = HOPELESS + 1
    for chosen in combinations_with_replacement(groups, sum(concealed) // 3):
        target = list(melds)
        for group in chosen:
            for kind in group:
                target[kind] += 1
        if max(target) > 4:
            continue
        beyond = [max(0, count - there - melded) for count, there, melded in zip(target, concealed, melds, strict=True)]
        suits = {SUIT_INDEX[kind] for kind in range(WHITE) if target[kind]}
        for pair in rules.kinds:
            few = not rules.max_suits or len(suits | ({SUIT_INDEX[pair]} if pair < WHITE else set())) <= rules.max_suits
            if few and target[pair] <= 2:
                with_pair = max(0, target[pair] + 2 - concealed[pair] - melds[pair])
                best = min(best, sum(beyond) - beyond[pair] + with_pair)
    return best


@given(hands(13))
def test_ready_at_zero(hand: tuple[RuleSet, list[int], list[int]]) -> None:
    """A hand has shanten 0 exactly if it waits on something, and then it accepts its waits."""
    rules, concealed, melds = hand
    mask = waits(rules, concealed, melds)

    assert (mask != 0) == (shanten(rules, concealed, melds) == 0)
    if mask:
        assert tuple(kind for kind in range(KINDS) if mask >> kind & 1) == acceptance(rules, concealed, melds)


@given(hands(13))
def test_useful_draws(hand: tuple[RuleSet, list[int], list[int]]) -> None:
    """What a hand accepts is exactly what lowers its shanten when drawn, by one; there is always something, if hope."""
    rules, concealed, melds = hand
    before = shanten(rules, concealed, melds)
    after = {
        kind: shanten(rules, changed(concealed, kind, 1), melds)
        for kind in rules.kinds
        if concealed[kind] + melds[kind] < 4
    }

    assert tuple(kind for kind, there in after.items() if there < before) == acceptance(rules, concealed, melds)
    assert before == HOPELESS or before - 1 == min(after.values())


@given(hands(14))
def test_best_discard(hand: tuple[RuleSet, list[int], list[int]]) -> None:
    """A hand that is not complete is as far from ready as after its best discard; a complete one has shanten -1."""
    rules, concealed, melds = hand
    best = min(shanten(rules, changed(concealed, kind, -1), melds) for kind in range(KINDS) if concealed[kind])
    expected = -1 if is_complete(rules, concealed, melds) else best

    assert expected == shanten(rules, concealed, melds)


@given(hands(13).filter(lambda hand: sum(hand[1]) <= 4))
@settings(max_examples=50)
def test_brute_force_with_three_melds(hand: tuple[RuleSet, list[int], list[int]]) -> None:
    """With one set and the pair to come the shanten is that of a search through every complete hand."""
    rules, concealed, melds = hand

    assert naive_distance(rules, concealed, melds) - 1 == shanten(rules, concealed, melds)


@given(hands(13).filter(lambda hand: sum(hand[1]) == 7))
@settings(max_examples=8)
def test_brute_force_with_two_melds(hand: tuple[RuleSet, list[int], list[int]]) -> None:
    """With two sets and the pair to come the shanten is that of a search through every complete hand."""
    rules, concealed, melds = hand

    assert naive_distance(rules, concealed, melds) - 1 == shanten(rules, concealed, melds)


@pytest.mark.parametrize(
    ("concealed", "melds", "expected"),
    [
        ("123p 456p 789p 12s 55z", "", (0, "3s")),
        ("147p 147s 2p 2s 5z 6z 7z 9p 9s", "", (4, None)),
        ("11p 33p 55p 77p 99p 1s 4s 7s", "", (1, None)),
        ("9s", "555z 666z 777z 111p", (0, "9s")),
        ("12p 99p", "3333p 111s 555z", (1, "1p 2p 9p")),
        ("123p 456p 789p 123s 55z", "", (-1, "")),
    ],
)
def test_known_hands(concealed: str, melds: str, expected: tuple[int, str | None]) -> None:
    """Well-known hands are as far from ready as a player would say."""
    far, kinds = expected

    assert far == shanten(XIANGYANG, counts_of(concealed), counts_of(melds))
    if kinds is not None:
        accepted = acceptance(XIANGYANG, counts_of(concealed), counts_of(melds))
        assert kinds == " ".join(TEXT[kind] for kind in accepted)


def test_hopeless() -> None:
    """Melds in more suits than max_suits leave nothing to hope for."""
    rules = XIANGYANG.replace({"suits": ["m", "p", "s"], "dragons": False, "max_suits": 2})

    assert (HOPELESS, 0) == outlook(rules, counts_of("11m 23p"), counts_of("111p 222s 333m"))
