"""Whatever happens in whatever order, with whatever is late: what the store promises holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from datetime import timedelta

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from kawuxing.scheduler.store import MAX_VOIDS, Instance, LiveMatch, MatchState, MatchStatus, NewWorker, Store
from kawuxing.scheduler.store.testing import ManualClock, finished_match, small_tournament

BOTS = ("ada", "ben", "cyd", "dan")
INSTANCES = tuple(
    Instance(id=f"{bot}-{number}", bot=bot, capacity=capacity)
    for bot, capacities in zip(BOTS, ((1, 2), (3,), (2, 2), (1,)), strict=True)
    for number, capacity in enumerate(capacities)
)
CAPACITY = {instance.id: instance.capacity for instance in INSTANCES}
SLOTS = 3
CONCURRENCY = 5
LEASE = timedelta(seconds=15)
FINAL = (MatchState.DONE, MatchState.CANCELLED, MatchState.FAILED)

MAX_BACK = 5
STEPS = (
    *["play_on"] * 4,
    *["commit"] * 6,
    *["release", "void", "attend", "offer", "start", "wait"] * 2,
    *["register", "restart", "expire", "heartbeat", "take_over", "sign_off", "come_and_go", "withdraw"],
)
"""The names of StoreMachine's steps, the usual ones more often."""


