"""Tiles: kinds, their text, and the tile list of a rule set (RULES §1).

A *kind* is an integer 0 … 29 in kind order: characters 万 ``1m … 9m`` (0-8), dots 筒 ``1p … 9p`` (9-17),
bamboo 条 ``1s … 9s`` (18-26), dragons 白 ``5z`` (27), 发 ``6z`` (28), 中 ``7z`` (29). There are four copies of each
kind, and copies are never told apart.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

Kind = int
"""A tile kind, 0 … 29 in kind order."""

KINDS: Final = 30
COPIES: Final = 4


class Suit(StrEnum):
    """A suit of nine ranks, or the dragons, by its mpsz letter."""

    CHARACTERS = "m"
    """万"""
    DOTS = "p"
    """筒"""
    BAMBOO = "s"
    """条"""
    DRAGONS = "z"
    """箭牌: 白 5z, 发 6z, 中 7z. They form no sequence (RULES §3)."""


SUITS: Final = (Suit.CHARACTERS, Suit.DOTS, Suit.BAMBOO, Suit.DRAGONS)
"""Every suit in kind order."""
SUIT_SIZE: Final = (9, 9, 9, 3)
"""Kinds in each suit, by index in SUITS."""
SUIT_START: Final = (0, 9, 18, 27)
"""First kind of each suit, by index in SUITS."""
SUIT_END: Final = (9, 18, 27, 30)
"""Kind after the last of each suit, by index in SUITS."""
SUIT_INDEX: Final = tuple(suit for suit, size in enumerate(SUIT_SIZE) for _ in range(size))
"""Index in SUITS of every kind."""
FIRST_RANK: Final = (1, 1, 1, 5)
"""Rank of the first kind of each suit, by index in SUITS; mpsz leaves 1z to 4z to the winds of other games."""
RANK: Final = tuple(kind - SUIT_START[suit] + FIRST_RANK[suit] for kind, suit in enumerate(SUIT_INDEX))
"""Rank of every kind as in its text: 1 … 9, dragons 5 … 7."""
TEXT: Final = tuple(f"{RANK[kind]}{SUITS[SUIT_INDEX[kind]]}" for kind in range(KINDS))
"""mpsz text of every kind."""

WHITE: Final = 27
GREEN: Final = 28
RED: Final = 29

_KIND_OF: Final = {text: kind for kind, text in enumerate(TEXT)}


def parse_kind(text: str) -> Kind:
    """Return the kind written as ``text`` (``"5p"``).

    Raises ValueError, naming the text, if there is no such tile in Kawuxing.
    """
    try:
        return _KIND_OF[text]
    except KeyError:
        raise ValueError(f"tile {text!r}: expected a rank and a suit, such as 5p, 1m, 9s or 7z") from None


def parse_kinds(text: str) -> tuple[Kind, ...]:
    """Return the kinds of compact mpsz text, ranks before their suit (``"123p 55z"``), in the order written.

    Raises ValueError, naming the text, if it holds anything but such tiles and spaces.
    """
    kinds: list[Kind] = []
    ranks = ""
    for character in text:
        if character.isdigit():
            ranks += character
        elif character in "mpsz" and ranks:
            kinds += [parse_kind(rank + character) for rank in ranks]
            ranks = ""
        elif character != " ":
            raise ValueError(f"tiles {text!r}: expected ranks followed by their suit, such as 123p 55z")
    if ranks:
        raise ValueError(f"tiles {text!r}: {ranks!r} has no suit after it")
    return tuple(kinds)
