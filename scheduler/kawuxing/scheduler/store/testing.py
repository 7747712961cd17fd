"""Small tournaments, results and a clock for tests of what is built on the store."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import combinations, permutations

from kawuxing.engine.match import EntrantResult, MatchResult
from kawuxing.scheduler.store.values import FinishedMatch, NewMatch, NewTournament

_TABLE = 3


class ManualClock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        """Start at midnight, 2026-01-01."""
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        """Return the time."""
        return self.now

    def advance(self, by: timedelta) -> None:
        """Move the time on."""
        self.now += by


def small_tournament(
    bots: tuple[str, ...] = ("ada", "ben", "cyd"), *, deals: int = 1, tournament: str = "cup"
) -> NewTournament:
    """Return a tournament of every three ``bots`` (names in order) in all six seat orders, ``deals`` times."""
    seatings = [
        (deal, order) for deal in range(deals) for trio in combinations(bots, _TABLE) for order in permutations(trio)
    ]
    return NewTournament(
        id=tournament,
        name=tournament.title(),
        config="{}",
        config_digest="d" * 64,
        practice=True,
        commitment="c" * 64,
        bots=bots,
        matches=tuple(
            NewMatch(index=index, deal=deal, match_id=f"match-{index}", bots=order)
            for index, (deal, order) in enumerate(seatings)
        ),
    )


def finished_match(sha256: str = "a" * 64, *, record: bytes = b"{}\n") -> FinishedMatch:
    """Return what a worker commits: three entrants, one hand, entrant 0 won 2 points of entrant 1."""
    points = (2, -2, 0)
    return FinishedMatch(
        result=MatchResult(
            tuple(
                EntrantResult(
                    points=won,
                    rank=rank,
                    hand_points=(won,),
                    hands_played=1,
                    wins=int(won > 0),
                    deal_ins=int(won < 0),
                    reveals=0,
                    faults=(),
                    forfeited_in=-1,
                )
                for won, rank in zip(points, (1, 3, 2), strict=True)
            )
        ),
        record=record,
        sha256=sha256,
        time_faults=0,
        decision_times=((1, 0), (0, 1), (1, 1)),
        faults=(),
        slowest=((), (), ()),
        log={"host": "here"},
    )
