"""Transitions of the store, one by one."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from kawuxing.scheduler.store import (
    MAX_STRIKES,
    MAX_VOIDS,
    BotExistsError,
    CommitmentChangedError,
    Instance,
    LiveMatch,
    MatchState,
    NewWorker,
    Store,
    StoreUnavailableError,
    TournamentChangedError,
    TournamentState,
    UnknownBotError,
    UnknownTournamentError,
)
from kawuxing.scheduler.store.testing import ManualClock, finished_match, small_tournament

BOTS = ("ada", "ben", "cyd", "dan")
EVERYBODY = tuple(Instance(id=f"{bot}-1", bot=bot, capacity=2) for bot in BOTS)
SECOND = timedelta(seconds=1)


def seed_of(index: int, deal: int) -> bytes:
    return f"seed {index} {deal}".encode()


def worker(incarnation: str = "w1", slots: int = 8) -> NewWorker:
    return NewWorker(incarnation=incarnation, host="here", pid=1, address="127.0.0.1:1", slots=slots)


def offer(
    store: Store, instances: tuple[Instance, ...] = EVERYBODY, concurrency: int = 8, tournament: str = "cup"
) -> tuple[LiveMatch, ...]:
    return store.offer_next(tournament, instances, concurrency=concurrency, expires_in=5 * SECOND, deal_seed_of=seed_of)


def play(store: Store, live: LiveMatch, incarnation: str = "w1") -> LiveMatch:
    playing = store.start_match(live.match, live.attempt, incarnation)
    assert playing is not None
    return playing


def state_of(store: Store, live: LiveMatch) -> MatchState:
    status = store.match(live.tournament, live.index)
    assert status is not None
    return status.state


@pytest.fixture
def running(store: Store) -> Store:
    """A store with a running tournament of four bots (24 matches) and one worker with 8 slots."""
    store.create_tournament(small_tournament(BOTS))
    store.begin_run("cup")
    store.register_worker(worker())
    return store


def test_create_tournament(store: Store, clock: ManualClock) -> None:
    """A created tournament is found with all its matches pending, and created when the clock said."""
    assert store.create_tournament(small_tournament(BOTS))

    found = store.tournament("cup")
    assert ("Cup", TournamentState.CREATED, 24, clock.now) == (found.name, found.state, found.matches, found.created_at)
    assert (found,) == store.tournaments()
    assert 24 == store.progress("cup")[MatchState.PENDING]
    assert BOTS == tuple(entrant.bot for entrant in store.entrants("cup"))


def test_create_the_same_tournament_again(store: Store) -> None:
    """Creating a tournament of the same digest again says that it is there, and changes only how it is run."""
    store.create_tournament(replace(small_tournament(), config='{"join_time":10}'))

    assert not store.create_tournament(replace(small_tournament(), config='{"join_time":20}'))
    assert (6, '{"join_time":20}') == (len(store.matches("cup")), store.tournament("cup").config)


def test_create_a_changed_tournament(store: Store) -> None:
    """A tournament with another config digest is refused, and the error carries the config it was started with."""
    store.create_tournament(replace(small_tournament(), config='{"old":1}'))

    with pytest.raises(TournamentChangedError) as caught:
        store.create_tournament(replace(small_tournament(), config='{"new":1}', config_digest="e" * 64))
    assert '{"old":1}' == caught.value.old_config
    with pytest.raises(CommitmentChangedError, match=r"c{64}, not f{64}"):
        store.create_tournament(replace(small_tournament(), commitment="f" * 64))
    assert '{"old":1}' == store.tournament("cup").config


def test_unknown_tournament(store: Store) -> None:
    """Whatever is asked of a tournament that is not there, the error names it."""
    for ask in (
        lambda: store.tournament("cap"),
        lambda: store.progress("cap"),
        lambda: store.results("cap"),
        lambda: store.record("cap", 0),
        lambda: list(store.records("cap")),
        lambda: store.matches("cap"),
        lambda: store.match("cap", 0),
        lambda: store.entrants("cap"),
        lambda: store.attempts("cap"),
        lambda: store.live_matches("cap"),
        lambda: store.begin_run("cap"),
        lambda: store.finish("cap"),
        lambda: store.withdraw("cap", "ada", "no"),
        lambda: store.set_present("cap", ()),
        lambda: store.withdraw_absent("cap", SECOND),
        lambda: offer(store, tournament="cap"),
    ):
        with pytest.raises(UnknownTournamentError, match="'cap'"):
            ask()


def test_tokens(store: Store) -> None:
    """A token leads to its bot until it is replaced or the bot removed."""
    first = store.add_bot("ada")
    assert "ada" == store.authenticate(first)
    assert store.authenticate(first + "x") is None

    second = store.rotate_token("ada")
    assert (None, "ada") == (store.authenticate(first), store.authenticate(second))

    store.remove_bot("ada")
    assert store.authenticate(second) is None
    assert () == store.bots()


def test_tokens_are_not_kept(tmp_path: Path) -> None:
    """No file of the store holds a token, though it holds the bot."""
    with Store(f"sqlite:///{tmp_path / 'arena.db'}") as store:
        token = store.add_bot("ada")
        kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"ada" in kept
    assert token.encode() not in kept


def test_bots_of_one_name(store: Store) -> None:
    """A remote bot's name is its own; a launched bot gets a new token each time; unknown bots are named."""
    store.add_bot("ada")
    for again in (store.add_bot, store.launched_bot):
        with pytest.raises(BotExistsError, match="'ada' is registered already, as a remote bot"):
            again("ada")

    assert store.launched_bot("ben") != store.launched_bot("ben")
    assert [("ada", True), ("ben", False)] == [(bot.name, bot.remote) for bot in store.bots()]
    with pytest.raises(BotExistsError, match="launched"):
        store.add_bot("ben")
    for unknown in (store.rotate_token, store.remove_bot):
        with pytest.raises(UnknownBotError, match="'cyd'"):
            unknown("cyd")


