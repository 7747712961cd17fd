"""``greedy``: the fastest way to a ready hand, whatever it is worth and whatever it costs."""

from __future__ import annotations

from collections.abc import Iterable

from kawuxing.bots.bot import Bot, MatchInfo, Turn
from kawuxing.bots.sight import KONGS, Counts, Sight, add, after_claim, tiles_left
from kawuxing.engine.actions import DISCARD, PASS, WIN, Action, ActionType
from kawuxing.engine.shanten import outlook, shanten
from kawuxing.engine.shapes import waits


class GreedyBot(Bot):
    """Wins whenever it can, reveals as soon as it is ready, and discards what leaves the most useful draws."""

    def __init__(self, match: MatchInfo) -> None:
        """Remember the rules."""
        super().__init__(match)
        self._rules = match.rules

    def choose(self, turn: Turn) -> Action:
        """Return the action that brings the hand forward fastest."""
        if WIN in turn.legal:
            return WIN
        sight = Sight(self._rules, turn.observation)
        distance = shanten(self._rules, sight.concealed, sight.melds)
        for action in turn.legal:
            if action.type in KONGS and (sight.me.revealed or self._after(action, sight) <= distance):
                return action
        if PASS in turn.legal:
            return self._claim(turn, sight, distance)
        reveals = {
            action: self._tiles_waited_on(action, sight) for action in turn.legal if action.type is ActionType.REVEAL
        }
        if any(reveals.values()):
            return max(reveals, key=reveals.__getitem__)
        kinds = [action.tile for action in turn.legal if action.type is ActionType.DISCARD]
        return DISCARD[self._best_discard(kinds, sight.concealed, sight.melds, sight.unseen)]

    def _after(self, action: Action, sight: Sight) -> int:
        """Return the shanten after a kong, before its replacement."""
        return shanten(self._rules, *after_claim(action, sight.concealed, sight.melds))

    def _claim(self, turn: Turn, sight: Sight, distance: int) -> Action:
        """Return the pung if it brings the hand forward, else PASS."""
        for action in turn.legal:
            if action.type is ActionType.PUNG:
                concealed, melds = after_claim(action, sight.concealed, sight.melds)
                if shanten(self._rules, concealed, melds) < distance:
                    return action
        return PASS

    def _tiles_waited_on(self, reveal: Action, sight: Sight) -> int:
        kept = add(sight.concealed, reveal.tile, -1)
        return tiles_left(waits(self._rules, kept, sight.melds), sight.unseen)

    def _best_discard(self, kinds: Iterable[int], concealed: Counts, melds: Counts, unseen: Counts) -> int:
        """Return the kind whose discard leaves the lowest shanten, then the most unseen tiles that lower it."""

        def outcome(kind: int) -> tuple[int, int]:
            distance, useful = outlook(self._rules, add(concealed, kind, -1), melds)
            return -distance, tiles_left(useful, unseen)

        return max(kinds, key=outcome)