class StoreMachine(RuleBasedStateMachine):
    """Dispatchers, workers and arenas that come, go, are late and repeat themselves.

    Steps pick offers, claims and workers counting from the newest: the newest are mostly good, the older mostly stale.
    """

    def __init__(self, url: str) -> None:
        """Begin with a running tournament and one worker."""
        super().__init__()
        self.url = url
        self.clock = ManualClock()
        self.store = Store(url, clock=self.clock)
        self.store.create_tournament(small_tournament(BOTS))
        self.store.begin_run("cup")
        self.workers: list[str] = []
        self.offers: list[tuple[int, int]] = []
        self.claims: list[tuple[int, int, str]] = []
        self.counted: dict[int, str] = {}
        self.final: dict[int, MatchState] = {}
        self.revoked: set[str] = set()
        self.register()

    def teardown(self) -> None:
        """Close the store."""
        self.store.close()

    def _unrevoked(self) -> set[str]:
        return {worker.incarnation for worker in self.store.workers()}

    def _worker(self, back: int) -> str:
        return self.workers[max(-1 - back, -len(self.workers))]

    def _claims(self, back: int) -> list[tuple[int, int, str]]:
        """Return one claim, or none if there was none yet."""
        return self.claims[-1 - back :][:1] if back < len(self.claims) else self.claims[:1]

    def _holds(self, claim: tuple[int, int, str]) -> bool:
        return claim in {(live.match, live.attempt, live.incarnation) for live in self.store.live_matches()}

    def register(self, _back: int = 0, _some: Collection[str] = ()) -> None:
        """A worker starts."""
        name = f"w{len(self.workers) + 1}"
        self.workers.append(name)
        self.store.register_worker(NewWorker(name, "here", len(self.workers), "here:1", SLOTS))

    def wait(self, back: int, _some: Collection[str]) -> None:
        """Time passes."""
        self.clock.advance(timedelta(seconds=1 + 3 * back))

    def restart(self, _back: int, _some: Collection[str]) -> None:
        """The process is lost and another opens the database."""
        self.store.close()
        self.store = Store(self.url, clock=self.clock)

    def offer(self, _back: int, some: Collection[str]) -> None:
        """The dispatcher offers, to all instances but the first of some bots."""
        missing = {f"{bot}-0" for bot in some}
        live = len(self.store.live_matches())
        offered = self.store.offer_next(
            "cup",
            [instance for instance in INSTANCES if instance.id not in missing],
            concurrency=CONCURRENCY,
            expires_in=timedelta(seconds=10),
            deal_seed_of=lambda index, _deal: bytes([index]),
        )
        if offered:
            assert live + len(offered) <= min(CONCURRENCY, SLOTS * len(self._unrevoked()))
        assert not missing & {entrant.instance for match in offered for entrant in match.entrants}
        self.offers += [(match.match, match.attempt) for match in offered]

    def start(self, back: int, some: Collection[str]) -> None:
        """A worker takes up an offer that may be gone, as may be its lease."""
        incarnation = self._worker(len(some))
        for match, attempt in self.offers[-1 - back :][:1]:
            stands = (match, attempt, MatchState.OFFERED) in {
                (live.match, live.attempt, live.state) for live in self.store.live_matches()
            }
            started = self.store.start_match(match, attempt, incarnation)
            assert (stands and incarnation in self._unrevoked()) == (started is not None)
            # Whoever was refused believes all the same, and will act on it.
            self.claims.append((match, attempt, incarnation))

    def play_on(self, back: int, _some: Collection[str]) -> None:
        """The dispatcher offers to all, and a worker with its lease takes up what is offered."""
        self.offer(back, ())
        for worker in self.store.workers()[:1]:
            for live in self.store.live_matches():
                if live.state is MatchState.OFFERED:
                    assert self.store.start_match(live.match, live.attempt, worker.incarnation) is not None
                    self.claims.append((live.match, live.attempt, worker.incarnation))

    def commit(self, back: int, some: Collection[str]) -> None:
        """A worker commits what it may not own any more, perhaps not for the first time."""
        for claim in self._claims(back):
            sha256 = f"{len(some) % 2} {claim}"
            expected = self._holds(claim) or self.counted.get(claim[0]) == sha256
            assert expected == self.store.commit_result(*claim, finished_match(sha256))
            if expected:
                assert sha256 == self.counted.setdefault(claim[0], sha256)

    def release(self, back: int, some: Collection[str]) -> None:
        """A worker gives back a match to which some bots did not come."""
        for claim in self._claims(back):
            expected = self._holds(claim)
            assert expected == (self.store.release(*claim, sorted(some)) is not None)

    def void(self, back: int, _some: Collection[str]) -> None:
        """A worker voids an attempt."""
        for claim in self._claims(back):
            expected = self._holds(claim)
            assert expected == (self.store.void(*claim, "no reason") is not None)

    def attend(self, back: int, _some: Collection[str]) -> None:
        """A worker says where it waits and that all came."""
        for claim in self._claims(back):
            expected = self._holds(claim)
            assert expected == self.store.publish(*claim, "here:2")
            assert expected == self.store.taken_up(*claim)

    def expire(self, _back: int, _some: Collection[str]) -> None:
        """The dispatcher takes late offers back and revokes late leases."""
        self.store.expire_offers()
        self.revoked |= set(self.store.expire_leases(LEASE))

    def heartbeat(self, back: int, _some: Collection[str]) -> None:
        """A worker renews its lease, if it has it."""
        incarnation = self._worker(back)
        assert (incarnation not in self.revoked) == self.store.heartbeat(incarnation)

    def take_over(self, back: int, _some: Collection[str]) -> None:
        """An embedded arena starts."""
        incarnation = self._worker(back)
        self.revoked |= self._unrevoked() - {incarnation}
        self.store.take_over(incarnation)

    def sign_off(self, back: int, _some: Collection[str]) -> None:
        """A worker stops in order."""
        incarnation = self._worker(back)
        self.revoked.add(incarnation)
        self.store.sign_off(incarnation)

    def come_and_go(self, _back: int, some: Collection[str]) -> None:
        """Bots come and go; only dan can be away for too long."""
        self.store.set_present("cup", {"ada", "ben", "cyd", *some})
        self.store.withdraw_absent("cup", timedelta(seconds=30))

    def withdraw(self, back: int, some: Collection[str]) -> None:
        """Now and then, an organiser withdraws a bot."""
        if back == MAX_BACK:
            for bot in sorted(some)[:1]:
                self.store.withdraw("cup", bot, "asked to")

    @rule(what=st.sampled_from(STEPS), back=st.integers(0, MAX_BACK), some=st.sets(st.sampled_from(BOTS)))
    def step(self, what: str, back: int, some: set[str]) -> None:
        """Do one of the steps: one rule for all, since Hypothesis switches whole rules off and would seldom get far."""
        getattr(self, what)(back, some)

    @invariant()
    def the_books_are_right(self) -> None:
        """See the checks, which share what is read."""
        matches = self.store.matches("cup")
        live = self.store.live_matches()
        self._every_match_is_counted_at_most_once(matches)
        self._capacity_is_never_exceeded(matches, live)
        self._final_is_final(matches)
        self._withdrawn_bots_have_nothing_to_play(matches)
        self._revoked_workers_play_nothing(live)

    def _every_match_is_counted_at_most_once(self, matches: Sequence[MatchStatus]) -> None:
        """What was counted, and nothing else, is done and has one result and one record."""
        done = {match.index: match.match for match in matches if match.state is MatchState.DONE}
        results = self.store.results("cup")
        assert self.counted == {done[result.index]: result.sha256 for result in results}
        assert sorted(done) == [result.index for result in results]
        assert sorted(done) == [record.index for record in self.store.records("cup")]

    def _capacity_is_never_exceeded(self, matches: Sequence[MatchStatus], live: Sequence[LiveMatch]) -> None:
        """No instance has more reserved than it can take; live matches, and only they, reserve."""
        reserved = Counter(entrant.instance for match in live for entrant in match.entrants)
        assert all(count <= CAPACITY[instance] for instance, count in reserved.items())
        assert all(len(match.entrants) == 3 for match in live)
        assert {match.match for match in live} == {
            match.match for match in matches if match.state in {MatchState.OFFERED, MatchState.PLAYING}
        }

    def _final_is_final(self, matches: Sequence[MatchStatus]) -> None:
        """A match that is done, cancelled or failed stays so; failed are those voided too often, and only those."""
        for match in matches:
            if match.match in self.final:
                assert self.final[match.match] == match.state
            if match.state in FINAL:
                self.final[match.match] = match.state
            assert (match.state is MatchState.FAILED) == (match.voids >= MAX_VOIDS)
        counts = Counter(match.state for match in matches)
        assert {state: counts[state] for state in MatchState} == self.store.progress("cup")

    def _withdrawn_bots_have_nothing_to_play(self, matches: Sequence[MatchStatus]) -> None:
        """No match of a withdrawn bot is pending or offered."""
        withdrawn = {entrant.bot for entrant in self.store.entrants("cup") if entrant.withdrawn is not None}
        for match in matches:
            if match.state in {MatchState.PENDING, MatchState.OFFERED}:
                assert not withdrawn & set(match.bots)

    def _revoked_workers_play_nothing(self, live: Sequence[LiveMatch]) -> None:
        """Whatever is being played belongs to a worker with its lease; a lease once revoked stays so."""
        unrevoked = self._unrevoked()
        assert {match.incarnation for match in live if match.state is MatchState.PLAYING} <= unrevoked
        assert not self.revoked & unrevoked


def test_any_order_of_transitions(new_database: Callable[[], str]) -> None:
    """Over any sequence of transitions, late and repeated ones included, the invariants hold."""
    run_state_machine_as_test(
        lambda: StoreMachine(new_database()),  # type: ignore[arg-type]  # Any callable will do.
        settings=settings(
            # A failure is told as it was found: shrinking it, with a database for each try, would run into the timeout.
            phases=[Phase.explicit, Phase.reuse, Phase.generate],
            max_examples=20,
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )
