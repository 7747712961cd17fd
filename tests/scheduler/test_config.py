"""tournament.toml: what is accepted, what is refused and how it is told, and what a tournament's identity is."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from kawuxing.engine.errors import RulesError
from kawuxing.engine.rules import load_preset, preset_names
from kawuxing.scheduler.config import (
    ConfigError,
    Process,
    TournamentConfig,
    Walls,
    changed_fields,
    load_config,
    parse_config,
)
from kawuxing.scheduler.config_errors import model_in

SMALLEST = """
name = "Spring Cup"
[[bots]]
name = "a"
command = ["bot-a"]
[[bots]]
name = "b"
command = ["bot-b", "--fast"]
[[bots]]
name = "c"
remote = true
"""

WHOLE = """
name = "Frühlings-Cup 2026"
slug = "cup-26"
seed = "any text"
public_entropy = "4 8 15 16 23 42"
[rules]
preset = "xiangyang"
cap = 8
cap_exempt = { double_dragon_seven_pairs = 16 }
[match]
hands = 16
max_faults = 5
clock = { bank = 120, increment = 0.25, move_max = 20, start = 1.5 }
[schedule]
seatings = "round-robin"
deals = 3
seat_orders = "rotations"
walls = "duplicate"
trusted_bots = true
[run]
concurrency = 2
listen = "[::]:7000"
insecure = true
join_time = 5
absence_limit = 120
drain_time = 0
[[bots]]
name = "a"
version = "1.2"
command = ["bot-a"]
process = "match"
capacity = 2
env = { OMP_NUM_THREADS = "1" }
[[bots]]
name = "b"
remote = true
[[bots]]
name = "c"
remote = true
"""


def problems(text: str) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        parse_config(text)
    return caught.value.problems


def edited(before: str, after: str) -> TournamentConfig:
    assert before in SMALLEST
    return parse_config(SMALLEST.replace(before, after))


def test_all_but_the_name_and_the_bots_can_be_left_out() -> None:
    """The smallest file is a name and the bots."""
    config = parse_config(SMALLEST)

    assert "spring-cup" == config.slug
    assert load_preset("xiangyang") == config.rules
    assert (8, 3) == (config.match.hands, config.match.max_faults)
    assert timedelta(seconds=0.5) == config.match.clock.increment
    assert Walls.FRESH is config.schedule.walls
    assert ("127.0.0.1", 0) == (config.run.host, config.run.port)
    assert ("bot-b", "--fast") == config.bot("b").command
    assert not config.practice


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Frühlings-Cup № 2", "fruhlings-cup-no-2"),
        ("Cup, 3rd!", "cup-3rd"),
        ("春季杯", "tournament-"),
        ("春季杯 2026", "2026-"),
        ("秋季杯 2026", "2026-"),
        ("!", "tournament-"),
        ("The Spring Cup of the Whole Wide World", "the-spring-cup-of-the-w-"),
    ],
)
def test_a_slug_is_made_of_any_name(name: str, slug: str) -> None:
    """Where it cannot say the whole name, it ends in hex digits of the name's SHA-256; the name itself stays."""
    config = edited('"Spring Cup"', f'"{name}"')

    digits = f"{hashlib.sha256(name.encode()).hexdigest()[:8]}"
    assert (name, f"{slug}{digits}" if slug.endswith("-") else slug) == (config.name, config.slug)


def test_every_key_of_the_file_reaches_the_config() -> None:
    """A file with every key is read as written."""
    config = parse_config(WHOLE)

    assert ("Frühlings-Cup 2026", "cup-26") == (config.name, config.slug)
    assert config.practice
    assert "4 8 15 16 23 42" == config.public_entropy
    assert load_preset().replace({"cap": 8, "cap_exempt": {"double_dragon_seven_pairs": 16}}) == config.rules
    assert timedelta(milliseconds=250) == config.match.clock.increment
    assert timedelta(milliseconds=1500) == config.match.clock.start
    assert ("::", 7000) == (config.run.host, config.run.port)
    assert timedelta(minutes=2) == config.run.absence_limit
    assert Process.MATCH is config.bots[0].process
    assert {"OMP_NUM_THREADS": "1"} == config.bots[0].env
    assert 3 * 3 == config.matches


