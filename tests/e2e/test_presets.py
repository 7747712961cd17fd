"""Every preset through the whole system, and above all those with four seats, three suits, or an entrant that rests."""

from __future__ import annotations

import asyncio
import csv
import json
import re
import sys
import time
from collections import Counter
from functools import partial
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.arena import Arena
from tests.e2e.conftest import PlayedBy
from tests.e2e.plain_bot import Fold, choose
from tests.e2e.quick import QuickCommand
from tests.golden.tournaments import CONFIG, digests, golden_record

from kawuxing.codec.rules import rules_from_message
from kawuxing.engine.rules import load_preset, preset_names
from kawuxing.engine.tiles import TEXT
from kawuxing.runner.server import ArenaServer
from kawuxing.runner.spec import MatchSpec, Outcome, Played
from kawuxing.runner.testing import Chooser, TableClient, Tokens, decision, hello, match_spec, play_ticket
from kawuxing.v1.observation_pb2 import Observation
from kawuxing.v1.table_service_pb2 import (
    OBSERVATION_MODE_DELTA,
    OBSERVATION_MODE_SNAPSHOT,
    DecisionRequest,
    MatchStart,
    ObservationMode,
    PlayResponse,
)

FOUR_ENTRANTS = ("four-seat", "sit-out")
BOTS = ("careful", "greedy", "random", "faulty")
UNUSUAL = (*FOUR_ENTRANTS, "three-suit")
PLAIN_BOT = Path(__file__).with_name("plain_bot.py")

Lines = list[dict[str, Any]]


def records(folder: Path) -> list[Lines]:
    """Return the lines of every record of a tournament, in the order of the schedule."""
    paths = sorted((folder / "records").iterdir())
    return [[json.loads(line) for line in path.read_bytes().splitlines()] for path in paths]


# What is left behind


@pytest.mark.parametrize("preset", preset_names())
def test_a_tournament_by_any_preset_verifies_at_all_levels(
    played_by: PlayedBy, quick: QuickCommand, preset: str
) -> None:
    """The whole folder, and one record alone with the revealed seed."""
    played = played_by(preset)
    whole = quick("verify", played.folder, "--json", cwd=played.arena.folder)
    alone = quick(
        "record", "verify", played.records[0], "--seed", played.folder / "seed.json", "--json", cwd=played.arena.folder
    )

    told = json.loads(whole.out)
    assert ["replay", "walls", "tournament"] == told["levels"]
    assert (len(played.records), played.summary["digest"]) == (told["records"], told["digest"])
    assert ["replay", "walls"] == json.loads(alone.out)["levels"]


@pytest.mark.parametrize("preset", preset_names())
def test_a_record_by_any_preset_is_shown(quick: QuickCommand, tmp_path: Path, preset: str) -> None:
    """Every hand with its seats and tiles, and every entrant's place."""
    rules = load_preset(preset)
    lines = [json.loads(line) for line in golden_record(preset).read_bytes().splitlines()]
    names = [entrant["name"] for entrant in lines[0]["entrants"]]
    shown = quick("record", "show", golden_record(preset), cwd=tmp_path).out

    assert [f"  entrant {number}: {name}" for number, name in enumerate(names)] == re.findall(
        r"^  entrant .+", shown, re.MULTILINE
    )
    for hand in (line for line in lines if line.get("type") == "hand"):
        block = shown.partition(f"\nhand {hand['hand']}, dealer {names[hand['entrants'][hand['dealer']]]}")[2]
        seated = [name.split()[0] for name in block.splitlines()[1 : 1 + rules.seats]]
        assert [names[entrant] for entrant in hand["entrants"]] == seated
        resting = [f", {name} rests" for entrant, name in enumerate(names) if entrant not in hand["entrants"]]
        assert "".join(resting) == block.splitlines()[0]
    assert rules.entrants == len(re.findall(r"^  [1-4]\. ", shown[shown.index("\nresult\n") :], re.MULTILINE))
    drawn = {
        f"{rank}{suit}"
        for tiles, suit in re.findall(r"(\d+)([mpsz])", shown.partition("\nhand 0")[2])
        for rank in tiles
    }
    assert drawn <= {TEXT[kind] for kind in rules.kinds}
    assert ("m" in rules.suits) == any(tile.endswith("m") for tile in drawn)


