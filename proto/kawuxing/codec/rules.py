"""Rule sets: every option, field by field, under the same names."""

from __future__ import annotations

from typing import Any, Final

from kawuxing.codec.enums import EnumCodec
from kawuxing.codec.tiles import kinds_to_tiles, tiles_to_kinds
from kawuxing.engine import rules as engine
from kawuxing.engine.rules import RuleSet
from kawuxing.engine.tiles import KINDS, SUIT_INDEX, SUITS, Suit
from kawuxing.v1 import rules_pb2

_ENUMS: Final[dict[str, EnumCodec[Any]]] = {
    "scoring": EnumCodec(engine.Scoring, rules_pb2.Scoring, "SCORING_"),
    "multiple_winners": EnumCodec(engine.MultipleWinners, rules_pb2.MultipleWinners, "MULTIPLE_WINNERS_"),
    "concealed_four_shape": EnumCodec(engine.ConcealedFourShape, rules_pb2.ConcealedFourShape, "CONCEALED_FOUR_SHAPE_"),
    "reveal": EnumCodec(engine.Reveal, rules_pb2.Reveal, "REVEAL_"),
    "missed_win_lock": EnumCodec(engine.MissedWinLock, rules_pb2.MissedWinLock, "MISSED_WIN_LOCK_"),
    "concealed_kong_after_pung": EnumCodec(
        engine.ConcealedKongAfterPung, rules_pb2.ConcealedKongAfterPung, "CONCEALED_KONG_AFTER_PUNG_"
    ),
    "exhaust_penalty": EnumCodec(engine.ExhaustPenalty, rules_pb2.ExhaustPenalty, "EXHAUST_PENALTY_"),
    "next_dealer": EnumCodec(engine.NextDealer, rules_pb2.NextDealer, "NEXT_DEALER_"),
    "exhaust_dealer": EnumCodec(engine.ExhaustDealer, rules_pb2.ExhaustDealer, "EXHAUST_DEALER_"),
}
# What the message says through `kinds`.
_TILE_OPTIONS: Final = ("suits", "dragons")


def rules_to_message(rules: RuleSet) -> rules_pb2.RuleSet:
    """Return the message of a rule set."""
    options = {name: value for name, value in rules.to_options().items() if name not in _TILE_OPTIONS}
    for name, codec in _ENUMS.items():
        options[name] = codec.to_message(getattr(rules, name))
    return rules_pb2.RuleSet(kinds=kinds_to_tiles(rules.kinds), digest=rules.digest, **options)


def rules_from_message(message: rules_pb2.RuleSet) -> RuleSet:
    """Return the rule set of a message.

    Raises ValueError for a tile or choice unknown to this version or a digest that does not fit, RulesError for options
    that do not go together: rules that this client could only misunderstand.
    """
    kinds = tiles_to_kinds(message.kinds)
    if any(not 0 <= kind < KINDS for kind in kinds):
        raise ValueError("RuleSet.kinds holds an unspecified tile: expected the kinds in play")
    suits = {SUITS[SUIT_INDEX[kind]] for kind in kinds}
    options: dict[str, Any] = {
        "suits": [suit.value for suit in SUITS if suit in suits and suit is not Suit.DRAGONS],
        "dragons": Suit.DRAGONS in suits,
        "cap_exempt": dict(message.cap_exempt),
    }
    for field in rules_pb2.RuleSet.DESCRIPTOR.fields:
        if field.name in _ENUMS:
            options[field.name] = _ENUMS[field.name].from_message(getattr(message, field.name)).value
        elif field.name not in ("kinds", "digest", "cap_exempt"):
            options[field.name] = getattr(message, field.name)
    rules = RuleSet.from_options(options)
    if rules.digest != message.digest:
        raise ValueError(f"RuleSet.digest is {message.digest!r}: expected {rules.digest!r} for these options")
    return rules
