"""Whatever is wrong with what a user gives: told clearly, with an exit code of its own, and nothing is changed."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import signal
import socket
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.e2e.arena import KAWUXING, Arena, tournament
from tests.e2e.quick import QuickCommand, Said

from kawuxing.cli.exits import Exit

GOLDEN = Path(__file__).parents[1] / "golden" / "record-xiangyang.jsonl"
RECORD = GOLDEN.read_bytes()
LINES = RECORD.count(b"\n")
SECRET = tournament().replace('seed = "a practice seed"', "")
REMOTE = tournament().replace('command = ["kawuxing-bot", "random"]', "remote = true", 1)

NO_SEED = "error: file seed.json is no tournament's revealed seed: "

Refuse = Callable[..., str]
"""Runs a command that must fail with a code, and returns what it says."""


def everything(folder: Path) -> dict[str, bytes | None]:
    """Return all paths below a folder and their bytes, but for a lock that nobody holds: it is never removed."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
        if not (path.name == "lock" and not path.read_bytes())
    }


@pytest.fixture
def refuse(quick: QuickCommand) -> Refuse:
    """Run a command that fails: one error, no traceback, nothing on stdout, nothing changed in the folder."""

    def run(
        folder: Path, *arguments: str | Path, code: Exit = Exit.BAD_INPUT, env: tuple[tuple[str, str], ...] = ()
    ) -> str:
        before = everything(folder)
        said: Said = quick(*arguments, cwd=folder, env=env)
        assert (code, "") == (said.code, said.out), said
        assert "Traceback" not in said.error
        assert before == everything(folder)
        return said.error

    return run


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("hands = 1", "hands = = 1", "not TOML: Invalid value (at line 6, column 9)"),
        ("hands = 1", "handz = 1", "match.handz is unknown: expected one of clock, hands, max_faults"),
        ("[match]", "[rules]\nbass = 5\n[match]", "`kawuxing rules show` lists; did you mean base?"),
        ("[match]", "[rules]\nbase = 0\n[match]", "rules.base is 0"),
        (
            "[match]",
            '[rules]\npreset = "four-seat"\nsit_out = true\n[match]',
            "rules.sit_out is true: expected false where 'seats' is 4, because of four entrants three play (RULES §8)",
        ),
        (
            "[match]",
            '[rules]\npreset = "three-suit"\ndiscard_ban = true\nkong_chain_cap = 2\n[match]',
            "problems:\n  rules.discard_ban is true: expected false where 'reveal' is \"off\", because nobody",
        ),
        (
            "[match]",
            "[rules]\ncap_exempt = { reveal = 16 }\n[match]",
            "rules.cap_exempt is { reveal = 16 }: expected none",
        ),
        ("[match]", '[rules]\npreset = "beijing"\n[match]', 'rules.preset is "beijing": expected one of classic, '),
        ("hands = 1", 'hands = "1"', 'match.hands is "1": expected a whole number from 1 to 1000'),
        ("hands = 1", "hands = true", "match.hands is true: expected a whole number from 1 to 1000"),
        ("hands = 1", "hands = 0", "match.hands is 0: expected a whole number from 1 to 1000"),
        ("deals = 1", "deals = 1000000", "schedule.deals is 1000000 and makes the schedule 6000000 matches long"),
        ("[run]", "[run]\njoin_time = inf", "run.join_time is inf: expected seconds from 1 to 3600"),
        ("[run]", '[run]\nlisten = "here"', 'run.listen is "here": expected "host:port"'),
        ("[run]", '[run]\nlisten = "0.0.0.0:0"', "expected this machine's own address, or insecure = true"),
        ("[run]", '[schedule.x]\n[run]\nlisten = "0.0.0.0:0"', "has 2 problems:\n  schedule.x is unknown"),
        ('name = "Cup"', "", "name is missing: expected a text of 1 to 200 characters in one line"),
        ('"bot-1"', '"bot-0"', 'bots[1].name is "bot-0" like bots[0].name: expected a name of its own'),
        ('"bot-1"', '"Bot 1"', 'bots[1].name is "Bot 1": expected 1 to 32 characters out of a-z 0-9 . _ -'),
        ('command = ["kawuxing-bot", "random"]', "", "bots[0].command is missing and remote is false: expected"),
        ('["kawuxing-bot", "random"]', "[]", "bots[0].command is missing and remote is false: expected exactly one"),
        ("[run]", '[run]\n[[bots]]\nname = "x"\nenv = 3', "bots[0].env is 3: expected a table of texts"),
    ],
)
def test_a_config_that_says_what_it_must_not(tmp_path: Path, refuse: Refuse, old: str, new: str, told: str) -> None:
    """The error names the file, the field, its value and what was expected; no home is made."""
    arena = Arena(tmp_path)
    arena.write(tournament().replace(old, new, 1))

    for command in ("run", "commit"):
        error = refuse(tmp_path, command, arena.config, "--home", arena.home)
        assert error.startswith(f"error: {arena.config}")
        assert told in error
    assert not arena.home.exists()


