"""The PettingZoo environment: it passes PettingZoo's own tests, and plays the engine's game and nothing else."""

from __future__ import annotations

import copy
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pettingzoo.test import api_test, seed_test
from pettingzoo.utils import wrappers

from kawuxing.bots import encoding, pettingzoo
from kawuxing.bots.encoding import ACTIONS, FIELDS, FIRST_ACTION, LAYOUT, OBSERVATION_SIZE, encode_action
from kawuxing.engine.actions import Action, ActionType, parse_action
from kawuxing.engine.errors import IllegalAnswerError, RulesError
from kawuxing.engine.hand import Hand
from kawuxing.engine.observation import NOBODY, observe
from kawuxing.engine.record import MAX_HANDS
from kawuxing.engine.rules import RuleSet, load_preset, preset_names
from kawuxing.engine.testing import LivelyPlay
from kawuxing.engine.tiles import parse_kind, parse_kinds

# PettingZoo's own tests say this of every environment with an action mask that is not in their list.
with_mask = pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array", "ignore:Observation space for each agent probably should be"
)


@with_mask
@pytest.mark.parametrize("preset", preset_names())
def test_passes_the_api_test(preset: str) -> None:
    """PettingZoo's check of the interface, for every preset."""
    api_test(pettingzoo.env(rules=preset, hands=2, render_mode="ansi"), num_cycles=400)


@pytest.mark.parametrize("preset", preset_names())
def test_passes_the_seed_test(preset: str) -> None:
    """PettingZoo's check that a seed fixes all that happens, for every preset."""
    seed_test(lambda: pettingzoo.env(rules=preset, hands=2), num_cycles=400)


def play(env: Any, seed: int) -> dict[str, float]:
    """Play a match at random and return what every agent was rewarded with."""
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    rewards = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        rewards[agent] += reward
        assert not truncated
        env.step(None if terminated else rng.choice(np.flatnonzero(observation["action_mask"])))
    return rewards


def test_rewards_are_the_points_of_the_match(any_rules: RuleSet) -> None:
    """After a whole match of random actions every agent has been rewarded with its entrant's points."""
    for seed in range(6):
        env = pettingzoo.env(any_rules, hands=4)
        rewards = play(env, seed)
        result = env.unwrapped._playing().result()
        assert [entrant.points for entrant in result.entrants] == list(rewards.values())
        assert 0 == sum(rewards.values())


def test_every_step_is_zero_sum(sit_out: RuleSet) -> None:
    """What one agent is paid, others pay in the same step."""
    env = pettingzoo.env(sit_out, hands=8)
    env.reset(seed=5)
    paid = 0
    for agent in env.agent_iter():
        observation, _, terminated, _, _ = env.last()
        env.step(None if terminated else env.action_space(agent).sample(observation["action_mask"]))
        assert 0 == sum(env.rewards.values())
        paid += any(env.rewards.values())
    assert paid


def test_masks_are_the_legal_actions(any_rules: RuleSet) -> None:
    """Each agent that is asked has a mask with one 1 for each legal action, all others have none."""
    env = pettingzoo.raw_env(any_rules, hands=2)
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    while not any(env.terminations.values()):
        pending = env._playing().pending()
        waiting = [agent for agent in env.possible_agents if env.observe(agent)["action_mask"].any()]
        assert sorted(f"seat_{entrant}" for entrant in pending) == sorted(waiting)
        for entrant, legal in pending.items():
            agent = f"seat_{entrant}"
            mask = env.observe(agent)["action_mask"]
            concealed = env.seen_by(agent).concealed
            assert {encode_action(action, concealed) for action in legal} == set(np.flatnonzero(mask))
            assert len(legal) == mask.sum()
        for _ in pending:
            env.step(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])))


def test_all_that_lively_play_does_has_a_number(any_rules: RuleSet) -> None:
    """Every legal action of a hand has its own number in the table, reveals with tiles face down too."""
    lively = LivelyPlay(7)
    for _ in range(30):
        hand = Hand(any_rules, lively.wall(any_rules), 0)
        hand.start()
        while pending := hand.pending():
            for seat, legal in pending.items():
                numbers = {encode_action(action, observe(hand, seat).concealed) for action in legal}
                assert len(legal) == len(numbers)
                assert numbers <= set(range(ACTIONS))
            hand.apply(lively.answers(hand))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("WIN", 0),
        ("CONCEALED_KONG 1m", 1),
        ("ADDED_KONG 1m", 31),
        ("DIRECT_KONG 7z", 90),
        ("PUNG 1m", 91),
        ("PASS", 121),
        ("DISCARD 1m", 122),
        ("DISCARD 7z", 151),
        ("REVEAL 1m", 152),
        ("REVEAL 7z", 616),
        ("REVEAL 7z 1p", 617),
        ("REVEAL 7z 2s", 618),
        ("REVEAL 7z 1p 2s", 619),
    ],
)
def test_the_action_table_is_stable(text: str, number: int) -> None:
    """Trained policies rely on these numbers."""
    assert 632 == ACTIONS
    assert number == encode_action(parse_action(text), (0, *parse_kinds("111p 222345s 67s 7z")))


