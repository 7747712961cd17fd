"""What the Python kit does in a second of CPU time, for authors who search or train (docs/bots/kit.md).

The hands are those that greedy bots had to discard from. Run ``python benchmarks/kit.py [matches]``.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from kawuxing.bots import Arena, Holding, Turn
from kawuxing.bots import pettingzoo as environments
from kawuxing.bots.greedy import GreedyBot
from kawuxing.bots.main import SHIPPED, shipped_bot
from kawuxing.engine.actions import DISCARD, Action
from kawuxing.engine.scoring import Circumstances

DEFAULT_MATCHES: Final = 20
HANDS: Final = 4

_turns: Final[list[Turn]] = []


class _Noting(GreedyBot):
    def choose(self, turn: Turn) -> Action:
        _turns.append(turn)
        return super().choose(turn)


def measure(name: str, work: Callable[[], int]) -> None:
    """Do the work, which returns how often it was done, and print how often that is in a CPU second."""
    start = time.process_time()
    times = work()
    print(f"{name:44} {times / (time.process_time() - start):10,.0f} a second")


def every(ask: Callable[[Holding], object], holdings: Sequence[Holding]) -> Callable[[], int]:
    """Return work that asks a question about every holding."""

    def work() -> int:
        for holding in holdings:
            ask(holding)
        return len(holdings)

    return work


def play_as_guests(arena: Arena, matches: int) -> int:
    """Answer at random for all entrants, and return how many answers those were."""
    answers = 0
    for index in range(matches):
        match = arena.match([None] * arena.rules.entrants, hands=HANDS, index=index)
        for turn in match:
            match.answer(turn.random.choice(turn.legal))
            answers += 1
    return answers


def play_shipped(arena: Arena, name: str, matches: int) -> int:
    """Let a shipped bot play itself, and return how many hands those were."""
    bots = [shipped_bot(name)] * arena.rules.entrants
    return HANDS * sum(1 for _ in arena.series(bots, matches=matches, hands=HANDS))


def play_environment(matches: int) -> int:
    """Act at random for all agents, and return how many actions those were."""
    env = environments.env(hands=HANDS)
    chooser = random.Random(0)
    actions = 0
    for seed in range(matches):
        env.reset(seed=seed)
        for _ in env.agent_iter():
            observation, _, terminated, _, _ = env.last()
            if terminated:
                env.step(None)
            else:
                env.step(chooser.choice(observation["action_mask"].nonzero()[0].tolist()))
                actions += 1
    return actions


def main(matches: int) -> None:
    """Print one line for each thing that is measured."""
    arena = Arena(seed="kit")
    for _ in arena.series([_Noting] * arena.rules.entrants, matches=matches, hands=HANDS):
        pass
    held = [
        Holding.of(arena.rules, turn.observation).after(action)
        for turn in _turns
        for action in turn.legal
        if action in DISCARD
    ]
    ready = [holding for holding in held if holding.waits]
    measure("Holding.shanten", every(lambda holding: holding.shanten, held))
    measure("Holding.acceptance", every(lambda holding: holding.acceptance, held))
    measure("Holding.waits", every(lambda holding: holding.waits, held))
    measure("Holding.would_win", every(lambda holding: holding.would_win(min(holding.waits), Circumstances()), ready))
    measure("answers for the guests of Arena.match", lambda: play_as_guests(arena, matches))
    measure("steps of the PettingZoo environment", lambda: play_environment(matches))
    for name in SHIPPED:
        measure(f"hands between three {name} bots", partial(play_shipped, arena, name, matches))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_MATCHES)