def test_offers_in_schedule_order(running: Store) -> None:
    """The first matches whose bots are all free are offered, each with its own tickets and seed."""
    offers = offer(running)

    # Each bot can play 2 at once. The first 18 matches with ada take her, ben and cyd up twice.
    assert [0, 1] == [live.index for live in offers]
    assert [seed_of(0, 0), seed_of(1, 0)] == [live.deal_seed for live in offers]
    assert [("ada", "ben", "cyd"), ("ada", "cyd", "ben")] == [tuple(e.bot for e in live.entrants) for live in offers]
    assert 6 == len({entrant.ticket for live in offers for entrant in live.entrants})
    assert offers == running.live_matches("cup") == running.live_matches()


def test_matches_with_a_missing_bot_are_passed_over(running: Store) -> None:
    """Matches of a bot that is not connected wait; others go first, nothing is reserved in part."""
    offers = offer(running, EVERYBODY[1:])

    assert [("ben", "cyd", "dan")] * 2 == [tuple(sorted(e.bot for e in live.entrants)) for live in offers]
    assert () == offer(running, EVERYBODY[:2])


@pytest.mark.parametrize(("slots", "concurrency", "expected"), [(8, 3, 3), (2, 8, 2), (0, 8, 0), (8, 0, 0)])
def test_no_more_offers_than_slots(store: Store, slots: int, concurrency: int, expected: int) -> None:
    """Free slots of workers and the tournament's concurrency each limit what is live."""
    store.create_tournament(small_tournament())
    store.begin_run("cup")
    store.register_worker(worker(slots=slots))
    roomy = tuple(Instance(id=bot, bot=bot, capacity=64) for bot in BOTS)

    assert expected == len(offer(store, roomy, concurrency))
    assert () == offer(store, roomy, concurrency)


def test_instances_of_one_bot(store: Store) -> None:
    """Of a bot's instances the one with most free capacity is taken; each has its own count."""
    store.create_tournament(small_tournament())
    store.begin_run("cup")
    store.register_worker(worker())
    instances = (Instance("a1", "ada", 1), Instance("a2", "ada", 2), Instance("b", "ben", 9), Instance("c", "cyd", 9))

    taken = [entrant.instance for live in offer(store, instances) for entrant in live.entrants if entrant.bot == "ada"]

    assert ["a2", "a1", "a2"] == taken


