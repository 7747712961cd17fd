"""The Arena: many matches at home, reproducible, recorded, and step by step."""

from __future__ import annotations

import asyncio
import gc
import json
import subprocess
import sys
from collections import Counter
from itertools import permutations
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest

from kawuxing.bots import Arena, Bot, BotFactory, Turn
from kawuxing.bots.arena import SeatOrders, Walls
from kawuxing.bots.local import play_match
from kawuxing.bots.main import shipped_bot
from kawuxing.engine.actions import PASS, WIN, Action
from kawuxing.engine.errors import IllegalAnswerError, RulesError
from kawuxing.engine.events import Event
from kawuxing.engine.replay import verify_replay
from kawuxing.engine.rules import RuleSet
from kawuxing.engine.wall import fresh_deal_seed, practice_seed, tournament_key

RANDOM = shipped_bot("random")
GREEDY = shipped_bot("greedy")


class Last(Bot):
    """Does the last thing that is legal."""

    def choose(self, turn: Turn) -> Action:
        """Return it."""
        return turn.legal[-1]


class Slow(Bot):
    """Thinks elsewhere before it does the last thing that is legal."""

    async def choose(self, turn: Turn) -> Action:
        """Return it."""
        return await asyncio.to_thread(turn.legal.__getitem__, -1)


class Absent(Bot):
    """Fails at its first question."""

    def choose(self, turn: Turn) -> NoReturn:
        """Raise LookupError."""
        raise LookupError(f"decision {turn.decision_id}")


class AbsentSecond(Last):
    """Fails at its first question as entrant 1."""

    def choose(self, turn: Turn) -> Action:
        """Raise LookupError if it is that one."""
        seen = turn.observation
        if seen.seats[seen.seat].entrant == 1:
            raise LookupError
        return super().choose(turn)


class Cheat(Bot):
    """Wins whether it may or not."""

    def choose(self, turn: Turn) -> Action:
        """Return what is not legal."""
        return WIN if WIN not in turn.legal else PASS


def test_three_lines_give_a_table_of_results() -> None:
    """A line for each bot, as listed, with its name, and a number where one comes twice."""
    arena = Arena("xiangyang", seed="home")
    results = arena.play([GREEDY, RANDOM, RANDOM], matches=3, hands=2)

    header, *rows = str(results).splitlines()
    assert ["bot", "points/hand", "wins", "deal-ins", "reveals", "places"] == header.split()
    assert ["greedybot", "randombot-1", "randombot-2"] == [row.split()[0] for row in rows]


def test_results_add_up_what_the_matches_gave() -> None:
    """Points, hands, wins and places of a bot are those of its entrants in all matches."""
    results = Arena(seed="sums").play([GREEDY, RANDOM, Last], matches=6, hands=3)

    for number, bot in enumerate(results.bots):
        own = [match.record.result.entrants[match.bots.index(number)] for match in results.matches]
        assert sum(entrant.points for entrant in own) == bot.points
        assert sum(entrant.wins for entrant in own) == bot.wins
        assert sum(entrant.deal_ins for entrant in own) == bot.deal_ins
        assert sum(entrant.reveals for entrant in own) == bot.reveals
        assert Counter(entrant.rank for entrant in own) == Counter({k + 1: n for k, n in enumerate(bot.places) if n})
        assert 18 == bot.hands
        assert bot.points / 18 == bot.points_per_hand
    assert 0 == sum(bot.points for bot in results.bots)


def test_the_same_seed_gives_the_same_bytes(any_rules: RuleSet) -> None:
    """The records of two series with one seed are equal, those of another seed are not."""
    bots = [GREEDY, *[RANDOM] * (any_rules.entrants - 1)]
    first, again, other = (
        [match.record.data for match in Arena(any_rules, seed=seed).play(bots, matches=2, hands=1).matches]
        for seed in ("one", "one", "other")
    )
    assert first == again
    assert first != other


