"""Seeds and walls: from a tournament's master seed to every wall, by HMAC and SHA-256 alone (docs/records.md).

Any language can do this; the test vectors are in tests/golden/walls.json. In everything below, a number inside a text
is written in decimal without leading zeros, and texts are hashed as their UTF-8.
"""

from __future__ import annotations

import hashlib
import hmac
import itertools
from collections.abc import Iterator
from typing import Final

from kawuxing.engine.rules import RuleSet
from kawuxing.engine.tiles import Kind

SEED_BYTES: Final = 32
"""Length of a master seed, a key and a deal seed."""

_BYTE: Final = 256
_MATCH_ID_BYTES: Final = 16
_BOT_SEED_BYTES: Final = 8
_MAX_HAND: Final = (1 << 32) - 1


def practice_seed(text: str) -> bytes:
    """Return the master seed of a practice tournament: SHA-256 of the UTF-8 of ``text``, which anybody may guess."""
    return hashlib.sha256(text.encode()).digest()


def commitment(master_seed: bytes) -> str:
    """Return the SHA-256, in hex, of the master seed: what is published before the first match."""
    return hashlib.sha256(_checked(master_seed, "master seed")).hexdigest()


def tournament_key(master_seed: bytes, public_entropy: str) -> bytes:
    """Return HMAC-SHA256(master_seed, "kawuxing:" + public_entropy), from which everything else follows.

    ``public_entropy`` is empty for a tournament that mixes none in.

    Raises ValueError if the master seed is not 32 bytes.
    """
    return _hmac(_checked(master_seed, "master seed"), f"kawuxing:{public_entropy}")


def fresh_deal_seed(key: bytes, index: int) -> bytes:
    """Return the deal seed of the match at ``index`` in the schedule: HMAC(key, "match:" + index)."""
    return _hmac(key, f"match:{index}")


def duplicate_deal_seed(key: bytes, deal: int) -> bytes:
    """Return the deal seed that all seat orders of a deal number share: HMAC(key, "deal:" + deal)."""
    return _hmac(key, f"deal:{deal}")


def match_id(key: bytes, index: int) -> str:
    """Return the id of the match at ``index``: the first 16 bytes, in hex, of HMAC(key, "match-id:" + index)."""
    return _hmac(key, f"match-id:{index}")[:_MATCH_ID_BYTES].hex()


def bot_seed(deal_seed: bytes, entrant: int) -> bytes:
    """Return the 8 bytes given to an entrant to seed its own randomness: of HMAC(deal_seed, "bot:" + entrant)."""
    return _hmac(deal_seed, f"bot:{entrant}")[:_BOT_SEED_BYTES]


def shuffled_wall(rules: RuleSet, deal_seed: bytes, hand: int) -> tuple[Kind, ...]:
    """Return the wall of hand ``hand`` (from 0): Fisher-Yates over ``rules.tile_list`` by SHA-256 (docs/records.md).

    Raises ValueError if the deal seed is not 32 bytes or the hand is not 0 … 2^32-1.
    """
    if not 0 <= hand <= _MAX_HAND:
        raise ValueError(f"hand is {hand}: expected 0 to {_MAX_HAND}")
    wall = list(rules.tile_list)
    stream = _byte_stream(_checked(deal_seed, "deal seed") + hand.to_bytes(4, "big"))
    for size in range(len(wall), 1, -1):
        # A byte from the incomplete last cycle of 0 … size-1 would favour small numbers.
        limit = _BYTE - _BYTE % size
        byte = next(stream)
        while byte >= limit:
            byte = next(stream)
        chosen = byte % size
        wall[size - 1], wall[chosen] = wall[chosen], wall[size - 1]
    return tuple(wall)


def _byte_stream(prefix: bytes) -> Iterator[int]:
    for counter in itertools.count():
        yield from hashlib.sha256(prefix + counter.to_bytes(4, "big")).digest()


def _hmac(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), hashlib.sha256)


def _checked(seed: bytes, name: str) -> bytes:
    if len(seed) != SEED_BYTES:
        raise ValueError(f"{name} has {len(seed)} bytes: expected {SEED_BYTES}")
    return seed
