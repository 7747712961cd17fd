"""A match as a PettingZoo AEC environment, for reinforcement learning (docs/bots/kit.md); needs the extra ``[rl]``.

::

    from kawuxing.bots import pettingzoo

    env = pettingzoo.env(rules="xiangyang", hands=1)
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, ClassVar, Final, SupportsIndex

from kawuxing.bots.arguments import as_whole, rule_set, shown, whole
from kawuxing.bots.encoding import ACTIONS, FIELDS, encode_action, encode_observation
from kawuxing.engine.actions import Action
from kawuxing.engine.errors import IllegalAnswerError
from kawuxing.engine.events import Event, HandStarted, PointsPaid
from kawuxing.engine.match import Answer, Match
from kawuxing.engine.observation import NOBODY, Observation, observe
from kawuxing.engine.record import MAX_HANDS
from kawuxing.engine.rules import DEFAULT_PRESET, RuleSet
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
    """Return the environment with PettingZoo's usual check, that nothing is called out of order.

    Raises as :class:`KawuxingEnv` does.
    """
    return wrappers.OrderEnforcingWrapper(raw_env(rules, hands=hands, render_mode=render_mode))


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

        Raises RulesError for a preset that there is not, ValueError if ``hands`` is not 1 to 10,000 or the render mode
        is not None or ``ansi``.
        """
        super().__init__()
        self.rules: Final = rule_set(rules)
        self.hands: Final = whole("hands", hands, 1, MAX_HANDS)
        if render_mode is not None and render_mode not in _RENDER_MODES:
            raise ValueError(f"render_mode is {shown(render_mode)}: expected None or {', '.join(_RENDER_MODES)}")
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{entrant}" for entrant in range(self.rules.entrants)]
        self.agents: list[str] = []
        self.agent_selection = self.possible_agents[0]
        self._match: Match | None = None
        self._entrants = {agent: entrant for entrant, agent in enumerate(self.possible_agents)}
        self._spaces = {agent: _observation_space() for agent in self.possible_agents}
        self._action_spaces = {agent: Discrete(ACTIONS) for agent in self.possible_agents}
        self._random: np.random.Generator | None = None

    def observation_space(self, agent: str) -> Dict:
        """Return the space of an agent's observations, the same for all agents and rule sets.

        Raises ValueError if there is no such agent.
        """
        return self._spaces[self._known(agent)]

    def action_space(self, agent: str) -> Discrete[np.int64]:
        """Return the space of an agent's actions, the same for all agents and rule sets.

        Raises ValueError if there is no such agent.
        """
        return self._action_spaces[self._known(agent)]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002  (PettingZoo's interface)
        """Begin a match; the walls follow from ``seed`` (from 0), without one from those before. There are no options.

        Raises ValueError, changing nothing, if the seed is no whole number from 0 on.
        """
        if seed is not None:
            self._random, _ = np_random(whole("seed", seed, 0))
        elif self._random is None:
            self._random, _ = np_random()
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

    def step(self, action: SupportsIndex | None) -> None:
        """Answer for the selected agent with a whole number, Python's or NumPy's, or None for one that has terminated.

        Raises IllegalAnswerError, changing nothing, for an action that its mask does not allow, and if no match is
        being played.
        """
        if not self.agents:
            raise IllegalAnswerError(f"action {shown(action)}: no match is being played: expected reset() first")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        legal = self._open[agent]
        number = as_whole(action)
        if number is None or number not in legal:
            raise IllegalAnswerError(f"{agent}: action {shown(action)} is not legal: expected one of {sorted(legal)}")
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        self._answers[self._entrants[agent]] = Answer(legal[number])
        del self._open[agent]
        if self._open:
            self.agent_selection = next(iter(self._open))
        else:
            match = self._playing()
            self._pay(match.hand.table.entrants, match.apply(self._answers))
            self._ask()
        self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """Return what an agent may know now. Its mask is all 0 unless it is asked and has not answered.

        Raises ValueError if there is no such agent, or before the first reset.
        """
        numbers = encode_observation(self.seen_by(agent))
        mask = np.zeros(ACTIONS, np.int8)
        mask[list(self._open.get(agent, ()))] = 1
        return {"observation": np.array(numbers, np.int32), "action_mask": mask}

    def seen_by(self, agent: str) -> Observation:
        """Return the same as the object that bots are given, for features of one's own. Raises as :meth:`observe`."""
        match = self._playing()
        return observe(match.hand, match.seat_of(self._entrants[self._known(agent)]))

    def render(self) -> str | None:
        """Return all hands and what lies on the table as text, None without a render mode.

        Raises ValueError before the first reset.
        """
        if self.render_mode is None:
            return None
        hand = self._playing().hand
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

    def _playing(self) -> Match:
        if self._match is None:
            raise ValueError("no match has begun: expected reset() first")
        return self._match

    def _known(self, agent: str) -> str:
        if agent not in self.possible_agents:
            raise ValueError(f"agent is {shown(agent)}: expected one of {', '.join(self.possible_agents)}")
        return agent

    def _ask(self) -> None:
        """Select whom to ask next; at the end of the match everybody terminates."""
        match = self._playing()
        self._answers: dict[int, Answer] = {}
        self._open: dict[str, dict[int, Action]] = {}
        for entrant, legal in match.pending().items():
            agent = self.possible_agents[entrant]
            concealed = match.hand.table.seats[match.seat_of(entrant)].kinds()
            self._open[agent] = {encode_action(action, concealed): action for action in legal}
        if match.finished:
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
