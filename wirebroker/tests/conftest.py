"""Test profiles: fast and repeatable by default."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from wirebroker.tests.lanes import SPEEDS, Speed, set_up_lanes

settings.register_profile(
    "ci", max_examples=50, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ci")


_USES_LANES = {
    "Whole",
    "Stage",
    "House",
    "FetchHarness",
    "running",
    "Partition",
    "ReplicaManager",
    "TransactionMarkers",
}


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "real_lanes: the lanes' owner tasks and threads are the test's own")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests of replication and coordinators that write to a partition do so on a quick, a slow and a changing disk."""
    module = metafunc.module
    room = module.__name__.split(".")[2]
    uses_lanes = room in ("replication", "coordinator") and _USES_LANES & vars(module).keys()
    if uses_lanes and not metafunc.definition.get_closest_marker("real_lanes"):
        metafunc.parametrize("lane_speed", SPEEDS, indirect=True)


@pytest.fixture
def lane_speed(request: pytest.FixtureRequest) -> Speed:
    """How long writes of this test take."""
    speed: Speed = getattr(request, "param", "quick")
    return speed


@pytest.fixture(autouse=True)
def lanes(request: pytest.FixtureRequest, lane_speed: Speed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lanes with owner tasks; a starved machine makes none of them slow."""
    if not request.node.get_closest_marker("real_lanes"):
        set_up_lanes(monkeypatch, lane_speed)
