"""A table of the real arena with two bots that behave and one of the shipped ones that do not."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import sys
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from datetime import timedelta
from functools import partial
from typing import Final

import pytest

from kawuxing.bots.bot import decision_random
from kawuxing.bots.dialogue import BotDialogue
from kawuxing.bots.lobby import Connection, LobbyClient
from kawuxing.bots.misbehaving.client import MisbehavingClient, vice
from kawuxing.bots.random_bot import RandomBot
from kawuxing.engine.faults import Fault
from kawuxing.engine.match import Answer
from kawuxing.engine.record import Record, RecordedEntrant, RecordedMatch, RecordHeader
from kawuxing.engine.wall import shuffled_wall
from kawuxing.runner import connection
from kawuxing.runner.clock import ClockSettings
from kawuxing.runner.seat import MAX_CONNECTIONS
from kawuxing.runner.server import ArenaServer
from kawuxing.runner.spec import MatchSpec, Outcome, Played
from kawuxing.runner.testing import Tokens, match_spec

MISBEHAVES: Final = 1
"""The entrant that does."""
BOTS: Final = "abc"
BOUND: Final = 60
"""Seconds in which every match here has to be over, on however slow a machine."""
NO_FAULTS: Final[Mapping[int, Fault]] = {}


def clock(seconds: float) -> ClockSettings:
    """Return a clock with so much time for every decision alone, and no bank."""
    time = timedelta(seconds=seconds)
    return ClockSettings(bank=timedelta(0), increment=time, move_max=time, start=time)


IMPATIENT: Final = clock(0.4)
"""For matches in which somebody's time has to run out."""
PATIENT: Final = clock(30)
"""For matches in which nobody's time may."""


class Arena:
    """A server, and bots that join it from this process."""

    def __init__(self) -> None:
        """Prepare; nobody is here yet."""
        self._changed = asyncio.Event()
        self.server = ArenaServer(Tokens(*BOTS), on_change=self._changed.set)
        self.address = ""
        self._clients: list[asyncio.Task[None]] = []

    def connect_as(self, bot: str) -> Connection:
        """Return what a client needs to know to join as ``bot``."""
        return Connection(address=self.address, token=bot, capacity=8, matches=0, client=f"test {bot}")

    def behave(self, *bots: str) -> None:
        """Let bots join that behave."""
        for bot in bots:
            self._clients.append(
                asyncio.create_task(LobbyClient(self.connect_as(bot), partial(BotDialogue, RandomBot)).run())
            )

    def misbehave(self, name: str) -> None:
        """Let a bot join that does not."""
        client = MisbehavingClient(self.connect_as(BOTS[MISBEHAVES]), vice(name))
        self._clients.append(asyncio.create_task(client.run()))

    async def joined(self, bots: str = BOTS) -> None:
        """Wait for an instance of each of ``bots``, for two if one is named twice."""
        while Counter(bots) - Counter(instance.bot for instance in self.server.lobby.instances()):
            self._changed.clear()
            await self._changed.wait()

    async def play(self, spec: MatchSpec) -> Outcome:
        """Play a match between those that joined."""

        async def assign() -> None:
            lobby = self.server.lobby
            instances = {instance.bot: instance.id for instance in lobby.instances()}
            for entrant in spec.entrants:
                lobby.assign(spec.match_id, entrant.name, instances[entrant.name], "", entrant.ticket)

        async def commit(_: Played) -> bool:
            return True

        async with asyncio.timeout(BOUND):
            return await self.server.play(spec, commit, waiting=assign)

    async def close(self) -> None:
        """End everything."""
        for client in self._clients:
            client.cancel()
        await asyncio.gather(*self._clients, return_exceptions=True)
        async with asyncio.timeout(BOUND):
            await self.server.stop(0)


@pytest.fixture
async def arena() -> AsyncIterator[Arena]:
    """A running arena without a bot."""
    arena = Arena()
    arena.address = await arena.server.start()
    yield arena
    await arena.close()


def expected(spec: MatchSpec, faults: Mapping[int, Fault]) -> Record:
    """Play a match without any network: every entrant like ``random``, one of them with faults by its decisions."""
    entrants = tuple(RecordedEntrant(entrant.name, entrant.version) for entrant in spec.entrants)
    header = RecordHeader(
        spec.tournament, spec.match_id, spec.hands, spec.max_faults, entrants, spec.rules, spec.commitment
    )
    recorded = RecordedMatch(header, partial(shuffled_wall, spec.rules, spec.deal_seed))
    match = recorded.match
    asked = [0] * len(entrants)
    recorded.start()
    while pending := recorded.pending():
        answers = {}
        for entrant, legal in pending.items():
            number = asked[entrant]
            asked[entrant] += 1
            if match.forfeited(entrant):
                answers[entrant] = Answer(match.default_of(entrant))
            elif entrant == MISBEHAVES and number in faults:
                answers[entrant] = Answer(match.default_of(entrant), faults[number])
            else:
                answers[entrant] = Answer(decision_random(spec.entrants[entrant].bot_seed, number).choice(legal))
        recorded.apply(answers)
    return recorded.finish()


