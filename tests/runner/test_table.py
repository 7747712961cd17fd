"""One match at a table, with bots that answer in whatever order chance has it. No sockets; time is moved by hand."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kawuxing.engine.faults import Fault
from kawuxing.engine.replay import verify_replay
from kawuxing.engine.rules import load_preset
from kawuxing.runner.lag import LagMonitor
from kawuxing.runner.seat import Stream
from kawuxing.runner.spec import MatchSpec, Played
from kawuxing.runner.status import Refusal
from kawuxing.runner.table import Table, TableVoidError
from kawuxing.runner.testing import ManualTimers, RecordingStream, decision, match_spec
from kawuxing.v1.table_service_pb2 import DecisionRequest

Reply = Callable[[DecisionRequest], list[bytes]]
"""What a bot sends when it is asked."""


def pick(request: DecisionRequest) -> int:
    """Choose as a function of the question alone."""
    return random.Random(request.decision_id).randrange(len(request.legal_actions))


def good(request: DecisionRequest) -> list[bytes]:
    return [decision(request.decision_id, pick(request)).SerializeToString()]


def last(request: DecisionRequest) -> list[bytes]:
    return [decision(request.decision_id, len(request.legal_actions) - 1).SerializeToString()]


def silent(_: DecisionRequest) -> list[bytes]:
    return []


def twice(request: DecisionRequest) -> list[bytes]:
    return good(request) * 2


def out_of_range(request: DecisionRequest) -> list[bytes]:
    return [decision(request.decision_id, 99).SerializeToString()]


def garbage(_: DecisionRequest) -> list[bytes]:
    return [b"\xff\xff"]


def sometimes(reply: Reply, every: int) -> Reply:
    return lambda request: reply(request) if request.decision_id % every == 1 else good(request)


class _Room:
    """A table, its bots, and the wire between them, which delivers in an order of chance."""

    def __init__(self, spec: MatchSpec, replies: list[Reply], order: int = 0) -> None:
        self.timers = ManualTimers()
        self.table = Table(spec, self.timers, LagMonitor(self.timers))
        self.replies = replies
        self.rng = random.Random(order)
        self.idle = 0
        self.bots: list[_Bot] = []
        self.loop = asyncio.get_running_loop()
        for entrant in range(len(replies)):
            self.connect(entrant)

    def connect(self, entrant: int) -> _Bot:
        bot = _Bot(self, entrant)
        self.bots.append(bot)
        bot.refusal = self.table.attach(entrant, bot, snapshot=False)
        return bot

    def deliver(self) -> None:
        """Bring one message to the table, from any bot that has sent one; let time pass if none has for a while."""
        waiting = [bot for bot in self.bots if bot.wire]
        self.idle = 0 if waiting else self.idle + 1
        if not waiting:
            # The table itself needs some turns of the loop between an answer and the next question.
            self.timers.advance(self.idle > 5)
            return
        bot = self.rng.choice(waiting)
        refusal = self.table.seats[bot.entrant].receive(bot, bot.wire.popleft())
        if refusal is not None:
            bot.drop(refusal)
            self.table.detach(bot.entrant, bot, refusal)
            self.connect(bot.entrant)

    async def play(self) -> Played:
        play = asyncio.ensure_future(self.table.play())
        while not play.done():
            self.deliver()
            await asyncio.sleep(0)
        return play.result()


class _Bot(RecordingStream):
    """A bot that answers every question at once; the wire brings the answer some time later."""

    def __init__(self, room: _Room, entrant: int) -> None:
        super().__init__()
        self.room = room
        self.entrant = entrant
        self.wire: deque[bytes] = deque()

    def send(self, frame: bytes) -> None:
        super().send(frame)
        if self.sent[-1].HasField("decision_request"):
            self.wire.extend(self.room.replies[self.entrant](self.sent[-1].decision_request))

    def drop(self, refusal: Refusal | None) -> None:
        super().drop(refusal)
        self.wire.clear()


async def play(replies: list[Reply], order: int = 0, **fields: object) -> Played:
    return await _Room(match_spec(**fields), replies, order).play()  # type: ignore[arg-type]


def faults_of(played: Played) -> list[list[Fault]]:
    return [list(entrant.faults) for entrant in played.record.result.entrants]


@pytest.mark.parametrize(
    "replies",
    [
        [good, good, good],
        [good, sometimes(twice, 3), good],
        [sometimes(out_of_range, 4), good, sometimes(garbage, 5)],
        [twice, garbage, out_of_range],
    ],
    ids=["good", "answers-twice", "illegal-and-garbage", "all-bad"],
)
@given(order=st.integers(0, 2**32))
@settings(max_examples=10)
def test_the_record_is_the_same_bytes_whatever_order_answers_arrive_in(replies: list[Reply], order: int) -> None:
    """Also of bots that err, each as a function of what it received."""

    async def both() -> tuple[Played, Played]:
        return (
            await play(replies, 0, hands=2, max_faults=6),
            await play(replies, order, hands=2, max_faults=6),
        )

    expected, played = asyncio.run(both())
    assert expected.record.data == played.record.data


async def test_a_record_replays() -> None:
    """What a table writes is what the engine verifies, faults included."""
    played = await play([good, sometimes(twice, 3), sometimes(out_of_range, 2)], hands=3, max_faults=50)
    assert played.record.sha256 == verify_replay(played.record.data).sha256


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        (silent, Fault.TIMEOUT),
        (out_of_range, Fault.ILLEGAL_CHOICE),
        (garbage, Fault.PROTOCOL_ERROR),
        (twice, Fault.PROTOCOL_ERROR),
    ],
)
async def test_a_bot_that_errs_forfeits_and_harms_only_itself(reply: Reply, fault: Fault) -> None:
    """After max_faults it is not asked any more, ranks last, and the others have no fault."""
    played = await play([good, reply, good], hands=3)
    first, second, third = played.record.result.entrants
    assert ([], [fault] * 3, []) == (list(first.faults), list(second.faults), list(third.faults))
    assert (3, True) == (second.rank, second.forfeited_in >= 0)
    assert [1] * 3 == [evidence.entrant for evidence in played.evidence.faults]


async def test_when_everybody_forfeits_the_match_still_ends() -> None:
    """Three silent bots cost three timeouts each, then nothing."""
    played = await play([silent, silent, silent], hands=50)
    assert [[Fault.TIMEOUT] * 3] * 3 == faults_of(played)


async def test_a_forfeited_bot_costs_no_time_and_still_hears_how_hands_end() -> None:
    """The clock does not move for it once it has forfeited."""
    room = _Room(match_spec(hands=4), [good, silent, good])
    begin = room.timers.time()
    await room.play()
    assert room.timers.time() - begin < 200
    assert (3, 4) == (room.bots[1].kinds.count("decision_request"), room.bots[1].kinds.count("hand_end"))


async def test_a_bot_that_is_away_is_disconnected_and_may_come_back() -> None:
    """It misses one decision, comes back, and is asked the next."""
    room = _Room(match_spec(hands=1), [good, good, good])
    room.table.detach(0, room.bots[0], None)
    play = asyncio.ensure_future(room.table.play())
    await asyncio.sleep(0)
    room.timers.advance(61)
    room.connect(0)
    while not play.done():
        room.deliver()
        await asyncio.sleep(0)
    assert [[Fault.DISCONNECTED], [], []] == faults_of(play.result())


async def test_when_all_bots_drop_within_a_second_the_attempt_is_void() -> None:
    """The network's failure is no bot's fault."""
    room = _Room(match_spec(), [silent, silent, silent])
    play = asyncio.ensure_future(room.table.play())
    await asyncio.sleep(0)
    for bot in list(room.bots):
        room.table.detach(bot.entrant, bot, None)
        room.timers.advance(0.4)
    with pytest.raises(TableVoidError, match="all bots were disconnected at once"):
        await play


async def test_bots_that_have_dropped_together_before_forfeit_like_others() -> None:
    """Once a match is no longer excused, all dropping at once is their own doing: it must end some day."""
    room = _Room(replace(match_spec(), void_when_all_drop=False), [silent, silent, silent])
    play = asyncio.ensure_future(room.table.play())
    await asyncio.sleep(0)
    for bot in list(room.bots):
        room.table.detach(bot.entrant, bot, None)
    while not play.done():
        room.timers.advance(61)
        await asyncio.sleep(0)
    assert [[Fault.DISCONNECTED] * 3] * 3 == faults_of(play.result())


async def test_when_all_bots_drop_before_the_first_question_the_attempt_is_void() -> None:
    """It does not matter that nothing was asked yet."""
    room = _Room(match_spec(), [silent, silent, silent])
    for bot in list(room.bots):
        room.table.detach(bot.entrant, bot, None)
    with pytest.raises(TableVoidError, match="all bots were disconnected at once"):
        await room.table.play()


@pytest.mark.parametrize("pause", [0.0, 0.6], ids=["sent-away", "one-by-one"])
async def test_bots_that_leave_one_by_one_or_are_sent_away_void_nothing(pause: float) -> None:
    """The first is a bot's own affair, and so is the second."""
    room = _Room(match_spec(), [silent, silent, silent])
    play = asyncio.ensure_future(room.table.play())
    await asyncio.sleep(0)
    for bot in list(room.bots):
        if pause:
            room.table.detach(bot.entrant, bot, None)
        else:
            refusal = room.table.seats[bot.entrant].receive(bot, b"\xff")
            room.table.detach(bot.entrant, bot, refusal)
        room.timers.advance(pause)
    while not play.done():
        room.timers.advance(10)
        await asyncio.sleep(0)
    assert [3, 3, 3] == [len(faults) for faults in faults_of(play.result())]