@pytest.mark.parametrize("preset", preset_names())
def test_a_leaderboard_has_as_many_places_as_a_match_has_entrants(
    played_by: PlayedBy, quick: QuickCommand, preset: str
) -> None:
    """As JSON, as CSV and as text."""
    played, entrants = played_by(preset), load_preset(preset).entrants
    ordinals = ["firsts", "seconds", "thirds", "fourths"]
    rows = list(csv.DictReader((played.folder / "leaderboard.csv").read_text("utf-8").splitlines()))

    assert {entrants} == {len(row["places"]) for row in played.summary["leaderboard"]["rows"]}
    assert [ordinals[:entrants]] * 4 == [[name for name in ordinals if name in row] for row in rows]
    for row in rows:
        assert int(row["matches"]) == sum(int(row[name]) for name in ordinals[:entrants])
    text = quick("standings", "--home", played.arena.home, cwd=played.arena.folder).out
    assert "/".join(["1st", "2nd", "3rd", "4th"][:entrants]) + " " in text


# Four entrants


@pytest.mark.parametrize("preset", FOUR_ENTRANTS)
def test_four_bots_meet_in_four_rotations(played_by: PlayedBy, quick: QuickCommand, preset: str) -> None:
    """Every bot begins in every seat once; results tell of all four, whoever rested."""
    played = played_by(preset)
    matches = json.loads(quick("matches", "--json", "--home", played.arena.home, cwd=played.arena.folder).out)

    assert [[*BOTS[turn:], *BOTS[:turn]] for turn in range(4)] == [match["bots"] for match in matches]
    for match in matches:
        assert match["bots"] == [entrant["bot"] for entrant in match["entrants"]]
        assert 0 == sum(entrant["points"] for entrant in match["entrants"])
    assert set(BOTS) == {row["bot"] for row in played.summary["leaderboard"]["rows"]}


@pytest.mark.parametrize("preset", FOUR_ENTRANTS)
def test_a_bot_that_forfeits_among_four_ranks_fourth(played_by: PlayedBy, preset: str) -> None:
    """Whatever its points; the others' order is that of their points."""
    played = played_by(preset)
    for lines in records(played.folder):
        entrants = lines[-2]["entrants"]
        faulty = [entrant["name"] for entrant in lines[0]["entrants"]].index("faulty")
        others = [entrant for number, entrant in enumerate(entrants) if number != faulty]
        assert (4, ["ILLEGAL_CHOICE"] * 3) == (entrants[faulty]["rank"], entrants[faulty]["faults"])
        for own in others:
            assert 1 + sum(other["points"] > own["points"] for other in others) == own["rank"]
    [row] = [row for row in played.summary["leaderboard"]["rows"] if row["bot"] == "faulty"]
    assert ([0, 0, 0, 4], 4, 12) == (row["places"], row["forfeits"], row["faults"]["ILLEGAL_CHOICE"])


def test_who_wins_rests_next(played_by: PlayedBy) -> None:
    """RULES §8: the resting entrant takes the winner's seat as dealer; else the same three go on."""
    rests: Counter[int] = Counter()
    for lines in records(played_by("sit-out").folder):
        hands = [line for line in lines if line.get("type") == "hand"]
        assert ([0, 1, 2], 0) == (hands[0]["entrants"], hands[0]["dealer"])
        for before, after in pairwise(hands):
            played = lines[lines.index(before) : lines.index(after)]
            assert next_seating(before, played) == (after["entrants"], after["dealer"])
        for hand in hands:
            rests.update({0, 1, 2, 3} - set(hand["entrants"]))
        for entrant, result in enumerate(lines[-2]["entrants"]):
            seated = [entrant in hand["entrants"] for hand in hands]
            assert sum(seated) == result["hands_played"]
            assert not [points for points, sat in zip(result["hand_points"], seated, strict=True) if points and not sat]
    assert len(rests) > 1, "nobody but entrant 3 ever rested"


