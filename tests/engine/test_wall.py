"""Seeds and walls: the published vectors, and an independent implementation of what docs/records.md says."""

from __future__ import annotations

import hashlib
import hmac
import itertools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kawuxing.engine import wall
from kawuxing.engine.rules import RuleSet, load_preset
from kawuxing.engine.tiles import TEXT

VECTORS = json.loads((Path(__file__).parents[1] / "golden" / "walls.json").read_text("ascii"))
RULES = {
    "84": load_preset("xiangyang"),
    "108": load_preset("xiangyang").replace({"suits": ["m", "p", "s"], "dragons": False}),
    "120": load_preset("xiangyang").replace({"suits": ["m", "p", "s"], "seats": 4}),
}
SEED = wall.practice_seed("kawuxing")

seeds = st.binary(min_size=32, max_size=32)
rule_sets = st.sampled_from(sorted(RULES)).map(RULES.__getitem__)


def texts(rules: RuleSet, deal_seed: bytes, hand: int) -> list[str]:
    return [TEXT[kind] for kind in wall.shuffled_wall(rules, deal_seed, hand)]


def independent_wall(tiles: list[str], deal_seed: bytes, hand: int) -> list[str]:
    """Shuffle as docs/records.md says it, in a straight line."""
    random_bytes = b"".join(
        hashlib.sha256(deal_seed + hand.to_bytes(4, "big") + counter.to_bytes(4, "big")).digest()
        for counter in range(100)
    )
    tiles = list(tiles)
    position = 0
    for j in range(len(tiles) - 1, 0, -1):
        while random_bytes[position] >= 256 - 256 % (j + 1):
            position += 1
        r = random_bytes[position] % (j + 1)
        position += 1
        tiles[j], tiles[r] = tiles[r], tiles[j]
    return tiles


@pytest.mark.parametrize("name", sorted(RULES))
def test_the_published_tile_lists_are_those_of_the_rule_sets(name: str) -> None:
    """Each published tile list has its length and is the rule set's tiles in kind order."""
    assert int(name) == len(VECTORS["tile_lists"][name])
    assert VECTORS["tile_lists"][name] == [TEXT[kind] for kind in RULES[name].tile_list]


@pytest.mark.parametrize("vector", VECTORS["practice"], ids=lambda vector: repr(vector["seed"]))
def test_practice_seeds_follow_the_vectors(vector: dict[str, str]) -> None:
    """The master seed of a practice tournament is the published one."""
    assert vector["master_seed"] == wall.practice_seed(vector["seed"]).hex()


@pytest.mark.parametrize("vector", VECTORS["tournaments"], ids=lambda vector: vector["master_seed"][:8])
def test_everything_derived_from_a_master_seed_follows_the_vectors(vector: dict[str, Any]) -> None:
    """Commitment, key, match ids, deal seeds, bot seeds and walls are the published ones."""
    master_seed = bytes.fromhex(vector["master_seed"])
    assert vector["commitment"] == wall.commitment(master_seed)
    key = wall.tournament_key(master_seed, vector["public_entropy"])
    assert vector["key"] == key.hex()
    for match in vector["matches"]:
        assert match["match_id"] == wall.match_id(key, match["index"])
    deals = [(deal, wall.fresh_deal_seed(key, deal["index"])) for deal in vector["fresh"]]
    deals += [(deal, wall.duplicate_deal_seed(key, deal["deal"])) for deal in vector["duplicate"]]
    assert deals
    for deal, deal_seed in deals:
        assert deal["deal_seed"] == deal_seed.hex()
        assert deal["bot_seeds"] == [wall.bot_seed(deal_seed, entrant).hex() for entrant in range(4)]
        for shuffled in deal["walls"]:
            assert shuffled["wall"] == texts(RULES[shuffled["tiles"]], deal_seed, shuffled["hand"])


@pytest.mark.parametrize("vector", VECTORS["tournaments"], ids=lambda vector: vector["master_seed"][:8])
def test_the_vectors_follow_the_documentation_without_the_engine(vector: dict[str, Any]) -> None:
    """Straight-line code that shares nothing with the engine finds the published values."""
    master_seed = bytes.fromhex(vector["master_seed"])
    assert vector["commitment"] == hashlib.sha256(master_seed).hexdigest()
    key = hmac.new(master_seed, b"kawuxing:" + vector["public_entropy"].encode(), "sha256").digest()
    assert vector["key"] == key.hex()
    for match in vector["matches"]:
        assert match["match_id"] == hmac.new(key, f"match-id:{match['index']}".encode(), "sha256").hexdigest()[:32]
    for deal in vector["fresh"] + vector["duplicate"]:
        message = f"match:{deal['index']}" if "index" in deal else f"deal:{deal['deal']}"
        deal_seed = hmac.new(key, message.encode(), "sha256").digest()
        assert deal["deal_seed"] == deal_seed.hex()
        assert deal["bot_seeds"] == [
            hmac.new(deal_seed, f"bot:{entrant}".encode(), "sha256").hexdigest()[:16] for entrant in range(4)
        ]
        for shuffled in deal["walls"]:
            tiles = VECTORS["tile_lists"][shuffled["tiles"]]
            assert shuffled["wall"] == independent_wall(tiles, deal_seed, shuffled["hand"])


