"""Large commits of offsets: the same responses as to small ones, and the coordinator sees each partition once."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from wirebroker.coordinator.group.group_metadata_manager import GroupMetadataManager, records_size
from wirebroker.coordinator.group.offset_commit import Commit, MadeCommit
from wirebroker.coordinator.runtime import CoordinatorRuntime
from wirebroker.handlers.group_offsets import handle_offset_commit
from wirebroker.handlers.txn_offset_commit import handle_txn_offset_commit
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from wirebroker.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from wirebroker.tests.handlers.txn_harness import GROUPS, TxnHarness

TOPICS = (
    ("missing", (0, 0, 1)),
    ("t", (7, 1, 0, 7, 1, -1, 9)),
    ("gone", ()),
    ("stamped", ()),
    ("missing", (5,)),
    ("t", (0, 8)),
    ("stamped", (3,)),
)
TIMES = 20


def commit(group: str = "g", member: str = "", *, repeat: int = 1) -> OffsetCommitRequest:
    topics = [
        OffsetCommitRequestTopic(
            name=name,
            topic_id=name.encode().ljust(16),
            partitions=[OffsetCommitRequestPartition(index, 10 * at + number) for number, index in enumerate(indexes)],
        )
        for at, (name, indexes) in enumerate(TOPICS * repeat)
    ]
    return OffsetCommitRequest(group_id=group, generation_id_or_member_epoch=-1, member_id=member, topics=topics)


def txn_commit(group: str = "g", producer_id: int = 7) -> TxnOffsetCommitRequest:
    topics = [
        TxnOffsetCommitRequestTopic(
            name, [TxnOffsetCommitRequestPartition(index, 10 * at + number) for number, index in enumerate(indexes)]
        )
        for at, (name, indexes) in enumerate(TOPICS)
    ]
    return TxnOffsetCommitRequest("x", group, producer_id, 0, topics=topics)


async def responses(handle: Any, request: Any, version: int) -> list[tuple[Any, Any]]:
    """Return the responses to *request* as a small and as a large one, and what the group has committed then."""
    found = []
    for is_large in (False, True):
        harness = await TxnHarness.open()
        harness.services.zookeeper_offsets = None
        harness.coordinator.partitions.add(GROUPS)
        context = harness.context(version)
        context.api_key = type(request).API_KEY
        if is_large:
            context.start_budget()  # as dispatch does, which knows the size
        response = await handle(context, deepcopy(request))
        shard: Any = harness.groups.runtime.active(0).partition.log
        found.append((response, shard.log_end_offset))
    return found


async def test_offset_commit_without_a_coordinator() -> None:
    found = []
    for is_large in (False, True):
        harness = await TxnHarness.open()
        harness.groups.runtime.unload(0)
        context = harness.context(7)
        if is_large:
            context.start_budget()
        found.append(await handle_offset_commit(context, commit()))
    assert found[0] == found[1]
    codes = {each.error_code for topic in found[0].topics for each in topic.partitions}
    assert codes == {ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.NOT_COORDINATOR}


@pytest.mark.parametrize("version", [1, 7, 9, 10])
@pytest.mark.parametrize("request_", [commit(), commit(""), commit(member="unknown")])
async def test_offset_commit(request_: OffsetCommitRequest, version: int) -> None:
    small, large = await responses(handle_offset_commit, request_, version)
    assert small == large
    assert small[0].topics


@pytest.mark.parametrize("request_", [txn_commit(), txn_commit(""), txn_commit(producer_id=8)])
async def test_txn_offset_commit(request_: TxnOffsetCommitRequest) -> None:
    small, large = await responses(handle_txn_offset_commit, request_, 3)
    assert small == large
    assert small[0].topics


async def test_a_commit_that_does_not_fit_into_one_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GroupMetadataManager, "fits_bytes", lambda self, size_bytes: size_bytes < 50)
    monkeypatch.setattr(GroupMetadataManager, "fits", lambda self, made: records_size(made) < 50)
    small, large = await responses(handle_offset_commit, commit(), 7)
    assert small == large
    codes = {each.error_code for topic in large[0].topics for each in topic.partitions}
    assert codes == {ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.INVALID_COMMIT_OFFSET_SIZE}


@pytest.mark.parametrize(
    ("handle", "request_", "version"),
    [(handle_offset_commit, commit(), 7), (handle_txn_offset_commit, txn_commit(), 3)],
)
async def test_records_are_made_in_parts_before_the_turn(
    handle: Any, request_: Any, version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wirebroker.loop_budget.BUDGET_S", 0.0)
    monkeypatch.setattr("wirebroker.handlers.large_commits._PARTITIONS_PER_PART", 1)
    events: list[Any] = []
    make, request = Commit.make, CoordinatorRuntime.request

    def noted_make(self: Commit, group_id: str, topics: Any, *more: Any) -> MadeCommit:
        events.extend((topic.name, len(topic.partitions)) for topic in topics)
        return make(self, group_id, topics, *more)

    async def noted_request(self: CoordinatorRuntime, index: int, request_: Any, *more: Any) -> Any:
        events.append("turn")
        return await request(self, index, request_, *more)

    monkeypatch.setattr(Commit, "make", noted_make)
    monkeypatch.setattr(CoordinatorRuntime, "request", noted_request)
    harness = await TxnHarness.open()
    harness.coordinator.partitions.add(GROUPS)
    context = harness.context(version)
    context.start_budget()
    await handle(context, deepcopy(request_))
    assert events == [("t", 1), ("t", 1), "turn"]


async def test_the_coordinator_sees_each_partition_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirebroker.loop_budget.BUDGET_S", 0.0)
    harness = await TxnHarness.open()
    context = harness.context(7)
    context.start_budget()
    request = commit(repeat=TIMES)
    response = await handle_offset_commit(context, request)
    assert [(each.name, [at.partition_index for at in each.partitions]) for each in request.topics] == [
        ("t", [1, 0]),
        ("stamped", []),
    ]
    entries = TIMES * sum(len(indexes) for _, indexes in TOPICS)
    assert sum(len(topic.partitions) for topic in response.topics) == entries - TIMES * 4 + 2
    assert context.loop_budget is not None
    assert context.loop_budget.yields >= entries
