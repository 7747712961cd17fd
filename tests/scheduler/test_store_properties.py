"""Whatever happens in whatever order, with whatever is late: what the store promises holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

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

bots = st.sets(st.sampled_from(BOTS))
seconds = st.integers(1, 20).map(lambda number: timedelta(seconds=number))


class StoreMachine(RuleBasedStateMachine):
    """Dispatchers, workers and arenas that come, go, are late and repeat themselves."""

    incarnations = Bundle("incarnations")
    offers = Bundle("offers")

    def __init__(self, url: str) -> None:
        """Begin with a running tournament and no worker."""
        super().__init__()
        self.url = url
        self.clock = ManualClock()
        self.store = Store(url, clock=self.clock)
        self.store.create_tournament(small_tournament(BOTS))
        self.store.begin_run("cup")
        self.numbers = 0
        self.counted: dict[int, str] = {}
        self.final: dict[int, MatchState] = {}
        self.revoked: set[str] = set()

    def teardown(self) -> None:
        """Close the store."""
        self.store.close()

    def _unrevoked(self) -> set[str]:
        return {worker.incarnation for worker in self.store.workers()}

    @rule(target=incarnations)
    def register(self) -> str:
        """A worker starts."""
        self.numbers += 1
        name = f"w{self.numbers}"
        self.store.register_worker(NewWorker(name, "here", self.numbers, "here:1", SLOTS))
        return name

    @rule(by=seconds)
    def wait(self, by: timedelta) -> None:
        """Time passes."""
        self.clock.advance(by)

    @rule()
    def restart(self) -> None:
        """The process is lost and another opens the database."""
        self.store.close()
        self.store = Store(self.url, clock=self.clock)

    @rule(target=offers, missing=st.sets(st.sampled_from(sorted(CAPACITY)), max_size=3))
    def offer(self, missing: set[str]) -> tuple[LiveMatch, ...]:
        """The dispatcher offers, to all instances but some."""
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
        return offered

    def _is_playing(self, match: int, attempt: int, incarnation: str) -> bool:
        return (match, attempt, incarnation) in {
            (live.match, live.attempt, live.incarnation) for live in self.store.live_matches()
        }

    @rule(offered=offers, incarnation=incarnations, which=st.integers(0, CONCURRENCY))
    def start(self, offered: tuple[LiveMatch, ...], incarnation: str, which: int) -> None:
        """A worker takes up offers that may be gone."""
        for live in offered[which : which + 2]:
            stands = (live.match, live.attempt, MatchState.OFFERED) in {
                (found.match, found.attempt, found.state) for found in self.store.live_matches()
            }
            leased = incarnation in self._unrevoked()
            assert (stands and leased) == (self.store.start_match(live.match, live.attempt, incarnation) is not None)

    @rule(offered=offers, incarnation=incarnations, which=st.integers(0, CONCURRENCY), digest=st.sampled_from("xyz"))
    def commit(self, offered: tuple[LiveMatch, ...], incarnation: str, which: int, digest: str) -> None:
        """A worker commits what it may not own any more, perhaps not for the first time."""
        for live in offered[which:]:
            sha256 = f"{digest} {live.match} {live.attempt} {incarnation}"
            again = self.counted.get(live.match) == sha256
            expected = again or self._is_playing(live.match, live.attempt, incarnation)
            assert expected == self.store.commit_result(live.match, live.attempt, incarnation, finished_match(sha256))
            if expected:
                assert self.counted.setdefault(live.match, sha256) == sha256

    @rule(which=st.integers(0, CONCURRENCY))
    def play_on(self, which: int) -> None:
        """Some live match goes one step on as it should."""
        for live in self.store.live_matches()[which : which + 1]:
            if live.state is MatchState.PLAYING:
                sha256 = f"played by {live.incarnation}"
                assert self.store.commit_result(live.match, live.attempt, str(live.incarnation), finished_match(sha256))
                self.counted[live.match] = sha256
            else:
                for worker in self.store.workers()[:1]:
                    assert self.store.start_match(live.match, live.attempt, worker.incarnation) is not None

    @rule(offered=offers, incarnation=incarnations, absent=bots)
    def release(self, offered: tuple[LiveMatch, ...], incarnation: str, absent: set[str]) -> None:
        """A worker gives back a match to which some bots did not come."""
        for live in offered[:1]:
            expected = self._is_playing(live.match, live.attempt, incarnation)
            assert expected == (self.store.release(live.match, live.attempt, incarnation, sorted(absent)) is not None)

    @rule(offered=offers, incarnation=incarnations)
    def void(self, offered: tuple[LiveMatch, ...], incarnation: str) -> None:
        """A worker voids an attempt."""
        for live in offered[:1]:
            expected = self._is_playing(live.match, live.attempt, incarnation)
            assert expected == (self.store.void(live.match, live.attempt, incarnation, "no reason") is not None)

    @rule(offered=offers, incarnation=incarnations)
    def publish_and_take_up(self, offered: tuple[LiveMatch, ...], incarnation: str) -> None:
        """A worker says where it waits and that all came."""
        for live in offered:
            expected = self._is_playing(live.match, live.attempt, incarnation)
            assert expected == self.store.publish(live.match, live.attempt, incarnation, "here:2")
            assert expected == self.store.taken_up(live.match, live.attempt, incarnation)

    @rule()
    def expire_offers(self) -> None:
        """The dispatcher takes late offers back."""
        self.store.expire_offers()

    @rule()
    def expire_leases(self) -> None:
        """The dispatcher revokes late leases."""
        self.revoked |= set(self.store.expire_leases(LEASE))

    @rule(incarnation=incarnations)
    def heartbeat(self, incarnation: str) -> None:
        """A worker renews its lease, if it has it."""
        assert (incarnation not in self.revoked) == self.store.heartbeat(incarnation)

    @rule(incarnation=incarnations)
    def take_over(self, incarnation: str) -> None:
        """An embedded arena starts."""
        self.revoked |= self._unrevoked() - {incarnation}
        self.store.take_over(incarnation)

    @rule(incarnation=incarnations)
    def sign_off(self, incarnation: str) -> None:
        """A worker stops in order."""
        self.revoked.add(incarnation)
        self.store.sign_off(incarnation)

    @rule(present=bots)
    def set_present(self, present: set[str]) -> None:
        """Bots come and go; only dan can be away for long."""
        self.store.set_present("cup", present | {"ada", "ben", "cyd"})

    @rule()
    def withdraw_absent(self) -> None:
        """The dispatcher withdraws who was away for too long."""
        self.store.withdraw_absent("cup", timedelta(seconds=60))

    @rule(bot=st.sampled_from(BOTS), really=st.integers(0, 9))
    def withdraw(self, bot: str, really: int) -> None:
        """Rarely, a bot is withdrawn."""
        if really == 0:
            self.store.withdraw("cup", bot, "asked to")

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
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        lambda: StoreMachine(new_database()),
        settings=settings(
            max_examples=15, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
        ),
    )