def test_nothing_is_offered_unless_running(store: Store) -> None:
    """A tournament that was created only offers nothing."""
    store.create_tournament(small_tournament(BOTS))
    store.register_worker(worker())

    assert () == offer(store)


def test_a_match_from_offer_to_result(running: Store) -> None:
    """A match that is offered, started, published, taken up and committed has exactly one result and record."""
    live = offer(running)[0]
    playing = play(running, live)
    assert (MatchState.PLAYING, "w1", live.deal_seed, live.entrants) == (
        playing.state,
        playing.incarnation,
        playing.deal_seed,
        playing.entrants,
    )
    assert running.publish(live.match, 1, "w1", "127.0.0.1:5")
    assert "127.0.0.1:5" == running.live_matches()[0].address
    assert running.taken_up(live.match, 1, "w1")
    finished = finished_match(record=b"line\n" * 1000)
    assert running.commit_result(live.match, 1, "w1", finished)

    assert MatchState.DONE == state_of(running, live)
    [result] = running.results("cup")
    assert (live.index, ("ada", "ben", "cyd"), finished.result, finished.sha256, finished.decision_times, 1) == (
        result.index,
        result.bots,
        result.result,
        result.sha256,
        result.decision_times,
        result.attempt,
    )
    record = running.record("cup", live.index)
    assert record is not None
    assert (finished.record, [record]) == (record.record, list(running.records("cup")))
    assert [{"host": "here", "outcome": "done"}] == [attempt.entry for attempt in running.attempts("cup")]
    assert running.record("cup", 5) is None


def test_commit_asked_again(running: Store) -> None:
    """A worker that commits again learns that its result counts; one with another result, that it does not."""
    live = play(running, offer(running)[0])
    assert running.commit_result(live.match, 1, "w1", finished_match("a" * 64))

    assert running.commit_result(live.match, 1, "w1", finished_match("a" * 64))
    assert not running.commit_result(live.match, 1, "w1", finished_match("b" * 64))
    assert ["a" * 64] == [result.sha256 for result in running.results("cup")]
    assert 1 == len(running.attempts("cup"))


def test_only_the_owner_acts(running: Store) -> None:
    """Another attempt or another worker changes nothing about a match that is being played."""
    running.register_worker(worker("w2"))
    live = play(running, offer(running)[0])
    assert running.start_match(live.match, 1, "w2") is None

    for match, attempt, incarnation in ((live.match, 2, "w1"), (live.match, 1, "w2"), (live.match + 1, 1, "w1")):
        assert not running.publish(match, attempt, incarnation, "x")
        assert not running.taken_up(match, attempt, incarnation)
        assert running.release(match, attempt, incarnation, ["ada"]) is None
        assert running.void(match, attempt, incarnation, "no") is None
        assert not running.commit_result(match, attempt, incarnation, finished_match())
    assert MatchState.PLAYING == state_of(running, live)
    assert [0] * 4 == [entrant.strikes for entrant in running.entrants("cup")]


def test_expired_offers(running: Store, clock: ManualClock) -> None:
    """An offer not taken in time goes back, without blame; the next one is another attempt with other tickets."""
    first = offer(running)[0]
    clock.advance(5 * SECOND)
    assert 0 == running.expire_offers()
    clock.advance(SECOND)
    assert 2 == running.expire_offers()

    assert running.start_match(first.match, 1, "w1") is None
    second = offer(running)[0]
    assert (first.match, 2) == (second.match, second.attempt)
    assert first.entrants[0].ticket != second.entrants[0].ticket
    status = running.match("cup", first.index)
    assert status is not None
    assert 0 == status.voids


def test_an_offer_can_be_taken_until_it_is_taken_back(running: Store, clock: ManualClock) -> None:
    """Lateness alone does not lose an offer."""
    live = offer(running)[0]
    clock.advance(60 * SECOND)

    assert running.start_match(live.match, 1, "w1") is not None


