"""The golden tournaments: one by each preset, played as an organiser plays it, and what is pinned of them.

``make golden`` plays them and renews what is pinned.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.e2e.arena import Arena

from kawuxing.engine.rules import preset_names

GOLDEN = Path(__file__).parent
DIGESTS = GOLDEN / "digests.json"
CONFIG = GOLDEN / "tournament.toml"


@dataclass(frozen=True, slots=True)
class Played:
    """A golden tournament that was played."""

    arena: Arena
    preset: str
    summary: dict[str, Any]
    """What ``kawuxing run --json`` printed."""

    @property
    def folder(self) -> Path:
        """What it left."""
        return Path(self.summary["folder"])

    @property
    def records(self) -> list[Path]:
        """Its records, in the order of the schedule."""
        return sorted((self.folder / "records").iterdir())

    def pinned(self) -> dict[str, Any]:
        """Return its digest, and that of each record under the match's number and bots."""
        return {"digest": self.summary["digest"], "records": dict(map(_digest, self.records))}

    def record(self) -> bytes:
        """Return the record that has the most different things to show, the first of those that have as many."""
        return max((path.read_bytes() for path in self.records), key=_variety)


def play(preset: str, folder: Path) -> Played:
    """Play the tournament of a preset in an empty folder."""
    arena = Arena(folder)
    return Played(arena, preset, arena.json("run", CONFIG, "--rules", preset, "--home", arena.home))


def golden_record(preset: str) -> Path:
    """Return the file of a preset's golden record."""
    return GOLDEN / f"record-{preset}.jsonl"


def digests() -> dict[str, Any]:
    """Return what is pinned, by preset."""
    pinned: dict[str, Any] = json.loads(DIGESTS.read_text("ascii"))
    return pinned


def changes(old: dict[str, str], new: dict[str, str]) -> list[str]:
    """Return the names of the records that are not the same in both, in the order of the schedule."""
    names = {**old, **new}
    return [name for name in names if old.get(name) != new.get(name)]


def _digest(path: Path) -> tuple[str, str]:
    header, *_, checksum = map(json.loads, path.read_bytes().splitlines())
    names = " ".join(entrant["name"] for entrant in header["entrants"])
    return f"{path.name.partition('-')[0]} {names}", checksum["sha256"]


def _variety(record: bytes) -> int:
    lines = map(json.loads, record.splitlines())
    return len({tuple(line.get(key) for key in ("type", "event", "meld", "reason", "fault")) for line in lines})


def _renew() -> Iterator[str]:
    """Play all tournaments, pin what comes out, and say of each preset what has changed."""
    old = digests() if DIGESTS.exists() else {}
    new: dict[str, Any] = {}
    for preset in preset_names():
        with TemporaryDirectory() as folder:
            played = play(preset, Path(folder))
            new[preset] = played.pinned()
            golden_record(preset).write_bytes(played.record())
        changed = changes(old.get(preset, {}).get("records", {}), new[preset]["records"])
        yield f"{preset}: {len(changed)} of {len(new[preset]['records'])} records changed"
        yield from (f"  {name}" for name in changed)
    DIGESTS.write_text(json.dumps(new, indent=2, sort_keys=True) + "\n", "ascii")


if __name__ == "__main__":
    for line in _renew():
        print(line, flush=True)
