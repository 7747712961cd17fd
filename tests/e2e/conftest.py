from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from tests.e2e.arena import Arena, tournament
from tests.e2e.quick import QuickCommand
from tests.golden.tournaments import Played, play

PlayedBy = Callable[[str], Played]


@pytest.fixture
def arena(tmp_path: Path) -> Arena:
    """A folder with a short tournament of three random bots, not run yet."""
    arena = Arena(tmp_path)
    arena.write(tournament())
    return arena


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Arena:
    """A short tournament that was run to its end. Not to be changed: copy what you change."""
    arena = Arena(tmp_path_factory.mktemp("played"))
    arena.write(tournament())
    arena.command(*arena.run_arguments())
    return arena


@pytest.fixture
def copied(played: Arena, tmp_path: Path) -> Arena:
    """A copy of the tournament that was played, to be changed at will."""
    shutil.copytree(played.folder, tmp_path / "copied")
    return Arena(tmp_path / "copied")


@pytest.fixture(scope="session")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QuickCommand]:
    """Runs the command without starting Python anew; not for what listens or plays."""
    with QuickCommand(tmp_path_factory.mktemp("quick")) as command:
        yield command


@pytest.fixture(scope="session")
def played_by(tmp_path_factory: pytest.TempPathFactory) -> PlayedBy:
    """Plays the golden tournament of a preset, once. Not to be changed."""

    @cache
    def played_by(preset: str) -> Played:
        return play(preset, tmp_path_factory.mktemp(preset))

    return played_by
