"""Replaying records: an honest one is confirmed, and whatever was changed is found and told."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.hashed_play import eventful_record
from tests.golden.tournaments import golden_record

from kawuxing.engine.errors import InvalidRecordError, RecordError, UnsupportedRecordError
from kawuxing.engine.faults import Fault
from kawuxing.engine.record import Record
from kawuxing.engine.replay import Replay, ReplayedDecision, read_header, verify_replay, verify_walls
from kawuxing.engine.rules import RuleSet, load_preset, preset_names
from kawuxing.engine.tiles import TEXT

EVENTFUL = eventful_record().data
SHORT = b"".join(EVENTFUL.splitlines(keepends=True)[:2])

Play = Callable[..., Record]
Line = dict[str, Any]
Lines = list[Line]


def read(data: bytes) -> Lines:
    """Return all lines but the checksum."""
    return [json.loads(line) for line in data.splitlines()[:-1]]


def seal(lines: Lines) -> bytes:
    """Return canonical bytes with a right checksum, as somebody would who wants to deceive."""
    body = b"".join(json.dumps(line, sort_keys=True, separators=(",", ":")).encode() + b"\n" for line in lines)
    return body + b'{"sha256":"%s"}\n' % hashlib.sha256(body).hexdigest().encode()


def position(lines: Lines, **fields: Any) -> int:
    """Return the index of the first line with these fields."""
    return next(index for index, line in enumerate(lines) if fields.items() <= line.items())


def refusal(data: bytes) -> str:
    with pytest.raises(InvalidRecordError) as refused:
        verify_replay(data)
    return str(refused.value)


@pytest.fixture(scope="module")
def one_hand(play: Play) -> bytes:
    return play(1, fault_every=25).data


def test_an_honest_record_is_confirmed(play: Play, deal_seed: bytes, any_rules: RuleSet) -> None:
    """Replaying gives the very record that was written, by any rule set, with faults and a forfeit; its walls too."""
    record = play(3, rules=any_rules, fault_every=20)
    replayed = verify_replay(record.data)
    assert record == replayed
    verify_walls(replayed, deal_seed)


@pytest.mark.parametrize("preset", preset_names())
def test_the_golden_records_are_confirmed(preset: str) -> None:
    """The published record of each preset replays: rules and format have not changed without a new revision."""
    golden = golden_record(preset).read_bytes()
    record = verify_replay(golden)
    assert (golden, load_preset(preset)) == (record.data, record.header.rules)


def test_a_replay_shows_the_match_step_by_step() -> None:
    """Each step hands out the decisions as recorded and the events they caused, while the match stands right there."""
    replay = Replay(EVENTFUL)
    lines = read(EVENTFUL)
    decided = [line for line in lines if line["type"] == "decision"]
    happened = [line for line in lines if line["type"] == "event"]
    decisions: list[ReplayedDecision] = []
    events = 0
    for step in replay:
        decisions += step.decisions
        events += len(step.events)
        asked = [line["entrant"] for line in decided[len(decisions) :]][: len(replay.match.pending())]
        assert asked == list(replay.match.pending())
    assert len(happened) == events
    assert [line["chosen"] for line in decided] == [str(decision.answer.action) for decision in decisions]
    assert [line["legal"] for line in decided] == [[str(action) for action in item.legal] for item in decisions]
    assert [line.get("fault") for line in decided] == [decision.answer.fault for decision in decisions]
    assert replay.match.finished
    assert EVENTFUL == replay.record.data


def test_a_replay_in_progress_has_no_record() -> None:
    """The record is only handed out once its last byte is checked."""
    replay = Replay(EVENTFUL)
    next(iter(replay))
    with pytest.raises(ValueError, match="not been replayed to its end"):
        _ = replay.record


def test_a_header_is_read_alone() -> None:
    """The header can be read without replaying, also of a record that is cut off below it."""
    assert verify_replay(EVENTFUL).header == read_header(SHORT)


@settings(max_examples=400)
@given(data=st.data())
def test_any_byte_changed_is_found(one_hand: bytes, data: st.DataObject) -> None:
    """Whatever single byte is changed to whatever other, the record is refused."""
    # Header and wall, result and checksum are a small part of the bytes, but what nothing else in the record says.
    last = len(one_hand) - 1
    place = data.draw(st.integers(0, last) | st.integers(0, 2000) | st.integers(last - 600, last))
    change = data.draw(st.integers(1, 255))
    changed = one_hand[:place] + bytes([one_hand[place] ^ change]) + one_hand[place + 1 :]
    with pytest.raises(RecordError, match=r"^(line \d+ |the record has )"):
        verify_replay(changed)


@settings(max_examples=100)
@given(data=st.data())
def test_bytes_put_in_or_left_out_are_found(one_hand: bytes, data: st.DataObject) -> None:
    """Neither can bytes be inserted anywhere nor left out anywhere."""
    place = data.draw(st.integers(0, len(one_hand)))
    removed = data.draw(st.integers(0, min(300, len(one_hand) - place)))
    added = data.draw(st.binary(min_size=0 if removed else 1, max_size=20))
    changed = one_hand[:place] + added + one_hand[place + removed :]
    if changed != one_hand:
        with pytest.raises(RecordError):
            verify_replay(changed)


@settings(max_examples=100)
@given(data=st.data())
def test_a_record_cut_off_anywhere_is_found(one_hand: bytes, data: st.DataObject) -> None:
    """A prefix of a record is no record, and the message says that something is missing."""
    length = data.draw(st.integers(0, len(one_hand) - 1))
    assert "cut off" in refusal(one_hand[:length])


@given(data=st.binary(max_size=200) | st.binary(max_size=50).map(SHORT.__add__))
def test_arbitrary_bytes_are_refused(data: bytes) -> None:
    """Whatever the bytes are, the answer is a refusal that names a line, with or without a good beginning."""
    assert refusal(data).startswith("line ")


weird_values = st.sampled_from(
    [
        True,
        False,
        -1,
        0,
        1,
        2,
        7,
        10_001,
        2**53 - 1,
        "",
        "x",
        "p",
        "Cup",
        "1p",
        "WIN",
        [],
        [[]],
        [1],
        ["m"],
        {},
        {"x": 1},
        [{}],
    ]
)


@settings(max_examples=200)
@given(data=st.data())
def test_any_value_changed_under_a_new_checksum_is_found_or_consistent(one_hand: bytes, data: st.DataObject) -> None:
    """A field of any line set to some other value, all sealed anew: refused, unless the record is still consistent."""
    lines = read(one_hand)
    line = lines[data.draw(st.sampled_from([0, 0, 1, len(lines) - 1]) | st.integers(0, len(lines) - 1))]
    if line["type"] == "header" and data.draw(st.booleans()):
        line = line["rules"]
    name = data.draw(st.sampled_from(sorted(line)))
    line[name] = data.draw(weird_values)
    changed = seal(lines)
    try:
        record = verify_replay(changed)
    except RecordError:
        return
    assert changed == record.data


def test_only_the_checksum_wrong_is_named_as_such() -> None:
    """When everything replays but the checksum, the message gives the right one."""
    *body, _ = EVENTFUL.splitlines(keepends=True)
    right = hashlib.sha256(b"".join(body)).hexdigest()
    expected = (
        f'line {len(body) + 1} (the checksum): the checksum is "{"0" * 59}…, but the bytes before it have {right}'
    )
    assert expected == refusal(b"".join(body) + b'{"sha256":"%s"}\n' % (b"0" * 64))


def test_content_is_told_before_the_checksum() -> None:
    """A changed event breaks the checksum too, but the event is told: it comes first, and it is what matters."""
    changed = EVENTFUL.replace(b'"remaining":44,', b'"remaining":43,', 1)
    number = position(read(EVENTFUL), event="tile_drawn") + 1
    expected = f"line {number} (event tile_drawn): remaining is 43, but the record's walls and decisions give 44"
    assert expected == refusal(changed)


def test_another_legal_decision_is_found_at_its_first_consequence() -> None:
    """The decision itself could have been so; the first line that does not follow from it is named."""
    lines = read(EVENTFUL)
    index = position(lines, type="decision")
    lines[index]["chosen"] = next(
        text for text in lines[index]["legal"] if text.startswith("DISCARD") and text != lines[index]["chosen"]
    )
    tile, other = lines[index + 1]["tile"], lines[index]["chosen"].removeprefix("DISCARD ")
    assert (
        f'line {index + 2} (event tile_discarded): tile is "{tile}", '
        f'but the record\'s walls and decisions give "{other}"' == refusal(seal(lines))
    )


def test_an_illegal_decision_is_refused_with_what_was_legal() -> None:
    """The message lists the legal actions."""
    lines = read(EVENTFUL)
    index = position(lines, type="decision")
    lines[index]["chosen"] = "WIN"
    expected = f'line {index + 1} (decision): chosen is "WIN": expected one of {", ".join(lines[index]["legal"])}'
    assert expected == refusal(seal(lines))


def test_legal_actions_left_out_are_found() -> None:
    """A record cannot claim that a seat had less choice than it had."""
    lines = read(EVENTFUL)
    index = position(lines, type="decision")
    legal = lines[index]["legal"]
    legal.remove(next(text for text in reversed(legal) if text != lines[index]["chosen"]))
    assert refusal(seal(lines)).startswith(f"line {index + 1} (decision): legal")


def test_a_decision_of_another_entrant_is_found() -> None:
    """Who decides follows from the state of the hand."""
    lines = read(EVENTFUL)
    index = position(lines, type="decision", entrant=0)
    lines[index]["entrant"] = 1
    expected = f"line {index + 1} (decision): entrant is 1, but the record's walls and decisions give 0"
    assert expected == refusal(seal(lines))


def test_an_invented_fault_is_found() -> None:
    """A fault plays the default action, so another action cannot have been a fault."""
    lines = read(EVENTFUL)
    index = next(
        index
        for index, line in enumerate(lines)
        if line["type"] == "decision" and line["legal"][-1] == "PASS" and line["chosen"] != "PASS"
    )
    lines[index]["fault"] = "TIMEOUT"
    message = refusal(seal(lines))
    assert message.startswith(f"line {index + 1} (decision): entrant {lines[index]['entrant']} has the fault TIMEOUT")


def test_a_fault_taken_away_is_found_in_the_result(play: Play) -> None:
    """Without its fault the decision is still legal, but the result then counts one too many."""
    lines = read(play(1, salt="fault", fault_every=25).data)
    index = next(index for index, line in enumerate(lines) if "fault" in line)
    entrant = lines[index]["entrant"]
    del lines[index]["fault"]
    assert f"line {len(lines)} (result): entrants[{entrant}].faults" in refusal(seal(lines))


@pytest.mark.parametrize("fault", ["LATE", "", 1, ["TIMEOUT"]], ids=repr)
def test_an_unknown_fault_is_refused(fault: Any) -> None:
    """Faults are a closed list, which the message gives."""
    lines = read(EVENTFUL)
    index = position(lines, type="decision")
    lines[index]["fault"] = fault
    message = refusal(seal(lines))
    assert message.startswith(f"line {index + 1} (decision): fault is {json.dumps(fault)}: expected none or one of")
    assert all(known.value in message for known in Fault)


def test_changed_points_of_a_hand_are_found() -> None:
    """Points paid follow from the hand."""
    lines = read(EVENTFUL)
    index = position(lines, event="points_paid")
    right = lines[index]["points"][1]
    lines[index]["points"][1] += 1
    assert (
        f"line {index + 1} (event points_paid): points[1] is {right + 1}, "
        f"but the record's walls and decisions give {right}" == refusal(seal(lines))
    )


@pytest.mark.parametrize("field", ["points", "rank", "wins", "forfeited_in"])
def test_a_changed_result_is_found(field: str) -> None:
    """Every number of the result follows from the hands."""
    lines = read(EVENTFUL)
    right = lines[-1]["entrants"][1][field]
    lines[-1]["entrants"][1][field] += 1
    assert (
        f"line {len(lines)} (result): entrants[1].{field} is {right + 1}, "
        f"but the record's walls and decisions give {right}" == refusal(seal(lines))
    )


def test_a_wall_changed_where_nobody_drew_replays_but_is_not_the_seeds(deal_seed: bytes) -> None:
    """Replaying cannot know where a wall came from; with the deal seed the first wrong tile of the wall is named."""
    lines = read(EVENTFUL)
    won = position(lines, event="hand_won")
    dealt = max(index for index, line in enumerate(lines[:won]) if line["type"] == "hand")
    wall, number = lines[dealt]["wall"], lines[dealt]["hand"]
    draws = [line for line in lines[dealt:won] if line.get("event") == "tile_drawn"]
    front = 39 + sum(not draw["replacement"] for draw in draws)
    left = range(front, front + draws[-1]["remaining"] - 1)
    place = next(place for place in left if wall[place] != wall[place + 1])
    wall[place], wall[place + 1] = wall[place + 1], wall[place]
    record = verify_replay(seal(lines))
    message = f"wall of hand {number}: wall[{place}] is {wall[place]}, but the seed gives {wall[place + 1]}"
    with pytest.raises(InvalidRecordError, match=f"^{re.escape(message)}$"):
        verify_walls(record, deal_seed)


def test_walls_of_another_match_are_found(play: Play) -> None:
    """A record with the walls of another deal seed fails at its first wall."""
    record = play(1)
    with pytest.raises(InvalidRecordError, match=r"^wall of hand 0: wall\[\d+\] is .., but the seed gives ..$"):
        verify_walls(record, bytes(32))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda wall: ["2p" if tile == "1p" else tile for tile in wall], 'wall has 0 of "1p": expected 4 as'),
        (lambda wall: wall[:-1], "wall has 3 of "),
        (lambda wall: [*wall, "9s"], 'wall has 5 of "9s": expected 4 as the rules have them'),
        (lambda wall: ["1m", *wall[1:]], 'wall has 1 of "1m": expected 0 as the rules have them'),
        (lambda wall: [*wall, "8z"], 'wall has 1 of "8z": expected 0 as the rules have them'),
        (lambda wall: [1, *wall[1:]], "wall is [1,"),
        (lambda wall: [[], *wall[1:]], "wall is [[],"),
        (lambda _: "1p", 'wall is "1p": expected an array of tiles'),
        (lambda _: [], 'wall has 0 of "1p": expected 4 as the rules have them'),
    ],
    ids=["no 1p", "short", "long", "other suit", "no tile", "number", "array", "string", "empty"],
)
@pytest.mark.parametrize("hand", [0, 1])
def test_a_wall_of_other_tiles_is_refused(hand: int, change: Callable[[list[Any]], Any], message: str) -> None:
    """A wall is a shuffle of the rules' tiles; the message says which tile is too many or too few."""
    lines = read(EVENTFUL)
    index = position(lines, type="hand", hand=hand)
    lines[index]["wall"] = change(lines[index]["wall"])
    assert refusal(seal(lines)).startswith(f"line {index + 1} (hand): {message}")


