"""How many hands a second the engine plays with random legal play, in one process, by CPU time.

Everything is counted: shuffling, dealing, legal actions, events. Run ``python benchmarks/engine_hands.py [hands]``.
"""

from __future__ import annotations

import os
import platform
import random
import sys
import time
from pathlib import Path
from typing import Final

from kawuxing.engine.hand import Hand
from kawuxing.engine.rules import RuleSet, load_preset

BASELINE: Final = 190
BASELINE_NAME: Final = "jansou (pure Python), 3-player, random legal play, from docs"
GOAL: Final = 700
SEED: Final = 1
DEFAULT_HANDS: Final = 3000


def play(rules: RuleSet, hands: int, seed: int) -> tuple[int, int]:
    """Play this many hands and return how many decisions were asked for and how many events there were."""
    rng = random.Random(seed)
    wall = list(rules.tile_list)
    decisions = events = 0
    for number in range(hands):
        rng.shuffle(wall)
        hand = Hand(rules, wall, number % rules.seats)
        events += len(hand.start())
        while pending := hand.pending():
            decisions += len(pending)
            events += len(hand.apply({seat: rng.choice(legal) for seat, legal in pending.items()}))
    return decisions, events


def cpu_model() -> str:
    """Return the processor's name, as far as the system tells."""
    info = Path("/proc/cpuinfo")
    names = (
        [line.split(":")[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
        if (info.exists())
        else []
    )
    return names[0] if names else platform.processor() or "unknown processor"


def main() -> None:
    """Play, and print the figure, its ratio to the baseline and to the goal, and the machine."""
    hands = int(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_HANDS
    rules = load_preset()
    play(rules, 50, SEED)
    begin = time.process_time()
    decisions, events = play(rules, hands, SEED)
    seconds = time.process_time() - begin
    rate = hands / seconds
    print(
        f"{rate:.0f} hands per CPU second ({hands} hands, {decisions / hands:.1f} decisions and "
        f"{events / hands:.1f} events each, {1e6 * seconds / decisions:.1f} µs a decision)"
    )
    print(f"{rate / BASELINE:.2f} times the baseline: {BASELINE} hands per CPU second: {BASELINE_NAME}")
    print(f"{rate / GOAL:.2f} times the goal of {GOAL}")
    print(f"{platform.python_implementation()} {platform.python_version()}, {cpu_model()}, {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
