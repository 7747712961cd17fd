"""An arena for one bot: the server of a tournament with a tap on it, and the bot's process if it is launched here."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Final

from kawuxing.runner.check.disturbance import Disturbance
from kawuxing.runner.check.exchange import Exchange
from kawuxing.runner.check.matches import BOT, Plan, Tried
from kawuxing.runner.check.memory import resident_bytes
from kawuxing.runner.check.tap import WireTap
from kawuxing.runner.clock import ClockSettings
from kawuxing.runner.command import BotCommand
from kawuxing.runner.launcher import BotExited, Launcher, LauncherEvent
from kawuxing.runner.lobby import Farewell, Instance
from kawuxing.runner.server import ArenaServer
from kawuxing.runner.spec import Played

JOIN_TIME: Final = timedelta(seconds=10)
"""In which an assigned match must be taken up; the default of tournaments."""
LAUNCH_TIME: Final = timedelta(seconds=60)
"""In which a launched bot must join."""
COMMON_CLOCK: Final = ClockSettings(
    bank=timedelta(seconds=60),
    increment=timedelta(seconds=0.5),
    move_max=timedelta(seconds=15),
    start=timedelta(seconds=30),
)
"""The clock of tournaments that do not tell another."""
_VAIN_STARTS: Final = 3
"""So often a process may end before it has joined."""
_MAX_BAD: Final = 3
"""Matches in which the bot may do wrong before no more are begun."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSettings:
    """How a bot is to be checked."""

    presets: tuple[str, ...]
    command: tuple[str, ...] = ()
    """Empty for a bot that connects by itself."""
    capacity: int = 4
    """Matches at once that a launched bot is told to play, 1 to 64."""
    listen: str = "127.0.0.1:0"
    insecure: bool = False
    wait: timedelta = LAUNCH_TIME
    """For the bot to join."""
    clock: ClockSettings = COMMON_CLOCK
    join_time: timedelta = JOIN_TIME
    return_time: timedelta = timedelta(seconds=30)
    """In which a bot must be back in the lobby, or gone after its goodbye."""
    progress_time: timedelta = timedelta(seconds=5)
    """How often it is told how many matches of many have been played."""


class HopelessError(Exception):
    """There is no point in going on; the text says why."""


