"""Test profiles: fast and repeatable by default."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "ci", max_examples=50, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ci")


@pytest.fixture(autouse=True)
def writes_take_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or a starved machine makes a lane think that its disk is slow, and few tests have an owner task for it."""
    monkeypatch.setattr("wirebroker.replication.partition.perf_counter", lambda: 0.0)
