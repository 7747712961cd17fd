"""The kinds of values in a tournament.toml, and how they are read."""

from __future__ import annotations

import hashlib
import math
import re
import unicodedata
from collections.abc import Iterator, Mapping
from datetime import timedelta
from ipaddress import ip_address
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer

from kawuxing.engine.errors import RulesError
from kawuxing.engine.rules import DEFAULT_PRESET, RuleSet, load_preset, parse_option, preset_names
from kawuxing.engine.wording import did_you_mean
from kawuxing.scheduler.config_errors import FieldProblemsError, shown

_SLUG_LENGTH: Final = 32
_HASH_DIGITS: Final = 8
_SLUG: Final = re.compile(rf"[a-z0-9][a-z0-9._-]{{0,{_SLUG_LENGTH - 1}}}")
SLUG_TEXT: Final = f"1 to {_SLUG_LENGTH} characters out of a-z 0-9 . _ -, the first a letter or digit"
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


def parse_rules(value: Any) -> Any:
    """Return the rule set of a table of a preset and overrides; what is no table, as it is.

    Raises FieldProblemsError, telling every option that is wrong by itself, or else every one that is beside others.
    """
    if not isinstance(value, Mapping):
        return value
    overrides = dict(value)
    preset = overrides.pop("preset", DEFAULT_PRESET)
    problems = [*_preset_problems(preset), *_option_problems(overrides)]
    if problems:
        raise FieldProblemsError(problems)
    while True:
        try:
            rules = load_preset(preset).replace(overrides)
        except RulesError as error:
            option, text = _rule_problem(error)
            problems.append((option, text))
            # Without the option at fault, the rest can be judged too.
            if overrides.pop(option, None) is None:
                raise FieldProblemsError(problems) from error
        else:
            if problems:
                raise FieldProblemsError(problems)
            return rules


def _preset_problems(preset: Any) -> Iterator[tuple[str, str]]:
    names = preset_names()
    if preset not in names:
        yield "preset", f"is {shown(preset)}: expected one of {', '.join(names)}{did_you_mean(str(preset), names)}"


def _option_problems(options: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in options.items():
        try:
            parse_option(name, value)
        except RulesError as error:
            yield _rule_problem(error)


def _rule_problem(error: RulesError) -> tuple[str, str]:
    match = _RULE_PROBLEM.fullmatch(str(error))
    return (match["option"], match["text"]) if match else ("", f"are impossible: {error}")


Slug = Annotated[str, AfterValidator(_check_slug)]
OptionalSlug = Annotated[str, AfterValidator(_check_optional_slug)]
Line = Annotated[str, AfterValidator(_check_printable)]
Text = Annotated[str, AfterValidator(_check_no_nul)]
Duration = Annotated[timedelta, Field(strict=False), BeforeValidator(_parse_duration)]
Rules = Annotated[RuleSet, BeforeValidator(parse_rules), PlainSerializer(RuleSet.to_options)]


def slug_of(name: str) -> str:
    """Return ``name`` in lower case without accents, other characters made hyphens.

    Where that loses letters or digits, or is too long for a slug, it is cut and ends in 8 hex digits of the SHA-256 of
    the name, so that two names still have two slugs. The slug of a name in one line is valid.
    """
    plain = unicodedata.normalize("NFKD", name)
    slug = re.sub(r"[^a-z0-9._]+", "-", plain.encode("ascii", "ignore").decode().lower()).strip("-._")
    lost = any(letter.isalnum() and not letter.isascii() for letter in plain)
    if is_slug(slug) and not lost:
        return slug
    digits = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:_HASH_DIGITS]
    return f"{slug[: _SLUG_LENGTH - _HASH_DIGITS - 1].strip('-._') or 'tournament'}-{digits}"


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
