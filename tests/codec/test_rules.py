"""A bot is told the rules in full, and refuses rules that it could only misunderstand."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from kawuxing.codec.rules import rules_from_message, rules_to_message
from kawuxing.engine.errors import RulesError
from kawuxing.engine.rules import RuleSet
from kawuxing.v1 import rules_pb2, tile_pb2


def test_a_rule_set_survives_the_wire(any_rules: RuleSet) -> None:
    """Encoding and decoding gives an equal rule set with the same digest."""
    message = rules_pb2.RuleSet.FromString(rules_to_message(any_rules).SerializeToString())

    assert any_rules == rules_from_message(message)
    assert any_rules.digest == message.digest


def test_exemptions_from_the_cap_survive_the_wire(xiangyang: RuleSet) -> None:
    """Each pattern keeps the cap of its own."""
    rules = xiangyang.replace({"cap": 8, "cap_exempt": {"double_dragon_seven_pairs": 16, "big_three_dragons": 64}})

    assert rules == rules_from_message(rules_to_message(rules))


def test_every_option_has_a_field_of_its_name() -> None:
    """RuleSet of the protocol has every option of the engine's; suits and dragons are said by the kinds in play."""
    options = {field.name for field in dataclasses.fields(RuleSet)}

    assert options - {"suits", "dragons"} | {"kinds", "digest"} == set(rules_pb2.RuleSet.DESCRIPTOR.fields_by_name)


@pytest.mark.parametrize(
    "name", [field.name for field in rules_pb2.RuleSet.DESCRIPTOR.fields if field.enum_type and field.name != "kinds"]
)
@pytest.mark.parametrize("value", [0, 99])
def test_a_choice_unknown_to_this_version_is_refused(xiangyang: RuleSet, name: str, value: int) -> None:
    """A choice of a newer version, or none, raises ValueError, naming the choice and its value."""
    message = rules_to_message(xiangyang)
    setattr(message, name, value)

    with pytest.raises(ValueError, match=f"{name.upper()}_… {value}: unknown to this version"):
        rules_from_message(message)


def _unknown_tile(message: rules_pb2.RuleSet) -> None:
    message.kinds.append(99)  # type: ignore[arg-type]  # as a newer version would


def _no_tile(message: rules_pb2.RuleSet) -> None:
    message.kinds.append(tile_pb2.TILE_UNSPECIFIED)


def _option_of_a_newer_version(message: rules_pb2.RuleSet) -> None:
    """What this version cannot see still changes the digest."""
    message.digest = "0" * 64


def _changed_option(message: rules_pb2.RuleSet) -> None:
    message.min_discard_multiplier = 2


@pytest.mark.parametrize(
    ("spoil", "named"),
    [
        (_unknown_tile, "tile 99: unknown"),
        (_no_tile, "RuleSet.kinds holds an unspecified tile"),
        (_option_of_a_newer_version, "RuleSet.digest"),
        (_changed_option, "RuleSet.digest"),
    ],
)
def test_rules_that_do_not_fit_their_digest_are_refused(
    xiangyang: RuleSet, spoil: Callable[[rules_pb2.RuleSet], None], named: str
) -> None:
    """Unknown tiles and options other than those of the digest raise ValueError, naming what does not fit."""
    message = rules_to_message(xiangyang)
    spoil(message)

    with pytest.raises(ValueError, match=named):
        rules_from_message(message)


def test_rules_that_cannot_be_played_are_refused(xiangyang: RuleSet) -> None:
    """Options out of their range raise RulesError, as anywhere else."""
    message = rules_to_message(xiangyang)
    message.seats = 9

    with pytest.raises(RulesError, match="'seats' is 9"):
        rules_from_message(message)
