"""One hand of any rule set, as a state machine (RULES §2): ``pending`` says who may do what, ``apply`` moves on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from typing import Final

from kawuxing.engine import payments
from kawuxing.engine.actions import WIN, Action, ActionType
from kawuxing.engine.errors import IllegalAnswerError
from kawuxing.engine.events import (
    HIDDEN,
    Event,
    HandEnded,
    HandExhausted,
    HandRevealed,
    HandStarted,
    HandWon,
    KongMade,
    KongRobbed,
    MeldType,
    PaymentReason,
    PointsPaid,
    PungMade,
    TileDiscarded,
    TileDrawn,
    WaitsChanged,
)
from kawuxing.engine.legal import claim_actions, score_claim, score_self_draw, turn_actions
from kawuxing.engine.observation import NOBODY, Meld
from kawuxing.engine.rules import MissedWinLock, MultipleWinners, RuleSet
from kawuxing.engine.table import Table, kinds_in
from kawuxing.engine.tiles import Kind


class _Phase(Enum):
    """What happens next."""

    NEW = auto()
    """The tiles are dealt, nobody has drawn."""
    TURN = auto()
    """The seat in turn decides."""
    CLAIM = auto()
    """The other seats decide about the offered tile."""
    OVER = auto()


_KONG_REASON: Final = {
    MeldType.CONCEALED_KONG: PaymentReason.CONCEALED_KONG,
    MeldType.ADDED_KONG: PaymentReason.ADDED_KONG,
    MeldType.DIRECT_KONG: PaymentReason.DIRECT_KONG,
}


# What happens most often is interned: equal events are then the same object, and cost nothing to make.
_tile_drawn: Final = cache(TileDrawn)
_tile_discarded: Final = cache(TileDiscarded)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a hand ended."""

    winners: tuple[int, ...]
    """In turn order from the payer; empty if the hand was exhausted."""
    payer: int
    """The discarder or the robbed seat, NOBODY on a self-draw or if the hand was exhausted."""
    first_revealed: int
    """The seat that revealed first, NOBODY if none did."""


