"""Many matches at home, in three lines: for training, tuning and tests, without sockets.

::

    arena = Arena("xiangyang", seed="home")
    results = arena.play([Mine, shipped_bot("greedy"), shipped_bot("careful")], matches=100, hands=8)
    print(results)

The walls follow from the seed as in a practice tournament (docs/records.md), so records of such matches verify.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import permutations
from statistics import fmean, stdev
from typing import Final, TypeVar

from kawuxing.bots.arguments import factories, instance, rule_set, shown, whole
from kawuxing.bots.bot import BotFactory
from kawuxing.bots.local import MAX_FAULTS, LocalMatch
from kawuxing.engine.match import EntrantResult
from kawuxing.engine.record import MAX_HANDS, Record, RecordedEntrant, RecordHeader
from kawuxing.engine.revealed_seed import MAX_MATCHES, RevealedSeed
from kawuxing.engine.rules import DEFAULT_PRESET, RuleSet
from kawuxing.engine.wall import practice_seed

NAME: Final = "home"
"""The tournament that records of an Arena name."""

_Z95: Final = 1.96
_MIN_CLUSTERS: Final = 20
"""With fewer, there is no interval worth printing."""
_NAME_LENGTH: Final = 24


class SeatOrders(StrEnum):
    """Which bot is which entrant, from match to match; entrant i has seat i in the first hand."""

    FIXED = "fixed"
    """As the bots are listed, in every match."""
    ROTATIONS = "rotations"
    """The order moves on by one seat with every match."""
    ALL = "all"
    """Every order in turn."""


class Walls(StrEnum):
    """What is dealt, from match to match."""

    FRESH = "fresh"
    """Every match has its own walls."""
    DUPLICATE = "duplicate"
    """All seat orders play the same walls before the next deal: less luck, as far as bots do not remember them."""


_Option = TypeVar("_Option", SeatOrders, Walls)


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """One match of a series."""

    deal: int
    """Its deal, from 0: matches of one deal have the same walls."""
    bots: tuple[int, ...]
    """For each entrant, which of the listed bots it was."""
    record: Record
    """What was played, with ``result``; ``data`` are the bytes that ``kawuxing record verify`` reads."""

    def of(self, bot: int) -> EntrantResult:
        """Return what the bot at this place in the list achieved."""
        return self.record.result.entrants[self.bots.index(bot)]


@dataclass(frozen=True, slots=True, kw_only=True)
class BotResult:
    """What one bot achieved in a series."""

    name: str
    points: int
    """Won or lost in all hands."""
    hands: int
    """In all matches, those included in which it rested."""
    margin: float | None
    """Half the width of the 95 % interval of :attr:`points_per_hand`, None with fewer than 20 deals."""
    wins: int
    deal_ins: int
    reveals: int
    places: tuple[int, ...]
    """How often it was first, second, …; equal points share the better place."""

    @property
    def points_per_hand(self) -> float:
        """The mean over all hands."""
        return self.points / self.hands


@dataclass(frozen=True, slots=True)
class Results:
    """What came out of a series of matches; prints as a table."""

    bots: tuple[BotResult, ...]
    """In the order in which they were listed."""
    matches: tuple[PlayedMatch, ...]
    """In the order in which they were played."""
    seed: RevealedSeed
    """What the walls follow from; ``to_json`` gives the file for ``kawuxing record verify --seed``."""

    def __str__(self) -> str:
        width = max(len("bot"), *(len(bot.name) for bot in self.bots))
        lines = [f"{'bot':{width}}      points/hand  wins  deal-ins  reveals  places"]
        for bot in self.bots:
            margin = "" if bot.margin is None else f" ±{bot.margin:.2f}"
            lines.append(
                f"{bot.name:{width}}  {f'{bot.points_per_hand:+.2f}{margin}':>15}  {bot.wins:4}  {bot.deal_ins:8}  "
                f"{bot.reveals:7}  {'/'.join(map(str, bot.places))}"
            )
        return "\n".join(lines)


class Arena:
    """Plays matches between bot classes on walls that follow from a seed."""

    def __init__(self, rules: RuleSet | str = DEFAULT_PRESET, *, seed: str) -> None:
        """Play by a preset's name or a rule set. The same ``seed``, any text, gives the same walls.

        Raises RulesError if there is no such preset, ValueError if the seed is no text.
        """
        self.rules: Final = rule_set(rules)
        self._master_seed = practice_seed(instance("seed", seed, str))

    def play(
        self,
        bots: Sequence[BotFactory],
        *,
        matches: int,
        hands: int,
        seat_orders: SeatOrders | str = SeatOrders.ROTATIONS,
        walls: Walls | str = Walls.FRESH,
    ) -> Results:
        """Play a series and return its results, every record included (about 10 kB a hand).

        Raises as :meth:`series` does.
        """
        seed = self._seed(matches, walls, self._orders(seat_orders))
        played = tuple(self.series(bots, matches=matches, hands=hands, seat_orders=seat_orders, walls=walls))
        return Results(tuple(_bot_result(bot, name, played) for bot, name in enumerate(_names(bots))), played, seed)

    def series(
        self,
        bots: Sequence[BotFactory],
        *,
        matches: int,
        hands: int,
        seat_orders: SeatOrders | str = SeatOrders.ROTATIONS,
        walls: Walls | str = Walls.FRESH,
    ) -> Iterator[PlayedMatch]:
        """Play ``matches`` (1 to 1,000,000) of ``hands`` (1 to 10,000) hands each and yield every one when it is over.

        ``bots`` are as many as the rules have entrants; one may be listed twice. What a bot raises goes to the caller.

        Raises ValueError, before anything is played, for a number, order or kind of walls that is none, for what is no
        list of bots, or if duplicate walls do not come out even. Its iterator raises IllegalAnswerError if a bot
        chooses what is not legal.
        """
        orders = self._orders(seat_orders)
        seed = self._seed(matches, walls, orders)
        return self._play(seed, orders, factories(self.rules, bots, guests=False), whole("hands", hands, 1, MAX_HANDS))

    def match(self, bots: Sequence[BotFactory | None], *, hands: int, index: int = 0) -> LocalMatch:
        """Return a match to be played step by step, entrant i by ``bots[i]``; the caller answers for each None.

        Its walls are those of the match at ``index`` (from 0) of a series with fresh walls.

        Raises ValueError for a number out of range, or if the bots are not as many as the rules have entrants.
        """
        index = whole("index", index, 0, MAX_MATCHES - 1)
        seated = factories(self.rules, bots, guests=True)
        seed = self._seed(index + 1, Walls.FRESH, [])
        return self._match(seed, index, whole("hands", hands, 1, MAX_HANDS), names=_names(seated), bots=seated)

    def _play(
        self, seed: RevealedSeed, orders: Sequence[tuple[int, ...]], bots: Sequence[BotFactory], hands: int
    ) -> Iterator[PlayedMatch]:
        names = _names(bots)
        for index in range(seed.matches):
            order = orders[index % len(orders)]
            seated = [names[bot] for bot in order]
            match = self._match(seed, index, hands, names=seated, bots=[bots[bot] for bot in order])
            try:
                record = match.play()
            except Exception as error:
                error.add_note(f"in match {index} of the series, entrants {', '.join(seated)}")
                if seed.walls is Walls.FRESH:
                    error.add_note(f"step through it by Arena.match, with these bots and index={index}")
                raise
            yield PlayedMatch(index * seed.deals // seed.matches, order, record)

    def _match(
        self, seed: RevealedSeed, index: int, hands: int, *, names: Sequence[str], bots: Sequence[BotFactory | None]
    ) -> LocalMatch:
        header = RecordHeader(
            tournament=seed.tournament,
            match_id=seed.match_id(index),
            hands=hands,
            max_faults=MAX_FAULTS,
            entrants=tuple(map(RecordedEntrant, names)),
            rules=self.rules,
            commitment=seed.commitment,
        )
        return LocalMatch(header, bots, deal_seed=seed.deal_seed(index))

    def _orders(self, seat_orders: SeatOrders | str) -> list[tuple[int, ...]]:
        listed = tuple(range(self.rules.entrants))
        match _chosen(SeatOrders, "seat_orders", seat_orders):
            case SeatOrders.FIXED:
                return [listed]
            case SeatOrders.ROTATIONS:
                return [listed[first:] + listed[:first] for first in listed]
            case SeatOrders.ALL:
                return list(permutations(listed))

    def _seed(self, matches: int, walls: Walls | str, orders: Sequence[object]) -> RevealedSeed:
        matches = whole("matches", matches, 1, MAX_MATCHES)
        kind = _chosen(Walls, "walls", walls)
        duplicate = kind is Walls.DUPLICATE
        if duplicate and matches % len(orders):
            raise ValueError(f"matches is {matches}: expected a multiple of the {len(orders)} seat orders of a deal")
        return RevealedSeed(
            tournament=NAME,
            master_seed=self._master_seed,
            public_entropy="",
            walls=kind,
            matches=matches,
            deals=matches // len(orders) if duplicate else matches,
        )


def _chosen(kind: type[_Option], field: str, value: str) -> _Option:
    try:
        return kind(value)
    except ValueError:
        raise ValueError(f"{field} is {shown(value)}: expected one of {', '.join(kind)}") from None


def _names(bots: Sequence[BotFactory | None]) -> list[str]:
    """Return a name for each bot that a record can hold, with a number where one comes more than once."""
    names = [_name(bot) for bot in bots]
    return [
        f"{name}-{names[: index + 1].count(name)}" if names.count(name) > 1 else name
        for index, name in enumerate(names)
    ]


def _name(bot: BotFactory | None) -> str:
    if bot is None:
        return "guest"
    name = re.sub(r"[^a-z0-9]+", "-", getattr(bot, "__name__", "bot").lower()).strip("-")
    return name[:_NAME_LENGTH] or "bot"


def _bot_result(bot: int, name: str, matches: Sequence[PlayedMatch]) -> BotResult:
    own = [match.of(bot) for match in matches]
    hands = len(own[0].hand_points)
    deals: dict[int, list[float]] = {}
    for match, result in zip(matches, own, strict=True):
        deals.setdefault(match.deal, []).append(result.points / hands)
    means = [fmean(deal) for deal in deals.values()]
    places = Counter(result.rank for result in own)
    return BotResult(
        name=name,
        points=sum(result.points for result in own),
        hands=hands * len(matches),
        margin=_Z95 * stdev(means) / math.sqrt(len(means)) if len(means) >= _MIN_CLUSTERS else None,
        wins=sum(result.wins for result in own),
        deal_ins=sum(result.deal_ins for result in own),
        reveals=sum(result.reveals for result in own),
        places=tuple(places[place] for place in range(1, len(matches[0].bots) + 1)),
    )