@pytest.mark.parametrize("text", [SMALLEST, WHOLE])
def test_a_config_survives_json(text: str) -> None:
    """What is stored is read again as the same config with the same digest."""
    config = parse_config(text)
    again = TournamentConfig.from_json(json.loads(json.dumps(config.to_json())))

    assert config == again
    assert config.digest == again.digest


@pytest.mark.parametrize("text", [SMALLEST, WHOLE])
def test_the_json_form_has_neither_null_nor_floats(text: str) -> None:
    """It can stand in canonical JSON, as records use it."""

    def leaves(value: Any) -> list[Any]:
        if isinstance(value, dict):
            return [leaf for item in value.values() for leaf in leaves(item)]
        return [leaf for item in value for leaf in leaves(item)] if isinstance(value, list) else [value]

    assert {str, int, bool} >= {type(leaf) for leaf in leaves(parse_config(text).to_json())}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('name = "b"', 'name = "b"\nversion = "2"'),
        ('"Spring Cup"', '"Spring Cup"\nseed = "x"'),
        ('"Spring Cup"', '"Spring Cup"\npublic_entropy = "x"'),
        ('"Spring Cup"', '"Spring Cup"\nrules = { base = 2 }'),
        ('"Spring Cup"', '"Spring Cup"\nmatch = { hands = 9 }'),
        ('"Spring Cup"', '"Spring Cup"\nschedule = { deals = 2 }'),
        ('"Spring Cup"', '"Autumn Cup"'),
        ("remote = true", 'command = ["c"]'),
    ],
)
def test_whatever_is_played_is_part_of_the_identity(before: str, after: str) -> None:
    """Another seed, rule, clock, schedule or bot makes another digest."""
    assert parse_config(SMALLEST).digest != edited(before, after).digest


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"Spring Cup"', '"Spring Cup"\nrun = { concurrency = 9, listen = "127.0.0.1:5000", drain_time = 1 }'),
        ('"Spring Cup"', '"Spring Cup"\nrules = { preset = "xiangyang", base = 1 }'),
        ('["bot-a"]', '["/opt/bot-a"]\ncapacity = 2\nprocess = "match"\nenv = { A = "1" }'),
        ("--fast", "--slow"),
    ],
)
def test_how_it_is_run_is_no_part_of_the_identity(before: str, after: str) -> None:
    """Concurrency, addresses, how bots are launched and options that change nothing leave the digest alone."""
    assert parse_config(SMALLEST).digest == edited(before, after).digest
    assert () == changed_fields(parse_config(SMALLEST), edited(before, after))


def test_changed_fields_are_told_with_both_values() -> None:
    """Each changed field of the identity has its path, its old and its new value."""
    old = parse_config(SMALLEST)
    new = parse_config(
        'seed = "x"\nmatch = { hands = 9, clock = { increment = 2 } }\nrules = { base = 3 }\n'
        + SMALLEST.replace('name = "b"', 'name = "d"')
        + '[[bots]]\nname = "e"\nremote = true\n[run]\nconcurrency = 1'
    )

    assert [
        'bots[1].name: "b" → "d"',
        'bots[3].name: (absent) → "e"',
        "bots[3].remote: (absent) → true",
        'bots[3].version: (absent) → ""',
        "match.clock.increment: 0.5 → 2",
        "match.hands: 8 → 9",
        "rules.base: 1 → 3",
        'seed: (absent) → "x"',
    ] == [str(change) for change in changed_fields(old, new)]


