"""A bot in plain Python. It is run by: kawuxing bridge -- python3 bot.py."""

import json
import sys
from typing import Any

EAGER = ["WIN", "REVEAL", "CONCEALED_KONG", "ADDED_KONG", "DIRECT_KONG", "PUNG", "PASS", "DISCARD"]
NEAR = {0: 6, 1: 3, 2: 1}


def number(tile: str) -> int:
    """Return numbers that are near each other for tiles that make sequences: TILE_5P is 25."""
    return "MPSZ".index(tile[6]) * 20 + int(tile[5]) * (10 if tile[6] == "Z" else 1)


def worth(action: dict[str, Any], seen: dict[str, Any]) -> tuple[int, int]:
    """Rank by EAGER; among discards, by how little goes with the tile and whether somebody waits on it."""
    kind = action["type"].removeprefix("ACTION_TYPE_")
    loss = 0
    if kind == "DISCARD":
        loss = sum(NEAR.get(abs(number(tile) - number(action["tile"])), 0) for tile in seen["concealed"])
        loss += 20 * any(action["tile"] in seat["waits"] for seat in seen["seats"])
    return -EAGER.index(kind), -loss


for line in sys.stdin:
    message = json.loads(line)
    if "decisionRequest" in message:
        request = message["decisionRequest"]
        worths = [worth(action, request["observation"]) for action in request["legalActions"]]
        answer = {"decisionId": request["decisionId"], "choice": worths.index(max(worths))}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
