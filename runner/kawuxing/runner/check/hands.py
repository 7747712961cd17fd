"""Made-to-measure hands: each brings the bot into situations that are rare in play, whatever the rules are.

Only dots and bamboo are used, which every rule set has. One opponent always holds nine gates in bamboo, so that a hand
that has served its purpose is soon over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from kawuxing.engine.actions import WIN, Action, ActionType, parse_action
from kawuxing.engine.faults import default_action
from kawuxing.engine.hand import Hand
from kawuxing.engine.rules import DEAL, RuleSet
from kawuxing.engine.testing import arranged_wall
from kawuxing.engine.tiles import Kind
from kawuxing.runner.check.situations import Situation

_NINE_GATES: Final = "1112345678999s"
_PATIENCE: Final = 4
"""Rounds of draws before an opponent wins."""


@dataclass(frozen=True, slots=True)
class ScriptedHand:
    """A wall, and what the opponents do at it."""

    name: str
    aims: tuple[Situation, ...]
    """What it is there for; that the bot comes there can depend on what it decides before."""
    hands: Mapping[int, str]
    """What is dealt, by seat."""
    bot: int = 1
    """The bot's entrant, which is its seat but where it rests."""
    wishes: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """What the opponents do as soon as they can, by seat."""
    first: str = ""
    """The first draws."""
    quiet: str = ""
    """Drawn next, a tile for each of the seats that are in turn before ``last`` is drawn."""
    between: int = 0
    """How many they are where there are three seats; a fourth is one more."""
    last: str = ""
    """Drawn after that."""
    hand_count: int = 1
    """How many hands the match has, all on this wall."""

    def wall(self, rules: RuleSet) -> tuple[Kind, ...]:
        """Return the wall."""
        between = self.between + rules.seats - 3 if self.between else 0
        draws = self.first + "".join(f"{rank}p" for rank in self.quiet[:between]) + self.last
        return arranged_wall(rules, [self.hands.get(seat, "") for seat in range(max(self.hands) + 1)], draws=draws)


SCRIPTED: Final = (
    ScriptedHand(
        name="win-on-draw",
        aims=(Situation.DISCARD, Situation.WIN_ON_DRAW),
        bot=0,
        hands={0: "1234567895588p", 1: _NINE_GATES},
        first="5p",
    ),
    ScriptedHand(
        name="everything-on-a-discard",
        aims=(Situation.WIN_ON_DISCARD, Situation.PUNG, Situation.DIRECT_KONG),
        hands={0: "5p", 1: "1234567895588p", 2: _NINE_GATES},
        wishes={0: ("DISCARD 5p",)},
    ),
    ScriptedHand(
        name="pung-then-kong",
        aims=(Situation.PUNG, Situation.DISCARD_AFTER_PUNG, Situation.ADDED_KONG),
        hands={0: "9p", 1: "1234569922p258s", 2: _NINE_GATES},
        wishes={0: ("DISCARD 9p",)},
        first="8p",
        quiet="778",
        between=2,
        last="9p",
    ),
    ScriptedHand(
        name="pung-or-kong",
        aims=(Situation.PUNG, Situation.DIRECT_KONG),
        hands={0: "9p", 1: "123456999p2258s", 2: _NINE_GATES},
        wishes={0: ("DISCARD 9p",)},
    ),
    ScriptedHand(
        name="concealed-kong",
        aims=(Situation.CONCEALED_KONG,),
        bot=0,
        hands={0: "9999p123p5p2258s", 1: _NINE_GATES},
        first="7p",
    ),
    ScriptedHand(
        name="pung-then-concealed-kong",
        aims=(Situation.CONCEALED_KONG_AFTER_PUNG,),
        hands={0: "2p", 1: "999922456p2588s", 2: _NINE_GATES},
        wishes={0: ("DISCARD 2p",)},
    ),
    ScriptedHand(
        name="reveal",
        aims=(Situation.REVEAL, Situation.REVEAL_FACE_DOWN, Situation.WHILE_REVEALED),
        bot=0,
        hands={0: "1119996785534p", 1: _NINE_GATES},
        first="3s",
        quiet="678",
        between=2,
        last="2p",
    ),
    ScriptedHand(
        name="rob-a-kong",
        aims=(Situation.ROB_KONG,),
        bot=2,
        hands={0: _NINE_GATES, 1: "88p", 2: "123999672244p3s"},
        wishes={0: ("DISCARD 8p",), 1: ("PUNG 8p", "ADDED_KONG 8p")},
        first="8p4p",
        quiet="17",
        between=1,
        last="8p",
    ),
    ScriptedHand(
        name="rest",
        aims=(Situation.REST,),
        bot=3,
        hands={0: "1234567895588p", 1: _NINE_GATES},
        wishes={0: ("WIN",)},
        first="5p",
        hand_count=2,
    ),
)


class Opponents:
    """Everybody but the bot: they do what the script wishes, else nothing that the bot could claim."""

    def __init__(self, script: ScriptedHand) -> None:
        """Play by this script."""
        self._bot = script.bot
        self._wishes = {seat: tuple(map(parse_action, texts)) for seat, texts in script.wishes.items()}

    def __call__(self, hand: Hand, seat: int, legal: Sequence[Action]) -> Action:
        """Decide."""
        table = hand.table
        for wish in self._wishes.get(seat, ()):
            if wish in legal:
                return wish
        if WIN in legal and len(table.wall) - table.remaining > (DEAL + _PATIENCE) * table.rules.seats:
            return WIN
        default = default_action(legal, hand.drawn(seat))
        discards = [action for action in legal if action.type is ActionType.DISCARD]
        return min(discards, key=lambda action: (self._wants(hand, action.tile), action != default), default=default)

    def _wants(self, hand: Hand, tile: Kind) -> bool:
        """Return whether the bot could claim a tile."""
        table = hand.table
        if self._bot not in table.entrants:
            return False
        bot = table.seats[table.entrants.index(self._bot)]
        return bot.concealed.counts[tile] > 1 or bool(bot.waits(table.rules) >> tile & 1)
