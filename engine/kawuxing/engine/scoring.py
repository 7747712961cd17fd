"""Readings, patterns and the total multiplier of a complete hand (RULES §4, and §9 for three-suit scoring)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kawuxing.engine.observation import Meld
from kawuxing.engine.rules import RuleSet
from kawuxing.engine.shapes import Counts
from kawuxing.engine.tiles import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """How a hand was won, as far as patterns depend on it."""

    self_draw: bool = False
    kong_draw: bool = False
    kong_discard: bool = False
    rob_kong: bool = False
    last_draw: bool = False
    last_discard: bool = False
    revealed: bool = False
    """The winner is revealed."""
    hidden_pungs: bool = False
    """The winner kept a pung face down when it revealed: no full_flush (RULES §5)."""


@dataclass(frozen=True, slots=True)
class Score:
    """The counted reading of a complete hand."""

    total: int
    """Its multiplier after the cap, before payer factors and shares."""
    patterns: tuple[str, ...]
    """Its patterns, sorted; one that holds twice is listed twice."""


def score(
    rules: RuleSet, concealed: Counts, melds: Sequence[Meld], winning_tile: Kind, circumstances: Circumstances
) -> Score | None:
    """Return the score of the reading that counts, None if the hand is not complete.

    ``concealed`` includes the winning tile.
    """
    raise NotImplementedError
