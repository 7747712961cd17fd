"""Complete, waiting and ready, by suit keys (RULES §3).

A *suit key* is the base-5 number of the counts of a suit's kinds: sum of counts[i] * 5**i. Tables of the keys that split
into sets, or into sets and a pair, are built once on first use.
"""

from __future__ import annotations

from collections.abc import Sequence

from kawuxing.engine.rules import RuleSet

Counts = Sequence[int]
"""How many of every kind, 30 numbers."""


def is_complete(rules: RuleSet, concealed: Counts, melds: Counts) -> bool:
    """Return whether the concealed tiles (14 less 3 for each meld) and the melds are a complete hand.

    ``melds`` counts the tiles of the declared melds, four for a kong.
    """
    raise NotImplementedError


def waits(rules: RuleSet, concealed: Counts, melds: Counts) -> int:
    """Return the kinds that would complete the concealed tiles (13 less 3 for each meld), as a bit mask by kind.

    A kind of which this seat already holds all four copies is left out. Minimum multipliers are ignored.
    """
    raise NotImplementedError
