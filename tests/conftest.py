"""Settings of every test."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# How fast a busy machine is says nothing about the behaviour under test.
settings.register_profile("kawuxing", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("kawuxing")
