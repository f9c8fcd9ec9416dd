"""Requests with many entries: their handlers give up the event loop at every entry when its budget is spent."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
import trio
import trio.testing

from wirebroker.handlers.cluster import (
    handle_alter_partition_reassignments,
    handle_elect_leaders,
    handle_list_partition_reassignments,
)
from wirebroker.handlers.coordinators import handle_find_coordinator
from wirebroker.handlers.delete_records import handle_delete_records
from wirebroker.handlers.describe_topic_partitions import handle_describe_topic_partitions
from wirebroker.handlers.fetch import handle_fetch
from wirebroker.handlers.metadata import handle_metadata
from wirebroker.handlers.produce import handle_produce
from wirebroker.handlers.producers import handle_describe_producers
from wirebroker.handlers.replica_log_dirs import handle_alter_replica_log_dirs
from wirebroker.handlers.topics import handle_create_partitions, handle_create_topics, handle_delete_topics
from wirebroker.handlers.transactions import handle_add_partitions_to_txn, handle_describe_transactions
from wirebroker.handlers.write_txn_markers import handle_write_txn_markers
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from wirebroker.protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from wirebroker.protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from wirebroker.protocol.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from wirebroker.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from wirebroker.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from wirebroker.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from wirebroker.protocol.messages.describe_producers import DescribeProducersRequest
from wirebroker.protocol.messages.describe_producers import TopicRequest as ProducersOfTopic
from wirebroker.protocol.messages.describe_topic_partitions import DescribeTopicPartitionsRequest, TopicRequest
from wirebroker.protocol.messages.describe_transactions import DescribeTransactionsRequest
from wirebroker.protocol.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from wirebroker.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from wirebroker.protocol.messages.find_coordinator import FindCoordinatorRequest
from wirebroker.protocol.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
)
from wirebroker.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from wirebroker.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from wirebroker.protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from wirebroker.tests.controller.fakes import controller_harness
from wirebroker.tests.handlers.txn_harness import TxnHarness

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from wirebroker.handlers.context import RequestContext

    Handler = Callable[[RequestContext, Any], Awaitable[Any]]

N = 50
NAMES = [f"t{number}" for number in range(N)]
INDEXES = list(range(100, 100 + N))
IDS = [bytes([number]) * 16 for number in range(1, N + 1)]


@pytest.fixture(autouse=True)
def _no_loop_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every call of `LoopBudget.yield_if_due` yields."""
    monkeypatch.setattr("wirebroker.loop_budget.BUDGET_S", 0.0)


CONTROLLER: list[tuple[Handler, Any, int]] = [
    (
        handle_metadata,
        MetadataRequest([MetadataRequestTopic(name=name) for name in NAMES], allow_auto_topic_creation=False),
        9,
    ),
    (handle_metadata, MetadataRequest([MetadataRequestTopic(each, None) for each in IDS]), 12),
    (handle_describe_topic_partitions, DescribeTopicPartitionsRequest([TopicRequest(name) for name in NAMES]), 0),
    (handle_create_topics, CreateTopicsRequest([CreatableTopic(f"{name}/", 1, 1) for name in NAMES], 1000), 4),
    (handle_delete_topics, DeleteTopicsRequest(topic_names=NAMES, timeout_ms=1000), 3),
    (handle_delete_topics, DeleteTopicsRequest([DeleteTopicState(None, each) for each in IDS], timeout_ms=1000), 6),
    (
        handle_create_partitions,
        CreatePartitionsRequest([CreatePartitionsTopic(name, 2, None) for name in NAMES], 1000),
        1,
    ),
    (handle_elect_leaders, ElectLeadersRequest(0, [TopicPartitions("t", INDEXES)], 1000), 1),
    (
        handle_alter_partition_reassignments,
        AlterPartitionReassignmentsRequest(
            1000, topics=[ReassignableTopic("t", [ReassignablePartition(index, [0]) for index in INDEXES])]
        ),
        0,
    ),
    (
        handle_list_partition_reassignments,
        ListPartitionReassignmentsRequest(1000, [ListPartitionReassignmentsTopics("t", INDEXES)]),
        0,
    ),
]


@pytest.mark.parametrize(("handle", "request_", "version"), CONTROLLER)
async def test_requests_to_the_controller(tmp_path: Path, handle: Handler, request_: Any, version: int) -> None:
    async with controller_harness(tmp_path) as harness:
        context = harness.context(type(request_), version)
        await handle(context, request_)
    assert context.loop_budget is not None
    assert context.loop_budget.yields >= N


class NoTransactions:
    """The coordinator of no transactional id."""

    async def describe(self, transactional_id: str) -> None:
        raise ApiError(ErrorCode.TRANSACTIONAL_ID_NOT_FOUND)


class AlterLogDirs:
    """Refuses every move."""

    async def alter_log_dir(self, at: object, directory: object) -> None:
        raise ApiError(ErrorCode.LOG_DIR_NOT_FOUND, f"there is no {directory}")


MARKERS = [WritableTxnMarker(7, 0, False, [WritableTxnMarkerTopic("t", INDEXES)])]
MARKERS_OF_PRODUCERS = [WritableTxnMarker(each, 0, False, [WritableTxnMarkerTopic("none", [0])]) for each in range(N)]
LOG_DIRS = AlterReplicaLogDirsRequest([AlterReplicaLogDir("/nope", [AlterReplicaLogDirTopic("t", INDEXES)])])

