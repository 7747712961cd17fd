"""Actions, their text and order, and the default action."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kawuxing.engine.actions import (
    ADDED_KONG,
    CONCEALED_KONG,
    DIRECT_KONG,
    DISCARD,
    PASS,
    PUNG,
    WIN,
    Action,
    ActionType,
    action,
    parse_action,
)
from kawuxing.engine.faults import default_action
from kawuxing.engine.tiles import KINDS, parse_kind

kinds = st.integers(0, KINDS - 1)
face_down = st.sets(kinds, max_size=4).map(lambda chosen: tuple(sorted(chosen)))
tile_types = [kind for kind in ActionType if kind not in (ActionType.WIN, ActionType.PASS, ActionType.REVEAL)]
actions = st.one_of(
    st.sampled_from([WIN, PASS]),
    st.builds(action, st.sampled_from(tile_types), kinds),
    st.builds(action, st.just(ActionType.REVEAL), kinds, face_down),
)


@given(actions)
def test_parse_inverts_text(one: Action) -> None:
    """Parsing an action's text gives the very same object."""
    assert one is parse_action(str(one))


def test_texts() -> None:
    """An action's text is its type, its tile and the kinds kept face down."""
    reveal = action(ActionType.REVEAL, parse_kind("1p"), (parse_kind("3s"), parse_kind("7z")))

    assert ["WIN", "PUNG 1s", "REVEAL 1p 3s 7z"] == [str(WIN), str(PUNG[parse_kind("1s")]), str(reveal)]


def test_interned() -> None:
    """Equal actions are the same object, however their arguments were given."""
    assert WIN is action(ActionType.WIN) is action(ActionType.WIN, -1) is action(ActionType.WIN, -1, ())
    assert DISCARD[3] is action(ActionType.DISCARD, tile=3) is action(ActionType.DISCARD, 3, face_down=())


def test_canonical_order() -> None:
    """Legal actions go by type in the order of the game's precedence, then by tile, then by what is kept face down."""
    ordered = [
        WIN,
        CONCEALED_KONG[2],
        ADDED_KONG[1],
        DIRECT_KONG[5],
        PUNG[5],
        PASS,
        DISCARD[1],
        DISCARD[4],
        action(ActionType.REVEAL, 1),
        action(ActionType.REVEAL, 1, (3,)),
        action(ActionType.REVEAL, 1, (3, 4)),
        action(ActionType.REVEAL, 2),
    ]

    assert ordered == sorted(set(ordered), key=lambda one: one.sort_key)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "DISCARD",
        "WIN 1p",
        "PASS 1p",
        "discard 1p",
        "DISCARD 1p 2p",
        "DISCARD  1p",
        "DISCARD 1x",
        "REVEAL",
        "SING 1p",
    ],
)
def test_no_such_action(text: str) -> None:
    """A text that is no action is refused by its name."""
    with pytest.raises(ValueError, match=f"action {text!r}"):
        parse_action(text)


@pytest.mark.parametrize("text", ["REVEAL 1p 3s 2s", "REVEAL 1p 2s 2s"])
def test_face_down_order(text: str) -> None:
    """Kinds kept face down are written once each, ascending, so that an action has one text only."""
    with pytest.raises(ValueError, match=f"action {text!r}: .* in kind order"):
        parse_action(text)


@given(st.lists(actions, max_size=6), kinds)
def test_default_is_pass_where_legal(others: list[Action], drawn: int) -> None:
    """Whoever may pass passes by default."""
    assert PASS is default_action([*others, PASS], drawn)


def test_default_discards_the_drawn_tile() -> None:
    """On its turn a seat discards by default what it drew, whatever else is legal."""
    legal = [WIN, CONCEALED_KONG[4], DISCARD[2], DISCARD[4], DISCARD[9], action(ActionType.REVEAL, 4)]

    for order in permutations(legal):
        assert DISCARD[4] is default_action(order, 4)


@pytest.mark.parametrize("drawn", [-1, 4])
def test_default_discards_the_last_kind(drawn: int) -> None:
    """A seat that drew nothing, or may not discard what it drew, discards the last legal kind by default."""
    assert DISCARD[9] is default_action([DISCARD[2], DISCARD[9], DISCARD[7], action(ActionType.REVEAL, 12)], drawn)


def test_no_default() -> None:
    """Without PASS and DISCARD there is no default action."""
    with pytest.raises(ValueError, match="expected PASS or a DISCARD"):
        default_action([WIN], -1)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda action: pickle.loads(pickle.dumps(action))])  # noqa: S301
def test_a_copied_action_is_the_same_object(again: Callable[[Action], Action]) -> None:
    """Actions are compared by identity, so no way of copying may make a second one."""
    reveal = action(ActionType.REVEAL, 9, (18, 20))

    assert reveal is again(reveal)
    assert DISCARD[3] is again(DISCARD[3])
