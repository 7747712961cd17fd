"""The protocol is additive for ever, documented word for word, and its generated code is what its sources say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROTO = ROOT / "proto"
BASELINE = PROTO / "baseline.binpb"
BUF = Path(sys.executable).parent / "buf"


def buf(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([BUF, *arguments], capture_output=True, text=True, cwd=ROOT, check=False)


def copy_of_the_sources(folder: Path) -> Path:
    """Copy what buf reads into ``folder``, to be changed there."""
    (folder / "kawuxing" / "v1").mkdir(parents=True)
    for source in [PROTO / "buf.yaml", *(PROTO / "kawuxing" / "v1").glob("*.proto")]:
        (folder / source.relative_to(PROTO)).write_bytes(source.read_bytes())
    return folder


def change(folder: Path, file: str, old: str, new: str) -> None:
    path = folder / "kawuxing" / "v1" / file
    text = path.read_text("utf-8")
    assert text.count(old) == 1, f"expected {old!r} once in {file}"
    path.write_text(text.replace(old, new), "utf-8")


def test_generating_the_code_again_changes_nothing(tmp_path: Path) -> None:
    """The committed *_pb2 files are, byte for byte, what `make proto` writes."""
    subprocess.run([sys.executable, PROTO / "generate.py", tmp_path], check=True)

    written = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*_pb2*.py*")}
    committed = {path.relative_to(PROTO): path.read_bytes() for path in (PROTO / "kawuxing" / "v1").glob("*_pb2*.py*")}
    assert sorted(written) == sorted(committed)
    assert [] == [str(path) for path in written if written[path] != committed[path]]


def test_the_sources_keep_to_the_house_style_and_every_word_has_a_comment() -> None:
    """`buf lint` with STANDARD and COMMENTS has nothing to say."""
    assert (0, "") == ((linted := buf("lint", "proto")).returncode, linted.stdout + linted.stderr)


@pytest.mark.parametrize(
    ("file", "comment", "named"),
    [
        ("action.proto", "  // What is done.\n", 'Field "type"'),
        ("action.proto", "  // Claim nothing.\n", 'Enum value "ACTION_TYPE_PASS"'),
        ("event.proto", "// A seat drew a tile.\n", 'Message "TileDrawn"'),
    ],
)
def test_a_word_without_a_comment_is_found(tmp_path: Path, file: str, comment: str, named: str) -> None:
    """`buf lint` names a field, enum value or message whose comment is taken away."""
    sources = copy_of_the_sources(tmp_path / "sources")
    change(sources, file, comment, "")

    linted = buf("lint", sources)

    assert linted.returncode != 0
    assert named in linted.stdout


def test_nothing_that_was_released_is_broken() -> None:
    """`buf breaking` finds no change that a client of the baseline would stumble over."""
    checked = buf("breaking", "proto", "--against", BASELINE)

    assert (0, "") == (checked.returncode, checked.stdout + checked.stderr)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("action.proto", "Tile tile = 2;", "Tile tile = 4;"),
        ("action.proto", "Tile tile = 2;", "string tile = 2;"),
        ("action.proto", "ACTION_TYPE_PASS = 6;", "ACTION_TYPE_PASS = 9;"),
        ("table_service.proto", "uint32 choice = 2;", "uint32 index = 2;"),
    ],
)
def test_a_breaking_change_is_found(tmp_path: Path, file: str, old: str, new: str) -> None:
    """Another number, type or name of what was released fails the check."""
    sources = copy_of_the_sources(tmp_path / "sources")
    change(sources, file, old, new)

    checked = buf("breaking", sources, "--against", BASELINE)

    assert checked.returncode != 0
    assert file in checked.stdout


def test_an_added_field_breaks_nothing(tmp_path: Path) -> None:
    """The protocol can grow."""
    sources = copy_of_the_sources(tmp_path / "sources")
    change(sources, "table_service.proto", "uint32 choice = 2;", "uint32 choice = 2;\n  // More.\n  uint32 more = 3;")

    checked = buf("breaking", sources, "--against", BASELINE)

    assert (0, "") == (checked.returncode, checked.stdout + checked.stderr)


def test_the_installed_libraries_that_the_code_needs_are_those_asked_for() -> None:
    """The lowest grpcio and protobuf in pyproject.toml are not below what the generated code refuses."""
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    asked = {name: re.findall(rf'"{name}>=([\d.]+)', text)[0] for name in ("grpcio", "protobuf")}
    code = (PROTO / "kawuxing" / "v1" / "table_service_pb2_grpc.py").read_text("utf-8")
    messages = (PROTO / "kawuxing" / "v1" / "table_service_pb2.py").read_text("utf-8")

    assert {
        "grpcio": re.findall(r"GRPC_GENERATED_VERSION = '([\d.]+)'", code)[0],
        "protobuf": re.findall(r"# Protobuf Python Version: ([\d.]+)", messages)[0],
    } == asked