def test_a_match_is_that_of_its_deal_seed(xiangyang: RuleSet) -> None:
    """The walls are derived as in a practice tournament without public entropy."""
    played = Arena(seed="home").play([GREEDY] * 3, matches=2, hands=2, seat_orders="fixed").matches[1]
    deal_seed = fresh_deal_seed(tournament_key(practice_seed("home"), ""), 1)

    assert play_match(xiangyang, [GREEDY] * 3, hands=2, deal_seed=deal_seed) == played.record.result


def test_records_replay(any_rules: RuleSet) -> None:
    """The bytes of a record pass the check that `kawuxing record verify` makes."""
    results = Arena(any_rules, seed="records").play([GREEDY] * any_rules.entrants, matches=1, hands=2)
    record = results.matches[0].record

    assert record == verify_replay(record.data)


def test_seats_move_on_with_every_match() -> None:
    """By default every bot has every seat in turn, on fresh walls."""
    results = Arena(seed="seats").play([Last] * 3, matches=4, hands=1)

    assert [(0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 1, 2)] == [match.bots for match in results.matches]
    assert [0, 1, 2, 3] == [match.deal for match in results.matches]
    assert 4 == len({match.record.walls for match in results.matches})


def test_all_seat_orders_share_duplicate_walls() -> None:
    """Every order plays a deal before the next one is dealt."""
    results = Arena(seed="duplicate").play([Last] * 3, matches=12, hands=1, seat_orders="all", walls="duplicate")

    assert list(permutations(range(3))) * 2 == [match.bots for match in results.matches]
    assert [0] * 6 + [1] * 6 == [match.deal for match in results.matches]
    first, second = ({match.record.walls for match in results.matches[part : part + 6]} for part in (0, 6))
    assert (1, 1) == (len(first), len(second))
    assert first != second


def test_fixed_seats_stay() -> None:
    """Who is listed first is entrant 0 of every match."""
    results = Arena(seed="fixed").play([Last] * 3, matches=2, hands=1, seat_orders=SeatOrders.FIXED)
    assert [(0, 1, 2)] * 2 == [match.bots for match in results.matches]


def test_an_interval_takes_twenty_deals() -> None:
    """Matches of one deal are one observation, so 24 of them in 8 deals give no interval; 20 fresh ones do."""
    arena = Arena(seed="interval")
    few = arena.play([RANDOM] * 3, matches=24, hands=1, walls="duplicate")
    enough = arena.play([RANDOM] * 3, matches=20, hands=1)

    assert [None] * 3 == [bot.margin for bot in few.bots]
    assert all(bot.margin is not None and bot.margin > 0 for bot in enough.bots)
    assert 3 == str(enough).count("±")


def test_the_seed_of_the_results_verifies_the_walls(tmp_path: Path) -> None:
    """`kawuxing record verify --seed` confirms replay and walls of a match played at home."""
    results = Arena(seed="verify").play([RANDOM] * 3, matches=6, hands=1, seat_orders="all", walls=Walls.DUPLICATE)
    record, seed = tmp_path / "record.jsonl", tmp_path / "seed.json"
    record.write_bytes(results.matches[4].record.data)
    seed.write_text(json.dumps(results.seed.to_json()), "utf-8")
    command = [Path(sys.executable).parent / "kawuxing", "record", "verify", record, "--seed", seed]
    ran = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)

    assert (0, "") == (ran.returncode, ran.stderr)
    assert "valid (replay and walls)" in ran.stdout


def test_guests_are_asked_between_the_bots(any_rules: RuleSet) -> None:
    """A match played step by step is the one that bots play that answer the same."""
    arena = Arena(any_rules, seed="steps")
    seated: list[BotFactory | None] = [None, GREEDY, *[None] * (any_rules.entrants - 2)]
    match = arena.match(seated, hands=2)
    for turn in match:
        match.answer(turn.legal[-1])

    bots: list[BotFactory | None] = [Last, GREEDY, *[Last] * (any_rules.entrants - 2)]
    assert arena.match(bots, hands=2).play().result == match.record.result


