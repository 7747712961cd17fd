"""The rules in a tournament.toml: any option can be set, and what cannot stand together is refused with the reason."""

from __future__ import annotations

from typing import Any

import pytest

from kawuxing.engine.rules import load_preset
from kawuxing.scheduler.config import ConfigError, TournamentConfig, parse_config

TOURNAMENT = """
name = "Any Rules"
[rules]
{rules}
[[bots]]
name = "a"
remote = true
[[bots]]
name = "b"
remote = true
[[bots]]
name = "c"
remote = true
[[bots]]
name = "d"
remote = true
"""
OPTIONS: dict[str, tuple[str, Any]] = {
    "suits": ('["m", "p", "s"]', ["m", "p", "s"]),
    "dragons": ("false", False),
    "seats": ('4\nsuits = ["m", "p", "s"]', 4),
    "sit_out": ("true", True),
    "scoring": ('"best_pattern"', "best_pattern"),
    "base": ("5", 5),
    "min_discard_multiplier": ("2", 2),
    "multiple_winners": ('"nearest"', "nearest"),
    "seven_pairs": ("false", False),
    "single_tile_adds_all_pungs": ("false", False),
    "concealed_four_shape": ('"pung_and_sequence"', "pung_and_sequence"),
    "four_in_flush": ("true", True),
    "last_discard": ("2", 2),
    "discard_last_tile": ("false", False),
    "reveal": ('"off"', "off"),
    "revealed_flush_kong": ("true", True),
    "discard_ban": ("true", True),
    "revealed_payer_doubles": ("true", True),
    "revealed_winner_takes_all_shares": ("false", False),
    "missed_win_lock": ('"none"', "none"),
    "missed_win_bigger": ("true", True),
    "concealed_kong_after_pung": ('"before_first_discard"', "before_first_discard"),
    "concealed_kong_pays": ("4", 4),
    "added_kong_pays": ("2", 2),
    "direct_kong_pays": ("3", 3),
    "kong_chain": ("false", False),
    "kong_chain_same_tile": ("true", True),
    "kong_chain_cap": ("2", 2),
    "rob_kong": ("false", False),
    "exhaust_penalty": ('"none"', "none"),
    "next_dealer": ('"rotate"', "rotate"),
    "exhaust_dealer": ('"stays"', "stays"),
    "max_suits": ("2", 2),
    "cap": ("8", 8),
    "cap_exempt": ("{ full_flush = 32 }\ncap = 8", {"full_flush": 32}),
}


def config_of(rules: str) -> TournamentConfig:
    return parse_config(TOURNAMENT.format(rules=rules))


@pytest.mark.parametrize("option", sorted(load_preset().to_options()))
def test_any_option_can_be_set(option: str) -> None:
    """Alone, but for what it needs; it is what is played then, and what is stored and read again."""
    text, value = OPTIONS[option]
    config = config_of(f"{option} = {text}")

    assert value != load_preset().to_options()[option]
    assert value == config.rules.to_options()[option]
    assert config == TournamentConfig.from_json(config.to_json())


@pytest.mark.parametrize("preset", ["hubei", "three-suit", "zaoyang"])
def test_idle_options_are_stored_and_read_again(preset: str) -> None:
    """A preset whose reveal is turned off keeps the options that need it, without effect."""
    config = config_of(f'preset = "{preset}"\nreveal = "off"')

    assert load_preset(preset).replace({"reveal": "off"}) == config.rules
    assert config == TournamentConfig.from_json(config.to_json())


OFF = "where 'reveal' is \"off\", because nobody reveals"
FOUR = "sit_out is true: expected false where 'seats' is 4, because of four entrants three play (RULES §8)"
CAPPED = "expected at most 8 where 'cap' is 8, because no discard could ever be won"


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        (
            'reveal = "off"\ndiscard_ban = true\nexhaust_penalty = "first_revealed"',
            [
                f"discard_ban is true: expected false {OFF}",
                f'exhaust_penalty is "first_revealed": expected "none" {OFF}',
            ],
        ),
        ('seats = 4\nsuits = ["m", "p", "s"]\nsit_out = true', [FOUR]),
        ('preset = "sit-out"\nseats = 4\nsuits = ["m", "p", "s"]', [FOUR]),
        ('suits = ["p"]\ndragons = false', ["suits with 'dragons' gives 36 tiles, but 3 seats need at least 40"]),
        ("seats = 4\nsuits = []", ["suits is empty: expected at least one of m, p, s"]),
        ("cap = 8\nmin_discard_multiplier = 16", [f"min_discard_multiplier is 16: {CAPPED}"]),
    ],
)
def test_impossible_combinations_are_refused_with_the_reason(rules: str, told: list[str]) -> None:
    """The message names both options, their values and why they do not go together."""
    with pytest.raises(ConfigError) as caught:
        config_of(rules)
    assert [f"rules.{problem}" for problem in told] == list(caught.value.problems)
