"""What seldom happens in a hand: told step by step, and which of it some rules can show at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from kawuxing.engine.actions import Action, ActionType
from kawuxing.engine.events import (
    Event,
    HandExhausted,
    HandRevealed,
    HandWon,
    KongMade,
    KongRobbed,
    PaymentReason,
    PointsPaid,
    PungMade,
    WaitsChanged,
)
from kawuxing.engine.hand import Hand
from kawuxing.engine.patterns import BEST_PATTERN, MULTIPLIED, Pattern
from kawuxing.engine.rules import (
    ConcealedKongAfterPung,
    ExhaustPenalty,
    MissedWinLock,
    MultipleWinners,
    Reveal,
    RuleSet,
    Scoring,
)
from kawuxing.engine.table import SeatState

_KONGS: Final = (ActionType.CONCEALED_KONG, ActionType.DIRECT_KONG)


def expected_of(rules: RuleSet) -> list[str]:
    """What these rules know and many hands should therefore show, by the names that :func:`rarities` has for it."""
    revealing = rules.reveal is not Reveal.OFF
    locking = rules.missed_win_lock is not MissedWinLock.NONE
    chaining = rules.kong_chain and rules.concealed_kong_pays > 0 and rules.direct_kong_pays > 0
    known = {
        "reveal": revealing,
        "revealed kong": revealing,
        "win from a revealed seat": revealing,
        "face-down pung": rules.reveal is Reveal.WAIT,
        "kong of a face-down pung": rules.reveal is Reveal.WAIT,
        "shrinking waits": rules.revealed_flush_kong,
        "robbery": rules.rob_kong,
        "double win": rules.multiple_winners is MultipleWinners.ALL,
        "lock": locking,
        "lock that keeps from a win": locking,
        "bigger win while locked": rules.missed_win_bigger,
        # A draw lifts the other lock, so that nobody is locked who draws.
        "self-draw while locked": rules.missed_win_lock is MissedWinLock.UNTIL_DISCARD,
        "win below the minimum": rules.min_discard_multiplier > 1,
        "ban": rules.discard_ban,
        "ban on a whole hand": rules.discard_ban,
        "concealed kong after a pung": rules.concealed_kong_after_pung is not ConcealedKongAfterPung.NEVER,
        "link on an own replacement": chaining,
        "link on a discard": chaining,
        "second link": chaining,
        "penalty": rules.exhaust_penalty is not ExhaustPenalty.NONE,
        "capped win": rules.cap > 0,
        "win above the cap": bool(rules.cap_exempt),
    }
    always = ["win", "exhausted hand", "concealed_kong", "added_kong", "direct_kong"]
    return [*always, *(name for name, holds in known.items() if holds), *patterns_of(rules)]


def patterns_of(rules: RuleSet) -> list[Pattern]:
    """Return the patterns that a winner can have by these rules."""
    if rules.scoring is Scoring.BEST_PATTERN:
        return list(BEST_PATTERN)
    absent = {
        Pattern.SEVEN_PAIRS: not rules.seven_pairs,
        Pattern.DRAGON_SEVEN_PAIRS: not rules.seven_pairs,
        Pattern.DOUBLE_DRAGON_SEVEN_PAIRS: not rules.seven_pairs,
        Pattern.SMALL_THREE_DRAGONS: not rules.dragons,
        Pattern.BIG_THREE_DRAGONS: not rules.dragons,
        Pattern.ROB_KONG: not rules.rob_kong,
        Pattern.LAST_DISCARD: rules.last_discard == 1,
        Pattern.REVEAL: rules.reveal is Reveal.OFF,
    }
    return [pattern for pattern in (*MULTIPLIED, Pattern.LAST_DISCARD) if not absent.get(pattern)]


def rarities(hand: Hand, events: Sequence[Event]) -> Iterator[str]:
    """Yield the names of what happened in one step of a hand."""
    for event in events:
        yield from _of_event(hand, event)
    if sum(isinstance(event, HandWon) for event in events) > 1:
        yield "double win"
    if any(state.locked for state in hand.table.seats):
        yield "lock"
    yield from _of_claims(hand)
    for seat, legal in hand.pending().items():
        state = hand.table.seats[seat]
        if any(action.tile in state.face_down for action in legal if action.type in _KONGS):
            yield "kong of a face-down pung"
        if seat == hand.table.turn and hand.table.rules.discard_ban:
            yield from _of_ban(hand, state, legal)
        if isinstance(events[-1], PungMade) and legal[0].type is ActionType.CONCEALED_KONG:
            yield "concealed kong after a pung"


def _of_event(hand: Hand, event: Event) -> Iterator[str]:
    seats = hand.table.seats
    match event:
        case HandWon():
            yield "win"
            yield from event.patterns
            yield from _of_win(hand, event)
        case HandExhausted():
            yield "exhausted hand"
        case HandRevealed(face_down=[_, *_]):
            yield "face-down pung"
        case KongMade():
            yield event.meld
            if seats[event.seat].revealed:
                yield "revealed kong"
        case KongRobbed():
            yield "robbery"
        case WaitsChanged():
            yield "shrinking waits"
        case PointsPaid(reason=PaymentReason.EXHAUST_PENALTY):
            yield "penalty"
        case PointsPaid():
            yield from _of_link(hand, event)


def _of_win(hand: Hand, won: HandWon) -> Iterator[str]:
    rules = hand.table.rules
    self_drawn = won.source == won.seat
    if hand.table.seats[won.seat].locked:
        yield "self-draw while locked" if self_drawn else "bigger win while locked"
    if not self_drawn and hand.table.seats[won.source].revealed:
        yield "win from a revealed seat"
    if rules.cap:
        if won.total == rules.cap:
            yield "capped win"
        elif won.total > rules.cap:
            yield "win above the cap"


def _of_link(hand: Hand, paid: PointsPaid) -> Iterator[str]:
    rules = hand.table.rules
    single = {
        PaymentReason.CONCEALED_KONG: rules.concealed_kong_pays * (rules.seats - 1),
        PaymentReason.ADDED_KONG: rules.added_kong_pays * (rules.seats - 1),
        PaymentReason.DIRECT_KONG: rules.direct_kong_pays,
    }
    if paid.reason in single and max(paid.points) > single[paid.reason] * rules.base:
        on_discard = paid.reason is PaymentReason.DIRECT_KONG
        yield "link on a discard" if on_discard else "link on an own replacement"
        if hand.table.links > 2:
            yield "second link"


def _of_claims(hand: Hand) -> Iterator[str]:
    """Yield what keeps seats that wait on an offered tile from winning it."""
    table = hand.table
    for index, seat in enumerate(table.seats):
        if hand.pending() and table.offered >= 0 and index != table.offered_by:
            offered = hand.pending().get(index, ())
            waits = seat.waits(table.rules) >> table.offered & 1
            if waits and not (offered and offered[0].type is ActionType.WIN):
                yield "lock that keeps from a win" if seat.locked else "win below the minimum"


def _of_ban(hand: Hand, seat: SeatState, legal: Sequence[Action]) -> Iterator[str]:
    if seat.revealed:
        return
    banned = {kind for other in hand.table.seats if other.revealed for kind in other.public_waits}
    held = {kind for kind, count in enumerate(seat.concealed.counts) if count}
    free = {action.tile for action in legal if action.type is ActionType.DISCARD}
    assert free == (held - banned or held)
    if held <= banned:
        yield "ban on a whole hand"
    elif held & banned:
        yield "ban"
