"""The kit and the arena's own server together: the network adds nothing and loses nothing."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

from kawuxing.bots.dialogue import BotDialogue
from kawuxing.bots.lobby import Connection, LobbyClient
from kawuxing.bots.local import play_match
from kawuxing.bots.main import shipped_bot
from kawuxing.engine.rules import RuleSet
from kawuxing.runner.server import ArenaServer
from kawuxing.runner.spec import Played
from kawuxing.runner.testing import Tokens, match_spec

NAMES = ("random", "greedy", "careful", "random")


async def test_a_match_over_the_network_is_the_match_in_one_process(any_rules: RuleSet) -> None:
    """Same walls, same bots: every entrant's result is the same, and nobody has a fault."""
    spec = match_spec(rules=any_rules, hands=2, seed="wire")
    bots = [shipped_bot(name) for name in NAMES[: any_rules.entrants]]
    tokens = [entrant.name for entrant in spec.entrants]
    changed = asyncio.Event()
    server = ArenaServer(Tokens(*tokens), on_change=changed.set)
    address = await server.start()
    clients = [
        asyncio.create_task(
            LobbyClient(
                Connection(address=address, token=token, capacity=1, matches=1, client="test"),
                partial(BotDialogue, bot),
            ).run()
        )
        for token, bot in zip(tokens, bots, strict=True)
    ]

    async def assign() -> None:
        while len(server.lobby.instances()) < len(tokens):
            changed.clear()
            await changed.wait()
        instances = {instance.bot: instance.id for instance in server.lobby.instances()}
        for entrant in spec.entrants:
            server.lobby.assign(spec.match_id, entrant.name, instances[entrant.name], "", entrant.ticket)

    async def commit(_: Played) -> bool:
        return True

    outcome = await server.play(spec, commit, waiting=assign)
    async with asyncio.timeout(60):
        await asyncio.gather(*clients)
    await server.stop(0)
    if not isinstance(outcome, Played):
        pytest.fail(f"expected a match that was played, got {outcome}")
    local = await asyncio.to_thread(play_match, any_rules, bots, hands=2, deal_seed=spec.deal_seed)
    assert local == outcome.record.result
