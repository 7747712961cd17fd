"""The mathematics of a hand for authors: shanten, acceptance, waits, and what a win would score.

A :class:`Holding` is what one seat holds, at the moment or after an action that it thinks about:

>>> from kawuxing.engine.rules import load_preset
>>> from kawuxing.engine.actions import parse_action
>>> from kawuxing.engine.scoring import Circumstances
>>> from kawuxing.engine.tiles import TEXT, parse_kind
>>> drawn = Holding.imagine(load_preset("xiangyang"), "123456p 3456799s 7z")
>>> drawn.shanten
0
>>> ready = drawn.after(parse_action("REVEAL 7z"))
>>> {TEXT[kind]: left for kind, left in ready.waits.items()}
{'2s': 4, '5s': 3, '8s': 4}
>>> ready.would_win(parse_kind("5s"), Circumstances(self_draw=True))
Score(total=2, patterns=(<Pattern.REVEAL: 'reveal'>,))
>>> ready.would_win(parse_kind("7z"), Circumstances(self_draw=True)) is None
True

In a bot: ``Holding.of(self.match.rules, turn.observation)``. What lies open and what is unseen is counted by
:class:`kawuxing.bots.sight.Sight`; who pays how much for a total by :mod:`kawuxing.engine.payments`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

from kawuxing.bots.arguments import instance, whole
from kawuxing.bots.sight import Counts, Sight, add, after_claim, count, count_melds, kinds_in
from kawuxing.engine import shanten, shapes
from kawuxing.engine.actions import Action, ActionType
from kawuxing.engine.events import MeldType
from kawuxing.engine.observation import NOBODY, Meld, Observation
from kawuxing.engine.rules import DEAL, RuleSet
from kawuxing.engine.scoring import Circumstances, Score, score
from kawuxing.engine.tiles import COPIES, KINDS, Kind, parse_kinds

_SET: Final = 3
_COMPLETE: Final = 2
"""The rest, modulo 3, of how many concealed tiles there are with the drawn one."""
_MELDS: Final = {
    ActionType.PUNG: MeldType.PUNG,
    ActionType.CONCEALED_KONG: MeldType.CONCEALED_KONG,
    ActionType.ADDED_KONG: MeldType.ADDED_KONG,
    ActionType.DIRECT_KONG: MeldType.DIRECT_KONG,
}


@dataclass(frozen=True, slots=True)
class Holding:
    """What one seat holds: 13 concealed tiles less 3 for each meld, or one more before its discard."""

    rules: RuleSet
    concealed: Counts
    """How many of every kind, 30 numbers 0 … 4."""
    melds: tuple[Meld, ...]
    unseen: Counts
    """How many of every kind this seat cannot see: they are in the wall, or hidden in other hands."""
    revealed: bool = False
    hidden_pungs: bool = False
    """It keeps pungs face down, and so cannot have full_flush (RULES §5)."""

    @classmethod
    def of(cls, rules: RuleSet, observation: Observation) -> Self:
        """Return what the observer holds. Raises ValueError if it has no seat in this hand."""
        sight = Sight(rules, observation)
        return cls(rules, sight.concealed, sight.me.melds, sight.unseen, sight.me.revealed, bool(observation.face_down))

    @classmethod
    def shown_by(cls, rules: RuleSet, observation: Observation, seat: int) -> Self:
        """Return what another seat has shown, with what the observer has not seen.

        Raises ValueError if it has not revealed, or keeps pungs face down: then nobody knows its hand. Also if there is
        no such seat, or the observer has none.
        """
        unseen = Sight(rules, observation).unseen
        view = observation.seats[whole("seat", seat, 0, len(observation.seats) - 1)]
        if not view.revealed or view.face_down:
            raise ValueError(f"seat {seat} does not show its whole hand: expected one that is revealed")
        return cls(rules, count(view.shown), view.melds, unseen, revealed=True)

    @classmethod
    def imagine(cls, rules: RuleSet, concealed: str, melds: Sequence[Meld] = ()) -> Self:
        """Return a made-up holding from mpsz text; all other tiles of the rule set are unseen.

        Raises ValueError, naming the text, if it is no tiles of these rules, has more than four of a kind, or is not 13
        or 14 tiles less 3 for each meld.
        """
        instance("rules", rules, RuleSet)
        held = count(parse_kinds(instance("concealed", concealed, str)))
        for number, meld in enumerate(melds):
            whole(f"melds[{number}].tile", instance(f"melds[{number}]", meld, Meld).tile, 0, KINDS - 1)
        seen = [own + melded for own, melded in zip(held, count_melds(melds), strict=True)]
        unseen = tuple((COPIES if kind in rules.kinds else 0) - seen[kind] for kind in range(KINDS))
        if min(unseen) < 0:
            raise ValueError(f"tiles {concealed!r} and melds {list(melds)}: expected at most four of a kind in play")
        least = DEAL - _SET * len(melds)
        if sum(held) not in {least, least + 1}:
            raise ValueError(
                f"tiles {concealed!r} are {sum(held)}: expected {least} or {least + 1} with {len(melds)} melds"
            )
        return cls(rules, held, tuple(melds), unseen)

    @property
    def shanten(self) -> int:
        """How many useful draws it is away from ready: 0 is ready, -1 complete, 99 hopeless (``max_suits``).

        With the tile still to be discarded: after the best discard, or -1.
        """
        return shanten.shanten(self.rules, self.concealed, self._melded)

    @property
    def acceptance(self) -> dict[Kind, int]:
        """The kinds whose draw would lower the shanten, ascending, each with how many are unseen."""
        return self._left(shanten.outlook(self.rules, self.concealed, self._melded)[1])

    @property
    def waits(self) -> dict[Kind, int]:
        """The kinds that would complete it, ascending, each with how many are unseen; empty before the discard.

        A minimum to win and the lock of a missed win are not looked at.
        """
        return self._left(shapes.waits(self.rules, self.concealed, self._melded))

    def after(self, action: Action) -> Self:
        """Return what this seat would hold after an action of its own, before the replacement of a kong.

        Raises ValueError for a WIN, after which there is nothing to hold, and if the tiles for it are not there.
        """
        if instance("action", action, Action).type is ActionType.PASS:
            return self
        if action.type is ActionType.WIN:
            raise ValueError("action WIN ends the hand: expected one after which it goes on")
        if action.type in _MELDS:
            concealed, _ = after_claim(action, self.concealed, self._melded)
            kept = tuple(meld for meld in self.melds if meld.tile != action.tile)
            held = replace(
                self, concealed=concealed, melds=(*kept, Meld(_MELDS[action.type], action.tile, source=NOBODY))
            )
        else:
            held = replace(self, concealed=add(self.concealed, action.tile, -1))
        if min(held.concealed) < 0:
            raise ValueError(f"action {action}: the tiles for it are not among those held")
        if action.type is ActionType.REVEAL:
            return replace(held, revealed=True, hidden_pungs=bool(action.face_down))
        return held

    def would_win(self, tile: Kind, how: Circumstances) -> Score | None:
        """Return what winning on ``tile`` would score, None if that does not complete the hand.

        ``tile`` is the one drawn, if it is there already, else the one still to come. ``how`` says what patterns need
        to know; ``revealed`` and ``hidden_pungs`` are taken from the holding where it does not set them. The total is
        after the cap and before payer factors, shares and ``base``. A minimum to win and the lock of a missed win are
        not looked at.

        Raises ValueError if the tile is no kind, or should be there already and is not.
        """
        tile = whole("tile", tile, 0, KINDS - 1)
        instance("how", how, Circumstances)
        drawn = sum(self.concealed) % _SET == _COMPLETE
        complete = self.concealed if drawn else add(self.concealed, tile, 1)
        if not complete[tile]:
            raise ValueError(f"tile {tile} is not among the tiles held: expected the one drawn")
        if complete[tile] + self._melded[tile] > COPIES:
            return None
        how = replace(how, revealed=how.revealed or self.revealed, hidden_pungs=how.hidden_pungs or self.hidden_pungs)
        return score(self.rules, complete, self.melds, tile, how)

    @property
    def _melded(self) -> Counts:
        return count_melds(self.melds)

    def _left(self, mask: int) -> dict[Kind, int]:
        return {kind: self.unseen[kind] for kind in kinds_in(mask)}