MATCH_BOTS = SMALLEST.replace("command =", 'process = "match"\ncommand =')
SLUG_TEXT = "1 to 32 characters out of a-z 0-9 . _ -, the first a letter or digit"
BOTS = SMALLEST.replace('name = "Spring Cup"', "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (BOTS, "name is missing: expected a text of 1 to 200 characters in one line"),
        ("name = 1\n" + BOTS, "name is 1: expected a text of 1 to 200 characters in one line"),
        ('slug = "襄阳杯"\n' + SMALLEST, f'slug is "襄阳杯": expected {SLUG_TEXT}'),
        (
            SMALLEST.replace('name = "a"', 'name = "贪心"'),
            f'bots[0].name is "贪心": expected {SLUG_TEXT}',
        ),
        ('name = "A\\nB"\n' + BOTS, r'name is "A\nB": expected a text of 1 to 200 characters in one line'),
        (
            SMALLEST.replace('["bot-a"]', r'["bot-a", "\u0000"]'),
            r'bots[0].command[1] is "\u0000": expected a list of texts, as in ["kawuxing-bot", "greedy"]',
        ),
        (
            'run = { listen = "a.org:7000" }\n' + SMALLEST,
            'run.listen is "a.org:7000": expected this machine\'s own address, or insecure = true as there is no TLS',
        ),
        (
            'name = "A"\ncolour = "red"\n' + BOTS,
            "colour is unknown: expected one of bots, match, name, public_entropy, rules, run, schedule, seed, slug",
        ),
        ('name = "A"\nseed = ""\n' + BOTS, 'seed is "": expected a text of 1 to 1000 characters'),
        ("match = { hands = 0 }\n" + SMALLEST, "match.hands is 0: expected a whole number from 1 to 1000"),
        ("match = { hands = 1.5 }\n" + SMALLEST, "match.hands is 1.5: expected a whole number from 1 to 1000"),
        ('match = { hands = "8" }\n' + SMALLEST, 'match.hands is "8": expected a whole number from 1 to 1000'),
        ("match = { hands = true }\n" + SMALLEST, "match.hands is true: expected a whole number from 1 to 1000"),
        (
            "match = { hnads = 8 }\n" + SMALLEST,
            "match.hnads is unknown: expected one of clock, hands, max_faults; did you mean hands?",
        ),
        ("match = 8\n" + SMALLEST, "match is 8: expected a table of hands, max_faults and clock"),
        (
            "match = { clock = { bank = -1 } }\n" + SMALLEST,
            "match.clock.bank is -1: expected seconds from 0 to 86400",
        ),
        (
            "match = { clock = { bank = nan } }\n" + SMALLEST,
            "match.clock.bank is nan: expected seconds from 0 to 86400",
        ),
        (
            "match = { clock = { start = 0.0005 } }\n" + SMALLEST,
            "match.clock.start is 0.0005: expected seconds from 0.001 to 3600",
        ),
        (
            "match = { clock = { increment = true } }\n" + SMALLEST,
            "match.clock.increment is true: expected seconds from 0 to 3600",
        ),
        (
            "match = { clock = { bank = 0, increment = 0 } }\n" + SMALLEST,
            "match.clock.bank and increment are 0: expected some time to think",
        ),
        (
            'rules = { preset = "paris" }\n' + SMALLEST,
            f'rules.preset is "paris": expected one of {", ".join(preset_names())}',
        ),
        ("rules = { base = 0 }\n" + SMALLEST, "rules.base is 0: expected a whole number from 1 to 1000"),
        ('rules = "xiangyang"\n' + SMALLEST, 'rules is "xiangyang": expected a table of a preset and rule options'),
        ('schedule = { walls = "old" }\n' + SMALLEST, 'schedule.walls is "old": expected "fresh" or "duplicate"'),
        (
            "schedule = { deals = 200000 }\n" + SMALLEST,
            "schedule.deals is 200000 and makes the schedule 1200000 matches long: expected at most 1000000",
        ),
        (
            'run = { listen = "127.0.0.1" }\n' + SMALLEST,
            'run.listen is "127.0.0.1": expected "host:port", port 0 for any free one, as in "127.0.0.1:0"',
        ),
        (
            'run = { listen = "127.0.0.1:99999" }\n' + SMALLEST,
            'run.listen is "127.0.0.1:99999": expected "host:port", port 0 for any free one, as in "127.0.0.1:0"',
        ),
        (
            'run = { listen = "0.0.0.0:7000" }\n' + SMALLEST,
            'run.listen is "0.0.0.0:7000": expected this machine\'s own address, or insecure = true as there is no TLS',
        ),
        ('name = "A"', "bots is missing: expected a [[bots]] table for every bot"),
        (
            'name = "A"\nbots = ["a", { name = "b", remote = true }, { name = "c", remote = true }]',
            'bots[0] is "a": expected a [[bots]] table for every bot',
        ),
        (
            SMALLEST.replace('name = "a"', 'name = "A"'),
            f'bots[0].name is "A": expected {SLUG_TEXT}',
        ),
        (
            SMALLEST.replace('name = "c"', 'name = "a"'),
            'bots[2].name is "a" like bots[0].name: expected a name of its own',
        ),
        (
            SMALLEST.replace('[[bots]]\nname = "c"\nremote = true', ""),
            "bots are 2: expected at least 3, the entrants of a match by these rules",
        ),
        (
            "rules = { sit_out = true }\n" + SMALLEST,
            "bots are 3: expected at least 4, the entrants of a match by these rules",
        ),
        (
            SMALLEST.replace("remote = true", ""),
            "bots[2].command is missing and remote is false: expected exactly one of the two",
        ),
        (SMALLEST + 'command = ["c"]', "bots[2].command is there and remote is true: expected exactly one of the two"),
        (
            SMALLEST + "capacity = 9",
            "bots[2].capacity is set and remote is true: expected it only beside command; a remote bot tells its own",
        ),
        (
            SMALLEST.replace('["bot-a"]', '"bot-a"'),
            'bots[0].command is "bot-a": expected a list of texts, as in ["kawuxing-bot", "greedy"]',
        ),
        (
            SMALLEST.replace('["bot-a"]', '["bot-a", 1]'),
            'bots[0].command[1] is 1: expected a list of texts, as in ["kawuxing-bot", "greedy"]',
        ),
        (
            SMALLEST.replace('["bot-a"]', '[""]'),
            'bots[0].command is [""]: expected a list of texts, as in ["kawuxing-bot", "greedy"]',
        ),
        (
            SMALLEST.replace('["bot-a"]', '["a"]\nenv = { KAWUXING_TOKEN = "x" }'),
            "bots[0].env.KAWUXING_TOKEN is set: expected no variable starting with KAWUXING_, which the arena sets",
        ),
        (
            SMALLEST.replace('["bot-a"]', '["a"]\nenv = { A = 1 }'),
            "bots[0].env.A is 1: expected a table of texts whose keys are names of environment variables",
        ),
        (
            SMALLEST.replace('["bot-a"]', '["a"]\nenv = { "A=B" = "1" }'),
            'bots[0].env is { "A=B" = "1" }: expected a table of texts whose keys are names of environment variables',
        ),
        (
            SMALLEST.replace('["bot-a"]', '["a"]\nprocess = "thread"'),
            'bots[0].process is "thread": expected "shared" or "match"',
        ),
    ],
)
def test_a_problem_is_told_with_field_value_and_expectation(text: str, expected: str) -> None:
    """Whoever wrote the file can mend it from the message alone."""
    assert (expected,) == problems(text)


