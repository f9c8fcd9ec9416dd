"""Reads of a group's offsets while replicas do not have the last commits: the committed offsets, without a wait.

Apache Kafka 3.9.1 answers in the same way while a follower hangs, until the ISR shrinks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest
from trio.testing import wait_all_tasks_blocked

from wirebroker.coordinator.delayed_request import DelayedRequest
from wirebroker.coordinator.group.requests import DeleteGroup, DescribeGroup, FetchOffsets, ListGroups
from wirebroker.coordinator.group.shard import GroupShard
from wirebroker.coordinator.runtime import CoordinatorRuntime
from wirebroker.coordinator.turn import InternalClient
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from wirebroker.tests.coordinator.runtime_harness import outcome
from wirebroker.tests.coordinator.shard_harness import CONFIG
from wirebroker.tests.coordinator.test_runtime import FakePartition
from wirebroker.timer.timer import Timer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import trio

    from wirebroker.replication.partition import Partition

E = ErrorCode
MANY = 1_500
"""More partitions than one turn describes."""


class GroupRuntime:
    """One shard of groups, all of whose records are replicated when it is loaded."""

    def __init__(self) -> None:
        self.partition = FakePartition(0)
        self.partition.high_watermark = 0
        self.runtime = CoordinatorRuntime(
            "__consumer_offsets",
            lambda _: GroupShard(CONFIG, lambda topic, _: topic == "t"),
            lambda _: cast("Partition", self.partition),
            timer=Timer(),
        )

    def commit(self, offset: int, group: str = "g", *partitions: int) -> DelayedRequest | Any:
        """Commit *offset* for partitions of t, 0 without any; return the response, or the DelayedRequest."""
        each = [OffsetCommitRequestPartition(partition, offset) for partition in partitions or (0,)]
        request = OffsetCommitRequest(group, topics=[OffsetCommitRequestTopic("t", partitions=each)])
        return self.runtime.request_or_delay(0, request, InternalClient(8))

    async def offsets(self, group: str = "g", partitions: list[int] | None = None) -> dict[int, int | None]:
        """The committed offsets of a group, of all partitions that have one if none are named."""
        wanted = None if partitions is None else [("t", partitions)]
        result = await self.runtime.read(0, FetchOffsets(group, wanted, require_stable=True))
        found = list(result.offsets)
        assert {code for *_, code in found} <= {E.NONE}
        return {partition: offset.offset if offset else None for _, partition, offset, _ in found}


@pytest.fixture
async def groups(nursery: trio.Nursery) -> AsyncIterator[GroupRuntime]:
    groups = GroupRuntime()
    nursery.start_soon(groups.runtime.run)
    groups.runtime.follow({0: cast("Partition", groups.partition)})
    await groups.runtime.first_loads()
    yield groups
    nursery.cancel_scope.cancel()


async def test_the_offset_before_is_read_until_replicas_have_the_commit(groups: GroupRuntime) -> None:
    groups.commit(10)
    assert await groups.offsets(partitions=[0]) == {0: None}
    assert await groups.offsets() == {}
    groups.partition.commit(1)
    assert await groups.offsets(partitions=[0]) == {0: 10}
    waiting = [groups.commit(20), groups.commit(30)]
    assert await groups.offsets(partitions=[0]) == await groups.offsets() == {0: 10}
    groups.partition.commit(2)
    assert await groups.offsets(partitions=[0]) == await groups.offsets() == {0: 20}
    assert [each.is_completed for each in waiting] == [True, False]
    groups.partition.commit(3)
    assert await groups.offsets(partitions=[0]) == await groups.offsets() == {0: 30}


async def test_other_groups_and_descriptions_wait_for_no_commit(groups: GroupRuntime) -> None:
    groups.commit(11, "h")
    groups.partition.commit(1)
    groups.commit(20)
    assert await groups.offsets("h") == {0: 11}
    assert await groups.offsets("nobody", [0]) == {0: None}
    assert (await groups.runtime.request(0, DescribeGroup("g"))).group_id == "g"
    assert {each.group_id for each in await groups.runtime.request(0, ListGroups())} == {"g", "h"}


async def test_a_large_group_is_read_as_it_is_committed(groups: GroupRuntime) -> None:
    groups.commit(10, "g", *range(MANY))
    groups.partition.commit(1)
    groups.commit(20, "g", 3, MANY)
    groups.commit(20, "h", 4)
    assert await groups.offsets() == dict.fromkeys(range(MANY), 10)
    assert await groups.offsets(partitions=[*range(MANY + 1)]) == dict.fromkeys(range(MANY), 10) | {MANY: None}
    groups.partition.commit(2)
    assert await groups.offsets() == dict.fromkeys(range(MANY), 10) | {3: 20, MANY: 20}


async def test_a_deletion_waits_for_no_replica(groups: GroupRuntime) -> None:
    groups.commit(10)
    groups.partition.commit(1)
    groups.commit(20)
    assert groups.runtime.request_or_delay(0, DeleteGroup("g")) == E.NONE
    assert await groups.offsets(partitions=[0]) == {0: None}
    groups.commit(30)
    groups.partition.commit(2)
    assert await groups.offsets(partitions=[0]) == {0: None}
    groups.partition.commit(4)
    assert await groups.offsets(partitions=[0]) == {0: 30}


async def test_the_marker_of_a_transaction_is_waited_for(groups: GroupRuntime, nursery: trio.Nursery) -> None:
    """The offset before is no answer for a consumer that asks for stable offsets: the transaction is decided."""
    groups.commit(10)
    groups.partition.commit(1)
    groups.partition.log.log_end_offset = 2
    groups.runtime.end_transaction(0, 77, committed=True)
    found: list[dict[int, int | None]] = []

    async def read() -> None:
        found.append(await groups.offsets())

    nursery.start_soon(read)
    await wait_all_tasks_blocked()
    assert found == []
    groups.partition.commit(2)
    await wait_all_tasks_blocked()
    assert found == [{0: 10}]


async def test_the_log_of_which_a_shard_was_loaded_is_waited_for(nursery: trio.Nursery) -> None:
    groups = GroupRuntime()
    groups.partition.log.log_start_offset = groups.partition.log.log_end_offset = 5
    groups.partition.high_watermark = 4
    nursery.start_soon(groups.runtime.run)
    groups.runtime.follow({0: cast("Partition", groups.partition)})
    await groups.runtime.first_loads()
    found: list[dict[int, int | None]] = []

    async def read() -> None:
        found.append(await groups.offsets(partitions=[0]))

    nursery.start_soon(read)
    await wait_all_tasks_blocked()
    assert found == []
    groups.partition.commit(5)
    await wait_all_tasks_blocked()
    assert found == [{0: None}]
    nursery.cancel_scope.cancel()


async def test_a_commit_that_was_replicated_is_answered(groups: GroupRuntime, nursery: trio.Nursery) -> None:
    delayed = groups.commit(10)
    assert isinstance(delayed, DelayedRequest)
    codes: list[int] = []

    async def await_response() -> None:
        codes.append((await outcome(delayed)).topics[0].partitions[0].error_code)

    nursery.start_soon(await_response)
    await wait_all_tasks_blocked()
    groups.partition.commit(1)
    await wait_all_tasks_blocked()
    assert codes == [E.NONE]
