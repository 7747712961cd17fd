from __future__ import annotations

from pathlib import Path

import pytest
from tests.e2e.arena import Arena, tournament


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
