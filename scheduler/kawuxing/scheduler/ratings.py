"""Ratings: Elo with intervals from a Plackett-Luce model of match rankings (docs/ratings.md).

A pure function of the results. They are counted exactly and sorted before any arithmetic, so that the same results give
the same bits on one machine, in whatever order they came.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.stats import t as student_t

from kawuxing.engine.errors import KawuxingError
from kawuxing.scheduler.plackett_luce import Bools, Floats, Pattern, Patterns, fit, pattern_of

ELO_SCALE: Final = 400 / math.log(10)
"""Elo points of one unit of log-strength."""
PRIOR: Final = 1.0
"""How often each bot ties with an average bot before the first match."""
CONFIDENCE: Final = 0.95
MIN_CLUSTERS: Final = 20
"""With fewer independent clusters an interval would promise too much, and is not told."""


class RatingsError(KawuxingError):
    """Results that cannot be rated."""


class DisconnectedBotsError(RatingsError):
    """Bots that no chain of matches connects: nothing says how one group compares with another."""

    def __init__(self, groups: tuple[tuple[str, ...], ...]) -> None:
        """Tell the ``groups``, each connected in itself."""
        self.groups = groups
        listed = " with ".join("{" + ", ".join(group) + "}" for group in groups)
        super().__init__(f"no chain of matches connects {listed}: expected one before they are ranked")


@dataclass(frozen=True, slots=True)
class Ranking:
    """The outcome of one match, as far as ratings read it."""

    bots: tuple[str, ...]
    ranks: tuple[int, ...]
    """By entrant; smaller is better, equal is tied, and only the order counts."""
    deal: int = 0
    """The deal number."""


@dataclass(frozen=True, slots=True)
class Ratings:
    """Every bot's strength with its uncertainty. Elo 0 is the mean of the ``core``."""

    bots: tuple[str, ...]
    """Sorted by name; the other fields are in this order."""
    elo: tuple[float, ...]
    margins: tuple[float | None, ...]
    """Half the width of each 95 % interval, in Elo.

    None with fewer than MIN_CLUSTERS clusters, and for a bot outside the core.
    """
    stronger: tuple[tuple[float | None, ...], ...]
    """The probability that the bot of the row is stronger than the bot of the column, 0.5 for itself.

    None with fewer than MIN_CLUSTERS clusters, and for two bots whose distance rests on the prior.
    """
    matches: int
    """Matches that were rated."""
    clusters: int
    """Independent groups of matches: deals with duplicate walls, else matches."""
    always_ahead: tuple[str, ...]
    """Bots that nobody ever finished ahead of or tied with: only the prior keeps their Elo finite."""
    never_ahead: tuple[str, ...]
    """Bots that never finished ahead of or tied with anybody: likewise."""
    core: tuple[str, ...]
    """The largest group of bots, at least two, no part of which was always ahead of the rest of it.

    The distance of any other bot from these rests on the prior: the results alone would make it infinite. Empty if
    there is no such group; then Elo 0 is the mean of all bots.
    """


