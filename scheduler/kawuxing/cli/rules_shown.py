"""``kawuxing rules list``, ``show`` and ``diff``: presets and what tournament files make of them, with the sources."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from kawuxing.cli.environment import JsonOption
from kawuxing.cli.rules_named import nearest_preset, rules_line
from kawuxing.engine.option_texts import OPTION_TEXTS, chinese_value, english_value, idle_options
from kawuxing.engine.preset_texts import CHOSEN, PRESET_TEXTS, SOURCES
from kawuxing.engine.rules import DEFAULT_PRESET, RuleSet, load_preset, preset_names

_HELP: Final = "A preset, one of those that `kawuxing rules list` prints, or a tournament.toml."
RulesArgument = Annotated[str, typer.Argument(help=_HELP)]
_FILE: Final = "file"
"""The source of what a tournament's file sets unlike the nearest preset."""
_IDLE: Final = "–"
_WRAPPING: Final = ("value", "played in", "what it is", "meaning")
_SIDE: Final = ("value", "value_chinese", "source")


@dataclass(frozen=True, slots=True)
class _Named:
    """Rules that were asked for by name."""

    name: str
    """Of the preset, or the path of the file."""
    rules: RuleSet
    preset: str
    """The nearest, of which the sources are told."""
    changed: dict[str, Any]
    """What differs from it."""
    is_file: bool

    @property
    def chinese(self) -> str:
        return "文件" if self.is_file else PRESET_TEXTS[self.name].chinese

    def source_of(self, option: str) -> str:
        return _FILE if option in self.changed else PRESET_TEXTS[self.preset].source_of(option)


def list_presets(as_json: JsonOption = False) -> None:
    """List the presets, where they are played by their source documents, and their seats and tiles."""
    if as_json:
        typer.echo(_json([_preset(name) for name in PRESET_TEXTS]))
        return
    heads = ("preset", "名称", "source", "played in", "seats", "tiles", "entrants", "variant of", "what it is")
    keys = ("name", "chinese", "source", "played_in", "seats", "tiles", "entrants", "variant_of", "english")
    presets = [_preset(name) for name in PRESET_TEXTS]
    cells = [[str(preset[key] or "") for key in keys] for preset in presets]
    leaving = ("名称", "source", "variant of", "entrants", "tiles", "seats", "played in", "what it is")
    _print(heads, cells, {preset["source"] for preset in presets}, leaving)


def show_preset(name: RulesArgument = DEFAULT_PRESET, as_json: JsonOption = False) -> None:
    """Print every option of a preset or of a tournament's file, with the source document of each choice."""
    named = _named(name)
    options = _options(named)
    told = _told(named)
    if as_json:
        typer.echo(_json(told | {"digest": named.rules.digest, "options": options}))
        return
    if named.is_file:
        typer.echo(f"{name}: {rules_line(named.rules)}")
    else:
        places = f" (played in {told['played_in']})" if told["played_in"] else ""
        typer.echo(f"{name} {told['chinese']}: {told['english']}{places}")
    cells = [
        [
            row["option"],
            _english(row),
            row["source"] or _IDLE,
            row["chinese"],
            _chinese(row),
            row["rules"],
            row["english"],
        ]
        for row in options
    ]
    heads = ("option", "value", "source", "选项", "值", "RULES", "meaning")
    _print(heads, cells, {row["source"] for row in options}, ("选项", "值", "source", "RULES", "meaning"))


