"""What `pip install kawuxing` gives: the built wheel in its own environment, with what it depends on and no more."""

from __future__ import annotations

import subprocess
import sys
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Built:
    """The two files that a release consists of."""

    wheel: Path
    sdist: Path


def build(source: Path, folder: Path, *targets: str) -> None:
    """Build with the project's own backend; nothing is downloaded."""
    wanted = [option for target in targets for option in ("-t", target)]
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", folder, *wanted], cwd=source, check=True, capture_output=True
    )


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Wheel and sdist of this tree."""
    folder = tmp_path_factory.mktemp("dist")
    build(ROOT, folder, "wheel", "sdist")
    [wheel], [sdist] = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return Built(wheel, sdist)


def _required(name: str, seen: set[str]) -> Iterator[Path]:
    """Yield the top-level files and folders of what ``name`` requires, and of what that requires."""
    for line in distribution(name).requires or ():
        requirement = Requirement(line)
        required = canonicalize_name(requirement.name)
        if required not in seen and (requirement.marker is None or requirement.marker.evaluate({"extra": ""})):
            seen.add(required)
            files = distribution(required).files or ()
            for top in sorted({file.parts[0] for file in files} - {"..", "__pycache__"}):
                yield Path(str(distribution(required).locate_file(top)))
            yield from _required(required, seen)


@pytest.fixture(scope="session")
def base_install(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a fresh virtual environment with the wheel and its dependencies, without any extra."""
    folder = tmp_path_factory.mktemp("base") / "venv"
    venv.create(folder, with_pip=False, symlinks=True)
    programs = folder / "bin"
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--python", str(programs / "python")]
    subprocess.run([*pip, "install", "--no-index", "--no-deps", built.wheel], check=True)
    [packages] = (folder / "lib").glob("python*/site-packages")
    for part in _required("kawuxing", set()):
        if not (packages / part.name).exists():
            (packages / part.name).symlink_to(part)
    return programs
