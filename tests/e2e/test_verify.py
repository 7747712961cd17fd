"""What a reader can check of a tournament's folder, and what catches whoever changes it, however consistently."""

from __future__ import annotations

import csv
import json
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.arena import Arena
from tests.e2e.quick import QuickCommand

from kawuxing.cli.exits import Exit
from kawuxing.engine.actions import Action
from kawuxing.engine.errors import InvalidRecordError, UnsupportedRecordError
from kawuxing.engine.match import Answer
from kawuxing.engine.record import Record, RecordedMatch
from kawuxing.engine.replay import Replay, verify_replay, verify_walls
from kawuxing.engine.revealed_seed import RevealedSeed
from kawuxing.engine.tiles import Kind
from kawuxing.scheduler.config import TournamentConfig
from kawuxing.scheduler.digest import cancellation_digest, tournament_digest
from kawuxing.scheduler.seating import schedule
from kawuxing.scheduler.standings import MatchOutcome, leaderboard
from kawuxing.scheduler.verify import verify_tournament


@pytest.fixture
def folder(played: Arena, tmp_path: Path) -> Path:
    """A copy of the folder that a run left, to be changed at will."""
    return Path(shutil.copytree(played.exported, tmp_path / "cup"))


def records(folder: Path) -> list[Path]:
    return sorted((folder / "records").iterdir())


