"""The leader of one log: what it tells the operator."""

from __future__ import annotations

import pytest

from wirebroker.protocol.errors import ErrorCode as E
from wirebroker.protocol.exceptions import ApiError
from wirebroker.tests.handlers.fetch_harness import CONFIG, FetchHarness


async def test_deleted_records_are_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    harness = FetchHarness()
    for _ in range(3):
        await harness.append(1, b"x", b"y")
    partition = harness.partition(1)
    caplog.set_level("INFO", "wirebroker.replication.record_deletion")
    assert await partition.delete_records(4) == 4
    assert caplog.messages == ["topic=t partition=1: records deleted on request, log start offset 0 -> 4"]
    assert await partition.delete_records(4) == 4
    with pytest.raises(ApiError):
        await partition.delete_records(7)
    assert len(caplog.messages) == 1
    assert await partition.delete_records(-1) == 6
    assert caplog.messages[1:] == ["topic=t partition=1: records deleted on request, log start offset 4 -> 6"]


@pytest.mark.parametrize("policy", [(), ("compact",)])
async def test_records_of_a_topic_without_the_policy_delete_are_not_deleted(policy: tuple[str, ...]) -> None:
    """The policy is empty when the last one has been taken off; Apache Kafka 3.9.1 then deletes nothing, either."""
    harness = FetchHarness()
    await harness.append(0, b"x")
    partition = harness.partition(0)
    partition.log.config = CONFIG._replace(cleanup_policy=policy)
    with pytest.raises(ApiError) as refused:
        await partition.delete_records(1)
    assert refused.value.code == E.POLICY_VIOLATION
    assert partition.log.log_start_offset == 0
