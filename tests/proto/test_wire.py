"""What every bot of one short match is sent, message for message, never changes by accident."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from google.protobuf.json_format import MessageToDict

from kawuxing.runner.server import ArenaServer
from kawuxing.runner.spec import MatchSpec, Played
from kawuxing.runner.testing import TableClient, Tokens, hello, match_spec
from kawuxing.v1 import action_pb2
from kawuxing.v1.table_service_pb2 import (
    OBSERVATION_MODE_DELTA,
    OBSERVATION_MODE_SNAPSHOT,
    DecisionRequest,
    ObservationMode,
)

GOLDEN = Path(__file__).parents[1] / "golden" / "wire-xiangyang.json"
MODES = {"a": OBSERVATION_MODE_DELTA, "b": OBSERVATION_MODE_DELTA, "c": OBSERVATION_MODE_SNAPSHOT}
EAGER = (
    action_pb2.ACTION_TYPE_WIN,
    action_pb2.ACTION_TYPE_REVEAL,
    action_pb2.ACTION_TYPE_CONCEALED_KONG,
    action_pb2.ACTION_TYPE_ADDED_KONG,
    action_pb2.ACTION_TYPE_DIRECT_KONG,
    action_pb2.ACTION_TYPE_PUNG,
)

Wire = dict[str, list[dict[str, Any]]]
"""What each bot was sent, in proto3 JSON."""


def scripted(request: DecisionRequest) -> int:
    """Do the most that can be done, else go through the choices in turn."""
    types = [legal.type for legal in request.legal_actions]
    return next((types.index(eager) for eager in EAGER if eager in types), 5 * request.decision_id % len(types))


async def sit(address: str, ticket: str, mode: ObservationMode.ValueType) -> list[dict[str, Any]]:
    async with TableClient(address) as client:
        await client.send(hello(ticket, mode))
        await client.play(scripted)
        return [MessageToDict(message) for message in client.seen]


async def yes(_: Played) -> bool:
    return True


async def play() -> Wire:
    """Play the match over gRPC. Its seed was chosen for how much happens in one short hand."""
    spec: MatchSpec = match_spec(name="wire", seed="wire 597")
    server = ArenaServer(Tokens())
    address = await server.start()
    try:
        outcome = asyncio.ensure_future(server.play(spec, yes))
        seats = [sit(address, entrant.ticket, MODES[entrant.name]) for entrant in spec.entrants]
        sent = await asyncio.gather(*seats)
        await outcome
    finally:
        await server.stop(0)
    return dict(zip(MODES, sent, strict=True))


def written(wire: Wire) -> str:
    """Return the text of the golden file: one message a line."""
    bots = [
        f'"{bot}": [\n' + ",\n".join(json.dumps(message, sort_keys=True) for message in messages) + "\n]"
        for bot, messages in wire.items()
    ]
    return "{\n" + ",\n".join(bots) + "\n}\n"


async def test_a_match_sends_every_bot_what_it_always_sent(tmp_path: Path) -> None:
    """Two bots told of events and one told the observation get the messages of the golden file, in their order."""
    new = tmp_path / GOLDEN.name
    new.write_text(written(await play()), "ascii")

    assert GOLDEN.read_text("ascii") == new.read_text("ascii"), f"if this is wanted: cp {new} tests/golden/"


def test_the_golden_match_shows_what_a_table_can_say() -> None:
    """The golden file has a pung, kong, robbery, reveal and win, so that it pins them."""
    wire: Wire = json.loads(GOLDEN.read_text("ascii"))

    said = {
        kind for message in wire["a"] for body in message.values() for event in body.get("events", ()) for kind in event
    }

    assert {
        "handStarted",
        "tileDrawn",
        "pungMade",
        "kongMade",
        "kongRobbed",
        "handRevealed",
        "handWon",
        "handEnded",
    } <= said
    assert ["matchStart", "decisionRequest"] == [next(iter(message)) for message in wire["c"][:2]]
    assert ["handEnd", "matchEnd"] == [next(iter(message)) for message in wire["c"][-2:]]


def test_the_golden_match_hides_what_a_bot_may_not_see() -> None:
    """Bot a was shown no other seat's draw and dealt no other seat's tiles."""
    wire: Wire = json.loads(GOLDEN.read_text("ascii"))
    events = [event for message in wire["a"] for body in message.values() for event in body.get("events", ())]
    [started] = [event["handStarted"] for event in events if "handStarted" in event]
    seat = started["seat"]

    shown = {event["tileDrawn"].get("seat", 0) for event in events if "tile" in event.get("tileDrawn", {})}

    assert {seat} == shown
    assert 13 == len(started["concealed"])
