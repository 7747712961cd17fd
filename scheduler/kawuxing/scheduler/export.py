"""Exporting a tournament: a folder with everything that a reader needs to check it, written whole or not at all.

::

    tournament.json     config (but for env), commitment, digest, and what stands for each match of the schedule
    seed.json           the revealed master seed (absent as long as the tournament is not over)
    records/            one record for each match played, 000000-<match id>.jsonl
    leaderboard.json    the final standings; .csv the same as a table
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kawuxing.engine.errors import KawuxingError
from kawuxing.engine.revealed_seed import RevealedSeed
from kawuxing.scheduler.config import TournamentConfig
from kawuxing.scheduler.digest import cancellation_digest, tournament_digest
from kawuxing.scheduler.leaderboard import Leaderboard
from kawuxing.scheduler.results import current_leaderboard
from kawuxing.scheduler.store import MatchState, MatchStatus, Store

FORMAT: Final = "kawuxing-tournament/1"
TOURNAMENT_FILE: Final = "tournament.json"
SEED_FILE: Final = "seed.json"
LEADERBOARD_FILE: Final = "leaderboard.json"
CSV_FILE: Final = "leaderboard.csv"
RECORDS_FOLDER: Final = "records"


class ExportError(KawuxingError):
    """A folder that cannot be written."""


@dataclass(frozen=True, slots=True)
class Exported:
    """A tournament that was exported."""

    folder: Path
    digest: str
    """Over the records of all matches; see docs/records.md."""
    leaderboard: Leaderboard


def record_file(index: int, match_id: str) -> str:
    """Return the path of a match's record in the folder."""
    return f"{RECORDS_FOLDER}/{index:06}-{match_id}.jsonl"


def export_tournament(store: Store, config: TournamentConfig, seed: RevealedSeed, folder: Path) -> Exported:
    """Write the folder of a tournament that is over, in place of an earlier one; a crash leaves the old one or the new.

    Raises ExportError if it cannot be written.
    """
    temporary = folder.with_name(f".{folder.name}.new")
    old = folder.with_name(f".{folder.name}.old")
    try:
        if not folder.exists() and old.exists():
            # A crash between the two renames below.
            old.rename(folder)
        shutil.rmtree(temporary, ignore_errors=True)
        (temporary / RECORDS_FOLDER).mkdir(parents=True)
        exported = _write(store, config, seed, temporary)
        shutil.rmtree(old, ignore_errors=True)
        if folder.exists():
            folder.rename(old)
        temporary.rename(folder)
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        shutil.rmtree(temporary, ignore_errors=True)
        raise ExportError(f"folder {folder}: {error.strerror or error}; expected one that can be written") from error
    return Exported(folder, exported.digest, exported.leaderboard)


def _write(store: Store, config: TournamentConfig, seed: RevealedSeed, folder: Path) -> Exported:
    for record in store.records(config.slug):
        (folder / record_file(record.index, record.match_id)).write_bytes(record.record)
    digests = {result.index: result.sha256 for result in store.results(config.slug)}
    matches = [_entry(match, digests) for match in store.matches(config.slug)]
    digest = tournament_digest(
        entry["sha256"] if "sha256" in entry else cancellation_digest(entry["match"]) for entry in matches
    )
    table = current_leaderboard(store, config)
    _write_json(
        folder / TOURNAMENT_FILE,
        {
            "format": FORMAT,
            "config": _published(config),
            "config_digest": config.digest,
            "practice": config.practice,
            "commitment": seed.commitment,
            "digest": digest,
            "withdrawn": {row.bot: row.withdrawn for row in table.rows if row.withdrawn is not None},
            "matches": matches,
        },
    )
    _write_json(folder / SEED_FILE, seed.to_json())
    _write_json(folder / LEADERBOARD_FILE, table.to_json())
    (folder / CSV_FILE).write_text(table.to_csv(), "utf-8")
    return Exported(folder, digest, table)


def _published(config: TournamentConfig) -> dict[str, Any]:
    """Return the config without the bots' environments, which are where their secrets go."""
    data = config.to_json()
    for bot in data["bots"]:
        del bot["env"]
    return data


def _entry(match: MatchStatus, digests: dict[int, str]) -> dict[str, Any]:
    entry: dict[str, Any] = {"index": match.index, "match": match.match_id}
    if match.state is MatchState.DONE:
        entry |= {"record": record_file(match.index, match.match_id), "sha256": digests[match.index]}
    else:
        entry |= {match.state.value: match.reason or ""}
    return entry


def _write_json(path: Path, data: dict[str, Any]) -> None:
    path.write_text(json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False) + "\n", "utf-8")