def test_a_wall_left_out_is_found() -> None:
    """A hand without its wall is told in the line where it is missing."""
    lines = read(EVENTFUL)
    index = position(lines, type="hand", hand=1)
    del lines[index]
    assert refusal(seal(lines)).startswith(f"line {index + 1} is event hand_started: expected hand ")


def test_what_differs_before_a_bad_wall_is_told_first() -> None:
    """Of two faults in a record the earlier is named, even where the later one is needed to go on."""
    lines = read(EVENTFUL)
    second = position(lines, type="hand", hand=1)
    lines[second]["wall"] = []
    lines[second - 1]["points"][0] += 1
    assert refusal(seal(lines)).startswith(f"line {second} (event hand_ended): points[0] is ")


def test_lines_swapped_repeated_or_left_out_are_found() -> None:
    """Events have one order, each stands once."""
    lines = read(EVENTFUL)
    index = next(
        index
        for index, line in enumerate(lines)
        if line.get("event") == "tile_discarded" and lines[index + 1].get("event") == "tile_drawn"
    )
    swapped = [*lines[:index], lines[index + 1], lines[index], *lines[index + 2 :]]
    assert refusal(seal(swapped)).startswith(f"line {index + 1} is event tile_drawn: expected event tile_discarded ")
    repeated = [*lines[: index + 1], *lines[index:]]
    assert refusal(seal(repeated)).startswith(f"line {index + 2} is event tile_discarded: expected ")
    left_out = [*lines[:index], *lines[index + 1 :]]
    assert refusal(seal(left_out)).startswith(f"line {index + 1} is event tile_drawn: expected event tile_discarded ")