def next_seating(hand: dict[str, Any], played: Lines) -> tuple[list[int], int]:
    """Return the entrants and the dealer that RULES §8 wants after a hand with one that rests."""
    entrants, dealer = list(hand["entrants"]), hand["dealer"]
    wins = [line for line in played if line.get("event") == "hand_won"]
    revealed = [line["seat"] for line in played if line.get("event") == "hand_revealed"]
    if len(wins) == 1:
        [resting] = {0, 1, 2, 3} - set(entrants)
        entrants[wins[0]["seat"]] = resting
        return entrants, wins[0]["seat"]
    if wins:
        return entrants, wins[0]["source"]
    return entrants, revealed[0] if revealed else dealer


def test_killed_and_run_again_four_seats_give_the_same_digest(tmp_path: Path, quick: QuickCommand) -> None:
    """Nothing depends on how many matches were played before."""
    arena = Arena(tmp_path)

    def done() -> int:
        said = quick("matches", "--state", "done", "--json", "--home", arena.home, cwd=tmp_path)
        return len(json.loads(said.out)) if said.code == 0 else 0

    arguments: list[str | Path] = ["run", CONFIG, "--rules", "four-seat", "--home", arena.home]
    with arena.start(*arguments, "--concurrency", "1") as process:
        deadline = time.monotonic() + 60
        while not done():
            assert process.poll() is None, "the run ended"
            assert time.monotonic() < deadline, "no match was ever done"
            time.sleep(0.02)
        process.kill()
        process.communicate()

    assert done() < 4
    assert digests()["four-seat"]["digest"] == arena.json(*arguments)["digest"]


def test_all_orders_of_four_are_scheduled(tmp_path: Path) -> None:
    """24 of them, and the run says so, and for how long it can last."""
    arena = Arena(tmp_path)
    arena.write(CONFIG.read_text("utf-8").replace('"rotations"', '"all"'))
    with arena.start(*arena.run_arguments(), "--rules", "sit-out") as process:
        assert process.stderr is not None
        said = [process.stderr.readline() for _ in range(5)]
        process.kill()
        process.communicate()

    assert sorted(permutations(BOTS)) == sorted(
        tuple(match["bots"]) for match in arena.json("matches", "--home", arena.home)
    )
    assert "rules sit-out\n" == said[0]
    assert "Golden sit-out: 24 matches of 2 hands between 4 bots\n" == said[1]
    assert "each bot plays 24 matches, 6 in each seat\n" == said[2]
    assert "two bots meet 24 times, each right after the other 8 times\n" == said[3]
    assert said[4].startswith("about ")


# Bots that know only the protocol


@pytest.mark.parametrize("preset", UNUSUAL)
def test_a_bot_that_has_only_the_protocol_plays_a_tournament(tmp_path: Path, preset: str) -> None:
    """It is told nothing but address and token, and all that it folds agrees with all that it is told: no fault."""
    arena = Arena(tmp_path)
    command = json.dumps([sys.executable, str(PLAIN_BOT)])
    plain = "".join(f'[[bots]]\nname = "plain-{number}"\ncommand = {command}\n' for number in range(2))
    greedy = "".join(
        f'[[bots]]\nname = "greedy-{number}"\ncommand = ["kawuxing-bot", "greedy"]\n' for number in range(2)
    )
    arena.write(CONFIG.read_text("utf-8").partition("[[bots]]")[0].replace("hands = 2", "hands = 4") + plain + greedy)
    summary = arena.json(*arena.run_arguments(), "--rules", preset)

    assert "finished" == summary["state"]
    assert [0] * 4 == [sum(row["faults"].values()) for row in summary["leaderboard"]["rows"]]
    for number in range(2):
        log = (arena.home / "logs" / f"golden-{preset}" / f"plain-{number}.log").read_text("utf-8")
        assert [] == [line for line in log.splitlines() if not line.startswith("[kawuxing ")]


