"""What is said between the arena and its bots never changes by accident, and a client can be tested with it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, Final

import grpc
import grpc.aio
import pytest
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.json_format import ParseDict
from google.protobuf.message import Message
from tests.golden import wire
from tests.golden.wire import LEAVES, LOBBY, MODES, NAMES, SCRIPTS, VOIDED, Line, choose, golden_wire, listening, read
from tests.golden.wire_server import WireServer

from kawuxing.engine.rules import load_preset, preset_names
from kawuxing.v1.action_pb2 import ACTION_TYPE_UNSPECIFIED, ActionType
from kawuxing.v1.lobby_service_pb2 import JoinRequest, JoinResponse
from kawuxing.v1.lobby_service_pb2_grpc import LobbyServiceStub
from kawuxing.v1.table_service_pb2 import Decision, DecisionRequest, Hello, ObservationMode, PlayRequest, PlayResponse
from kawuxing.v1.table_service_pb2_grpc import TableServiceStub

NEVER_SHOWN: Final = {
    "kawuxing.v1.Resume.faults": "made by faults",
    "kawuxing.v1.EntrantResult.faults": "made by faults",
    "kawuxing.v1.EntrantResult.forfeited": "made by faults",
    "kawuxing.v1.FAULT_TIMEOUT": "made by faults",
    "kawuxing.v1.FAULT_ILLEGAL_CHOICE": "made by faults",
    "kawuxing.v1.FAULT_PROTOCOL_ERROR": "made by faults",
    "kawuxing.v1.FAULT_DISCONNECTED": "made by faults",
    "kawuxing.v1.MULTIPLE_WINNERS_NEAREST": "no preset takes it",
}
"""The fields and values that no vector shows, and why."""
MATCHES: Final = tuple(SCRIPTS)


@pytest.mark.parametrize("name", NAMES)
async def test_what_is_said_is_what_always_was_said(name: str) -> None:
    """Every message to and from every bot, in its order."""
    assert golden_wire(name).read_text("ascii") == wire.written(await wire.play(name)), "if this is wanted: make golden"


def test_every_preset_has_its_vectors() -> None:
    """None can be added without any."""
    assert {*preset_names(), VOIDED, LOBBY} == set(NAMES) == {path.stem for path in golden_wire(LOBBY).parent.iterdir()}


# What they show


def test_the_vectors_show_everything_that_the_protocol_can_say() -> None:
    """Every field, and every value of every enum, but for those that are named above."""
    said = {part for name in NAMES for line in read(name) for part in _parts(_message(name, line))}
    known = {
        part for root in (JoinRequest, JoinResponse, PlayRequest, PlayResponse) for part in _known(root.DESCRIPTOR)
    }

    assert set(NEVER_SHOWN) == known - said


def test_the_bots_choose_every_type_of_action() -> None:
    """Passing included."""
    chosen = {
        ActionType.Name(request.legal_actions[decision.choice].type)
        for name in MATCHES
        for request, decision in _decisions(name)
    }

    assert set(ActionType.keys()) - {ActionType.Name(ACTION_TYPE_UNSPECIFIED)} == chosen


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("xiangyang", ["kongRobbed", "MELD_TYPE_ADDED_KONG", "PAYMENT_REASON_EXHAUST_PENALTY"]),
        ("xiangyang-min2", ["handExhausted", "PAYMENT_REASON_CONCEALED_KONG"]),
        ("hubei", ["waitsChanged", "faceDown"]),
        ("hubei-capped", ["faceDown"]),
        ("four-seat", ["kongRobbed", "faceDown", "TILE_9M", "TILE_7Z"]),
        ("three-suit", ["handWon", "TILE_1M", "TILE_1S"]),
    ],
)
def test_what_is_particular_to_a_preset_happens_in_its_match(name: str, shown: list[str]) -> None:
    """The seeds were chosen for it."""
    text = golden_wire(name).read_text("ascii")

    assert [] == [word for word in shown if f'"{word}"' not in text]


def test_wins_are_capped_where_the_rules_have_a_cap() -> None:
    """In the matches whose seeds were chosen for it."""
    for name in ("hubei-capped", "shiyan", "zaoyang"):
        totals = [event["handWon"]["total"] for event in _events(name, "a") if "handWon" in event]
        assert load_preset(name).cap in totals


def test_one_tile_is_won_by_two_in_shiyan() -> None:
    """Two HandWon of the same tile by a discard."""
    tiles = Counter(
        (event["handWon"].get("source", 0), event["handWon"]["tile"])
        for event in _events("shiyan", "a")
        if "handWon" in event
    )

    assert 2 == max(tiles.values())


def test_an_entrant_rests_in_either_observation_mode() -> None:
    """In sit-out: one that is told of events in one hand, one that is told the observation in the other."""
    seated = [event["handStarted"]["entrants"] for event in _events("sit-out", "a") if "handStarted" in event]
    resting = {mode for hand in seated for entrant, mode in enumerate(MODES.values()) if entrant not in hand}

    assert set(MODES.values()) == resting


@pytest.mark.parametrize("name", [name for name in MATCHES if name != VOIDED])
def test_in_every_match_a_bot_of_each_mode_comes_back(name: str) -> None:
    """It says Hello again, is told MatchStart, Resume and the open request, and all end with the record's digest."""
    lines = read(name)
    for bot, decision_id in LEAVES.items():
        own = [line for line in lines if line["bot"] == bot]
        [again] = [at for at, line in enumerate(own) if "hello" in line.get("from", {}) and at]
        before, start, resume, request = (own[at]["to"] for at in (again - 1, again + 1, again + 2, again + 3))
        assert decision_id == before["decisionRequest"]["decisionId"] == request["decisionRequest"]["decisionId"]
        assert ["matchStart", "resume"] == [*start, *resume]
    ends = {line["to"]["matchEnd"]["recordSha256"] for line in lines if "matchEnd" in line.get("to", {})}
    assert 1 == len(ends)


