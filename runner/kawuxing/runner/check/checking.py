"""The course of a check: what is played and done, in which order, and what is concluded from it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from kawuxing.engine.faults import Fault
from kawuxing.runner.check.arena import Arena, CheckSettings, HopelessError, exit_text
from kawuxing.runner.check.disturbance import Cut, Hold, Newer, Pause
from kawuxing.runner.check.exchange import Exchange, Side
from kawuxing.runner.check.figures import Asked, Memory, decision_times, judge_times
from kawuxing.runner.check.findings import Findings
from kawuxing.runner.check.log import judge_log, last_lines, lines_about_errors, printed_lines, remove_logs
from kawuxing.runner.check.matches import Plan, Tried, scripted_plans, whole_plan
from kawuxing.runner.check.report import TITLES, Report, Verdict
from kawuxing.runner.clock import ClockSettings
from kawuxing.runner.errors import LaunchError, ListenError
from kawuxing.runner.lobby import Farewell
from kawuxing.runner.spec import NoShow, Played

_ATTEMPTS: Final = 5
"""How often a scripted hand is dealt until the bot comes where it aims."""
_WHOLE: Final = 6
"""Least number of whole matches."""
_HANDS: Final = 4
_AGAIN: Final = 3
"""How many of them are played again, alone."""
_WARM_UP: Final = 120
"""Matches in which a bot whose memory grows may come to an end of it, as a virtual machine does once all of its heap is
in use: twice as many as a JVM needs for a gigabyte."""
_WARM_UP_TIME: Final = timedelta(minutes=5)
"""After which no more of them are begun."""
_EARLY: Final = 2
"""The decision at which something is done to a match; every whole match has more."""
_LATER: Final = 5
_LATE_MOVE: Final = timedelta(seconds=2)
_MOMENT: Final = 0.2
"""Seconds for a bot to hear of something."""
_GOODBYE_TIME: Final = timedelta(seconds=10)
_STAY_AWAY_TIME: Final = timedelta(seconds=3)
_SLOW_START: Final = timedelta(seconds=30)


async def check_bot(settings: CheckSettings, logs: Path, tell: Callable[[str], None]) -> Report:
    """Check a bot and return what was found; ``logs`` is a folder for what a launched bot prints.

    The logs of an earlier check are removed from the folder first.

    Raises AddressError, ListenError or LaunchError if the check cannot begin.
    """
    arena = Arena(settings, logs, tell)
    check = _Check(arena)
    began = time.monotonic()
    try:
        await arena.start()
        remove_logs(logs)
        await check.run()
    finally:
        await arena.close()
    return check.report(time.monotonic() - began)


class _Check:
    """One check in progress."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self._settings = arena.settings
        self._findings = Findings(arena.tap.lobby)
        self._asked = Asked(self._settings.presets)
        self._memory = Memory()
        self._whole: list[Tried] = []
        self._disturbed: list[Tried] = []
        self._capacity = 1
        self._stopped = ""
        self._printed: list[str] | None = None
        """The lines of its log from before the check disturbed anything; None until they are read."""
        presets = self._settings.presets
        self._whole_plans = [
            whole_plan(presets[number % len(presets)], number, _HANDS) for number in range(max(_WHOLE, len(presets)))
        ]

    async def run(self) -> None:
        """Do everything, or as much as makes sense with this bot."""
        try:
            await self._join()
            await self._first_match()
            await self._scripted_hands()
            await self._whole_matches()
            await self._again("reproducible")
            await self._warm_up()
            await self._note_log()
            await self._disturb("newer-arena", self._newer_arena)
            await self._disturb("rejoin", self._rejoin)
            await self._disturb("reconnect", self._reconnect)
            await self._disturb("voided", self._voided)
            await self._disturb("late-answer", self._late_answer)
            await self._disturb("arena-restart", self._arena_restart)
            await self._process_restart()
            await self._goodbye()
        except HopelessError as error:
            self._stopped = f"the check went no further: {error}"
            self._arena.tell(self._stopped)
            await self._note_log()

    def report(self, seconds: float) -> Report:
        """Return what was found so far."""
        self._conclude()
        tried = [*self._arena.tried, *self._disturbed]
        lobby = self._arena.tap.lobby
        return Report(
            command=self._settings.command,
            client=_client(lobby),
            findings=self._findings.listed(self._stopped),
            coverage=self._asked.coverage() if self._whole else (),
            matches=len(tried),
            seconds=seconds,
            stopped=self._stopped,
            log=last_lines(self._arena.logs),
            errors=lines_about_errors(self._printed or ()),
            exchanges=_exchanges([lobby, *(each.exchange for each in tried)]),
        )

    # What is done, in this order.

    async def _join(self) -> None:
        arena = self._arena
        if not self._settings.command:
            arena.tell(f"waiting for the bot: KAWUXING_ADDRESS={arena.address} KAWUXING_TOKEN={arena.token}")
        else:
            arena.tell("starting the bot")
        began = time.monotonic()
        await arena.launch()
        if self._settings.command:
            arena.tell("waiting for the bot to join")
        if not await arena.joined():
            exits = "".join(f"; {exit_text(each)}" for each in arena.exits[-1:])
            last_refusal = arena.tap.lobby.last_refusal
            refused = f"; refused: {last_refusal}" if last_refusal else ""
            waited = min(round(time.monotonic() - began, 1), self._settings.wait.total_seconds())
            self._findings.failed("join", f"no Join came through in {waited:g} s{exits}{refused}")
            raise HopelessError("the bot did not join")
        if not self._settings.command:
            # How long its author took is not the bot's to answer for.
            arena.launched_at = time.monotonic()
        seconds = time.monotonic() - arena.launched_at
        self._capacity = arena.at_once
        self._findings.passed("join", seconds=round(seconds, 3), capacity=self._capacity)

    async def _first_match(self) -> None:
        arena = self._arena
        arena.tell("playing a first match")
        tried = await arena.play(self._whole_plans[0])
        if not tried.good:
            raise HopelessError(f"its first match went wrong: {tried.problem}")
        answered = tried.exchange.first_answer
        if answered is not None:
            seconds = answered - arena.launched_at
            slow = self._settings.command and seconds > _SLOW_START.total_seconds()
            why = "longer than the start time of the common clock: let it load before it joins" if slow else ""
            self._findings.warned("start", why, seconds_to_first_answer=round(seconds, 3))
        self._measure()

    async def _scripted_hands(self) -> None:
        arena = self._arena
        for attempt in range(_ATTEMPTS):
            plans = [plan for plan in scripted_plans(self._settings.presets, attempt) if self._asked.lacks(plan)]
            if plans:
                arena.tell(f"playing {len(plans)} scripted hands")
                self._asked.take_in(await arena.play_all(plans))
        self._measure()

    async def _whole_matches(self) -> None:
        self._arena.tell(f"playing {len(self._whole_plans)} whole matches, up to {self._arena.at_once} at once")
        self._whole = await self._arena.play_all(self._whole_plans)
        self._asked.take_in(self._whole)
        presets = len(self._settings.presets)
        figures = {"presets": presets, "matches": len(self._whole), "hands_each": _HANDS}
        self._findings.judge("whole-matches", self._whole, figures)

    async def _again(self, check: str) -> None:
        self._arena.tell(f"playing {_AGAIN} of them again, one at a time")
        again = await self._arena.play_all(self._whole_plans[:_AGAIN], at_once=1)
        self._findings.judge_same(check, self._whole, again)
        self._measure()

    async def _warm_up(self) -> None:
        """Play on while the bot's memory grows: what warms up comes to an end of it, a leak does not."""
        arena = self._arena
        enough = len(arena.tried) + _WARM_UP
        late = time.monotonic() + _WARM_UP_TIME.total_seconds()
        while self._memory.grows and len(arena.tried) < enough and time.monotonic() < late:
            arena.tell(
                f"playing {len(self._whole_plans)} more whole matches, to see whether its memory goes on growing"
            )
            await arena.play_all(self._whole_plans)
            self._measure()

    async def _note_log(self) -> None:
        """Read the log while all that it tells of is the bot's own doing, not that of lost connections."""
        if self._printed is None:
            await asyncio.sleep(_MOMENT)
            self._printed = printed_lines(self._arena.logs)

    async def _newer_arena(self) -> list[Tried]:
        self._arena.tap.newer = True
        try:
            return [await self._arena.play(self._whole_plans[3], Newer(), keep=False)]
        finally:
            self._arena.tap.newer = False

    async def _reconnect(self) -> list[Tried]:
        plans = self._whole_plans
        return [
            await self._arena.play(plans[0], Cut(_EARLY), keep=False),
            await self._arena.play(plans[1], Cut(_LATER, after_answer=True), keep=False),
            await self._while_playing(plans[2], self._arena.tap.cut_everything),
        ]

    async def _rejoin(self) -> list[Tried]:
        return [await self._while_playing(self._whole_plans[4], self._arena.tap.cut_lobby)]

    async def _while_playing(self, plan: Plan, cut: Callable[[], None]) -> Tried:
        """Cut streams in the middle of a match, and wait for the bot to be back in the lobby."""
        arena = self._arena
        before = {instance.id for instance in arena.instances}
        pause = Pause(_LATER)
        playing = asyncio.ensure_future(arena.play(plan, pause, keep=False))
        reached = asyncio.ensure_future(pause.reached.wait())
        await asyncio.wait({playing, reached}, return_when=asyncio.FIRST_COMPLETED)
        reached.cancel()
        cut()

        def back() -> bool:
            return any(each.id not in before for each in arena.instances)

        # Its live match is assigned once more when it joins, for which the match has to live that long.
        if not await arena.until(back, self._settings.clock.move_max / 2):
            pause.go_on.set()
            await arena.until(back, self._settings.return_time)
        returned = back()
        # What it makes of the repeated assignment.
        await asyncio.sleep(_MOMENT)
        pause.go_on.set()
        tried = await playing
        if not returned:
            within = self._settings.return_time.total_seconds()
            raise _GoneError(f"it was not back in the lobby in {within:g} s", tried)
        return tried

    async def _voided(self) -> list[Tried]:
        """Void a match in the middle of play, one for which an opponent does not come, and one as it is assigned."""
        arena = self._arena
        plans = self._whole_plans[:3]
        pause = Pause(_EARLY)
        voided = asyncio.ensure_future(arena.play(plans[0], pause, keep=False))
        await _soon(pause.reached.wait(), voided)
        await _cancel(voided)
        waiting = asyncio.ensure_future(arena.play(plans[1], in_vain=True, keep=False))
        await asyncio.sleep(_MOMENT)
        await _cancel(waiting)
        arena.assigned.clear()
        assigned = asyncio.ensure_future(arena.play(plans[2], in_vain=True, keep=False))
        await arena.assigned.wait()
        await _cancel(assigned)
        await asyncio.sleep(_MOMENT)
        return [await arena.play(plan, once_more=True, keep=False) for plan in plans]

    async def _late_answer(self) -> list[Tried]:
        clock = self._settings.clock
        enough = max(_LATE_MOVE, 2 * timedelta(milliseconds=decision_times(self._arena.tried).quantile(1)))
        hasty = ClockSettings(clock.bank, clock.increment, min(clock.move_max, enough), clock.start)
        tried = await self._arena.play(
            self._whole_plans[5], Hold(_EARLY), clock=hasty, max_faults=2, excused=(_EARLY,), keep=False
        )
        return [tried]

    async def _arena_restart(self) -> list[Tried]:
        try:
            await self._arena.restart()
        except ListenError as error:
            # The port was free a moment ago: nobody but the bot knows it.
            raise _GoneError(f"the arena could not come back: {error}") from None
        if not await self._arena.until(lambda: bool(self._arena.instances), self._settings.return_time):
            raise _GoneError(f"it did not join again in {self._settings.return_time.total_seconds():g} s")
        return [await self._arena.play(self._whole_plans[0], keep=False)]

    async def _process_restart(self) -> None:
        arena = self._arena
        if not self._settings.command:
            self._findings.enter("process-restart", Verdict.NOT_RUN, "the check starts no remote bot")
            return
        arena.tell("starting the bot's process anew")
        await arena.end_process()
        await arena.until(lambda: not arena.instances, self._settings.return_time)
        try:
            await arena.launch()
        except LaunchError as error:
            self._findings.failed("process-restart", f"the bot could not be started anew: {error}")
            raise HopelessError("the bot could not be started anew") from None
        if not await arena.joined():
            self._findings.failed("process-restart", "the bot did not join after its process was started anew")
            raise HopelessError("the bot did not join")
        again = await arena.play_all(self._whole_plans[:_AGAIN])
        self._findings.judge_same("process-restart", self._whole, again)

    async def _goodbye(self) -> None:
        arena = self._arena
        arena.tell("saying goodbye")
        # As in a tournament, whose end comes a little after its last match.
        await asyncio.sleep(_MOMENT)
        exits = len(arena.exits)
        joins = arena.tap.lobby.count(Side.BOT)
        arena.server.lobby.goodbye(Farewell.FINISHED, "the check is over")
        why = ""
        if self._settings.command:
            if not await arena.until(lambda: len(arena.exits) > exits, _GOODBYE_TIME):
                why = f"its process still ran {_GOODBYE_TIME.total_seconds():g} s after the Goodbye"
            elif arena.exits[exits].code:
                why = f"its process ended badly: {arena.exits[exits].reason}"
        elif await arena.until(lambda: arena.tap.lobby.count(Side.BOT) > joins, _STAY_AWAY_TIME):
            why = "it joined again, although the Goodbye said FINISHED"
        self._findings.warned("goodbye", why)
        del arena.exits[exits:]

    async def _disturb(self, check: str, stage: Callable[[], Awaitable[list[Tried]]]) -> None:
        """Run a stage in which things are done to matches, and judge it by how they were played all the same."""
        arena = self._arena
        arena.tell(f"seeing whether it {TITLES[check]}")
        exits = len(arena.exits)
        try:
            tried = await stage()
        except _GoneError as error:
            self._findings.failed(check, str(error), error.tried.exchange if error.tried else None)
            tried = []
        else:
            self._judge_disturbed(check, tried)
        self._disturbed += tried
        # A process may end a little after the match that was too much for it.
        await asyncio.sleep(_MOMENT)
        self._findings.blame(check, arena.exits[exits:])
        del arena.exits[exits:]
        if not await arena.until(lambda: bool(arena.instances), self._settings.return_time):
            raise HopelessError("the bot is gone")

    def _judge_disturbed(self, check: str, tried: Sequence[Tried]) -> None:
        if all(each.good for each in tried) and not all(each.disturbed for each in tried):
            self._findings.enter(
                check, Verdict.NOT_RUN, "a match was over before the decision at which it was to happen"
            )
            return
        lobby = self._arena.tap.lobby
        away = [seconds for exchange in (*(each.exchange for each in tried), lobby) for seconds in exchange.away]
        lobby.away.clear()
        figures = {"longest_away_seconds": round(max(away), 3)} if away else {}
        self._findings.judge(check, tried, figures)

    def _measure(self) -> None:
        self._memory.add(len(self._arena.tried), self._arena.memory())

    def _conclude(self) -> None:
        """Judge what shows in all matches together."""
        tried, findings = self._arena.tried, self._findings
        findings.judge_flood()
        if tried:
            count = sum(each.outcome.times[each.plan.bot].count for each in tried if isinstance(each.outcome, Played))
            figures = {"matches": len(tried), "decisions": count}
            for check, problem in _PROBLEMS.items():
                findings.judge(check, tried, figures, problem)
            findings.blame("stay", self._arena.exits)
        times = decision_times(tried)
        if times.count:
            judge_times(findings, times, self._settings.clock.increment)
        if self._whole:
            findings.passed("at-once", capacity=self._capacity, most_at_once=self._arena.most_at_once)
            coverage = self._asked.coverage()
            asked, missing = sum(len(each.asked) for each in coverage), sum(len(each.not_reached) for each in coverage)
            findings.passed("decisions", presets=len(coverage), kinds_asked=asked, kinds_not_reached=missing)
        if not self._settings.command:
            findings.enter("log", Verdict.NOT_RUN, "not read: the bot is not launched here")
        elif self._printed is not None:
            judge_log(findings, self._printed)
        if not self._stopped:
            self._memory.judge(findings)


