"""The kinds of values in a tournament.toml, and how they are read."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping
from datetime import timedelta
from ipaddress import ip_address
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer

from kawuxing.engine.errors import RulesError
from kawuxing.engine.rules import DEFAULT_PRESET, RuleSet, load_preset, preset_names
from kawuxing.scheduler.config_errors import FieldProblemsError, shown

_SLUG: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,31}")
SLUG_TEXT: Final = "1 to 32 characters out of a-z 0-9 . _ -, the first a letter or digit"
_ADDRESS: Final = re.compile(r"(?:\[(?P<v6>[0-9a-fA-F:.]+)\]|(?P<host>[A-Za-z0-9._-]+)):(?P<port>[0-9]{1,5})")
_MAX_PORT: Final = 65535
MILLISECOND: Final = timedelta(milliseconds=1)
_RULE_PROBLEM: Final = re.compile(r"rule option '(?P<option>[^']*)' (?P<text>.*)", re.DOTALL)


def is_slug(value: str) -> bool:
    """Return whether ``value`` can name a bot, a version or a tournament."""
    return _SLUG.fullmatch(value) is not None


def _check_slug(value: str) -> str:
    if not is_slug(value):
        raise ValueError("not a slug")
    return value


def _check_optional_slug(value: str) -> str:
    return _check_slug(value) if value else value


def _check_printable(value: str) -> str:
    if not value.isprintable():
        raise ValueError("control characters")
    return value


def _check_no_nul(value: str) -> str:
    if "\0" in value:
        raise ValueError("a NUL character")
    return value


def _parse_duration(value: Any) -> Any:
    """Take seconds, as TOML has them; the ISO 8601 text of the JSON form is left to pydantic."""
    if isinstance(value, bool):
        raise ValueError("not a number")  # noqa: TRY004  pydantic collects only ValueErrors.
    if isinstance(value, int | float):
        if not math.isfinite(value) or abs(value) > timedelta.max.days:
            raise ValueError("not a duration")
        value = timedelta(seconds=value)
    if isinstance(value, timedelta) and value % MILLISECOND:
        raise ValueError("finer than a millisecond")
    return value


def _parse_rules(value: Any) -> Any:
    """Make the rule set of a table of a preset and overrides, telling every option that is wrong."""
    if not isinstance(value, Mapping):
        return value
    overrides = dict(value)
    preset = overrides.pop("preset", DEFAULT_PRESET)
    if preset not in preset_names():
        raise FieldProblemsError([("preset", f"is {shown(preset)}: expected one of {', '.join(preset_names())}")])
    problems: list[tuple[str, str]] = []
    while True:
        try:
            rules = load_preset(preset).replace(overrides)
        except RulesError as error:
            match = _RULE_PROBLEM.fullmatch(str(error))
            problems.append((match["option"], match["text"]) if match else ("", f"are impossible: {error}"))
            # Without the option at fault, the rest can be judged too.
            if not match or overrides.pop(match["option"], None) is None:
                raise FieldProblemsError(problems) from error
        else:
            if problems:
                raise FieldProblemsError(problems)
            return rules


Slug = Annotated[str, AfterValidator(_check_slug)]
OptionalSlug = Annotated[str, AfterValidator(_check_optional_slug)]
Line = Annotated[str, AfterValidator(_check_printable)]
Text = Annotated[str, AfterValidator(_check_no_nul)]
Duration = Annotated[timedelta, Field(strict=False), BeforeValidator(_parse_duration)]
Rules = Annotated[RuleSet, BeforeValidator(_parse_rules), PlainSerializer(RuleSet.to_options)]


def slug_of(name: str) -> str:
    """Return ``name`` in lower case without accents, other characters made hyphens; it need not be a valid slug."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9._]+", "-", plain).strip("-._")


def split_address(value: str) -> tuple[str, int]:
    """Return host (an IPv6 address without its brackets) and port of ``host:port``.

    Raises ValueError if it is not that.
    """
    match = _ADDRESS.fullmatch(value)
    if not match or int(match["port"]) > _MAX_PORT:
        raise ValueError("not host:port")
    return match["v6"] or match["host"], int(match["port"])


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches ``host``."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
