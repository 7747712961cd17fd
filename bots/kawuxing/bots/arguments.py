"""What authors give the kit, checked: a message names the argument, its value and what was expected.

NumPy's whole numbers are as good as Python's, and True is none.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from kawuxing.engine.actions import Action
from kawuxing.engine.errors import RulesError
from kawuxing.engine.rules import RuleSet, load_preset
from kawuxing.engine.wall import SEED_BYTES

_SHOWN: Final = 60
"""Characters shown of a value."""

_Type = TypeVar("_Type")
_Factory = TypeVar("_Factory", bound=Callable[..., Any] | None)


def shown(value: object) -> str:
    """Return a value as text that fits into a message."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def shown_answer(answer: object, legal: Sequence[Action]) -> str:
    """Return what was answered, and is not among the legal actions, as text that tells it from them."""
    if not isinstance(answer, Action):
        return shown(answer)
    return f"another object for {answer}" if str(answer) in map(str, legal) else str(answer)


def as_whole(value: object) -> int | None:
    """Return a whole number as an int, None for anything else."""
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]  # That is the question.
    except TypeError:
        return None


def whole(name: str, value: object, low: int, high: int | None = None) -> int:
    """Return a whole number as an int. Raises ValueError unless it is one from ``low`` to ``high``, if there is one."""
    number = as_whole(value)
    if number is None or number < low or (high is not None and number > high):
        limits = f"from {low} on" if high is None else f"from {low} to {high}"
        raise ValueError(f"{name} is {shown(value)}: expected a whole number {limits}")
    return number


def instance(name: str, value: object, kind: type[_Type]) -> _Type:
    """Return an object of this kind. Raises ValueError if it is another."""
    if not isinstance(value, kind):
        raise ValueError(f"{name} is {shown(value)}: expected {kind.__name__}")  # noqa: TRY004  (one class for bad arguments)
    return value


def deal_seed_of(value: object) -> bytes:
    """Return the seed of a match's walls. Raises ValueError unless it is 32 bytes."""
    if not isinstance(value, bytes) or len(value) != SEED_BYTES:
        raise ValueError(f"deal_seed is {shown(value)}: expected {SEED_BYTES} bytes")
    return value


def rule_set(value: object) -> RuleSet:
    """Return a rule set, given as one or as a preset's name. Raises RulesError if it is neither."""
    if isinstance(value, str):
        return load_preset(value)
    if not isinstance(value, RuleSet):
        raise RulesError(f"rules is {shown(value)}: expected a preset's name or a RuleSet")
    return value


def factories(rules: RuleSet, bots: Sequence[_Factory], *, guests: bool) -> list[_Factory]:
    """Return the bots of a match; None stands for a guest, if there may be any.

    Raises ValueError if they are not as many as the rule set has entrants, or one of them cannot be called.
    """
    expected = "a Bot class or None" if guests else "a Bot class"
    if not isinstance(bots, Sequence):
        raise ValueError(  # noqa: TRY004  (one class for bad arguments)
            f"bots is {shown(bots)}: expected a list of {rules.entrants}, each {expected}"
        )
    if len(bots) != rules.entrants:
        raise ValueError(f"{len(bots)} bots: expected {rules.entrants} for these rules")
    for number, bot in enumerate(bots):
        if not (callable(bot) or (bot is None and guests)):
            raise ValueError(f"bots[{number}] is {shown(bot)}: expected {expected}")
    return list(bots)