_PROBLEMS: Final[Mapping[str, Callable[[Tried], str]]] = {
    "sit-down": lambda tried: tried.problem if isinstance(tried.outcome, NoShow) else "",
    "in-time": lambda tried: tried.fault_text(Fault.TIMEOUT),
    "legal": lambda tried: tried.fault_text(Fault.ILLEGAL_CHOICE),
    "protocol": lambda tried: tried.fault_text(Fault.PROTOCOL_ERROR),
    "stay": lambda tried: tried.leaving_text or tried.fault_text(Fault.DISCONNECTED),
}
"""What each check looks for in all matches that nothing was done to."""


class _GoneError(Exception):
    """The bot did not come back."""

    def __init__(self, why: str, tried: Tried | None = None) -> None:
        super().__init__(why)
        self.tried = tried


async def _soon(what: Awaitable[Any], unless: asyncio.Future[Any]) -> None:
    """Wait for something that never comes once ``unless`` is done."""
    waiting = asyncio.ensure_future(what)
    await asyncio.wait({waiting, unless}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()


async def _cancel(playing: asyncio.Future[Any]) -> None:
    playing.cancel()
    await asyncio.gather(playing, return_exceptions=True)


def _client(lobby: Exchange) -> str:
    for entry in lobby.to_json():
        client: str = entry.get("message", {}).get("client", "")
        if client:
            return client
    return ""


def _exchanges(exchanges: Iterable[Exchange]) -> dict[str, list[dict[str, Any]]]:
    """Return all that was said, by match and how often that was played."""
    told: dict[str, list[dict[str, Any]]] = {}
    for exchange in exchanges:
        attempt = 1
        name = exchange.name
        while name in told:
            attempt += 1
            name = f"{exchange.name}#{attempt}"
        told[name] = exchange.to_json()
    return told
