"""A match as a PettingZoo AEC environment, for reinforcement learning (docs/bots/kit.md); needs the extra ``[rl]``.

::

from kawuxing.bots import pettingzoo

env = pettingzoo.env(rules="xiangyang", hands=1)
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, ClassVar, Final

from kawuxing.bots.encoding import ACTIONS, FIELDS, encode_action, encode_observation
from kawuxing.engine.actions import Action
from kawuxing.engine.errors import IllegalAnswerError
from kawuxing.engine.events import Event, HandStarted, PointsPaid
from kawuxing.engine.match import Answer, Match
from kawuxing.engine.observation import NOBODY, Observation, observe
from kawuxing.engine.record import MAX_HANDS
from kawuxing.engine.rules import DEFAULT_PRESET, RuleSet, load_preset
from kawuxing.engine.tiles import TEXT, Kind
from kawuxing.engine.wall import SEED_BYTES, shuffled_wall

try:
    import numpy as np
    from gymnasium.spaces import Box, Dict, Discrete
    from gymnasium.utils.seeding import np_random
    from numpy.typing import NDArray
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError as error:
    raise ImportError(
        f"kawuxing.bots.pettingzoo needs {error.name}: install kawuxing with its extra [rl], pip install 'kawuxing[rl]'"
    ) from error

_NO_FAULTS: Final = 1
_RENDER_MODES: Final = ("ansi",)


def env(rules: RuleSet | str = DEFAULT_PRESET, *, hands: int = 1, render_mode: str | None = None) -> AECEnv:
    """Return the environment with PettingZoo's usual checks: actions out of the space, calls out of order.

    Raises as :class:`KawuxingEnv` does.
    """
    checked = wrappers.AssertOutOfBoundsWrapper(raw_env(rules, hands=hands, render_mode=render_mode))
    return wrappers.OrderEnforcingWrapper(checked)


def raw_env(rules: RuleSet | str = DEFAULT_PRESET, *, hands: int = 1, render_mode: str | None = None) -> KawuxingEnv:
    """Return the environment without any wrapper. Raises as :class:`KawuxingEnv` does."""
    return KawuxingEnv(rules, hands=hands, render_mode=render_mode)


class KawuxingEnv(AECEnv):  # type: ignore[misc]  # PettingZoo ships no types.
    """A match of some hands between agents ``seat_0`` …, one for each entrant, named after its seat in the first hand.

    An observation is ``{"observation": …, "action_mask": …}``, encoded by :mod:`kawuxing.bots.encoding`. A reward is
    what was paid to the agent, in points; all rewards of a step add up to 0. All agents terminate with the last hand,
    and nothing is truncated. Agents that may claim the same tile are asked one after the other, none seeing what
    another answered. An agent is asked only where it has a choice, one that rests (``sit_out``) not at all.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "kawuxing_v1",
        "render_modes": list(_RENDER_MODES),
        "is_parallelizable": False,
    }

    def __init__(self, rules: RuleSet | str, *, hands: int, render_mode: str | None) -> None:
        """Prepare matches of ``hands`` hands by a preset's name or a rule set.

        Raises RulesError for a preset that there is not, ValueError if ``hands`` is out of range or the render mode is
        not None or ``ansi``.
        """
        super().__init__()
        if type(hands) is not int or not 1 <= hands <= MAX_HANDS:
            raise ValueError(f"hands is {hands!r}: expected a whole number from 1 to {MAX_HANDS}")
        if render_mode is not None and render_mode not in _RENDER_MODES:
            raise ValueError(f"render_mode is {render_mode!r}: expected None or {', '.join(_RENDER_MODES)}")
        self.rules: Final = load_preset(rules) if isinstance(rules, str) else rules
        self.hands: Final = hands
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{entrant}" for entrant in range(self.rules.entrants)]
        self.agents: list[str] = []
        self.agent_selection: str
        self._entrants = {agent: entrant for entrant, agent in enumerate(self.possible_agents)}
        self._spaces = {agent: _observation_space() for agent in self.possible_agents}
        self._action_spaces = {agent: Discrete(ACTIONS) for agent in self.possible_agents}
        self._random: np.random.Generator | None = None

    def observation_space(self, agent: str) -> Dict:
        """Return the space of an agent's observations, the same for all agents and rule sets."""
        return self._spaces[agent]

    def action_space(self, agent: str) -> Discrete[np.int64]:
        """Return the space of an agent's actions, the same for all agents and rule sets."""
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002  (PettingZoo's interface)
        """Begin a match; the walls follow from ``seed``, without one from those before. There are no options."""
        if seed is not None or self._random is None:
            self._random, _ = np_random(seed)
        walls = partial(shuffled_wall, self.rules, self._random.bytes(SEED_BYTES))
        self._match = Match(self.rules, self.hands, walls, _NO_FAULTS)
        self._match.start()
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._ask()

    def step(self, action: int | None) -> None:
        """Answer for the selected agent, with None for one that has terminated.

        Raises IllegalAnswerError, changing nothing, for an action that its mask does not allow.
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        legal = self._open[agent]
        if action not in legal:
            raise IllegalAnswerError(f"{agent}: action {action} is not legal: expected one of {sorted(legal)}")
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        self._answers[self._entrants[agent]] = Answer(legal[action])
        del self._open[agent]
        if self._open:
            self.agent_selection = next(iter(self._open))
        else:
            entrants = self._match.hand.table.entrants
            self._pay(entrants, self._match.apply(self._answers))
            self._ask()
        self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """Return what an agent may know now. Its mask is all 0 unless it is asked and has not answered."""
        mask = np.zeros(ACTIONS, np.int8)
        mask[list(self._open.get(agent, ()))] = 1
        return {
            "observation": np.array(encode_observation(self.seen_by(agent)), np.int32),
            "action_mask": mask,
        }

    def seen_by(self, agent: str) -> Observation:
        """Return the same as the object that bots are given, for features of one's own."""
        return observe(self._match.hand, self._match.seat_of(self._entrants[agent]))

    def render(self) -> str | None:
        """Return all hands and what lies on the table as text, None without a render mode."""
        if self.render_mode is None:
            return None
        hand = self._match.hand
        table = observe(hand, NOBODY)
        lines = [f"hand {table.hand + 1} of {self.hands}, {table.remaining} tiles left"]
        for seat, view in enumerate(table.seats):
            turn, revealed = "*" if seat == table.turn else " ", "revealed " if view.revealed else ""
            concealed = _text(observe(hand, seat).concealed)
            lines += [
                f"{turn} {self.possible_agents[view.entrant]} {view.points:+d} {revealed}{concealed}",
                *(f"    {meld.type} {TEXT[meld.tile]}" for meld in view.melds),
                f"    discards {_text(view.discards)}",
            ]
        return "\n".join(lines)

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def _ask(self) -> None:
        """Select whom to ask next; at the end of the match everybody terminates."""
        self._answers: dict[int, Answer] = {}
        self._open: dict[str, dict[int, Action]] = {}
        for entrant, legal in self._match.pending().items():
            agent = self.possible_agents[entrant]
            concealed = self.seen_by(agent).concealed
            self._open[agent] = {encode_action(action, concealed): action for action in legal}
        if self._match.finished:
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = next(iter(self._open), self.agents[0])

    def _pay(self, entrants: tuple[int, ...], events: Iterable[Event]) -> None:
        for event in events:
            if isinstance(event, HandStarted):
                entrants = event.entrants
            elif isinstance(event, PointsPaid):
                for entrant, points in zip(entrants, event.points, strict=True):
                    self.rewards[self.possible_agents[entrant]] += points


def _observation_space() -> Dict:
    low = [field.low for field in FIELDS for _ in range(field.size)]
    high = [field.high for field in FIELDS for _ in range(field.size)]
    return Dict(
        {
            "observation": Box(np.array(low, np.int32), np.array(high, np.int32), dtype=np.int32),
            "action_mask": Box(0, 1, (ACTIONS,), np.int8),
        }
    )


def _text(kinds: Iterable[Kind]) -> str:
    return " ".join(TEXT[kind] for kind in kinds)
