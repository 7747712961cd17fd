"""What is wrong with a tournament.toml, told by field, value and what was expected.

The expectation of a field is the ``description`` of its pydantic field, so that it is written once, beside the field.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any, Final, get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from kawuxing.engine.errors import KawuxingError
from kawuxing.engine.wording import did_you_mean, toml_text

_SHOWN_LENGTH: Final = 80


class ConfigError(KawuxingError):
    """A tournament.toml that cannot be used; its text lists every problem."""

    def __init__(self, source: str, problems: Sequence[str]) -> None:
        """Tell the ``problems`` (at least one) of ``source``: a path, or another name of the text."""
        self.source = source
        self.problems = tuple(problems)
        if len(self.problems) == 1:
            super().__init__(f"{source}: {self.problems[0]}")
        else:
            lines = "".join(f"\n  {problem}" for problem in self.problems)
            super().__init__(f"{source} has {len(self.problems)} problems:{lines}")


class FieldProblemsError(ValueError):
    """Raised by a validator that knows better than the field's description what is wrong with which field."""

    def __init__(self, problems: Iterable[tuple[str, str]]) -> None:
        """Tell ``problems``: pairs of a dotted path from where the validator stands, and the text that follows it."""
        self.problems = tuple(problems)
        super().__init__("; ".join(f"{path} {text}" for path, text in self.problems))


def shown(value: Any) -> str:
    """Return ``value`` as TOML writes it, cut after 80 characters."""
    if isinstance(value, timedelta):
        value = value.total_seconds()
        value = int(value) if value.is_integer() else value
    text = toml_text(value)
    return text if len(text) <= _SHOWN_LENGTH else f"{text[:_SHOWN_LENGTH]}…"


def problems_of(error: ValidationError, root: type[BaseModel]) -> tuple[str, ...]:
    """Return one line for each problem that validating against ``root`` found, in the model's order."""
    problems: list[str] = []
    for detail in error.errors(include_url=False):
        where = detail["loc"]
        cause = detail.get("ctx", {}).get("error")
        if isinstance(cause, FieldProblemsError):
            problems += [f"{_path((*where, *([path] if path else [])))} {text}" for path, text in cause.problems]
        elif detail["type"] == "extra_forbidden":
            model, _ = _locate(root, where)
            known = sorted(model.model_fields)
            near = did_you_mean(str(where[-1]), known)
            problems.append(f"{_path(where)} is unknown: expected one of {', '.join(known)}{near}")
        else:
            _, field = _locate(root, where)
            expected = field.description if field else "a table"
            found = "missing" if detail["type"] == "missing" else shown(detail["input"])
            problems.append(f"{_path(where)} is {found}: expected {expected}")
    return tuple(problems)


def _path(where: Sequence[int | str]) -> str:
    text = ""
    for part in where:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".") or "the file"


def _locate(root: type[BaseModel], where: Sequence[int | str]) -> tuple[type[BaseModel], FieldInfo | None]:
    """Return the last field on the way to ``where`` and its model; None if the model has no such field."""
    model, field = root, None
    for part in where:
        if isinstance(part, int):
            continue
        nested = model_in(field.annotation) if field else root
        if nested is None:
            break  # Inside a plain list or table: its field says what is expected.
        model, field = nested, nested.model_fields.get(part)
    return model, field


def model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the model that a field of this type holds, one or many of; None if it holds none."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((model for item in get_args(annotation) if (model := model_in(item))), None)