def diff_presets(
    first: Annotated[str, typer.Argument(metavar="A", help=_HELP)],
    second: Annotated[str, typer.Argument(metavar="B", help="Another.")],
    as_json: JsonOption = False,
) -> None:
    """Print the options in which two presets or tournament files differ, with the source document of each choice."""
    both = _named(first), _named(second)
    pairs = zip(*map(_options, both), strict=True)
    differing = [(a, b) for a, b in pairs if (a["value"], a["source"] is None) != (b["value"], b["source"] is None)]
    # Where an option changes nothing in both, its values are no difference in the rules.
    differing = [(a, b) for a, b in differing if a["source"] or b["source"]]
    if as_json:
        told = [
            {key: a[key] for key in ("option", "chinese", "english", "rules")}
            | {side: {key: row[key] for key in _SIDE} for side, row in (("a", a), ("b", b))}
            for a, b in differing
        ]
        typer.echo(_json({"a": _told(both[0]), "b": _told(both[1]), "differences": told}))
        return
    if not differing:
        typer.echo(f"{first} and {second} are played alike")
        return
    cells = [
        [
            a["option"],
            *(cell for row in (a, b) for cell in (_english(row), row["source"] or _IDLE)),
            a["chinese"],
            _chinese(a),
            _chinese(b),
            a["rules"],
            a["english"],
        ]
        for a, b in differing
    ]
    names = [named.chinese for named in both]
    heads = ("option", first, "source", second, "source", "选项", *names, "RULES", "meaning")
    leaving = ("选项", *names, "source", "RULES", "meaning")
    _print(heads, cells, {row["source"] for pair in differing for row in pair}, leaving)


def _named(name: str) -> _Named:
    """Return the rules of this name: those of a preset, or else those that a tournament's file makes.

    Raises RulesError if it is neither, and ConfigError as `kawuxing run` does.
    """
    if name in preset_names() or not (name.endswith(".toml") or Path(name).is_file()):
        return _Named(name, load_preset(name), name, {}, is_file=False)
    # The arena's packages read files; presets are shown without them.
    from kawuxing.scheduler.config import load_config

    rules = load_config(Path(name)).rules
    return _Named(name, rules, *nearest_preset(rules), is_file=True)


def _told(named: _Named) -> dict[str, Any]:
    if not named.is_file:
        return _preset(named.name)
    return {"name": named.name, "preset": named.preset, "changed": named.changed} | _sizes(named.rules)


def _preset(name: str) -> dict[str, Any]:
    rules = load_preset(name)
    text = PRESET_TEXTS[name]
    return {
        "name": name,
        "chinese": text.chinese,
        "english": text.english,
        "source": text.source,
        "source_title": SOURCES[text.source],
        "played_in": text.played_in,
        "variant_of": text.variant_of,
    } | _sizes(rules)


def _sizes(rules: RuleSet) -> dict[str, int]:
    return {"seats": rules.seats, "entrants": rules.entrants, "tiles": len(rules.tile_list)}


def _options(named: _Named) -> list[dict[str, Any]]:
    """Return every option of these rules; the source of one that changes nothing there is None."""
    idle = idle_options(named.rules)
    return [
        {
            "option": option,
            "chinese": OPTION_TEXTS[option].chinese,
            "english": OPTION_TEXTS[option].english,
            "rules": OPTION_TEXTS[option].section,
            "value": value,
            "value_chinese": chinese_value(option, value),
            "source": None if option in idle else named.source_of(option),
        }
        for option, value in named.rules.to_options().items()
    ]


def _english(row: dict[str, Any]) -> str:
    return _IDLE if row["source"] is None else english_value(row["option"], row["value"])


def _chinese(row: dict[str, Any]) -> str:
    return _IDLE if row["source"] is None else str(row["value_chinese"])


def _print(heads: tuple[str, ...], rows: list[list[str]], sources: set[str | None], leaving: Sequence[str]) -> None:
    """Print a table, in little room without the columns named, the first to go first, and what its sources are."""
    from kawuxing.cli.tables import Column, FittingTable, print_table

    columns = [
        # The names in the first column are there to be copied.
        Column(head, list(cells), left=True, shrinks=index > 0, wraps=head in _WRAPPING)
        for index, (head, cells) in enumerate(zip(heads, zip(*rows, strict=True), strict=True))
    ]
    notes = [("source", f"{source}: {title}") for source, title in SOURCES.items() if source in sources]
    if CHOSEN in sources:
        chosen = "the preset's document is silent or can be read two ways; this project decided"
        notes.append(("source", f"{CHOSEN}: {chosen}"))
    if _FILE in sources:
        notes.append(("source", f"{_FILE}: the tournament's file, unlike the nearest preset"))
    if None in sources:
        notes.append((heads[0], f"{_IDLE}: changes nothing beside the other options"))
    print_table(FittingTable(columns, leaving, notes))


def _json(told: Any) -> str:
    return json.dumps(told, indent=2, ensure_ascii=False)