def test_another_number_of_hands_is_found() -> None:
    """A record that promises more hands lacks them; one that promises fewer has lines too many."""
    lines = read(EVENTFUL)
    lines[0]["hands"] = 5
    assert refusal(seal(lines)).startswith(f"line {len(lines)} is result: expected hand ")
    lines[0]["hands"] = 3
    index = position(lines, type="hand", hand=3)
    assert refusal(seal(lines)).startswith(f"line {index + 1} is hand: expected result ")


def test_anything_after_the_checksum_is_found() -> None:
    """The checksum line is the last, whatever follows it."""
    number = EVENTFUL.count(b"\n") + 1
    assert f"line {number} is '{{}}\\n': expected the end of the record" == refusal(EVENTFUL + b"{}\n")
    assert f"line {number} is '\\n': expected the end of the record" == refusal(EVENTFUL + b"\n")


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("tournament", "Spring", "tournament is 'Spring': expected 1 to 32 of"),
        ("match", 7, "match is 7: expected a string"),
        ("hands", 0, "hands is 0: expected a whole number from 1 to 10000"),
        ("hands", True, "hands is true: expected a whole number"),
        ("hands", 10**9, "hands is 1000000000: expected a whole number from 1 to 10000"),
        ("entrants", [], "entrants are 0: the rules expect 3"),
        ("entrants", ["a", "b", "c"], 'entrants has "a": expected name and version'),
        ("entrants", [{"name": "a"}] * 3, "the field 'version' is missing"),
        ("commitment", "abc", "commitment is 'abc': expected 64 lower-case hex digits"),
        ("rules", [], "rules is []: expected an object"),
        ("rules_digest", "0" * 64, 'rules_digest is "000'),
        ("rules_revision", 0, "rules_revision is missing or not a whole number from 1"),
        ("rules_revision", "1", "rules_revision is missing or not a whole number from 1"),
        ("seed", "x", "has fields that are not expected: seed"),
    ],
)
def test_a_header_that_cannot_be_is_refused(field: str, value: Any, message: str) -> None:
    """The message names field, value and what was expected."""
    lines = read(EVENTFUL)
    lines[0][field] = value
    refused = refusal(seal(lines))
    assert refused.startswith("line 1 (header): ")
    assert message in refused


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("seats", 5, "rule option 'seats' is 5: expected a whole number from 3 to 4"),
        ("suits", ["s", "p"], 'rules.suits[0] is "s", but'),
        ("suits", [[]], "rule option 'suits' is [[]]"),
        ("jokers", 4, "rule option 'jokers' is unknown"),
    ],
)
def test_a_rule_set_that_cannot_be_is_refused(option: str, value: Any, message: str) -> None:
    """Rules are checked as everywhere, and have one way to be written."""
    lines = read(EVENTFUL)
    lines[0]["rules"][option] = value
    assert message in refusal(seal(lines))


