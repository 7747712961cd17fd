"""Verifying the folder of a tournament: that no record, wall, result or figure of it was made up (docs/records.md).

Everything is derived again from the config and the revealed seed, and compared with what the folder says.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kawuxing.engine.errors import InvalidRecordError, RecordError
from kawuxing.engine.record import Record, RecordedEntrant, RecordHeader
from kawuxing.engine.replay import verify_replay, verify_walls
from kawuxing.engine.revealed_seed import RevealedSeed, check_format
from kawuxing.scheduler.config import ConfigError, TournamentConfig
from kawuxing.scheduler.digest import cancellation_digest, tournament_digest
from kawuxing.scheduler.export import (
    CSV_FILE,
    FORMAT,
    LEADERBOARD_FILE,
    RECORDS_FOLDER,
    SEED_FILE,
    TOURNAMENT_FILE,
    record_file,
)
from kawuxing.scheduler.leaderboard import TIME_COLUMNS, Leaderboard
from kawuxing.scheduler.seating import ScheduledMatch, schedule
from kawuxing.scheduler.seeds import seed_of
from kawuxing.scheduler.standings import MatchOutcome, leaderboard

_LAST_DIGIT: Final = {"elo": 0.1, "low": 0.1, "high": 0.1}


@dataclass(frozen=True, slots=True)
class VerifiedTournament:
    """What was found to be true of a folder."""

    tournament: str
    digest: str
    records: int
    cancelled: int
    time_faults: int
    """Faults that depended on time; with 0, playing again gives the same records."""
    practice: bool


def verify_tournament(
    folder: Path, on_record: Callable[[int, int], None] = lambda _done, _all: None
) -> VerifiedTournament:
    """Verify a whole folder; ``on_record`` is told how many matches of how many have been checked.

    Raises InvalidRecordError, naming the file and what differs first; UnsupportedRecordError for a newer format or
    rules revision.
    """
    told = _Told(folder)
    config, seed = told.config, told.seed
    matches = schedule(config)
    _check_length(told.entries, matches)
    outcomes: list[MatchOutcome] = []
    digests: list[str] = []
    for match, entry in zip(matches, told.entries, strict=True):
        match_id = seed.match_id(match.index)
        _equal(TOURNAMENT_FILE, f"matches[{match.index}].match", entry.get("match"), match_id)
        _equal(TOURNAMENT_FILE, f"matches[{match.index}].index", entry.get("index"), match.index)
        if "record" in entry:
            _check_fields(match, entry, "record", "sha256")
            record = _verify_record(folder, config, seed, match, entry)
            digests.append(record.sha256)
            outcomes.append(MatchOutcome(match.index, match.deal, match.entrants, record.result))
        elif "cancelled" in entry:
            _check_fields(match, entry, "cancelled")
            _check_cancellation(match, told.withdrawn)
            digests.append(cancellation_digest(match_id))
        else:
            raise InvalidRecordError(
                f"{TOURNAMENT_FILE}: matches[{match.index}] has neither record nor cancellation: "
                "the tournament is incomplete"
            )
        on_record(match.index + 1, len(matches))
    _check_files(folder, told.entries)
    digest = tournament_digest(digests)
    _equal(TOURNAMENT_FILE, "digest", told.data.get("digest"), digest)
    table = leaderboard(config, outcomes, withdrawn=told.withdrawn)
    _check_leaderboard(folder, table.to_json(times=False))
    _check_csv(folder, table)
    return VerifiedTournament(
        tournament=config.slug,
        digest=digest,
        records=len(outcomes),
        cancelled=len(matches) - len(outcomes),
        time_faults=table.time_faults,
        practice=config.practice,
    )


class _Told:
    """What the folder says of itself, checked as far as that goes without the records."""

    def __init__(self, folder: Path) -> None:
        self.data = _read_json(folder, TOURNAMENT_FILE)
        check_format(TOURNAMENT_FILE, self.data.get("format"), FORMAT)
        self.config = self._read_config()
        _equal(TOURNAMENT_FILE, "config_digest", self.data.get("config_digest"), self.config.digest)
        _equal(TOURNAMENT_FILE, "practice", self.data.get("practice"), self.config.practice)
        self.seed = RevealedSeed.parse(_read(folder, SEED_FILE))
        _equal(TOURNAMENT_FILE, "commitment", self.data.get("commitment"), self.seed.commitment)
        _equal(SEED_FILE, "all fields", self.seed.to_json(), seed_of(self.config, self.seed.master_seed).to_json())
        self.entries = self._read_entries()
        self.withdrawn = self._read_withdrawn()

    def _read_config(self) -> TournamentConfig:
        data = self.data.get("config")
        if not isinstance(data, dict):
            raise InvalidRecordError(f"{TOURNAMENT_FILE}: config is {data!r}: expected an object")
        try:
            return TournamentConfig.from_json(data, f"{TOURNAMENT_FILE}: config")
        except ConfigError as error:
            raise InvalidRecordError(str(error)) from error

    def _read_entries(self) -> list[dict[str, Any]]:
        entries = self.data.get("matches")
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise InvalidRecordError(f"{TOURNAMENT_FILE}: matches is no list of objects")
        return entries

    def _read_withdrawn(self) -> dict[str, str]:
        withdrawn = self.data.get("withdrawn", {})
        names = {bot.name for bot in self.config.bots}
        if not isinstance(withdrawn, dict) or not all(
            bot in names and isinstance(reason, str) for bot, reason in withdrawn.items()
        ):
            raise InvalidRecordError(f"{TOURNAMENT_FILE}: withdrawn is {withdrawn!r}: expected bots and reasons")
        return withdrawn


def _check_length(entries: list[dict[str, Any]], matches: tuple[ScheduledMatch, ...]) -> None:
    if len(entries) != len(matches):
        raise InvalidRecordError(
            f"{TOURNAMENT_FILE}: matches has {len(entries)} entries, but the config's schedule has {len(matches)}"
        )


def _check_fields(match: ScheduledMatch, entry: dict[str, Any], *fields: str) -> None:
    """Refuse an entry that says two things, or more than can be checked."""
    _equal(TOURNAMENT_FILE, f"matches[{match.index}] has", sorted(entry), sorted(("index", "match", *fields)))


def _verify_record(
    folder: Path, config: TournamentConfig, seed: RevealedSeed, match: ScheduledMatch, entry: dict[str, Any]
) -> Record:
    name = record_file(match.index, seed.match_id(match.index))
    _equal(TOURNAMENT_FILE, f"matches[{match.index}].record", entry["record"], name)
    data = _read(folder, name)
    try:
        record = verify_replay(data)
        verify_walls(record, seed.deal_seed(match.index))
    except RecordError as error:
        raise type(error)(f"{name}: {error}") from error
    expected = RecordHeader(
        tournament=config.slug,
        match_id=seed.match_id(match.index),
        hands=config.match.hands,
        max_faults=config.match.max_faults,
        entrants=tuple(RecordedEntrant(bot, config.bot(bot).version) for bot in match.entrants),
        rules=config.rules,
        commitment=seed.commitment,
    )
    for field in ("tournament", "match_id", "hands", "max_faults", "entrants", "rules", "commitment"):
        _equal(name, f"header: {field}", getattr(record.header, field), getattr(expected, field))
    _equal(TOURNAMENT_FILE, f"matches[{match.index}].sha256", entry.get("sha256"), record.sha256)
    return record


def _check_cancellation(match: ScheduledMatch, withdrawn: dict[str, str]) -> None:
    if not any(bot in withdrawn for bot in match.entrants):
        raise InvalidRecordError(
            f"{TOURNAMENT_FILE}: matches[{match.index}] is cancelled, but none of its bots was withdrawn"
        )


def _check_files(folder: Path, entries: list[dict[str, Any]]) -> None:
    """Refuse records that belong to no match: somebody could take them for results."""
    expected = {entry["record"] for entry in entries if "record" in entry}
    for path in sorted((folder / RECORDS_FOLDER).glob("*")):
        if f"{RECORDS_FOLDER}/{path.name}" not in expected:
            raise InvalidRecordError(f"{RECORDS_FOLDER}/{path.name} belongs to no match of the schedule")


def _check_leaderboard(folder: Path, derived: dict[str, Any]) -> None:
    told = _read_json(folder, LEADERBOARD_FILE)
    # How another version words its notes is no figure; what they say, other fields say too.
    for table in (derived, told):
        table.pop("notes", None)
    rows = told.get("rows")
    if isinstance(rows, list):
        # Decision times are no part of the records, so they cannot be verified.
        told["rows"] = [
            {key: value for key, value in row.items() if key != "times"} if isinstance(row, dict) else row
            for row in rows
        ]
    for path, expected, found in _differences("", json.loads(json.dumps(derived)), told):
        raise InvalidRecordError(f"{LEADERBOARD_FILE}: {path} is {found!r}, but the records give {expected!r}")


def _check_csv(folder: Path, table: Leaderboard) -> None:
    derived = list(csv.reader(io.StringIO(table.to_csv())))
    try:
        told = list(csv.reader(io.StringIO(_read(folder, CSV_FILE).decode())))
    except (csv.Error, UnicodeDecodeError) as error:
        raise InvalidRecordError(f"{CSV_FILE} is not CSV: {error}") from error
    _equal(CSV_FILE, "lines", [len(row) for row in told], [len(row) for row in derived])
    for number, (expected, found) in enumerate(zip(derived, told, strict=True), 1):
        for column, one, other in zip(derived[0], expected, found, strict=True):
            if (column not in TIME_COLUMNS or number == 1) and not _same(column, _figure(one), _figure(other)):
                raise InvalidRecordError(
                    f"{CSV_FILE}: {column} in line {number} is {other!r}, but the records give {one!r}"
                )


def _figure(cell: str) -> float | str:
    """Return the number in a cell that holds one with decimals, else its text."""
    return float(cell) if re.fullmatch(r"-?[0-9]+\.[0-9]+", cell) else cell


def _differences(path: str, expected: Any, found: Any) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in sorted(expected.keys() | found.keys()):
            yield from _differences(f"{path}.{key}".removeprefix("."), expected.get(key), found.get(key))
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for index, (one, other) in enumerate(zip(expected, found, strict=True)):
            yield from _differences(f"{path}[{index}]", one, other)
    elif not _same(path, expected, found):
        yield path, expected, found


def _same(path: str, expected: Any, found: Any) -> bool:
    if isinstance(expected, float) and isinstance(found, float):
        # The last digit of a published figure may fall to the other side on a machine that rounds otherwise.
        return math.isclose(expected, found, rel_tol=0, abs_tol=1.01 * _LAST_DIGIT.get(path.rpartition(".")[2], 0.001))
    return bool(expected == found)


def _equal(file: str, field: str, found: Any, expected: Any) -> None:
    if found != expected:
        raise InvalidRecordError(f"{file}: {field} is {found!r}, expected {expected!r}")


def _read(folder: Path, name: str) -> bytes:
    path = folder / name
    try:
        if path.exists() and not path.is_file():
            # A pipe or a device would be read for ever.
            raise InvalidRecordError(f"{name} cannot be read: it is no file")
        return path.read_bytes()
    except OSError as error:
        raise InvalidRecordError(f"{name} cannot be read: {error.strerror or error}") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object. Raises ValueError if it has a key twice: other readers may see the other one."""
    data = dict(pairs)
    if len(data) != len(pairs):
        raise ValueError(f"a key is there twice among {sorted(key for key, _ in pairs)}")
    return data


def _read_json(folder: Path, name: str) -> dict[str, Any]:
    try:
        data = json.loads(_read(folder, name), object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise InvalidRecordError(f"{name} is not JSON: {error}") from error
    if not isinstance(data, dict):
        raise InvalidRecordError(f"{name} is not a JSON object")
    return data
