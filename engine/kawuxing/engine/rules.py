"""Rule sets: every option of RULES.md by its name there, presets as TOML files, and a digest that records carry.

A rule set is data. Nothing in the engine asks which preset it plays, only what an option says.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any, Final, Self, get_type_hints

from kawuxing.engine.combinations import refuse_impossible, refuse_vain
from kawuxing.engine.errors import RulesError
from kawuxing.engine.patterns import Pattern
from kawuxing.engine.tiles import COPIES, SUIT_END, SUIT_START, SUITS, Kind, Suit
from kawuxing.engine.wording import did_you_mean, toml_text

RULES_REVISION: Final = 1
"""Raised only when play or scoring changes; records carry it (DESIGN: records)."""

DEAL: Final = 13
"""Tiles dealt to each seat (RULES §1)."""

DEFAULT_PRESET: Final = "xiangyang"


class Scoring(StrEnum):
    """How the patterns of a reading make its total."""

    MULTIPLIED = "multiplied"
    """The product of all patterns that hold (RULES §4)."""
    BEST_PATTERN = "best_pattern"
    """The largest single pattern, then self_draw, gap_wait and kong_draw (RULES §9, three-suit scoring)."""


class MultipleWinners(StrEnum):
    """Who wins when several seats declare WIN on one tile (RULES §2)."""

    ALL = "all"
    NEAREST = "nearest"
    """The nearest in turn order from the discarder."""


class ConcealedFourShape(StrEnum):
    """What concealed_four asks of the reading (RULES §4)."""

    ANY = "any"
    PUNG_AND_SEQUENCE = "pung_and_sequence"


class Reveal(StrEnum):
    """What a reveal 亮倒 shows (RULES §5)."""

    OFF = "off"
    HAND = "hand"
    """All concealed tiles."""
    WAIT = "wait"
    """The seat may keep concealed pungs face down that do not touch its waits."""


class MissedWinLock(StrEnum):
    """When the lock of a missed win 漏胡 is lifted (RULES §7)."""

    UNTIL_DRAW = "until_draw"
    UNTIL_DISCARD = "until_discard"
    NONE = "none"


class ConcealedKongAfterPung(StrEnum):
    """Whether a concealed kong may follow a pung in the same turn (RULES §2)."""

    NEVER = "never"
    BEFORE_FIRST_DISCARD = "before_first_discard"


class ExhaustPenalty(StrEnum):
    """What revealed seats pay when the hand is exhausted 荒庄 (RULES §6)."""

    NONE = "none"
    FIRST_REVEALED = "first_revealed"
    REVEALED_TO_UNREVEALED = "revealed_to_unrevealed"


class NextDealer(StrEnum):
    """Who deals next after a hand that was won (RULES §8)."""

    WINNER = "winner"
    ROTATE = "rotate"


class ExhaustDealer(StrEnum):
    """Who deals next after an exhausted hand (RULES §8)."""

    STAYS = "stays"
    FIRST_REVEALED = "first_revealed"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """Every option of RULES.md. Frozen; build with :func:`load_preset`, :meth:`replace` or :meth:`from_options`.

    0 stands for "none" in ``kong_chain_cap``, ``max_suits`` and ``cap``.
    """

    suits: tuple[Suit, ...]
    """Numbered suits in play, in kind order (RULES §1)."""
    dragons: bool
    seats: int
    """Seats in one hand, 3 or 4."""
    sit_out: bool
    """坐醒: one entrant more than seats; who wins rests next (RULES §8)."""
    scoring: Scoring
    base: int
    min_discard_multiplier: int
    multiple_winners: MultipleWinners
    seven_pairs: bool
    single_tile_adds_all_pungs: bool
    concealed_four_shape: ConcealedFourShape
    four_in_flush: bool
    last_discard: int
    """The multiplier of the pattern last_discard; at 1 the pattern is not listed."""
    discard_last_tile: bool
    reveal: Reveal
    revealed_flush_kong: bool
    discard_ban: bool
    revealed_payer_doubles: bool
    revealed_winner_takes_all_shares: bool
    missed_win_lock: MissedWinLock
    missed_win_bigger: bool
    concealed_kong_after_pung: ConcealedKongAfterPung
    concealed_kong_pays: int
    added_kong_pays: int
    direct_kong_pays: int
    kong_chain: bool
    kong_chain_same_tile: bool
    kong_chain_cap: int
    rob_kong: bool
    exhaust_penalty: ExhaustPenalty
    next_dealer: NextDealer
    exhaust_dealer: ExhaustDealer
    max_suits: int
    cap: int
    cap_exempt: tuple[tuple[str, int], ...]
    """Pairs of a pattern and the cap of a reading in which it holds, sorted (RULES §4)."""

    @property
    def entrants(self) -> int:
        """Bots in a match: the seats, and one more with ``sit_out``."""
        return self.seats + self.sit_out

    @property
    def suit_indexes(self) -> tuple[int, ...]:
        """The suits in play, dragons included, as indexes in SUITS, ascending."""
        return tuple(
            index for index, suit in enumerate(SUITS) if (self.dragons if suit is Suit.DRAGONS else suit in self.suits)
        )

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds in play, ascending."""
        return tuple(kind for index in self.suit_indexes for kind in range(SUIT_START[index], SUIT_END[index]))

    @property
    def tile_list(self) -> tuple[Kind, ...]:
        """All tiles in kind order, four of each kind: what a wall is a shuffle of (RULES §1)."""
        return _tile_list(self.kinds)

    def to_options(self) -> dict[str, Any]:
        """Return every option as plain data (bool, int, str, list, dict), as in a preset's TOML and in records."""
        options = {field.name: _to_plain(getattr(self, field.name)) for field in fields(self)}
        return options | {"cap_exempt": dict(self.cap_exempt)}

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Self:
        """Return the rule set with exactly these options, the inverse of :meth:`to_options`.

        Raises RulesError, naming the option, its value and what was expected, for an unknown or missing option, a value
        outside its range, or a combination that cannot be played.
        """
        names = [field.name for field in fields(cls)]
        parsed = {name: parse_option(name, value) for name, value in options.items()}
        for name in names:
            if name not in parsed:
                raise RulesError(f"rule option {name!r} is missing")
        rules = cls(**parsed)
        rules._check_tiles()
        refuse_impossible(rules.to_options())
        return rules

    def replace(self, overrides: Mapping[str, Any]) -> Self:
        """Return this rule set with some options changed, given as plain data.

        Raises RulesError as :meth:`from_options` does, and for a change that has no effect beside the other options.
        Changes that leave no option as it was are a whole rule set, in which options may be idle.
        """
        options = self.to_options()
        rules = self.from_options({**options, **overrides})
        if options.keys() - overrides.keys():
            refuse_vain(rules.to_options(), overrides.keys())
        return rules

    @property
    def digest(self) -> str:
        """SHA-256, in hex, over the canonical JSON of all options."""
        return hashlib.sha256(json.dumps(self.to_options(), sort_keys=True, separators=(",", ":")).encode()).hexdigest()

    def _check_tiles(self) -> None:
        """Refuse tiles of which no hand can be dealt."""
        if not self.suits:
            raise RulesError("rule option 'suits' is empty: expected at least one of m, p, s")
        needed = DEAL * self.seats + 1
        if len(self.tile_list) < needed:
            raise RulesError(
                f"rule option 'suits' with 'dragons' gives {len(self.tile_list)} tiles, "
                f"but {self.seats} seats need at least {needed}"
            )


