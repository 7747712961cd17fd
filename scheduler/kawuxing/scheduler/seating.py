"""Seatings: who plays whom, in which order and seat. A pure function of the config (docs/tournament.md).

With n bots and m entrants a table, the sets of m bots fall into *orbits*: {a, b, c} moved on by one bot at a time, n
times. In a whole orbit every bot plays m times, once in each seat. So the schedule goes orbit by orbit, and after any
number of matches no bot is more than a few matches ahead of another: standings mean something long before the end.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import combinations, permutations

from kawuxing.engine.rules import DEAL
from kawuxing.scheduler.config import SeatOrders, TournamentConfig


@dataclass(frozen=True, slots=True)
class ScheduledMatch:
    """A match to be played."""

    index: int
    """Its place in the schedule, from 0."""
    deal: int
    """Its deal number, from 0: with duplicate walls, all matches of a deal share them."""
    entrants: tuple[str, ...]
    """Names of the bots by entrant; entrant i begins in seat i."""


@dataclass(frozen=True, slots=True)
class Audit:
    """How fair a schedule is, and how long it can take."""

    matches: int
    seats: dict[str, tuple[int, ...]]
    """By bot, how often it begins in each seat."""
    pairs: dict[tuple[str, str], int]
    """How often two bots meet; the pair is sorted. All pairs are listed."""
    neighbours: dict[tuple[str, str], int]
    """How often the second bot sits next after the first in turn order. All ordered pairs are listed."""
    longest_match: timedelta
    """When everybody uses all of its time in the longest possible hands."""
    longest: timedelta
    """When every match is a longest match, and matches fit side by side as well as the capacities allow."""

    @property
    def balanced(self) -> bool:
        """Whether all bots have all seats, all opponents and all neighbours equally often."""
        seats = {count for counts in self.seats.values() for count in counts}
        return len(seats) == len(set(self.pairs.values())) == len(set(self.neighbours.values())) == 1

    def __str__(self) -> str:
        """Return a few lines for people: each count, or its least and greatest value where it differs."""
        plays = _span([sum(counts) for counts in self.seats.values()], "match", "matches")
        seat = _span([count for counts in self.seats.values() for count in counts])
        meet = _span(list(self.pairs.values()), "time", "times")
        after = _span(list(self.neighbours.values()), "time", "times")
        return (
            f"each bot plays {plays}, {seat} in each seat\n"
            f"two bots meet {meet}, each right after the other {after}\n"
            f"about {_shown(self.longest)}, if every bot uses all of its time"
        )


def schedule(config: TournamentConfig) -> tuple[ScheduledMatch, ...]:
    """Return the whole schedule of ``config``, in the order in which it should be played.

    Deal by deal; within a deal, seat order by seat order; within that, every table once.
    """
    names = [bot.name for bot in config.bots]
    tables = list(_tables(len(names), config.rules.entrants))
    orders = _seat_orders(config.rules.entrants, config.schedule.seat_orders)
    seatings = (
        (deal, tuple(names[table[place]] for place in order))
        for deal in range(config.schedule.deals)
        for order in orders
        for table in tables
    )
    return tuple(ScheduledMatch(index, deal, entrants) for index, (deal, entrants) in enumerate(seatings))


def audit(config: TournamentConfig, matches: Sequence[ScheduledMatch]) -> Audit:
    """Return what the schedule ``matches`` of ``config`` gives every bot, and the longest that it can take."""
    names = [bot.name for bot in config.bots]
    tables = Counter(match.entrants for match in matches)
    seats = {name: [0] * config.rules.entrants for name in names}
    pairs = dict.fromkeys(combinations(sorted(names), 2), 0)
    neighbours = dict.fromkeys(permutations(names, 2), 0)
    for entrants, count in tables.items():
        for seat, name in enumerate(entrants):
            seats[name][seat] += count
            neighbours[name, entrants[(seat + 1) % len(entrants)]] += count
        for pair in combinations(sorted(entrants), 2):
            pairs[pair] += count
    longest_match = _longest_match(config)
    played = {name: sum(counts) for name, counts in seats.items()}
    return Audit(
        matches=len(matches),
        seats={name: tuple(counts) for name, counts in seats.items()},
        pairs=pairs,
        neighbours=neighbours,
        longest_match=longest_match,
        longest=longest_match * _rounds(config, len(matches), played),
    )


def _tables(bots: int, entrants: int) -> Iterator[tuple[int, ...]]:
    """Yield every set of ``entrants`` numbers below ``bots`` once, orbit by orbit, each in its orbit's order."""
    seen: set[tuple[int, ...]] = set()
    for first in combinations(range(bots), entrants):
        for step in range(bots):
            table = tuple((bot + step) % bots for bot in first)
            key = tuple(sorted(table))
            if key in seen:  # A whole orbit that was reached before, or the end of a short one.
                break
            seen.add(key)
            yield table


def _seat_orders(entrants: int, seat_orders: SeatOrders) -> list[tuple[int, ...]]:
    places = range(entrants)
    if seat_orders is SeatOrders.ROTATIONS:
        return [tuple((place + turn) % entrants for place in places) for turn in places]
    return list(permutations(places))


def _longest_match(config: TournamentConfig) -> timedelta:
    """Return a bound that no match can exceed, however slowly everybody plays."""
    rules, clock = config.rules, config.match.clock
    melds = 4 * rules.seats
    # Each turn begins with a tile from the wall or with a pung. It ends with a claim round, which asks all others, and
    # each meld may have been an added kong, for which all others were asked once more.
    turns = len(rules.tile_list) - DEAL * rules.seats + melds
    questions = turns * rules.seats + melds * (rules.seats - 1)
    steps = 2 * turns + melds
    by_clocks = rules.entrants * (clock.start + clock.bank) + config.match.hands * questions * clock.increment
    by_moves = rules.entrants * clock.start + config.match.hands * steps * clock.move_max
    return min(by_clocks, by_moves) + config.run.join_time


def _rounds(config: TournamentConfig, matches: int, played: dict[str, int]) -> int:
    """Return how many matches must follow one another, given the concurrency and each bot's capacity.

    A remote bot's capacity is known only when it joins; it counts as 1.
    """
    capacity = {bot.name: 1 if bot.remote else bot.capacity for bot in config.bots}
    at_once = max(
        tables
        for tables in range(1, config.run.concurrency + 1)
        if sum(min(limit, tables) for limit in capacity.values()) >= tables * config.rules.entrants
    )
    return max(math.ceil(matches / at_once), *(math.ceil(played[name] / limit) for name, limit in capacity.items()))


def _span(counts: list[int], one: str = "", many: str = "") -> str:
    least, most = min(counts), max(counts)
    text = str(least) if least == most else f"{least} to {most}"
    return f"{text} {one if most == 1 else many}".rstrip()


def _shown(duration: timedelta) -> str:
    return str(timedelta(seconds=math.ceil(duration.total_seconds())))
