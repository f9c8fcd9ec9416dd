"""The fixture of tests that run a coordinator with its shards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.tests.coordinator.runtime_harness import RuntimeHarness

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import trio


@pytest.fixture(params=[False, True], ids=["in a task", "delayed"])
async def harness(nursery: trio.Nursery, request: pytest.FixtureRequest) -> AsyncIterator[RuntimeHarness]:
    """One partition, loaded; on a quick disk."""
    yield await RuntimeHarness.started(nursery, delays=request.param)
    nursery.cancel_scope.cancel()
