"""Tiles and their text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kawuxing.engine.tiles import (
    GREEN,
    KINDS,
    RANK,
    RED,
    SUIT_END,
    SUIT_INDEX,
    SUIT_SIZE,
    SUIT_START,
    SUITS,
    TEXT,
    WHITE,
    parse_kind,
    parse_kinds,
)


def test_kind_order() -> None:
    """Kinds go from characters over dots and bamboo to the dragons, each by rank."""
    expected = [f"{rank}{suit}" for suit in "mps" for rank in range(1, 10)] + ["5z", "6z", "7z"]

    assert expected == list(TEXT)


def test_dragons_by_name() -> None:
    """White, green and red are 5z, 6z and 7z."""
    assert ["5z", "6z", "7z"] == [TEXT[WHITE], TEXT[GREEN], TEXT[RED]]


def test_tables_agree() -> None:
    """Suit, rank, start, end and size of every kind agree with its text."""
    for kind, text in enumerate(TEXT):
        suit = SUIT_INDEX[kind]

        assert text == f"{RANK[kind]}{SUITS[suit]}"
        assert SUIT_START[suit] <= kind < SUIT_END[suit]
        assert SUIT_END[suit] == SUIT_START[suit] + SUIT_SIZE[suit]


@given(st.integers(0, KINDS - 1))
def test_parse_kind_inverts_text(kind: int) -> None:
    """Parsing a kind's text gives the kind."""
    assert kind == parse_kind(TEXT[kind])


@given(st.lists(st.integers(0, KINDS - 1)))
def test_parse_kinds_inverts_text(kinds: list[int]) -> None:
    """Parsing the texts of many kinds, run together, gives the kinds in their order."""
    assert tuple(kinds) == parse_kinds("".join(TEXT[kind] for kind in kinds))


def test_compact_text() -> None:
    """Ranks may share the suit after them, and spaces mean nothing."""
    assert parse_kinds("1p 2p 3p 5z 5z") == parse_kinds("123p 55z")


@pytest.mark.parametrize("text", ["", "5", "p", "0p", "10p", "4z", "8z", "5x", "5P", " 5p"])
def test_no_such_tile(text: str) -> None:
    """A text that is no tile is refused by its name."""
    with pytest.raises(ValueError, match=f"tile {text!r}: expected a rank and a suit"):
        parse_kind(text)


@pytest.mark.parametrize("text", ["12", "p", "1p2", "1p-2p", "1p p", "5x"])
def test_no_such_tiles(text: str) -> None:
    """A text that holds anything but tiles and spaces is refused by its name."""
    with pytest.raises(ValueError, match=f"tiles {text!r}"):
        parse_kinds(text)
