"""Ratings against closed forms, another implementation, a published analysis and simulations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import permutations, repeat
from pathlib import Path
from random import Random

import choix
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from kawuxing.scheduler.plackett_luce import Patterns, fit
from kawuxing.scheduler.ratings import ELO_SCALE, DisconnectedBotsError, Ranking, Ratings, RatingsError, rate

NASCAR = Path(__file__).parent / "data" / "nascar2002.txt"


def elo(ratings: Ratings) -> dict[str, float]:
    return dict(zip(ratings.bots, ratings.elo, strict=True))


def order(*bots: str) -> Ranking:
    return Ranking(bots, tuple(range(1, len(bots) + 1)))


def seeded(text: str) -> Random:
    return Random(text)


def simulated(random: Random, strengths: Sequence[float], matches: int, entrants: int = 3) -> list[Ranking]:
    """Matches that follow a Plackett-Luce model: the order of exponential waiting times."""
    rankings = []
    for _ in range(matches):
        bots = random.sample(range(len(strengths)), entrants)
        times = [random.expovariate(math.exp(strengths[bot])) for bot in bots]
        ranks = tuple(1 + sum(other < time for other in times) for time in times)
        rankings.append(Ranking(tuple(f"bot-{bot:02}" for bot in bots), ranks))
    return rankings


def test_four_hundred_elo_are_odds_of_ten_to_one() -> None:
    """Who wins ten times as often is 400 Elo ahead."""
    result = elo(rate([order("a", "b")] * 10 + [order("b", "a")], prior=0))

    assert pytest.approx(400, abs=1e-9) == result["a"] - result["b"]


def test_a_tie_of_two_is_half_a_win_of_each() -> None:
    """Three wins, two ties and a loss are odds of four to two."""
    matches = [order("a", "b")] * 3 + [Ranking(("a", "b"), (1, 1))] * 2 + [order("b", "a")]
    result = elo(rate(matches, prior=0))

    assert pytest.approx(math.log(2) * ELO_SCALE, abs=1e-9) == result["a"] - result["b"]


@pytest.mark.parametrize("tied", [("a", "b", "c"), ("a", "b", "c", "d")])
def test_ties_are_shared_over_their_orders(tied: tuple[str, ...]) -> None:
    """As many ties as there are orders say the same as each order once."""
    others = [order(*tied)] * 5 + [order(*reversed(tied))]
    orders = [order(*bots) for bots in permutations(tied)]
    ties = [Ranking(tied, (1,) * len(tied))] * len(orders)

    assert rate(others + orders).elo == pytest.approx(rate(others + ties).elo, abs=1e-9)


def test_four_way_rankings_with_ties_give_what_can_be_worked_out_by_hand() -> None:
    """A bot twice as strong as three equal ones, from 47 firsts and 18 lasts, the others tied each time.

    With strengths x, 1, 1, 1 it is first with probability x/(x+3) and last with 3/(x+3) · 2/(x+2) · 1/(x+1). As many as
    n firsts and m lasts are likeliest where n · 3/(x(x+3)) = m · (1/(x+3) + 1/(x+2) + 1/(x+1)). At x = 2 that is
    n · 3/10 = m · 47/60.
    """
    bots = ("a", "b", "c", "d")
    matches = [Ranking(bots, (1, 2, 2, 2))] * 47 + [Ranking(bots, (4, 1, 1, 1))] * 18
    result = elo(rate(matches, prior=0))

    for other in "bcd":
        assert pytest.approx(math.log(2) * ELO_SCALE, abs=1e-6) == result["a"] - result[other]


def test_four_orders_in_a_circle_make_four_equal_bots() -> None:
    """Each is first, second, third and fourth once."""
    bots = "abcd"
    circle = [order(*bots[turn:], *bots[:turn]) for turn in range(4)]

    assert pytest.approx([0] * 4, abs=1e-9) == list(rate(circle).elo)


def test_a_tie_for_last_is_shared_too() -> None:
    """Two who forfeit share the orders of the last two places."""
    base = [order("c", "b", "a")]
    ties = [Ranking(("a", "b", "c"), (1, 2, 2))] * 2

    assert rate([*base, order("a", "b", "c"), order("a", "c", "b")]).elo == pytest.approx(
        rate(base + ties).elo, abs=1e-9
    )


def test_only_the_order_of_ranks_counts() -> None:
    """Ranks 1, 1, 3 are the ranking that 0, 0, 1 are."""
    assert rate([Ranking(("a", "b", "c"), (0, 0, 1))]) == rate([Ranking(("a", "b", "c"), (1, 1, 3))])


def test_the_prior_is_one_tie_of_each_bot_with_an_average_one() -> None:
    """With two bots, the likelihood with these ties has its maximum where a closed equation says."""
    wins = 7
    half = brentq(lambda x: wins / (1 + math.exp(2 * x)) + 0.5 - 1 / (1 + math.exp(-x)), 0, 10, xtol=1e-13)

    assert pytest.approx((half * ELO_SCALE, -half * ELO_SCALE), abs=1e-8) == rate([order("a", "b")] * wins).elo


def test_the_prior_fades_with_many_matches() -> None:
    """After many matches the prior changes nothing that is published."""
    matches = {order("a", "b", "c"): 300_000, order("b", "c", "a"): 300_000, order("c", "b", "a"): 200_000}

    assert rate(matches).elo == pytest.approx(rate(matches, prior=0).elo, abs=0.01)


@pytest.mark.parametrize(("bots", "entrants"), [(3, 3), (6, 3), (8, 4)])
def test_strengths_agree_with_choix(bots: int, entrants: int) -> None:
    """Without ties and prior, another implementation finds the same maximum."""
    random = seeded(f"choix {bots} {entrants}")
    matches = simulated(random, [random.gauss(0, 0.7) for _ in range(bots)], 150, entrants)
    orders = [tuple(int(bot[-2:]) for _, bot in sorted(zip(match.ranks, match.bots, strict=True))) for match in matches]
    expected = choix.ilsr_rankings(bots, orders, alpha=0, max_iter=1000, tol=1e-9)

    assert (expected - expected.mean()) * ELO_SCALE == pytest.approx(rate(matches, prior=0).elo, abs=1e-3)


def test_nascar_2002_comes_out_as_published() -> None:
    """Hunter (2004), table 2: log-strengths of the best and worst average places, measured from A. Cameron's."""
    races = [line.split() for line in NASCAR.read_text("utf-8").splitlines() if not line.startswith("#")]
    result = elo(rate([order(*race) for race in races], prior=0))
    drivers = {"Jones": "58", "Pruett": "68", "Martin": "51", "Stewart": "82", "Wallace": "66", "Johnson": "37"}

    assert (36, 83) == (len(races), len(result))
    assert {"Jones": 4.15, "Pruett": 3.62, "Martin": 2.08, "Stewart": 1.83, "Wallace": 2.06, "Johnson": 1.94} == {
        name: round((result[number] - result["1"]) / ELO_SCALE, 2) for name, number in drivers.items()
    }


