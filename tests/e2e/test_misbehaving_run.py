"""Whole tournaments between the arena's own processes in which some of the bots misbehave."""

from __future__ import annotations

from typing import Any, Final

from tests.e2e.arena import Arena

TOURNAMENT: Final = """
name = "Cup"
seed = "a practice seed"

[match]
hands = 1

[match.clock]
bank = 0
increment = {seconds}
move_max = {seconds}
start = 30

[schedule]
seat_orders = "rotations"

[run]
join_time = {join_time}
"""
BOT: Final = """
[[bots]]
name = "{name}"
command = ["kawuxing-bot", "{program}"]
"""


def _play(arena: Arena, *vices: str, seconds: int, good: int = 2, join_time: int = 30) -> dict[str, dict[str, Any]]:
    """Play a tournament between ``good`` bots that behave and others that do not; return every bot's row."""
    programs = {f"good-{number}": "random" for number in range(1, good + 1)}
    programs |= {vice: f"misbehaving-{vice}" for vice in vices}
    bots = "".join(BOT.format(name=name, program=program) for name, program in programs.items())
    arena.write(TOURNAMENT.format(seconds=seconds, join_time=join_time) + bots)
    summary = arena.json(*arena.run_arguments())
    board = summary["leaderboard"]
    assert "finished" == summary["state"]
    return {row["bot"]: row for row in board["rows"]}


def _faults(rows: dict[str, dict[str, Any]]) -> dict[str, dict[str, int]]:
    return {bot: {fault: count for fault, count in row["faults"].items() if count} for bot, row in rows.items()}


def test_bots_that_flood_or_join_twice_harm_no_other_and_the_tournament_verifies(arena: Arena) -> None:
    """The one that floods forfeits each of its nine matches by three faults; the other plays each once, faultless."""
    rows = _play(arena, "floods", "joins-twice", seconds=30)

    assert {
        "good-1": {},
        "good-2": {},
        "floods": {"PROTOCOL_ERROR": 27},
        "joins-twice": {},
    } == _faults(rows)
    assert [0, 0, 0, 9] == sorted(row["forfeits"] for row in rows.values())
    assert [9, 9, 9, 9] == [row["matches"] for row in rows.values()]
    assert 4 == rows["floods"]["rank"]
    arena.command("verify", arena.exported)


def test_a_bot_whose_process_dies_forfeits_its_matches_and_the_others_play_on(arena: Arena) -> None:
    """It dies in the middle of three matches at once; started again, it comes too late for them, or dies again.

    Time runs out three times in each, while it is away but for the few moments between its start and its death.
    """
    rows = _play(arena, "dies", seconds=1)

    faults = _faults(rows)
    assert {"DISCONNECTED", "TIMEOUT"} >= faults["dies"].keys()
    assert [0, 0, 9] == [sum(faults[bot].values()) for bot in ("good-1", "good-2", "dies")]
    assert {"good-1": 0, "good-2": 0, "dies": 3} == {bot: row["forfeits"] for bot, row in rows.items()}


def test_a_bot_that_never_sits_down_is_withdrawn_and_the_others_play_among_themselves(arena: Arena) -> None:
    """After three matches that did not come about its own are cancelled; those without it are played, faultless."""
    rows = _play(arena, "never-sits-down", seconds=30, good=3, join_time=3)

    assert {"good-1": 3, "good-2": 3, "good-3": 3, "never-sits-down": 0} == {
        bot: row["matches"] for bot, row in rows.items()
    }
    assert not any(_faults(rows).values())
    assert [None, None, None] == [rows[f"good-{number}"]["withdrawn"] for number in (1, 2, 3)]
    assert rows["never-sits-down"]["withdrawn"]
    arena.command("verify", arena.exported)