def test_a_record_of_a_newer_format_is_unsupported_not_invalid() -> None:
    """What a later version wrote may well be right: this one says that it cannot judge it."""
    lines = read(EVENTFUL)
    lines[0] = {"type": "header", "format": "kawuxing-record/2", "novelty": True}
    with pytest.raises(UnsupportedRecordError, match="has format kawuxing-record/2: this version reads kawuxing-re"):
        verify_replay(seal(lines))


def test_a_record_of_another_rules_revision_is_unsupported_not_invalid() -> None:
    """Rules of another revision are not even looked at."""
    lines = read(EVENTFUL)
    lines[0] |= {"rules_revision": 2, "rules": {"novelty": True}}
    with pytest.raises(UnsupportedRecordError, match="by rules revision 2: this version replays revision 1"):
        verify_replay(seal(lines))


def test_an_unsupported_record_with_a_wrong_checksum_is_invalid() -> None:
    """The checksum can be judged without the rules."""
    number = EVENTFUL.count(b"\n")
    changed = EVENTFUL.replace(b'"rules_revision":1', b'"rules_revision":2')
    assert f"line {number}: expected the checksum of the bytes before it" == refusal(changed)


@pytest.mark.parametrize("format_", ["kawuxing-record/01", "kawuxing-record/", "kawuxing/1", 1, ["kawuxing-record/1"]])
def test_what_is_not_of_this_family_of_formats_is_no_record(format_: Any) -> None:
    """Only a number after the name makes a newer format."""
    lines = read(EVENTFUL)
    lines[0]["format"] = format_
    assert "line 1 is not the header of a record: expected type header and" in refusal(seal(lines))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n" * 1_000_000,
        b"[" * 1_000_000,
        b'{"a":' * 300_000,
        b"9" * 2_000_000,
        b"\x00" * 2_000_000,
        b"\xff\xfe{}\n",
        b'{"type":"header"}\n',
        b'{"format":"kawuxing-record/1","type":"header"}\n',
        b'{"format":"kawuxing-record/1","rules_revision":1,"type":"header"}\n',
        SHORT + b"[" * 900_000 + b"\n",
        SHORT + b"\n" * 1_000_000,
        SHORT + b'{"type":"hand"}\n' * 100_000,
        SHORT + b'{"chosen":"' + b"x" * 2_000_000,
        EVENTFUL + EVENTFUL,
        EVENTFUL.replace(b"\n", b"\r\n"),
        EVENTFUL.decode().encode("utf-16"),
    ],
    ids=lambda data: f"{data[:12]!r}×{len(data)}",
)
def test_hostile_bytes_get_a_short_refusal(data: bytes) -> None:
    """Deep, long, binary or repeated input ends in one short line of printable text that names a line of the record."""
    message = refusal(data)
    assert message.startswith("line ")
    assert len(message) < 400
    assert message.isprintable()


def test_walls_are_kept_by_hand() -> None:
    """A verified record hands out the walls it was played on."""
    walls = [line["wall"] for line in read(EVENTFUL) if line["type"] == "hand"]
    assert walls == [[TEXT[kind] for kind in wall] for wall in verify_replay(EVENTFUL).walls]