def test_all_problems_are_told_at_once() -> None:
    """Several mistakes are listed together, several in one table too."""
    found = problems(
        'rules = { bsae = 1, cap = "low", base = 0 }\nmatch = { hands = 0 }\n'
        + SMALLEST.replace('name = "c"', 'name = "C"')
    )

    assert ["rules.bsae", "rules.cap", "rules.base", "match.hands", "bots[2].name"] == [
        problem.split(" ")[0] for problem in found
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            'schedule = { walls = "duplicate" }\nmatch = { hands = 0 }\n' + SMALLEST,
            ["match.hands", "bots[0].process", "bots[1].process", "bots[2].remote"],
        ),
        (
            'rules = { preset = "paris", bsae = 1, cap = "low" }\n' + SMALLEST,
            ["rules.preset", "rules.bsae", "rules.cap"],
        ),
        (
            "match = { clock = { bank = 0, increment = 0, start = 0 } }\n" + SMALLEST,
            ["match.clock.start", "match.clock.bank"],
        ),
        ('run = { listen = "0.0.0.0:1", join_time = 0 }\n' + SMALLEST, ["run.join_time", "run.listen"]),
        ("schedule = { deals = 200000 }\nmatch = { hands = 0 }\n" + SMALLEST, ["match.hands", "schedule.deals"]),
        ('name = "A"\nbots = [{ capacity = 99 }]', ["bots[0].name", "bots[0].capacity", "bots[0].command", "bots"]),
        (
            'name = "A"\nbots = [{ name = "a", remote = true, command = ["a"] }, { name = "a", process = 0 }]',
            ["bots[1].process", "bots[0].command", "bots[1].command", "bots[1].name", "bots"],
        ),
    ],
)
def test_a_mistake_hides_no_other(text: str, told: list[str]) -> None:
    """What is wrong with one field beside another is told, too, when some other field is wrong."""
    assert told == [problem.split(" ")[0] for problem in problems(text)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('schedule = { walls = "dup" }\n', "schedule.walls"),
        ("match = { clock = { bank = 0, increment = -1 } }\n", "match.clock.increment"),
        ('run = { listen = "0.0.0.0:1", insecure = 1 }\n', "run.insecure"),
        ('rules = { kong_chain = "yes", kong_chain_cap = 8 }\n', "rules.kong_chain"),
        ('schedule = { walls = "duplicate", trusted_bots = "yes" }\n' + MATCH_BOTS, "schedule.trusted_bots"),
        (SMALLEST.replace("remote = true", 'remote = "yes"'), "bots[2].remote"),
        (SMALLEST.replace('["bot-a"]', "3"), "bots[0].command"),
    ],
)
def test_a_mistake_makes_no_other(text: str, told: str) -> None:
    """Nothing is said of fields that may be right beside what was meant."""
    assert [told] == [problem.split(" ")[0] for problem in problems(text if "[[bots]]" in text else text + SMALLEST)]


