"""The master seed of a tournament, and the file in which a secret one is kept until it is revealed (DESIGN §4)."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path
from typing import Final

from kawuxing.engine.errors import KawuxingError
from kawuxing.engine.revealed_seed import RevealedSeed
from kawuxing.engine.wall import SEED_BYTES, practice_seed
from kawuxing.scheduler.config import TournamentConfig

_OPEN_TO_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


class SeedError(KawuxingError):
    """The file of a master seed cannot be read, written or trusted."""


def seed_path(config: TournamentConfig, folder: Path) -> Path:
    """Return where the secret seed of a tournament is kept in ``folder``."""
    return folder / f"{config.slug}.seed"


def load_or_create_seed(config: TournamentConfig, folder: Path) -> RevealedSeed:
    """Return the seed of a tournament; a secret one is kept in ``folder``, made from the OS's randomness at first.

    It is to be revealed only when the tournament is over. Raises SeedError if the file cannot be read or written, is no
    seed, or can be read by others than its owner.
    """
    if config.seed is not None:
        return seed_of(config, practice_seed(config.seed))
    path = seed_path(config, folder)
    try:
        return seed_of(config, _read(path) if path.exists() else _create(path))
    except OSError as error:
        raise SeedError(f"seed file {path}: {error.strerror}") from error


def check_seed(config: TournamentConfig, folder: Path) -> None:
    """Raise SeedError if the tournament's seed is in ``folder`` but cannot be used."""
    path = seed_path(config, folder)
    try:
        if config.seed is None and path.exists():
            _read(path)
    except OSError as error:
        raise SeedError(f"seed file {path}: {error.strerror}") from error


def seed_of(config: TournamentConfig, master_seed: bytes) -> RevealedSeed:
    """Return what the tournament of ``config`` is played with, given its master seed."""
    return RevealedSeed(
        tournament=config.slug,
        master_seed=master_seed,
        public_entropy=config.public_entropy,
        walls=config.schedule.walls.value,
        matches=config.matches,
        deals=config.schedule.deals,
    )


def _read(path: Path) -> bytes:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & _OPEN_TO_OTHERS:
        raise SeedError(f"seed file {path} has mode {mode:04o}: expected 0600, so that nobody else can know the walls")
    text = path.read_text("ascii", errors="replace").strip()
    try:
        master_seed = bytes.fromhex(text)
    except ValueError:
        master_seed = b""
    if len(master_seed) != SEED_BYTES:
        raise SeedError(f"seed file {path}: expected {SEED_BYTES} bytes in hex")
    return master_seed


def _create(path: Path) -> bytes:
    """Write a new seed so that a crash leaves either no file or a whole one."""
    master_seed = secrets.token_bytes(SEED_BYTES)
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
