"""Matches on given walls, with entrants who are played without a bot."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from kawuxing.engine.actions import WIN, Action
from kawuxing.engine.faults import default_action
from kawuxing.engine.hand import Hand
from kawuxing.engine.rules import RuleSet
from kawuxing.engine.testing import arranged_wall
from kawuxing.runner.spec import NoShow, Played
from kawuxing.runner.testing import match_spec, play_ticket


async def yes(_: Played) -> bool:
    return True


def win_or_default(hand: Hand, seat: int, legal: Sequence[Action]) -> Action:
    """Win if that is possible."""
    return WIN if WIN in legal else default_action(legal, hand.drawn(seat))


async def test_the_house_plays_without_a_bot(arena: Any, xiangyang: RuleSet) -> None:
    """One bot is enough for a match; the wall is the one given, and the house sees what it may do."""
    wall = arranged_wall(xiangyang, ["1234567895588p"], draws="5p")
    spec = dataclasses.replace(
        match_spec(hands=1), wall_of=lambda _: wall, house={0: win_or_default, 2: win_or_default}
    )
    play = asyncio.ensure_future(arena.server.play(spec, yes))
    client = await play_ticket(arena.address, "m0-b")
    outcome = await play
    assert (wall,) == outcome.record.walls
    assert [1, 0, 0] == [entrant.wins for entrant in outcome.record.result.entrants]
    assert [0, 0, 0] == [times.count for times in outcome.times]
    assert "match_end" == client.seen[-1].WhichOneof("response")


async def test_nobody_waits_for_the_house(arena: Any) -> None:
    """Only bots can stay away."""
    spec = dataclasses.replace(
        match_spec(join_time=timedelta(milliseconds=50)), house={0: win_or_default, 2: win_or_default}
    )
    assert NoShow(absent=(1,)) == await arena.server.play(spec, yes)