@st.composite
def tied_matches(draw: st.DrawFn) -> list[Ranking]:
    bots = draw(st.permutations(["a", "b", "c", "d", "e"]))
    ranks = st.tuples(*[st.integers(min_value=1, max_value=3)] * 3)
    table = st.permutations(bots).map(lambda names: tuple(names[:3]))
    return draw(
        st.lists(st.builds(Ranking, table, ranks, st.integers(min_value=0, max_value=30)), min_size=1, max_size=60)
    )


def outcome(matches: list[Ranking], *, by_deal: bool) -> Ratings | str:
    try:
        return rate(matches, by_deal=by_deal)
    except DisconnectedBotsError as error:
        return str(error)


@settings(max_examples=50)
@given(matches=tied_matches(), shuffle=st.randoms(use_true_random=False), by_deal=st.booleans())
def test_the_same_results_in_any_order_give_the_same_bits(
    matches: list[Ranking], shuffle: Random, *, by_deal: bool
) -> None:
    """Neither the order of matches nor that of the entrants in them shows, not even in the last bit."""
    moved = []
    for match in matches:
        seats = shuffle.sample(range(3), 3)
        bots, ranks = tuple(match.bots[seat] for seat in seats), tuple(match.ranks[seat] for seat in seats)
        moved.append(Ranking(bots, ranks, match.deal))
    shuffle.shuffle(moved)

    assert outcome(matches, by_deal=by_deal) == outcome(moved, by_deal=by_deal)


@settings(max_examples=50)
@given(matches=tied_matches(), by_deal=st.booleans())
def test_any_results_are_rated_or_refused(matches: list[Ranking], *, by_deal: bool) -> None:
    """Whatever happened, all figures are finite, or the bots are told to be disconnected."""
    result = outcome(matches, by_deal=by_deal)

    assert isinstance(result, str) == ("no chain of matches" in str(result))
    if isinstance(result, Ratings):
        figures = [*result.elo, *result.margins, *(chance for row in result.stronger for chance in row)]
        assert [] == [figure for figure in figures if figure is not None and not math.isfinite(figure)]


def test_intervals_hold_what_they_promise() -> None:
    """In simulated tournaments, the 95 % intervals contain the true Elo in about 95 of 100 cases."""
    random = seeded("coverage")
    strengths = np.linspace(-1, 1, 5)
    held = []
    for _ in range(250):
        result = rate(simulated(random, strengths.tolist(), 80))
        for estimate, margin, strength in zip(result.elo, result.margins, strengths, strict=True):
            held.append(margin is not None and abs(estimate - ELO_SCALE * strength) <= margin)

    assert 0.93 <= sum(held) / len(held) <= 0.97


