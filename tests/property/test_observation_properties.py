"""Nothing hidden leaks, and a seat that folds its events knows exactly what it may know."""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from kawuxing.engine.actions import Action
from kawuxing.engine.events import Event, HandRevealed, HandStarted, TileDrawn
from kawuxing.engine.hand import Hand
from kawuxing.engine.legal import claim_actions, turn_actions
from kawuxing.engine.observation import NOBODY, Observer, observe, redact
from kawuxing.engine.rules import RuleSet
from kawuxing.engine.shapes import Concealed
from kawuxing.engine.table import PUNG_TILES, SeatState, Table
from kawuxing.engine.testing import LivelyPlay
from kawuxing.engine.tiles import KINDS, Kind

kinds = st.integers(0, KINDS - 1)
seats = st.integers(0, 2)


def played(rules: RuleSet, seed: int, hands: int) -> Iterator[tuple[Hand, list[Event]]]:
    """Play hands, and yield after every step the hand with the events of the step."""
    play = LivelyPlay(seed)
    for number in range(hands):
        hand = Hand(rules, play.wall(rules), number % rules.seats)
        yield hand, hand.start()
        while hand.pending():
            yield hand, hand.apply(play.answers(hand))


def test_folded_deltas_are_the_snapshot(any_rules: RuleSet) -> None:
    """At every decision point and at the end, for every seat and for one that only watches."""
    observers = {seat: Observer(seat) for seat in range(any_rules.seats)} | {NOBODY: Observer(any_rules.seats)}
    for hand, events in played(any_rules, seed=11, hands=60):
        for seat, observer in observers.items():
            for event in events:
                observer.apply(redact(event, seat))
            assert observe(hand, seat) == observer.observation()


def test_observation_does_not_depend_on_what_is_hidden(any_rules: RuleSet) -> None:
    """Deal other hands and the wall anew in a reached state: what the seat sees and may do stays the same bytes."""
    shuffler = random.Random(12)
    different = 0
    for hand, _ in played(any_rules, seed=12, hands=40):
        if not hand.pending() or shuffler.random() > 0.2:
            continue
        for seat in [*range(any_rules.seats), NOBODY]:
            other = copy.copy(hand)
            other.table = permuted(hand.table, seat, shuffler)
            different += any(
                before.kinds() != after.kinds()
                for before, after in zip(hand.table.seats, other.table.seats, strict=True)
            )
            assert repr(observe(hand, seat)).encode() == repr(observe(other, seat)).encode()
            if seat in hand.pending():
                assert hand.pending()[seat] == legal_again(other.table, seat)
    assert different > 50


def legal_again(table: Table, seat: int) -> tuple[Action, ...]:
    return turn_actions(table) if table.offered_by == NOBODY else claim_actions(table, seat)


def permuted(table: Table, observer: int, shuffler: random.Random) -> Table:
    """Return a copy of the table with everything that ``observer`` cannot see dealt anew, respecting what is public.

    A revealed seat keeps what it showed and its waits; its face-down pungs become others where the waits allow.
    """
    twin = copy.deepcopy(table)
    hidden = [seat for index, seat in enumerate(twin.seats) if index != observer]
    pool = list(twin.wall[twin.front : twin.back])
    for seat in hidden:
        if seat.revealed:
            pool += [seat.drawn] * (seat.drawn >= 0)
        else:
            pool += seat.kinds()
    for seat in hidden:
        if seat.revealed:
            swap_face_down(twin.rules, seat, pool)
    shuffler.shuffle(pool)
    for seat in hidden:
        if seat.revealed:
            kept = list(seat.kinds())
            if seat.drawn >= 0:
                kept.remove(seat.drawn)
                seat.drawn = pool.pop()
                kept.append(seat.drawn)
            seat.concealed = Concealed(kept)
        else:
            redeal(twin.rules, seat, pool)
            seat.locked = shuffler.random() < 0.5
            seat.missed_total = shuffler.randrange(9)
    unseen = twin.back - twin.front
    assert len(pool) == unseen
    twin.wall = (*twin.wall[: twin.front], *pool, *twin.wall[twin.back :])
    return twin


def redeal(rules: RuleSet, seat: SeatState, pool: list[Kind]) -> None:
    dealt = [pool.pop() for _ in seat.kinds()]
    if seat.drawn >= 0:
        seat.drawn = dealt[0]
    if len(dealt) % 3 == 1 or seat.drawn >= 0:
        seat.set_waits(Concealed(dealt[seat.drawn >= 0 :]).waits(rules, seat.melded))
    seat.concealed = Concealed(dealt)


def swap_face_down(rules: RuleSet, seat: SeatState, pool: list[Kind]) -> None:
    """Exchange face-down pungs with three tiles of another kind, if the public waits stay the same."""
    for hidden in seat.face_down:
        for kind, count in sorted(Counter(pool).items()):
            if count < PUNG_TILES or seat.concealed.counts[kind] or kind in seat.face_down:
                continue
            tiles = [kind if held == hidden else held for held in seat.kinds()]
            at_rest = list(tiles)
            if seat.drawn >= 0:
                if seat.drawn == hidden:
                    break
                at_rest.remove(seat.drawn)
            if Concealed(at_rest).waits(rules, seat.melded) != seat.waits(rules):
                continue
            for _ in range(PUNG_TILES):
                pool.remove(kind)
                pool.append(hidden)
            seat.concealed = Concealed(tiles)
            seat.face_down = tuple(sorted({*seat.face_down, kind} - {hidden}))
            break


@given(seat=seats, observer=st.integers(NOBODY, 2), tile=kinds, other=kinds, replacement=st.booleans())
def test_redacted_draw_does_not_depend_on_its_tile(
    seat: int, observer: int, tile: Kind, other: Kind, *, replacement: bool
) -> None:
    """For everybody but who drew it."""
    drawn = TileDrawn(seat, tile, replacement, 7)
    same = redact(drawn, observer) == redact(replace(drawn, tile=other), observer)
    assert same == (seat != observer or tile == other)


@given(
    hands=st.lists(st.lists(kinds, max_size=13).map(tuple), min_size=3, max_size=3),
    others=st.lists(st.lists(kinds, max_size=13).map(tuple), min_size=3, max_size=3),
    observer=st.integers(NOBODY, 2),
)
def test_redacted_deal_does_not_depend_on_the_other_hands(
    hands: list[tuple[Kind, ...]], others: list[tuple[Kind, ...]], observer: int
) -> None:
    """Whatever the other seats were dealt."""
    mixed = tuple(hands[seat] if seat == observer else others[seat] for seat in range(3))
    started = HandStarted(0, 0, (0, 1, 2), (0, 0, 0), 45, tuple(hands))
    assert redact(started, observer) == redact(replace(started, concealed=mixed), observer)


@given(
    seat=seats,
    observer=st.integers(NOBODY, 2),
    hidden=st.lists(kinds, min_size=1, max_size=4, unique=True).map(sorted),
    data=st.data(),
)
def test_redacted_reveal_does_not_depend_on_face_down_kinds(
    seat: int, observer: int, hidden: list[Kind], data: st.DataObject
) -> None:
    """For everybody else; only their number shows."""
    size = len(hidden)
    others = data.draw(st.lists(kinds, min_size=size, max_size=size, unique=True).map(sorted))
    revealed = HandRevealed(seat, (1, 2, 3), tuple(hidden), (4,))
    same = redact(revealed, observer) == redact(replace(revealed, face_down=tuple(others)), observer)
    assert same == (seat != observer or hidden == others)