def test_bots_may_be_coroutines() -> None:
    """One that waits for its thoughts plays as one that has them at once, also beside a guest."""
    arena = Arena(seed="slow")
    match = arena.match([Slow, None, Slow], hands=1)
    for turn in match:
        match.answer(turn.legal[-1])

    expected = arena.match([Last] * 3, hands=1).play().result
    assert expected == arena.match([Slow] * 3, hands=1).play().result
    assert expected == match.record.result


def test_a_guest_is_told_whose_question_it_is() -> None:
    """The observation of every question is that of a guest's seat, with at least two legal actions."""
    match = Arena(seed="whose").match([GREEDY, None, None], hands=1)
    asked = set()
    for turn in match:
        asked.add(turn.observation.seat)
        assert len(turn.legal) > 1
        match.answer(turn.random.choice(turn.legal))
    assert {1, 2} == asked


def test_a_match_goes_on_where_its_loop_was_left() -> None:
    """Leaving the loop after an answer and entering it again loses no question."""
    arena = Arena(seed="pause")
    whole = arena.match([None] * 3, hands=1)
    numbers = []
    for turn in whole:
        numbers.append((turn.observation.seat, turn.decision_id))
        whole.answer(turn.legal[0])
    paused = arena.match([None] * 3, hands=1)
    found: list[tuple[int, int]] = []
    while len(found) < len(numbers):
        for turn in paused:
            found.append((turn.observation.seat, turn.decision_id))
            paused.answer(turn.legal[0])
            break
    assert numbers == found
    assert [] == list(paused)
    assert whole.record == paused.record


def test_an_unanswered_question_is_an_error() -> None:
    """Going on without an answer says which decision it was."""
    match = Arena(seed="silent").match([None] * 3, hands=1)
    questions = iter(match)
    next(questions)
    with pytest.raises(IllegalAnswerError, match="decision 0 of entrant 0 was not answered"):
        next(questions)


def test_an_illegal_answer_changes_nothing() -> None:
    """It is refused with what is legal; the question stays open."""
    match = Arena(seed="illegal").match([None] * 3, hands=1)
    with pytest.raises(IllegalAnswerError, match="no question is open"):
        match.answer(PASS)
    turn = next(iter(match))
    with pytest.raises(IllegalAnswerError, match="entrant 0 answers PASS: expected one of"):
        match.answer(PASS)
    match.answer(turn.legal[0])
    assert next(iter(match)) is not turn


def test_what_only_looks_like_a_legal_action_is_told_from_it() -> None:
    """A text is shown as one, and an action that was not taken from where actions are made is said to be another."""
    match = Arena(seed="lookalike").match([None] * 3, hands=1)
    first = next(iter(match)).legal[0]
    with pytest.raises(IllegalAnswerError, match=f"answers '{first}': expected one of {first}, "):
        match.answer(str(first))  # type: ignore[arg-type]
    with pytest.raises(IllegalAnswerError, match=f"answers another object for {first}: expected one of {first}, "):
        match.answer(Action(first.type, first.tile))


def test_play_refuses_guests() -> None:
    """Nobody would answer for them."""
    with pytest.raises(IllegalAnswerError, match="expected bots alone"):
        Arena(seed="guests").match([None, RANDOM, RANDOM], hands=1).play()


def test_there_is_no_record_before_the_end() -> None:
    """A match in progress has none."""
    with pytest.raises(ValueError, match="in progress"):
        _ = Arena(seed="early").match([RANDOM] * 3, hands=1).record


def test_errors_of_a_bot_end_the_series() -> None:
    """What a bot raises reaches the caller as it is."""
    with pytest.raises(LookupError, match="decision 0"):
        Arena(seed="error").play([Absent, RANDOM, RANDOM], matches=1, hands=1)


