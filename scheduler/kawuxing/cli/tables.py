"""Tables for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from kawuxing.scheduler.leaderboard import Leaderboard, Row


def leaderboard_table(leaderboard: Leaderboard) -> RenderableType:
    """Return the standings as a table with its notes under it."""
    # A plain string would be read as markup, which a tournament's name is not.
    title = Text(f"{leaderboard.name}: {leaderboard.played} of {leaderboard.scheduled} matches", style="table.title")
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for name in ("#", "bot", "Elo", "95 %", "matches", "points/hand", "rank", "places", "wins", "deal-ins", "reveals"):
        table.add_column(name, justify="left" if name == "bot" else "right", no_wrap=True)
    table.add_column("faults", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for row in leaderboard.rows:
        table.add_row(*_cells(row))
    return Group(table, *(Text(note, style="dim") for note in leaderboard.notes))


def print_table(renderable: RenderableType) -> None:
    """Print to stdout, as wide as it needs to be where that is no terminal."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=200)
    console.print(renderable)


def _cells(row: Row) -> list[str]:
    margin = "" if row.points_margin is None else f" ±{row.points_margin:.2f}"
    return [
        "–" if row.rank is None else str(row.rank),
        row.bot,
        "–" if row.elo is None else f"{row.elo:.1f}",
        "–" if row.low is None or row.high is None else f"{row.low:.1f} … {row.high:.1f}",
        str(row.matches),
        "–" if row.points_per_hand is None else f"{row.points_per_hand:+.2f}{margin}",
        "–" if row.average_rank is None else f"{row.average_rank:.2f}",
        "/".join(map(str, row.places)),
        str(row.wins),
        str(row.deal_ins),
        str(row.reveals),
        str(sum(row.faults.values())),
        ", ".join(row.flags),
    ]
