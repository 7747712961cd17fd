"""Tables for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from kawuxing.scheduler.leaderboard import Leaderboard, Row

_ORDINALS: Final = ("1st", "2nd", "3rd", "4th")
_LEAST: Final = 3
"""Columns that are shown however narrow it is: rank, bot, Elo."""
_UNLIMITED: Final = 1000


def leaderboard_table(leaderboard: Leaderboard, width: int | None = None) -> RenderableType:
    """Return the standings as a table with its notes under it.

    It takes at most ``width`` columns of text, or what the console has: where that is too little, the columns that say
    least are left out. Figures are never cut, and a bot's name only where nothing else is left to leave out.
    """
    return _Fitting(leaderboard, width)


def print_table(renderable: RenderableType) -> None:
    """Print to stdout, as wide as it needs to be where that is no terminal."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=200)
    console.print(renderable)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str
    cells: list[str]
    left: bool = False
    shrinks: bool = False
    """Its cells may be broken into lines where even the least columns have no room."""


class FittingTable:
    """A table that leaves out its last columns where there is no room for them, but not the first ``least``."""

    def __init__(self, columns: list[Column], least: int) -> None:
        """Take the columns, the most important ones first."""
        self._columns = columns
        self._least = least

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the table."""
        yield _widest(console, options, self._columns, options.max_width, self._least)


class _Fitting:
    """A leaderboard that finds out how much room it has when it is drawn."""

    def __init__(self, leaderboard: Leaderboard, width: int | None) -> None:
        self._leaderboard = leaderboard
        self._width = width

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the table and its notes."""
        width = options.max_width if self._width is None else min(self._width, options.max_width)
        told = self._leaderboard
        # A plain string would be read as markup, which a tournament's name is not.
        yield from console.render(
            Text(f"{told.name}: {told.played} of {told.scheduled} matches", style="table.title"),
            options.update(width=width),
        )
        yield from console.render(_widest(console, options, _columns(told), width, _LEAST), options.update(width=width))
        for note in told.notes:
            yield from console.render(Text(note, style="dim"), options.update(width=width))


def _widest(console: Console, options: ConsoleOptions, columns: list[Column], width: int, least: int) -> Table:
    """Return the table of as many of the columns, the most important ones first, as there is room for."""
    for count in range(len(columns), least, -1):
        table = _table(columns[:count])
        if Measurement.get(console, options.update(max_width=_UNLIMITED), table).maximum <= width:
            return table
    return _table(columns[:least])


def _table(columns: list[Column]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        # What has a least width does not shrink, so that a name does.
        free = column.shrinks or column.name == "bot"
        table.add_column(
            column.name,
            justify="left" if column.left else "right",
            overflow="fold" if column.shrinks else "ellipsis",
            no_wrap=not column.shrinks,
            min_width=None if free else max(map(cell_len, (column.name, *column.cells))),
        )
    for cells in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*cells)
    return table


def _columns(leaderboard: Leaderboard) -> list[Column]:
    """Return all columns that have something to say, the most important ones first."""
    rows = leaderboard.rows
    places = max((len(row.places) for row in rows), default=0)
    columns = [
        Column("#", ["–" if row.rank is None else str(row.rank) for row in rows]),
        Column("bot", [row.bot for row in rows], left=True),
        Column("Elo", ["–" if row.elo is None else f"{row.elo:.1f}" for row in rows]),
        Column("95 %", [_interval(row) for row in rows]),
        Column("matches", [str(row.matches) for row in rows]),
        Column("points/hand", [_points(row) for row in rows]),
        Column("faults", [str(sum(row.faults.values())) for row in rows]),
    ]
    if any(row.flags for row in rows):
        columns.append(Column("flags", [", ".join(row.flags) for row in rows], left=True))
    columns += [
        Column("wins", [str(row.wins) for row in rows]),
        Column("deal-ins", [str(row.deal_ins) for row in rows]),
        Column("reveals", [str(row.reveals) for row in rows]),
        Column("/".join(_ORDINALS[:places]), ["/".join(map(str, row.places)) for row in rows]),
        Column("mean place", ["–" if row.average_rank is None else f"{row.average_rank:.2f}" for row in rows]),
    ]
    return columns


def _interval(row: Row) -> str:
    return "–" if row.low is None or row.high is None else f"{row.low:.1f} … {row.high:.1f}"


def _points(row: Row) -> str:
    margin = "" if row.points_margin is None else f" ±{row.points_margin:.2f}"
    return "–" if row.points_per_hand is None else f"{row.points_per_hand:+.2f}{margin}"
