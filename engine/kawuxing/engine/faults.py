"""Faults of an entrant, and the action that is played in its stead."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from kawuxing.engine.actions import DISCARD, PASS, Action, ActionType
from kawuxing.engine.tiles import Kind


class Fault(StrEnum):
    """Why an entrant's decision was made for it. Closed: every fault is one of these, and belongs to one decision."""

    TIMEOUT = "TIMEOUT"
    """Its time ran out while it was connected."""
    ILLEGAL_CHOICE = "ILLEGAL_CHOICE"
    """It answered an index outside the legal actions."""
    PROTOCOL_ERROR = "PROTOCOL_ERROR"
    """It sent what no client may send: garbage, an oversized message, an answer to nothing asked."""
    DISCONNECTED = "DISCONNECTED"
    """Its time ran out while it was away."""


def default_action(legal: Sequence[Action], drawn: Kind) -> Action:
    """Return what is played for an entrant that does not decide: always the same for the same state.

    PASS if legal, else the plain DISCARD of the drawn tile if legal, else the last legal plain DISCARD in kind order.
    ``drawn`` is the tile just drawn, -1 if the seat did not draw.

    Raises ValueError if ``legal`` has neither, which the engine never asks.
    """
    if PASS in legal:
        return PASS
    if drawn >= 0 and DISCARD[drawn] in legal:
        return DISCARD[drawn]
    discards = [action for action in legal if action.type is ActionType.DISCARD]
    if not discards:
        raise ValueError(f"no default among {[str(action) for action in legal]}: expected PASS or a DISCARD")
    return max(discards, key=lambda action: action.tile)