@pytest.mark.parametrize("walls", Walls)
def test_an_error_tells_where_it_can_be_found_again(walls: Walls) -> None:
    """The match, its entrants, hand and decision; and how to step through it, if Arena.match knows its walls."""
    arena = Arena(seed="rare")
    with pytest.raises(LookupError) as caught:
        arena.play([AbsentSecond, RANDOM, GREEDY], matches=3, hands=1, walls=walls)
    with pytest.raises(LookupError) as again:
        arena.match([GREEDY, AbsentSecond, RANDOM], hands=1, index=2).play()

    asked, match, *how = caught.value.__notes__
    assert "asked as entrant 1: decision 0, in hand 0" == asked
    assert "in match 2 of the series, entrants greedybot, absentsecond, randombot" == match
    assert (["step through it by Arena.match, with these bots and index=2"] if walls is Walls.FRESH else []) == how
    assert [asked] == again.value.__notes__


def test_an_illegal_choice_ends_the_series() -> None:
    """At home it is an error, not a lost move."""
    with pytest.raises(IllegalAnswerError, match=r"Cheat\.choose returned WIN"):
        Arena(seed="cheat").play([Cheat, RANDOM, RANDOM], matches=1, hands=1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"matches": 0}, "matches is 0: expected a whole number from 1 to 1000000"),
        ({"matches": 1.5}, "matches is 1.5: expected a whole number"),
        ({"matches": True}, "matches is True: expected a whole number"),
        ({"matches": "3"}, "matches is '3': expected a whole number"),
        ({"matches": None}, "matches is None: expected a whole number"),
        ({"hands": 0}, "hands is 0: expected a whole number from 1 to 10000"),
        ({"hands": 1.5}, "hands is 1.5: expected a whole number"),
        ({"hands": True}, "hands is True: expected a whole number"),
        ({"seat_orders": "some"}, "seat_orders is 'some': expected one of fixed, rotations, all"),
        ({"walls": "old"}, "walls is 'old': expected one of fresh, duplicate"),
        ({"walls": "duplicate"}, "matches is 2: expected a multiple of the 3 seat orders of a deal"),
        ({"bots": [RANDOM] * 4}, "4 bots: expected 3 for these rules"),
        ({"bots": []}, "0 bots: expected 3 for these rules"),
        ({"bots": None}, "bots is None: expected a list of 3, each a Bot class"),
        ({"bots": {RANDOM, GREEDY, Last}}, "bots is {.+: expected a list of 3, each a Bot class"),
        ({"bots": [RANDOM, GREEDY, "careful"]}, r"bots\[2\] is 'careful': expected a Bot class"),
        ({"bots": [RANDOM, None, GREEDY]}, r"bots\[1\] is None: expected a Bot class"),
        ({"bots": [RANDOM, lambda _: None, GREEDY]}, "bot is None: expected Bot"),
    ],
    ids=lambda value: str(value) if isinstance(value, str) else "",
)
def test_what_cannot_be_played_is_refused(changes: dict[str, object], message: str) -> None:
    """The message names the field, its value and what was expected."""
    options: dict[str, object] = {"bots": [RANDOM] * 3, "matches": 2, "hands": 1} | changes
    with pytest.raises(ValueError, match=message):
        Arena(seed="refused").play(**options)  # type: ignore[arg-type]


def test_a_series_refuses_before_it_is_begun() -> None:
    """Not only when the first match is asked for."""
    with pytest.raises(ValueError, match="matches is 0"):
        Arena(seed="eager").series([RANDOM] * 3, matches=0, hands=1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"index": -1}, "index is -1: expected a whole number from 0 to 999999"),
        ({"index": 10**6}, "index is 1000000: expected a whole number from 0 to 999999"),
        ({"index": 1.5}, "index is 1.5: expected a whole number"),
        ({"index": True}, "index is True: expected a whole number"),
        ({"index": None}, "index is None: expected a whole number"),
        ({"hands": "8"}, "hands is '8': expected a whole number from 1 to 10000"),
        ({"bots": [None] * 2}, "2 bots: expected 3 for these rules"),
        ({"bots": [None, 5, None]}, r"bots\[1\] is 5: expected a Bot class or None"),
    ],
    ids=lambda value: str(value) if isinstance(value, str) else "",
)
def test_a_match_that_cannot_be_is_refused(changes: dict[str, object], message: str) -> None:
    """The message names the field, its value and what was expected."""
    options: dict[str, object] = {"bots": [None] * 3, "hands": 1} | changes
    with pytest.raises(ValueError, match=message):
        Arena(seed="refused").match(**options)  # type: ignore[arg-type]