def test_too_few_bots(tmp_path: Path, refuse: Refuse) -> None:
    """Two bots make no match of three."""
    arena = Arena(tmp_path)
    arena.write(tournament(bots=2))

    told = refuse(tmp_path, *arena.run_arguments())
    assert f"error: {arena.config}: bots are 2: expected at least 3, the entrants of a match by these rules\n" == told


def test_a_config_that_is_no_file(tmp_path: Path, refuse: Refuse) -> None:
    """A missing file, a folder and bytes that are no text are each told."""
    (tmp_path / "binary").write_bytes(b"\xff\xfe")

    assert "error: absent.toml: cannot be read: No such file or directory\n" == refuse(tmp_path, "run", "absent.toml")
    assert "error: .: cannot be read: Is a directory\n" == refuse(tmp_path, "run", ".")
    assert "error: binary: not UTF-8 at byte 0: expected a TOML file\n" == refuse(tmp_path, "run", "binary")


@pytest.mark.parametrize("program", ["no-such-bot", "./tournament.toml", "./absent"])
def test_a_missing_command(tmp_path: Path, refuse: Refuse, program: str) -> None:
    """A program that is not there, or is none, is found before anything starts; the machine is to blame."""
    arena = Arena(tmp_path)
    arena.write(tournament().replace('"kawuxing-bot"', f'"{program}"', 1))

    told = refuse(tmp_path, *arena.run_arguments(), code=Exit.ENVIRONMENT)
    assert told.startswith("error: bot bot-0: ")
    assert program.removeprefix("./") in told
    assert not arena.home.exists()


def test_a_port_in_use(tmp_path: Path, refuse: Refuse) -> None:
    """The setting and the address are named."""
    arena = Arena(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        arena.write(tournament().replace("[run]", f'[run]\nlisten = "{address}"'))
        told = refuse(tmp_path, *arena.run_arguments(), code=Exit.ENVIRONMENT)

    assert f'error: run.listen is "{address}": Address already in use\n' == told
    assert not arena.home.exists()


@pytest.mark.parametrize("home", ["tournament.toml/home", "tournament.toml", "/proc", "/proc/home"])
@pytest.mark.parametrize("command", ["run", "commit", "bot add"])
def test_a_home_that_cannot_be_written(arena: Arena, refuse: Refuse, home: str, command: str) -> None:
    """A folder below a file, or in a file system in which nobody can make one, is named."""
    given = arena.config if command != "bot add" else "ada"
    text = SECRET if command == "commit" else tournament()
    arena.write(text)

    told = refuse(arena.folder, *command.split(), given, "--home", home, code=Exit.ENVIRONMENT)
    assert told.startswith(f"error: home folder '{home}': ")
    assert told.endswith("; expected a folder that can be written\n")


def test_a_home_in_use(tmp_path: Path) -> None:
    """A second run in the same home names the process that has it, and does not disturb it."""
    arena = Arena(tmp_path)
    arena.write(REMOTE)
    arena.command("bot", "add", "bot-0", "--home", arena.home)
    with arena.start(*arena.run_arguments()) as process:
        try:
            assert process.stderr is not None
            while "bots can join at" not in (line := process.stderr.readline()):
                assert line, "the run ended"
            told = _lines_of_a_second_run(arena)
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=30)

    assert (
        f"error: home folder '{arena.home}' is in use by process {process.pid}: expected no other arena in it" in told
    )
    assert 130 == process.returncode


