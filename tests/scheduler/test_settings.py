"""Settings from the environment."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kawuxing.scheduler.settings import LogFormat, LogLevel, SettingsError, load_settings


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("KAWUXING_")]:
        monkeypatch.delenv(name)


def test_defaults() -> None:
    """Without a word, everything is in ./arena, the broker embedded and the log quiet."""
    settings = load_settings()

    assert Path("arena") == settings.home
    assert "sqlite:///arena/arena.db" == settings.database_url
    assert "memory://" == settings.broker_url
    assert (LogLevel.WARNING, LogFormat.AUTO) == (settings.log_level, settings.log_format)


def test_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Variables count, empty ones do not, and the database is in the home folder unless it is named."""
    monkeypatch.setenv("KAWUXING_HOME", "/srv/cup")
    monkeypatch.setenv("KAWUXING_DATABASE_URL", "")
    monkeypatch.setenv("KAWUXING_LOG_LEVEL", "debug")
    assert "sqlite:////srv/cup/arena.db" == load_settings().database_url
    assert LogLevel.DEBUG is load_settings().log_level

    monkeypatch.setenv("KAWUXING_DATABASE_URL", "postgresql://host/name")
    assert "postgresql://host/name" == load_settings().database_url


def test_overrides(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the caller gives goes before the environment; None is not given."""
    monkeypatch.setenv("KAWUXING_HOME", "/srv/cup")

    assert "sqlite:////tmp/x/arena.db" == load_settings(home=Path("/tmp/x"), log_level=None).database_url  # noqa: S108 - never made


def test_wrong_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names every wrong variable, its value and what was expected."""
    monkeypatch.setenv("KAWUXING_LOG_LEVEL", "loud")
    monkeypatch.setenv("KAWUXING_LOG_FORMAT", "xml")

    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert (
        "KAWUXING_LOG_LEVEL is 'loud': expected one of debug, info, warning, error; "
        "KAWUXING_LOG_FORMAT is 'xml': expected one of auto, console, json"
    ) == str(caught.value)
