"""The leader of one log: what it tells the operator."""

from __future__ import annotations

import pytest

from wirebroker.protocol.exceptions import ApiError
from wirebroker.tests.handlers.fetch_harness import FetchHarness


async def test_deleted_records_are_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    harness = FetchHarness()
    for _ in range(3):
        await harness.append(1, b"x", b"y")
    partition = harness.partition(1)
    caplog.set_level("INFO", "wirebroker.replication.partition")
    assert await partition.delete_records(4) == 4
    assert caplog.messages == ["topic=t partition=1: records deleted on request, log start offset 0 -> 4"]
    assert await partition.delete_records(4) == 4
    with pytest.raises(ApiError):
        await partition.delete_records(7)
    assert len(caplog.messages) == 1
    assert await partition.delete_records(-1) == 6
    assert caplog.messages[1:] == ["topic=t partition=1: records deleted on request, log start offset 4 -> 6"]
