"""The book in which the verdicts are kept while a check goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kawuxing.runner.check.exchange import FLOOD, FLOOD_TIME, Exchange
from kawuxing.runner.check.matches import Tried
from kawuxing.runner.check.report import TITLES, Finding, Verdict
from kawuxing.runner.launcher import BotExited
from kawuxing.runner.spec import Played


def any_problem(tried: Tried) -> str:
    """Return whatever the bot did wrong in a match; empty if nothing."""
    return tried.problem


class Findings:
    """One verdict for each check; a later one takes the place of an earlier."""

    def __init__(self, lobby: Exchange) -> None:
        """Begin empty; ``lobby`` is shown for failures that belong to no match."""
        self._lobby = lobby
        self._found: dict[str, Finding] = {}

    def listed(self, otherwise: str) -> tuple[Finding, ...]:
        """Return a finding for every check; those without a verdict were not run, for the reason given."""
        return tuple(self._found.get(check, Finding(check, Verdict.NOT_RUN, otherwise)) for check in TITLES)

    def enter(self, check: str, verdict: Verdict, why: str = "", **figures: Any) -> None:
        """Enter a verdict."""
        self._found[check] = Finding(check, verdict, why, figures)

    def passed(self, check: str, **figures: Any) -> None:
        """Enter that all is well."""
        self.enter(check, Verdict.PASSED, **figures)

    def warned(self, check: str, why: str, **figures: Any) -> None:
        """Enter a warning; with an empty ``why`` there is none, and all is well."""
        self.enter(check, Verdict.WARNING if why else Verdict.PASSED, why, **figures)

    def failed(self, check: str, why: str, exchange: Exchange | None = None, decision: int | None = None) -> None:
        """Enter a failure, with what was said around it."""
        said = exchange.excerpt(decision) if exchange is not None else []
        self._found[check] = Finding(check, Verdict.FAILED, why, {}, tuple(said or self._lobby.excerpt()))

    def judge(
        self,
        check: str,
        tried: Sequence[Tried],
        figures: Mapping[str, Any],
        problem: Callable[[Tried], str] = any_problem,
    ) -> None:
        """Enter a failure if there is a problem in one of the matches."""
        bad = [each for each in tried if problem(each)]
        if not bad:
            self.passed(check, **figures)
            return
        others = len(bad) - 1
        more = f" (and in {others} more {'match' if others == 1 else 'matches'})" if others else ""
        decision = bad[0].faults[0].decision_id if bad[0].faults else None
        self.failed(check, problem(bad[0]) + more, bad[0].exchange, decision)

    def judge_same(self, check: str, first: Sequence[Tried], again: Sequence[Tried]) -> None:
        """Enter a failure if the bot decided otherwise when matches were played again."""
        for one, other in zip(first, again, strict=False):
            difference = _difference(one, other)
            if difference is not None:
                decision, choices = difference
                why = f"match {one.plan.name} by {one.plan.preset}: decision {decision}: {choices}"
                self.failed(check, why, other.exchange, decision)
                return
        self.passed(check, matches=len(again))

    def judge_flood(self) -> None:
        """Fail ``join`` for a flood of Joins that were refused, whatever else is said of it."""
        lobby = self._lobby
        if lobby.flooded:
            flood = (
                f"{lobby.refused} of its Joins were refused, more than {FLOOD} of them within {FLOOD_TIME:g} s, "
                f"the last: {lobby.last_refusal}"
            )
            why = "; ".join(filter(None, (self._found["join"].why, flood)))
            said = tuple(lobby.excerpt(ending=lobby.last_refusal))
            self._found["join"] = Finding("join", Verdict.FAILED, why, {}, said)

    def blame(self, check: str, exits: Sequence[BotExited]) -> None:
        """Fail a check if the bot's process ended by itself meanwhile."""
        if exits:
            before = self._found[check]
            self.failed(check, "; ".join(filter(None, (f"its process ended: {exits[0].reason}", before.why))))
            if before.exchange:
                self._found[check] = replace(self._found[check], exchange=before.exchange)


def _difference(one: Tried, other: Tried) -> tuple[int, str] | None:
    """Return the number of the bot's first decision that differs, and how."""
    if not isinstance(one.outcome, Played) or not isinstance(other.outcome, Played):
        return None
    choices = [
        [line["chosen"] for line in map(json.loads, data.splitlines()) if line.get("entrant") == one.plan.bot]
        for data in (one.outcome.record.data, other.outcome.record.data)
    ]
    for number, (first, second) in enumerate(zip(*choices, strict=False)):
        if first != second:
            return number, f"{first} the first time, {second} the second, from the same bot_seed"
    return None
