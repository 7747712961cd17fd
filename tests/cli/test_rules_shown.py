"""`kawuxing rules list`, `show` and `diff` print rule sets in English and Chinese, with the source of each choice."""

from __future__ import annotations

import json
from dataclasses import fields
from enum import StrEnum
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from rich.cells import cell_len
from rich.console import Console
from typer.testing import CliRunner

from kawuxing.cli import tables
from kawuxing.cli.main import app
from kawuxing.cli.rules_table import options_page
from kawuxing.engine.errors import RulesError
from kawuxing.engine.option_texts import OPTION_TEXTS, idle_options
from kawuxing.engine.preset_texts import PRESET_TEXTS, SOURCES
from kawuxing.engine.rules import RuleSet, load_preset, preset_names
from kawuxing.scheduler.config import ConfigError

RULES = Path(__file__).parents[2] / "docs" / "rules"
OPTIONS = [field.name for field in fields(RuleSet)]
MAIN = ("xiangyang", "standard", "classic", "hubei", "three-suit")


def printed(*arguments: str) -> str:
    """Return what `kawuxing rules` prints."""
    ran = CliRunner().invoke(app, ["rules", *arguments], catch_exceptions=False)
    assert 0 == ran.exit_code
    return ran.output


def told(*arguments: str) -> Any:
    return json.loads(printed(*arguments, "--json"))


def rows(text: str) -> dict[str, list[str]]:
    """Return the words of every line by its first one."""
    return {words[0]: words[1:] for words in map(str.split, text.splitlines()) if words}


def firsts(text: str) -> set[str]:
    """Return the first words of the lines that are not indented: what stands in the first column."""
    return {line.split()[0] for line in text.splitlines() if line[:1].strip()}


def shown(name: str) -> dict[str, dict[str, Any]]:
    return {row["option"]: row for row in told("show", name)["options"]}


def is_chinese(text: str) -> bool:
    return any("\u4e00" <= letter <= "\u9fff" for letter in text)


def test_every_option_has_its_texts() -> None:
    """In the order of the rule set: a Chinese term, one English sentence, and a section that RULES has."""
    sections = [
        line.split()[1].rstrip(".") for line in (RULES / "RULES.md").read_text("utf-8").splitlines() if "## " in line
    ]

    assert OPTIONS == list(OPTION_TEXTS)
    for text in OPTION_TEXTS.values():
        assert is_chinese(text.chinese)
        assert text.english[0].isupper()
        assert text.english.endswith(".")
        assert all(part.removeprefix("§") in sections for part in text.section.split(", "))


@pytest.mark.parametrize("option", OPTIONS)
def test_every_named_value_has_a_chinese_term(option: str) -> None:
    """An option whose values are names says each of them in Chinese."""
    kind = get_type_hints(RuleSet)[option]
    names = [member.value for member in kind] if isinstance(kind, type) and issubclass(kind, StrEnum) else None

    if names is not None:
        assert names == list(OPTION_TEXTS[option].values)
    assert all(is_chinese(term) for term in OPTION_TEXTS[option].values.values())


def test_every_preset_has_its_texts() -> None:
    """A preset without a source document, or a source without a title, would be told by nobody."""
    assert list(preset_names()) == sorted(PRESET_TEXTS)
    for text in PRESET_TEXTS.values():
        assert is_chinese(text.chinese)
        assert text.source in SOURCES
        assert text.chosen <= set(OPTIONS)
        assert text.variant_of is None or PRESET_TEXTS[text.variant_of].variant_of is None


def test_the_main_presets_are_those_of_the_rules() -> None:
    """With the source that the head of the table in RULES §9 gives each."""
    table = (RULES / "RULES.md").read_text("utf-8").partition("## 9. Presets")[2]
    (head,) = [line for line in table.splitlines() if line.startswith("| option")]

    assert MAIN == tuple(name for name, text in PRESET_TEXTS.items() if text.variant_of is None)
    assert [cell.split("`")[1] for cell in head.strip("|").split("|")[1:]] == list(MAIN)
    assert [cell.split("(")[1][:2] for cell in head.strip("|").split("|")[1:]] == [
        PRESET_TEXTS[name].source for name in MAIN
    ]


