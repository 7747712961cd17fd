"""Records as they are written: canonical lines that say everything, without a say in the match."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.hashed_play import eventful_record
from tests.golden.tournaments import golden_record

from kawuxing.engine import canonical
from kawuxing.engine.actions import ActionType
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
from kawuxing.engine.faults import Fault
from kawuxing.engine.match import Answer, Match
from kawuxing.engine.record import MAX_HANDS, Record, RecordedEntrant, RecordedMatch, RecordHeader
from kawuxing.engine.record_lines import event_line
from kawuxing.engine.rules import load_preset, preset_names
from kawuxing.engine.tiles import TEXT
from kawuxing.engine.wall import shuffled_wall

DOCUMENTATION = (Path(__file__).parents[2] / "docs" / "records.md").read_text("utf-8")
EVENTFUL_SHA256 = "798b785ca89fce22b6b66559b83d1ed69b9925c1411b43ed459d54db4953e503"
RULES = load_preset()
COMMITMENT = "0" * 64
ENTRANTS = tuple(RecordedEntrant(name) for name in "abc")

Play = Callable[..., Record]
MakeHeader = Callable[..., RecordHeader]

EVENTS: tuple[tuple[Event, dict[str, Any]], ...] = (
    (
        HandStarted(2, 1, (2, 0, 1), (5, -5, 0), 45, ((9, 10), (18,), ())),
        {
            "event": "hand_started",
            "hand": 2,
            "dealer": 1,
            "entrants": [2, 0, 1],
            "points": [5, -5, 0],
            "remaining": 45,
            "concealed": [["1p", "2p"], ["1s"], []],
        },
    ),
    (
        TileDrawn(1, 29, replacement=True, remaining=0),
        {"event": "tile_drawn", "seat": 1, "tile": "7z", "replacement": True, "remaining": 0},
    ),
    (
        HandRevealed(0, (9, 10), (27, 28), (11,)),
        {
            "event": "hand_revealed",
            "seat": 0,
            "shown": ["1p", "2p"],
            "face_down": ["5z", "6z"],
            "waits": ["3p"],
        },
    ),
    (TileDiscarded(2, 0), {"event": "tile_discarded", "seat": 2, "tile": "1m"}),
    (PungMade(2, 0, 26), {"event": "pung_made", "seat": 2, "source": 0, "tile": "9s"}),
    (
        KongMade(1, MeldType.DIRECT_KONG, 2, 8),
        {"event": "kong_made", "seat": 1, "meld": "direct_kong", "source": 2, "tile": "9m"},
    ),
    (KongRobbed(1, 13), {"event": "kong_robbed", "seat": 1, "tile": "5p"}),
    (WaitsChanged(1, (13, 16)), {"event": "waits_changed", "seat": 1, "waits": ["5p", "8p"]}),
    (
        HandWon(0, 1, 13, 8, ("all_pungs", "full_flush")),
        {
            "event": "hand_won",
            "seat": 0,
            "source": 1,
            "tile": "5p",
            "total": 8,
            "patterns": ["all_pungs", "full_flush"],
        },
    ),
    (HandExhausted(), {"event": "hand_exhausted"}),
    (
        PointsPaid(PaymentReason.WIN, 0, (8, -8, 0)),
        {"event": "points_paid", "reason": "win", "seat": 0, "points": [8, -8, 0]},
    ),
    (
        HandEnded(3, ((9,), (10,), (11, 11)), (8, -8, 0), (13, -13, 0)),
        {
            "event": "hand_ended",
            "hand": 3,
            "concealed": [["1p"], ["2p"], ["3p", "3p"]],
            "points": [8, -8, 0],
            "match_points": [13, -13, 0],
        },
    ),
)


def objects(record: Record) -> list[dict[str, Any]]:
    return [json.loads(line) for line in record.data.splitlines()]


def naive_line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii") + b"\n"


@pytest.mark.parametrize(("event", "expected"), EVENTS, ids=lambda item: type(item).__name__)
def test_an_event_is_written_as_documented(event: Event, expected: dict[str, Any]) -> None:
    """Every event becomes one canonical line with its name and all of its fields, tiles as text."""
    assert naive_line({"type": "event", **expected}) == event_line(event).encode()


def test_every_event_has_an_example_here() -> None:
    """No event can be added without a documented line."""
    assert set(Event.__args__) == {type(event) for event, _ in EVENTS}


@pytest.mark.parametrize(("event", "fields"), EVENTS, ids=lambda item: type(item).__name__)
def test_the_documentation_lists_every_event(event: Event, fields: dict[str, Any]) -> None:
    """The row of each event in docs/records.md names all of its fields."""
    (row,) = [line for line in DOCUMENTATION.splitlines() if line.startswith(f"| `{fields['event']}` |")]
    assert [] == [field.name for field in dataclasses.fields(event) if f"`{field.name}`" not in row]


def test_the_documentation_lists_every_field_of_header_and_result(play: Play) -> None:
    """The tables of docs/records.md have a row for every field of these lines, faults and action types are named."""
    lines = objects(play(1))
    names = {*lines[0], *lines[-2]["entrants"][0], *Fault, *ActionType}
    assert [] == sorted(name for name in names if f"`{name}" not in DOCUMENTATION)


def test_a_hidden_tile_cannot_enter_a_record() -> None:
    """A redacted event is refused, never written as some other tile."""
    with pytest.raises(KeyError):
        event_line(TileDrawn(1, HIDDEN, replacement=False, remaining=3))


def test_a_match_gives_the_same_bytes_on_every_machine() -> None:
    """A match with reveals, kongs, faults, a forfeit and exhausted hands, in which no bot decides, has this digest."""
    assert EVENTFUL_SHA256 == eventful_record().sha256


def test_the_golden_records_show_what_records_can_say() -> None:
    """Together they have reveals, claims, kongs, wins, penalties, faults, a forfeit and rests, so they pin them."""
    records = [golden_record(preset).read_bytes().splitlines() for preset in preset_names()]
    lines = [json.loads(line) for record in records for line in record]
    events = {line.get("event") for line in lines}
    assert {"hand_revealed", "pung_made", "kong_made", "hand_won", "hand_exhausted", "points_paid"} <= events
    assert {"exhaust_penalty", "win"} <= {line.get("reason") for line in lines}
    assert any("fault" in line for line in lines)
    entrants = [entrant for line in lines if line.get("type") == "result" for entrant in line["entrants"]]
    assert any(entrant["forfeited_in"] >= 0 for entrant in entrants)
    assert any(entrant["hands_played"] < len(entrant["hand_points"]) for entrant in entrants)


def test_every_line_is_canonical_and_the_last_seals_the_rest(play: Play) -> None:
    """Each line is its own canonical form; the last line is the SHA-256 of all bytes before it."""
    record = play(3, fault_every=20)
    lines = record.data.splitlines(keepends=True)
    assert lines == [naive_line(json.loads(line)) for line in lines]
    assert {"sha256": hashlib.sha256(b"".join(lines[:-1])).hexdigest()} == json.loads(lines[-1])
    assert record.sha256 == json.loads(lines[-1])["sha256"]


def test_the_header_says_what_was_played(play: Play) -> None:
    """Format, revision, names, rules in full with their digest and the commitment stand in the first line."""
    record = play(2)
    expected = {
        "type": "header",
        "format": "kawuxing-record/1",
        "rules_revision": 1,
        "tournament": "spring-cup",
        "match": record.header.match_id,
        "hands": 2,
        "max_faults": 3,
        "entrants": [{"name": f"bot-{number}", "version": "1.0"} for number in range(3)],
        "rules": RULES.to_options(),
        "rules_digest": hashlib.sha256(naive_line(RULES.to_options()).removesuffix(b"\n")).hexdigest(),
        "commitment": record.header.commitment,
    }
    assert expected == objects(record)[0]


def test_each_hand_begins_with_its_wall(play: Play, deal_seed: bytes) -> None:
    """A hand line gives number, dealer, seating and the whole wall; the hand's first event follows it."""
    record = play(3)
    lines = objects(record)
    hands = [index for index, line in enumerate(lines) if line.get("type") == "hand"]
    assert [0, 1, 2] == [lines[index]["hand"] for index in hands]
    for index in hands:
        started = lines[index + 1]
        assert "hand_started" == started["event"]
        assert (started["dealer"], started["entrants"]) == (lines[index]["dealer"], lines[index]["entrants"])
        wall = [TEXT[kind] for kind in shuffled_wall(RULES, deal_seed, lines[index]["hand"])]
        assert wall == lines[index]["wall"]