def test_the_code_in_the_documentation_gives_the_published_walls() -> None:
    """Who copies the lines from docs/records.md has a right implementation."""
    documentation = (Path(__file__).parents[2] / "docs" / "records.md").read_text("utf-8")
    code = documentation.partition("```python\n")[2].partition("```")[0]
    names: dict[str, Any] = {"hashlib": hashlib, "itertools": itertools}
    exec(code, names)  # noqa: S102  (it is our own page)
    for vector in VECTORS["tournaments"]:
        for deal in vector["fresh"]:
            for shuffled in deal["walls"]:
                tiles = list(VECTORS["tile_lists"][shuffled["tiles"]])
                assert shuffled["wall"] == names["wall"](tiles, bytes.fromhex(deal["deal_seed"]), shuffled["hand"])


@given(rules=rule_sets, deal_seed=seeds, hand=st.integers(0, 2**32 - 1))
def test_walls_agree_with_an_independent_implementation(rules: RuleSet, deal_seed: bytes, hand: int) -> None:
    """For any seed and hand the wall is what the documented procedure gives, and a shuffle of the tiles."""
    shuffled = texts(rules, deal_seed, hand)
    tiles = [TEXT[kind] for kind in rules.tile_list]
    assert independent_wall(tiles, deal_seed, hand) == shuffled
    assert Counter(tiles) == Counter(shuffled)


def test_every_tile_falls_evenly_on_every_place() -> None:
    """Over many hands the place of the tiles of one kind is uniform: chi-squared over 84 places stays unsuspicious."""
    rules = RULES["84"]
    hands = 3000
    places = Counter(
        place
        for hand in range(hands)
        for place, kind in enumerate(wall.shuffled_wall(rules, SEED, hand))
        if kind == rules.kinds[0]
    )
    expected = hands * 4 / 84
    chi_squared = sum((places[place] - expected) ** 2 / expected for place in range(84))
    # The 0.1 % and 99.9 % quantiles of chi-squared with 83 degrees of freedom.
    assert 48.6 < chi_squared < 128.6


def test_hands_matches_and_entrants_share_nothing() -> None:
    """Different hands have different walls; different matches and entrants have different seeds and ids."""
    key = wall.tournament_key(SEED, "")
    many = 100
    assert many == len({wall.shuffled_wall(RULES["84"], SEED, hand) for hand in range(many)})
    fresh = {wall.fresh_deal_seed(key, index) for index in range(many)}
    duplicate = {wall.duplicate_deal_seed(key, deal) for deal in range(many)}
    assert many + many == len(fresh | duplicate)
    assert many == len({wall.match_id(key, index) for index in range(many)})
    assert many == len({wall.bot_seed(SEED, entrant) for entrant in range(many)})


def test_public_entropy_changes_every_seed() -> None:
    """Who publishes the commitment first cannot know the key that the entropy will give."""
    assert wall.tournament_key(SEED, "") != wall.tournament_key(SEED, "lottery 1 2 3")


@pytest.mark.parametrize("length", [0, 31, 33, 64])
def test_a_seed_of_the_wrong_length_is_refused(length: int) -> None:
    """Master and deal seeds are 32 bytes; the error says how many were given."""
    with pytest.raises(ValueError, match=f"master seed has {length} bytes: expected 32"):
        wall.commitment(bytes(length))
    with pytest.raises(ValueError, match=f"master seed has {length} bytes: expected 32"):
        wall.tournament_key(bytes(length), "")
    with pytest.raises(ValueError, match=f"deal seed has {length} bytes: expected 32"):
        wall.shuffled_wall(RULES["84"], bytes(length), 0)


@pytest.mark.parametrize("hand", [-1, 2**32])
def test_a_hand_number_that_does_not_fit_is_refused(hand: int) -> None:
    """Hands are hashed as four bytes."""
    with pytest.raises(ValueError, match=f"hand is {hand}: expected 0 to 4294967295"):
        wall.shuffled_wall(RULES["84"], SEED, hand)