async def test_a_claim_round_waits_for_every_asked_bot_and_tells_nobody_of_it() -> None:
    """No bot receives anything while another one is still thinking about a claim."""
    # Bots that choose the last action reveal whatever they can, and so can often win what another can pung.
    room = _Room(match_spec(hands=6, seed="14"), [last, last, last])
    play = asyncio.ensure_future(room.table.play())
    rounds = 0
    while not play.done():
        waiting = [bot for bot in room.bots if bot.wire]
        if len(waiting) > 1:
            rounds += 1
            sent = [len(bot.sent) for bot in room.bots]
            room.table.seats[waiting[0].entrant].receive(waiting[0], waiting[0].wire.popleft())
            await asyncio.sleep(0)
            assert sent == [len(bot.sent) for bot in room.bots]
        room.deliver()
        await asyncio.sleep(0)
    assert rounds > 0


async def test_one_entrant_rests_and_is_told_the_hand_all_the_same() -> None:
    """With sit_out four bots play; who rests is asked nothing in that hand, sees no tiles, and hears the end."""
    rules = load_preset().replace({"sit_out": True, "cap": 8})
    room = _Room(match_spec(rules=rules, hands=1), [good] * 4)
    await room.play()
    (end,) = [sent.hand_end for sent in room.bots[3].sent if sent.HasField("hand_end")]
    started = end.events[0].hand_started
    assert (0, False, 0) == (len(room.bots[3].requests), started.HasField("seat"), len(started.concealed))
    assert "hand_ended" == end.events[-1].WhichOneof("event")


async def test_gathering_ends_when_everybody_has_come_or_the_time_is_up() -> None:
    """Those are absent that have never said Hello, not those that have gone again."""
    timers = ManualTimers()
    table = Table(match_spec(), timers, LagMonitor(timers))
    came: Stream = RecordingStream()
    table.attach(1, came, snapshot=False)
    table.detach(1, came, None)
    assert (0, 2) == await table.gather(timedelta(milliseconds=10))
    table.attach(0, RecordingStream(), snapshot=False)
    table.attach(2, RecordingStream(), snapshot=False)
    assert () == await table.gather(timedelta(minutes=1))
