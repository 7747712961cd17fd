"""The engine scores random complete hands of every preset as the second scorer does."""

from __future__ import annotations

import random
from collections import Counter

from tests.engine.naive_scorer import DRAGONS, Win, naive_score

from kawuxing.engine.events import MeldType
from kawuxing.engine.observation import Meld
from kawuxing.engine.patterns import Pattern
from kawuxing.engine.rules import RuleSet, load_preset, preset_names
from kawuxing.engine.scoring import Circumstances, score
from kawuxing.engine.tiles import KINDS, parse_kind

HANDS = 100_000
WAYS: tuple[frozenset[str], ...] = tuple(
    frozenset(way.split())
    for way in (
        "",
        "self_draw",
        "self_draw kong_draw",
        "self_draw last_draw",
        "self_draw kong_draw last_draw",
        "kong_discard",
        "rob_kong",
        "last_discard",
        "kong_discard last_discard",
    )
)
Melds = list[tuple[str, str]]


class Dealer:
    """Seeded hands, nearly all of them complete, in which what is rare at a table is common."""

    def __init__(self, rules: RuleSet, seed: str) -> None:
        """Build hands for these rules."""
        self.rules = rules
        self.options = rules.to_options()
        self.random = random.Random(seed)

    def win(self) -> Win:
        """Return a hand that holds no tile five times."""
        while True:
            concealed, melds = self._seven_pairs() if self.random.random() < 0.15 else self._sets()
            if self.random.random() < 0.03:
                concealed[self.random.randrange(len(concealed))] = self.random.choice(self._tiles())
            hand = Win(self.options, concealed, melds, self.random.choice(concealed), self._flags())
            if max(Counter(hand.tiles).values()) <= 4:
                return hand

    def _tiles(self) -> list[str]:
        """The tiles to build a hand from: all, one suit, a few ranks of one suit, 2 5 8, or mostly dragons."""
        suits = list(self.options["suits"])
        dragons = list(DRAGONS) if self.rules.dragons else []
        suit = self.random.choice(suits)
        everything = [f"{rank}{suit}" for suit in suits for rank in range(1, 10)] + dragons
        match self.random.randrange(7):
            case 0:
                return [f"{rank}{suit}" for rank in range(1, 10)]
            case 1:
                low = self.random.randint(1, 5)
                return [f"{rank}{suit}" for rank in range(low, low + 5)]
            case 2:
                return [tile for tile in everything if tile[0] in "258" and tile[1] != "z"]
            case 3:
                return everything + 9 * dragons
            case 4:
                return [f"{rank}{suit}" for rank in range(1, 10)] + dragons
            case _:
                return everything

    def _seven_pairs(self) -> tuple[list[str], Melds]:
        tiles = self._tiles()
        pairs = self.random.choices(tiles[: self.random.randint(4, len(tiles))], k=7)
        return [tile for tile in pairs for _ in range(2)], []

    def _sets(self) -> tuple[list[str], Melds]:
        tiles = self._tiles()
        pungs, melded = self.random.choice((0.2, 0.5, 1)), self.random.choice((0, 0.3, 0.7, 1))
        concealed = [self.random.choice(tiles)] * 2
        melds: Melds = []
        for _ in range(4):
            first = self.random.choice(tiles)
            rank, suit = int(first[0]), first[1]
            if suit != "z" and rank <= 7 and self.random.random() >= pungs:
                concealed += [f"{rank + step}{suit}" for step in range(3)]
            elif self.random.random() < melded:
                kind = self.random.choice([MeldType.PUNG, MeldType.PUNG, *MeldType])
                melds.append((kind.value, first))
            else:
                concealed += [first] * 3
        return concealed, melds

    def _flags(self) -> set[str]:
        flags = set(self.random.choice(WAYS))
        if self.rules.reveal != "off" and self.random.random() < 0.3:
            flags.add("revealed")
            if self.rules.reveal == "wait" and self.random.random() < 0.3:
                flags.add("hidden_pungs")
        return flags


def engine_score(rules: RuleSet, win: Win) -> tuple[int, tuple[str, ...]] | None:
    counts = [0] * KINDS
    for tile in win.concealed:
        counts[parse_kind(tile)] += 1
    melds = [Meld(MeldType(kind), parse_kind(tile), 0) for kind, tile in win.melds]
    result = score(rules, counts, melds, parse_kind(win.winning_tile), Circumstances(**dict.fromkeys(win.flags, True)))
    return None if result is None else (result.total, tuple(pattern.value for pattern in result.patterns))


def test_engine_and_second_scorer_agree() -> None:
    """On 100,000 random complete hands over all presets, on incomplete ones among them, with every pattern seen."""
    presets = preset_names()
    each = -(-HANDS // len(presets))
    seen: Counter[str] = Counter()
    for name in presets:
        rules = load_preset(name)
        dealer = Dealer(rules, name)
        complete = 0
        while complete < each:
            win = dealer.win()
            expected = naive_score(win)
            assert expected == engine_score(rules, win), (name, win)
            if expected is None:
                seen["incomplete"] += 1
                continue
            complete += 1
            total, patterns = expected
            seen.update(set(patterns))
            seen["plain"] += not patterns
            seen["capped"] += total == rules.cap > 0
            seen["above the cap"] += total > rules.cap > 0
            seen["two concealed fours"] += patterns.count("concealed_four") > 1
            seen["both fours"] += {"concealed_four", "exposed_four"} <= set(patterns)
            seen["hidden pungs"] += "hidden_pungs" in win.flags
    print(seen)
    others = ("incomplete", "plain", "capped", "above the cap", "two concealed fours", "both fours", "hidden pungs")
    assert [] == [name for name in (*(pattern.value for pattern in Pattern), *others) if not seen[name]]