def test_what_changes_nothing_is_what_the_rules_leave_blank() -> None:
    """The dashes in the column three-suit of RULES §9; in no other column is an option idle."""
    table = (RULES / "RULES.md").read_text("utf-8").partition("## 9. Presets")[2]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    blank = {row[0] for row in cells if len(row) == 6 and row[5] == "–"}

    assert blank == idle_options(load_preset("three-suit"))
    assert all(not idle_options(load_preset(name)) for name in MAIN if name != "three-suit")
    assert {"exhaust_dealer"} == idle_options(load_preset("sit-out"))


def test_list_tells_every_preset() -> None:
    """With its Chinese name, document, places, seats and tiles."""
    lines = rows(printed("list"))

    assert set(PRESET_TEXTS) <= set(lines)
    assert ["襄阳", "S4", "Xiangyang", "襄阳", "3", "84", "3"] == lines["xiangyang"][:7]
    assert ["三门", "S3", "Suizhou", "随州,", "Xiangyang", "襄阳,", "Shiyan", "十堰", "3", "108"] == lines[
        "three-suit"
    ][:10]
    assert ["坐醒", "S4", "3", "84", "4", "xiangyang"] == lines["sit-out"][:6]
    assert ["四人", "S0", "4", "120", "4", "hubei"] == lines["four-seat"][:6]
    assert ["卡五星麻将简介"] == lines["S3:"]


def test_list_for_programs() -> None:
    """One object a preset, in the order of RULES §9."""
    listed = told("list")

    assert list(PRESET_TEXTS) == [preset["name"] for preset in listed]
    assert {
        "name": "zaoyang",
        "chinese": "枣阳",
        "english": "capped at 8, two quadruples in seven pairs at 16",
        "source": "S1",
        "source_title": "卡五星麻将游戏规则",
        "played_in": "Zaoyang 枣阳, Xiangyang 襄阳",
        "variant_of": "classic",
        "seats": 3,
        "entrants": 3,
        "tiles": 84,
    } == listed[5]


@pytest.mark.parametrize("name", PRESET_TEXTS)
def test_show_tells_every_option(name: str) -> None:
    """For programs its values are the preset's own, so that they can be played by."""
    preset = told("show", name)
    values = {row["option"]: row["value"] for row in preset["options"]}

    assert load_preset(name) == RuleSet.from_options(values)
    assert load_preset(name).digest == preset["digest"]
    assert set(values) <= set(rows(printed("show", name)))


def test_show_without_a_name_shows_the_default() -> None:
    """The default preset is xiangyang."""
    assert printed("show", "xiangyang") == printed("show")


@pytest.mark.parametrize(
    ("name", "option", "expected"),
    [
        ("xiangyang", "missed_win_lock", ["until_draw", "S4", "漏胡", "到自己摸牌", "§7"]),
        ("xiangyang", "suits", ["p", "s", "S4", "花色", "筒条", "§1"]),
        ("xiangyang", "cap", ["none", "S4", "封顶", "无", "§4"]),
        ("hubei", "last_discard", ["×2", "S0", "海底炮", "×2", "§4"]),
        ("hubei", "discard_ban", ["yes", "S0", "禁打叫胡的牌", "是", "§5"]),
        (
            "zaoyang",
            "cap_exempt",
            ["double_dragon_seven_pairs", "16", "S1", "另行封顶", "double_dragon_seven_pairs", "16"],
        ),
        ("three-suit", "kong_chain_cap", ["–", "–", "杠上杠封顶", "–", "§6"]),
        ("sit-out", "cap", ["8", "chosen", "封顶", "8", "§4"]),
    ],
)
def test_show_says_value_and_source(name: str, option: str, expected: list[str]) -> None:
    """The value, its document, the Chinese term, the value in Chinese, and the section of RULES."""
    assert expected == rows(printed("show", name))[option][: len(expected)]


