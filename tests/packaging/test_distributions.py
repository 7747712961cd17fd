"""Wheel and sdist have all that the program needs at run time, and the wheel has nothing else."""

from __future__ import annotations

import tarfile
import tomllib
import zipfile
from pathlib import Path

from tests.packaging.conftest import ROOT, Built, build

SOURCE_ROOTS = ("engine", "runner", "bots", "scheduler", "proto")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def contents(wheel: Path) -> set[str]:
    """Return the paths in a wheel but those of its metadata."""
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def sources() -> set[str]:
    """Return the paths, from their source root on, of every file of the packages."""
    return {
        str(path.relative_to(ROOT / root))
        for root in SOURCE_ROOTS
        for path in (ROOT / root / "kawuxing").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_has_every_file_of_the_packages_and_no_other(built: Built) -> None:
    """Each source root's files are in the wheel under the one name kawuxing; tests and benchmarks are not."""
    assert sources() == contents(built.wheel)


def test_the_wheel_has_what_is_no_python(built: Built) -> None:
    """Presets, .proto files and migrations are read at run time or by bot authors."""
    assert {
        "kawuxing/engine/presets/xiangyang.toml",
        "kawuxing/v1/lobby_service.proto",
        "kawuxing/v1/table_service.proto",
        "kawuxing/scheduler/store/migrations/env.py",
        "kawuxing/scheduler/store/migrations/script.py.mako",
        "kawuxing/scheduler/store/migrations/versions/0001_the_first_tables.py",
    } <= contents(built.wheel)


def test_every_package_says_that_it_is_typed(built: Built) -> None:
    """Each package under kawuxing has a py.typed, and kawuxing itself has no __init__.py: it is a namespace."""
    files = contents(built.wheel)
    packages = {name.split("/")[1] for name in files}

    assert {"engine", "v1", "codec", "runner", "bots", "scheduler", "cli"} <= packages
    assert {f"kawuxing/{package}/py.typed" for package in packages} <= files
    assert "kawuxing/__init__.py" not in files


def test_the_wheel_carries_licence_and_commands(built: Built) -> None:
    """The metadata has the licence's text and the two commands."""
    with zipfile.ZipFile(built.wheel) as archive:
        metadata = f"kawuxing-{PROJECT['version']}.dist-info"
        licence = archive.read(f"{metadata}/licenses/LICENSE")
        commands = archive.read(f"{metadata}/entry_points.txt").decode()

    assert (ROOT / "LICENSE").read_bytes() == licence
    kawuxing, bot = "kawuxing = kawuxing.cli.entry:kawuxing", "kawuxing-bot = kawuxing.cli.entry:kawuxing_bot"
    assert f"[console_scripts]\n{kawuxing}\n{bot}\n" == commands


def test_the_sdist_builds_the_same_wheel(built: Built, tmp_path: Path) -> None:
    """Whoever packages from the sdist gets the files that the wheel has."""
    with tarfile.open(built.sdist) as archive:
        # Not every Python 3.11 has filters, and later ones warn without one.
        archive.extraction_filter = getattr(tarfile, "data_filter", lambda member, _: member)
        archive.extractall(tmp_path)  # noqa: S202  (the archive was built a moment ago)
    build(tmp_path / f"kawuxing-{PROJECT['version']}", tmp_path / "dist", "wheel")
    [wheel] = (tmp_path / "dist").glob("*.whl")

    assert contents(built.wheel) == contents(wheel)


def test_the_sdist_can_be_developed_in(built: Built) -> None:
    """It has what `make test` and `make lint` read."""
    with tarfile.open(built.sdist) as archive:
        files = {name.partition("/")[2] for name in archive.getnames()}

    assert {
        "Makefile",
        "constraints.txt",
        ".importlinter",
        "proto/buf.yaml",
        "proto/baseline.binpb",
        "proto/generate.py",
        "tests/conftest.py",
        "docs/rules/RULES.md",
        "examples/demo.toml",
    } <= files