async def sit_down(arena: Arena, name: str) -> None:
    """Let two bots that behave and one that does not join."""
    arena.behave("a", "c")
    arena.misbehave(name)
    await arena.joined()


async def played(arena: Arena, name: str, time: ClockSettings, *, hands: int = 1) -> tuple[MatchSpec, Played]:
    """Play a match of two bots that behave and one that does not."""
    await sit_down(arena, name)
    spec = match_spec(name=name, hands=hands, clock=time)
    outcome = await arena.play(spec)
    assert isinstance(outcome, Played)
    return spec, outcome


def assert_harms_itself_alone(spec: MatchSpec, outcome: Played, faults: Mapping[int, Fault]) -> None:
    """Assert that ``faults``, by decision, are all that became of the match, and that three of them forfeited it.

    The record is the same, to the byte, as that of a match in which the default action is played for these decisions
    and all further ones; so the bots that behave played, and were paid, as they had to be.
    """
    results = outcome.record.result.entrants
    assert [(), tuple(faults.values()), ()] == [result.faults for result in results]
    assert [MISBEHAVES] * len(faults) == [evidence.entrant for evidence in outcome.evidence.faults]
    assert list(faults) == [evidence.decision_id for evidence in outcome.evidence.faults]
    forfeits = len(faults) == spec.max_faults
    assert [False, forfeits, False] == [result.forfeited_in >= 0 for result in results]
    if forfeits:
        assert 3 == results[MISBEHAVES].rank
    assert expected(spec, faults).data == outcome.record.data


async def test_a_bot_that_never_answers_times_out_three_times_and_forfeits(arena: Arena) -> None:
    """Each question that it leaves open costs its time once; after the third it is not waited for any more."""
    spec, outcome = await played(arena, "never-answers", IMPATIENT)
    assert_harms_itself_alone(spec, outcome, dict.fromkeys((5, 6, 7), Fault.TIMEOUT))


async def test_a_bot_that_answers_late_times_out_and_its_late_answers_are_dropped(arena: Arena) -> None:
    """A late answer is no second fault: three timeouts, no protocol error, and the stream stays open to the end."""
    spec, outcome = await played(arena, "answers-late", IMPATIENT)
    assert_harms_itself_alone(spec, outcome, dict.fromkeys((5, 6, 7), Fault.TIMEOUT))
    late = [note for note in outcome.evidence.notes if "late answer dropped" in note]
    assert [5, 6] == [int(note.rpartition(" ")[2]) for note in late][:2]
    assert not [note for note in outcome.evidence.notes if "disconnected" in note]


async def test_a_bot_that_answers_out_of_range_has_three_illegal_choices_and_forfeits(arena: Arena) -> None:
    """An index that does not exist costs the decision, not the stream."""
    spec, outcome = await played(arena, "out-of-range", PATIENT)
    assert_harms_itself_alone(spec, outcome, dict.fromkeys((5, 6, 7), Fault.ILLEGAL_CHOICE))
    assert not [note for note in outcome.evidence.notes if "disconnected" in note]


async def test_a_bot_that_answers_twice_pays_with_the_next_decision(arena: Arena) -> None:
    """The first answer counts, the second is an error of the decision after it; coming back, it does it again."""
    spec, outcome = await played(arena, "answers-twice", PATIENT)
    assert_harms_itself_alone(spec, outcome, dict.fromkeys((6, 8, 10), Fault.PROTOCOL_ERROR))


async def test_a_bot_that_floods_fares_like_one_that_answers_twice(arena: Arena) -> None:
    """Of ten thousand answers the first counts, the second ends the stream, and the rest are not even looked at."""
    spec, outcome = await played(arena, "floods", PATIENT)
    assert_harms_itself_alone(spec, outcome, dict.fromkeys((6, 8, 10), Fault.PROTOCOL_ERROR))


