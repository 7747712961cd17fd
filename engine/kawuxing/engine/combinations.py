"""Which options of a rule set cannot stand beside each other, and which would be asked for in vain.

Options are plain data here, as a preset's TOML has them. Docs/tournament.md lists what is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from kawuxing.engine.errors import RulesError
from kawuxing.engine.patterns import BEST_PATTERN, MULTIPLIED, Pattern
from kawuxing.engine.wording import toml_text

_SIT_OUT_SEATS: Final = 3
_NOBODY_REVEALS: Final = "nobody reveals"
_NO_CHAINS: Final = "there are no chains"
_LARGEST: Final = "only the largest pattern counts, by three-suit scoring (RULES §9)"
_VAIN: Final[tuple[tuple[str, Any, str, Any, str], ...]] = (
    ("revealed_flush_kong", False, "reveal", "off", _NOBODY_REVEALS),
    ("discard_ban", False, "reveal", "off", _NOBODY_REVEALS),
    ("revealed_payer_doubles", False, "reveal", "off", _NOBODY_REVEALS),
    ("revealed_winner_takes_all_shares", False, "reveal", "off", _NOBODY_REVEALS),
    ("exhaust_penalty", "none", "reveal", "off", _NOBODY_REVEALS),
    ("exhaust_dealer", "stays", "reveal", "off", _NOBODY_REVEALS),
    ("exhaust_dealer", "stays", "next_dealer", "rotate", "the deal goes round after every hand"),
    ("missed_win_bigger", False, "missed_win_lock", "none", "nobody is locked"),
    ("kong_chain_same_tile", False, "kong_chain", False, _NO_CHAINS),
    ("kong_chain_cap", 0, "kong_chain", False, _NO_CHAINS),
    ("single_tile_adds_all_pungs", False, "scoring", "best_pattern", _LARGEST),
    ("concealed_four_shape", "any", "scoring", "best_pattern", _LARGEST),
    ("four_in_flush", False, "scoring", "best_pattern", _LARGEST),
    ("last_discard", 1, "scoring", "best_pattern", _LARGEST),
    ("last_discard", 1, "discard_last_tile", False, "the last tile is never discarded"),
)
"""An option, the value that asks for nothing, and under which value of another option any other is in vain, and why."""
_NEEDED: Final[Mapping[Pattern, tuple[str, Any]]] = {
    Pattern.SEVEN_PAIRS: ("seven_pairs", False),
    Pattern.DRAGON_SEVEN_PAIRS: ("seven_pairs", False),
    Pattern.DOUBLE_DRAGON_SEVEN_PAIRS: ("seven_pairs", False),
    Pattern.SMALL_THREE_DRAGONS: ("dragons", False),
    Pattern.BIG_THREE_DRAGONS: ("dragons", False),
    Pattern.ROB_KONG: ("rob_kong", False),
    Pattern.REVEAL: ("reveal", "off"),
    Pattern.LAST_DISCARD: ("last_discard", 1),
}
"""The option, and its value under which a pattern of multiplied scoring never holds."""
_KONGS_PAY: Final = ("concealed_kong_pays", "added_kong_pays", "direct_kong_pays")


def refuse_impossible(options: Mapping[str, Any]) -> None:
    """Raise RulesError, naming both options and why, if one contradicts another."""
    if options["sit_out"] and options["seats"] != _SIT_OUT_SEATS:
        raise _refused(options, "sit_out", "seats", "of four entrants three play (RULES §8)", expected=False)
    _refuse_impossible_caps(options)


def _refuse_impossible_caps(options: Mapping[str, Any]) -> None:
    cap, exempt = options["cap"], options["cap_exempt"]
    if exempt and not cap:
        raise RulesError(f"rule option 'cap_exempt' is {toml_text(exempt)}: expected none where 'cap' is 0")
    for pattern, own in exempt.items():
        if own < cap:
            raise RulesError(
                f"rule option 'cap_exempt' gives {pattern!r} {own}: expected at least {cap}, as 'cap' is {cap}, "
                f"because it lifts the cap"
            )
    doubled = options["revealed_payer_doubles"] and options["reveal"] != "off"
    most = max((cap, *exempt.values())) * (2 if doubled else 1)
    least = options["min_discard_multiplier"]
    if cap and least > most:
        raise RulesError(
            f"rule option 'min_discard_multiplier' is {least}: expected at most {most} where 'cap' is {cap}, "
            f"because no discard could ever be won"
        )


def refuse_vain(options: Mapping[str, Any], asked: Collection[str]) -> None:
    """Raise RulesError, naming both options and why, if one that is asked for has no effect beside the others.

    Only what is asked for is judged: options that a preset brings along may be idle, the dashes of RULES §9.
    """
    for option, nothing, other, value, why in _VAIN:
        if option in asked and options[option] != nothing and options[other] == value:
            raise _refused(options, option, other, why, expected=nothing)
    if "kong_chain" in asked and options["kong_chain"] and not any(options[pays] for pays in _KONGS_PAY):
        raise RulesError(
            f"rule option 'kong_chain' is true: expected false where {', '.join(map(repr, _KONGS_PAY))} are 0, "
            f"because no kong pays"
        )
    if "cap_exempt" in asked:
        for pattern in options["cap_exempt"]:
            _refuse_absent(options, Pattern(pattern))


def _refuse_absent(options: Mapping[str, Any], pattern: Pattern) -> None:
    """Raise RulesError if a pattern with a cap of its own never holds by these options."""
    best = options["scoring"] == "best_pattern"
    if pattern not in (BEST_PATTERN if best else (*MULTIPLIED, Pattern.LAST_DISCARD)):
        other = "scoring"
    elif not best and pattern in _NEEDED and options[_NEEDED[pattern][0]] == _NEEDED[pattern][1]:
        other = _NEEDED[pattern][0]
    else:
        return
    raise RulesError(
        f"rule option 'cap_exempt' names {pattern.value!r}: expected a pattern that these rules have, "
        f"but {other!r} is {toml_text(options[other])}"
    )


def _refused(options: Mapping[str, Any], option: str, other: str, why: str, *, expected: Any) -> RulesError:
    return RulesError(
        f"rule option {option!r} is {toml_text(options[option])}: expected {toml_text(expected)} "
        f"where {other!r} is {toml_text(options[other])}, because {why}"
    )
