"""Seeds and walls: from a tournament's master seed to every wall, by HMAC and SHA-256 alone (docs/records.md).

Any language can do this; the test vectors are in tests/golden/walls.json.
"""

from __future__ import annotations

from kawuxing.engine.rules import RuleSet
from kawuxing.engine.tiles import Kind


def commitment(master_seed: bytes) -> str:
    """Return the SHA-256, in hex, of the master seed: what is published before the first match."""
    raise NotImplementedError


def tournament_key(master_seed: bytes, public_entropy: str) -> bytes:
    """Return HMAC-SHA256(master_seed, "kawuxing:" + public_entropy), from which everything else follows."""
    raise NotImplementedError


def fresh_deal_seed(key: bytes, index: int) -> bytes:
    """Return the deal seed of the match at ``index`` in the schedule: HMAC(key, "match:" + index)."""
    raise NotImplementedError


def duplicate_deal_seed(key: bytes, deal: int) -> bytes:
    """Return the deal seed that all seat orders of a deal number share: HMAC(key, "deal:" + deal)."""
    raise NotImplementedError


def match_id(key: bytes, index: int) -> str:
    """Return the id of the match at ``index``: the first 16 bytes, in hex, of HMAC(key, "match-id:" + index)."""
    raise NotImplementedError


def bot_seed(deal_seed: bytes, entrant: int) -> bytes:
    """Return the 8 bytes given to an entrant to seed its own randomness: of HMAC(deal_seed, "bot:" + entrant)."""
    raise NotImplementedError


def shuffled_wall(rules: RuleSet, deal_seed: bytes, hand: int) -> tuple[Kind, ...]:
    """Return the wall of hand ``hand`` (from 0): Fisher-Yates over ``rules.tile_list`` by SHA-256 (docs/records.md)."""
    raise NotImplementedError