def test_each_decision_says_what_was_legal(play: Play) -> None:
    """A decision names entrant and seat, lists at least two legal actions, and chose one of them."""
    decisions = [line for line in objects(play(2)) if line.get("type") == "decision"]
    assert decisions
    for decision in decisions:
        assert {"type", "entrant", "seat", "legal", "chosen"} == decision.keys()
        assert decision["chosen"] in decision["legal"]
        assert len(decision["legal"]) >= 2


def test_faults_stand_beside_the_default_that_was_played(play: Play) -> None:
    """The faults of the decision lines are those of the result, and after a forfeit there are no more."""
    record = play(6, fault_every=12)
    for entrant, result in enumerate(record.result.entrants):
        faults = [line["fault"] for line in objects(record) if line.get("entrant") == entrant and "fault" in line]
        assert [fault.value for fault in result.faults] == faults
        assert (len(faults) == record.header.max_faults) == (result.forfeited_in >= 0)


def test_the_result_says_every_field_of_every_entrant(play: Play) -> None:
    """The last line but one is the whole result of the match."""
    record = play(4, fault_every=15)
    expected = [
        {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in dataclasses.asdict(entrant).items()
        }
        for entrant in record.result.entrants
    ]
    assert {"type": "result", "entrants": expected} == objects(record)[-2]


