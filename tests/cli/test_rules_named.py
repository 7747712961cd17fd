"""Rules are told in a few words: the preset that they are, or the nearest one and what differs."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kawuxing.cli.rules_named import nearest_preset, rules_line
from kawuxing.engine.preset_texts import PRESET_TEXTS
from kawuxing.engine.rules import RuleSet, load_preset


@pytest.mark.parametrize("name", PRESET_TEXTS)
def test_a_preset_is_told_by_its_name(name: str) -> None:
    """Without any difference."""
    assert (name, {}) == nearest_preset(load_preset(name))
    assert f"rules {name}" == rules_line(load_preset(name))


@pytest.mark.parametrize(
    ("preset", "overrides", "line"),
    [
        ("hubei", {"base": 1, "cap": 8}, "rules hubei with base = 1, cap = 8"),
        ("xiangyang", {"dragons": False, "suits": ["m", "p", "s"]}, None),
        ("xiangyang", {"rob_kong": False}, "rules xiangyang with rob_kong = false"),
        ("xiangyang", {"reveal": "wait"}, 'rules xiangyang with reveal = "wait"'),
        (
            "zaoyang",
            {"cap_exempt": {"dragon_seven_pairs": 32}},
            "rules zaoyang with cap_exempt = { dragon_seven_pairs = 32 }",
        ),
    ],
)
def test_differences_are_told_as_a_tournament_file_has_them(
    preset: str, overrides: dict[str, Any], line: str | None
) -> None:
    """In the order of the options; the line is TOML that makes the same rules again."""
    rules = load_preset(preset).replace(overrides)
    told = rules_line(rules)

    assert line is None or line == told
    _, name, *rest = told.split(" ", 2)
    assert rules == load_preset(name).replace(_parsed(rest[0].removeprefix("with ") if rest else ""))


@given(st.sampled_from(sorted(PRESET_TEXTS)), st.integers(1, 1000), st.booleans())
def test_no_preset_is_nearer(preset: str, base: int, rob_kong: bool) -> None:
    """And of those that are as near, the first in the order of RULES §9 is named."""
    rules = load_preset(preset).replace({"base": base, "rob_kong": rob_kong})
    name, changed = nearest_preset(rules)
    counts = {other: _distance(rules, load_preset(other)) for other in PRESET_TEXTS}

    assert min(counts.values()) == len(changed)
    assert name == next(other for other, count in counts.items() if count == len(changed))


def _distance(rules: RuleSet, preset: RuleSet) -> int:
    ours, theirs = rules.to_options(), preset.to_options()
    return sum(ours[option] != theirs[option] for option in ours)


def _parsed(told: str) -> dict[str, Any]:
    return tomllib.loads("x = { " + told + " }")["x"]  # type: ignore[no-any-return]
