"""How many lines a second ``kawuxing rules score`` and ``rules play`` answer in one process, by CPU time.

The lines are hands of lively play under every preset: a line of play is a whole hand, a line of score one of its wins.
Run ``python benchmarks/rules_tools.py [hands]``.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from kawuxing.engine.events import HandWon, MeldType
from kawuxing.engine.hand import Hand
from kawuxing.engine.oracle import Query, answer_lines, play_query, score_query
from kawuxing.engine.rules import load_preset, preset_names
from kawuxing.engine.testing import LivelyPlay
from kawuxing.engine.tiles import TEXT

BASELINE_NAME: Final = "json.loads of the same questions and json.dumps of the same answers"
DEFAULT_HANDS: Final = 2200
PARTS: Final = 20
"""Tool and baseline take turns, so that a busy machine slows both down."""
_MELDS: Final = {MeldType.DIRECT_KONG: "exposed_kong"}


def questions(hands: int) -> tuple[list[bytes], list[bytes]]:
    """Return this many questions about play, and one about the score of every win in it."""
    names = preset_names()
    play: list[bytes] = []
    score: list[bytes] = []
    for number in range(hands):
        name = names[number % len(names)]
        rules, lively = load_preset(name), LivelyPlay(number)
        wall = lively.wall(rules)
        hand = Hand(rules, wall, 0)
        events = hand.start()
        decisions = []
        while hand.pending():
            answers = lively.answers(hand)
            decisions.append({seat: str(action) for seat, action in answers.items()})
            events = hand.apply(answers)
        question = {"rules": name, "wall": [TEXT[kind] for kind in wall], "dealer": 0, "decisions": decisions}
        play.append(_line(question))
        score += [_line({"rules": name, **_won(hand, won)}) for won in events if isinstance(won, HandWon)]
    return play, score


def _won(hand: Hand, won: HandWon) -> dict[str, Any]:
    seat = hand.table.seats[won.seat]
    claimed = () if won.source == won.seat else (won.tile,)
    return {
        "concealed": [TEXT[kind] for kind in (*seat.kinds(), *claimed)],
        "melds": [[_MELDS.get(meld.type, meld.type), TEXT[meld.tile]] for meld in seat.melds],
        "winning_tile": TEXT[won.tile],
        "flags": ["self_draw"] * (won.source == won.seat) + ["revealed"] * seat.revealed,
    }


def _line(question: dict[str, Any]) -> bytes:
    return json.dumps(question, separators=(",", ":")).encode()


def measure(lines: Sequence[bytes], query: Query) -> tuple[float, float]:
    """Return the CPU seconds that answering takes, and those of the baseline."""
    answers = [answer_lines([line], 1, query) for line in lines]

    def plain(first: int, last: int) -> None:
        for line, answer in zip(lines[first:last], decoded[first:last], strict=True):
            json.loads(line)
            json.dumps(answer)

    def tool(first: int, last: int) -> None:
        answer_lines(lines[first:last], 1, query)

    decoded = [json.loads(answer) for answer in answers]
    if any("error" in answer for answer in decoded):
        raise SystemExit("a question was not understood")
    tool_seconds = plain_seconds = 0.0
    for part in range(PARTS):
        bounds = part * len(lines) // PARTS, (part + 1) * len(lines) // PARTS
        tool_seconds += _seconds(tool, *bounds)
        plain_seconds += _seconds(plain, *bounds)
    return tool_seconds, plain_seconds


def _seconds(run: Callable[[int, int], None], first: int, last: int) -> float:
    begin = time.process_time()
    run(first, last)
    return time.process_time() - begin


def main() -> None:
    """Print lines per CPU second of both tools, and how they compare to the baseline."""
    play, score = questions(int(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_HANDS)
    for name, lines, query in (("play", play, play_query), ("score", score, score_query)):
        seconds, baseline = measure(lines, query)
        print(
            f"rules {name}: {len(lines) / seconds:.0f} lines per CPU second ({len(lines)} lines), "
            f"{baseline / seconds:.3f} times the baseline of {len(lines) / baseline:.0f}: {BASELINE_NAME}"
        )


if __name__ == "__main__":
    main()
