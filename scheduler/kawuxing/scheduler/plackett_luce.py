"""The Plackett-Luce model of rankings: its likelihood with ties, and the strengths that maximise it (docs/ratings.md).

Bots are numbers here. A bot of log-strength s finishes first among others with probability exp(s) / sum of exp; then
the same holds among the rest. A ranking with ties counts as the mean of the log-likelihoods of the orders it allows.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, permutations, product
from typing import Final

import numpy as np
from numpy.typing import NDArray

Pattern = tuple[tuple[int, ...], ...]
"""A ranking: groups of tied bots, the best first, each group ascending."""
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Bools = NDArray[np.bool_]

_TOLERANCE: Final = 1e-12
_ROUNDING: Final = 1e-8
"""Steps below this that no longer shrink are rounding errors."""
_MAX_STEPS: Final = 100


@dataclass(frozen=True, slots=True)
class _Stages:
    """Choices of one bot out of a set of ``k``, in which rankings fall apart: s of them."""

    rows: Integers
    """(s,) the pattern that each belongs to."""
    winners: Integers
    """(s,) the bot chosen."""
    members: Integers
    """(s, k) the set, the chosen bot included."""
    weights: Floats
    """(s,) how much of a ranking of this pattern each is; ties share."""


class Patterns:
    """Different rankings of the bots 0 … ``bots`` - 1, prepared for arithmetic."""

    def __init__(self, bots: int, patterns: Sequence[Pattern]) -> None:
        """Prepare ``patterns``. The order of bots and patterns decides the last bits of results, so sort them first."""
        self.bots = bots
        self.patterns = tuple(patterns)
        stages: dict[int, list[tuple[int, int, tuple[int, ...], float]]] = {}
        for row, pattern in enumerate(self.patterns):
            orders = math.prod(math.factorial(len(group)) for group in pattern)
            # Sorted, as the order of summation shows in the last bits.
            for (winner, members), count in sorted(Counter(_choices(pattern)).items()):
                stages.setdefault(len(members), []).append((row, winner, members, count / orders))
        self._stages = tuple(
            _Stages(
                rows=np.array([stage[0] for stage in listed], dtype=np.int64),
                winners=np.array([stage[1] for stage in listed], dtype=np.int64),
                members=np.array([stage[2] for stage in listed], dtype=np.int64),
                weights=np.array([stage[3] for stage in listed], dtype=np.float64),
            )
            for _, listed in sorted(stages.items())
        )

    def scores(self, strengths: Floats) -> Floats:
        """Return the gradient of each pattern's log-likelihood by the log-strengths: (patterns, bots)."""
        flat = np.zeros(len(self.patterns) * self.bots)
        for stages in self._stages:
            cells = stages.rows * self.bots
            chances = _chances(strengths, stages.members) * stages.weights[:, None]
            flat += np.bincount(cells + stages.winners, stages.weights, flat.size)
            flat -= np.bincount((cells[:, None] + stages.members).ravel(), chances.ravel(), flat.size)
        return flat.reshape(len(self.patterns), self.bots)

    def information(self, strengths: Floats, played: Integers) -> Floats:
        """Return the negative Hessian of the log-likelihood of ``played`` (patterns,) rankings: (bots, bots)."""
        flat = np.zeros(self.bots * self.bots)
        for stages in self._stages:
            weights = (stages.weights * played[stages.rows])[:, None]
            chances = _chances(strengths, stages.members)
            pairs = stages.members[:, :, None] * self.bots + stages.members[:, None, :]
            both = chances[:, :, None] * chances[:, None, :] * weights[:, :, None]
            flat -= np.bincount(pairs.ravel(), both.ravel(), flat.size)
            flat += np.bincount((stages.members * (self.bots + 1)).ravel(), (chances * weights).ravel(), flat.size)
        return flat.reshape(self.bots, self.bots)

    def ahead(self) -> Bools:
        """Return (bots, bots): whether the bot of the row ever finished ahead of, or tied with, that of the column."""
        result = np.zeros((self.bots, self.bots), dtype=np.bool_)
        for pattern in self.patterns:
            for place, group in enumerate(pattern):
                behind = list(chain.from_iterable(pattern[place:]))
                for bot in group:
                    result[bot, behind] = True
        np.fill_diagonal(result, val=False)
        return result


def fit(patterns: Patterns, played: Integers, prior: float) -> tuple[Floats, Floats]:
    """Return the log-strengths (bots,) of greatest likelihood and the information there (bots, bots), prior included.

    ``played`` (patterns,) says how often each pattern was the result. ``prior`` ties of each bot with a bot of
    log-strength 0 are added. Without any, the strengths sum to zero and the information is made regular by a constant
    in all its cells.

    Raises ArithmeticError if there is no maximum: without a prior, if some bots were never ahead of the others.
    """
    strengths = np.zeros(patterns.bots)
    previous = math.inf
    for _ in range(_MAX_STEPS):
        information = patterns.information(strengths, played)
        # A pattern's scores sum to zero; what rounding leaves of that would move all bots, which only the prior may.
        gradient = played @ patterns.scores(strengths)
        gradient -= gradient.mean()
        if prior:
            chances = 1 / (1 + np.exp(-strengths))
            gradient += prior * (0.5 - chances)
            information[np.diag_indices(patterns.bots)] += prior * chances * (1 - chances)
        else:
            information += np.trace(information) / patterns.bots**2
        step = np.linalg.solve(information, gradient)
        size = float(np.abs(step).max())
        if size <= _TOLERANCE * max(1.0, float(np.abs(strengths).max())) or previous / 2 <= size <= _ROUNDING:
            return strengths, information
        # The curvature changes at most by the factor exp(spread) on the way of a step; so damped, it never overshoots.
        spread = float(max(step.max(), 0) - min(step.min(), 0))
        strengths = strengths + step * (math.log1p(spread) / spread)
        previous = size
    raise ArithmeticError(f"no maximum likelihood after {_MAX_STEPS} steps: expected bots that all win and lose")


def pattern_of(bots: Sequence[int], ranks: Sequence[int]) -> Pattern:
    """Return the ranking in which ``bots`` have ``ranks``, smaller being better and equal tied."""
    groups: dict[int, list[int]] = {}
    for bot, rank in zip(bots, ranks, strict=True):
        groups.setdefault(rank, []).append(bot)
    return tuple(tuple(sorted(groups[rank])) for rank in sorted(groups))


def _choices(pattern: Pattern) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield, for every order that ``pattern`` allows, each bot with the ascending set out of which it came first."""
    for parts in product(*(permutations(group) for group in pattern)):
        order = tuple(chain.from_iterable(parts))
        for place in range(len(order) - 1):
            yield order[place], tuple(sorted(order[place:]))


def _chances(strengths: Floats, members: Integers) -> Floats:
    """Return each member's probability of coming first in its set: (s, k)."""
    powers = strengths[members]
    powers = np.exp(powers - powers.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True), dtype=np.float64)
