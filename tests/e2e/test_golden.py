"""The golden tournaments: one by each preset, of which every byte is pinned."""

from __future__ import annotations

import pytest
from tests.e2e.conftest import PlayedBy
from tests.golden.tournaments import changes, digests, golden_record

from kawuxing.engine.rules import preset_names


def test_every_preset_has_its_golden_tournament() -> None:
    """None can be added without one."""
    assert preset_names() == tuple(digests())


@pytest.mark.parametrize("preset", preset_names())
def test_a_golden_tournament_comes_out_as_it_always_has(played_by: PlayedBy, preset: str) -> None:
    """Same seed, rules and bots give the same records and digest, through the command, gRPC and the store."""
    played, pinned = played_by(preset), digests()[preset]

    changed = changes(pinned["records"], played.pinned()["records"])
    assert [] == changed, f"other records than before by {preset}; if this is wanted: make golden"
    assert pinned == played.pinned()


@pytest.mark.parametrize("preset", preset_names())
def test_a_golden_record_is_one_of_its_tournament(played_by: PlayedBy, preset: str) -> None:
    """The file that is published is what the tournament left."""
    assert golden_record(preset).read_bytes() == played_by(preset).record()
