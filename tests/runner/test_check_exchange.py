"""What the check of a bot keeps of what was said."""

from __future__ import annotations

from kawuxing.runner.check.exchange import Exchange, Side
from kawuxing.v1.lobby_service_pb2 import JoinRequest

FLOOD = 30_000


def test_a_flood_of_messages_does_not_fill_the_memory() -> None:
    """The beginning is kept, the rest counted."""
    exchange = Exchange("lobby", lobby=True)
    join = JoinRequest(client="x", capacity=1).SerializeToString()

    for _ in range(FLOOD):
        exchange.add(Side.BOT, join)

    told = exchange.to_json()
    assert FLOOD == exchange.count(Side.BOT)
    assert {"capacity": 1, "client": "x"} == told[0]["message"]
    assert {"from": "check", "note": f"{FLOOD - len(told) + 1} more are not kept"} == told[-1]


def test_large_messages_do_not_fill_the_memory() -> None:
    """Those that go beyond what is kept are told by their size."""
    exchange = Exchange("lobby", lobby=True)
    large = JoinRequest(client="x" * 1_000_000).SerializeToString()

    for _ in range(100):
        exchange.add(Side.BOT, large)

    told = exchange.to_json()
    assert len(large) == told[0]["bytes"]
    assert f"{len(large)} bytes, which are not kept" == told[-1]["note"]
    assert 100 == len(told)