def test_the_observation_layout_is_stable() -> None:
    """Trained policies rely on these places."""
    assert 994 == OBSERVATION_SIZE
    assert ("concealed", slice(0, 30)) == next(iter(LAYOUT.items()))
    assert [slice(120, 121), slice(121, 122), slice(122, 123), slice(130, 160), slice(340, 341)] == [
        LAYOUT[name] for name in ("remaining", "hand", "0.present", "0.discards", "1.present")
    ]
    assert len(FIELDS) == len(LAYOUT)


def test_an_observation_says_what_the_seat_sees(any_rules: RuleSet) -> None:
    """Each field of the row is what the observation object says."""
    env = pettingzoo.raw_env(any_rules, hands=2)
    env.reset(seed=3)
    rng = np.random.default_rng(3)
    while not any(env.terminations.values()):
        agent = env.agent_selection
        observation = env.observe(agent)
        assert env.observation_space(agent).contains(observation)
        row, seen = observation["observation"], env.seen_by(agent)
        assert list(seen.concealed) == list(np.repeat(np.arange(30), row[LAYOUT["concealed"]]))
        assert seen.remaining == row[LAYOUT["remaining"]][0]
        assert ([seen.drawn] if seen.drawn >= 0 else []) == list(np.flatnonzero(row[LAYOUT["drawn"]]))
        assert ([seen.offered] if seen.offered >= 0 else []) == list(np.flatnonzero(row[LAYOUT["offered"]]))
        for step in range(len(seen.seats)):
            view = seen.seats[(seen.seat + step) % len(seen.seats)]
            assert 1 == row[LAYOUT[f"{step}.present"]][0]
            assert view.points == row[LAYOUT[f"{step}.points"]][0]
            assert view.concealed_count == row[LAYOUT[f"{step}.concealed_count"]][0]
            assert sorted(view.discards) == list(np.repeat(np.arange(30), row[LAYOUT[f"{step}.discards"]]))
            assert sorted(view.shown) == list(np.repeat(np.arange(30), row[LAYOUT[f"{step}.shown"]]))
            assert list(view.waits) == list(np.flatnonzero(row[LAYOUT[f"{step}.waits"]]))
            assert view.revealed == row[LAYOUT[f"{step}.revealed"]][0]
        env.step(rng.choice(np.flatnonzero(observation["action_mask"])))


@settings(max_examples=60)
@given(preset=st.sampled_from(preset_names()), seed=st.integers(0, 2**32), data=st.data())
def test_what_is_hidden_leaves_no_trace(preset: str, seed: int, data: st.DataObject) -> None:
    """Two hands that differ only in other seats' tiles and the wall give the agent the same numbers."""
    rules = load_preset(preset)
    wall = LivelyPlay(seed).wall(rules)
    seat = data.draw(st.integers(0, rules.seats - 1))
    own = range(13 * seat, 13 * seat + 13)
    # The first tile after the deal is the dealer's draw, which seat 0 sees.
    hidden = [place for place in range(len(wall)) if place not in own and (place != 13 * rules.seats or seat)]
    shuffled = list(wall)
    for place, other in zip(hidden, data.draw(st.permutations(hidden)), strict=True):
        shuffled[place] = wall[other]

    rows = []
    for dealt in (wall, tuple(shuffled)):
        hand = Hand(rules, dealt, 0)
        hand.start()
        rows.append(encoding.encode_observation(observe(hand, seat)))
    assert rows[0] == rows[1]


@settings(max_examples=40)
@given(preset=st.sampled_from(preset_names()), seed=st.integers(0, 2**32), steps=st.integers(0, 60), data=st.data())
def test_the_rest_of_the_wall_leaves_no_trace(preset: str, seed: int, steps: int, data: st.DataObject) -> None:
    """At any moment of a hand, all see the same and may do the same in whatever order the undrawn tiles lie."""
    rules = load_preset(preset)
    lively = LivelyPlay(seed)
    hand = Hand(rules, lively.wall(rules), 0)
    hand.start()
    played = []
    for _ in range(steps):
        if not hand.pending():
            break
        played.append(lively.answers(hand))
        hand.apply(played[-1])
    front, back = hand.table.front, hand.table.back
    wall = hand.table.wall
    other = Hand(rules, (*wall[:front], *data.draw(st.permutations(wall[front:back])), *wall[back:]), 0)
    other.start()
    for answers in played:
        other.apply(answers)

    assert hand.pending() == other.pending()
    for seat in (NOBODY, *range(rules.seats)):
        first, second = (encoding.encode_observation(observe(one, seat)) for one in (hand, other))
        assert first == second


def env_with_two_claims() -> pettingzoo.KawuxingEnv:
    """Return an environment in which two agents may claim the same tile."""
    for seed in range(400):
        env = pettingzoo.raw_env("xiangyang")
        env.reset(seed=seed)
        while not any(env.terminations.values()):
            if len(env._playing().pending()) > 1:
                return env
            env.step(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[-1])
    pytest.fail("no seed lets two seats claim one tile")


def test_claims_are_asked_one_after_the_other_unseen() -> None:
    """While two seats may claim a tile, the second is told nothing of the first one's answer."""
    env = env_with_two_claims()
    first, second = (f"seat_{entrant}" for entrant in env._playing().pending())
    seen = []
    for number in (0, -1):
        fork = copy.deepcopy(env)
        assert first == fork.agent_selection
        fork.step(np.flatnonzero(fork.observe(first)["action_mask"])[number])
        assert second == fork.agent_selection
        assert not fork.observe(first)["action_mask"].any()
        seen.append(fork.observe(second))
    assert all(np.array_equal(seen[0][name], seen[1][name]) for name in ("observation", "action_mask"))


def test_a_resting_agent_is_not_asked(sit_out: RuleSet) -> None:
    """The entrant that rests in the first hand has no turn in it, sees what is public, and plays later."""
    env = pettingzoo.env(sit_out, hands=12)
    env.reset(seed=2)
    rest = env.observe("seat_3")
    assert [0, 1, 1, 1] == [rest["observation"][LAYOUT[f"{seat}.present"]][0] for seat in range(4)]
    assert not rest["observation"][LAYOUT["concealed"]].any()
    turns: dict[int, set[str]] = {}
    for agent in env.agent_iter():
        observation, _, terminated, _, _ = env.last()
        if not terminated:
            turns.setdefault(int(observation["observation"][LAYOUT["hand"]][0]), set()).add(agent)
        env.step(None if terminated else np.flatnonzero(observation["action_mask"])[0])
    assert "seat_3" not in turns[0]
    assert any("seat_3" in agents for agents in turns.values())


def test_an_action_outside_the_mask_changes_nothing() -> None:
    """It is refused, naming the agent, and the agent may still answer."""
    env = pettingzoo.env()
    env.reset(seed=0)
    before = env.observe("seat_0")
    with pytest.raises(IllegalAnswerError, match="seat_0: action 121 is not legal: expected one of"):
        env.step(FIRST_ACTION[ActionType.PASS])
    assert all(np.array_equal(before[name], env.observe("seat_0")[name]) for name in before)
    env.step(np.flatnonzero(before["action_mask"])[0])


@pytest.mark.parametrize("make", [pettingzoo.env, pettingzoo.raw_env])
@pytest.mark.parametrize("wrap", [float, np.float64, str, lambda number: [number], lambda _: None, lambda _: 10**9])
def test_what_is_no_action_changes_nothing(make: Any, wrap: Callable[[int], Any]) -> None:
    """Of a legal action's number only a whole number is taken; all else is refused as what is not legal is."""
    env = make()
    env.reset(seed=0)
    legal = np.flatnonzero(env.observe("seat_0")["action_mask"]).tolist()
    with pytest.raises(IllegalAnswerError, match=f"seat_0: action .* is not legal: expected one of \\[{legal[0]}, "):
        env.step(wrap(legal[0]))
    assert "seat_0" == env.agent_selection
    assert legal == np.flatnonzero(env.observe("seat_0")["action_mask"]).tolist()


@pytest.mark.parametrize("wrap", [int, np.int16, np.int64, np.array])
def test_whole_numbers_of_numpy_are_actions(wrap: Callable[[int], Any]) -> None:
    """An action, a number of hands and a seed may be Python's or NumPy's."""
    env = pettingzoo.env(hands=wrap(1))
    env.reset(seed=wrap(0))
    first = np.flatnonzero(env.observe("seat_0")["action_mask"])[0]
    env.step(wrap(first))
    assert 1 == len(env.unwrapped.seen_by("seat_0").seats[0].discards)


def test_before_reset_there_is_no_match() -> None:
    """What asks for one, or answers in one, says so."""
    env = pettingzoo.raw_env(render_mode="ansi")
    for ask in (lambda: env.seen_by("seat_0"), lambda: env.observe("seat_0"), env.render, env.last):
        with pytest.raises(ValueError, match=r"no match has begun: expected reset\(\) first"):
            ask()
    with pytest.raises(IllegalAnswerError, match=r"action 122: no match is being played: expected reset\(\) first"):
        env.step(122)


def test_after_the_end_nothing_is_to_be_done() -> None:
    """A step too many says so."""
    env = pettingzoo.raw_env()
    play(env, 1)
    with pytest.raises(IllegalAnswerError, match="action None: no match is being played"):
        env.step(None)


@pytest.mark.parametrize("agent", ["seat_3", 0, None, []])
def test_an_agent_that_there_is_not_is_refused(agent: Any) -> None:
    """The message lists those that there are."""
    env = pettingzoo.raw_env()
    env.reset(seed=0)
    for ask in (env.observe, env.seen_by, env.action_space, env.observation_space):
        with pytest.raises(ValueError, match=r"agent is .*: expected one of seat_0, seat_1, seat_2"):
            ask(agent)


@pytest.mark.parametrize("seed", [-1, 1.5, True, "3", []])
def test_a_seed_is_a_whole_number(seed: Any) -> None:
    """Anything else is refused, and the match that is played goes on."""
    env = pettingzoo.raw_env()
    env.reset(seed=0)
    before = env.seen_by("seat_0")
    with pytest.raises(ValueError, match=r"seed is .*: expected a whole number from 0 on"):
        env.reset(seed=seed)
    assert before == env.seen_by("seat_0")


@pytest.mark.filterwarnings("ignore:.*Illegal move made")
def test_an_illegal_action_can_end_the_match_instead() -> None:
    """PettingZoo's TerminateIllegalWrapper takes away what it is told to, and all agents terminate."""
    env = wrappers.TerminateIllegalWrapper(pettingzoo.env(), illegal_reward=-10)
    env.reset(seed=0)
    env.step(FIRST_ACTION[ActionType.PASS])
    rewards = {}
    for agent in env.agent_iter():
        _, rewards[agent], terminated, _, _ = env.last()
        assert terminated
        env.step(None)
    assert {"seat_0": -10, "seat_1": 0, "seat_2": 0} == rewards


def test_seeds_give_walls_and_no_seed_goes_on() -> None:
    """The same seed deals the same; a reset without one deals anew, reproducibly."""
    dealt = []
    env = pettingzoo.env(hands=1)
    for seeds in ((8, None), (8, None), (9, None)):
        for seed in seeds:
            env.reset(seed=seed)
            dealt.append(tuple(env.observe("seat_0")["observation"][LAYOUT["concealed"]]))
    assert dealt[:2] == dealt[2:4]
    assert 4 == len(set(dealt))


def test_renders_all_hands_as_text() -> None:
    """With render_mode "ansi" the table and every hand are text; without one there is nothing."""
    env = pettingzoo.env(hands=3, render_mode="ansi")
    env.reset(seed=0)
    lines = env.render().splitlines()
    assert "hand 1 of 3, 44 tiles left" == lines[0]
    assert [14, 13, 13] == [len(line.split()) - (3 if line[0] == "*" else 2) for line in lines[1::2]]
    env.step(np.flatnonzero(env.observe("seat_0")["action_mask"])[-1])
    assert "+0" in env.render()
    silent = pettingzoo.env()
    silent.reset(seed=0)
    assert silent.render() is None


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"rules": "beijing"}, RulesError, "the presets are"),
        ({"hands": 0}, ValueError, f"hands is 0: expected a whole number from 1 to {MAX_HANDS}"),
        ({"rules": 5}, RulesError, "rules is 5: expected a preset's name or a RuleSet"),
        ({"hands": True}, ValueError, f"hands is True: expected a whole number from 1 to {MAX_HANDS}"),
        ({"hands": 1.5}, ValueError, f"hands is 1.5: expected a whole number from 1 to {MAX_HANDS}"),
        ({"render_mode": "human"}, ValueError, "render_mode is 'human': expected None or ansi"),
    ],
)
def test_what_there_is_not_is_refused(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    """The message names the field, its value and what was expected."""
    with pytest.raises(error, match=message):
        pettingzoo.env(**arguments)


def test_without_the_extra_the_import_says_what_to_install() -> None:
    """Where PettingZoo is missing, the error names the extra."""
    code = "import sys; sys.modules['pettingzoo'] = None; import kawuxing.bots.pettingzoo"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert 1 == ran.returncode
    assert "kawuxing.bots.pettingzoo needs pettingzoo: install kawuxing with its extra [rl]" in ran.stderr


def test_actions_are_those_of_the_engine() -> None:
    """A number of a mask leads to the action that it stands for."""
    env = pettingzoo.raw_env()
    env.reset(seed=0)
    discard: Action = next(iter(env._open["seat_0"].values()))
    env.step(encode_action(discard, env.seen_by("seat_0").concealed))
    assert (discard.tile,) == env.seen_by("seat_1").seats[0].discards
    assert parse_kind("1m") == 0
