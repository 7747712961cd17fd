"""From the store to standings: the results of a tournament, as leaderboards read them."""

from __future__ import annotations

import json

from kawuxing.runner.decision_times import DecisionTimes
from kawuxing.scheduler.config import TournamentConfig
from kawuxing.scheduler.leaderboard import Leaderboard
from kawuxing.scheduler.standings import MatchOutcome, leaderboard
from kawuxing.scheduler.store import Store, StoredResult, TournamentState


def stored_config(store: Store, tournament: str) -> TournamentConfig:
    """Return the config that a tournament was started with. Raises UnknownTournamentError."""
    return TournamentConfig.from_json(json.loads(store.tournament(tournament).config))


def current_leaderboard(store: Store, config: TournamentConfig) -> Leaderboard:
    """Return the standings as they are now, marked provisional while there is something to play.

    Raises UnknownTournamentError if the tournament is not in the store.
    """
    state = store.tournament(config.slug).state
    entrants = store.entrants(config.slug)
    return leaderboard(
        config,
        map(outcome_of, store.results(config.slug)),
        provisional=state not in (TournamentState.FINISHED, TournamentState.INCOMPLETE),
        withdrawn={entrant.bot: entrant.withdrawn for entrant in entrants if entrant.withdrawn is not None},
    )


def outcome_of(stored: StoredResult) -> MatchOutcome:
    """Return a stored result as standings read it."""
    return MatchOutcome(
        index=stored.index,
        deal=stored.deal,
        bots=stored.bots,
        result=stored.result,
        decision_times=tuple(DecisionTimes(buckets) for buckets in stored.decision_times),
    )
