"""The digest of a tournament: one number that says that every match came out the same (docs/records.md)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from kawuxing.engine import canonical


def cancellation_digest(match_id: str) -> str:
    """Return what stands for a cancelled match: SHA-256, in hex, of the canonical line ``{"cancelled":match_id}``."""
    return hashlib.sha256(canonical.encode({"cancelled": match_id}).encode("ascii")).hexdigest()


def tournament_digest(digests: Iterable[str]) -> str:
    """Return SHA-256, in hex, over the 32 bytes of each match's digest, in schedule order."""
    whole = hashlib.sha256()
    for digest in digests:
        whole.update(bytes.fromhex(digest))
    return whole.hexdigest()