_CAP_LIMIT: Final = 1 << 20
RANGES: Final[Mapping[str, tuple[int, int]]] = {
    "seats": (3, 4),
    "base": (1, 1000),
    "min_discard_multiplier": (1, 1024),
    "last_discard": (1, 2),
    "concealed_kong_pays": (0, 100),
    "added_kong_pays": (0, 100),
    "direct_kong_pays": (0, 100),
    "kong_chain_cap": (0, _CAP_LIMIT),
    "max_suits": (0, 3),
    "cap": (0, _CAP_LIMIT),
}
"""The least and the greatest value of every option that is a number."""


def _to_plain(value: Any) -> Any:
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, tuple):
        return [_to_plain(item) for item in value]
    return value


def parse_option(name: str, value: Any) -> Any:
    """Return the value of one option, given as plain data, as :class:`RuleSet` has it.

    Raises RulesError, naming the option, its value and what was expected, if there is no such option or the value is
    outside its range.
    """
    if name == "suits":
        return _parse_suits(value)
    if name == "cap_exempt":
        return _parse_cap_exempt(value)
    types = _option_types()
    if name not in types:
        known = f"expected one of the {len(types)} that `kawuxing rules show` lists{did_you_mean(name, types)}"
        raise RulesError(f"rule option {name!r} is unknown: {known}")
    expected = types[name]
    if expected is bool:
        if isinstance(value, bool):
            return value
        raise RulesError(f"rule option {name!r} is {toml_text(value)}: expected true or false")
    if expected is int:
        low, high = RANGES[name]
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        raise RulesError(f"rule option {name!r} is {toml_text(value)}: expected a whole number from {low} to {high}")
    choices = [member.value for member in expected]
    if value in choices:
        return expected(value)
    raise RulesError(f"rule option {name!r} is {toml_text(value)}: expected one of {', '.join(choices)}")


