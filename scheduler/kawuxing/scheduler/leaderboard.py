"""A leaderboard as it is published: rounded figures, what to know when reading them, and its renderings."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Final

from kawuxing.engine.faults import Fault

PLACES: Final = ("firsts", "seconds", "thirds", "fourths")
TIME_COLUMNS: Final = ("median_ms", "p95_ms", "max_ms")
"""The columns of the CSV that depend on the machine, and follow from no record."""


class Flag(StrEnum):
    """What to know about one row."""

    ALWAYS_AHEAD = "always ahead"
    """Nobody ever finished ahead of it or tied with it: its Elo would be infinite but for the prior."""
    NEVER_AHEAD = "never ahead"
    """It never finished ahead of or tied with anybody: likewise."""
    SEPARATED = "separated"
    """It belongs to a group that was always, or never, ahead of the rest: their distance rests on the prior."""
    NO_MATCHES = "no matches"
    """No match of it counts yet."""
    WITHDRAWN = "withdrawn"
    """It is out of the tournament, and not ranked."""


@dataclass(frozen=True, slots=True)
class DecisionTimeSummary:
    """Decision times of a bot, in milliseconds, rounded up to the bounds of a histogram's buckets."""

    decisions: int
    median: float
    p95: float
    max: float


@dataclass(frozen=True, slots=True)
class Row:
    """A bot's line. None stands for what cannot be told (yet)."""

    rank: int | None
    """1 is best; bots of equal published Elo share the better rank. None if it is not ranked."""
    bot: str
    version: str
    elo: float | None
    low: float | None
    """Lower end of the 95 % interval."""
    high: float | None
    matches: int
    """All that it has played."""
    places: tuple[int, ...]
    """How often it was first, second …, without matches that everybody forfeited; tied bots share the better place."""
    average_rank: float | None
    """Over the same matches; tied bots share the mean of their places."""
    hands: int
    """Hands of its matches without those after anybody's forfeit, hands that it sat out included."""
    points: int
    """Won or lost in these hands."""
    points_per_hand: float | None
    points_margin: float | None
    """Half the width of the 95 % interval of ``points_per_hand``."""
    wins: int
    deal_ins: int
    reveals: int
    forfeits: int
    faults: Mapping[Fault, int]
    """Of every kind, also where it is 0."""
    stronger: Mapping[str, float | None]
    """For every other bot rated, the probability that this one is stronger."""
    times: DecisionTimeSummary | None
    """Depends on the machine, and is in no digest."""
    flags: tuple[Flag, ...]
    withdrawn: str | None
    """Why it was withdrawn."""


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """A tournament's standings."""

    tournament: str
    """The slug."""
    name: str
    played: int
    scheduled: int
    rated: int
    """Matches played that not everybody forfeited."""
    provisional: bool
    """Whether matches are still to come."""
    practice: bool
    duplicate: bool
    too_few: bool
    """Whether there are too few independent results for intervals."""
    time_faults: int
    """Faults that depended on time."""
    notes: tuple[str, ...]
    """What to know when reading the table, as sentences."""
    rows: tuple[Row, ...]
    """Ranked bots first, best first; then the others by name."""

    @property
    def reproducible(self) -> bool:
        """Whether the same seed and rules give the same games again, if each bot is a function of what it received."""
        return self.time_faults == 0

    def to_json(self, *, times: bool = True) -> dict[str, Any]:
        """Return everything as plain JSON data; without ``times``, only what follows from the records."""
        data = asdict(self) | {"reproducible": self.reproducible, "notes": list(self.notes)}
        data["rows"] = [_row_to_json(row, times=times) for row in self.rows]
        return data

    def to_csv(self) -> str:
        """Return one line of names and one for each bot; what cannot be told is empty."""
        places = PLACES[: max((len(row.places) for row in self.rows), default=0)]
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(
            [
                *_COLUMNS,
                *places,
                *(f"faults_{fault.lower()}" for fault in Fault),
                *TIME_COLUMNS,
                "flags",
            ]
        )
        for row in self.rows:
            times = row.times
            writer.writerow(
                [
                    *(getattr(row, column) for column in _COLUMNS),
                    *row.places,
                    *(row.faults[fault] for fault in Fault),
                    *((times.median, times.p95, times.max) if times else ("", "", "")),
                    " ".join(flag.replace(" ", "-") for flag in row.flags),
                ]
            )
        return text.getvalue()


_COLUMNS: Final = (
    "rank",
    "bot",
    "version",
    "elo",
    "low",
    "high",
    "matches",
    "average_rank",
    "hands",
    "points",
    "points_per_hand",
    "points_margin",
    "wins",
    "deal_ins",
    "reveals",
    "forfeits",
)


def _row_to_json(row: Row, *, times: bool) -> dict[str, Any]:
    data = {name: getattr(row, name) for name in (*_COLUMNS, "withdrawn")}
    data |= {
        "places": list(row.places),
        "faults": {fault.value: row.faults[fault] for fault in Fault},
        "stronger": dict(row.stronger),
        "flags": [flag.value for flag in row.flags],
    }
    if times:
        data["times"] = asdict(row.times) if row.times else None
    return data
