"""``kawuxing run``: plays a whole tournament on this machine, and goes on where an earlier run ended."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kawuxing.cli.environment import HomeOption, JsonOption, LogLevelOption, has_store, load_settings, open_store
from kawuxing.cli.exits import Exit
from kawuxing.cli.rules_named import rules_line
from kawuxing.cli.typed import own_name

if TYPE_CHECKING:
    from kawuxing.engine.revealed_seed import RevealedSeed
    from kawuxing.scheduler.config import TournamentConfig
    from kawuxing.scheduler.settings import Settings
    from kawuxing.scheduler.store import Store, TournamentState

ConfigFile = Annotated[Path, typer.Argument(help="The tournament's TOML file (docs/tournament.md).")]
RulesOption = Annotated[
    str | None,
    typer.Option(
        "--rules",
        help="Play by this preset instead of the file's rules: a tournament of its own, named after both.",
        metavar="PRESET",
    ),
]


def run(
    config_file: ConfigFile,
    *,
    home: HomeOption = None,
    rules: RulesOption = None,
    concurrency: Annotated[
        int | None, typer.Option("--concurrency", help="Matches at once, instead of the file's.", min=1, max=256)
    ] = None,
    as_json: JsonOption = False,
    log_level: LogLevelOption = None,
) -> None:
    """Play the tournament that a TOML file describes; killed or stopped, the same command goes on.

    Ctrl-C lets the matches in progress end; a second one stops at once.
    """
    from kawuxing.scheduler.home import HomeLock, check_free, prepare_home
    from kawuxing.scheduler.opening import check_registered, open_tournament
    from kawuxing.scheduler.seeds import check_seed

    settings = load_settings(home, log_level)
    config = _load(config_file, rules)
    if concurrency is not None:
        config = config.with_concurrency(concurrency)
    # Before anything is made or changed; but another arena in the same home explains a port in use.
    check_free(settings.home)
    _check_machine(config)
    check_seed(config, settings.home / "seeds")
    if not has_store(settings):
        check_registered(config, ())
    with HomeLock(prepare_home(settings.home)), open_store(settings, create=True) as store:
        seed = open_tournament(config, store, settings.home / "seeds")
        code = _play(config, seed, store, settings, as_json=as_json)
    raise typer.Exit(code)


def commit(
    config_file: ConfigFile, home: HomeOption = None, rules: RulesOption = None, as_json: JsonOption = False
) -> None:
    """Draw the tournament's secret seed and print its commitment, to be published before the public entropy is known.

    Nothing is played: public_entropy can still be added to the file, and then `kawuxing run` starts.
    """
    from kawuxing.scheduler.home import prepare_home
    from kawuxing.scheduler.seeds import load_or_create_seed

    settings = load_settings(home)
    config = _load(config_file, rules)
    seed = load_or_create_seed(config, prepare_home(settings.home) / "seeds")
    if as_json:
        typer.echo(json.dumps({"tournament": config.slug, "commitment": seed.commitment, "practice": config.practice}))
    else:
        _announce(config, seed)
        typer.echo(seed.commitment)


def _load(config_file: Path, rules: str | None) -> TournamentConfig:
    from kawuxing.scheduler.config import load_config

    config = load_config(config_file)
    return config if rules is None else config.by_preset(rules)


def _check_machine(config: TournamentConfig) -> None:
    """Find what this machine lacks. Raises LaunchError for a program, ListenError for an address."""
    from kawuxing.runner.command import check_command
    from kawuxing.runner.errors import ListenError
    from kawuxing.scheduler.config_errors import shown

    for bot in config.bots:
        if not bot.remote:
            check_command(bot.name, bot.command, bot.env)
    family = socket.AF_INET6 if ":" in config.run.host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((config.run.host, config.run.port))
        except OSError as error:
            raise ListenError(f"run.listen is {shown(config.run.listen)}: {error.strerror or error}") from error


def _announce(config: TournamentConfig, seed: RevealedSeed) -> None:
    from kawuxing.scheduler.seating import audit, schedule

    hands = "1 hand" if config.match.hands == 1 else f"{config.match.hands} hands"
    _say(f"{config.name}: {config.matches} matches of {hands} between {len(config.bots)} bots")
    _say(str(audit(config, schedule(config))))
    if config.practice:
        _say("PRACTICE: the seed is a text that anybody may guess, so these results prove nothing to others")
    else:
        _say(f"commitment {seed.commitment} (publish it before the first match)")


def _say(text: str) -> None:
    typer.echo(text, err=True)


def _play(config: TournamentConfig, seed: RevealedSeed, store: Store, settings: Settings, *, as_json: bool) -> Exit:
    from kawuxing.cli.background import ArenaThread, StopSignals
    from kawuxing.cli.progress import show_progress
    from kawuxing.scheduler.bootstrap import EmbeddedArena
    from kawuxing.scheduler.store import MatchState, TournamentState

    _say(rules_line(config.rules))
    state = store.tournament(config.slug).state
    if state in (TournamentState.FINISHED, TournamentState.INCOMPLETE):
        _say(f"{config.name}: over already, nothing is played")
    else:
        if state is TournamentState.CREATED:
            _announce(config, seed)
        else:
            done = store.progress(config.slug)[MatchState.DONE]
            _say(f"{config.name}: going on, {done} of {config.matches} matches are played")
        arena = EmbeddedArena(
            config,
            seed,
            store,
            broker_url=settings.broker_url,
            logs=settings.bot_logs,
            on_listening=lambda address: _say(f"bots can join at {address}"),
        )
        running = ArenaThread(arena)
        with StopSignals(running.stop, config.run.drain_time) as signals, running:
            show_progress(store, config, running.finished)
        played = running.result()
        if played is None:
            _say("stopped; the same command goes on")
            return signals.exit
        state = played
    return _conclude(config, seed, store, settings, state, as_json=as_json)


def _conclude(
    config: TournamentConfig,
    seed: RevealedSeed,
    store: Store,
    settings: Settings,
    state: TournamentState,
    *,
    as_json: bool,
) -> Exit:
    from kawuxing.cli.tables import leaderboard_table, print_table
    from kawuxing.scheduler.export import export_tournament
    from kawuxing.scheduler.store import MatchState, TournamentState

    exported = export_tournament(store, config, seed, settings.home / "tournaments" / config.slug)
    if as_json:
        summary = {
            "tournament": config.slug,
            "state": state.value,
            "digest": exported.digest,
            "folder": str(exported.folder),
            "leaderboard": exported.leaderboard.to_json(),
        }
        typer.echo(json.dumps(summary, indent=2))
    else:
        print_table(leaderboard_table(exported.leaderboard))
        typer.echo(f"digest   {exported.digest}")
        typer.echo(f"records  {exported.folder}")
        typer.echo(f"verify   {own_name()} verify {exported.folder}")
    progress = store.progress(config.slug)
    for entrant in store.entrants(config.slug):
        if entrant.withdrawn is not None:
            _say(f"WITHDRAWN: {entrant.bot}, {entrant.withdrawn}; what it had not played was cancelled")
    if progress[MatchState.FAILED]:
        _say(f"INCOMPLETE: {progress[MatchState.FAILED]} matches failed; see `{own_name()} matches {config.slug}`")
    if not progress[MatchState.DONE]:
        _say("NOTHING WAS PLAYED: to try again, give the tournament another name")
    complete = state is TournamentState.FINISHED and progress[MatchState.DONE] > 0
    return Exit.DONE if complete else Exit.FAILED
