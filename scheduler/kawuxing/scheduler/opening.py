"""Opening a tournament: its seed, its schedule and its place in the store, made once and found again afterwards."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from kawuxing.engine.errors import KawuxingError
from kawuxing.engine.revealed_seed import RevealedSeed
from kawuxing.scheduler.config import ConfigError, FieldChange, TournamentConfig, changed_fields
from kawuxing.scheduler.config_errors import shown
from kawuxing.scheduler.seating import schedule
from kawuxing.scheduler.seeds import SeedError, load_or_create_seed, seed_path
from kawuxing.scheduler.store import (
    Bot,
    NewMatch,
    NewTournament,
    Store,
    Tournament,
    TournamentChangedError,
    UnknownTournamentError,
)


class ConfigChangedError(KawuxingError):
    """A tournament that was started with another config than it is now to go on with."""

    def __init__(self, tournament: str, changes: Sequence[FieldChange]) -> None:
        """List what changed."""
        super().__init__(
            f"tournament {tournament!r} was started with another config, and goes on only with that "
            "(a new tournament needs another name):" + "".join(f"\n  {change}" for change in changes)
        )
        self.changes = tuple(changes)


def open_tournament(config: TournamentConfig, store: Store, seeds: Path) -> RevealedSeed:
    """Create the tournament of ``config`` in the store, or find it there; return its seed.

    Raises ConfigChangedError if it was started with another config; ConfigError if a remote bot is not registered;
    SeedError as :func:`load_or_create_seed` does, and if the seed of a started tournament is gone. Either changes
    nothing.
    """
    known = _find(store, config.slug)
    if known is None:
        check_registered(config, store.bots())
    else:
        _check_unchanged(config, known)
        if not config.practice and not seed_path(config, seeds).exists():
            raise SeedError(
                f"seed file {seed_path(config, seeds)} is gone, and tournament {config.slug!r} cannot go on without it"
            )
    seed = load_or_create_seed(config, seeds)
    try:
        store.create_tournament(new_tournament(config, seed))
    except TournamentChangedError as error:
        # Another process has created it since it was looked for.
        raise _changed(config, error.old_config) from error
    return seed


def new_tournament(config: TournamentConfig, seed: RevealedSeed) -> NewTournament:
    """Return what the store is told about a tournament: a pure function of config and seed."""
    return NewTournament(
        id=config.slug,
        name=config.name,
        config=json.dumps(config.to_json(), sort_keys=True),
        config_digest=config.digest,
        practice=config.practice,
        commitment=seed.commitment,
        bots=tuple(bot.name for bot in config.bots),
        matches=tuple(
            NewMatch(index=match.index, deal=match.deal, match_id=seed.match_id(match.index), bots=match.entrants)
            for match in schedule(config)
        ),
    )


def _find(store: Store, tournament: str) -> Tournament | None:
    try:
        return store.tournament(tournament)
    except UnknownTournamentError:
        return None


def check_registered(config: TournamentConfig, bots: Iterable[Bot]) -> None:
    """Raise ConfigError if a remote bot is not among the registered ``bots``, or a launched one is, as a remote one."""
    registered = {bot.name: bot for bot in bots}
    problems: list[str] = []
    for index, bot in enumerate(config.bots):
        known = registered.get(bot.name)
        if bot.remote and (known is None or not known.remote):
            problems.append(
                f"bots[{index}].name is {shown(bot.name)}, a remote bot that is not registered: "
                f"expected it to have a token, as `kawuxing bot add {bot.name}` gives"
            )
        elif not bot.remote and known is not None and known.remote:
            problems.append(
                f"bots[{index}].name is {shown(bot.name)}, registered as a remote bot: "
                "expected another name, or remote = true"
            )
    if problems:
        raise ConfigError(f"tournament {config.slug!r}", problems)


def _check_unchanged(config: TournamentConfig, known: Tournament) -> None:
    if known.config_digest != config.digest:
        raise _changed(config, known.config)


def _changed(config: TournamentConfig, old_config: str) -> ConfigChangedError:
    old = TournamentConfig.from_json(json.loads(old_config))
    return ConfigChangedError(config.slug, changed_fields(old, config))
