"""The kinds of decision that a rule set knows, and which of them a bot was asked for in a match."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from kawuxing.engine.actions import Action, ActionType
from kawuxing.engine.events import HandStarted
from kawuxing.engine.hand import Hand
from kawuxing.engine.replay import Replay
from kawuxing.engine.rules import ConcealedKongAfterPung, Reveal, RuleSet


class Situation(StrEnum):
    """What a bot can be asked to decide (RULES §2, §5), and what can happen to it instead."""

    DISCARD = "discard"
    DISCARD_AFTER_PUNG = "discard after a pung"
    WIN_ON_DRAW = "win on its own draw"
    WIN_ON_DISCARD = "win on a discard"
    ROB_KONG = "win on an added kong"
    PUNG = "pung"
    DIRECT_KONG = "direct kong"
    CONCEALED_KONG = "concealed kong"
    CONCEALED_KONG_AFTER_PUNG = "concealed kong after a pung"
    ADDED_KONG = "added kong"
    REVEAL = "reveal"
    REVEAL_FACE_DOWN = "reveal with pungs face down"
    WHILE_REVEALED = "decide while revealed"
    REST = "rest for a hand"
    """坐醒: nothing is asked, but the bot is told of the hand (RULES §8)."""


def known_situations(rules: RuleSet) -> tuple[Situation, ...]:
    """Return the situations that a bot can be in by these rules."""
    impossible = set()
    if not rules.rob_kong:
        impossible.add(Situation.ROB_KONG)
    if rules.reveal is Reveal.OFF:
        impossible |= {Situation.REVEAL, Situation.WHILE_REVEALED}
    if rules.reveal is not Reveal.WAIT:
        impossible.add(Situation.REVEAL_FACE_DOWN)
    if rules.concealed_kong_after_pung is ConcealedKongAfterPung.NEVER:
        impossible.add(Situation.CONCEALED_KONG_AFTER_PUNG)
    if not rules.sit_out:
        impossible.add(Situation.REST)
    return tuple(situation for situation in Situation if situation not in impossible)


def situations_in(record: bytes, entrant: int) -> frozenset[Situation]:
    """Return the situations that an entrant was in during a recorded match."""
    found: set[Situation] = set()
    replay = Replay(record)
    for step in replay:
        for event in step.events:
            if isinstance(event, HandStarted) and entrant not in event.entrants:
                found.add(Situation.REST)
        legal = replay.match.pending().get(entrant)
        if legal is not None:
            found |= _asked(replay.match.hand, replay.match.seat_of(entrant), legal)
    return frozenset(found)


def _asked(hand: Hand, seat: int, legal: Sequence[Action]) -> set[Situation]:
    table = hand.table
    types = {action.type for action in legal}
    found: set[Situation] = set()
    if table.seats[seat].revealed:
        found.add(Situation.WHILE_REVEALED)
    if ActionType.PASS in types:
        simple = {ActionType.PUNG: Situation.PUNG, ActionType.DIRECT_KONG: Situation.DIRECT_KONG}
        win = Situation.ROB_KONG if table.robbing else Situation.WIN_ON_DISCARD
    else:
        after_pung = hand.drawn(seat) < 0
        simple = {
            ActionType.DISCARD: Situation.DISCARD_AFTER_PUNG if after_pung else Situation.DISCARD,
            ActionType.CONCEALED_KONG: (
                Situation.CONCEALED_KONG_AFTER_PUNG if after_pung else Situation.CONCEALED_KONG
            ),
            ActionType.ADDED_KONG: Situation.ADDED_KONG,
            ActionType.REVEAL: Situation.REVEAL,
        }
        win = Situation.WIN_ON_DRAW
    found |= {situation for kind, situation in simple.items() if kind in types}
    if ActionType.WIN in types:
        found.add(win)
    if any(action.face_down for action in legal):
        found.add(Situation.REVEAL_FACE_DOWN)
    return found
