"""Rule sets and presets."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kawuxing.engine.errors import RulesError
from kawuxing.engine.rules import (
    ExhaustPenalty,
    MissedWinLock,
    Reveal,
    RuleSet,
    Scoring,
    load_preset,
    preset_names,
)
from kawuxing.engine.tiles import TEXT


def test_default_preset() -> None:
    """The preset that is loaded without a name is xiangyang, with the options of its column in RULES §9."""
    rules = load_preset()

    assert load_preset("xiangyang") == rules
    assert ("p", "s") == rules.suits
    assert (True, 3, 3, 1, 1) == (rules.dragons, rules.seats, rules.entrants, rules.base, rules.min_discard_multiplier)
    assert (Scoring.MULTIPLIED, Reveal.HAND) == (rules.scoring, rules.reveal)
    assert MissedWinLock.UNTIL_DRAW is rules.missed_win_lock
    assert ExhaustPenalty.REVEALED_TO_UNREVEALED is rules.exhaust_penalty
    assert (2, 1, 2) == (rules.concealed_kong_pays, rules.added_kong_pays, rules.direct_kong_pays)


@pytest.mark.parametrize("name", preset_names())
def test_presets_load(name: str) -> None:
    """Every preset is a valid rule set, and its options as plain data give it back."""
    rules = load_preset(name)

    assert rules == RuleSet.from_options(json.loads(json.dumps(rules.to_options())))


def test_unknown_preset() -> None:
    """An unknown preset is refused with the list of those there are."""
    with pytest.raises(RulesError, match=r"preset 'tokyo' is unknown; the presets are .*xiangyang"):
        load_preset("tokyo")


@pytest.mark.parametrize(
    ("overrides", "tiles", "first", "last"),
    [
        ({}, 84, "1p", "7z"),
        ({"suits": ["m", "p", "s"], "dragons": False}, 108, "1m", "9s"),
        ({"suits": ["m", "p", "s"], "seats": 4}, 120, "1m", "7z"),
    ],
)
def test_tile_list(overrides: dict[str, Any], tiles: int, first: str, last: str) -> None:
    """The tile list has four of every kind in play, in kind order."""
    rules = load_preset().replace(overrides)

    assert tiles == len(rules.tile_list) == 4 * len(rules.kinds)
    assert list(rules.tile_list) == sorted(rules.tile_list)
    assert (first, last) == (TEXT[rules.tile_list[0]], TEXT[rules.tile_list[-1]])


def test_suits_in_kind_order() -> None:
    """Suits may be given in any order and are kept in kind order."""
    assert ("m", "s") == load_preset().replace({"suits": ["s", "m"], "seats": 3}).suits


def test_sit_out_has_one_more_entrant() -> None:
    """With sit_out there is one more entrant than seats."""
    assert 4 == load_preset().replace({"sit_out": True}).entrants


def test_digest() -> None:
    """The digest depends on the options alone: it is stable, and any change of an option changes it."""
    rules = load_preset()

    assert rules.digest == rules.replace({}).digest
    assert rules.digest != rules.replace({"cap": 8}).digest
    assert 32 == len(bytes.fromhex(rules.digest))


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("colour", 1, "rule option 'colour' is unknown: expected one of the 35 that `kawuxing rules show` lists$"),
        ("bsae", 1, r"rule option 'bsae' is unknown: expected one of the 35 .* lists; did you mean base\?$"),
        ("seats", 5, "rule option 'seats' is 5: expected a whole number from 3 to 4"),
        ("seats", "3", "rule option 'seats' is \"3\": expected a whole number from 3 to 4"),
        ("base", True, "rule option 'base' is true: expected a whole number"),
        ("base", 1.5, "rule option 'base' is 1.5: expected a whole number"),
        ("dragons", 1, "rule option 'dragons' is 1: expected true or false"),
        ("reveal", "maybe", "rule option 'reveal' is \"maybe\": expected one of off, hand, wait"),
        ("reveal", ["off"], "rule option 'reveal' is .*: expected one of off, hand, wait"),
        ("suits", ["p", "x"], "rule option 'suits' is .*: expected a list of different suits out of m, p, s"),
        ("suits", ["p", "p"], "rule option 'suits' is .*: expected a list of different suits"),
        ("suits", ["p", "z"], "rule option 'suits' is .*: expected a list of different suits"),
        ("suits", "ps", "rule option 'suits' is \"ps\": expected a list of different suits"),
        ("suits", [], "rule option 'suits' is empty"),
        ("suits", ["p"], "rule option 'suits' with 'dragons' gives 48 tiles, but 4 seats need at least 53"),
        ("cap_exempt", 8, "rule option 'cap_exempt' is 8: expected a table"),
        ("cap_exempt", {"rainbow": 8}, "rule option 'cap_exempt' names 'rainbow': expected one of middle_five"),
        ("cap_exempt", {"full_flsh": 8}, r"'cap_exempt' names 'full_flsh': .*; did you mean full_flush\?$"),
        ("cap_exempt", {"full_flush": 0}, "rule option 'cap_exempt' gives 'full_flush' 0: expected a whole number"),
        ("cap_exempt", {"full_flush": 16}, "rule option 'cap_exempt' is .*: expected none where 'cap' is 0"),
    ],
)
def test_bad_option(option: str, value: object, message: str) -> None:
    """A bad option is refused, and the message names the option, its value and what was expected."""
    with pytest.raises(RulesError, match=message):
        load_preset().replace({"seats": 4, "suits": ["m", "p", "s"], option: value})


def test_missing_option() -> None:
    """A rule set is all its options: none has a default."""
    options = load_preset().to_options()
    del options["cap"]

    with pytest.raises(RulesError, match="rule option 'cap' is missing"):
        RuleSet.from_options(options)


def test_cap_exempt_beside_a_cap() -> None:
    """A pattern can have a cap of its own where there is a cap, and survives as plain data."""
    rules = load_preset().replace({"cap": 8, "cap_exempt": {"double_dragon_seven_pairs": 16}})

    assert (("double_dragon_seven_pairs", 16),) == rules.cap_exempt
    assert {"double_dragon_seven_pairs": 16} == rules.to_options()["cap_exempt"]


NO_KONG_PAYS = {"concealed_kong_pays": 0, "added_kong_pays": 0, "direct_kong_pays": 0}
CAPS = {"cap": 8, "cap_exempt": {"double_dragon_seven_pairs": 16}}


@pytest.mark.parametrize(
    ("preset", "overrides", "message"),
    [
        (
            "four-seat",
            {"sit_out": True},
            "'sit_out' is true: expected false where 'seats' is 4, because of four entrants",
        ),
        ("sit-out", {"seats": 4, "suits": ["m", "p", "s"]}, "'sit_out' is true: expected false where 'seats' is 4"),
        (
            "zaoyang",
            {"cap": 32},
            "'cap_exempt' gives 'double_dragon_seven_pairs' 16: expected at least 32, as 'cap' is 32, because it lifts",
        ),
        ("zaoyang", {"cap": 0}, "'cap_exempt' is { double_dragon_seven_pairs = 16 }: expected none where 'cap' is 0"),
        (
            "shiyan",
            {"min_discard_multiplier": 9},
            "'min_discard_multiplier' is 9: expected at most 8 where 'cap' is 8, because no discard could ever be won",
        ),
        ("hubei", CAPS | {"min_discard_multiplier": 33}, "'min_discard_multiplier' is 33: expected at most 32 where"),
        (
            "hubei",
            CAPS | {"reveal": "off", "min_discard_multiplier": 17},
            "'min_discard_multiplier' is 17: expected at",
        ),
    ],
)
def test_contradictions_are_refused(preset: str, overrides: dict[str, Any], message: str) -> None:
    """The message names both options, their values and the reason; it does not matter who set which."""
    with pytest.raises(RulesError) as caught:
        load_preset(preset).replace(overrides)
    assert str(caught.value).startswith(f"rule option {message}")

    with pytest.raises(RulesError):
        RuleSet.from_options(load_preset(preset).to_options() | overrides)


REVEAL_OFF = {"reveal": "off"}
ROTATE = {"next_dealer": "rotate"}
REVEALS = "where 'reveal' is \"off\", because nobody reveals"
CHAINS = "where 'kong_chain' is false, because there are no chains"
LARGEST = "where 'scoring' is \"best_pattern\", because only the largest pattern counts"
ROUND = "where 'next_dealer' is \"rotate\", because the deal goes round after every hand"
PAYS = "where 'concealed_kong_pays', 'added_kong_pays', 'direct_kong_pays' are 0, because no kong pays"
VAIN: list[tuple[str, dict[str, Any], str, Any, str]] = [
    ("xiangyang", REVEAL_OFF, "revealed_flush_kong", True, f"false {REVEALS}"),
    ("three-suit", {}, "discard_ban", True, f"false {REVEALS}"),
    ("three-suit", {}, "revealed_payer_doubles", True, f"false {REVEALS}"),
    ("three-suit", {}, "revealed_winner_takes_all_shares", True, f"false {REVEALS}"),
    ("three-suit", {}, "exhaust_penalty", "first_revealed", f'"none" {REVEALS}'),
    ("xiangyang", REVEAL_OFF, "exhaust_dealer", "first_revealed", f'"stays" {REVEALS}'),
    ("xiangyang", ROTATE, "exhaust_dealer", "first_revealed", f'"stays" {ROUND}'),
    (
        "three-suit",
        {},
        "missed_win_bigger",
        True,
        "false where 'missed_win_lock' is \"none\", because nobody is locked",
    ),
    ("three-suit", {}, "kong_chain_same_tile", True, f"false {CHAINS}"),
    ("three-suit", {}, "kong_chain_cap", 2, f"0 {CHAINS}"),
    ("xiangyang", NO_KONG_PAYS, "kong_chain", True, f"false {PAYS}"),
    ("three-suit", {}, "single_tile_adds_all_pungs", True, f"false {LARGEST}"),
    ("three-suit", {}, "concealed_four_shape", "pung_and_sequence", f'"any" {LARGEST}'),
    ("three-suit", {}, "four_in_flush", True, f"false {LARGEST}"),
    ("three-suit", {}, "last_discard", 2, f"1 {LARGEST}"),
    (
        "hubei",
        {"discard_last_tile": False},
        "last_discard",
        2,
        "1 where 'discard_last_tile' is false, because the last",
    ),
]


@pytest.mark.parametrize(("preset", "beside", "option", "value", "told"), VAIN)
def test_options_asked_for_in_vain_are_refused(
    preset: str, beside: dict[str, Any], option: str, value: Any, told: str
) -> None:
    """What one asks for must have an effect; what a preset brings along may be idle, and in a whole rule set too."""
    rules = load_preset(preset)
    with pytest.raises(RulesError) as caught:
        rules.replace(beside | {option: value})
    assert str(caught.value).startswith(f"rule option {option!r} is {json.dumps(value)}: expected {told}")

    idle = RuleSet.from_options(rules.to_options() | beside | {option: value})
    assert idle == rules.replace(idle.to_options())


@pytest.mark.parametrize(
    ("overrides", "pattern", "other"),
    [
        ({"seven_pairs": False}, "seven_pairs", "'seven_pairs' is false"),
        ({"seven_pairs": False}, "dragon_seven_pairs", "'seven_pairs' is false"),
        ({"seven_pairs": False}, "double_dragon_seven_pairs", "'seven_pairs' is false"),
        ({"dragons": False}, "small_three_dragons", "'dragons' is false"),
        ({"dragons": False}, "big_three_dragons", "'dragons' is false"),
        ({"rob_kong": False}, "rob_kong", "'rob_kong' is false"),
        ({"reveal": "off"}, "reveal", "'reveal' is \"off\""),
        ({"last_discard": 1}, "last_discard", "'last_discard' is 1"),
        ({}, "gap_wait", "'scoring' is \"multiplied\""),
        ({"scoring": "best_pattern"}, "middle_five", "'scoring' is \"best_pattern\""),
        ({"scoring": "best_pattern"}, "reveal", "'scoring' is \"best_pattern\""),
    ],
)
def test_a_cap_of_its_own_for_a_pattern_that_never_holds(overrides: dict[str, Any], pattern: str, other: str) -> None:
    """It is refused, with the option that leaves the pattern out."""
    with pytest.raises(RulesError) as caught:
        load_preset().replace({"cap": 8, "cap_exempt": {pattern: 16}, **overrides})
    told = f"'cap_exempt' names {pattern!r}: expected a pattern that these rules have, but {other}"
    assert f"rule option {told}" == str(caught.value)


@pytest.mark.parametrize("overrides", [{"reveal": "off"}, {"missed_win_lock": "none"}, {"kong_chain": False}])
def test_one_option_can_be_turned_off_alone(overrides: dict[str, Any]) -> None:
    """The options of hubei that need it are idle then: nobody has to name them all."""
    assert overrides.items() <= load_preset("hubei").replace(overrides).to_options().items()
