"""The page of the documentation that lists every option, written from the code: ``make rules-docs``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from kawuxing.engine.option_texts import OPTION_TEXTS, chinese_value, english_value, idle_options
from kawuxing.engine.preset_texts import CHOSEN, PRESET_TEXTS, SOURCES
from kawuxing.engine.rules import RANGES, RuleSet, load_preset

_HEAD: Final = """\
# Options of the rules 规则选项

Written from the code by `make rules-docs`: change the texts there. [RULES.md](RULES.md) is what counts; its
sections are named here. [guide.md](guide.md) says which preset to choose. A tournament takes one and may set any option
of its own:

```toml
[rules]
preset = "xiangyang"
min_discard_multiplier = 2
```

`kawuxing rules list`, `kawuxing rules show NAME` and `kawuxing rules diff A B` print the same.
"""

_SOURCES: Final = f"""\
Under each preset's name stands the document that it is drawn from, and below it the places that this document names.
Where it does not name an option, the preset plays without it. *{CHOSEN}* marks what it leaves open, so that this
project decided; – is an option that changes nothing beside the others, or no place at all.
"""


def options_page() -> str:
    """Return the page as Markdown."""
    return "\n".join(
        (
            _HEAD,
            "## What they mean 含义\n",
            *_options(),
            "\n## Presets 预设\n",
            _SOURCES,
            *(f"- {source}: {title}" for source, title in SOURCES.items()),
            "",
            *_presets(),
            "\n## Variants 变体\n",
            *_variants(),
            "",
        )
    )


def _options() -> Iterable[str]:
    yield from _header("option", "选项", "meaning", "values", "RULES")
    values = load_preset().to_options()
    for option, text in OPTION_TEXTS.items():
        yield _row(f"`{option}`", text.chinese, text.english, _values(option, values[option]), text.section)


def _values(option: str, example: object) -> str:
    """Return what an option can be."""
    terms = OPTION_TEXTS[option].values
    if terms:
        return ", ".join(f"`{value}` {term}" for value, term in terms.items())
    if option in RANGES:
        low, high = RANGES[option]
        none = f"; 0 is {english_value(option, 0)}" if not low and english_value(option, 0) != "0" else ""
        return f"{low} to {high}{none}"
    return "`true` 是, `false` 否" if isinstance(example, bool) else "a table of pattern = cap"


def _presets() -> Iterable[str]:
    names = [name for name, text in PRESET_TEXTS.items() if text.variant_of is None]
    heads = (f"`{name}` {PRESET_TEXTS[name].chinese} ({PRESET_TEXTS[name].source})" for name in names)
    yield from _header("option", "选项", *heads)
    yield _row("played in", "流行地", *(PRESET_TEXTS[name].played_in or "–" for name in names))
    for option, text in OPTION_TEXTS.items():
        yield _row(f"`{option}`", text.chinese, *(_value(name, option) for name in names))


def _variants() -> Iterable[str]:
    yield from _header("variant", "名称", "of", "source", "played in", "what differs")
    for name, text in PRESET_TEXTS.items():
        if text.variant_of is not None:
            mine, other = (load_preset(one).to_options() for one in (name, text.variant_of))
            differing = [
                f"`{option}` {OPTION_TEXTS[option].chinese}: {_value(name, option)}"
                for option in mine
                if mine[option] != other[option]
            ]
            places = text.played_in or "–"
            yield _row(f"`{name}`", text.chinese, f"`{text.variant_of}`", text.source, places, "; ".join(differing))


def _value(name: str, option: str) -> str:
    """Return a preset's value of an option, in both languages where they differ in more than yes and no."""
    rules: RuleSet = load_preset(name)
    if option in idle_options(rules):
        return "–"
    value = rules.to_options()[option]
    told = [english_value(option, value)]
    if OPTION_TEXTS[option].values:
        told.append(chinese_value(option, value))
    if PRESET_TEXTS[name].source_of(option) == CHOSEN:
        told.append(f"*({CHOSEN})*")
    return " ".join(told)


def _header(*cells: str) -> Iterable[str]:
    yield _row(*cells)
    yield _row(*("---" for _ in cells))


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
