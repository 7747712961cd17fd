"""A tournament is told by its id, by its name, or not at all where there is only one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.scheduler.cup import CONFIG, SEED

from kawuxing.cli.standings import TournamentChoiceError, choose_tournament
from kawuxing.scheduler.opening import new_tournament
from kawuxing.scheduler.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store with no tournament."""
    with Store(f"sqlite:///{tmp_path}/arena.db") as store:
        yield store


def enter(store: Store, slug: str, name: str) -> None:
    """Enter a tournament of this id and name."""
    store.create_tournament(replace(new_tournament(CONFIG, SEED), id=slug, name=name))


def test_the_only_tournament_need_not_be_told(store: Store) -> None:
    """Its id and its name do as well."""
    enter(store, "cup", "The Cup")
    assert ["cup"] * 3 == [choose_tournament(store, named) for named in (None, "cup", "The Cup")]


def test_one_of_several_must_be_told(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """For each, the line to type is told, with the options that were typed."""
    enter(store, "cup", "春季杯")
    enter(store, "league", "The League")
    assert "league" == choose_tournament(store, "The League")
    monkeypatch.setattr("sys.argv", ["kawuxing", "standings", "--home", "my arena", "--json"])
    with pytest.raises(TournamentChoiceError) as told:
        choose_tournament(store, None)
    assert (
        "there are 2 tournaments here: expected one of them, as in\n"
        "  kawuxing standings --home 'my arena' --json cup  # 春季杯\n"
        "  kawuxing standings --home 'my arena' --json league  # The League"
    ) == str(told.value)
    with pytest.raises(TournamentChoiceError, match="'demoo' is not in the store: expected one of cup, league"):
        choose_tournament(store, "demoo")


def test_an_id_comes_before_a_name(store: Store) -> None:
    """Where one tournament has the other one's id as its name, the id counts."""
    enter(store, "cup", "The Cup")
    enter(store, "other", "cup")
    assert "cup" == choose_tournament(store, "cup")


def test_a_name_of_two_tournaments_is_not_enough(store: Store) -> None:
    """Their ids are told."""
    enter(store, "cup-1", "Cup")
    enter(store, "cup-2", "Cup")
    with pytest.raises(TournamentChoiceError, match="2 tournaments are named 'Cup': expected cup-1 or cup-2"):
        choose_tournament(store, "Cup")
