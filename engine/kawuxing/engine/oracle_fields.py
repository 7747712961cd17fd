"""Reading the fields of a question to the oracle: every value that is not as expected is refused by name."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from kawuxing.engine import canonical
from kawuxing.engine.errors import QueryError
from kawuxing.engine.events import MeldType
from kawuxing.engine.observation import NOBODY, Meld
from kawuxing.engine.rules import DEFAULT_PRESET, RuleSet, load_preset
from kawuxing.engine.tiles import COPIES, KINDS, TEXT, Kind, parse_kind

_MELDS: Final = {
    "pung": MeldType.PUNG,
    "exposed_kong": MeldType.DIRECT_KONG,
    "added_kong": MeldType.ADDED_KONG,
    "concealed_kong": MeldType.CONCEALED_KONG,
}
_MAX_MELDS: Final = 4
_RULE_SETS: Final = 256
"""How many rule sets are remembered: most questions are about the same few."""


def check_fields(query: Any, required: Collection[str], optional: Collection[str] = ()) -> Mapping[str, Any]:
    """Return ``query`` if it is an object with all required fields and no others than these and the optional ones.

    Raises QueryError, naming the field, if not.
    """
    if not isinstance(query, Mapping):
        raise QueryError(f"the question is {_show(query)}: expected a JSON object")
    known = [*required, *optional]
    for name in query:
        if name not in known:
            raise QueryError(f"field {_show(name)} is unknown; the fields are {', '.join(known)}")
    for name in required:
        if name not in query:
            raise QueryError(f"field {name!r} is missing")
    return query


def refuse(name: str, value: Any, expected: str) -> QueryError:
    """Return the error about a field, or a place in one, that is not as expected."""
    return QueryError(f"{name} is {_show(value)}: expected {expected}")


def rules_of(value: Any) -> RuleSet:
    """Return the rule set told by a preset's name or by an object of options, with ``preset`` (or the default).

    Raises QueryError if it is neither, RulesError if there is no such preset or the options cannot be played.
    """
    if isinstance(value, str):
        return load_preset(value)
    if not isinstance(value, dict):
        raise refuse("rules", value, "a preset's name, or an object of a preset and options")
    preset = value.get("preset", DEFAULT_PRESET)
    if not isinstance(preset, str):
        raise refuse("rules.preset", preset, "a preset's name")
    return _changed_rules(preset, json.dumps({name: option for name, option in value.items() if name != "preset"}))


@lru_cache(maxsize=_RULE_SETS)
def _changed_rules(preset: str, options: str) -> RuleSet:
    """Return a preset with options changed, given as JSON."""
    return load_preset(preset).replace(json.loads(options))


def list_of(name: str, value: Any, expected: str) -> list[Any]:
    """Return ``value`` if it is a list. Raises QueryError, saying what was expected, if not."""
    if not isinstance(value, list):
        raise refuse(name, value, expected)
    return value


def tile_of(name: str, value: Any) -> Kind:
    """Return the kind that ``value`` is the text of. Raises QueryError if it is not a tile."""
    if not isinstance(value, str):
        raise refuse(name, value, "a tile, such as 5p")
    try:
        return parse_kind(value)
    except ValueError:
        raise refuse(name, value, "a tile, such as 5p") from None


def tiles_of(name: str, value: Any) -> list[Kind]:
    """Return the kinds of a list of tiles. Raises QueryError, naming the place, if one is not a tile."""
    tiles = list_of(name, value, "a list of tiles")
    try:
        return [parse_kind(tile) for tile in tiles]
    except (TypeError, ValueError):
        # To name every place costs more than to read all tiles, so only a bad list is read again for it.
        return [tile_of(f"{name}[{index}]", tile) for index, tile in enumerate(tiles)]


def melds_of(value: Any) -> list[Meld]:
    """Return the declared sets, at most four. Raises QueryError, naming the place, for what is none."""
    melds = list_of("melds", value, "a list of melds")
    if len(melds) > _MAX_MELDS:
        raise QueryError(f"melds has {len(melds)} items: expected at most {_MAX_MELDS}")
    return [_meld_of(f"melds[{index}]", meld) for index, meld in enumerate(melds)]


def _meld_of(name: str, value: Any) -> Meld:
    match value:
        case [str(meld), tile] if meld in _MELDS:
            return Meld(_MELDS[meld], tile_of(f"{name}[1]", tile), NOBODY)
    raise refuse(name, value, f"one of {', '.join(_MELDS)} and its tile, such as ['pung', '1s']")


def check_held(rules: RuleSet, counts: Sequence[int]) -> None:
    """Raise QueryError if the tiles of one seat, as counts by kind, are not all in the rule set's tiles."""
    for kind, copies in enumerate(_copies_of(rules)):
        if counts[kind] > copies:
            raise QueryError(
                f"concealed and melds have {counts[kind]} of {TEXT[kind]}: expected at most {copies} by the rules"
            )


def check_wall(rules: RuleSet, wall: Sequence[Kind]) -> None:
    """Raise QueryError, naming the first kind that is wrong, unless the wall is the rule set's tiles in any order."""
    if tuple(sorted(wall)) == rules.tile_list:
        return
    for kind, copies in enumerate(_copies_of(rules)):
        found = wall.count(kind)
        if found != copies:
            raise QueryError(f"wall of {len(wall)} tiles has {found} of {TEXT[kind]}: expected {copies} by the rules")


@lru_cache(maxsize=_RULE_SETS)
def _copies_of(rules: RuleSet) -> tuple[int, ...]:
    """Return how many tiles of every kind the rule set has."""
    in_play = rules.kinds
    return tuple(COPIES if kind in in_play else 0 for kind in range(KINDS))


def _show(value: Any) -> str:
    """Return a decoded value for a message, cut where it is long; numbers that canonical JSON cannot say included."""
    return canonical.shorten(json.dumps(value))