def read(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return data


def change(path: Path, change_data: Callable[[dict[str, Any]], object]) -> None:
    """Change what a JSON file says."""
    data = read(path)
    change_data(data)
    path.write_text(json.dumps(data), "utf-8")


def refusal(folder: Path) -> str:
    with pytest.raises(InvalidRecordError) as refused:
        verify_tournament(folder)
    return str(refused.value)


def first_legal(legal: Sequence[Action]) -> Action:
    return legal[0]


def play_again(
    record: Record, choose: Callable[[Sequence[Action]], Action], walls: Sequence[tuple[Kind, ...]] | None = None
) -> bytes:
    """Return the record of a match that agrees with itself but was never played: other choices, or other walls."""
    again = RecordedMatch(record.header, (walls or record.walls).__getitem__)
    again.start()
    while not again.match.finished:
        again.apply({entrant: Answer(choose(legal)) for entrant, legal in again.pending().items()})
    return again.finish().data


def write_digests(folder: Path) -> None:
    """Write the digests of the records that are there into tournament.json."""

    def write(data: dict[str, Any]) -> None:
        for entry in data["matches"]:
            if "record" in entry:
                entry["sha256"] = verify_replay((folder / entry["record"]).read_bytes()).sha256
        data["digest"] = tournament_digest(
            entry.get("sha256") or cancellation_digest(entry["match"]) for entry in data["matches"]
        )

    change(folder / "tournament.json", write)


def write_leaderboard(folder: Path) -> None:
    """Write the standings that follow from the records that are there."""
    told = read(folder / "tournament.json")
    config = TournamentConfig.from_json(told["config"])
    outcomes = [
        MatchOutcome(
            match.index, match.deal, match.entrants, verify_replay((folder / entry["record"]).read_bytes()).result
        )
        for match, entry in zip(schedule(config), told["matches"], strict=True)
        if "record" in entry
    ]
    table = leaderboard(config, outcomes, withdrawn=told["withdrawn"])
    (folder / "leaderboard.json").write_text(json.dumps(table.to_json()), "utf-8")
    (folder / "leaderboard.csv").write_text(table.to_csv(), "utf-8")


LINES = ['"type":"header"', '"type":"hand"', '"type":"decision"', '"type":"event"', '"type":"result"', '{"sha256":']


@pytest.mark.parametrize("mark", LINES)
def test_a_single_byte_changed_in_a_record(folder: Path, mark: str) -> None:
    """In a line of whatever kind, at its beginning, in its middle, its end: file and line are told."""
    path = records(folder)[2]
    honest = path.read_bytes()
    lines = honest.splitlines(keepends=True)
    number = next(number for number, line in enumerate(lines) if mark.encode() in line)
    start = sum(map(len, lines[:number]))
    length = len(lines[number])
    for place in (0, 1, length // 3, length // 2, length - 3, length - 2, length - 1):
        for bit in (1, 2, 128):
            changed = bytearray(honest)
            changed[start + place] ^= bit
            path.write_bytes(changed)
            told = refusal(folder)
            assert told.startswith(f"records/{path.name}: line {number + 1}"), (place, bit)


def test_a_changed_byte_is_told_by_the_command(folder: Path, quick: QuickCommand) -> None:
    """Both commands say what differs, on stderr and with their exit code; if JSON is wanted, on stdout too."""
    path = records(folder)[0]
    honest = path.read_bytes()
    place = honest.index(b'"tile":"') + len('"tile":"')
    path.write_bytes(honest[:place] + (b"2" if honest[place : place + 1] != b"2" else b"3") + honest[place + 1 :])
    told = r"but the record's walls and decisions give "

    for command in ("verify", "record verify"):
        for options in ((), ("--json",)):
            said = quick(*command.split(), folder if command == "verify" else path, *options, cwd=folder)
            assert Exit.FAILED == said.code
            assert (json.loads(said.out)["error"] if options else "") in said.error
            assert bool(options) == bool(said.out)
            assert told in said.error
            assert 1 == said.error.count("\n")


def test_an_honest_folder(folder: Path, quick: QuickCommand) -> None:
    """What was checked is told, as text and as JSON."""
    digest = read(folder / "tournament.json")["digest"]
    text = quick("verify", folder, cwd=folder)
    told = quick("verify", folder, "--json", cwd=folder)

    assert (Exit.DONE, "") == (text.code, text.error)
    assert text.out.startswith(
        f"valid (replay, walls and tournament): cup\n  6 records, 0 matches cancelled\n  digest {digest}"
    )
    assert "PRACTICE" in text.out
    assert {
        "valid": True,
        "levels": ["replay", "walls", "tournament"],
        "tournament": "cup",
        "digest": digest,
        "records": 6,
        "cancelled": 0,
        "time_faults": 0,
        "reproducible": True,
        "practice": True,
    } == json.loads(told.out)


def test_an_honest_record(folder: Path, quick: QuickCommand) -> None:
    """Alone it is checked by itself, with the seed its walls too; what was not checked is told."""
    path = records(folder)[0]
    sha256 = read(folder / "tournament.json")["matches"][0]["sha256"]
    alone = quick("record", "verify", path, cwd=folder)
    seeded = quick("record", "verify", path, "--seed", folder / "seed.json", "--json", cwd=folder)

    assert (Exit.DONE, "") == (alone.code, alone.error)
    assert alone.out.startswith(f"valid (replay): {path}\n")
    assert "not checked: that the walls follow from the tournament's seed (--seed seed.json)" in alone.out
    assert {"valid": True, "levels": ["replay", "walls"], "sha256": sha256} == json.loads(seeded.out)


def test_a_decision_changed_consistently(folder: Path, played: Arena) -> None:
    """Such a record replays; its digest gives it away, then the tournament's, then the leaderboard.

    Rewritten everywhere, the folder agrees with itself: only who kept the published digest, or the digest that a bot
    was told at the end of its match, can tell.
    """
    path = records(folder)[3]
    honest = Replay(path.read_bytes())
    for _ in honest:
        pass
    forged = play_again(honest.record, first_legal)
    assert verify_replay(forged).sha256 != honest.record.sha256
    path.write_bytes(forged)

    assert "tournament.json: matches[3].sha256 is " in refusal(folder)
    told = verify_replay(forged).sha256
    change(folder / "tournament.json", lambda data: data["matches"][3].update(sha256=told))
    assert refusal(folder).startswith("tournament.json: digest is ")
    write_digests(folder)
    assert refusal(folder).startswith("leaderboard.json: ")
    write_leaderboard(folder)
    assert verify_tournament(folder).digest != read(played.exported / "tournament.json")["digest"]


def test_a_wall_changed_consistently(folder: Path, quick: QuickCommand) -> None:
    """Such a record replays, and fails at the walls: they do not follow from the seed that was committed to."""
    path = records(folder)[1]
    honest = verify_replay(path.read_bytes())
    wall = honest.walls[0]
    other = next(place for place in range(1, len(wall)) if wall[place] != wall[0])
    swapped = (wall[other], *wall[1:other], wall[0], *wall[other + 1 :])
    path.write_bytes(play_again(honest, first_legal, [swapped]))
    forged = verify_replay(path.read_bytes())

    assert f"records/{path.name}: wall of hand 0: wall[0] is " in refusal(folder)
    seed = RevealedSeed.parse((folder / "seed.json").read_bytes())
    with pytest.raises(InvalidRecordError, match=r"wall of hand 0: wall\[0\] is .., but the seed gives .."):
        verify_walls(forged, seed.deal_seed(1))
    assert Exit.DONE == quick("record", "verify", path, cwd=folder).code
    said = quick("record", "verify", path, "--seed", folder / "seed.json", cwd=folder)
    assert Exit.FAILED == said.code
    assert f"error: {path}: wall of hand 0: wall[0] is " in said.error


def test_two_records_swapped(folder: Path) -> None:
    """Each match has its own walls."""
    one, other = records(folder)[:2]
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)

    assert refusal(folder).startswith(f"records/{one.name}: wall of hand 0: ")


def test_entries_swapped(folder: Path) -> None:
    """The schedule says which match is where."""
    change(folder / "tournament.json", lambda data: data["matches"].reverse())

    assert "tournament.json: matches[0].match is " in refusal(folder)


def test_a_record_missing(folder: Path) -> None:
    """Its file is named."""
    path = records(folder)[4]
    path.unlink()

    assert f"records/{path.name} cannot be read: No such file or directory" == refusal(folder)


def test_a_record_too_many(folder: Path) -> None:
    """A file that belongs to no match is named: somebody could take it for a result."""
    extra = folder / "records" / "000006-extra.jsonl"
    extra.write_bytes(records(folder)[0].read_bytes())

    assert "records/000006-extra.jsonl belongs to no match of the schedule" == refusal(folder)


def test_a_match_left_out(folder: Path) -> None:
    """The schedule follows from the config, so no match can be passed over."""
    change(folder / "tournament.json", lambda data: data["matches"].pop())
    assert "tournament.json: matches has 5 entries, but the config's schedule has 6" == refusal(folder)


def test_a_match_neither_played_nor_cancelled(folder: Path) -> None:
    """An incomplete tournament does not verify, and is told to be so."""
    change(folder / "tournament.json", lambda data: data["matches"].__setitem__(5, _without_record(data, "failed")))
    assert "matches[5] has neither record nor cancellation: the tournament is incomplete" in refusal(folder)


def _without_record(data: dict[str, Any], state: str) -> dict[str, Any]:
    entry = data["matches"][5]
    return {"index": 5, "match": entry["match"], state: "because"}


def test_a_match_cancelled_for_no_reason(folder: Path) -> None:
    """Only matches of withdrawn bots are cancelled; a withdrawal changes the digest and stands in the leaderboard."""
    change(folder / "tournament.json", lambda data: data["matches"].__setitem__(5, _without_record(data, "cancelled")))
    records(folder)[5].unlink()
    assert "tournament.json: matches[5] is cancelled, but none of its bots was withdrawn" == refusal(folder)

    change(folder / "tournament.json", lambda data: data.update(withdrawn={"bot-2": "because"}))
    assert refusal(folder).startswith("tournament.json: digest is ")
    write_digests(folder)
    assert refusal(folder).startswith("leaderboard.json: ")


def test_the_seed_of_another_tournament(folder: Path) -> None:
    """The seed must be the one that was committed to before the first match."""
    other = {
        "tournament": "cup",
        "master_seed": "11" * 32,
        "commitment": "02d449a31fbb267c8f352e9968a79e3e5fc95c1bbeaa502fd6454ebde5a4bedc",
    }
    change(folder / "seed.json", lambda data: data.update(other))
    assert refusal(folder).startswith("tournament.json: commitment is ")

    change(folder / "tournament.json", lambda data: data.update(commitment=other["commitment"]))
    assert refusal(folder).startswith("tournament.json: matches[0].match is ")


@pytest.mark.parametrize(
    ("field", "value"), [("tournament", "cop"), ("walls", "duplicate"), ("matches", 12), ("public_entropy", "x")]
)
def test_a_seed_file_that_says_otherwise(folder: Path, field: str, value: object) -> None:
    """Whatever else the seed file says follows from the config."""
    change(folder / "seed.json", lambda data: data.update({field: value}))
    assert refusal(folder).startswith("seed.json: all fields is ")


@pytest.mark.parametrize(
    ("told", "change_config"),
    [
        ("config_digest", lambda config: config["match"].update(hands=2)),
        ("config_digest", lambda config: config["rules"].update(base=5)),
        ("config_digest", lambda config: config["bots"][0].update(version="2")),
        ("config_digest", lambda config: config.pop("seed")),
        ("config has 1 problem|config: ", lambda config: config["match"].update(hands=0)),
    ],
)
def test_a_config_that_was_changed(folder: Path, told: str, change_config: Callable[[dict[str, Any]], object]) -> None:
    """The config's digest tells."""
    change(folder / "tournament.json", lambda data: change_config(data["config"]))
    assert any(part in refusal(folder) for part in told.split("|"))


def test_a_config_changed_with_its_digest(folder: Path) -> None:
    """The records tell by which rules they were played."""

    def play_for_more(data: dict[str, Any]) -> None:
        data["config"]["rules"]["base"] = 5
        data["config_digest"] = TournamentConfig.from_json(data["config"]).digest

    change(folder / "tournament.json", play_for_more)
    assert f"records/{records(folder)[0].name}: header: rules is " in refusal(folder)


@pytest.mark.parametrize(
    ("place", "change_table"),
    [
        ("rows[0].elo", lambda table: table["rows"][0].update(elo=1000.0)),
        ("rows[1].points", lambda table: table["rows"][1].update(points=1000)),
        ("rows[0].average_rank", lambda table: table["rows"].reverse()),
        ("rows", lambda table: table["rows"].pop()),
        ("rows[2].reveals", lambda table: table["rows"][2].pop("reveals")),
        ("rows[0].prize", lambda table: table["rows"][0].update(prize=1)),
        ("practice", lambda table: table.update(practice=False)),
        ("provisional", lambda table: table.update(provisional=True)),
    ],
)
def test_a_leaderboard_that_was_changed(
    folder: Path, place: str, change_table: Callable[[dict[str, Any]], object]
) -> None:
    """Every figure follows from the records; the first that does not is told, and what the records give."""
    change(folder / "leaderboard.json", change_table)
    assert refusal(folder).startswith(f"leaderboard.json: {place} is ")


def test_notes_may_be_worded_otherwise(folder: Path) -> None:
    """Another version says them in other words; what they are about are fields of their own."""
    change(folder / "leaderboard.json", lambda table: table.update(notes=["practice, in other words"]))
    assert 6 == verify_tournament(folder).records


def test_decision_times_cannot_be_verified(folder: Path) -> None:
    """They are in no record."""
    change(folder / "leaderboard.json", lambda table: table["rows"][0]["times"].update(median=0.001))
    change_csv(folder, 1, "median_ms", "0.001")
    assert 6 == verify_tournament(folder).records


@pytest.mark.parametrize(
    ("line", "column", "value"),
    [(1, "bot", "bot-9"), (2, "elo", "1000.0"), (3, "points", "1000"), (1, "flags", "withdrawn"), (0, "bot", "name")],
)
def test_a_csv_that_was_changed(folder: Path, line: int, column: str, value: str) -> None:
    """The same table once more: somebody could read this one alone."""
    change_csv(folder, line, column, value)
    assert refusal(folder).startswith(f"leaderboard.csv: {column} in line {line + 1} is {value!r}, but the records ")


def test_a_csv_with_a_bot_more_or_less(folder: Path) -> None:
    """It has a line for each bot, and each line all columns."""
    path = folder / "leaderboard.csv"
    text = path.read_text("utf-8")
    for changed in (
        text + text.splitlines()[-1],
        text.rpartition("\n")[0].rpartition("\n")[0],
        text.replace(",", "", 1),
    ):
        path.write_text(changed, "utf-8")
        assert refusal(folder).startswith("leaderboard.csv: lines is ")


def change_csv(folder: Path, line: int, column: str, value: str) -> None:
    path = folder / "leaderboard.csv"
    rows = list(csv.reader(path.read_text("utf-8").splitlines()))
    rows[line][rows[0].index(column)] = value
    path.write_text("".join(",".join(row) + "\n" for row in rows), "utf-8")


@pytest.mark.parametrize(
    ("field", "told"), [({"index": 3}, "matches[2].index is 3"), ({"cancelled": "because"}, "matches[2] has is ")]
)
def test_an_entry_that_says_more_than_it_should(folder: Path, field: dict[str, Any], told: str) -> None:
    """What is not checked must not stand there."""
    change(folder / "tournament.json", lambda data: data["matches"][2].update(field))
    assert refusal(folder).startswith(f"tournament.json: {told}")


def test_a_key_that_is_there_twice(folder: Path) -> None:
    """One reader would take the first value, another the last."""
    path = folder / "leaderboard.json"
    path.write_text(path.read_text("utf-8").replace("{", '{"practice": false, ', 1), "utf-8")
    assert refusal(folder).startswith("leaderboard.json is not JSON: a key is there twice")


@pytest.mark.parametrize("name", ["tournament.json", "records"])
def test_a_file_that_would_never_end(folder: Path, name: str) -> None:
    """A pipe in a folder from elsewhere does not hang the reader."""
    path = records(folder)[0] if name == "records" else folder / name
    path.unlink()
    os.mkfifo(path)
    assert f"{path.relative_to(folder)} cannot be read: it is no file" == refusal(folder)


def test_a_digest_that_was_changed(folder: Path) -> None:
    """The digest follows from the records."""
    change(folder / "tournament.json", lambda data: data.update(digest="0" * 64))
    assert refusal(folder).startswith(f"tournament.json: digest is '{'0' * 64}', expected '")


@pytest.mark.parametrize("field", ["practice", "commitment", "config", "matches", "withdrawn", "digest"])
@pytest.mark.parametrize("value", [None, 3, "x", [], [3], {"x": "y"}, {"bot-0": 3}])
def test_a_field_of_another_kind(folder: Path, field: str, value: object) -> None:
    """Whatever a file says, it is an answer and not a crash."""
    change(folder / "tournament.json", lambda data: data.update({field: value}))
    assert refusal(folder).startswith("tournament.json: ")


@pytest.mark.parametrize("name", ["tournament.json", "seed.json", "leaderboard.json", "leaderboard.csv"])
def test_a_file_that_is_none(folder: Path, name: str) -> None:
    """Each file that is missing or is none is named."""
    for data in (b"", b"[]", b"\xff", b"[" * 200_000):
        (folder / name).write_bytes(data)
        assert refusal(folder).startswith((f"{name} is not ", "leaderboard.csv: lines is "))
    (folder / name).unlink()
    assert f"{name} cannot be read: No such file or directory" == refusal(folder)


@pytest.mark.parametrize("name", ["tournament.json", "seed.json"])
def test_a_folder_of_a_newer_version(folder: Path, quick: QuickCommand, name: str) -> None:
    """What this version cannot verify is not said to be invalid."""
    change(folder / name, lambda data: data.update(format=data["format"][:-1] + "9"))

    with pytest.raises(UnsupportedRecordError, match=f"{name}: format is 'kawuxing-.*/9'"):
        verify_tournament(folder)
    said = quick("verify", folder, cwd=folder)
    assert (Exit.CANNOT_VERIFY, "") == (said.code, said.out)
    assert said.error.startswith(f"error: {folder}: {name}: format is ")
