"""How strong the shipped bots are against each other, without sockets: ``python benchmarks/bot_strength.py --help``.

Every seat order of every table of the bots named (one may be named twice) plays on the same walls, then the next deal.
Where fewer bots are named than a match has entrants, they fill the table up in every way.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import combinations, combinations_with_replacement, permutations

from kawuxing.bots.bot import Bot, BotFactory, MatchInfo, Turn
from kawuxing.bots.local import play_match
from kawuxing.bots.main import SHIPPED, shipped_bot
from kawuxing.engine.match import EntrantResult
from kawuxing.engine.rules import DEFAULT_PRESET, load_preset, preset_names
from kawuxing.engine.wall import fresh_deal_seed, practice_seed, tournament_key
from kawuxing.scheduler.ratings import Ranking, rate


class Stopwatch:
    """Adds up the CPU time that a bot's decisions take."""

    def __init__(self, bot: type[Bot]) -> None:
        """Time the decisions of this class of bot."""
        self._bot = bot
        self.seconds = 0.0
        self.decisions = 0

    def __call__(self, match: MatchInfo) -> Bot:
        """Return a bot whose decisions are timed."""
        bot = self._bot(match)
        choose = bot.choose

        def timed(turn: Turn) -> object:
            before = time.process_time()
            action = choose(turn)
            self.seconds += time.process_time() - before
            self.decisions += 1
            return action

        bot.choose = timed  # type: ignore[method-assign,assignment]
        return bot


Outcome = tuple[tuple[str, ...], tuple[EntrantResult, ...], dict[str, tuple[float, int]]]
"""The bots by entrant, their results, and each bot's seconds and decisions."""


def play(preset: str, names: Sequence[str], hands: int, seed: str, index: int) -> Outcome:
    """Play one match."""
    watches = {name: Stopwatch(shipped_bot(name)) for name in set(names)}
    bots: list[BotFactory] = [watches[name] for name in names]
    deal_seed = fresh_deal_seed(tournament_key(practice_seed(seed), ""), index)
    result = play_match(load_preset(preset), bots, hands=hands, deal_seed=deal_seed)
    times = {name: (watch.seconds, watch.decisions) for name, watch in watches.items()}
    return tuple(names), result.entrants, times


def tables(names: Sequence[str], entrants: int) -> list[tuple[str, ...]]:
    """Return every seat order of every table that these bots can fill."""
    if len(names) >= entrants:
        groups = list(combinations(names, entrants))
    else:
        groups = [group for group in combinations_with_replacement(names, entrants) if set(group) == set(names)]
    return [order for group in groups for order in sorted(set(permutations(group)))]


def report(outcomes: Sequence[Outcome], deals: Sequence[int], hands: int, base: int) -> None:
    """Print what each bot achieved, with 95 % intervals clustered by deal, and how often it ranked above the others.

    Points are in units of ``base``.
    """
    by_deal: dict[tuple[str, int], list[float]] = defaultdict(list)
    totals: dict[str, list[int]] = defaultdict(lambda: [0] * 5)
    seconds: dict[str, list[float]] = defaultdict(lambda: [0.0, 0])
    above: dict[tuple[str, str], list[float]] = defaultdict(list)
    for (names, entrants, times), deal in zip(outcomes, deals, strict=True):
        for name, entrant in zip(names, entrants, strict=True):
            by_deal[name, deal].append(entrant.points / hands / base)
            for index, value in enumerate((entrant.hands_played, entrant.wins, entrant.deal_ins, entrant.reveals)):
                totals[name][index] += value
        for name, (spent, decisions) in times.items():
            seconds[name][0] += spent
            seconds[name][1] += decisions
        for first, second in permutations(range(len(names)), 2):
            rank, other = entrants[first].rank, entrants[second].rank
            above[names[first], names[second]].append((rank < other) + (rank == other) / 2)
    points: dict[str, list[float]] = defaultdict(list)
    for (name, _), values in by_deal.items():
        points[name].append(statistics.mean(values))
    print(f"{len(outcomes)} matches of {hands} hands")
    print(f"{'bot':10} {'points/hand':>16} {'wins':>6} {'dealins':>7} {'reveals':>7} {'ms/dec':>7}  above the others")
    for name in sorted(points):
        played, wins, deal_ins, reveals, _ = totals[name]
        error = 1.96 * statistics.stdev(points[name]) / math.sqrt(len(points[name])) if len(points[name]) > 1 else 0.0
        ranks = ", ".join(
            f"{statistics.mean(scores):.3f} {other}" for (one, other), scores in sorted(above.items()) if one == name
        )
        cost = 1000 * seconds[name][0] / seconds[name][1]
        print(
            f"{name:10} {statistics.mean(points[name]):8.3f} ± {error:5.3f} {wins / played:6.3f} "
            f"{deal_ins / played:7.3f} {reveals / played:7.3f} {cost:7.3f}  {ranks}"
        )


def report_elo(outcomes: Sequence[Outcome], deals: Sequence[int]) -> None:
    """Print every bot's Elo with its 95 % interval, clustered by deal; matches with a bot named twice are left out."""
    rated = rate(
        (
            Ranking(names, tuple(entrant.rank for entrant in entrants), deal)
            for (names, entrants, _), deal in zip(outcomes, deals, strict=True)
            if len(set(names)) == len(names)
        ),
        by_deal=True,
    )
    for name, elo, margin in zip(rated.bots, rated.elo, rated.margins, strict=True):
        print(f"{name:10} Elo {elo:7.1f}" + ("" if margin is None else f" ± {margin:.1f}"))


def main() -> None:
    """Play the matches that the command line asks for and print the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("bots", nargs="*", metavar="BOT", help=f"of {', '.join(SHIPPED)} (default: all)")
    parser.add_argument(
        "--deals", type=int, default=20, help="deals for every table, each in all seat orders (default: 20)"
    )
    parser.add_argument("--hands", type=int, default=8)
    parser.add_argument("--preset", nargs="+", choices=preset_names(), default=[DEFAULT_PRESET], metavar="PRESET")
    parser.add_argument("--seed", default="strength", help="any text; the same text gives the same walls")
    parser.add_argument("--workers", type=int, default=1, help="processes (default: 1)")
    options = parser.parse_args()
    names = options.bots or list(SHIPPED)
    for preset in options.preset:
        rules = load_preset(preset)
        orders = tables(names, rules.entrants)
        games = [
            (preset, order, options.hands, options.seed, deal) for deal in range(options.deals) for order in orders
        ]
        deals = [deal for *_, deal in games]
        with ProcessPoolExecutor(options.workers) as pool:
            outcomes = list(pool.map(play, *zip(*games, strict=True)))
        print(f"{preset}: ", end="")
        report(outcomes, deals, options.hands, rules.base)
        if any(len(set(order)) == len(order) for order in orders):
            report_elo(outcomes, deals)


if __name__ == "__main__":
    main()
