"""Tables for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from kawuxing.scheduler.leaderboard import Leaderboard, Row

_ORDINALS: Final = ("1st", "2nd", "3rd", "4th")
_LEAST: Final = 3
"""Columns that are shown however narrow it is: rank, bot, Elo."""
_GAP: Final = 2
"""Between two columns."""
_WRAPPED: Final = 18
"""As narrow as a column that wraps gets before another one is left out."""


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
    wraps: bool = False
    """Its cells are of several words, broken into lines before another column is left out."""


class FittingTable:
    """A table that leaves out columns where there is no room for them, and says which."""

    def __init__(self, columns: list[Column], leaving: Sequence[str], notes: Sequence[tuple[str, str]] = ()) -> None:
        """Take the names of the columns that may be left out, the first to go first, and notes, each on a column."""
        self._columns = columns
        self._leaving = leaving
        self._notes = notes

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the table, the notes on the columns that are shown, and which are not."""
        shown = _fitting(self._columns, self._leaving, options.max_width)
        yield _table(shown, options.max_width)
        names = {column.name for column in shown}
        for note in [text for name, text in self._notes if name in names]:
            yield Text(note, style="dim")
        yield from _left_out(self._columns, shown)


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
        columns = _columns(told)
        shown = _fitting(columns, [column.name for column in reversed(columns[_LEAST:])], width)
        yield from console.render(_table(shown, width), options.update(width=width))
        for note in (*(Text(note, style="dim") for note in told.notes), *_left_out(columns, shown)):
            yield from console.render(note, options.update(width=width))


def _fitting(columns: list[Column], leaving: Sequence[str], width: int) -> list[Column]:
    """Return the columns for which there is room, without as few of those leaving as need be."""
    for name in leaving:
        if _least_width(columns) <= width:
            break
        columns = [column for column in columns if column.name != name]
    return columns


def _left_out(columns: list[Column], shown: list[Column]) -> Iterator[Text]:
    """Yield a line that names the columns that are not shown, if there are any."""
    names = [column.name for column in columns if column not in shown]
    if names:
        count = "1 column" if len(names) == 1 else f"{len(names)} columns"
        has = "has it" if len(names) == 1 else "has them"
        told = ", ".join(dict.fromkeys(names))
        yield Text(f"{count} left out: {told} (a wider terminal, or --json, {has})", style="dim")


def _least_width(columns: list[Column]) -> int:
    widths = [min(_whole(column), _WRAPPED) if column.wraps else _whole(column) for column in columns]
    return sum(widths) + _GAP * (len(columns) - 1)


def _whole(column: Column) -> int:
    return max(map(cell_len, (column.name, *column.cells)))


def _table(columns: list[Column], width: int) -> Table:
    tight = _least_width(columns) > width
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        # What has a least width does not shrink, so that a name does.
        breaks = column.wraps or (tight and column.shrinks)
        free = breaks or column.name == "bot"
        table.add_column(
            column.name,
            justify="left" if column.left else "right",
            overflow="fold" if breaks else "ellipsis",
            no_wrap=not breaks,
            min_width=None if free else _whole(column),
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
