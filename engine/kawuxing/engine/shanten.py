"""Distance to ready, for bots: shanten and tile acceptance (a hand at shanten 0 is ready, at -1 complete)."""

from __future__ import annotations

from kawuxing.engine.rules import RuleSet
from kawuxing.engine.shapes import Counts


def shanten(rules: RuleSet, concealed: Counts, melds: Counts) -> int:
    """Return how many useful draws the concealed tiles are away from ready: 0 is ready, -1 complete."""
    raise NotImplementedError


def acceptance(rules: RuleSet, concealed: Counts, melds: Counts) -> tuple[int, ...]:
    """Return the kinds, ascending, whose draw would lower the shanten of the concealed tiles (13 less 3 a meld)."""
    raise NotImplementedError
