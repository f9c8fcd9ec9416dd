"""Inspect: the epochs of a broker in a cluster, and of one that is a cluster by itself."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from wirebroker.cluster.fencing import ControllerFence
from wirebroker.handlers.inspect import handle_inspect
from wirebroker.protocol.messages.inspect import InspectRequest
from wirebroker.tests.controller.fakes import controller_harness

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("in_cluster", [True, False])
async def test_epochs(tmp_path: Path, in_cluster: bool) -> None:
    async with controller_harness(tmp_path) as harness:
        context = harness.context(InspectRequest, 0)
        if in_cluster:
            fence = ControllerFence(lambda: 25)
            assert not fence.check(3, 25)
            context.services.controller_requests = SimpleNamespace(fence=fence)  # type: ignore[assignment]
        response = await handle_inspect(context, InspectRequest(subject="epochs"))
        expected = {"broker_epoch": 25, "controller_epoch": 3}
        assert json.loads(response.document) == (expected if in_cluster else dict.fromkeys(expected))