def _lines_of_a_second_run(arena: Arena) -> str:
    return arena.command(*arena.run_arguments(), code=Exit.ENVIRONMENT).stderr


def test_a_changed_config(copied: Arena, refuse: Refuse) -> None:
    """Every changed field is listed with its old and new value; how it is run may change."""
    text = copied.config.read_text().replace("hands = 1", "hands = 2").replace('"bot-2"', '"bot-x"')
    copied.write(text.replace("concurrency = 4", "concurrency = 2"))

    told = refuse(copied.folder, *copied.run_arguments())
    assert told.startswith("error: tournament 'cup' was started with another config, and goes on only with that")
    changes = [line.strip() for line in told.splitlines()[1:]]
    assert ['bots[2].name: "bot-2" → "bot-x"', "match.hands: 1 → 2"] == changes


def test_another_seed_text(copied: Arena, refuse: Refuse) -> None:
    """Another seed is another tournament."""
    copied.write(tournament().replace("a practice seed", "another"))

    assert 'seed: "a practice seed" → "another"' in refuse(copied.folder, *copied.run_arguments())


def test_a_remote_bot_that_is_not_registered(tmp_path: Path, refuse: Refuse) -> None:
    """It is told how to register it, with or without a home that has others."""
    arena = Arena(tmp_path)
    arena.write(REMOTE)
    told = (
        "error: tournament 'cup': bots[0].name is \"bot-0\", a remote bot that is not registered: "
        "expected it to have a token, as `kawuxing bot add bot-0` gives\n"
    )

    assert told == refuse(tmp_path, *arena.run_arguments())
    assert not arena.home.exists()
    arena.command("bot", "add", "other", "--home", arena.home)
    assert told == refuse(tmp_path, *arena.run_arguments())


def test_names_of_bots(copied: Arena, refuse: Refuse) -> None:
    """A name twice, one that no bot can have, and one that is not registered."""
    home = ("--home", copied.home)
    copied.command("bot", "add", "ada", *home)

    folder = copied.folder
    assert "error: bot 'ada' is registered already, as a remote bot\n" == refuse(folder, "bot", "add", "ada", *home)
    launched = refuse(folder, "bot", "add", "bot-0", *home)
    assert "error: bot 'bot-0' is registered already, as a launched bot\n" == launched
    told = refuse(folder, "bot", "add", "Ada", *home)
    assert (
        "error: bot name 'Ada': expected 1 to 32 characters out of a-z 0-9 . _ -, the first a letter or digit\n" == told
    )
    for command in ("rotate", "remove"):
        assert "error: bot 'ben' is not registered\n" == refuse(folder, "bot", command, "ben", *home)


def test_names_of_tournaments_and_states(copied: Arena, refuse: Refuse) -> None:
    """An unknown tournament, state or bot is named."""
    home = ("--home", copied.home)

    for command in ("standings", "matches"):
        told = refuse(copied.folder, command, "cop", *home)
        assert "error: tournament 'cop' is not in the store: expected one of cup\n" == told
    told = refuse(copied.folder, "matches", "--state", "won", *home)
    states = "pending, offered, playing, done, cancelled, failed"
    assert f"error: --state is 'won': expected one of {states}\n" == told
    told = refuse(copied.folder, "matches", "--bot", "bot-9", *home)
    assert "error: --bot is 'bot-9': expected one of bot-0, bot-1, bot-2\n" == told


@pytest.mark.parametrize("command", ["standings", "matches", "bot list", "bot rotate x", "bot remove x"])
def test_no_arena_in_the_home(tmp_path: Path, refuse: Refuse, command: str) -> None:
    """What only reads makes no home."""
    told = refuse(tmp_path, *command.split(), "--home", "nowhere")
    expected = "error: no arena in nowhere (there is no nowhere/arena.db): expected --home to name its folder\n"
    assert expected == told


