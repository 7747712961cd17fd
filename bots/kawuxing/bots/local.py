"""Matches between bot objects in this process, without a server or a clock: for tests, training and tuning."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Final

from kawuxing.bots.bot import BotFactory, Clock, MatchInfo
from kawuxing.bots.player import Player
from kawuxing.engine.events import Event, HandStarted
from kawuxing.engine.match import Answer, Match, MatchResult
from kawuxing.engine.observation import NOBODY, redact
from kawuxing.engine.rules import RuleSet
from kawuxing.engine.wall import bot_seed, shuffled_wall

_AGES: Final = timedelta(days=1)
_UNLIMITED: Final = Clock(bank=_AGES, increment=_AGES, move_max=_AGES, start=_AGES)
_MAX_FAULTS: Final = 1


def play_match(rules: RuleSet, bots: Sequence[BotFactory], *, hands: int, deal_seed: bytes) -> MatchResult:
    """Play a whole match, entrant i by ``bots[i]``, on the walls of the deal seed (32 bytes), and return its result.

    Bots see what they would see over the network and have all the time in the world. What they raise goes to the
    caller.

    Raises ValueError if there are not as many bots as the rule set has entrants, IllegalAnswerError if a bot chooses
    what is not legal.
    """
    if len(bots) != rules.entrants:
        raise ValueError(f"{len(bots)} bots: expected {rules.entrants} for these rules")
    players = [
        Player(
            make_bot,
            MatchInfo(
                match_id="local",
                rules=rules,
                entrant=entrant,
                entrants=rules.entrants,
                hands=hands,
                clock=_UNLIMITED,
                max_faults=_MAX_FAULTS,
                bot_seed=bot_seed(deal_seed, entrant),
                commitment="",
            ),
        )
        for entrant, make_bot in enumerate(bots)
    ]
    match = Match(rules, hands, lambda hand: shuffled_wall(rules, deal_seed, hand), _MAX_FAULTS)
    return asyncio.run(_play(match, players))


async def _play(match: Match, players: Sequence[Player]) -> MatchResult:
    seats = [NOBODY] * len(players)
    asked = [0] * len(players)
    _tell(players, seats, match.start())
    while pending := match.pending():
        answers = {}
        for entrant, legal in pending.items():
            turn = players[entrant].turn(asked[entrant], legal, _AGES)
            asked[entrant] += 1
            answers[entrant] = Answer(await players[entrant].choose(turn))
        _tell(players, seats, match.apply(answers))
    return match.result()


def _tell(players: Sequence[Player], seats: list[int], events: Iterable[Event]) -> None:
    for event in events:
        if isinstance(event, HandStarted):
            seats[:] = [NOBODY] * len(players)
            for seat, entrant in enumerate(event.entrants):
                seats[entrant] = seat
        for player, seat in zip(players, seats, strict=True):
            seen = redact(event, seat)
            player.fold(seen)
            player.bot.observe(seen)
