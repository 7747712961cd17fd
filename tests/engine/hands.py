"""Hands written as text, for the tests of scores; and hands dealt and played, for the tests of what may be done."""

from __future__ import annotations

from typing import NamedTuple

from kawuxing.engine.events import Event, HandWon, MeldType, PointsPaid
from kawuxing.engine.hand import Hand
from kawuxing.engine.observation import Meld
from kawuxing.engine.patterns import Pattern
from kawuxing.engine.rules import RuleSet
from kawuxing.engine.scoring import Circumstances, Score, count_melds, score
from kawuxing.engine.shapes import waits
from kawuxing.engine.table import kinds_in
from kawuxing.engine.testing import arranged_wall
from kawuxing.engine.tiles import COPIES, KINDS, TEXT, parse_kind, parse_kinds

MELD_TYPES = {"k": MeldType.DIRECT_KONG, "c": MeldType.CONCEALED_KONG, "a": MeldType.ADDED_KONG, "": MeldType.PUNG}


def counts_of(text: str) -> list[int]:
    return [parse_kinds(text).count(kind) for kind in range(KINDS)]


def melds_of(text: str) -> list[Meld]:
    """Return melds written as their kind and, of a kong, k (direct), c (concealed) or a (added): ``"5z 6zk"``."""
    return [Meld(MELD_TYPES[meld[2:]], parse_kind(meld[:2]), 0) for meld in text.split()]


def score_of(rules: RuleSet, concealed: str, melds: str, tile: str, how: str = "") -> Score | None:
    """Return the score of these tiles, melds and winning tile (not among the tiles), None if that is not complete.

    ``how`` are the circumstances that hold, by name: ``"self_draw kong_draw"``.
    """
    counts, declared = counts_of(concealed + tile), melds_of(melds)
    held = [hand + melded for hand, melded in zip(counts, count_melds(declared), strict=True)]
    assert max(held) <= COPIES, "a kind is held five times"
    assert sum(counts) + 3 * len(declared) == 14, "a hand has 14 tiles"
    assert all(kind in rules.kinds for kind, count in enumerate(held) if count), "a kind is not in the rule set"
    return score(rules, counts, declared, parse_kind(tile), Circumstances(**dict.fromkeys(how.split(), True)))


def win(rules: RuleSet, concealed: str, melds: str, tile: str, how: str = "") -> Score:
    """Return the score of a hand that is complete."""
    result = score_of(rules, concealed, melds, tile, how)
    assert result is not None
    return result


class Row(NamedTuple):
    """A hand, how it was won, and what it scores as worked out by hand; a total of 0 stands for not complete."""

    concealed: str
    melds: str
    tile: str
    how: str
    total: int
    patterns: str

    @property
    def expected(self) -> Score | None:
        """What it scores by hand."""
        return Score(self.total, tuple(Pattern(name) for name in self.patterns.split())) if self.total else None

    def score(self, rules: RuleSet) -> Score | None:
        """Return what it scores by the engine."""
        return score_of(rules, self.concealed, self.melds, self.tile, self.how)


def waits_of(rules: RuleSet, concealed: str, melds: str = "") -> str:
    """Return the waits as text, such as ``"1p 4p"``."""
    mask = waits(rules, counts_of(concealed), count_melds(melds_of(melds)))
    return " ".join(TEXT[kind] for kind in kinds_in(mask))


def dealt(rules: RuleSet, hands: list[str], dealer: int = 0, **wall: str) -> Hand:
    """Return a hand that has been dealt from an arranged wall."""
    hand = Hand(rules, arranged_wall(rules, hands, **wall), dealer)
    hand.start()
    return hand


def texts(hand: Hand, seat: int) -> list[str]:
    """Return what the seat may do; empty if it is not asked."""
    return [str(action) for action in hand.pending().get(seat, ())]


def won(events: list[Event]) -> HandWon:
    """Return the first win."""
    return next(event for event in events if isinstance(event, HandWon))


def payments(events: list[Event]) -> list[tuple[int, ...]]:
    """Return what was paid, in order."""
    return [event.points for event in events if isinstance(event, PointsPaid)]
