"""The matches that a check is made of, and what is kept of each."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from kawuxing.engine import wall
from kawuxing.engine.actions import Action
from kawuxing.engine.faults import Fault
from kawuxing.engine.hand import Hand
from kawuxing.engine.rules import RuleSet, load_preset
from kawuxing.engine.testing import LivelyPlay
from kawuxing.engine.tiles import Kind
from kawuxing.runner.check.exchange import Ending, Exchange
from kawuxing.runner.check.hands import SCRIPTED, Opponents, ScriptedHand
from kawuxing.runner.check.situations import Situation, known_situations, situations_in
from kawuxing.runner.clock import ClockSettings
from kawuxing.runner.spec import EntrantSpec, FaultEvidence, HousePlayer, MatchSpec, NoShow, Outcome, Played

BOT: Final = "candidate"
"""What the bot is called in a check."""
_SEED: Final = wall.practice_seed("kawuxing check-bot")
_MATCH_ID_CHARACTERS: Final = 32


@dataclass(frozen=True, slots=True)
class Plan:
    """A match against opponents without bots, the same whenever it is played."""

    name: str
    preset: str
    hands: int
    bot: int
    """The entrant that is the bot."""
    opponents: Callable[[], HousePlayer]
    """Makes the one who plays all others, anew for each match."""
    wall_of: Callable[[int], tuple[Kind, ...]] | None = None
    aims: tuple[Situation, ...] = ()
    """The situations that it is there for."""

    @property
    def rules(self) -> RuleSet:
        """The rules."""
        return load_preset(self.preset)

    def match_id(self, attempt: int) -> str:
        """Return an id for a match by this plan: another for each attempt, as nobody plays a finished match again."""
        return self._digest(f"match {attempt}").hex()[:_MATCH_ID_CHARACTERS]

    def spec(
        self, match_id: str, clock: ClockSettings, *, max_faults: int, join_time: timedelta, waits_in_vain: bool
    ) -> MatchSpec:
        """Return the match to play; one that ``waits_in_vain`` has an opponent who never comes."""
        rules = self.rules
        deal_seed = self._digest("deal")
        opponents = self.opponents()
        others = [entrant for entrant in range(rules.entrants) if entrant != self.bot]
        return MatchSpec(
            tournament="check",
            match_id=match_id,
            rules=rules,
            hands=self.hands,
            deal_seed=deal_seed,
            clock=clock,
            max_faults=max_faults,
            entrants=tuple(
                EntrantSpec(
                    name=BOT if entrant == self.bot else f"opponent-{entrant}",
                    version="",
                    ticket=secrets.token_urlsafe(),
                    bot_seed=wall.bot_seed(deal_seed, entrant),
                )
                for entrant in range(rules.entrants)
            ),
            commitment=wall.commitment(_SEED),
            join_time=join_time,
            void_when_all_drop=False,
            wall_of=self.wall_of,
            house=dict.fromkeys(others[waits_in_vain:], opponents),
        )

    def _digest(self, purpose: str) -> bytes:
        return hashlib.sha256(b"/".join((_SEED, self.preset.encode(), self.name.encode(), purpose.encode()))).digest()


def scripted_plans(presets: Sequence[str], attempt: int) -> Iterator[Plan]:
    """Yield the scripted hands of every preset that have something in it to aim at; ``attempt`` tells seeds apart."""
    for preset in presets:
        for script in SCRIPTED:
            if not set(script.aims).isdisjoint(known_situations(load_preset(preset))):
                yield _scripted(script, preset, attempt)


def _scripted(script: ScriptedHand, preset: str, attempt: int) -> Plan:
    return Plan(
        name=f"{script.name}-{attempt}",
        preset=preset,
        hands=script.hand_count,
        bot=script.bot,
        opponents=lambda: Opponents(script),
        wall_of=lambda _: script.wall(load_preset(preset)),
        aims=script.aims,
    )


def whole_plan(preset: str, number: int, hands: int) -> Plan:
    """Return a match on shuffled walls against lively opponents; the bot's place changes with ``number``."""
    return Plan(
        name=f"whole-{number}",
        preset=preset,
        hands=hands,
        bot=number % load_preset(preset).entrants,
        opponents=lambda: _Lively(number),
    )


class _Lively:
    """Opponents who reveal, claim and kong often."""

    def __init__(self, seed: int) -> None:
        self._play = LivelyPlay(seed)

    def __call__(self, hand: Hand, seat: int, _legal: Sequence[Action]) -> Action:
        return self._play.answers(hand)[seat]


@dataclass(slots=True)
class Tried:
    """A match that was played, or was to be."""

    plan: Plan
    outcome: Outcome | None
    """None if the check ended it."""
    exchange: Exchange
    excused: frozenset[int] = frozenset()
    """Decisions whose faults are the check's doing."""
    disturbed: bool = True
    """Whether what was to happen to it did."""

    @property
    def faults(self) -> list[FaultEvidence]:
        """The bot's faults."""
        if not isinstance(self.outcome, Played):
            return []
        return [
            fault
            for fault in self.outcome.evidence.faults
            if fault.entrant == self.plan.bot and fault.decision_id not in self.excused
        ]

    @property
    def good(self) -> bool:
        """Whether the bot did nothing wrong."""
        return not self.problem

    @property
    def problem(self) -> str:
        """What the bot did wrong first, in words; empty if nothing."""
        if isinstance(self.outcome, NoShow):
            return self._told("it was assigned and not taken up in time")
        return self.fault_text(*Fault) or self.leaving_text

    def fault_text(self, *kinds: Fault) -> str:
        """Return the first fault of these kinds, in words; empty if there is none."""
        for fault in self.faults:
            if fault.fault in kinds:
                return self._told(f"decision {fault.decision_id}: {fault.fault.value}: {fault.detail}")
        return ""

    @property
    def leaving_text(self) -> str:
        """How the bot left its table, in words; empty if it did not."""
        if self.exchange.superseded:
            return self._told(f"it sat down where it sat already (SUPERSEDED, {self.exchange.superseded} times)")
        count = self.exchange.endings[Ending.LEFT]
        times = "once" if count == 1 else f"{count} times"
        return self._told(f"its stream ended {times} before the match did: {Ending.LEFT.value}") if count else ""

    def _told(self, what: str) -> str:
        return f"match {self.plan.name} by {self.plan.preset}: {what}"

    def situations(self) -> frozenset[Situation]:
        """Return the situations that the bot was in; none if the match was not played."""
        if not isinstance(self.outcome, Played):
            return frozenset()
        return situations_in(self.outcome.record.data, self.plan.bot)
