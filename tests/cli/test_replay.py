"""`kawuxing replay`: a record step by step, with all hands open or as one seat saw it."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from pathlib import Path

import pytest
from tests.cli.terminal import KAWUXING, Terminal

from kawuxing.cli.steps import Viewer, steps
from kawuxing.engine.events import Event
from kawuxing.engine.match import Answer
from kawuxing.engine.observation import Observation, observe, redact
from kawuxing.engine.record import RecordedEntrant, RecordedMatch, RecordHeader
from kawuxing.engine.replay import Replay
from kawuxing.engine.rules import RuleSet
from kawuxing.engine.testing import LivelyPlay

RECORD = Path(__file__).parents[1] / "golden" / "record-xiangyang.jsonl"
NAMES = [entrant["name"] for entrant in json.loads(RECORD.read_bytes().splitlines()[0])["entrants"]]


def run(*arguments: str | Path, code: int = 0, given: bytes | None = None) -> str:
    """Return what `kawuxing replay` prints; what it says of an error, if that is expected."""
    ran = subprocess.run([KAWUXING, "replay", *arguments], input=given, capture_output=True, timeout=60, check=False)
    assert code == ran.returncode, ran.stderr.decode()
    return (ran.stderr if code else ran.stdout).decode()


def recorded(rules: RuleSet, *, hands: int = 2) -> bytes:
    """Return the record of a lively match."""
    play = LivelyPlay(7)
    header = RecordHeader(
        tournament="test",
        match_id="m",
        rules=rules,
        hands=hands,
        max_faults=1,
        entrants=tuple(RecordedEntrant(name) for name in "abcd"[: rules.entrants]),
        commitment="0" * 64,
    )
    match = RecordedMatch(header, lambda _: play.wall(rules))
    match.start()
    while match.pending():
        answers = play.answers(match.match.hand)
        entrants = match.match.hand.table.entrants
        match.apply({entrants[seat]: Answer(chosen) for seat, chosen in answers.items()})
    return match.finish().data


def test_with_all_hands_open_the_steps_are_the_record(any_rules: RuleSet) -> None:
    """Every decision and every event, in order; what lies on the table after each is what every seat holds."""
    data = recorded(any_rules)
    moves = list(Replay(data))
    told = list(steps(Replay(data), Viewer()))

    assert [event for move in moves for event in move.events] == [event for step in told for event in step.events]
    assert [seen for move in moves for seen in move.decisions] == [seen for step in told for seen in step.decisions]
    assert list(range(len(told))) == [step.number for step in told]
    assert {any_rules.seats} == {len(step.views) for step in told}
    assert [False] * (len(told) - 1) + [True] == [step.last for step in told]


@pytest.mark.parametrize("entrant", [0, 1])
def test_an_entrant_is_shown_what_it_saw_when_it_was_asked(any_rules: RuleSet, entrant: int) -> None:
    """Its own decisions, the events redacted for its seat, and before each decision what it could observe."""
    data = recorded(any_rules)
    events: list[Event] = []
    observed: list[Observation] = []
    replay = Replay(data)
    asked = 0
    for move in replay:
        own = [decision for decision in move.decisions if decision.entrant == entrant]
        asked += len(own)
        events += move.events
        seat = replay.match.seat_of(entrant)
        if entrant in replay.match.pending():
            observed.append(observe(replay.match.hand, seat))
    told = list(steps(Replay(data), Viewer(entrant=entrant)))

    assert asked == len([step for step in told if step.decisions])
    assert {entrant} == {decision.entrant for step in told for decision in step.decisions}
    before = [told[step.number - 1].views for step in told if step.decisions]
    assert observed == [next(iter(views.values())) for views in before]
    assert len(events) == sum(len(step.events) for step in told)
    if not any_rules.sit_out:
        assert [redact(event, entrant) for event in events] == [event for step in told for event in step.events]


def test_a_seat_is_shown_whoever_sits_there(sit_out: RuleSet) -> None:
    """Where entrants change seats, so does whose view it is."""
    data = recorded(sit_out, hands=6)
    told = list(steps(Replay(data), Viewer(seat=0)))

    assert {0} == {decision.seat for step in told for decision in step.decisions}
    assert len({decision.entrant for step in told for decision in step.decisions}) > 1
    assert {0} == {seat for step in told for seat in step.views}


def test_an_entrant_that_rests_sees_no_hand(sit_out: RuleSet) -> None:
    """Only what is public."""
    told = list(steps(Replay(recorded(sit_out)), Viewer(entrant=3)))
    resting = [step for step in told if step.hand == 0]

    assert [] == [decision for step in resting for decision in step.decisions]
    assert {()} == {view.concealed for step in resting for view in step.views.values()}


def test_json_has_null_for_what_is_hidden() -> None:
    """A line for each step, with events as in records."""
    lines = [json.loads(line) for line in run(RECORD, "--seat", "1", "--json").splitlines()]
    events = [event for line in lines for event in line["events"]]
    drawn = [event for event in events if event["event"] == "tile_drawn"]

    assert list(range(len(lines))) == [line["step"] for line in lines]
    assert all((event["tile"] is None) == (event["seat"] != 1) for event in drawn)
    assert ["hand_started", "hand_started"] == [event["event"] for event in events if "entrants" in event]
    assert [[], 13, []] == [tiles and len(tiles) for tiles in events[0]["concealed"]]


def test_json_of_all_has_what_the_record_has() -> None:
    """Every event line of the record is there, but for the order of its fields."""
    record = [json.loads(line) for line in RECORD.read_text().splitlines()]
    expected = [
        {name: value for name, value in line.items() if name != "type"}
        for line in record
        if line.get("type") == "event"
    ]

    told = [json.loads(line) for line in run(RECORD, "--json").splitlines()]
    assert expected == [event for line in told for event in line["events"]]
    decisions = [line for line in record if line.get("type") == "decision"]
    assert [decision | {"type": "decision"} for line in told for decision in line["decisions"]] == decisions


def test_elsewhere_than_at_a_terminal_all_steps_are_printed() -> None:
    """In plain text, and the result after the last."""
    shown = run(RECORD)

    assert "\x1b" not in shown
    assert "  rules xiangyang" == shown.splitlines()[1]
    numbers = [int(number) for number in re.findall(r"^step (\d+)$", shown, re.MULTILINE)]
    assert list(range(len(numbers))) == numbers
    assert shown == run("-", given=RECORD.read_bytes())
    assert re.search(r"^sha256 [0-9a-f]{64}$", shown.splitlines()[-1])


def test_one_hand_can_be_shown() -> None:
    """And an entrant's view is that of its seat, told by name."""
    shown = run(RECORD, "--hand", "1", "--entrant", NAMES[1])

    assert ["1"] == re.findall(r"^hand (\d), dealer", shown, re.MULTILINE)
    assert shown == run(RECORD, "--hand", "1", "--seat", "1")
    assert f"{NAMES[1]} draws a tile" not in shown
    assert f"{NAMES[2]} draws a tile" in shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--seat", "3"], "error: --seat is 3: expected 0 to 2"),
        (["--seat", "-1"], "error: --seat is -1: expected 0 to 2"),
        (["--entrant", "clever"], f"error: --entrant is 'clever': expected one of {', '.join(NAMES)}"),
        (["--entrant", NAMES[0], "--seat", "0"], "error: --seat and --entrant: expected one of them"),
        (["--hand", "2"], "error: --hand is 2: expected 0 to 1, as the record has them"),
    ],
)
def test_views_that_cannot_be_are_told(arguments: list[str], said: str) -> None:
    """With exit code 2."""
    assert said == run(RECORD, *arguments, code=2).strip()