@pytest.mark.parametrize("address", ["localhost:7000", "127.0.0.5:7000", "[::1]:7000"])
def test_addresses_of_this_machine_need_no_tls(address: str) -> None:
    """Whoever listens only to this machine need not call it insecure."""
    assert 7000 == parse_config(f'run = {{ listen = "{address}" }}\n' + SMALLEST).run.port


def test_another_concurrency_is_another_run_of_the_same_tournament() -> None:
    """The command line can change it for a run, within the same limits."""
    config = parse_config(SMALLEST)
    changed = config.with_concurrency(9)

    assert (9, config.digest) == (changed.run.concurrency, changed.digest)
    with pytest.raises(ConfigError, match=r"run\.concurrency is 0: expected a whole number"):
        config.with_concurrency(0)


def test_another_preset_makes_another_tournament_of_the_same_bots() -> None:
    """Its rules are the preset's and nothing of the file's; its name and slug say so, in front of all else it is."""
    config = parse_config("rules = { base = 5 }\n" + SMALLEST)
    other = config.by_preset("hubei-capped")

    assert (f"{config.name} hubei-capped", f"{config.slug}-hubei-capped") == (other.name, other.slug)
    assert load_preset("hubei-capped") == other.rules
    assert (config.bots, config.match, config.schedule) == (other.bots, other.match, other.schedule)


@pytest.mark.parametrize("preset", preset_names())
def test_the_demo_can_be_played_by_any_preset(preset: str) -> None:
    """It has bots enough for four seats; by the default rules it is the demo itself."""
    demo = load_config(Path(__file__).parents[2] / "examples" / "demo.toml")
    played = demo.by_preset(preset)

    assert load_preset(preset) == played.rules
    assert ("demo" if preset == "xiangyang" else f"demo-{preset}") == played.slug


def test_a_long_slug_is_cut_for_a_preset() -> None:
    """Two presets still make two tournaments."""
    config = parse_config(f'slug = "{"c" * 32}"\n' + SMALLEST)

    assert "c" * 23 + "-d9bbcd59" == config.by_preset("hubei").slug
    assert config.by_preset("hubei").slug != config.by_preset("hubei-capped").slug


def test_the_preset_that_a_tournament_has_anyway_changes_nothing() -> None:
    """So that the same command goes on with it."""
    config = parse_config('rules = { preset = "hubei" }\n' + SMALLEST)

    assert config == config.by_preset("hubei")


@pytest.mark.parametrize(
    ("preset", "error", "message"),
    [
        ("nope", RulesError, r"preset 'nope' is unknown; the presets are classic, .*, zaoyang"),
        ("hubai", RulesError, r"preset 'hubai' is unknown; the presets are .*; did you mean hubei\?"),
        ("sit-out", ConfigError, r"the command line: bots are 3: expected at least 4"),
    ],
)
def test_a_preset_that_a_tournament_cannot_be_played_by(preset: str, error: type[Exception], message: str) -> None:
    """One that there is not, or that needs more bots, is refused with the reason."""
    config = parse_config(SMALLEST)

    with pytest.raises(error, match=message):
        config.by_preset(preset)