async def played_over_grpc(spec: MatchSpec, *sitting: Any) -> tuple[Outcome, list[Any]]:
    """Play a match between clients, one coroutine function for each entrant; return what each of them returned."""

    async def commit(_: Played) -> bool:
        return True

    server = ArenaServer(Tokens())
    address = await server.start()
    try:
        outcome = asyncio.ensure_future(server.play(spec, commit))
        seats = [sit(address, entrant.ticket) for sit, entrant in zip(sitting, spec.entrants, strict=True)]
        heard = await asyncio.gather(*seats)
        return await outcome, heard
    finally:
        await server.stop(0)


async def hear(address: str, ticket: str, choose: Chooser = choose) -> list[PlayResponse]:
    """Play an entrant that is told events, and return all that it was sent."""
    return (await play_ticket(address, ticket, choose)).seen


async def look(address: str, ticket: str) -> list[PlayResponse]:
    """Play an entrant that is told observations, and return all that it was sent."""
    async with TableClient(address) as client:
        await client.send(hello(ticket, OBSERVATION_MODE_SNAPSHOT))
        await client.play(choose)
        return client.seen


async def see(address: str, ticket: str) -> list[Observation]:
    """Play an entrant and return the observation of each question."""
    seen = await look(address, ticket)
    return [message.decision_request.observation for message in seen if message.HasField("decision_request")]


async def fold(address: str, ticket: str) -> list[Observation]:
    """Play an entrant and return what it has folded together at each question."""
    known: list[Observation] = []
    async with TableClient(address) as client:
        await client.send(hello(ticket, OBSERVATION_MODE_DELTA))
        start = await client.read()
        assert start is not None
        folded = Fold(start.match_start)
        while (message := await client.read()) is not None:
            for event in (*message.decision_request.events, *message.hand_end.events):
                folded.apply(event)
            if message.HasField("decision_request"):
                request = message.decision_request
                known.append(Observation.FromString(folded.known.SerializeToString()))
                await client.send(decision(request.decision_id, choose(request)))
    return known


@pytest.mark.parametrize("preset", preset_names())
async def test_match_start_says_all_of_the_rules(preset: str) -> None:
    """Seats, entrants, every kind of tile and every option: no preset's name is needed, and none is told."""
    rules = load_preset(preset)
    spec = match_spec(rules=rules, hands=1)
    _, heard = await played_over_grpc(spec, *[hear] * rules.entrants)

    for entrant, seen in enumerate(heard):
        start: MatchStart = seen[0].match_start
        assert (entrant, rules.entrants, rules.seats) == (start.entrant, start.entrants, start.rules.seats)
        assert rules == rules_from_message(start.rules)
        assert len(rules.tile_list) == 4 * len(start.rules.kinds)
        assert preset.encode() not in seen[0].SerializeToString()


@pytest.mark.parametrize("preset", UNUSUAL)
async def test_folding_the_events_gives_the_observations(preset: str) -> None:
    """A bot that is told events knows, by the words of the protocol alone, what one that is told observations is."""
    rules = load_preset(preset)
    for seed in ("a", "b", "c"):
        spec = match_spec(rules=rules, hands=4, seed=seed)
        first, folded = await played_over_grpc(spec, *[fold] * rules.entrants)
        second, seen = await played_over_grpc(spec, *[see] * rules.entrants)

        assert isinstance(first, Played)
        assert isinstance(second, Played)
        assert first.record == second.record
        assert folded == seen
        assert {rules.seats} == {len(known.seats) for observations in seen for known in observations}


async def test_an_entrant_that_rests_sees_what_is_public_and_is_asked_nothing() -> None:
    """It is told every hand whole at its end, with nobody's tiles before that; its points stay as they are."""
    rested = seated = 0
    for seed in ("a", "b", "c"):
        spec = match_spec(rules=load_preset("sit-out"), hands=6, seed=seed)
        _, heard = await played_over_grpc(spec, *[hear] * 4)
        for entrant, seen in enumerate(heard):
            hands = hands_heard(seen)
            assert 6 == len(hands)
            for asked, events in hands:
                started, *between, ended = events
                if entrant in started.hand_started.entrants:
                    seated += 1
                    continue
                rested += 1
                assert [] == asked
                assert not started.hand_started.HasField("seat")
                assert not started.hand_started.concealed
                assert not [event for event in between if event.tile_drawn.tile]
                before, after = started.hand_started.points[entrant], ended.hand_ended.match_points[entrant]
                assert before == after
    assert (3 * 6, 3 * 6 * 3) == (rested, seated)


