"""What the fields of a tournament.toml must be beside each other.

It is judged on plain data in which what is wrong by itself is :data:`WRONG`, so that one mistake hides no other and
makes none: no check finds what it looks for in a wrong value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel

from kawuxing.scheduler.config_errors import shown
from kawuxing.scheduler.config_tables import (
    MAX_MATCHES,
    BotConfig,
    Process,
    ScheduleConfig,
    SeatOrders,
    Walls,
    schedule_length,
)
from kawuxing.scheduler.config_values import is_loopback, parse_rules, split_address

WRONG: Final = object()
"""Stands for a value that is wrong by itself."""
_NO_TIME: Final = (0, "PT0S")
_LEAST_ENTRANTS: Final = 3

Problems = Iterator[tuple[str, str]]
"""Pairs of a dotted path and the text that follows it."""
Location = Sequence[int | str]


def marked(data: Any, wrong: Sequence[Location]) -> Any:
    """Return a copy of plain ``data`` with WRONG at each of these locations."""
    if () in wrong:
        return WRONG
    here = {location[0] for location in wrong}
    inner = {key: [tuple(location[1:]) for location in wrong if location[0] == key] for key in here}
    if isinstance(data, Mapping):
        return {**data, **{key: marked(data.get(key), inner[key]) for key in here}}
    if isinstance(data, Sequence) and not isinstance(data, str):
        return [marked(item, inner.get(index, ())) for index, item in enumerate(data)]
    return WRONG


def problems_together(data: Mapping[str, Any]) -> Problems:
    """Yield what is wrong with fields beside each other in a whole tournament.toml with marked values."""
    yield from _clock_problems(_table(_table(data, "match"), "clock"))
    yield from _run_problems(_table(data, "run"))
    bots = data.get("bots")
    if not isinstance(bots, Sequence):
        return
    for index, bot in enumerate(bots):
        if bot is not WRONG:
            yield from _bot_problems(f"bots[{index}]", bot)
    yield from _name_problems([bot.get("name") if bot is not WRONG else WRONG for bot in bots])
    yield from _length_problems(data, len(bots))
    yield from _duplicate_problems(_table(data, "schedule"), bots)


def _clock_problems(clock: Mapping[str, Any]) -> Problems:
    if clock.get("bank") in _NO_TIME and clock.get("increment") in _NO_TIME:
        yield "match.clock.bank", "and increment are 0: expected some time to think"


def _run_problems(run: Mapping[str, Any]) -> Problems:
    listen = run.get("listen")
    if isinstance(listen, str) and run.get("insecure", False) is False and not is_loopback(split_address(listen)[0]):
        expected = "expected this machine's own address, or insecure = true as there is no TLS"
        yield "run.listen", f"is {shown(listen)}: {expected}"


def _bot_problems(path: str, bot: Mapping[str, Any]) -> Problems:
    remote, command = bot.get("remote", False), bot.get("command", ())
    if remote is False and not command:
        yield f"{path}.command", "is missing and remote is false: expected exactly one of the two"
    if remote is not True:
        return
    if command and command is not WRONG:
        yield f"{path}.command", "is there and remote is true: expected exactly one of the two"
    for name in ("process", "capacity", "env"):
        default = _default(BotConfig, name)
        if bot.get(name, default) not in (default, WRONG):
            text = "is set and remote is true: expected it only beside command; a remote bot tells its own"
            yield f"{path}.{name}", text


def _name_problems(names: Sequence[Any]) -> Problems:
    for index, name in enumerate(names):
        if isinstance(name, str) and name in names[:index]:
            text = f"is {shown(name)} like bots[{names.index(name)}].name: expected a name of its own"
            yield f"bots[{index}].name", text


def _length_problems(data: Mapping[str, Any], bots: int) -> Problems:
    told = data.get("rules", {})
    entrants = _LEAST_ENTRANTS if told is WRONG else parse_rules(told).entrants
    if bots < entrants:
        yield "bots", f"are {bots}: expected at least {entrants}, the entrants of a match by these rules"
        return
    schedule = _table(data, "schedule")
    deals, orders = (schedule.get(name, _default(ScheduleConfig, name)) for name in ("deals", "seat_orders"))
    if WRONG not in (told, deals, orders):
        matches = schedule_length(bots, entrants, SeatOrders(orders), deals)
        if matches > MAX_MATCHES:
            text = f"is {deals} and makes the schedule {matches} matches long: expected at most {MAX_MATCHES}"
            yield "schedule.deals", text


def _duplicate_problems(schedule: Mapping[str, Any], bots: Sequence[Any]) -> Problems:
    if schedule.get("walls") != Walls.DUPLICATE:
        return
    for index, bot in enumerate(bots):
        if bot is WRONG:
            continue
        remote = bot.get("remote", False)
        if remote is True and schedule.get("trusted_bots", False) is False:
            text = 'is true with schedule.walls = "duplicate": expected schedule.trusted_bots = true, as a bot can '
            yield f"bots[{index}].remote", text + "remember a deal and then knows the other hands"
        if remote is False and bot.get("process", Process.SHARED) == Process.SHARED:
            text = 'is "shared" with schedule.walls = "duplicate": expected "match", so that no deal is remembered'
            yield f"bots[{index}].process", text


def _table(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = data.get(name)
    return table if isinstance(table, Mapping) else {}


def _default(model: type[BaseModel], name: str) -> Any:
    return model.model_fields[name].default
