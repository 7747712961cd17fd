"""Standings: from the results of matches, in any order, to a leaderboard (docs/ratings.md)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from scipy.stats import t as student_t

from kawuxing.engine.faults import Fault
from kawuxing.engine.match import EntrantResult, MatchResult
from kawuxing.runner.decision_times import DecisionTimes
from kawuxing.scheduler.config import BotConfig, TournamentConfig, Walls
from kawuxing.scheduler.leaderboard import DecisionTimeSummary, Flag, Leaderboard, Row
from kawuxing.scheduler.ratings import (
    CONFIDENCE,
    MIN_CLUSTERS,
    PRIOR,
    DisconnectedBotsError,
    Ranking,
    Ratings,
    rate,
)

TIME_FAULTS: Final = (Fault.TIMEOUT, Fault.DISCONNECTED)
"""Faults that need not happen again when the same match is played again."""


@dataclass(frozen=True, slots=True)
class MatchOutcome:
    """The one result of a match, as standings read it."""

    index: int
    deal: int
    bots: tuple[str, ...]
    """By entrant."""
    result: MatchResult
    decision_times: tuple[DecisionTimes, ...] = ()
    """By entrant; from the stream beside the record, so it can be absent."""


def leaderboard(
    config: TournamentConfig,
    outcomes: Iterable[MatchOutcome],
    *,
    provisional: bool = False,
    withdrawn: Mapping[str, str] | None = None,
) -> Leaderboard:
    """Return the standings after ``outcomes``, in any order; see :meth:`Tally.leaderboard`."""
    tally = Tally(config)
    for outcome in outcomes:
        tally.add(outcome)
    return tally.leaderboard(provisional=provisional, withdrawn=withdrawn)


class Tally:
    """Counts results as they come; everything counted is a whole number, so that their order cannot matter."""

    def __init__(self, config: TournamentConfig) -> None:
        """Begin with no result of the tournament of ``config``."""
        self._config = config
        self._duplicate = config.schedule.walls is Walls.DUPLICATE
        self._counted: set[int] = set()
        self._rankings: Counter[Ranking] = Counter()
        self._bots = {bot.name: _BotTally([0] * config.rules.entrants) for bot in config.bots}

    def add(self, outcome: MatchOutcome) -> None:
        """Count a match. Raises ValueError if it has been counted before, or a bot is not of this tournament."""
        if outcome.index in self._counted:
            raise ValueError(f"match {outcome.index} is counted already: expected every match once")
        strangers = [bot for bot in outcome.bots if bot not in self._bots]
        if strangers:
            raise ValueError(f"match {outcome.index} has {strangers[0]!r}: expected bots of the tournament")
        self._counted.add(outcome.index)
        entrants = outcome.result.entrants
        ranks = tuple(entrant.rank for entrant in entrants)
        rated = any(entrant.forfeited_in < 0 for entrant in entrants)
        if rated:
            self._rankings[Ranking(outcome.bots, ranks, outcome.deal if self._duplicate else 0)] += 1
        hands = _counted_hands(entrants)
        cluster = outcome.deal if self._duplicate else outcome.index
        for place, (bot, entrant) in enumerate(zip(outcome.bots, entrants, strict=True)):
            tally = self._bots[bot]
            tally.count(entrant, hands, cluster)
            if rated:
                tally.places[entrant.rank - 1] += 1
                tally.double_ranks += 2 * entrant.rank + ranks.count(entrant.rank) - 1
            if outcome.decision_times:
                tally.times += outcome.decision_times[place]

    def leaderboard(self, *, provisional: bool = False, withdrawn: Mapping[str, str] | None = None) -> Leaderboard:
        """Return the standings.

        ``provisional`` says that matches are still to come; ``withdrawn`` gives the reason for every withdrawn bot: its
        matches count, but it is not ranked.
        """
        reasons = withdrawn or {}
        ratings: Ratings | None = None
        notes: list[str] = []
        if provisional:
            notes.append(f"provisional: {len(self._counted)} of {self._config.matches} matches played")
        if self._config.practice:
            notes.append("practice tournament: its seed is a text, which can be guessed")
        if self._duplicate:
            notes.append("duplicate deals, trusted bots")
        if self._rankings:
            try:
                ratings = rate(self._rankings, by_deal=self._duplicate)
            except DisconnectedBotsError as error:
                notes.append(f"not ranked: {error}")
        too_few = ratings is not None and ratings.clusters < MIN_CLUSTERS
        if ratings and too_few:
            kind = "deals" if self._duplicate else "matches"
            notes.append(f"too few {kind}: {ratings.clusters}, and intervals need at least {MIN_CLUSTERS}")
        time_faults = sum(tally.faults[fault] for tally in self._bots.values() for fault in TIME_FAULTS)
        if time_faults:
            notes.append(f"not reproducible: {time_faults} faults depended on time")
        if ratings:
            notes.append(
                "Elo: Plackett-Luce ratings, 0 is the average bot; "
                f"each bot has {PRIOR:g} extra tie with an average one (docs/ratings.md)"
            )
        return Leaderboard(
            tournament=self._config.slug,
            name=self._config.name,
            played=len(self._counted),
            scheduled=self._config.matches,
            rated=self._rankings.total(),
            provisional=provisional,
            practice=self._config.practice,
            duplicate=self._duplicate,
            too_few=too_few,
            time_faults=time_faults,
            notes=tuple(notes),
            rows=self._rows(ratings, reasons),
        )

    def _rows(self, ratings: Ratings | None, withdrawn: Mapping[str, str]) -> tuple[Row, ...]:
        rated = {} if ratings is None else dict(zip(ratings.bots, map(_rounded, ratings.elo), strict=True))
        ranked = sorted(elo for bot, elo in rated.items() if bot not in withdrawn)
        rows: list[Row] = []
        for bot in self._config.bots:
            elo = rated.get(bot.name)
            rank = None if elo is None or bot.name in withdrawn else sum(other > elo for other in ranked) + 1
            rows.append(self._row(bot, ratings, rank, elo, withdrawn.get(bot.name)))
        return tuple(sorted(rows, key=lambda row: (row.rank is None, row.rank or 0, row.bot)))

    def _row(
        self, bot: BotConfig, ratings: Ratings | None, rank: int | None, elo: float | None, withdrawn: str | None
    ) -> Row:
        tally = self._bots[bot.name]
        places = sum(tally.places)
        per_hand, points_margin = tally.points_per_hand()
        low = high = None
        stronger: dict[str, float | None] = {}
        if ratings and elo is not None:
            index = ratings.bots.index(bot.name)
            margin = ratings.margins[index]
            if margin is not None:
                low, high = _rounded(ratings.elo[index] - margin), _rounded(ratings.elo[index] + margin)
            stronger = {
                other: None if chance is None else _rounded(chance, 3)
                for other, chance in zip(ratings.bots, ratings.stronger[index], strict=True)
                if other != bot.name
            }
        return Row(
            rank=rank,
            bot=bot.name,
            version=bot.version,
            elo=elo,
            low=low,
            high=high,
            matches=tally.matches,
            places=tuple(tally.places),
            average_rank=_rounded(tally.double_ranks / 2 / places, 3) if places else None,
            hands=tally.hands,
            points=tally.points,
            points_per_hand=per_hand,
            points_margin=points_margin,
            wins=tally.wins,
            deal_ins=tally.deal_ins,
            reveals=tally.reveals,
            forfeits=tally.forfeits,
            faults={fault: tally.faults[fault] for fault in Fault},
            stronger=stronger,
            times=_summary(tally.times),
            flags=_flags(bot.name, tally, ratings, withdrawn),
            withdrawn=withdrawn,
        )


@dataclass(slots=True)
class _BotTally:
    """What one bot's results add up to."""

    places: list[int]
    matches: int = 0
    double_ranks: int = 0
    """Twice the sum of its ranks, tied bots sharing the mean of their places."""
    wins: int = 0
    deal_ins: int = 0
    reveals: int = 0
    forfeits: int = 0
    faults: Counter[Fault] = field(default_factory=Counter)
    times: DecisionTimes = field(default_factory=DecisionTimes)
    clusters: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Points and hands by cluster of dependent matches."""

    def count(self, entrant: EntrantResult, hands: int, cluster: int) -> None:
        """Count what it did in a match whose first ``hands`` hands count for points."""
        self.matches += 1
        self.wins += entrant.wins
        self.deal_ins += entrant.deal_ins
        self.reveals += entrant.reveals
        self.forfeits += entrant.forfeited_in >= 0
        self.faults.update(entrant.faults)
        points, before = self.clusters.get(cluster, (0, 0))
        self.clusters[cluster] = points + sum(entrant.hand_points[:hands]), before + hands

    @property
    def points(self) -> int:
        """Points won or lost in all hands that count."""
        return sum(points for points, _ in self.clusters.values())

    @property
    def hands(self) -> int:
        """All hands that count."""
        return sum(hands for _, hands in self.clusters.values())

    def points_per_hand(self) -> tuple[float | None, float | None]:
        """Return the mean and half the width of its interval, by clusters (CR1); None where there is too little."""
        hands, clusters = self.hands, len(self.clusters)
        if not hands:
            return None, None
        # In whole numbers until the end, so that no order of summation shows.
        mean = Fraction(self.points, hands)
        if clusters < MIN_CLUSTERS:
            return _rounded(float(mean), 3), None
        squares = sum((own * mean.denominator - mean.numerator * part) ** 2 for own, part in self.clusters.values())
        variance = Fraction(squares * clusters, (clusters - 1) * (hands * mean.denominator) ** 2)
        margin = float(student_t.ppf((1 + CONFIDENCE) / 2, clusters - 1)) * math.sqrt(variance)
        return _rounded(float(mean), 3), _rounded(margin, 3)


def _counted_hands(entrants: Iterable[EntrantResult]) -> int:
    """Return how many hands count for points: all until the one in which somebody forfeits, that one included."""
    return min(len(own.hand_points) if own.forfeited_in < 0 else own.forfeited_in + 1 for own in entrants)


def _flags(bot: str, tally: _BotTally, ratings: Ratings | None, withdrawn: str | None) -> tuple[Flag, ...]:
    flags: list[Flag] = []
    if ratings and bot in ratings.always_ahead:
        flags.append(Flag.ALWAYS_AHEAD)
    elif ratings and bot in ratings.never_ahead:
        flags.append(Flag.NEVER_AHEAD)
    elif ratings and bot in ratings.bots and bot not in ratings.core:
        flags.append(Flag.SEPARATED)
    if not any(tally.places):
        flags.append(Flag.NO_MATCHES)
    if withdrawn is not None:
        flags.append(Flag.WITHDRAWN)
    return tuple(flags)


def _summary(times: DecisionTimes) -> DecisionTimeSummary | None:
    if not times.count:
        return None
    median, p95, longest = (_rounded(times.quantile(share), 3) for share in (0.5, 0.95, 1.0))
    return DecisionTimeSummary(times.count, median, p95, longest)


def _rounded(value: float, digits: int = 1) -> float:
    """Return ``value`` as it is published; never minus zero."""
    return round(value, digits) + 0.0