@dataclass(slots=True)
class Arena:
    """Where the bot plays. To be used in one event loop."""

    settings: CheckSettings
    logs: Path
    """A folder for the launched bot's log."""
    tell: Callable[[str], None]
    """Is told what happens, for whoever waits."""
    tap: WireTap = field(default_factory=WireTap)
    token: str = field(default_factory=secrets.token_urlsafe)
    tried: list[Tried] = field(default_factory=list)
    """Every match so far, in the order in which they ended."""
    exits: list[BotExited] = field(default_factory=list)
    """Ends of the bot's process that nobody asked for."""
    most_at_once: int = 0
    """Most matches that were in progress at the same time."""
    launched_at: float = 0.0
    """When its process was started, by the monotonic clock."""
    assigned: asyncio.Event = field(default_factory=asyncio.Event)
    """Is set whenever the bot is assigned a match."""
    _address: str = ""
    _server: ArenaServer | None = None
    _launcher: Launcher | None = None
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _playing: int = 0
    _attempts: Counter[Plan] = field(default_factory=Counter)
    _stopping: bool = False

    async def authenticate(self, token: str) -> str | None:
        """Return the bot's name if it is its token."""
        return BOT if secrets.compare_digest(token.encode(), self.token.encode()) else None

    @property
    def server(self) -> ArenaServer:
        """The server, which runs. Raises RuntimeError before the start."""
        if self._server is None:
            raise RuntimeError("the arena of the check was not started")
        return self._server

    @property
    def address(self) -> str:
        """Where the server listens, host:port."""
        return self._address

    @property
    def instances(self) -> tuple[Instance, ...]:
        """The connected instances of the bot."""
        return self.server.lobby.instances()

    @property
    def at_once(self) -> int:
        """How many matches the bot plays at once."""
        return max((instance.capacity for instance in self.instances), default=1)

    async def start(self) -> None:
        """Listen. Raises AddressError and ListenError as ArenaServer does."""
        listen = self._address or self.settings.listen
        self._server = ArenaServer(
            self,
            listen=listen,
            insecure=self.settings.insecure,
            on_change=self._changed.set,
            interceptors=(self.tap,),
        )
        self._address = await self._server.start()

    async def launch(self) -> None:
        """Start the bot's process. Raises LaunchError if that cannot be done."""
        self.launched_at = time.monotonic()
        if not self.settings.command:
            return
        if self._launcher is None:
            self._launcher = Launcher(self.logs, on_event=self._note)
            await self._launcher.start()
        self._stopping = False
        await self._launcher.launch(
            BotCommand(
                name=BOT,
                command=self.settings.command,
                address=self._address,
                token=self.token,
                capacity=self.settings.capacity,
            )
        )

    async def end_process(self) -> None:
        """End the bot's process."""
        self._stopping = True
        if self._launcher is not None and BOT in self._launcher.bots:
            await self._launcher.stop(BOT)

    async def close(self) -> None:
        """End the process and the server."""
        self._stopping = True
        if self._launcher is not None:
            await self._launcher.close()
        if self._server is not None:
            await self._server.stop(0)

    async def restart(self) -> None:
        """Say that the arena stops, stop it, and start it again at the same address."""
        self.server.lobby.goodbye(Farewell.STOPPING, "the arena stops, to start again")
        await self.until(lambda: not self.instances, timedelta(seconds=5))
        await self.server.stop(0)
        await self.start()

    async def joined(self) -> bool:
        """Wait for the bot to join; return whether it did, without waiting on for a command that cannot work."""
        enough = len(self.exits) + _VAIN_STARTS

        def in_vain() -> bool:
            return len(self.exits) >= enough

        await self.until(lambda: bool(self.instances) or in_vain(), self.settings.wait)
        return bool(self.instances)

    async def until(self, reached: Callable[[], bool], within: timedelta) -> bool:
        """Wait until something that has to do with the bot's coming and going is so; return whether it came so far."""
        try:
            async with asyncio.timeout(within.total_seconds()):
                while not reached():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            return False
        return True

    def memory(self) -> int | None:
        """Return the bytes that the launched bot takes now; None if that cannot be measured."""
        bot = self._launcher.bots.get(BOT) if self._launcher is not None else None
        return resident_bytes(bot.pids.values()) if bot is not None and bot.pids else None

    async def play_all(self, plans: Iterable[Plan], *, at_once: int | None = None) -> list[Tried]:
        """Play matches, as many at once as the bot has room for; return them in the order of the plans.

        Raises HopelessError when the bot went wrong in too many.
        """
        room = asyncio.Semaphore(self.at_once if at_once is None else at_once)
        plans = list(plans)
        played = 0
        told = time.monotonic()

        async def play(plan: Plan) -> Tried | None:
            nonlocal played, told
            async with room:
                tried = None if self._hopeless() else await self.play(plan)
            played += 1
            if played < len(plans) and time.monotonic() - told >= self.settings.progress_time.total_seconds():
                told = time.monotonic()
                self.tell(f"{played} of {len(plans)} played")
            return tried

        tried = await asyncio.gather(*map(play, plans))
        if self._hopeless():
            raise HopelessError(f"it went wrong in {_MAX_BAD} matches")
        return [each for each in tried if each is not None]

    async def play(
        self,
        plan: Plan,
        disturbance: Disturbance | None = None,
        *,
        clock: ClockSettings | None = None,
        max_faults: int = 1,
        in_vain: bool = False,
        once_more: bool = False,
        excused: Iterable[int] = (),
        keep: bool = True,
    ) -> Tried:
        """Play a match, and return what became of it; cancelled, it is voided.

        ``in_vain`` lets it wait for an opponent who never comes, ``once_more`` plays the last match by this plan again,
        which then must have been voided; without ``keep`` it is not among :attr:`tried`.
        """
        self._attempts[plan] += not once_more
        spec = plan.spec(
            plan.match_id(self._attempts[plan]),
            clock or self.settings.clock,
            max_faults=max_faults,
            join_time=self.settings.join_time,
            waits_in_vain=in_vain,
        )
        ticket = spec.entrants[plan.bot].ticket
        tried = Tried(plan, None, Exchange(f"{plan.preset}/{plan.name}"), frozenset(excused))
        disturbance = disturbance or Disturbance()
        self.tap.watch(ticket, tried.exchange, disturbance)

        async def assign() -> None:
            instance = next(iter(self.instances), None)
            self.server.lobby.assign(spec.match_id, BOT, instance.id if instance else "", "", ticket)
            self.assigned.set()

        self._playing += 1
        self.most_at_once = max(self.most_at_once, self._playing)
        reason: str | None = "the check ended it"
        try:
            tried.outcome = await self.server.play(spec, _accept, waiting=assign)
            reason = None if isinstance(tried.outcome, Played) else "the bot did not come"
        finally:
            self._playing -= 1
            tried.disturbed = disturbance.done
            self.server.lobby.release(spec.match_id, reason)
            if keep:
                self.tried.append(tried)
        return tried

    def _hopeless(self) -> bool:
        return sum(not tried.good for tried in self.tried) >= _MAX_BAD

    def _note(self, event: LauncherEvent) -> None:
        if isinstance(event, BotExited):
            if not self._stopping:
                self.exits.append(event)
                self.tell(exit_text(event))
            self._changed.set()


def exit_text(ended: BotExited) -> str:
    """Return how a process ended, and what it said last."""
    said = f": {ended.last_line}" if ended.last_line else ""
    return f"its process ended: {ended.reason}{said}"


async def _accept(_: Played) -> bool:
    return True
