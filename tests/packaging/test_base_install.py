"""Bot authors install kawuxing alone: they can play, check and replay without Celery, a database or numpy."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from tests.packaging.conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
RECORD = ROOT / "tests" / "golden" / "record-xiangyang.jsonl"


def run(*command: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder that is not the repository, so that only what is installed is found."""
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=folder, check=False, timeout=60
    )


def test_the_version_is_that_of_the_project(base_install: Path, tmp_path: Path) -> None:
    """`kawuxing --version` prints the one version that pyproject.toml names."""
    ran = run(base_install / "kawuxing", "--version", folder=tmp_path)

    assert (0, f"kawuxing {PROJECT['version']}\n", "") == (ran.returncode, ran.stdout, ran.stderr)


def test_the_engine_is_imported_from_the_install(base_install: Path, tmp_path: Path) -> None:
    """The wheel's engine loads its presets from where it is installed."""
    code = "import kawuxing.engine.rules as r; print(r.__file__); print(r.load_preset().digest)"
    ran = run(base_install / "python", "-c", code, folder=tmp_path)

    assert (0, "") == (ran.returncode, ran.stderr)
    assert Path(ran.stdout.splitlines()[0]).is_relative_to(base_install.parent)


def test_it_has_nothing_of_the_arena(base_install: Path, tmp_path: Path) -> None:
    """None of the libraries that only organisers need is there."""
    arena = {Requirement(line).name.replace("-", "_") for line in PROJECT["optional-dependencies"]["arena"]}
    # Typer needs it too.
    arena.remove("pydantic")
    code = f"from importlib.util import find_spec; print([name for name in {sorted(arena)} if find_spec(name)])"
    ran = run(base_install / "python", "-c", code, folder=tmp_path)

    assert ("[]\n", "") == (ran.stdout, ran.stderr)


@pytest.mark.parametrize(
    "package", ["engine", "v1.table_service_pb2_grpc", "codec", "runner.server", "bots", "cli.main"]
)
def test_what_a_bot_author_uses_can_be_imported(base_install: Path, tmp_path: Path, package: str) -> None:
    """Engine, protocol, codec, runner, bot kit and command line need only the base install."""
    ran = run(base_install / "python", "-W", "error", "-c", f"import kawuxing.{package}", folder=tmp_path)

    assert (0, "") == (ran.returncode, ran.stderr)


@pytest.mark.parametrize(
    "command",
    [
        ["kawuxing", "--help"],
        ["kawuxing", "run", "--help"],
        ["kawuxing", "record", "--help"],
        ["kawuxing-bot", "--help"],
        ["kawuxing", "record", "verify", str(RECORD)],
        ["kawuxing", "record", "show", str(RECORD)],
        ["kawuxing", "replay", str(RECORD)],
        ["kawuxing", "play", "--hands", "1"],
        ["kawuxing", "bridge", "--help"],
        ["kawuxing", "report", "--help"],
    ],
    ids=" ".join,
)
def test_it_helps_plays_and_reads_records(base_install: Path, tmp_path: Path, command: list[str]) -> None:
    """Help of every command, playing by oneself, and verifying and showing a record work without the arena."""
    ran = run(base_install / command[0], *command[1:], folder=tmp_path)

    assert (0, "") == (ran.returncode, ran.stderr)
    assert ran.stdout


def test_a_bot_without_grpc_is_bridged_as_far_as_the_arena(base_install: Path, tmp_path: Path) -> None:
    """All that the bridge imports is there: what fails is only the token of an arena that is none."""
    program = base_install / "python"
    ran = run(base_install / "kawuxing", "bridge", "--address", "127.0.0.1:1", "--", program, folder=tmp_path)

    assert (2, "error: no token: give --token or set KAWUXING_TOKEN\n") == (ran.returncode, ran.stderr)


def test_a_bot_can_be_checked(base_install: Path, tmp_path: Path) -> None:
    """Its author needs no Celery and no database to know whether a tournament will let it in."""
    ran = run(
        base_install / "kawuxing", "check-bot", "--rules", "xiangyang", "--", "kawuxing-bot", "random", folder=tmp_path
    )

    assert 0 == ran.returncode, ran.stdout
    assert "kawuxing-bot random: admitted" in ran.stdout
    assert [] == list(tmp_path.iterdir())


def test_an_author_asks_for_a_report(base_install: Path, tmp_path: Path) -> None:
    """All that asking needs is there: what fails is only that no arena answers."""
    ran = run(base_install / "kawuxing", "report", "--address", "127.0.0.1:1", "--token", "x", folder=tmp_path)

    assert 4 == ran.returncode
    assert ran.stderr.startswith("error: no arena answers at 127.0.0.1:1: ")


@pytest.mark.parametrize(
    "command",
    [["run", str(ROOT / "examples" / "demo.toml")], ["standings"], ["bot", "list"], ["verify", str(ROOT)]],
    ids=lambda command: command[0],
)
def test_what_needs_the_arena_says_what_to_install(base_install: Path, tmp_path: Path, command: list[str]) -> None:
    """An organiser's command names the missing package and how to get it, and leaves nothing behind."""
    ran = run(base_install / "kawuxing", *command, folder=tmp_path)

    assert 4 == ran.returncode
    assert "install kawuxing with its extra [arena]" in ran.stderr
    assert [] == list(tmp_path.iterdir())