def test_two_formats_at_once(copied: Arena, quick: QuickCommand) -> None:
    """Standings are JSON or CSV."""
    said = quick("standings", "--json", "--csv", "--home", copied.home, cwd=copied.folder)
    assert (Exit.BAD_INPUT, "error: --json and --csv: expected only one of the two\n") == (said.code, said.error)


def test_no_tournament_in_the_arena(tmp_path: Path, refuse: Refuse) -> None:
    """An arena that has registered bots only has no standings."""
    arena = Arena(tmp_path)
    arena.command("bot", "add", "ada", "--home", arena.home)

    told = refuse(tmp_path, "standings", "--home", arena.home)
    assert "error: there is no tournament here yet: expected `kawuxing run` to have started one\n" == told


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("LOG_LEVEL", "loud", "one of debug, info, warning, error"),
        ("LOG_FORMAT", "xml", "one of auto, console, json"),
        ("DATABASE_URL", "mysql://here/arena", "a URL, sqlite:///… or postgresql://…"),
        ("DATABASE_URL", "sqlite:///", "a URL, sqlite:///… or postgresql://…"),
        ("BROKER_URL", "localhost", "a URL, memory://, amqp://… or redis://…"),
    ],
)
def test_settings(arena: Arena, refuse: Refuse, name: str, value: str, expected: str) -> None:
    """A wrong variable of the environment is named with its value and what was expected."""
    told = refuse(arena.folder, *arena.run_arguments(), env=((f"KAWUXING_{name}", value),))
    assert f"error: KAWUXING_{name} is '{value}': expected {expected}\n" == told


@pytest.mark.parametrize(("option", "value"), [("--concurrency", "0"), ("--concurrency", "many"), ("--speed", "9")])
def test_options(arena: Arena, refuse: Refuse, option: str, value: str) -> None:
    """A wrong option is named, with how to get help."""
    told = refuse(arena.folder, *arena.run_arguments(), option, value)
    assert option in told
    assert "Try 'kawuxing run --help' for help." in told


def test_a_seed_file_that_others_can_read(tmp_path: Path, refuse: Refuse) -> None:
    """Whoever could read the seed could know the walls; told before a tournament starts with it."""
    arena = Arena(tmp_path)
    arena.write(SECRET)
    arena.command("commit", arena.config, "--home", arena.home)
    seed = arena.home / "seeds" / "cup.seed"
    seed.chmod(0o644)

    told = refuse(tmp_path, *arena.run_arguments(), code=Exit.ENVIRONMENT)
    expected = "expected 0600, so that nobody else can know the walls"
    assert f"error: seed file {seed} has mode 0644: {expected}\n" == told
    seed.chmod(0o600)
    seed.write_text("0123")
    told = refuse(tmp_path, *arena.run_arguments(), code=Exit.ENVIRONMENT)
    assert f"error: seed file {seed}: expected 32 bytes in hex\n" == told


def test_a_seed_file_that_is_gone_or_another(tmp_path: Path, refuse: Refuse) -> None:
    """A tournament that was started goes on with its own seed or not at all."""
    arena = Arena(tmp_path)
    arena.write(SECRET)
    arena.command(*arena.run_arguments())
    seed = arena.home / "seeds" / "cup.seed"

    seed.write_text("00" * 32)
    told = refuse(tmp_path, *arena.run_arguments())
    assert told.startswith("error: tournament 'cup' is committed to the master seed with SHA-256 ")
    assert told.endswith("expected the seed that it was started with\n")
    seed.unlink()
    told = refuse(tmp_path, *arena.run_arguments(), code=Exit.ENVIRONMENT)
    assert f"error: seed file {seed} is gone, and tournament 'cup' cannot go on without it\n" == told