async def test_a_bot_that_sends_garbage_has_three_protocol_errors_and_forfeits(arena: Arena) -> None:
    """Bytes that are no message are an error of the decision that is open."""
    spec, outcome = await played(arena, "sends-garbage", PATIENT)
    assert_harms_itself_alone(spec, outcome, dict.fromkeys((5, 6, 7), Fault.PROTOCOL_ERROR))


async def test_a_bot_that_sends_100_kilobytes_has_three_protocol_errors_and_forfeits(arena: Arena) -> None:
    """A message over the arena's own limit is an error of the decision that is open, though it could be understood."""
    spec, outcome = await played(arena, "sends-too-much", PATIENT)
    assert_harms_itself_alone(spec, outcome, dict.fromkeys((5, 6, 7), Fault.PROTOCOL_ERROR))
    assert all("MESSAGE_TOO_LARGE" in evidence.detail for evidence in outcome.evidence.faults)


async def test_a_bot_that_sends_10_megabytes_loses_its_stream_each_time_and_nothing_else(arena: Arena) -> None:
    """What is over the transport's limit never arrives: the bot comes back and answers, and has no fault at all."""
    spec, outcome = await played(arena, "sends-10-mb", PATIENT)
    assert_harms_itself_alone(spec, outcome, NO_FAULTS)
    assert "connected, times 2" in " ".join(outcome.evidence.notes)


async def test_a_bot_that_closes_its_stream_is_disconnected_three_times_and_forfeits(arena: Arena) -> None:
    """Its clock runs while it is away, once for each of three questions."""
    spec, outcome = await played(arena, "closes-stream", IMPATIENT)
    assert_harms_itself_alone(spec, outcome, dict.fromkeys((5, 6, 7), Fault.DISCONNECTED))


async def test_a_bot_that_reconnects_has_no_fault_until_its_ticket_is_worn_out(arena: Arena) -> None:
    """Nineteen times it is asked again and answers; then the table takes it back no more, and its time runs out."""
    spec, outcome = await played(arena, "reconnects", clock(0.8), hands=2)
    assert_harms_itself_alone(spec, outcome, dict.fromkeys((24, 25, 26), Fault.DISCONNECTED))
    assert f"connected, times {MAX_CONNECTIONS}" in outcome.evidence.notes[-2]


async def test_a_bot_whose_process_dies_is_disconnected_three_times_and_forfeits(arena: Arena) -> None:
    """A connection that breaks without a word is noticed at once; the clock runs, and nobody waits for longer."""
    arena.behave("a", "c")
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-c", "from kawuxing.bots.main import main; main()", "misbehaving-dies"),
        env=os.environ | {"KAWUXING_ADDRESS": arena.address, "KAWUXING_TOKEN": BOTS[MISBEHAVES]},
    )
    await arena.joined()
    spec = match_spec(name="dies", clock=dataclasses.replace(IMPATIENT, start=timedelta(seconds=30)))
    outcome = await arena.play(spec)
    assert isinstance(outcome, Played)
    assert 1 == await process.wait()
    assert_harms_itself_alone(spec, outcome, dict.fromkeys((5, 6, 7), Fault.DISCONNECTED))


async def test_a_bot_that_joins_twice_and_sits_down_twice_has_one_seat_and_no_fault(arena: Arena) -> None:
    """The two take the seat from each other until the ticket is worn out; whoever has it then plays on."""
    await sit_down(arena, "joins-twice")
    await arena.joined("abbc")
    spec = match_spec(name="joins-twice", clock=PATIENT)
    outcome = await arena.play(spec)
    assert isinstance(outcome, Played)
    assert_harms_itself_alone(spec, outcome, NO_FAULTS)
    assert f"connected, times {MAX_CONNECTIONS}" in outcome.evidence.notes[-1]


async def test_a_bot_that_never_reads_times_out_three_times_and_forfeits(arena: Arena) -> None:
    """Nobody waits for what is written to it, only for its answers."""
    spec, outcome = await played(arena, "never-reads", IMPATIENT)
    assert_harms_itself_alone(spec, outcome, dict.fromkeys((0, 1, 2), Fault.TIMEOUT))


async def test_a_bot_that_never_reads_loses_its_stream_when_too_much_waits_for_it(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The queue of what it has not read is bounded; the stream ends, and the match goes on without it."""
    monkeypatch.setattr(connection, "MAX_QUEUED", 8 * 1024)
    spec, outcome = await played(arena, "never-reads", IMPATIENT, hands=20)
    assert_harms_itself_alone(spec, outcome, dict.fromkeys((0, 1, 2), Fault.TIMEOUT))
    assert outcome.evidence.notes[-1].endswith("entrant 1: disconnected, reason NOT_READING")