def test_intervals_by_deal_hold_when_a_deal_decides_all_of_its_matches() -> None:
    """Matches of a deal that all end alike are worth one: taken as independent they would promise too much."""
    matches = simulated(seeded("deals"), [0, 0.3, 0.6], 60)
    repeated = [Ranking(match.bots, match.ranks, deal) for deal, match in enumerate(matches) for _ in range(4)]
    once, by_deal, wrong = rate(matches, prior=0), rate(repeated, by_deal=True, prior=0), rate(repeated, prior=0)

    assert once.margins == pytest.approx(by_deal.margins, abs=1e-6)
    assert (60, 240) == (by_deal.clusters, wrong.clusters)
    assert all(
        own is not None and independent is not None and independent < 0.55 * own
        for own, independent in zip(by_deal.margins, wrong.margins, strict=True)
    )


def test_under_twenty_clusters_there_are_no_intervals() -> None:
    """Nineteen matches are too few, and so are nineteen deals of many matches."""
    matches = [order("a", "b", "c"), order("b", "c", "a"), order("c", "a", "b")] * 8
    by_deal = [Ranking(match.bots, match.ranks, index % 19) for index, match in enumerate(matches)]

    assert {None} == set(rate(matches[:19]).margins)
    assert None not in rate(matches[:20]).margins
    assert {None} == set(rate(by_deal, by_deal=True).margins)
    assert None not in rate(by_deal).margins


def test_the_probability_of_being_stronger_is_shared_by_two() -> None:
    """It grows with the distance, is a half for equals, and what one lacks the other has."""
    result = rate(simulated(seeded("stronger"), [0, 0, 0.2, 1], 300))
    chances = np.array(result.stronger, dtype=np.float64)

    assert np.ones((4, 4)) == pytest.approx(chances + chances.T)
    assert 0.999 < chances[3, 0]
    assert np.full(4, 0.5) == pytest.approx(chances.diagonal())
    assert [True] * 4 == [(chances[2, bot] > 0.5) == (result.elo[2] > result.elo[bot]) or bot == 2 for bot in range(4)]


def test_disconnected_bots_are_refused_by_name() -> None:
    """Nothing says how two groups compare that never met."""
    with pytest.raises(DisconnectedBotsError) as caught:
        rate([order("a", "b", "c"), order("d", "e", "f"), order("f", "d", "e")])

    assert (("a", "b", "c"), ("d", "e", "f")) == caught.value.groups
    assert "no chain of matches connects {a, b, c} with {d, e, f}" in str(caught.value)


def test_nothing_to_rate_is_refused() -> None:
    """Without a result there is no rating."""
    with pytest.raises(RatingsError, match="no match to rate"):
        rate([])


def test_without_a_prior_infinite_strengths_are_refused() -> None:
    """A bot that always wins would be infinitely strong."""
    with pytest.raises(RatingsError, match="expected a prior"):
        rate([order("a", "b", "c"), order("a", "c", "b")], prior=0)


def test_a_fit_without_a_maximum_ends() -> None:
    """Asked to fit an infinite strength, the model gives up instead of running on."""
    with pytest.raises(ArithmeticError, match="no maximum likelihood"):
        fit(Patterns(2, [((0,), (1,))]), np.array([5]), prior=0)


def test_bots_that_always_or_never_win_are_told_and_have_no_interval() -> None:
    """Their Elo is finite by the prior alone; the others' is not moved by them."""
    middle = [("b", "c"), ("c", "b"), ("b", "c")] * 20
    result = rate([order("a", *pair, "z") for pair in middle])

    assert (("a",), ("z",), ("b", "c")) == (result.always_ahead, result.never_ahead, result.core)
    assert (None, None) == (result.margins[0], result.margins[3])
    assert pytest.approx(0, abs=1e-9) == result.elo[1] + result.elo[2]
    assert rate([order(*pair) for pair in middle]).margins == pytest.approx(result.margins[1:3], rel=0.03)
    assert (None, 0.5, None) == (result.stronger[0][1], result.stronger[1][1], result.stronger[2][3])


def test_groups_that_never_mix_are_told() -> None:
    """When one group is always ahead of another, only the larger is the core, and no distance is told."""
    matches = [order(*top, *rest) for top in permutations("ab") for rest in permutations("cde")] * 4
    result = rate(matches)

    assert ((), (), ("c", "d", "e")) == (result.always_ahead, result.never_ahead, result.core)
    assert (None, None) == result.margins[:2]
    assert 0.5 == pytest.approx(result.stronger[0][1])
    assert None is result.stronger[0][2]


def test_everybody_alone_is_no_core() -> None:
    """When every result was the same, the prior says everything."""
    result = rate([order("a", "b", "c")] * 30)

    assert () == result.core
    assert (None, None, None) == result.margins
    assert result.elo[0] > result.elo[1] > result.elo[2]


def test_a_million_matches_are_counted_exactly() -> None:
    """Listed one by one or counted, a million matches give the same bits."""
    cycle = [order("a", "b", "c", "d"), order("b", "a", "d", "c"), order("d", "c", "b", "a"), order("a", "c", "b", "d")]
    listed = rate(match for matches in repeat(cycle, 250_000) for match in matches)

    assert 1_000_000 == listed.matches
    assert rate(dict.fromkeys(cycle, 250_000)) == listed