def test_no_shows_are_withdrawn(running: Store) -> None:
    """A bot that stays away three times in a row is withdrawn; its unplayed matches are cancelled, with the reason."""
    for strike in range(MAX_STRIKES):
        live = play(running, next(live for live in offer(running) if live.entrants[0].bot == "ada"))
        expected = ("ada",) if strike == MAX_STRIKES - 1 else ()
        assert expected == running.release(live.match, live.attempt, "w1", ["ada"])
        running.take_over("w1")

    assert "did not take up 3 matches in a row" == running.entrants("cup")[0].withdrawn
    assert {MatchState.PENDING: 6, MatchState.CANCELLED: 18} == {s: n for s, n in running.progress("cup").items() if n}
    cancelled = running.matches("cup", states=[MatchState.CANCELLED], bot="ada")
    assert {"ada is withdrawn: did not take up 3 matches in a row"} == {match.reason for match in cancelled}
    assert 18 == len(cancelled)


def test_matches_missed_side_by_side_are_one_strike(running: Store, clock: ManualClock) -> None:
    """They tell of one absence; only a match offered after it tells of another."""
    first, second = (play(running, live) for live in offer(running)[:2])
    clock.advance(10 * SECOND)
    for live in (first, second):
        assert "ada" in [reserved.bot for reserved in live.entrants]
        assert () == running.release(live.match, live.attempt, "w1", ["ada"])
    assert 1 == running.entrants("cup")[0].strikes

    clock.advance(SECOND)
    again = play(running, offer(running)[0])
    running.release(again.match, again.attempt, "w1", ["ada"])
    assert 2 == running.entrants("cup")[0].strikes


def test_strikes_are_in_a_row(running: Store) -> None:
    """Coming to a match forgets the strikes, whether the match is played or another bot is missing."""
    for absent in (["ada"], ["ada", "ben"], ["cyd"]):
        live = play(running, offer(running)[0])
        running.release(live.match, live.attempt, "w1", absent)
        running.take_over("w1")
    assert [0, 0, 1, 0] == [entrant.strikes for entrant in running.entrants("cup")]

    live = play(running, offer(running)[0])
    running.taken_up(live.match, live.attempt, "w1")
    assert [0, 0, 0, 0] == [entrant.strikes for entrant in running.entrants("cup")]


def test_release_without_absent_bots(running: Store) -> None:
    """A match given back because the arena stops costs nobody anything."""
    live = play(running, offer(running)[0])

    assert () == running.release(live.match, 1, "w1")
    status = running.match("cup", live.index)
    assert status is not None
    assert (MatchState.PENDING, 0) == (status.state, status.voids)
    assert [0] * 4 == [entrant.strikes for entrant in running.entrants("cup")]


def test_voided_attempts(running: Store) -> None:
    """A voided match is played again; after five voids it has failed, and the tournament ends incomplete."""
    states = []
    for attempt in range(1, MAX_VOIDS + 1):
        live = play(running, next(live for live in offer(running) if live.index == 0))
        assert attempt == live.attempt
        states.append(running.void(live.match, attempt, "w1", "the loop stood still", {"lag_ms": 900}))
        running.take_over("w1")
    assert [MatchState.PENDING] * 4 + [MatchState.FAILED] == states
    status = running.match("cup", 0)
    assert status is not None
    assert (MAX_VOIDS, "the loop stood still") == (status.voids, status.reason)
    voided = [entry.entry for entry in running.attempts("cup") if entry.entry["outcome"] == "voided"]
    assert {"lag_ms": 900, "outcome": "voided", "reason": "the loop stood still"} == voided[0]

    assert running.finish("cup") is None
    for bot in ("ada", "ben"):
        running.withdraw("cup", bot, "end")
    assert TournamentState.INCOMPLETE == running.finish("cup")
    assert not running.begin_run("cup")