def test_recording_changes_nothing_in_the_match(header: MakeHeader, deal_seed: bytes) -> None:
    """A recorded match asks the same, answers the same events and has the same result as one without a record."""

    def wall_of(hand: int) -> tuple[int, ...]:
        return shuffled_wall(RULES, deal_seed, hand)

    plain, recorded = Match(RULES, 2, wall_of, 3), RecordedMatch(header(RULES, 2), wall_of)
    assert plain.start() == recorded.start()
    while pending := plain.pending():
        assert pending == recorded.pending()
        answers = {entrant: Answer(legal[-1]) for entrant, legal in pending.items()}
        assert plain.apply(answers) == recorded.apply(answers)
    assert plain.result() == recorded.finish().result


def test_a_refused_answer_leaves_no_trace(header: MakeHeader, deal_seed: bytes) -> None:
    """An illegal answer raises as in the match itself and writes nothing."""
    recorded = RecordedMatch(header(RULES, 1), lambda hand: shuffled_wall(RULES, deal_seed, hand))
    recorded.start()
    written = list(recorded.lines)
    (entrant,) = recorded.pending()
    default = recorded.match.default_of(entrant)
    other = next(action for action in recorded.pending()[entrant] if action != default)
    with pytest.raises(IllegalAnswerError):
        recorded.apply({})
    with pytest.raises(IllegalAnswerError):
        recorded.apply({entrant: Answer(other, Fault.TIMEOUT)})
    assert written == recorded.lines


def test_an_unfinished_match_has_no_record(header: MakeHeader, deal_seed: bytes) -> None:
    """Before the last hand is over there is no result, so no record either."""
    recorded = RecordedMatch(header(RULES, 1), lambda hand: shuffled_wall(RULES, deal_seed, hand))
    recorded.start()
    with pytest.raises(ValueError, match="in progress"):
        recorded.finish()


GOOD_HEADER = {
    "tournament": "cup",
    "match_id": "m1",
    "hands": 8,
    "max_faults": 3,
    "entrants": ENTRANTS,
    "rules": RULES,
    "commitment": COMMITMENT,
}


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("tournament", "Spring Cup", "tournament is 'Spring Cup': expected 1 to 32 of a-z 0-9 . _ -"),
        ("tournament", "", "tournament is ''"),
        ("match_id", "x" * 33, "match is 'xxx"),
        ("match_id", "cup\n", r"match is 'cup\n'"),
        ("hands", 0, "hands is 0: expected a whole number from 1 to 10000"),
        ("hands", MAX_HANDS + 1, "hands is 10001: expected a whole number from 1 to 10000"),
        ("max_faults", 0, "max_faults is 0: expected a whole number from 1 to"),
        ("entrants", ENTRANTS[:2], "entrants are 2: the rules expect 3"),
        ("entrants", (*ENTRANTS[:2], RecordedEntrant("a")), "entrants are a, b, a: expected different names"),
        ("entrants", (*ENTRANTS[:2], RecordedEntrant("卡")), r"entrants[2].name is '\u5361': expected 1 to 32"),
        ("entrants", (*ENTRANTS[:2], RecordedEntrant("d", "v 1")), "entrants[2].version is 'v 1': expected 1 to 32"),
        ("commitment", "A" * 64, "expected 64 lower-case hex digits"),
        ("commitment", "0" * 63, "expected 64 lower-case hex digits"),
    ],
)
def test_a_header_that_no_record_can_hold_is_refused(field: str, value: Any, message: str) -> None:
    """The error names the field, its value and what was expected."""
    fields: dict[str, Any] = {**GOOD_HEADER, field: value}
    with pytest.raises(ValueError, match=re.escape(message)):
        RecordHeader(**fields)


