"""The leaderboard is readable in a terminal of any width: what has no room is left out, and no figure is cut."""

from __future__ import annotations

import io
from dataclasses import replace
from itertools import pairwise

import pytest
from rich.console import Console, Group

from kawuxing.cli.tables import leaderboard_table
from kawuxing.engine.faults import Fault
from kawuxing.scheduler.config import parse_config
from kawuxing.scheduler.leaderboard import Flag, Leaderboard
from kawuxing.scheduler.standings import leaderboard

LONG = "a-bot.with-a-name-of-32-letters-"
NAMES = (LONG, "ben", "cyd")
BOTS = "".join(f'[[bots]]\nname = "{name}"\ncommand = ["x"]\n' for name in NAMES)
ALL = ["#", "bot", "Elo", "95 %", "matches", "points/hand", "faults", "flags", "wins", "deal-ins", "reveals"]


def standings(*, names: tuple[str, ...] = NAMES, flags: tuple[Flag, ...] = ()) -> Leaderboard:
    """Return the standings of a long tournament, with large figures."""
    table = leaderboard(parse_config(f'name = "Cup"\n{BOTS}'), [])
    rows = [
        replace(
            row,
            rank=1,
            bot=name,
            elo=-1258.1,
            low=-1311.2,
            high=-1204.9,
            matches=987654,
            places=(329218, 329218, 329218),
            average_rank=2.01,
            points_per_hand=-12.34,
            points_margin=1.05,
            wins=1234567,
            deal_ins=765432,
            reveals=654321,
            faults=dict.fromkeys(Fault, 250_000),
            flags=flags,
        )
        for row, name in zip(table.rows, names, strict=True)
    ]
    return replace(table, rows=tuple(rows), notes=("a note that is longer than many a terminal is wide " * 3,))


def drawn(table: Leaderboard, columns: int, width: int | None = None) -> list[str]:
    """Return the lines shown on a terminal of so many columns."""
    shown = io.StringIO()
    Console(file=shown, width=columns).print(Group(leaderboard_table(table, width)))
    return [line.rstrip() for line in shown.getvalue().splitlines()]


@pytest.mark.parametrize("columns", [60, 80, 100, 120, 200])
@pytest.mark.parametrize("names", [NAMES, ("ada", "ben", "cyd")])
@pytest.mark.parametrize("flags", [(), (Flag.ALWAYS_AHEAD, Flag.WITHDRAWN)])
def test_no_line_is_too_long_and_nothing_is_cut(columns: int, names: tuple[str, ...], flags: tuple[Flag, ...]) -> None:
    """However long the names and figures: rank, name and Elo always are there, whole."""
    lines = drawn(standings(names=names, flags=flags), columns)

    assert all(len(line) <= columns for line in lines)
    assert lines[1].split()[:3] == ["#", "bot", "Elo"]
    assert [["1", name, "-1258.1"] for name in names] == [line.split()[:3] for line in lines[2:5]]
    assert "a note that is longer" in lines[5]
    assert not any("…" in line.replace("-1311.2 … -1204.9", "") for line in lines)


def test_a_wide_terminal_shows_everything() -> None:
    """The columns stand in the order in which they matter; flags only where there are any."""
    header = drawn(standings(flags=(Flag.SEPARATED,)), 200)[1]

    assert " ".join([*ALL, "1st/2nd/3rd", "mean place"]) == " ".join(header.split())
    assert "flags" not in drawn(standings(), 200)[1]


def test_columns_go_from_the_least_important_one() -> None:
    """What is shown in a narrower terminal is the beginning of what is shown in a wider one."""
    shown = [drawn(standings(), columns)[1].split() for columns in range(44, 200)]

    assert all(narrow == wide[: len(narrow)] for narrow, wide in pairwise(shown))
    assert ["#", "bot", "Elo"] == shown[0]
    assert "mean" in shown[-1]


def test_at_80_columns_there_are_intervals() -> None:
    """The usual width has room for the longest name, its Elo and what that is worth."""
    assert f"1  {LONG}  -1258.1  -1311.2 … -1204.9" == drawn(standings(), 80)[2][:64].rstrip()


def test_a_width_can_be_told() -> None:
    """Then it is what counts, if the terminal has as much."""
    assert drawn(standings(), 60) == drawn(standings(), 200, width=60)


def test_columns_left_out_are_named() -> None:
    """Under the notes, with where they are to be had; where all are shown there is no such line."""
    narrow = " ".join(drawn(standings(), 100)[-3:])

    assert "columns left out: " in narrow
    assert "reveals, 1st/2nd/3rd, mean place (a wider terminal, or --json, has them)" in narrow
    assert not any("left out" in line for line in drawn(standings(), 200))
