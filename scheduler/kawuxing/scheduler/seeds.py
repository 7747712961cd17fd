"""The master seed of a tournament: where it is kept until it is revealed, and what follows from it (DESIGN: seeds)."""

from __future__ import annotations

import os
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from kawuxing.engine import wall
from kawuxing.engine.errors import KawuxingError
from kawuxing.scheduler.config import TournamentConfig, Walls

MASTER_SEED_BYTES: Final = 32
_OPEN_TO_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


class SeedError(KawuxingError):
    """The file of a master seed cannot be read, written or trusted."""


@dataclass(frozen=True, slots=True)
class TournamentSeed:
    """A master seed together with the public entropy that is mixed in."""

    master_seed: bytes
    public_entropy: str

    @classmethod
    def of_practice(cls, config: TournamentConfig) -> Self:
        """Return the seed of a practice tournament: anybody who guesses its text can compute every wall."""
        if config.seed is None:
            raise ValueError("seed is left out: expected the text of a practice tournament")
        return cls(wall.practice_seed(config.seed), config.public_entropy)

    @property
    def commitment(self) -> str:
        """SHA-256, in hex, of the master seed."""
        return wall.commitment(self.master_seed)

    def match_id(self, index: int) -> str:
        """Return the id of the match at ``index`` in the schedule."""
        return wall.match_id(self._key, index)

    def deal_seed(self, walls: Walls, index: int, deal: int) -> bytes:
        """Return the seed of the walls of the match at ``index`` in the schedule, which belongs to ``deal``."""
        if walls is Walls.DUPLICATE:
            return wall.duplicate_deal_seed(self._key, deal)
        return wall.fresh_deal_seed(self._key, index)

    @property
    def _key(self) -> bytes:
        return wall.tournament_key(self.master_seed, self.public_entropy)


def seed_path(config: TournamentConfig, folder: Path) -> Path:
    """Return where the secret seed of a tournament is kept in ``folder``."""
    return folder / f"{config.slug}.seed"


def load_or_create_seed(config: TournamentConfig, folder: Path) -> TournamentSeed:
    """Return the seed of a tournament; a secret one is kept in ``folder``, made from the OS's randomness at first.

    Raises SeedError if the file cannot be read or written, is no seed, or can be read by others than its owner.
    """
    if config.seed is not None:
        return TournamentSeed.of_practice(config)
    path = seed_path(config, folder)
    try:
        master_seed = _read(path) if path.exists() else _create(path)
    except OSError as error:
        raise SeedError(f"seed file {path}: {error.strerror}") from error
    return TournamentSeed(master_seed, config.public_entropy)


def _read(path: Path) -> bytes:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & _OPEN_TO_OTHERS:
        raise SeedError(f"seed file {path} has mode {mode:04o}: expected 0600, so that nobody else can know the walls")
    text = path.read_text("ascii", errors="replace").strip()
    try:
        master_seed = bytes.fromhex(text)
    except ValueError:
        master_seed = b""
    if len(master_seed) != MASTER_SEED_BYTES:
        raise SeedError(f"seed file {path}: expected {MASTER_SEED_BYTES} bytes in hex")
    return master_seed


def _create(path: Path) -> bytes:
    """Write a new seed so that a crash leaves either no file or a whole one."""
    master_seed = secrets.token_bytes(MASTER_SEED_BYTES)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = path.with_suffix(".new")
    temporary.unlink(missing_ok=True)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(master_seed.hex() + "\n")
        file.flush()
        os.fsync(file.fileno())
    temporary.rename(path)
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
    return master_seed
