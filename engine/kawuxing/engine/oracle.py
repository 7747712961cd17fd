"""The oracle: what the rules make of a hand, as plain data, so that other engines can be tested against this one.

The questions and answers are those of docs/rules/tools.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final, NoReturn

from kawuxing.engine.actions import Action, parse_action
from kawuxing.engine.errors import IllegalAnswerError, KawuxingError, QueryError
from kawuxing.engine.events import Event, HandWon
from kawuxing.engine.hand import Hand
from kawuxing.engine.observation import Meld
from kawuxing.engine.oracle_fields import (
    check_fields,
    check_held,
    check_wall,
    list_of,
    melds_of,
    refuse,
    rules_of,
    tile_of,
    tiles_of,
)
from kawuxing.engine.rules import DEAL, RuleSet
from kawuxing.engine.scoring import Circumstances, count_melds, score
from kawuxing.engine.seating import Seating, next_seating
from kawuxing.engine.shapes import waits
from kawuxing.engine.table import kinds_in
from kawuxing.engine.tiles import KINDS, TEXT

Query = Callable[[Any], dict[str, Any]]
"""A decoded question to its answer. Raises KawuxingError, naming the field that is at fault."""

_FLAGS: Final = (
    "self_draw",
    "kong_draw",
    "kong_discard",
    "rob_kong",
    "last_draw",
    "last_discard",
    "revealed",
    "hidden_pungs",
)
"""How a hand was won, by the names that :class:`Circumstances` has for it."""
_SET_TILES: Final = 3

_text: Final = cache(Action.__str__)
_encoder: Final = json.JSONEncoder(separators=(",", ":"))


def answer_lines(lines: Sequence[bytes], first: int, query: Query) -> str:
    """Return the answers to lines of which the first has the number ``first``, in order."""
    return "".join([answer_line(line, number, query) for number, line in enumerate(lines, first)])


def answer_line(line: bytes, number: int, query: Query) -> str:
    """Return the answer to one line, LF included: ``{"error": …, "line": number}`` whatever is wrong with it."""
    try:
        answer = query(_decoded(line))
    except KawuxingError as error:
        answer = {"error": str(error), "line": number}
    except RecursionError:
        answer = {"error": "the line is nested too deeply: expected a question", "line": number}
    return _encoder.encode(answer) + "\n"


def _decoded(line: bytes) -> Any:
    if not line.strip():
        raise QueryError("the line is empty: expected a question, a JSON object")
    try:
        return _decoder.decode(line.decode("utf-8"))
    except json.JSONDecodeError as error:
        raise QueryError(f"the line is not JSON: {error.msg} in column {error.colno}") from None
    except UnicodeDecodeError as error:
        raise QueryError(f"the line is not UTF-8: {error.reason} in byte {error.start + 1}") from None
    except ValueError as error:
        # Python refuses to read numbers of thousands of digits.
        raise QueryError(f"the line cannot be read: {error}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise QueryError(f"field {json.dumps(twice)} is there twice in an object: expected it once")
    return fields


def _refuse_constant(text: str) -> NoReturn:
    raise QueryError(f"the line has {text}, which is no JSON: expected a number")


_decoder: Final = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_refuse_constant)


def score_query(query: Any) -> dict[str, Any]:
    """Return the total and the patterns of a complete hand, that it is not complete, or the waits of a hand.

    Raises QueryError or RulesError, naming the field, its value and what was expected.
    """
    fields = check_fields(query, ("rules", "concealed"), ("melds", "winning_tile", "flags", "waits"))
    rules = rules_of(fields["rules"])
    melds = melds_of(fields.get("melds", []))
    only_waits = fields.get("waits", False)
    if not isinstance(only_waits, bool):
        raise refuse("waits", only_waits, "true or false")
    tiles = tiles_of("concealed", fields["concealed"])
    size = DEAL - _SET_TILES * len(melds) + (not only_waits)
    if len(tiles) != size:
        raise QueryError(f"concealed has {len(tiles)} tiles: expected {size} beside {len(melds)} melds")
    counts = [0] * KINDS
    for kind in tiles:
        counts[kind] += 1
    melded = count_melds(melds)
    check_held(rules, [concealed + declared for concealed, declared in zip(counts, melded, strict=True)])
    how = _circumstances(fields.get("flags", []))
    if only_waits:
        return {"waits": [TEXT[kind] for kind in kinds_in(waits(rules, counts, melded))]}
    return _scored(rules, counts, melds, fields, how)


def _scored(
    rules: RuleSet, counts: Sequence[int], melds: Sequence[Meld], fields: Mapping[str, Any], how: Circumstances
) -> dict[str, Any]:
    if "winning_tile" not in fields:
        raise QueryError("field 'winning_tile' is missing")
    winning_tile = tile_of("winning_tile", fields["winning_tile"])
    if not counts[winning_tile]:
        raise refuse("winning_tile", TEXT[winning_tile], "one of the concealed tiles")
    result = score(rules, counts, melds, winning_tile, how)
    if result is None:
        return {"complete": False}
    return {"total": result.total, "patterns": list(result.patterns)}


def _circumstances(value: Any) -> Circumstances:
    flags = list_of("flags", value, "a list of flags")
    for index, flag in enumerate(flags):
        if flag not in _FLAGS:
            raise refuse(f"flags[{index}]", flag, f"one of {', '.join(_FLAGS)}")
    return Circumstances(**dict.fromkeys(flags, True))


def play_query(query: Any) -> dict[str, Any]:
    """Return who was asked what in a hand, and how it ended, or stands where the decisions stop.

    Raises QueryError or RulesError, naming the field, its value and what was expected; a decision that is not legal is
    named by its index.
    """
    fields = check_fields(query, ("rules", "wall", "dealer", "decisions"))
    rules = rules_of(fields["rules"])
    wall = tiles_of("wall", fields["wall"])
    check_wall(rules, wall)
    dealer = fields["dealer"]
    if not isinstance(dealer, int) or isinstance(dealer, bool) or not 0 <= dealer < rules.seats:
        raise refuse("dealer", dealer, f"a seat from 0 to {rules.seats - 1}")
    decisions = list_of("decisions", fields["decisions"], "a list of objects, seat to action")
    hand = Hand(rules, wall, dealer)
    events = hand.start()
    asked = [_asked(hand)]
    for index, decision in enumerate(decisions):
        answers = _answers(f"decisions[{index}]", decision)
        try:
            events += hand.apply(answers)
        except IllegalAnswerError as error:
            raise QueryError(f"decisions[{index}]: {error}") from None
        asked.append(_asked(hand))
    return _played(hand, events, [question for question in asked if question])


def _asked(hand: Hand) -> dict[str, list[str]]:
    return {str(seat): sorted(map(_text, legal)) for seat, legal in hand.pending().items()}


def _answers(name: str, value: Any) -> dict[int, Action]:
    if not isinstance(value, dict):
        raise refuse(name, value, "an object, seat to action")
    answers: dict[int, Action] = {}
    for seat, text in value.items():
        # More than four seats there never are, and other digits than ASCII's are numbers to Python, too.
        if seat not in ("0", "1", "2", "3"):
            raise refuse(f"{name}: seat", seat, "a seat, such as '0'")
        if not isinstance(text, str):
            raise refuse(f"{name}[{seat!r}]", text, "an action, such as 'DISCARD 6p'")
        try:
            answers[int(seat)] = parse_action(text)
        except ValueError as error:
            raise QueryError(f"{name}[{seat!r}]: {error}") from None
    return answers


def _played(hand: Hand, events: Sequence[Event], asked: Sequence[dict[str, list[str]]]) -> dict[str, Any]:
    state = {"asked": asked, "points": [seat.points for seat in hand.table.seats]}
    outcome = hand.outcome
    if outcome is None:
        return state | {"done": False, "exhausted": False, "winners": []}
    seating = Seating(hand.table.entrants, hand.table.dealer)
    winners = [
        {"seat": event.seat, "total": event.total, "patterns": list(event.patterns), "tile": TEXT[event.tile]}
        for event in events
        if isinstance(event, HandWon)
    ]
    return state | {
        "next_dealer": next_seating(hand.table.rules, seating, outcome).dealer,
        "exhausted": not winners,
        "winners": winners,
    }