def test_a_record_that_does_not_verify_is_refused(tmp_path: Path) -> None:
    """As `record verify` does, before anything is shown: 1 for an invalid one, 3 for another format, 2 for no file."""
    data = RECORD.read_bytes()
    bad, other = tmp_path / "bad.jsonl", tmp_path / "other.jsonl"
    bad.write_bytes(data.replace(b'"points":[0,0,0]', b'"points":[0,0,1]', 1))
    other.write_bytes(data.replace(b"kawuxing-record/1", b"kawuxing-record/2"))

    assert f"error: {bad}: line 3" in run(bad, code=1)
    assert f"error: {other}: the record has format kawuxing-record/2" in run(other, code=3)
    assert f"error: file {tmp_path / 'none'}: No such file" in run(tmp_path / "none", code=2)


def test_at_a_terminal_a_person_steps_through_it() -> None:
    """Forth with Enter or n, back with p, to the next hand with h, anywhere with g, and away with q."""
    with Terminal("replay", RECORD) as terminal:
        assert "\x1b[" in terminal.wait_for("step 0 (to ")
        for typed, number in [("", 1), ("n", 2), ("p", 1), ("p", 0), ("p", 0), ("g 5", 5)]:
            terminal.type(typed)
            terminal.wait_for(f"step {number} (to ")
        terminal.type("h")
        assert "hand 1, dealer" in strip(terminal.wait_for(" (to "))
        terminal.type("h")
        terminal.wait_for("this is the last hand")
        for nonsense in ("?", "g 99999", "g x", "x"):
            terminal.type(nonsense)
            terminal.wait_for("Enter or n: next step")
        terminal.type("q")
        assert 0 == terminal.end()[0]


def test_after_the_last_step_enter_leaves() -> None:
    """The result is shown with it."""
    with Terminal("replay", RECORD, "--seat", "2") as terminal:
        last = re.findall(r"step 0 \(to (\d+)\)", strip(terminal.wait_for("? or q: ")))[0]
        terminal.type(f"g {last}")
        assert "sha256" in terminal.wait_for(f"step {last} (to {last})")
        terminal.type("")
        assert 0 == terminal.end()[0]


def test_ctrl_c_ends_it() -> None:
    """With the exit code of an interrupt."""
    with Terminal("replay", RECORD) as terminal:
        terminal.wait_for("? or q: ")
        terminal.process.send_signal(signal.SIGINT)
        code, shown = terminal.end()

    assert 130 == code
    assert "Traceback" not in shown


def strip(shown: str) -> str:
    """Return what was shown without its colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", shown)
