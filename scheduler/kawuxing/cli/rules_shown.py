"""``kawuxing rules list``, ``show`` and ``diff``: the presets, in English and Chinese, with their sources."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final

import typer

from kawuxing.cli.environment import JsonOption
from kawuxing.engine.option_texts import OPTION_TEXTS, chinese_value, english_value, idle_options
from kawuxing.engine.preset_texts import CHOSEN, PRESET_TEXTS, SOURCES
from kawuxing.engine.rules import DEFAULT_PRESET, load_preset

PresetArgument = Annotated[str, typer.Argument(help="A preset, one of those that `kawuxing rules list` prints.")]
_IDLE: Final = "–"
_SIDE: Final = ("value", "value_chinese", "source")


def list_presets(as_json: JsonOption = False) -> None:
    """List the presets, where they are played by their source documents, and their seats and tiles."""
    if as_json:
        typer.echo(_json([_preset(name) for name in PRESET_TEXTS]))
        return
    heads = ("preset", "名称", "source", "played in", "seats", "tiles", "entrants", "variant of", "what it is")
    keys = ("name", "chinese", "source", "played_in", "seats", "tiles", "entrants", "variant_of", "english")
    presets = [_preset(name) for name in PRESET_TEXTS]
    cells = [[str(preset[key] or "") for key in keys] for preset in presets]
    _print(heads, cells, {preset["source"] for preset in presets}, least=3)


def show_preset(name: PresetArgument = DEFAULT_PRESET, as_json: JsonOption = False) -> None:
    """Print every option of a preset, with the source document of each choice."""
    options = _options(name)
    told = _preset(name)
    if as_json:
        typer.echo(_json(told | {"digest": load_preset(name).digest, "options": options}))
        return
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
    _print(heads, cells, {row["source"] for row in options}, least=3)


def diff_presets(
    first: Annotated[str, typer.Argument(metavar="A", help="A preset.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Another.")],
    as_json: JsonOption = False,
) -> None:
    """Print the options in which two presets differ, with the source document of each choice."""
    pairs = zip(_options(first), _options(second), strict=True)
    differing = [(a, b) for a, b in pairs if (a["value"], a["source"] is None) != (b["value"], b["source"] is None)]
    # Where an option changes nothing in both, its values are no difference in the rules.
    differing = [(a, b) for a, b in differing if a["source"] or b["source"]]
    if as_json:
        told = [
            {key: a[key] for key in ("option", "chinese", "english", "rules")}
            | {side: {key: row[key] for key in _SIDE} for side, row in (("a", a), ("b", b))}
            for a, b in differing
        ]
        typer.echo(_json({"a": _preset(first), "b": _preset(second), "differences": told}))
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
    names = (PRESET_TEXTS[name].chinese for name in (first, second))
    heads = ("option", first, "source", second, "source", "选项", *names, "RULES", "meaning")
    _print(heads, cells, {row["source"] for pair in differing for row in pair}, least=5)


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
        "seats": rules.seats,
        "entrants": rules.entrants,
        "tiles": len(rules.tile_list),
    }


def _options(name: str) -> list[dict[str, Any]]:
    """Return every option of a preset; the source of one that changes nothing there is None."""
    rules = load_preset(name)
    idle = idle_options(rules)
    return [
        {
            "option": option,
            "chinese": OPTION_TEXTS[option].chinese,
            "english": OPTION_TEXTS[option].english,
            "rules": OPTION_TEXTS[option].section,
            "value": value,
            "value_chinese": chinese_value(option, value),
            "source": None if option in idle else PRESET_TEXTS[name].source_of(option),
        }
        for option, value in rules.to_options().items()
    ]


def _english(row: dict[str, Any]) -> str:
    return _IDLE if row["source"] is None else english_value(row["option"], row["value"])


def _chinese(row: dict[str, Any]) -> str:
    return _IDLE if row["source"] is None else str(row["value_chinese"])


def _print(heads: tuple[str, ...], rows: list[list[str]], sources: set[str | None], *, least: int) -> None:
    """Print a table, at the least its first columns, and what its sources are."""
    from rich.console import Group
    from rich.text import Text

    from kawuxing.cli.tables import Column, FittingTable, print_table

    columns = [
        # The names in the first column are there to be copied.
        Column(head, list(cells), left=True, shrinks=index > 0)
        for index, (head, cells) in enumerate(zip(heads, zip(*rows, strict=True), strict=True))
    ]
    notes = [f"{source}: {title}" for source, title in SOURCES.items() if source in sources]
    if CHOSEN in sources:
        notes.append(f"{CHOSEN}: the preset's document is silent or can be read two ways; this project decided")
    if None in sources:
        notes.append(f"{_IDLE}: changes nothing beside the other options")
    print_table(Group(FittingTable(columns, least), *(Text(note, style="dim") for note in notes)))


def _json(told: Any) -> str:
    return json.dumps(told, indent=2, ensure_ascii=False)