@pytest.mark.parametrize(
    ("name", "option", "source"),
    [
        # RULES §8: winner deals next (S0 S1 S2; S4 and four seats chosen).
        ("xiangyang", "next_dealer", "chosen"),
        ("four-seat", "next_dealer", "chosen"),
        ("hubei", "next_dealer", "S0"),
        # RULES §8: sit_out, where S4's last part says who deals.
        ("sit-out", "next_dealer", "S4"),
        # RULES §4: S4's example, S1 and S2 chosen, S0's first maximum.
        ("xiangyang", "single_tile_adds_all_pungs", "S4"),
        ("shiyan", "single_tile_adds_all_pungs", "chosen"),
        ("standard", "single_tile_adds_all_pungs", "chosen"),
        ("hubei-capped", "single_tile_adds_all_pungs", "S0"),
        # RULES §2: never (S1; S2 S4 chosen).
        ("classic", "concealed_kong_after_pung", "S1"),
        ("xiangyang-min2", "concealed_kong_after_pung", "chosen"),
        # RULES §9: no kong pays anything in S3 (chosen); S3 leaves several winners to the table (§2).
        ("three-suit", "direct_kong_pays", "chosen"),
        ("three-suit", "multiple_winners", "chosen"),
        ("three-suit", "revealed_payer_doubles", None),
    ],
)
def test_the_source_of_a_choice(name: str, option: str, source: str | None) -> None:
    """A choice is the document's, or where RULES marks it so, this project's."""
    assert source == shown(name)[option]["source"]


def test_diff_tells_what_differs() -> None:
    """Only that, for both, with both sources."""
    lines = rows(printed("diff", "standard", "sit-out"))

    assert ["none", "S2", "8", "chosen", "封顶", "无", "8", "§4"] == lines["cap"][:8]
    assert ["stays", "S2", "–", "–", "荒庄后坐庄", "不下庄", "–", "§8"] == lines["exhaust_dealer"][:8]
    assert {"cap", "exhaust_dealer", "four_in_flush", "kong_chain_cap", "kong_chain_same_tile", "sit_out"} == set(
        lines
    ) & set(OPTIONS)


def test_diff_for_programs() -> None:
    """Each difference with its texts and both sides."""
    diff = told("diff", "xiangyang", "xiangyang-min2")

    assert ("xiangyang", "xiangyang-min2") == (diff["a"]["name"], diff["b"]["name"])
    assert [
        {
            "option": "min_discard_multiplier",
            "chinese": "点炮起胡",
            "english": "The least that a win on a discard or a robbed kong must be worth.",
            "rules": "§2",
            "a": {"value": 1, "value_chinese": "1", "source": "S4"},
            "b": {"value": 2, "value_chinese": "2", "source": "S4"},
        }
    ] == diff["differences"]


def test_a_preset_does_not_differ_from_itself() -> None:
    """That is said, and an empty list for programs."""
    assert "hubei and hubei are played alike\n" == printed("diff", "hubei", "hubei")
    assert [] == told("diff", "hubei", "hubei")["differences"]


@pytest.mark.parametrize("arguments", [("show", "tokyo"), ("diff", "hubei", "tokyo"), ("diff", "tokyo", "hubei")])
def test_an_unknown_preset_is_refused(arguments: tuple[str, ...]) -> None:
    """With the list of those there are, from which the command line makes its message."""
    with pytest.raises(RulesError, match=r"preset 'tokyo' is unknown; the presets are .*xiangyang"):
        printed(*arguments)