def test_duplicate_walls_ask_for_fresh_processes_and_trusted_bots() -> None:
    """A bot that remembers a deal would know the other hands."""
    found = problems('schedule = { walls = "duplicate" }\n' + SMALLEST)

    assert ["bots[0].process", "bots[1].process", "bots[2].remote"] == [problem.split(" ")[0] for problem in found]
    assert "expected schedule.trusted_bots = true" in found[2]


@pytest.mark.parametrize("value", ["[" * 5000 + "]" * 5000, "9" * 5000])
def test_a_file_that_the_parser_cannot_hold(value: str) -> None:
    """Values too deep or too long for Python are a mistake in the file, not a crash."""
    (problem,) = problems(f"name = {value}\n")

    assert problem.startswith("not TOML")


def test_a_syntax_error_is_told_with_its_line() -> None:
    """Broken TOML names line and column."""
    (problem,) = problems('name = "A"\nhands = = 8\n')

    assert "not TOML" in problem
    assert "at line 2, column 9" in problem


def test_the_message_names_the_file(tmp_path: Path) -> None:
    """A problem in a file begins with its path."""
    path = tmp_path / "tournament.toml"
    path.write_text("match = { hands = 0 }\n" + SMALLEST)

    with pytest.raises(ConfigError) as caught:
        load_config(path)

    assert f"{path}: match.hands is 0: expected a whole number from 1 to 1000" == str(caught.value)


def test_a_good_file_is_loaded(tmp_path: Path) -> None:
    """A file is the same as its text."""
    path = tmp_path / "tournament.toml"
    path.write_text(WHOLE, "utf-8")

    assert parse_config(WHOLE) == load_config(path)


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    """A missing file, a folder and bytes that are no text are config errors, not tracebacks."""
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b'name = "\xff"')

    for path, expected in (
        (tmp_path / "missing.toml", "cannot be read: No such file or directory"),
        (tmp_path, "cannot be read: Is a directory"),
        (binary, "not UTF-8 at byte 8: expected a TOML file"),
    ):
        with pytest.raises(ConfigError) as caught:
            load_config(path)
        assert f"{path}: {expected}" == str(caught.value)


def test_an_unknown_bot_is_a_key_error() -> None:
    """Asking for a bot that is not there names it."""
    with pytest.raises(KeyError, match="zoe"):
        parse_config(SMALLEST).bot("zoe")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(
    path=st.sampled_from(
        [
            ("name",),
            ("slug",),
            ("seed",),
            ("rules",),
            ("rules", "preset"),
            ("rules", "cap"),
            ("match",),
            ("match", "clock"),
            ("match", "clock", "bank"),
            ("schedule", "walls"),
            ("run", "listen"),
            ("run", "join_time"),
            ("bots",),
            ("bots", 0),
            ("bots", 0, "command"),
            ("bots", 0, "env"),
        ]
    ),
    value=JSON,
)
def test_any_value_anywhere_is_accepted_or_told(path: tuple[Any, ...], value: Any) -> None:
    """No value makes anything but a config that survives JSON, or a ConfigError."""
    data = parse_config(SMALLEST).to_json()
    place: Any = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value

    try:
        config = TournamentConfig.from_json(data)
    except ConfigError as error:
        told = error.problems
    else:
        told = ()
        assert config == TournamentConfig.from_json(json.loads(json.dumps(config.to_json())))

    assert [] == [problem for problem in told if " is " not in problem and " are " not in problem]


def tables(model: type[BaseModel]) -> list[type[BaseModel]]:
    nested = [model_in(field.annotation) for field in model.model_fields.values()]
    return [model, *(table for inner in nested if inner is not None for table in tables(inner))]


def test_the_documentation_is_true_and_whole() -> None:
    """The files in docs/tournament.md are accepted, and the long one shows every key and all defaults."""
    text = (Path(__file__).parents[2] / "docs" / "tournament.md").read_text("utf-8")
    blocks = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    smallest, whole = map(parse_config, blocks)
    keys = {key for table in tables(TournamentConfig) for key in table.model_fields}

    assert set() == keys - set(re.findall(r"\w+(?= = )|(?<=\[)\w+(?=\])", blocks[1]))
    assert (smallest.rules, smallest.match, smallest.schedule, smallest.run) == (
        whole.rules,
        whole.match,
        whole.schedule,
        whole.run,
    )
    assert smallest.bots[0].model_copy(update={"name": "greedy-1", "command": whole.bots[0].command}) == whole.bots[0]
