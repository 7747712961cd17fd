"""Rule sets in a few words: the preset that they are, or the nearest one and what differs."""

from __future__ import annotations

from typing import Any

from kawuxing.engine.preset_texts import PRESET_TEXTS
from kawuxing.engine.rules import RuleSet, load_preset
from kawuxing.engine.wording import toml_text


def nearest_preset(rules: RuleSet) -> tuple[str, dict[str, Any]]:
    """Return the preset with the fewest options unlike these rules, and those options as the rules have them.

    Of presets that are equally near it is the first in the order of RULES §9.
    """
    differing = {name: _differences(rules, load_preset(name)) for name in PRESET_TEXTS}
    return min(differing.items(), key=lambda named: len(named[1]))


def rules_line(rules: RuleSet) -> str:
    """Return these rules as a line, such as ``rules hubei with base = 1, cap = 8``; options are written as in TOML."""
    preset, changed = nearest_preset(rules)
    told = ", ".join(f"{option} = {toml_text(value)}" for option, value in changed.items())
    return f"rules {preset} with {told}" if told else f"rules {preset}"


def _differences(rules: RuleSet, preset: RuleSet) -> dict[str, Any]:
    options = preset.to_options()
    return {option: value for option, value in rules.to_options().items() if value != options[option]}