@pytest.mark.parametrize("name", MATCHES)
def test_no_bot_is_shown_what_it_may_not_see(name: str) -> None:
    """It is dealt its own 13 tiles and shown its own draws only."""
    for bot in {line["bot"] for line in read(name)}:
        seat = None
        for event in _events(name, bot):
            if "handStarted" in event:
                seat = event["handStarted"].get("seat")
                assert (0 if seat is None else 13) == len(event["handStarted"].get("concealed", ()))
            elif "tileDrawn" in event:
                assert ("tile" in event["tileDrawn"]) == (event["tileDrawn"].get("seat", 0) == seat)


# A client is tested with them


@pytest.mark.parametrize("name", MATCHES)
async def test_a_client_that_has_only_the_stubs_says_what_the_vectors_say(name: str) -> None:
    """It joins, plays by the rule of the vectors, and comes back when the connection is lost."""
    lines = read(name)
    bots = sorted({line["bot"] for line in lines})
    server = WireServer(lines)
    async with listening(*server.handlers()) as address:
        last = await asyncio.gather(*(join(address, bot, MODES[bot], choose) for bot in bots))
        assert [None] * len(bots) == [await server.difference(bot) for bot in bots]

    assert {"match_voided" if name == VOIDED else "match_end"} == set(last)


async def test_a_client_that_chooses_otherwise_is_told_the_line() -> None:
    """The first message that differs, as it should have been and as it was."""
    server = WireServer(read("xiangyang"))
    async with listening(*server.handlers()) as address:
        with pytest.raises(grpc.aio.AioRpcError, match="expected decision"):
            await join(address, "a", MODES["a"], lambda request: len(request.legal_actions))
        difference = await server.difference("a")

    assert "line 4: expected decision { }, got decision { choice: 12 }" == difference


async def join(
    address: str, token: str, mode: ObservationMode.ValueType, decide: Callable[[DecisionRequest], int]
) -> str | None:
    """Play the one match that is assigned; return what it ended with."""
    last = None
    async with grpc.aio.insecure_channel(address) as channel:
        request = JoinRequest(token=token, capacity=1, protocol_version=1, client="stubs")
        async for message in LobbyServiceStub(channel).Join(request):
            if message.HasField("assignment"):
                hello = Hello(ticket=message.assignment.ticket, observation_mode=mode)
                while last is None:
                    last = await play(TableServiceStub(channel), hello, decide)
    return last


async def play(stub: TableServiceStub, hello: Hello, decide: Callable[[DecisionRequest], int]) -> str | None:
    """Play on one stream; return the name of the last message, None if the connection was lost before it."""
    call = stub.Play()
    last = None
    try:
        await call.write(PlayRequest(hello=hello))
        while (message := await call.read()) is not grpc.aio.EOF:
            last = message.WhichOneof("response")
            if message.HasField("decision_request"):
                asked = message.decision_request
                answer = Decision(decision_id=asked.decision_id, choice=decide(asked))
                await call.write(PlayRequest(decision=answer))
    except grpc.aio.AioRpcError as error:
        if error.code() is not grpc.StatusCode.UNAVAILABLE:
            raise
        return None
    return last


def _message(name: str, line: Line) -> Message:
    request, response = (JoinRequest, JoinResponse) if name == LOBBY else (PlayRequest, PlayResponse)
    return ParseDict(line["from"], request()) if "from" in line else ParseDict(line["to"], response())


def _parts(message: Message) -> Iterator[str]:
    """Yield the names of the fields that are set and of the enum values in them."""
    for field, value in message.ListFields():
        yield field.full_name
        values = value if field.is_repeated else [value]
        if field.enum_type is not None:
            yield from (_value_name(field.enum_type, number) for number in values)
        elif _inner(field) is not None:
            for part in values:
                yield from _parts(part)


def _known(descriptor: Descriptor) -> Iterator[str]:
    """Yield the names of all fields of a message and of those within, and of the enum values that mean something."""
    for field in descriptor.fields:
        yield field.full_name
        if field.enum_type is not None:
            yield from (_value_name(field.enum_type, value.number) for value in field.enum_type.values if value.number)
        elif (inner := _inner(field)) is not None:
            yield from _known(inner)


def _inner(field: FieldDescriptor) -> Descriptor | None:
    """Return the message of this protocol that a field holds, if it is one."""
    inner = field.message_type
    return inner if inner and inner.file.package == "kawuxing.v1" and not inner.GetOptions().map_entry else None


def _value_name(enum: EnumDescriptor, number: int) -> str:
    return f"{enum.file.package}.{enum.values_by_number[number].name}"


def _decisions(name: str) -> Iterator[tuple[DecisionRequest, Decision]]:
    """Yield every question of a match with its answer."""
    for asked, answered in pairwise(read(name)):
        if "decision" in answered.get("from", {}):
            yield (
                ParseDict(asked["to"], PlayResponse()).decision_request,
                ParseDict(answered["from"], PlayRequest()).decision,
            )


def _events(name: str, bot: str) -> Iterator[dict[str, Any]]:
    """Yield what a bot was told of in a match, without what it was told again when it came back."""
    for line in read(name):
        if line["bot"] == bot:
            for kind, body in line.get("to", {}).items():
                yield from body.get("events", ()) if kind != "resume" else ()