@pytest.mark.parametrize("command", ["run tournament.toml", "standings", "matches", "bot list", "bot add x"])
def test_a_database_of_a_newer_version(copied: Arena, refuse: Refuse, command: str) -> None:
    """Its revision is named, and it is left as it is."""
    with sqlite3.connect(copied.home / "arena.db") as database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
    database.close()

    told = refuse(copied.folder, *command.split(), "--home", copied.home, code=Exit.ENVIRONMENT)
    assert told.startswith("error: the database has schema revision '9999': expected at most '")
    assert told.endswith("use the version of this software that wrote it, or a newer one\n")


def test_a_database_that_is_none(copied: Arena, refuse: Refuse) -> None:
    """Another file in its place is named and stays."""
    (copied.home / "arena.db").write_bytes(b"these are my notes\n" * 100)

    told = refuse(copied.folder, "standings", "--home", copied.home, code=Exit.ENVIRONMENT)
    assert f"error: database sqlite:///{copied.home}/arena.db: file is not a database\n" == told


def test_a_disk_that_is_full(tmp_path: Path) -> None:
    """An export that cannot be written names the folder, and the folder of an earlier export stays as it was."""
    arena = Arena(tmp_path)
    arena.write(tournament(hands=5))
    arena.command(*arena.run_arguments())
    before = everything(arena.exported)
    process = subprocess.run(
        [KAWUXING, *map(str, arena.run_arguments())],
        check=False,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        # More than what opening the database writes, less than a record.
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000)),
        env={name: value for name, value in os.environ.items() if not name.startswith("KAWUXING_")},
    )

    assert Exit.ENVIRONMENT == process.returncode
    error = process.stderr.splitlines()[-1]
    assert f"error: folder {arena.exported}: File too large; expected one that can be written" == error
    assert before == everything(arena.exported)
    assert ["cup"] == [path.name for path in arena.exported.parent.iterdir()]


def _golden_with(**fields: object) -> bytes:
    first, *rest = RECORD.splitlines(keepends=True)
    header = json.dumps(json.loads(first) | fields, sort_keys=True, separators=(",", ":")).encode() + b"\n"
    body = header + b"".join(rest[:-1])
    return body + b'{"sha256":"%s"}\n' % hashlib.sha256(body).hexdigest().encode()


@pytest.mark.parametrize("command", ["verify", "show"])
@pytest.mark.parametrize(
    ("data", "code", "told"),
    [
        (_golden_with(rules_revision=2), Exit.CANNOT_VERIFY, "rules revision 2: this version replays revision 1"),
        (_golden_with(format="kawuxing-record/2"), Exit.CANNOT_VERIFY, "kawuxing-record/2"),
        (b"", Exit.FAILED, "line 1 is missing: the record is cut off"),
        (b"not a record\n", Exit.FAILED, "line 1 is not JSON: Expecting value in column 1"),
        (b"[1,2]\n", Exit.FAILED, "line 1 is [1,2]: expected a JSON object"),
        (b'{"a":1}\n', Exit.FAILED, "line 1 is not the header of a record"),
        (b"\x00\xff" * 100, Exit.FAILED, "line 1 "),
    ],
)
def test_a_record_that_is_none(
    tmp_path: Path, refuse: Refuse, command: str, data: bytes, code: Exit, told: str
) -> None:
    """What is no record is invalid; what a newer version has written cannot be verified, which is not that.

    The file is named.
    """
    path = tmp_path / "record.jsonl"
    path.write_bytes(data)

    error = refuse(tmp_path, "record", command, "record.jsonl", code=code)
    assert error.startswith("error: record.jsonl: ")
    assert told in error
    assert 1 == error.count("\n")


@pytest.mark.parametrize(
    ("kept", "told"),
    [
        (RECORD[:-1], f"line {LINES} does not end with LF: the record is cut off"),
        (RECORD[:-200], f"line {LINES - 1} does not end with LF: the record is cut off"),
        (
            b"".join(GOLDEN.read_bytes().splitlines(keepends=True)[:-1]),
            f"line {LINES} is missing: the record is cut off",
        ),
        (b"".join(RECORD.splitlines(keepends=True)[:9]), "line 10 is missing: the record is cut off"),
    ],
)
def test_a_record_that_is_cut_off(tmp_path: Path, refuse: Refuse, quick: QuickCommand, kept: bytes, told: str) -> None:
    """It is told where it ends; shown, it is shown as far as it goes and then told."""
    (tmp_path / "record.jsonl").write_bytes(kept)

    assert told in refuse(tmp_path, "record", "verify", "record.jsonl", code=Exit.FAILED)
    shown = quick("record", "show", "record.jsonl", cwd=tmp_path)
    assert Exit.FAILED == shown.code
    assert shown.out.startswith("tournament golden, match ")
    assert told in shown.error