BROKER: list[tuple[Handler, Any, int]] = [
    (handle_write_txn_markers, WriteTxnMarkersRequest(MARKERS), 1),
    (handle_write_txn_markers, WriteTxnMarkersRequest(MARKERS_OF_PRODUCERS), 1),
    (handle_alter_replica_log_dirs, LOG_DIRS, 1),
    (
        handle_add_partitions_to_txn,
        AddPartitionsToTxnRequest(
            v3_and_below_transactional_id="x", v3_and_below_topics=[AddPartitionsToTxnTopic("t", INDEXES)]
        ),
        3,
    ),
    (
        handle_add_partitions_to_txn,
        AddPartitionsToTxnRequest(
            [AddPartitionsToTxnTransaction(name, 1, 0, True, [AddPartitionsToTxnTopic("no", [0])]) for name in NAMES]
        ),
        4,
    ),
    (handle_describe_transactions, DescribeTransactionsRequest(NAMES), 0),
    (handle_find_coordinator, FindCoordinatorRequest(key_type=5, coordinator_keys=NAMES), 4),
    (handle_describe_producers, DescribeProducersRequest([ProducersOfTopic("t", INDEXES)]), 0),
    (
        handle_delete_records,
        DeleteRecordsRequest([DeleteRecordsTopic("t", [DeleteRecordsPartition(each, 0) for each in INDEXES])], 1000),
        1,
    ),
    (
        handle_produce,
        ProduceRequest(
            None, 1, 1000, [TopicProduceData(name, partition_data=[PartitionProduceData(0, None)]) for name in NAMES]
        ),
        9,
    ),
]


@pytest.mark.parametrize(("handle", "request_", "version"), BROKER)
async def test_requests_to_any_broker(handle: Handler, request_: Any, version: int) -> None:
    harness = await TxnHarness.open()
    harness.services.transactions = NoTransactions()
    harness.replicas.alter_log_dirs = cast(Any, AlterLogDirs())
    context = harness.context(version)
    context.api_key = type(request_).API_KEY
    await handle(context, request_)
    assert context.loop_budget is not None
    assert context.loop_budget.yields >= N


async def test_a_large_fetch() -> None:
    harness = await TxnHarness.open()
    context = harness.context(11)
    context.api_key = FetchRequest.API_KEY
    budget = context.start_budget()  # as dispatch does, which knows the size of the request
    partitions = [FetchPartition(each, partition_max_bytes=1000) for each in (*INDEXES * 5, 0)]
    request = FetchRequest(
        max_wait_ms=0, max_bytes=1000, session_epoch=-1, topics=[FetchTopic("t", partitions=partitions)]
    )
    response = await handle_fetch(context, request)
    answers = response.responses[0].partitions
    assert [each.partition_index for each in answers] == [*INDEXES, 0]
    assert {each.error_code for each in answers[:-1]} == {ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}
    assert not answers[-1].error_code
    assert budget.yields >= N


async def test_records_that_come_during_the_first_pass_of_a_large_fetch_are_returned(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wirebroker.replication.large_fetch.PARTITIONS_PER_CHECK", 1)
    harness = await TxnHarness.open()
    context = harness.context(11)
    context.api_key = FetchRequest.API_KEY
    context.start_budget()
    partitions = [FetchPartition(each, partition_max_bytes=1000) for each in (0, 1)]
    topics = [FetchTopic("t", partitions=partitions)]
    request = FetchRequest(max_wait_ms=60_000, min_bytes=1, max_bytes=1000, session_epoch=-1, topics=topics)

    async def append() -> None:
        await trio.lowlevel.checkpoint()  # behind the collection of the two partitions
        await trio.lowlevel.checkpoint()
        await harness.produce(0, producer_id=-1, sequence=-1, epoch=-1, transactional=False, transactional_id=None)

    nursery.start_soon(append)
    with trio.fail_after(1):
        response = await handle_fetch(context, request)
    first, second = response.responses[0].partitions
    assert first.records
    assert not second.records
    nursery.cancel_scope.cancel()


async def test_refused_markers_are_logged_once_for_each_error(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    harness = await TxnHarness.open()
    context = harness.context(1)
    await handle_write_txn_markers(context, WriteTxnMarkersRequest([*MARKERS, *MARKERS_OF_PRODUCERS]))
    (line,) = (each for each in caplog.messages if "refused" in each)
    assert line.startswith("topic=t partition=100: marker refused: UNKNOWN_TOPIC_OR_PARTITION ")
    assert line.endswith(f" (and {2 * N - 1} more with this error)")


async def test_refused_moves_are_logged_once_for_each_directory(caplog: pytest.LogCaptureFixture) -> None:
    replicas = SimpleNamespace(alter_log_dirs=AlterLogDirs())
    harness = await TxnHarness.open()
    harness.services.replicas = replicas
    await handle_alter_replica_log_dirs(harness.context(1), LOG_DIRS)
    assert caplog.messages == [
        f"topic=t partition=100: cannot move to /nope: there is no /nope (and {N - 1} more partitions)"
    ]