def test_withdrawn_while_playing(running: Store) -> None:
    """What a withdrawn bot is playing goes on and counts; what goes back is cancelled instead."""
    first, second = (play(running, live) for live in offer(running))

    assert running.withdraw("cup", "ada", "asked to")
    assert not running.withdraw("cup", "ada", "again")
    assert not running.withdraw("cup", "eve", "is no entrant")

    assert running.commit_result(first.match, 1, "w1", finished_match())
    assert MatchState.CANCELLED == running.void(second.match, 1, "w1", "lost")
    status = running.match("cup", second.index)
    assert status is not None
    assert "ada is withdrawn: asked to" == status.reason
    assert "asked to" == running.entrants("cup")[0].withdrawn


def test_withdrawn_while_offered(running: Store) -> None:
    """A match that nobody has begun is cancelled, and its reservations are free again."""
    [first, *_] = offer(running)
    running.withdraw("cup", "ada", "asked to")

    assert running.start_match(first.match, 1, "w1") is None
    assert () == running.live_matches()
    assert 2 == len(offer(running))


def test_absence(running: Store, clock: ManualClock) -> None:
    """Absence counts from when a bot was first missed, and ends with it being there."""
    running.set_present("cup", ["ada", "ben"])
    clock.advance(40 * SECOND)
    running.set_present("cup", ["ada", "cyd"])
    clock.advance(30 * SECOND)

    assert ("dan",) == running.withdraw_absent("cup", 60 * SECOND)
    assert () == running.withdraw_absent("cup", 60 * SECOND)
    assert [None, clock.now - 30 * SECOND, None] == [entrant.absent_since for entrant in running.entrants("cup")][:3]
    assert "absent for longer than 60 s" == running.entrants("cup")[3].withdrawn


def test_absence_counts_from_the_start_of_a_run(running: Store, clock: ManualClock) -> None:
    """The time in which no arena ran is nobody's absence."""
    clock.advance(timedelta(days=1))
    running.begin_run("cup")

    assert () == running.withdraw_absent("cup", 60 * SECOND)


def test_lost_workers(running: Store, clock: ManualClock) -> None:
    """A lease that was not renewed is revoked, its matches are voided, and the worker learns it."""
    running.register_worker(worker("w2"))
    first, second = offer(running)
    play(running, first, "w1")
    play(running, second, "w2")
    clock.advance(10 * SECOND)
    assert running.heartbeat("w2")
    clock.advance(10 * SECOND)

    assert ("w1",) == running.expire_leases(15 * SECOND)

    assert not running.heartbeat("w1")
    assert not running.commit_result(first.match, 1, "w1", finished_match())
    assert running.commit_result(second.match, 1, "w2", finished_match())
    status = running.match("cup", first.index)
    assert status is not None
    assert (MatchState.PENDING, 1) == (status.state, status.voids)
    assert ["w2"] == [found.incarnation for found in running.workers()]
    again = offer(running)[0]
    assert running.start_match(again.match, again.attempt, "w1") is None


def test_take_over(running: Store) -> None:
    """A new embedded arena revokes the old one's lease at once; nothing is counted as voided."""
    first, second = offer(running)
    play(running, first)
    running.register_worker(worker("w2"))

    assert 2 == running.take_over("w2")

    assert not running.commit_result(first.match, 1, "w1", finished_match())
    assert running.start_match(second.match, 1, "w2") is None
    assert {0} == {match.voids for match in running.matches("cup")}
    assert ["w2"] == [found.incarnation for found in running.workers()]


def test_take_over_keeps_its_own_matches(running: Store) -> None:
    """What the arena itself is playing goes on."""
    live = play(running, offer(running)[0])

    assert 1 == running.take_over("w1")
    assert running.commit_result(live.match, 1, "w1", finished_match())


def test_sign_off(running: Store) -> None:
    """A worker that leaves in order gives its matches back, uncounted."""
    live = play(running, offer(running)[0])

    assert 1 == running.sign_off("w1")
    assert 0 == running.sign_off("w1")
    assert MatchState.PENDING == state_of(running, live)
    assert not running.heartbeat("w1")


