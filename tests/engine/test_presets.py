"""The presets of RULES §9: their files against the table of the normative text."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from kawuxing.engine.rules import RuleSet, load_preset, preset_names

ROOT: Final = Path(__file__).parents[2]
RULES: Final = ROOT / "docs" / "rules" / "RULES.md"
PRESETS: Final = ROOT / "engine" / "kawuxing" / "engine" / "presets"
COLUMNS: Final = ("xiangyang", "standard", "classic", "hubei", "three-suit")


def table() -> dict[str, dict[str, str]]:
    """Return what the table says, option by option and preset by preset; a dash is left out."""
    lines = RULES.read_text("utf-8").partition("## 9. Presets")[2].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    header, *body = rows[: next(index for index, row in enumerate(rows) if row[0].startswith("cap /")) + 1]
    assert list(COLUMNS) == [cell.split("`")[1] for cell in header[1:]]
    return {
        row[0]: {name: cell for name, cell in zip(COLUMNS, row[1:], strict=True) if cell != "–"}
        for row in body
        if not set(row[0]) <= {"-", " "}
    }


def said(rules: RuleSet, option: str) -> str:
    """Return what the table should say of an option."""
    if option == "tiles / seats":
        return f"{len(rules.tile_list)} / {rules.seats}"
    if option == "concealed / added / direct _kong_pays":
        return f"{rules.concealed_kong_pays} / {rules.added_kong_pays} / {rules.direct_kong_pays}"
    if option == "cap / cap_exempt":
        return "none" if not rules.cap and not rules.cap_exempt else f"{rules.cap} / {rules.cap_exempt}"
    value = rules.to_options()[option]
    if isinstance(value, bool):
        return "yes" if value else "no"
    if option == "last_discard":
        return f"×{value}"
    if option == "kong_chain_cap":
        return str(value) if value else "none"
    return str(value)


@pytest.mark.parametrize("option", table())
def test_presets_say_what_the_table_says(option: str) -> None:
    """Every row of RULES §9, in every column that has something to say."""
    cells = {name: cell.partition(" (")[0] for name, cell in table()[option].items()}
    if option == "max_suits":
        assert {"three-suit": "2"} == cells
        assert [0, 0, 0, 0, 2] == [load_preset(name).max_suits for name in COLUMNS]
        return
    assert cells == {name: said(load_preset(name), option) for name in cells}


def test_the_table_names_every_option_but_scoring() -> None:
    """So that no option has a value in a preset that nobody chose."""
    named = {"tiles / seats": {"suits", "dragons", "seats"}, "cap / cap_exempt": {"cap", "cap_exempt"}}
    named["concealed / added / direct _kong_pays"] = {"concealed_kong_pays", "added_kong_pays", "direct_kong_pays"}
    options = {option for row in table() for option in named.get(row, {row})}

    assert {"scoring", "sit_out"} == set(load_preset().to_options()) - options


@pytest.mark.parametrize(
    ("name", "parent", "changes"),
    [
        ("zaoyang", "classic", {"cap": 8, "cap_exempt": {"double_dragon_seven_pairs": 16}}),
        ("shiyan", "classic", {"cap": 8}),
        ("hubei-capped", "hubei", {"cap": 8, "cap_exempt": {"double_dragon_seven_pairs": 16}}),
        ("xiangyang-min2", "xiangyang", {"min_discard_multiplier": 2}),
        (
            "sit-out",
            "xiangyang",
            {"sit_out": True, "cap": 8, "kong_chain_cap": 2, "kong_chain_same_tile": True, "four_in_flush": True},
        ),
        ("four-seat", "hubei", {"suits": ["m", "p", "s"], "seats": 4}),
    ],
)
def test_variants_are_a_few_options_away(name: str, parent: str, changes: dict[str, Any]) -> None:
    """The variants that RULES §9 names below its table."""
    assert load_preset(parent).replace(changes) == load_preset(name)


def test_four_seats_have_120_tiles_and_three_suits_108() -> None:
    """RULES §1."""
    assert (120, 4) == (len(load_preset("four-seat").tile_list), load_preset("four-seat").entrants)
    assert 108 == len(load_preset("three-suit").tile_list)
    assert 4 == load_preset("sit-out").entrants


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_file_says_only_what_differs_from_its_parent(name: str) -> None:
    """What it repeats would have to be changed twice."""
    options = tomllib.loads((PRESETS / f"{name}.toml").read_text("utf-8"))
    parent = options.pop("parent", None)
    if parent is not None:
        inherited = load_preset(parent).to_options()
        assert [] == [option for option, value in options.items() if inherited[option] == value]