async def test_an_entrant_that_rests_hears_how_each_hand_ended_however_it_is_told() -> None:
    """A bot that is told observations hears HandEnded of every hand, and observes only its own hands."""
    spec = match_spec(rules=load_preset("sit-out"), hands=6, seed="a")
    _, heard = await played_over_grpc(spec, *[look] * 4)

    for entrant, seen in enumerate(heard):
        ends = [message.hand_end.events for message in seen if message.HasField("hand_end")]
        assert [[hand] for hand in range(6)] == [[event.hand_ended.hand for event in events] for events in ends]
        for message in seen:
            if message.HasField("decision_request"):
                known = message.decision_request.observation
                assert entrant == known.seats[known.seat].entrant


@pytest.mark.parametrize("mode", [OBSERVATION_MODE_DELTA, OBSERVATION_MODE_SNAPSHOT])
async def test_an_entrant_that_comes_back_while_it_rests_is_told_the_hand_that_it_rests_in(
    mode: ObservationMode.ValueType,
) -> None:
    """Who sits where and deals, and no tiles; there is no question for it."""
    begun, back = asyncio.Event(), asyncio.Event()

    async def deal(address: str, ticket: str) -> None:
        async with TableClient(address) as client:
            await client.send(hello(ticket))
            asked = (await client.read_until("decision_request")).decision_request
            begun.set()
            await back.wait()
            await client.send(decision(asked.decision_id, choose(asked)))
            await client.play(choose)

    async def come_back(address: str, ticket: str) -> list[PlayResponse]:
        async with TableClient(address) as client:
            await client.send(hello(ticket, mode))
            await begun.wait()
        async with TableClient(address) as client:
            await client.send(hello(ticket, mode))
            await client.read_until("resume")
            back.set()
            await client.play(choose)
            return client.seen

    spec = match_spec(rules=load_preset("sit-out"), hands=1, seed="a")
    _, heard = await played_over_grpc(spec, deal, hear, hear, come_back)

    assert ["match_start", "resume", "hand_end", "match_end"] == [
        message.WhichOneof("response") for message in heard[3]
    ]
    resume = heard[3][1].resume
    if mode == OBSERVATION_MODE_DELTA:
        [started] = [event.hand_started for event in resume.events]
        assert ([0, 1, 2], False, []) == (started.entrants, started.HasField("seat"), started.concealed)
    else:
        known = resume.observation
        assert ([0, 1, 2], False, []) == ([s.entrant for s in known.seats], known.HasField("seat"), known.concealed)


def hands_heard(seen: list[PlayResponse]) -> list[tuple[list[DecisionRequest], list[Any]]]:
    """Return, by hand, the questions that a bot was asked and the events that it was told."""
    hands: list[tuple[list[DecisionRequest], list[Any]]] = [([], [])]
    for message in seen:
        if message.HasField("decision_request"):
            hands[-1][0].append(message.decision_request)
            hands[-1][1].extend(message.decision_request.events)
        elif message.HasField("hand_end"):
            hands[-1][1].extend(message.hand_end.events)
            hands.append(([], []))
    return hands[:-1]


@pytest.mark.parametrize("preset", FOUR_ENTRANTS)
async def test_two_that_forfeit_among_four_share_the_third_place(preset: str) -> None:
    """One of them begins by resting, where some do; every bot is told all four results."""
    err = partial(hear, choose=lambda request: len(request.legal_actions))
    spec = match_spec(rules=load_preset(preset), hands=8, seed="two forfeit")
    _, heard = await played_over_grpc(spec, hear, err, hear, err)

    for end in (seen[-1].match_end.entrants for seen in heard):
        assert [False, True, False, True] == [entrant.forfeited for entrant in end]
        assert [3, 3] == [end[1].rank, end[3].rank]
        assert {end[0].rank, end[2].rank} <= {1, 2}
        assert 0 == sum(entrant.points for entrant in end)
