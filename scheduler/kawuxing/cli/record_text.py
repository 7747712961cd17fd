"""A record as text for people: one line for each event and for each decision that was a choice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from kawuxing.cli.rules_named import rules_line
from kawuxing.engine import events
from kawuxing.engine.match import MatchResult
from kawuxing.engine.record import RecordHeader
from kawuxing.engine.replay import Replay, ReplayedDecision
from kawuxing.engine.tiles import TEXT, Kind

YOU: Final = "you"
"""The name of a person who plays and reads what happens."""
TILES_LEGEND: Final = "tiles: 1-9m characters 万, 1-9p dots 筒, 1-9s bamboo 条, 5z 6z 7z white green red dragon 白发中"


def record_lines(replay: Replay, only_hand: int | None = None) -> Iterator[str]:
    """Yield the lines of a record, of one hand alone if asked; every step is checked before it is shown.

    Raises RecordError as the replay does.
    """
    header = replay.header
    names = [entrant.name for entrant in header.entrants]
    yield from header_lines(header)
    hand = -1
    seats: tuple[int, ...] = ()
    for step in replay:
        for decision in step.decisions:
            if only_hand in {None, hand}:
                yield decision_line(decision, names[decision.entrant])
        for event in step.events:
            if isinstance(event, events.HandStarted):
                hand, seats = event.hand, event.entrants
            if only_hand in {None, hand}:
                yield from event_lines(event, [names[entrant] for entrant in seats], names)
    yield from result_lines(replay.record.result, names)
    yield f"sha256 {replay.record.sha256}"


def face_down_text(kinds: Sequence[Kind]) -> str:
    """Return which pungs were kept face down, or how many where that is hidden."""
    return f"{len(kinds)} of its pungs" if events.HIDDEN in kinds else tiles_text(kinds)


def tiles_text(kinds: Iterable[Kind]) -> str:
    """Return ascending kinds in compact mpsz text, such as ``123p 55z``."""
    text = ""
    for kind in kinds:
        rank, suit = TEXT[kind][0], TEXT[kind][1]
        if text.endswith(suit):
            text = text[:-1]
        elif text:
            text += " "
        text += rank + suit
    return text


def header_lines(header: RecordHeader) -> Iterator[str]:
    """Yield what a record says about its match, and how tiles are written."""
    hands = "1 hand" if header.hands == 1 else f"{header.hands} hands"
    yield f"tournament {header.tournament}, match {header.match_id}, {hands}"
    yield f"  {rules_line(header.rules)}"
    for number, entrant in enumerate(header.entrants):
        version = f" (version {entrant.version})" if entrant.version else ""
        yield f"  entrant {number}: {entrant.name}{version}"
    yield f"  {TILES_LEGEND}"


def decision_line(decision: ReplayedDecision, name: str) -> str:
    """Return the line of a decision of the entrant with this name."""
    answer = decision.answer
    fault = f"  [{answer.fault.value}: default action]" if answer.fault is not None else ""
    return f"    {name} chooses {answer.action} (of {len(decision.legal)} legal actions){fault}"


def event_lines(event: events.Event, seats: list[str], names: list[str]) -> Iterator[str]:
    """Yield the lines of an event, redacted or not, with the names by seat and by entrant."""
    match event:
        case events.HandStarted():
            yield ""
            resting = "".join(f", {name} rests" for name in names if name not in seats)
            yield f"hand {event.hand}, dealer {seats[event.dealer]}{resting}"
            for seat, kinds in enumerate(event.concealed):
                if kinds:
                    yield f"  {seats[seat]:<32}  {tiles_text(kinds)}"
        case events.TileDrawn():
            where = "a replacement, " if event.replacement else ""
            tile = "a tile" if event.tile == events.HIDDEN else TEXT[event.tile]
            yield f"  {_does(seats[event.seat], 'draw')} {tile} ({where}{event.remaining} left)"
        case events.HandRevealed():
            hidden = f", face down {face_down_text(event.face_down)}" if event.face_down else ""
            waits = tiles_text(event.waits)
            yield f"  {_does(seats[event.seat], 'reveal')} {tiles_text(event.shown)}{hidden}, waiting on {waits}"
        case events.TileDiscarded():
            yield f"  {_does(seats[event.seat], 'discard')} {TEXT[event.tile]}"
        case events.PungMade():
            yield f"  {_does(seats[event.seat], 'pung')} {TEXT[event.tile]} from {seats[event.source]}"
        case events.KongMade():
            source = f" from {seats[event.source]}" if event.source != event.seat else ""
            meld = event.meld.value.replace("_", " ")
            yield f"  {_does(seats[event.seat], 'declare')} {meld} {TEXT[event.tile]}{source}"
        case events.KongRobbed():
            yield f"  the kong of {seats[event.seat]} is robbed: {TEXT[event.tile]}"
        case events.WaitsChanged():
            yield f"  {_does(seats[event.seat], 'wait')} on {tiles_text(event.waits)} now"
        case events.HandWon():
            how = "by self-draw" if event.source == event.seat else f"from {seats[event.source]}"
            patterns = ", ".join(event.patterns) or "plain"
            yield f"  {_does(seats[event.seat], 'win')} on {TEXT[event.tile]} {how}: ×{event.total} ({patterns})"
        case events.HandExhausted():
            yield "  the wall is exhausted"
        case events.PointsPaid():
            yield f"    {event.reason.value.replace('_', ' ')}: {_points(seats, event.points)}"
        case events.HandEnded():
            yield f"  hand: {_points(seats, event.points)}; match: {_points(names, event.match_points)}"


def _does(name: str, verb: str) -> str:
    return f"{name} {verb}" if name == YOU else f"{name} {verb}s"


def _points(names: list[str], points: tuple[int, ...]) -> str:
    return ", ".join(f"{name} {change:+d}" for name, change in zip(names, points, strict=True))


def result_lines(result: MatchResult, names: list[str]) -> Iterator[str]:
    """Yield the result of a match, the best first."""
    yield ""
    yield "result"
    for name, entrant in sorted(zip(names, result.entrants, strict=True), key=lambda pair: pair[1].rank):
        faults = f", faults {' '.join(entrant.faults)}" if entrant.faults else ""
        forfeit = f", forfeited in hand {entrant.forfeited_in}" if entrant.forfeited_in >= 0 else ""
        wins = "1 win" if entrant.wins == 1 else f"{entrant.wins} wins"
        yield f"  {entrant.rank}. {name:<32}  {entrant.points:+d} points, {wins}{faults}{forfeit}"