class Hand:
    """A hand in progress. It has no clock, randomness or I/O: the same wall and answers give the same events."""

    table: Table
    """The whole state, for reading; what a seat may see of it, only ``observe`` tells."""
    outcome: Outcome | None
    """How the hand ended, None before."""

    def __init__(
        self,
        rules: RuleSet,
        wall: Sequence[Kind],
        dealer: int,
        *,
        number: int = 0,
        entrants: Sequence[int] | None = None,
        match_points: Sequence[int] | None = None,
    ) -> None:
        """Prepare the hand; :meth:`start` deals it.

        ``entrants`` is the entrant in each seat (default: entrant i in seat i), ``match_points`` every entrant's points
        before the hand (default: zero).

        Raises ValueError if the wall is not the rule set's tiles, in any order, or the dealer is not a seat.
        """
        if tuple(sorted(wall)) != rules.tile_list:
            raise ValueError(f"wall of {len(wall)} tiles: expected the {len(rules.tile_list)} tiles of the rule set")
        if not 0 <= dealer < rules.seats:
            raise ValueError(f"dealer {dealer}: expected a seat from 0 to {rules.seats - 1}")
        self.table = Table(
            rules,
            tuple(wall),
            dealer,
            number=number,
            entrants=tuple(range(rules.seats) if entrants is None else entrants),
            match_points=tuple([0] * rules.entrants if match_points is None else match_points),
        )
        self.outcome = None
        self._phase = _Phase.NEW
        self._pending: dict[int, tuple[Action, ...]] = {}
        self._events: list[Event] = []

    def start(self) -> list[Event]:
        """Deal, play on until a seat must be asked or the hand is over, and return the events.

        Raises ValueError if the hand has been dealt before.
        """
        if self._phase is not _Phase.NEW:
            raise ValueError(f"hand {self.table.number} has been dealt already")
        table = self.table
        self._events = [
            HandStarted(
                table.number,
                table.dealer,
                table.entrants,
                table.match_points,
                table.remaining,
                tuple(seat.kinds() for seat in table.seats),
            )
        ]
        self._draw(table.dealer)
        return self._play_on()

    def pending(self) -> Mapping[int, tuple[Action, ...]]:
        """Return every asked seat, ascending, with its legal actions in canonical order; empty once the hand is over.

        A seat with a single legal action is not asked.
        """
        return self._pending

    def apply(self, answers: Mapping[int, Action]) -> list[Event]:
        """Apply the answers of exactly the asked seats and return the events up to the next question or the end.

        Raises IllegalAnswerError, changing nothing, if a seat is missing, was not asked, or its action is not legal.
        """
        pending = self._pending
        if not pending:
            raise IllegalAnswerError(f"answers from seats {sorted(answers)}: nobody is asked")
        if answers.keys() != pending.keys():
            raise IllegalAnswerError(f"answers from seats {sorted(answers)}: expected them from {sorted(pending)}")
        for seat, legal in pending.items():
            if answers[seat] not in legal:
                expected = ", ".join(str(action) for action in legal)
                raise IllegalAnswerError(f"seat {seat} answers {answers[seat]}: expected one of {expected}")
        self._events = []
        if self._phase is _Phase.TURN:
            self._take_turn(answers[self.table.turn])
        else:
            self._settle_claims(answers)
        return self._play_on()

    def drawn(self, seat: int) -> Kind:
        """Return the tile that ``seat`` has just drawn and not yet played, else -1."""
        return self.table.seats[seat].drawn

    def _play_on(self) -> list[Event]:
        """Play what nobody has to be asked about, find out who is asked next, and hand over the events."""
        while self._phase is not _Phase.OVER:
            if self._phase is _Phase.TURN:
                legal = turn_actions(self.table)
                if len(legal) > 1:
                    self._pending = {self.table.turn: legal}
                    return self._events
                if legal:
                    self._take_turn(legal[0])
                else:
                    self._exhaust()
            else:
                self._pending = self._claims()
                if self._pending:
                    return self._events
                self._settle_unclaimed()
        self._pending = {}
        return self._events

    def _claims(self) -> dict[int, tuple[Action, ...]]:
        table = self.table
        if table.robbing and not table.rules.rob_kong:
            return {}
        claims: dict[int, tuple[Action, ...]] = {}
        for seat in range(len(table.seats)):
            if seat != table.offered_by:
                legal = claim_actions(table, seat)
                if legal:
                    claims[seat] = legal
        return claims

    def _draw(self, seat_index: int, *, replacement: bool = False) -> None:
        table = self.table
        seat = table.seats[seat_index]
        if replacement:
            table.back -= 1
            tile = table.wall[table.back]
        else:
            tile = table.wall[table.front]
            table.front += 1
            table.links = 0
        table.turn = seat_index
        table.replacement = replacement
        table.offered = HIDDEN
        table.offered_by = NOBODY
        table.robbing = False
        seat.draw(table.rules, tile)
        if seat.locked and table.rules.missed_win_lock is MissedWinLock.UNTIL_DRAW:
            seat.locked = False
        self._events.append(_tile_drawn(seat_index, tile, replacement, table.back - table.front))
        self._phase = _Phase.TURN

    def _take_turn(self, chosen: Action) -> None:
        kind = chosen.type
        if kind is ActionType.WIN:
            self._win_self_draw()
        elif kind is ActionType.CONCEALED_KONG:
            self._make_kong(self.table.turn, MeldType.CONCEALED_KONG, self.table.turn, chosen.tile)
        elif kind is ActionType.ADDED_KONG:
            self._offer_added_kong(chosen.tile)
        else:
            self._discard(chosen)

    def _discard(self, chosen: Action) -> None:
        table = self.table
        seat = table.seats[table.turn]
        tile = chosen.tile
        seat.discard(tile)
        if table.ready is not None:
            waits = dict(table.ready).get(tile, 0) if table.ready else 0
            seat.set_waits(waits)
            if chosen.type is ActionType.REVEAL:
                seat.reveal(chosen.face_down, waits)
                if table.first_revealed == NOBODY:
                    table.first_revealed = table.turn
                self._events.append(HandRevealed(table.turn, seat.shown, seat.face_down, seat.public_waits))
        if seat.locked and table.rules.missed_win_lock is MissedWinLock.UNTIL_DISCARD:
            seat.locked = False
        self._events.append(_tile_discarded(table.turn, tile))
        self._offer(tile, robbing=False)

    def _offer(self, tile: Kind, *, robbing: bool) -> None:
        table = self.table
        table.offered = tile
        table.offered_by = table.turn
        table.robbing = robbing
        self._phase = _Phase.CLAIM

    def _offer_added_kong(self, tile: Kind) -> None:
        table = self.table
        self._events.append(KongMade(table.turn, MeldType.ADDED_KONG, table.turn, tile))
        table.seats[table.turn].extend_pung(tile)
        self._offer(tile, robbing=True)

    def _settle_claims(self, answers: Mapping[int, Action]) -> None:
        table = self.table
        source, tile = table.offered_by, table.offered
        self._lock_missed_wins(answers)
        winners = [seat for seat in table.after(source) if seat in answers and answers[seat].type is ActionType.WIN]
        if winners:
            if table.rules.multiple_winners is MultipleWinners.NEAREST:
                del winners[1:]
            self._win_claim(winners)
            return
        # Four copies of a kind leave room for one claim only, of three or two tiles beside the discard.
        for seat, chosen in answers.items():
            if chosen.type is ActionType.DIRECT_KONG:
                table.seats[source].discards.pop()
                self._make_kong(seat, MeldType.DIRECT_KONG, source, tile)
                return
            if chosen.type is ActionType.PUNG:
                table.seats[source].discards.pop()
                self._make_pung(seat, source, tile)
                return
        self._settle_unclaimed()

    def _settle_unclaimed(self) -> None:
        """Go on after a discard that nobody took, or an added kong that nobody robbed."""
        table = self.table
        source = table.offered_by
        if table.robbing:
            self._complete_kong(source, MeldType.ADDED_KONG, source, table.offered, table.offered)
        elif table.back > table.front:
            self._draw((source + 1) % len(table.seats))
        else:
            self._exhaust()

    def _lock_missed_wins(self, answers: Mapping[int, Action]) -> None:
        table = self.table
        rules = table.rules
        if rules.missed_win_lock is MissedWinLock.NONE:
            return
        for seat_index, chosen in answers.items():
            if self._pending[seat_index][0] is WIN and chosen != WIN:
                seat = table.seats[seat_index]
                if rules.missed_win_bigger:
                    # A locked seat is offered bigger wins only, so the last that it missed is the largest.
                    seat.missed_total = score_claim(table, seat).total
                seat.locked = True

    def _make_pung(self, seat_index: int, source: int, tile: Kind) -> None:
        table = self.table
        table.seats[seat_index].declare(Meld(MeldType.PUNG, tile, source))
        self._events.append(PungMade(seat_index, source, tile))
        table.turn = seat_index
        table.replacement = False
        table.links = 0
        table.offered = HIDDEN
        table.offered_by = NOBODY
        self._phase = _Phase.TURN

    def _make_kong(self, seat_index: int, meld: MeldType, source: int, tile: Kind) -> None:
        seat = self.table.seats[seat_index]
        drawn = seat.drawn
        seat.declare(Meld(meld, tile, source))
        self._events.append(KongMade(seat_index, meld, source, tile))
        self._complete_kong(seat_index, meld, source, tile, drawn)

    def _complete_kong(self, seat_index: int, meld: MeldType, source: int, tile: Kind, drawn: Kind) -> None:
        """Pay a kong that stands, and draw its replacement."""
        table = self.table
        seat = table.seats[seat_index]
        if seat.revealed:
            waits = kinds_in(seat.waits(table.rules))
            if waits != seat.public_waits:
                seat.public_waits = waits
                self._events.append(WaitsChanged(seat_index, waits))
        position = payments.chain_position(table.rules, table.links, tile, drawn)
        table.links = position + 1
        self._pay(
            _KONG_REASON[meld], seat_index, payments.kong_payment(table.rules, meld, seat_index, source, position)
        )
        self._draw(seat_index, replacement=True)

    def _pay(self, reason: PaymentReason, seat_index: int, points: payments.Points) -> None:
        if not any(points):
            return
        for seat, change in zip(self.table.seats, points, strict=True):
            seat.points += change
        self._events.append(PointsPaid(reason, seat_index, points))

    def _win_self_draw(self) -> None:
        table = self.table
        winner = table.turn
        seat = table.seats[winner]
        result = score_self_draw(table, seat)
        self._events.append(HandWon(winner, winner, seat.drawn, result.total, result.patterns))
        self._pay(PaymentReason.WIN, winner, payments.self_draw_payment(table.rules, winner, result.total))
        self._end((winner,), NOBODY)

    def _win_claim(self, winners: list[int]) -> None:
        table = self.table
        payer, tile = table.offered_by, table.offered
        if table.robbing:
            table.seats[payer].lose_added_tile(tile)
            self._events.append(KongRobbed(payer, tile))
        for winner in winners:
            seat = table.seats[winner]
            result = score_claim(table, seat)
            self._events.append(HandWon(winner, payer, tile, result.total, result.patterns))
            payment = payments.claim_payment(
                table.rules,
                winner,
                payer,
                result.total,
                winner_revealed=seat.revealed,
                payer_revealed=table.seats[payer].revealed,
            )
            self._pay(PaymentReason.WIN, winner, payment)
        self._end(tuple(winners), payer)

    def _exhaust(self) -> None:
        table = self.table
        self._events.append(HandExhausted())
        revealed = [seat.revealed for seat in table.seats]
        for payer, points in payments.exhaust_penalties(table.rules, revealed, table.first_revealed):
            self._pay(PaymentReason.EXHAUST_PENALTY, payer, points)
        self._end((), NOBODY)

    def _end(self, winners: tuple[int, ...], payer: int) -> None:
        table = self.table
        claimed = () if payer == NOBODY else (table.offered,)
        concealed = tuple(
            tuple(sorted(seat.kinds() + claimed)) if index in winners else seat.kinds()
            for index, seat in enumerate(table.seats)
        )
        points = tuple(seat.points for seat in table.seats)
        match_points = list(table.match_points)
        for entrant, change in zip(table.entrants, points, strict=True):
            match_points[entrant] += change
        table.offered = HIDDEN
        table.offered_by = NOBODY
        self._events.append(HandEnded(table.number, concealed, points, tuple(match_points)))
        self.outcome = Outcome(winners, payer, table.first_revealed)
        self._phase = _Phase.OVER
