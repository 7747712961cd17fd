"""Which actions are legal (RULES §2), in canonical order, and what a win would score."""

from __future__ import annotations

from itertools import compress

from kawuxing.engine.actions import (
    ADDED_KONG,
    CONCEALED_KONG,
    DIRECT_KONG,
    DISCARD,
    PASS,
    PUNG,
    WIN,
    Action,
    ActionType,
    action,
)
from kawuxing.engine.payments import payer_factor
from kawuxing.engine.reveal import face_down_choices, waits_after_kong
from kawuxing.engine.rules import ConcealedKongAfterPung, Reveal
from kawuxing.engine.scoring import Circumstances, Score, score
from kawuxing.engine.table import KONG_TILES, PUNG_TILES, SeatState, Table
from kawuxing.engine.tiles import Kind

_PAIR_TILES = 2
_FOUR = KONG_TILES


def turn_actions(table: Table) -> tuple[Action, ...]:
    """Return what the seat in turn may do (RULES §2 A); empty where the last tile ends the hand undiscarded."""
    rules = table.rules
    seat = table.seats[table.turn]
    drawn = seat.drawn
    legal: list[Action] = []
    table.ready = None
    if drawn >= 0 and seat.waits(rules) >> drawn & 1:
        legal.append(WIN)
    if table.back > table.front:
        legal += _own_kongs(table, seat)
    elif not rules.discard_last_tile:
        return tuple(legal)
    if seat.revealed:
        legal.append(DISCARD[drawn])
        return tuple(legal)
    counts = seat.concealed.counts
    if rules.discard_ban:
        banned = _revealed_waits(table)
        allowed = [0 if banned >> kind & 1 else count for kind, count in enumerate(counts)]
        if any(allowed):
            counts = allowed
    legal += compress(DISCARD, counts)
    if rules.reveal is not Reveal.OFF and table.back > table.front:
        table.ready = seat.concealed.ready_discards(rules, seat.melded)
        for kind, waits in table.ready:
            if counts[kind]:
                legal += [
                    action(ActionType.REVEAL, kind, face_down)
                    for face_down in face_down_choices(rules, seat, kind, waits)
                ]
    return tuple(legal)


def claim_actions(table: Table, seat_index: int) -> tuple[Action, ...]:
    """Return what another seat may do about the offered tile (RULES §2 B and C); empty if it can only pass."""
    rules = table.rules
    seat = table.seats[seat_index]
    tile = table.offered
    held = seat.concealed.counts[tile]
    completes = seat.waits(rules) >> tile & 1
    if held < _PAIR_TILES and not completes:
        return ()
    legal: list[Action] = []
    if completes and _may_claim_win(table, seat):
        legal.append(WIN)
    # Nobody holds two of an added kong's kind, so what follows concerns discards only.
    if held >= _PAIR_TILES and table.back > table.front:
        if held == PUNG_TILES and (not seat.revealed or waits_after_kong(rules, seat, tile)):
            legal.append(DIRECT_KONG[tile])
        if not seat.revealed:
            legal.append(PUNG[tile])
    if legal:
        legal.append(PASS)
    return tuple(legal)


def score_claim(table: Table, seat: SeatState) -> Score:
    """Return what winning the offered tile would score. Raises ValueError if that does not complete the hand."""
    counts = list(seat.concealed.counts)
    counts[table.offered] += 1
    return _score(
        table,
        seat,
        counts,
        table.offered,
        Circumstances(
            kong_discard=table.replacement and not table.robbing,
            rob_kong=table.robbing,
            last_discard=table.remaining == 0,
            revealed=seat.revealed,
            hidden_pungs=seat.hid_pungs,
        ),
    )


def score_self_draw(table: Table, seat: SeatState) -> Score:
    """Return what winning the drawn tile would score. Raises ValueError if the hand is not complete."""
    return _score(
        table,
        seat,
        seat.concealed.counts,
        seat.drawn,
        Circumstances(
            self_draw=True,
            kong_draw=table.replacement,
            last_draw=table.remaining == 0,
            revealed=seat.revealed,
            hidden_pungs=seat.hid_pungs,
        ),
    )


def _score(table: Table, seat: SeatState, counts: list[int], tile: Kind, circumstances: Circumstances) -> Score:
    result = score(table.rules, counts, seat.melds, tile, circumstances)
    if result is None:
        raise ValueError(f"concealed counts {counts} with melds {seat.melds}: expected a complete hand")
    return result


def _may_claim_win(table: Table, seat: SeatState) -> bool:
    """Return whether a seat that waits on the offered tile may win it: the minimum (§2) and the lock (§7)."""
    rules = table.rules
    if seat.locked and not rules.missed_win_bigger:
        return False
    if not seat.locked and rules.min_discard_multiplier == 1:
        return True
    total = score_claim(table, seat).total
    if seat.locked and total <= seat.missed_total:
        return False
    factor = payer_factor(rules, payer_revealed=table.seats[table.offered_by].revealed)
    return total * factor >= rules.min_discard_multiplier


def _own_kongs(table: Table, seat: SeatState) -> list[Action]:
    rules = table.rules
    counts = seat.concealed.counts
    drawn = seat.drawn
    if drawn < 0:
        allowed = rules.concealed_kong_after_pung is ConcealedKongAfterPung.BEFORE_FIRST_DISCARD
        if not allowed or seat.has_discarded or _FOUR not in counts:
            return []
        return [CONCEALED_KONG[kind] for kind, count in enumerate(counts) if count == _FOUR]
    kongs: list[Action] = []
    if _FOUR in counts:
        kongs = [
            CONCEALED_KONG[kind]
            for kind, count in enumerate(counts)
            if count == _FOUR and (not seat.revealed or (kind == drawn and waits_after_kong(rules, seat, kind)))
        ]
    if seat.melded[drawn] == PUNG_TILES and (not seat.revealed or waits_after_kong(rules, seat, drawn)):
        kongs.append(ADDED_KONG[drawn])
    return kongs


def _revealed_waits(table: Table) -> int:
    """Return the kinds that any revealed seat waits on, as a bit mask by kind."""
    mask = 0
    for seat in table.seats:
        if seat.revealed:
            mask |= seat.waits(table.rules)
    return mask