def test_adopt(running: Store) -> None:
    """A bot that comes back takes over what its lost instance had; what others of its instances have stays."""
    instances = (*EVERYBODY, Instance("ada-2", "ada", 1))
    lives = [play(running, live) for live in offer(running, instances)]
    before = {live.index: live.entrants[0].instance for live in lives}
    assert {"ada-1"} == {before[0], before[1]} - {"ada-2"}

    adopted = running.adopt(Instance("ada-3", "ada", 1), ["ada-2", "ada-3"])

    assert [index for index, instance in before.items() if instance == "ada-1"] == [live.index for live in adopted]
    after = {live.index: live.entrants[0].instance for live in running.live_matches()}
    assert {k: {"ada-1": "ada-3"}.get(v, v) for k, v in before.items()} == after
    assert ["ben", "cyd"] == sorted(entrant.bot for entrant in adopted[0].entrants[1:])


def test_finish(store: Store) -> None:
    """A tournament whose matches are all done or cancelled is finished, for good."""
    store.create_tournament(small_tournament())
    store.begin_run("cup")
    store.register_worker(worker())
    assert store.finish("cup") is None
    for live in offer(store, tuple(Instance(bot, bot, 9) for bot in BOTS)):
        store.commit_result(play(store, live).match, live.attempt, "w1", finished_match())

    assert TournamentState.FINISHED == store.finish("cup")
    assert not store.begin_run("cup")
    assert TournamentState.FINISHED == store.finish("cup")
    assert TournamentState.FINISHED == store.tournament("cup").state


def test_listing(running: Store) -> None:
    """Matches are listed in schedule order, restricted by states and bot."""
    lives = offer(running)

    assert list(range(24)) == [match.index for match in running.matches("cup")]
    assert [live.index for live in lives] == [m.index for m in running.matches("cup", states=[MatchState.OFFERED])]
    assert 18 == len(running.matches("cup", bot="dan"))
    assert running.match("cup", 24) is None


def test_a_name_inside_another(store: Store) -> None:
    """A bot whose name is part of another's, or looks like a pattern, is not taken for it."""
    bots = ("a", "ab", "a_b", "axb")
    store.create_tournament(small_tournament(bots))

    store.withdraw("cup", "a_b", "asked to")

    assert 6 == store.progress("cup")[MatchState.PENDING]
    assert {("a", "ab", "axb")} == {
        tuple(sorted(match.bots)) for match in store.matches("cup", states=[MatchState.PENDING])
    }


def test_tournaments_share_instances(running: Store) -> None:
    """What one tournament reserves is not free for another."""
    running.create_tournament(small_tournament(BOTS, tournament="cap"))
    running.begin_run("cap")
    offer(running)

    assert () == offer(running, EVERYBODY[:3], tournament="cap")
    assert 2 == len(running.live_matches())


def test_attempt_log(running: Store, clock: ManualClock) -> None:
    """What is written to the attempt log is read in order, with its time."""
    [first, *_] = offer(running)
    running.log_attempt(first.match, 1, {"evidence": [1, 2]})

    [entry] = running.attempts("cup")
    assert (0, 1, clock.now, {"evidence": [1, 2]}) == (entry.index, entry.attempt, entry.at, entry.entry)


def test_live_values_do_not_show_secrets(running: Store) -> None:
    """Neither seeds nor tickets get into logs by way of a value's text."""
    [first, *_] = offer(running)

    assert "seed 0" not in repr(first)
    assert first.entrants[0].ticket not in repr(first)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("nonsense", "expected a URL"),
        ("mysql://host/name", "expected sqlite:///"),
        ("sqlite://", "expected the path of a file"),
        ("sqlite:////nowhere/at/all/arena.db", "folder '/nowhere/at/all' does not exist"),
        ("postgresql://arena:secret@/name?host=/nowhere", "/nowhere"),
    ],
)
def test_unusable_urls(url: str, expected: str) -> None:
    """A database that cannot be had gives an error that says why, and no password."""
    with pytest.raises(StoreUnavailableError, match=expected) as caught:
        Store(url)
    assert "secret" not in str(caught.value)


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    """A file of something else is refused and stays as it is."""
    path = tmp_path / "arena.db"
    path.write_text("something else " * 100)

    with pytest.raises(StoreUnavailableError, match="not a database"):
        Store(f"sqlite:///{path}")
    assert "something else " * 100 == path.read_text()
