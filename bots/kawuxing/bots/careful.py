"""``careful``: weighs what a hand is worth against what it may cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kawuxing.bots.bot import Bot, MatchInfo, Turn
from kawuxing.bots.sight import PUNG_SIZE, Counts, Sight, add, after_claim, count
from kawuxing.bots.worth import Appraiser
from kawuxing.engine.actions import WIN, Action, ActionType
from kawuxing.engine.events import MeldType
from kawuxing.engine.observation import Meld, SeatView
from kawuxing.engine.shapes import waits
from kawuxing.engine.tiles import Kind

_MELD_TYPES: Final = {
    ActionType.PUNG: MeldType.PUNG,
    ActionType.CONCEALED_KONG: MeldType.CONCEALED_KONG,
    ActionType.ADDED_KONG: MeldType.ADDED_KONG,
    ActionType.DIRECT_KONG: MeldType.DIRECT_KONG,
}


class CarefulBot(Bot):
    """Chooses what leaves the most expected points."""

    def __init__(self, match: MatchInfo) -> None:
        """Remember the rules."""
        super().__init__(match)
        self._rules = match.rules
        self._appraiser = Appraiser(match.rules)

    def choose(self, turn: Turn) -> Action:
        """Return the action with the most expected points.

        Among equals the one that keeps most face down, which tells the others least; then the first in canonical order.
        """
        if WIN in turn.legal:
            return WIN
        sight = Sight(self._rules, turn.observation)
        return max(turn.legal, key=lambda action: (self._value(action, sight), len(action.face_down)))

    def _value(self, action: Action, sight: Sight) -> float:
        match action.type:
            case ActionType.DISCARD:
                return self._discard_value(action.tile, sight)
            case ActionType.REVEAL:
                return self._reveal_value(action, sight)
            case ActionType.PASS:
                return self._keep(sight.concealed, sight.me.melds, sight)
            case ActionType.PUNG:
                return self._pung_value(action, sight)
            case _:
                return self._kong_value(action, sight)

    def _keep(self, concealed: Counts, melds: Sequence[Meld], sight: Sight) -> float:
        return self._appraiser.worth(concealed, melds, sight)

    def _discard_value(self, tile: Kind, sight: Sight) -> float:
        if sight.me.revealed:
            return -self._cost(tile, sight)
        return self._keep(add(sight.concealed, tile, -1), sight.me.melds, sight) - self._cost(tile, sight)

    def _reveal_value(self, action: Action, sight: Sight) -> float:
        kept = add(sight.concealed, action.tile, -1)
        mask = waits(self._rules, kept, sight.melds)
        hidden_pungs = bool(action.face_down)
        worth = self._appraiser.reveal_worth(kept, sight.me.melds, sight, mask, hidden_pungs=hidden_pungs)
        return worth - self._cost(action.tile, sight, revealing=True)

    def _pung_value(self, action: Action, sight: Sight) -> float:
        concealed, _ = after_claim(action, sight.concealed, sight.melds)
        melds = (*sight.me.melds, self._meld(action, sight))
        return max(
            self._keep(add(concealed, kind, -1), melds, sight) - self._cost(kind, sight)
            for kind, held in enumerate(concealed)
            if held
        )

    def _kong_value(self, action: Action, sight: Sight) -> float:
        rules = self._rules
        share = rules.seats - 1
        pays: float = {
            ActionType.CONCEALED_KONG: rules.concealed_kong_pays * share,
            ActionType.ADDED_KONG: rules.added_kong_pays * share,
            ActionType.DIRECT_KONG: rules.direct_kong_pays,
        }[action.type]
        if action.type is ActionType.ADDED_KONG and rules.rob_kong:
            pays -= self._cost(action.tile, sight, kong=True)
        if sight.me.revealed:
            return pays
        concealed, _ = after_claim(action, sight.concealed, sight.melds)
        melds = [meld for meld in sight.me.melds if meld.tile != action.tile]
        return pays + self._keep(concealed, (*melds, self._meld(action, sight)), sight)

    def _meld(self, action: Action, sight: Sight) -> Meld:
        return Meld(_MELD_TYPES[action.type], action.tile, sight.observation.seat)

    def _cost(self, tile: Kind, sight: Sight, *, revealing: bool = False, kong: bool = False) -> float:
        """Return what letting go of a tile costs at once."""
        cost = 0.0
        for view in sight.rivals:
            if view.revealed:
                cost += self._revealed_cost(tile, view, sight, revealing=revealing, kong=kong)
        return cost

    def _revealed_cost(self, tile: Kind, view: SeatView, sight: Sight, *, revealing: bool, kong: bool) -> float:
        rules = self._rules
        if tile not in view.waits:
            konged = count(view.shown)[tile] == PUNG_SIZE and not kong
            return rules.direct_kong_pays if konged else 0.0
        exposed = revealing or sight.me.revealed
        return self._appraiser.feeding_cost(tile, view, sight, robbed=kong, exposed=exposed)
