"""A small tournament in a store, and stand-ins for what stands around dispatcher and worker."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from typing import Any, Final

from kawuxing.engine.match import Answer
from kawuxing.engine.record import Record, RecordedEntrant, RecordedMatch, RecordHeader
from kawuxing.engine.revealed_seed import RevealedSeed
from kawuxing.engine.wall import shuffled_wall
from kawuxing.runner.decision_times import DecisionTimes
from kawuxing.runner.lobby import Instance as Joined
from kawuxing.runner.spec import Commit, Evidence, MatchSpec, Outcome, Played, Step
from kawuxing.scheduler.config import TournamentConfig, parse_config
from kawuxing.scheduler.opening import new_tournament
from kawuxing.scheduler.seeds import seed_of
from kawuxing.scheduler.store import Store, StoreUnavailableError

BOTS: Final = ("ada", "ben", "cyd")
CONFIG: Final[TournamentConfig] = parse_config(
    'name = "Cup"\nseed = "text"\n[match]\nhands = 1\n'
    + "".join(f'[[bots]]\nname = "{name}"\ncommand = ["{name}"]\n' for name in BOTS)
)
"""Six matches: three bots in all seat orders."""
SEED: Final[RevealedSeed] = seed_of(CONFIG, bytes(32))


def begin(store: Store) -> None:
    """Enter the tournament and begin to run it."""
    store.create_tournament(new_tournament(CONFIG, SEED))
    store.begin_run(CONFIG.slug)


def joined(capacity: int, number: int = 1, bots: tuple[str, ...] = BOTS) -> tuple[Joined, ...]:
    """Return one instance of each bot."""
    return tuple(Joined(f"{bot}-{number}", bot, capacity) for bot in bots)


class Away:
    """A store that cannot be reached while ``away``, or for the next ``failures`` calls."""

    def __init__(self, store: Store) -> None:
        """Stand before ``store``."""
        self._store = store
        self.instead: dict[str, Callable[..., Any]] = {}
        self.failures = 0
        self.failed = 0

    def __getattr__(self, name: str) -> Any:
        """Return the store's method, which fails as often as it is to."""
        method = self.instead.get(name) or getattr(self._store, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            if self.failures:
                self.failures -= 1
                self.failed += 1
                raise StoreUnavailableError("the database is away")
            return method(*args, **kwargs)

        return call


class FakeLobby:
    """A lobby whose instances the test sets, and that keeps what it was told."""

    def __init__(self, *instances: Joined) -> None:
        """Begin with these instances."""
        self.here = instances
        self.assigned: asyncio.Queue[tuple[str, str, str, str, str]] = asyncio.Queue()
        self.released: asyncio.Queue[tuple[str, str | None]] = asyncio.Queue()
        self.withdrawn: asyncio.Queue[tuple[str, str]] = asyncio.Queue()

    def instances(self) -> tuple[Joined, ...]:
        """Stand in for Lobby.instances."""
        return self.here

    def assign(self, match_id: str, bot: str, instance_id: str, address: str, ticket: str) -> None:
        """Stand in for Lobby.assign."""
        self.assigned.put_nowait((match_id, bot, instance_id, address, ticket))

    def release(self, match_id: str, reason: str | None = None) -> None:
        """Stand in for Lobby.release."""
        self.released.put_nowait((match_id, reason))

    def withdraw(self, bot: str, message: str) -> None:
        """Stand in for Lobby.withdraw."""
        self.withdrawn.put_nowait((bot, message))


Script = Callable[[MatchSpec, Commit], Awaitable[Outcome]]


class FakeServer:
    """A server whose matches go as the test's script has it, after the bots have sat down."""

    def __init__(self, script: Script) -> None:
        """Play every match by ``script``."""
        self._script = script
        self.played: list[MatchSpec] = []

    async def play(
        self, spec: MatchSpec, commit: Commit, *, waiting: Step | None = None, seated: Step | None = None
    ) -> Outcome:
        """Stand in for ArenaServer.play."""
        self.played.append(spec)
        for step in (waiting, seated):
            if step is not None:
                await step()
        return await self._script(spec, commit)


def play_first_legal(spec: MatchSpec) -> Played:
    """Play a match in which everybody always takes the first legal action."""
    header = RecordHeader(
        tournament=spec.tournament,
        match_id=spec.match_id,
        hands=spec.hands,
        max_faults=spec.max_faults,
        entrants=tuple(RecordedEntrant(entrant.name, entrant.version) for entrant in spec.entrants),
        rules=spec.rules,
        commitment=spec.commitment,
    )
    match = RecordedMatch(header, partial(shuffled_wall, spec.rules, spec.deal_seed))
    match.start()
    while not match.match.finished:
        match.apply({entrant: Answer(legal[0]) for entrant, legal in match.pending().items()})
    record: Record = match.finish()
    evidence = Evidence(faults=(), slowest=((),) * len(spec.entrants), notes=(), lag=timedelta(0))
    return Played(record, (DecisionTimes(),) * len(spec.entrants), evidence)