@pytest.mark.parametrize("command", ["verify", "show"])
def test_a_record_that_cannot_be_read(tmp_path: Path, refuse: Refuse, command: str) -> None:
    """A folder, or nothing, in the place of a record is named."""
    assert "error: file .: Is a directory\n" == refuse(tmp_path, "record", command, ".")
    assert "error: file absent: No such file or directory\n" == refuse(tmp_path, "record", command, "absent")


def test_a_hand_that_the_record_does_not_have(tmp_path: Path, refuse: Refuse) -> None:
    """The hands of the record are told."""
    told = refuse(tmp_path, "record", "show", GOLDEN, "--hand", "99")
    assert "error: --hand is 99: expected 0 to 1, as the record has them\n" == told


@pytest.mark.parametrize(
    ("seed", "code", "told"),
    [
        (None, Exit.BAD_INPUT, "error: file seed.json: No such file or directory"),
        (b"{", Exit.BAD_INPUT, f"{NO_SEED}seed.json is not JSON: "),
        (b"[]", Exit.BAD_INPUT, f"{NO_SEED}seed.json is not a JSON object"),
        (
            b'{"format":"kawuxing-seed/9"}',
            Exit.CANNOT_VERIFY,
            "error: seed.json: format is 'kawuxing-seed/9': expected 'kawuxing-seed/1'",
        ),
        (b'{"format":"kawuxing-seed/1"}', Exit.BAD_INPUT, f"{NO_SEED}seed.json: tournament is None: expected a text"),
        (RECORD, Exit.BAD_INPUT, f"{NO_SEED}seed.json is not JSON: "),
    ],
)
def test_a_revealed_seed_that_is_none(
    tmp_path: Path, refuse: Refuse, seed: bytes | None, code: Exit, told: str
) -> None:
    """A seed.json that is missing or is none is bad input, and says nothing of the record; a newer one is told."""
    if seed is not None:
        (tmp_path / "seed.json").write_bytes(seed)
    assert refuse(tmp_path, "record", "verify", GOLDEN, "--seed", "seed.json", code=code).startswith(told)


def test_a_revealed_seed_of_another_tournament(played: Arena, tmp_path: Path, refuse: Refuse) -> None:
    """It is one, but the record does not follow from it."""
    told = refuse(tmp_path, "record", "verify", GOLDEN, "--seed", played.exported / "seed.json", code=Exit.FAILED)
    assert f"error: {GOLDEN}: header: tournament is 'golden', but the seed's is 'cup'\n" == told


def test_a_home_is_no_tournament(copied: Arena, refuse: Refuse) -> None:
    """The folders of its tournaments are told, also where one is a level too high only."""
    expected = f"  {copied.exported}\n"
    for folder in (copied.home, copied.exported.parent):
        told = refuse(copied.folder, "verify", folder)
        assert f"error: folder {folder} is of no single tournament: expected one of\n{expected}" == told


def test_a_folder_that_is_no_tournament(tmp_path: Path, refuse: Refuse) -> None:
    """What is missing is told by its name; what is no folder at all is bad input, not a wrong result."""
    (tmp_path / "file").write_text("")
    (tmp_path / "empty").mkdir()

    for name in ("absent", "file"):
        told = refuse(tmp_path, "verify", name)
        assert f"error: folder {name}: expected the folder that `kawuxing run` left\n" == told
    told = refuse(tmp_path, "verify", "empty", code=Exit.FAILED)
    assert "error: empty: tournament.json cannot be read: No such file or directory\n" == told