def test_whole_numbers_of_numpy_are_whole_numbers() -> None:
    """They play the same as Python's, wherever a number is expected."""
    arena = Arena(seed="numpy")
    one, two = np.int64(1), np.int32(2)
    expected = arena.play([RANDOM] * 3, matches=2, hands=1)
    found = arena.play([RANDOM] * 3, matches=two, hands=one)  # type: ignore[arg-type]
    assert expected == found
    assert {int} == {type(bot.hands) for bot in found.bots}
    match = arena.match([Last] * 3, hands=one, index=one)  # type: ignore[arg-type]
    assert arena.match([Last] * 3, hands=1, index=1).play() == match.play()


@pytest.mark.parametrize("seed", [None, 5, b"home", True])
def test_a_seed_is_a_text(seed: object) -> None:
    """Anything else is refused."""
    with pytest.raises(ValueError, match=r"seed is .+: expected str"):
        Arena(seed=seed)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", [None, b"short", "x" * 32])
def test_a_deal_seed_is_32_bytes(seed: object, xiangyang: RuleSet) -> None:
    """Anything else is refused."""
    with pytest.raises(ValueError, match=r"deal_seed is .+: expected 32 bytes"):
        play_match(xiangyang, [RANDOM] * 3, hands=1, deal_seed=seed)  # type: ignore[arg-type]


def test_an_unknown_preset_is_refused() -> None:
    """The message lists those that there are."""
    with pytest.raises(RulesError, match="the presets are"):
        Arena("beijing", seed="x")


@pytest.mark.parametrize("rules", [None, 5, b"xiangyang", ["xiangyang"]])
def test_rules_are_a_name_or_a_rule_set(rules: object) -> None:
    """Anything else is refused at once."""
    with pytest.raises(RulesError, match=r"rules is .+: expected a preset's name or a RuleSet"):
        Arena(rules, seed="x")  # type: ignore[arg-type]


def test_an_error_in_observe_ends_the_series() -> None:
    """At home it is raised as it is, though nothing was to be chosen."""

    class Blind(Last):
        def observe(self, event: Event) -> NoReturn:
            raise LookupError(type(event).__name__)

    with pytest.raises(LookupError, match="HandStarted"):
        Arena(seed="blind").play([RANDOM, Blind, RANDOM], matches=1, hands=1)


def test_bots_share_an_event_loop_that_ends_with_the_match() -> None:
    """What a bot began before a guest's question goes on after it, and is cancelled when the match is over."""
    ends: list[bool] = []

    async def wait_forever() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ends.append(True)

    class Background(Bot):
        task: asyncio.Task[None] | None = None

        async def choose(self, turn: Turn) -> Action:
            if self.task is None:
                self.task = asyncio.create_task(wait_forever())
            await asyncio.sleep(0)
            assert not self.task.done()
            return turn.legal[-1]

    match = Arena(seed="background").match([Background, None, Background], hands=1)
    for turn in match:
        match.answer(turn.legal[-1])
    assert 2 == len(ends)


def test_a_match_that_is_abandoned_leaves_nothing_open() -> None:
    """No warning of what was not closed."""
    match = Arena(seed="abandoned").match([None, Slow, Slow], hands=1)
    turn = next(iter(match))
    match.answer(turn.legal[-1])
    next(iter(match))
    del match
    gc.collect()


def test_a_match_that_is_abandoned_in_a_cycle_leaves_nothing_open_either() -> None:
    """As one that an exception's traceback knows, which its own frame holds: only the collector ends it."""

    def abandon() -> None:
        match = Arena(seed="abandoned").match([None, Slow, Slow], hands=1)
        next(iter(match))
        cycle: list[object] = [match]
        cycle.append(cycle)

    for _ in range(20):
        abandon()
    gc.collect()
