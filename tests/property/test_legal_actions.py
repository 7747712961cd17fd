"""The legal actions of reached states are those that RULES §2, §5 and §7 spell out: written down again, naively."""

from __future__ import annotations

from itertools import combinations

from kawuxing.engine.hand import Hand
from kawuxing.engine.observation import NOBODY
from kawuxing.engine.rules import ConcealedKongAfterPung, Reveal, RuleSet
from kawuxing.engine.scoring import Circumstances, score
from kawuxing.engine.shapes import is_complete, waits
from kawuxing.engine.table import SeatState
from kawuxing.engine.testing import LivelyPlay
from kawuxing.engine.tiles import KINDS, SUIT_INDEX, TEXT, Kind

HANDS = 60


def changed(counts: list[int], kind: Kind, by: int) -> list[int]:
    return [count + by * (other == kind) for other, count in enumerate(counts)]


def waits_of(rules: RuleSet, concealed: list[int], melded: list[int]) -> set[Kind]:
    mask = waits(rules, concealed, melded)
    return {kind for kind in range(KINDS) if mask >> kind & 1}


def at_rest(seat: SeatState) -> list[int]:
    """The concealed tiles before the draw."""
    counts = list(seat.concealed.counts)
    return changed(counts, seat.drawn, -1) if seat.drawn >= 0 else counts


def may_kong_revealed(rules: RuleSet, seat: SeatState, kind: Kind) -> bool:
    """RULES §5: the waits stay exactly the same, or with revealed_flush_kong shrink to a part of them."""
    before = waits_of(rules, at_rest(seat), seat.melded)
    concealed = changed(seat.concealed.counts, kind, -seat.concealed.counts[kind])
    melded = [4 if other == kind else count for other, count in enumerate(seat.melded)]
    after = waits_of(rules, concealed, melded)
    if after == before:
        return True
    suits = {SUIT_INDEX[other] for other in range(KINDS) if seat.concealed.counts[other] or seat.melded[other]}
    return rules.revealed_flush_kong and not seat.hid_pungs and len(suits) == 1 and bool(after) and after < before


def turn_texts(hand: Hand) -> set[str]:
    table = hand.table
    rules, seat = table.rules, table.seats[table.turn]
    counts = list(seat.concealed.counts)
    texts = set()
    if seat.drawn >= 0 and is_complete(rules, counts, seat.melded):
        texts.add("WIN")
    for kind in range(KINDS):
        if not table.remaining:
            break
        after_pung = (
            rules.concealed_kong_after_pung is ConcealedKongAfterPung.BEFORE_FIRST_DISCARD and not seat.has_discarded
        )
        fits = not seat.revealed or (kind == seat.drawn and may_kong_revealed(rules, seat, kind))
        if counts[kind] == 4 and (seat.drawn >= 0 or after_pung) and fits:
            texts.add(f"CONCEALED_KONG {TEXT[kind]}")
        if kind == seat.drawn and seat.melded[kind] == 3 and fits:
            texts.add(f"ADDED_KONG {TEXT[kind]}")
    if seat.revealed:
        return texts | {f"DISCARD {TEXT[seat.drawn]}"}
    held = [kind for kind in range(KINDS) if counts[kind]]
    banned = {kind for other in table.seats if other.revealed for kind in other.public_waits}
    if rules.discard_ban and not banned.issuperset(held):
        held = [kind for kind in held if kind not in banned]
    texts |= {f"DISCARD {TEXT[kind]}" for kind in held}
    if rules.reveal is not Reveal.OFF and table.remaining:
        texts |= {text for kind in held for text in reveal_texts(rules, seat, kind)}
    return texts


def reveal_texts(rules: RuleSet, seat: SeatState, discard: Kind) -> set[str]:
    kept = changed(seat.concealed.counts, discard, -1)
    waited = waits_of(rules, kept, seat.melded)
    if not waited:
        return set()
    pungs = [kind for kind in range(KINDS) if kept[kind] == 3] if rules.reveal is Reveal.WAIT else []
    texts = set()
    for size in range(len(pungs) + 1):
        for hidden in combinations(pungs, size):
            rest = [0 if kind in hidden else count for kind, count in enumerate(kept)]
            melded = [3 if kind in hidden else count for kind, count in enumerate(seat.melded)]
            if waits_of(rules, rest, melded) == waited:
                texts.add(" ".join(["REVEAL", TEXT[discard], *(TEXT[kind] for kind in hidden)]))
    return texts


def claim_texts(hand: Hand, seat: SeatState) -> set[str]:
    table = hand.table
    rules, tile = table.rules, table.offered
    texts = {"PASS"}
    with_tile = changed(seat.concealed.counts, tile, 1)
    how = Circumstances(
        kong_discard=table.replacement and not table.robbing,
        rob_kong=table.robbing,
        last_discard=not table.remaining,
        revealed=seat.revealed,
        hidden_pungs=seat.hid_pungs,
    )
    result = score(rules, with_tile, seat.melds, tile, how)
    if result is not None and (rules.rob_kong or not table.robbing):
        factor = 2 if rules.revealed_payer_doubles and table.seats[table.offered_by].revealed else 1
        free = not seat.locked or (rules.missed_win_bigger and result.total > seat.missed_total)
        if free and result.total * factor >= rules.min_discard_multiplier:
            texts.add("WIN")
    if table.robbing or not table.remaining:
        return texts
    held = seat.concealed.counts[tile]
    if held == 3 and (not seat.revealed or may_kong_revealed(rules, seat, tile)):
        texts.add(f"DIRECT_KONG {TEXT[tile]}")
    if held >= 2 and not seat.revealed:
        texts.add(f"PUNG {TEXT[tile]}")
    return texts


def test_legal_actions_are_those_of_the_rules(any_rules: RuleSet) -> None:
    """For who is asked, these very actions; for who is not, none but the one it plays anyway."""
    play = LivelyPlay(21)
    for number in range(HANDS):
        hand = Hand(any_rules, play.wall(any_rules), number % any_rules.seats)
        hand.start()
        while pending := hand.pending():
            asked = {seat: {str(action) for action in legal} for seat, legal in pending.items()}
            if hand.table.offered_by == NOBODY:
                assert asked == {hand.table.turn: turn_texts(hand)}
            else:
                claims = {
                    seat: claim_texts(hand, state)
                    for seat, state in enumerate(hand.table.seats)
                    if seat != hand.table.offered_by
                }
                assert asked == {seat: texts for seat, texts in claims.items() if texts != {"PASS"}}
            hand.apply(play.answers(hand))