@pytest.mark.parametrize("arguments", [("list",), ("show", "hubei"), ("show", "zaoyang"), ("diff", "hubei", "classic")])
@pytest.mark.parametrize("width", [72, 80])
def test_a_narrow_terminal_shows_values_and_what_they_mean(
    arguments: tuple[str, ...], width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has no room is left out and named, Chinese first; names of options and presets stay whole."""
    wide = printed(*arguments)
    monkeypatch.setattr(tables, "Console", lambda **_: Console(width=width))
    narrow = printed(*arguments)
    head = next(line for line in narrow.splitlines() if line.startswith(("preset ", "option ")))

    assert all(cell_len(line) <= width for line in narrow.splitlines()[1:])
    names = {*OPTIONS, *PRESET_TEXTS}
    assert names & firsts(wide) == names & firsts(narrow)
    assert "columns left out: " in narrow
    assert "left out" not in wide
    assert not is_chinese(head)
    assert arguments[0] == "diff" or head.rstrip().endswith(("what it is", "meaning"))


def test_columns_left_out_are_named_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """With where they are to be had; the notes on a column go with it."""
    monkeypatch.setattr(tables, "Console", lambda **_: Console(width=80))

    assert (
        "3 columns left out: source, 选项, 值 (a wider terminal, or --json, has them)"
        == (printed("show", "hubei").splitlines()[-1])
    )
    assert "S0:" not in printed("show", "hubei")


TOML = 'name = "Cup"\n[rules]\npreset = "hubei"\nbase = 1\n' + "".join(
    f'[[bots]]\nname = "{name}"\ncommand = ["x"]\n' for name in ("ann", "bob", "cai")
)


@pytest.fixture(params=["cup.toml", "cup"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A tournament's file that plays hubei with a base of 1."""
    path = tmp_path / request.param
    path.write_text(TOML)
    return str(path)


def test_show_tells_the_rules_that_a_file_makes(file: str) -> None:
    """The nearest preset and what differs, and every option as it is played."""
    shown_rules = printed("show", file)
    preset = told("show", file)
    options = {row["option"]: row for row in preset["options"]}

    assert f"{file}: rules hubei with base = 1" == shown_rules.splitlines()[0]
    assert ["1", "file"] == rows(shown_rules)["base"][:2]
    assert "file: the tournament's file, unlike the nearest preset" in shown_rules
    assert (file, "hubei", {"base": 1}, 84) == tuple(preset[key] for key in ("name", "preset", "changed", "tiles"))
    assert load_preset("hubei").replace({"base": 1}).digest == preset["digest"]
    assert (1, "file") == (options["base"]["value"], options["base"]["source"])
    assert "S0" == options["discard_ban"]["source"]


def test_diff_compares_a_file_with_a_preset(file: str) -> None:
    """Either way round."""
    assert {"base"} == set(OPTIONS) & set(rows(printed("diff", file, "hubei")))
    assert ["5", "S0", "1", "file", "底分", "5", "1"] == rows(printed("diff", "hubei", file))["base"][:7]
    assert [(file, 1)] == [
        (diff["a"]["name"], row["a"]["value"]) for diff in [told("diff", file, "hubei")] for row in diff["differences"]
    ]


def test_a_preset_goes_before_a_file_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever lies in the folder, a preset's name means the preset."""
    (tmp_path / "hubei").write_text("no TOML")
    monkeypatch.chdir(tmp_path)

    assert printed("show", "hubei").startswith("hubei 湖北")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot be read: No such file"),
        ("[rules", "not TOML"),
        (TOML.replace("base = 1", "base = 0"), "base"),
    ],
)
def test_a_file_at_fault_is_refused_as_run_does(text: str | None, said: str, tmp_path: Path) -> None:
    """With its path and its problems."""
    path = tmp_path / "cup.toml"
    if text is not None:
        path.write_text(text)

    with pytest.raises(ConfigError) as refused:
        printed("show", str(path))
    assert str(path) in str(refused.value)
    assert said in str(refused.value)


def test_the_page_of_options_is_up_to_date() -> None:
    """docs/rules/options.md is what `make rules-docs` writes."""
    assert options_page() == (RULES / "options.md").read_text("utf-8")
