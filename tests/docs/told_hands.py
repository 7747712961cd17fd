"""Playing the hands that the guide tells, line by line as ``kawuxing record show`` prints them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tests.docs.guide_text import NAMES

from kawuxing.cli.record_text import record_lines
from kawuxing.engine.actions import Action, parse_action
from kawuxing.engine.match import Answer
from kawuxing.engine.record import RecordedEntrant, RecordedMatch, RecordHeader
from kawuxing.engine.replay import Replay
from kawuxing.engine.rules import RuleSet
from kawuxing.engine.testing import arranged_wall
from kawuxing.engine.tiles import TEXT, parse_kinds

_ACTIONS: Final = {
    r"(\w+) discards (\w+)": "DISCARD",
    r"(\w+) pungs (\w+) from \w+": "PUNG",
    r"(\w+) declares direct kong (\w+) from \w+": "DIRECT_KONG",
    r"(\w+) declares concealed kong (\w+)": "CONCEALED_KONG",
    r"(\w+) declares added kong (\w+)": "ADDED_KONG",
    r"(\w+) wins on \w+ .*": "WIN",
    r"(\w+) chooses PASS .*": "PASS",
}
_REVEALS: Final = re.compile(r" reveals [^,]+(?:, face down (?P<face_down>[^,]+))?, waiting on ")
_UNTOLD: Final = re.compile(r" chooses (?!PASS )")
_RUNS: Final = re.compile(r"(?<=\S) +")


def replayed(rules: RuleSet, told: Sequence[str]) -> list[str]:
    """Play the hand that ``told`` tells, and return it as told by the engine: decisions are told if they are PASS.

    Columns are closed up. The hand has to begin with the deal and to end with what everybody won or lost.
    """
    moves = [line.strip() for line in told]
    match = RecordedMatch(_header(rules), lambda _: _wall(rules, moves))
    match.start()
    actions = _actions(moves)
    while pending := match.pending():
        match.apply(_answers(pending, actions))
    lines = record_lines(Replay(match.finish().data), only_hand=0)
    hand = [_RUNS.sub(" ", line) for line in lines if not _UNTOLD.search(line)]
    begin = next(number for number, line in enumerate(hand) if line.startswith("hand 0"))
    end = next(number for number, line in enumerate(hand) if line.startswith("  hand: "))
    return hand[begin : end + 1]


def _answers(pending: Mapping[int, Sequence[Action]], actions: Iterator[tuple[int, Action]]) -> dict[int, Answer]:
    """Take the answers of the asked seats from what is told next, passing over moves that were no choice."""
    answers: dict[int, Answer] = {}
    while len(answers) < len(pending):
        seat, action = next(actions)
        if seat in pending:
            answers[seat] = Answer(action)
    return answers


def _actions(told: Sequence[str]) -> Iterator[tuple[int, Action]]:
    face_down: str | None = None
    for line in told:
        if revealed := _REVEALS.search(line):
            face_down = "".join(f" {TEXT[kind]}" for kind in parse_kinds(revealed["face_down"] or ""))
        for pattern, name in _ACTIONS.items():
            if found := re.fullmatch(pattern, line):
                tile = found[2] if found.re.groups > 1 else ""
                text = f"{name} {tile}".strip()
                if name == "DISCARD" and face_down is not None:
                    text, face_down = f"REVEAL {tile}{face_down}", None
                yield NAMES.index(found[1]), parse_action(text)


def _wall(rules: RuleSet, told: Sequence[str]) -> tuple[int, ...]:
    hands = [found[1] for line in told if (found := re.fullmatch(rf"(?:{'|'.join(NAMES)}) ((?:\d+[mpsz] ?)+)", line))]
    draws = [found for line in told if (found := re.fullmatch(r"\w+ draws (\w+) \((a replacement, )?\d+ left\)", line))]
    return arranged_wall(
        rules,
        hands,
        draws="".join(found[1] for found in draws if not found[2]),
        replacements="".join(found[1] for found in draws if found[2]),
    )


def _header(rules: RuleSet) -> RecordHeader:
    entrants = tuple(RecordedEntrant(name) for name in NAMES[: rules.entrants])
    return RecordHeader("guide", "guide", 1, 1, entrants, rules, "0" * 64)
