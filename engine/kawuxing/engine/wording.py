"""How messages write values and names."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Collection
from datetime import date, time
from typing import Any, Final

_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")


def toml_text(value: Any) -> str:
    """Return a decoded value as TOML writes it, in one line; but for tables and odd numbers JSON does so, too."""
    match value:
        case dict():
            items = ", ".join(f"{_key(key)} = {toml_text(item)}" for key, item in value.items())
            return f"{{ {items} }}" if items else "{}"
        case list() | tuple():
            return f"[{', '.join(map(toml_text, value))}]"
        case float() if not math.isfinite(value):
            return str(value)
        case date() | time():
            return str(value)
    return json.dumps(value, ensure_ascii=False)


def did_you_mean(name: str, known: Collection[str]) -> str:
    """Return ``; did you mean …?`` with the known name that is most like ``name``, or nothing if none is like it."""
    near = difflib.get_close_matches(name.lower(), known, n=1)
    return f"; did you mean {near[0]}?" if near else ""


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else json.dumps(name, ensure_ascii=False)
