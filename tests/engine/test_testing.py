"""Walls made to measure, for tests."""

from __future__ import annotations

import pytest

from kawuxing.engine.rules import RuleSet
from kawuxing.engine.testing import arranged_wall
from kawuxing.engine.tiles import parse_kinds


def test_arranged_wall_is_a_wall_of_the_rule_set_with_its_parts_in_place(any_rules: RuleSet) -> None:
    """Hands in front, then draws; replacements at the back, from the last tile on, and before them the last draws."""
    wall = arranged_wall(any_rules, ["111222333s", "9s"], draws="4s5s", replacements="6s7s", last="8s")
    assert any_rules.tile_list == tuple(sorted(wall))
    front = 13 * any_rules.seats
    assert parse_kinds("111222333s") == wall[:9]
    assert parse_kinds("9s") == wall[13:14]
    assert parse_kinds("45s") == wall[front : front + 2]
    assert parse_kinds("876s") == wall[-3:]


def test_arranged_wall_refuses_what_is_no_wall(xiangyang: RuleSet) -> None:
    """Five of a kind, a hand of 14 tiles, and a hand too many."""
    with pytest.raises(ValueError, match="tile 1p: expected at most 4"):
        arranged_wall(xiangyang, ["111p"], draws="11p")
    with pytest.raises(ValueError, match="expected at most 3 of at most 13 tiles"):
        arranged_wall(xiangyang, ["123456789p 12345s"])
    with pytest.raises(ValueError, match="expected at most 3 of at most 13 tiles"):
        arranged_wall(xiangyang, ["1p", "2p", "3p", "4p"])