json_values = st.recursive(
    st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(st.characters(codec="ascii", categories=["L", "N"])),
    lambda values: st.lists(values, max_size=4) | st.dictionaries(st.text("abc_", max_size=3), values, max_size=4),
    max_leaves=12,
)


@given(value=st.dictionaries(st.text("abc_", max_size=3), json_values, max_size=4))
def test_canonical_lines_read_back(value: dict[str, Any]) -> None:
    """What can be written is read back as the same, and is what a plain JSON library writes with sorted keys."""
    line = canonical.encode(value)
    assert naive_line(value) == line.encode()
    assert value == canonical.decode(line.encode())


@pytest.mark.parametrize(
    "value",
    [1.5, float("nan"), None, 2**53, -(2**53), [None], {"a": [1.0]}, "tab\t", 'quote"', "back\\slash", "卡", "\x7f"],
    ids=repr,
)
def test_what_canonical_json_cannot_say_is_not_written(value: Any) -> None:
    """Floats, nothing, large numbers and characters that need an escape are refused."""
    with pytest.raises(ValueError, match=r"^(has|is) "):
        canonical.encode({"value": value})


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"", "does not end with LF"),
        (b'{"a":1}', "does not end with LF"),
        (b"\n", "is not JSON"),
        (b'{"a":1}\r\n', "has '\\r' in column 8: expected printable ASCII"),
        (b'{"a": 1}\n', "is not canonical from column 6: expected 1}, found  1}"),
        (b'{"b":1,"a":2}\n', "is not canonical from column 3"),
        (b'{"a":1,"a":1}\n', "is not canonical from column 7"),
        (b'{"a":01}\n', "is not JSON"),
        (b'{"a":-0}\n', "is not canonical from column 6"),
        (b'{"a":1.0}\n', "has 1.0: expected a whole number"),
        (b'{"a":1e3}\n', "has 1e3: expected a whole number"),
        (b'{"a":NaN}\n', "has NaN: expected a whole number"),
        (b'{"a":null}\n', "has None"),
        (b'{"a":[{"b":null}]}\n', "has None"),
        (b'{"a":9007199254740992}\n', "has a number of 2^53 or more"),
        (b'{"a":-9007199254740992}\n', "has a number of 2^53 or more"),
        (b'{"a":' + b"9" * 100_000 + b"}\n", "has a number of 2^53 or more"),
        (b'{"a":"\\u0062"}\n', "in column 7: expected printable ASCII without backslashes"),
        (b'{"a":"\xe5"}\n', "in column 7: expected printable ASCII without backslashes"),
        (b'{"a":"\x7f"}\n', "in column 7: expected printable ASCII without backslashes"),
        (b"[1]\n", "is [1]: expected a JSON object"),
        (b"true\n", "is true: expected a JSON object"),
        (b"[" * 500_000 + b"\n", "is nested too deeply"),
        (b'{"a":' * 100_000 + b"\n", "is nested too deeply"),
        (b'{"a":"' + b"x" * canonical.MAX_LINE + b'"}\n', "is longer than 1048576 bytes"),
    ],
    ids=lambda value: repr(value[:24]),
)
def test_a_line_that_is_not_canonical_is_not_read(line: bytes, message: str) -> None:
    """Reading refuses whatever writing would have written differently, and says where."""
    with pytest.raises(ValueError, match=re.escape(message)):
        canonical.decode(line)