def rate(
    rankings: Iterable[Ranking] | Mapping[Ranking, int], *, by_deal: bool = False, prior: float = PRIOR
) -> Ratings:
    """Return the ratings that follow from ``rankings``, listed or counted, in any order.

    ``by_deal`` takes the matches of one deal as dependent on each other (duplicate walls). ``prior`` is the number of
    ties with an average bot that are added for each bot.

    Raises RatingsError if there is no ranking, or no ``prior`` and not all bots are in the core, and
    DisconnectedBotsError if no chain of matches connects some bots.
    """
    # Counting equal rankings first makes a million matches a matter of a second.
    listed = Counter(rankings)
    if not listed:
        raise RatingsError("there is no match to rate: expected at least one that not everybody forfeited")
    names = sorted({bot for ranking in listed for bot in ranking.bots})
    number = {name: index for index, name in enumerate(names)}
    counts: Counter[tuple[int, Pattern]] = Counter()
    for ranking, count in listed.items():
        pattern = pattern_of([number[bot] for bot in ranking.bots], ranking.ranks)
        counts[ranking.deal if by_deal else 0, pattern] += count
    patterns = Patterns(len(names), sorted({pattern for _, pattern in counts}))
    ahead = patterns.ahead()
    _check_connected(names, ahead)
    parts = connected_components(csr_array(ahead), directed=True, connection="strong")[1].tolist()
    # Of equally large parts, the one with the first name.
    largest = max(parts, key=parts.count)
    in_core = np.array([part == largest and parts.count(largest) > 1 for part in parts])
    if not prior and not in_core.all():
        raise RatingsError("some bots never finished ahead of the others: expected a prior to rate them")
    always_ahead = tuple(name for index, name in enumerate(names) if not ahead[:, index].any())
    never_ahead = tuple(name for index, name in enumerate(names) if not ahead[index].any())

    rows = {pattern: index for index, pattern in enumerate(patterns.patterns)}
    played = np.zeros(len(rows), dtype=np.int64)
    for (_, pattern), count in counts.items():
        played[rows[pattern]] += count
    strengths, information = fit(patterns, played, prior)
    reference = in_core if in_core.any() else np.ones_like(in_core)
    centred = strengths - strengths[reference].mean()
    scores = patterns.scores(strengths)
    if by_deal:
        scores = _sums_by_deal(scores, counts, rows)
        clusters, repeats = len(scores), np.ones(len(scores))
    else:
        clusters, repeats = int(played.sum()), played.astype(np.float64)
    margins: tuple[float | None, ...] = (None,) * len(names)
    stronger: tuple[tuple[float | None, ...], ...] = (margins,) * len(names)
    if clusters >= MIN_CLUSTERS:
        covariance = _covariance(information, scores, repeats, reference)
        quantile = ELO_SCALE * float(student_t.ppf((1 + CONFIDENCE) / 2, clusters - 1))
        errors = np.sqrt(np.clip(covariance.diagonal(), 0, None)).tolist()
        margins = tuple(quantile * error if inside else None for error, inside in zip(errors, in_core, strict=True))
        chances = _stronger(centred, covariance, clusters)
        stronger = tuple(
            tuple(chance if part == other else None for chance, other in zip(row, parts, strict=True))
            for row, part in zip(chances, parts, strict=True)
        )
    return Ratings(
        bots=tuple(names),
        elo=tuple((ELO_SCALE * centred).tolist()),
        margins=margins,
        stronger=stronger,
        matches=int(played.sum()),
        clusters=clusters,
        always_ahead=always_ahead,
        never_ahead=never_ahead,
        core=tuple(name for name, inside in zip(names, in_core, strict=True) if inside),
    )


def _check_connected(names: list[str], ahead: Bools) -> None:
    count, labels = connected_components(csr_array(ahead), directed=True, connection="weak")
    if count > 1:
        groups = (
            tuple(name for name, own in zip(names, labels, strict=True) if own == label) for label in range(count)
        )
        raise DisconnectedBotsError(tuple(groups))


def _sums_by_deal(scores: Floats, counts: Counter[tuple[int, Pattern]], rows: dict[Pattern, int]) -> Floats:
    """Return the sum of the scores of each deal's matches, by deal."""
    entries = sorted((deal, rows[pattern], count) for (deal, pattern), count in counts.items())
    deals = {deal: index for index, deal in enumerate(sorted({deal for deal, _, _ in entries}))}
    cells = ([deals[deal] for deal, _, _ in entries], [column for _, column, _ in entries])
    values = np.array([count for _, _, count in entries], dtype=np.float64)
    return np.asarray(csr_array((values, cells), shape=(len(deals), len(rows))) @ scores)


def _covariance(information: Floats, scores: Floats, repeats: Floats, reference: Bools) -> Floats:
    """Return the sandwich estimate (CR1) of the covariance of log-strengths measured from the mean of ``reference``.

    ``scores`` (g, bots) are those of clusters, each of which stands for ``repeats`` (g,) equal ones.
    """
    clusters = repeats.sum()
    meat = (scores * repeats[:, None]).T @ scores * (clusters / (clusters - 1))
    bread = np.linalg.inv(information)
    centring = np.eye(len(information)) - reference / reference.sum()
    half = centring @ bread
    return np.asarray(half @ meat @ half.T)


def _stronger(strengths: Floats, covariance: Floats, clusters: int) -> tuple[tuple[float, ...], ...]:
    variances = covariance.diagonal()
    errors = np.sqrt(np.clip(variances[:, None] + variances[None, :] - 2 * covariance, 0, None))
    gaps = strengths[:, None] - strengths[None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(gaps == 0, 0.0, gaps / errors)
    return tuple(tuple(row) for row in student_t.cdf(ratios, clusters - 1).tolist())