@cache
def _option_types() -> dict[str, Any]:
    return get_type_hints(RuleSet)


def _parse_suits(value: Any) -> tuple[Suit, ...]:
    numbered = [suit for suit in SUITS if suit is not Suit.DRAGONS]
    if (
        isinstance(value, list)
        and all(isinstance(item, str) and item in numbered for item in value)
        and len(set(value)) == len(value)
    ):
        return tuple(suit for suit in numbered if suit in value)
    raise RulesError(f"rule option 'suits' is {toml_text(value)}: expected a list of different suits out of m, p, s")


def _parse_cap_exempt(value: Any) -> tuple[tuple[str, int], ...]:
    patterns = [pattern.value for pattern in Pattern]
    if not isinstance(value, Mapping):
        raise RulesError(f"rule option 'cap_exempt' is {toml_text(value)}: expected a table of pattern = cap")
    for pattern, cap in value.items():
        if pattern not in patterns:
            near = did_you_mean(pattern, patterns)
            raise RulesError(f"rule option 'cap_exempt' names {pattern!r}: expected one of {', '.join(patterns)}{near}")
        if not isinstance(cap, int) or isinstance(cap, bool) or not 1 <= cap <= _CAP_LIMIT:
            raise RulesError(
                f"rule option 'cap_exempt' gives {pattern!r} {toml_text(cap)}: "
                f"expected a whole number from 1 to {_CAP_LIMIT}"
            )
    return tuple(sorted(value.items()))


@cache
def _tile_list(kinds: tuple[Kind, ...]) -> tuple[Kind, ...]:
    return tuple(kind for kind in kinds for _ in range(COPIES))


def preset_names() -> tuple[str, ...]:
    """Return the names of all presets, sorted."""
    folder = resources.files("kawuxing.engine") / "presets"
    return tuple(sorted(item.name.removesuffix(".toml") for item in folder.iterdir() if item.name.endswith(".toml")))


@cache
def load_preset(name: str = DEFAULT_PRESET) -> RuleSet:
    """Return the preset of this name (RULES §9). Its file says every option, or a parent and what differs from it.

    Raises RulesError, listing the presets, if there is none.
    """
    if name not in preset_names():
        presets = f"{', '.join(preset_names())}{did_you_mean(name, preset_names())}"
        raise RulesError(f"preset {name!r} is unknown; the presets are {presets}")
    text = (resources.files("kawuxing.engine") / "presets" / f"{name}.toml").read_text("utf-8")
    options = tomllib.loads(text)
    parent = options.pop("parent", None)
    return RuleSet.from_options(options) if parent is None else load_preset(parent).replace(options)
