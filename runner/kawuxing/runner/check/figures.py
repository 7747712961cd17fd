"""What is measured during a check, and what is concluded from the figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Final

from kawuxing.engine.rules import load_preset
from kawuxing.runner.check.findings import Findings
from kawuxing.runner.check.matches import Plan, Tried
from kawuxing.runner.check.report import Coverage, Verdict
from kawuxing.runner.check.situations import Situation, known_situations
from kawuxing.runner.decision_times import DecisionTimes
from kawuxing.runner.spec import Played

_MEBIBYTE: Final = 1 << 20
_GROWTH: Final = 1.0
"""MiB for each match that are growth, if they come to more than _GROWN in all."""
_GROWN: Final = 16
_SETTLED: Final = 1
"""The measurement after which growth counts: the second, after the scripted hands."""
_SHARES: Final = {"p50_ms": 0.5, "p95_ms": 0.95, "p99_ms": 0.99, "max_ms": 1.0}


class Asked:
    """Which situations the bot was in, by preset."""

    def __init__(self, presets: Sequence[str]) -> None:
        """Begin with none."""
        self._asked: dict[str, set[Situation]] = {preset: set() for preset in presets}

    def take_in(self, tried: Iterable[Tried]) -> None:
        """Look through matches."""
        for each in tried:
            self._asked[each.plan.preset] |= each.situations()

    def lacks(self, plan: Plan) -> bool:
        """Return whether a plan aims at a situation in which the bot was not yet."""
        return not set(plan.aims).intersection(known_situations(plan.rules)) <= self._asked[plan.preset]

    def coverage(self) -> tuple[Coverage, ...]:
        """Return what was reached and what was not."""
        return tuple(
            Coverage(
                preset,
                tuple(each.value for each in known_situations(load_preset(preset)) if each in asked),
                tuple(each.value for each in known_situations(load_preset(preset)) if each not in asked),
            )
            for preset, asked in self._asked.items()
        )


def decision_times(tried: Iterable[Tried]) -> DecisionTimes:
    """Return how long the bot's decisions took, in the matches that went well."""
    good = (each for each in tried if each.good)
    return sum(
        (each.outcome.times[each.plan.bot] for each in good if isinstance(each.outcome, Played)), DecisionTimes()
    )


def judge_times(findings: Findings, times: DecisionTimes, increment: timedelta) -> None:
    """Warn of decisions that take longer than the clock's increment."""
    figures = {name: round(times.quantile(share), 1) for name, share in _SHARES.items()}
    slow = figures["p95_ms"] > increment / timedelta(milliseconds=1)
    why = f"one decision in twenty takes longer than the increment of {increment.total_seconds():g} s" if slow else ""
    findings.warned(
        "decision-times", why, decisions=times.count, **figures, increment_ms=increment // timedelta(milliseconds=1)
    )


class Memory:
    """How much the bot takes, from time to time."""

    def __init__(self) -> None:
        """Begin without a measurement."""
        self._measured: list[tuple[int, int]] = []

    def add(self, matches: int, taken: int | None) -> None:
        """Note the bytes that it takes after so many matches; None if that cannot be measured."""
        if taken is not None:
            self._measured.append((matches, taken))

    @property
    def grows(self) -> bool:
        """Whether it grew between the last two measurements, not counting what it took to play everything once."""
        if len(self._measured) <= _SETTLED:
            return False
        return self._per_match > _GROWTH and self._grown > _GROWN

    def judge(self, findings: Findings) -> None:
        """Warn of a bot that still grows."""
        if not self._measured:
            why = "not measured: the bot is not launched here, or there is no /proc"
            findings.enter("memory", Verdict.NOT_RUN, why)
            return
        matches = self._measured[-1][0] - self._measured[_SETTLED][0]
        findings.warned(
            "memory",
            f"it grew by {self._grown:.0f} MiB in {matches} matches, and had not stopped" if self.grows else "",
            mib_at_start=round(self._measured[0][1] / _MEBIBYTE, 1),
            mib_at_end=round(self._measured[-1][1] / _MEBIBYTE, 1),
            mib_per_match=round(self._per_match, 2),
        )

    @property
    def _grown(self) -> float:
        return (self._measured[-1][1] - self._measured[_SETTLED][1]) / _MEBIBYTE

    @property
    def _per_match(self) -> float:
        (before, first), (after, last) = self._measured[-2:]
        return (last - first) / _MEBIBYTE / (after - before)
