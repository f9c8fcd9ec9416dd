"""TxnMarkerWriter: markers in the log, and refusals of fenced coordinators and producers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
import trio
import trio.testing

from wirebroker.clock import now_ms
from wirebroker.handlers.write_txn_markers import handle_write_txn_markers
from wirebroker.loop_budget import LoopBudget
from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode as E
from wirebroker.protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from wirebroker.record.control import EndTxnMarker, read_marker
from wirebroker.record.record_batch import RecordBatch, TimestampType, batches
from wirebroker.replication.txn_marker_writer import TxnMarkerWriter
from wirebroker.tests.handlers.txn_harness import T0, T1, TxnHarness
from wirebroker.tests.replication.replica_set import STATE, TOPIC_ID, started
from wirebroker.tests.storage.fakes.logs import LARGE, batch

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext


def last_batch(harness: TxnHarness, at: TopicPartition) -> RecordBatch:
    log = harness.replicas.get(*at).log
    return list(batches(log.read(0, 1 << 20, log.log_end_offset, min_one_batch=True).tobytes()))[-1]


@pytest.mark.parametrize("committed", [True, False])
async def test_a_marker_is_a_control_batch_of_the_producer(committed: bool) -> None:
    harness = await TxnHarness.open()
    harness.coordinator.partitions = {T0}
    await harness.produce()
    assert await harness.end(committed=committed, coordinator_epoch=4) == [E.NONE]
    found = last_batch(harness, T0)
    assert (found.producer_id, found.producer_epoch, found.base_sequence, found.record_count) == (7, 0, -1, 1)
    assert found.attributes == 0x30
    assert found.is_valid()
    assert read_marker(found) == EndTxnMarker(committed, 4)
    (record,) = found.records()
    assert (record.key, record.value) == (bytes([0, 0, 0, committed]), bytes([0, 0, 0, 0, 0, 4]))
    assert harness.replicas.get(*T0).last_stable_offset == 2


async def test_markers_leave_no_producer_state() -> None:
    """__consumer_offsets has a marker for every transaction of a consume-transform-produce job."""
    harness = await TxnHarness.open()
    for sequence in range(3):
        harness.coordinator.partitions = {T0}
        await harness.produce(sequence=sequence)
        assert await harness.end() == [E.NONE]
    unstable = harness.replicas.get(*T0).log.view.unstable
    assert unstable is not None
    assert unstable.completed == ((4, 5),)  # the last one, until the next transaction begins


async def test_log_append_time_applies_to_markers() -> None:
    harness = await TxnHarness.open()
    at = TopicPartition("stamped", 0)
    assert await harness.end(at) == [E.NONE]
    found = last_batch(harness, at)
    assert found.timestamp_type is TimestampType.LOG_APPEND_TIME
    assert found.is_valid()


async def test_each_partition_succeeds_or_fails_alone() -> None:
    harness = await TxnHarness.open()
    harness.coordinator.partitions = {T0}
    await harness.produce()
    gone = TopicPartition("t", 9)
    assert await harness.end(gone, T0, T1) == [E.UNKNOWN_TOPIC_OR_PARTITION, E.NONE, E.NONE]
    assert harness.replicas.get(*T0).last_stable_offset == 2


async def test_a_log_of_an_older_format_gets_no_marker() -> None:
    harness = await TxnHarness.open()
    partition = harness.replicas.get(*T1)
    partition.rules.magic = 1
    assert await harness.end(T0, T1) == [E.NONE, E.UNSUPPORTED_FOR_MESSAGE_FORMAT]
    assert partition.log.log_end_offset == 0


async def test_old_coordinators_and_old_producers_are_fenced() -> None:
    harness = await TxnHarness.open()
    harness.coordinator.partitions = {T0}
    await harness.produce()
    assert await harness.end(coordinator_epoch=5, epoch=1) == [E.NONE]
    assert await harness.end(T0, coordinator_epoch=4, epoch=1) == [E.TRANSACTION_COORDINATOR_FENCED]
    assert await harness.end(T0, coordinator_epoch=5, epoch=0) == [E.INVALID_PRODUCER_EPOCH]
    assert await harness.end(T0, coordinator_epoch=5, epoch=1) == [E.NONE]  # sent again
    assert harness.replicas.get(*T0).log.log_end_offset == 3


async def test_with_an_epoch_per_transaction_a_late_marker_ends_nothing() -> None:
    harness = await TxnHarness.open()
    harness.coordinator.epoch = 1
    assert (await harness.produce(version=12, epoch=1)).error_code == 0
    assert await harness.end(T0, epoch=1, version=2) == [E.INVALID_PRODUCER_EPOCH]
    assert harness.replicas.get(*T0).last_stable_offset == 0
    assert await harness.end(T0, epoch=2, version=2) == [E.NONE]
    assert await harness.end(T0, epoch=2, version=2) == [E.NONE]  # sent again
    assert harness.replicas.get(*T0).last_stable_offset == 3


async def test_markers_wake_readers_of_committed_records() -> None:
    harness = await TxnHarness.open()
    harness.coordinator.partitions = {T0}
    await harness.produce()
    told: list[int] = []

    class Listener:
        def partition_changed(self) -> None:
            told.append(harness.replicas.get(*T0).last_stable_offset)

    harness.replicas.get(*T0).listeners.add(Listener())
    await harness.end()
    assert told == [2]


async def test_markers_on_request() -> None:
    harness = await TxnHarness.open()
    harness.coordinator.partitions = {T0, T1}
    await harness.produce(0, 1)
    request = WriteTxnMarkersRequest(
        [
            WritableTxnMarker(7, 0, False, [WritableTxnMarkerTopic("t", [0, 5])], 1),
            WritableTxnMarker(8, 0, True, [WritableTxnMarkerTopic("t", [1])], 1),
            WritableTxnMarker(7, 0, True, [WritableTxnMarkerTopic("t", [1])], 1),
        ]
    )
    response = await handle_write_txn_markers(harness.context(1), request)
    told = {
        (marker.producer_id, topic.name, each.partition_index): each.error_code
        for marker in response.markers
        for topic in marker.topics
        for each in topic.partitions
    }
    assert told == {
        (7, "t", 0): 0,
        (7, "t", 5): E.UNKNOWN_TOPIC_OR_PARTITION,
        (7, "t", 1): 0,
        (8, "t", 1): 0,
    }
    assert read_marker(last_batch(harness, T0)) == EndTxnMarker(False, 1)


@pytest.mark.parametrize(("producer_id", "epoch"), [(7, -1), (-1, 0)])
async def test_a_marker_without_producer_or_epoch_fails_the_request(producer_id: int, epoch: int) -> None:
    harness = await TxnHarness.open()
    harness.coordinator.partitions = {T0}
    await harness.produce(0)
    for index, code in ((1, E.UNKNOWN_SERVER_ERROR), (5, E.NONE)):
        request = WriteTxnMarkersRequest(
            [
                WritableTxnMarker(9, 0, True, [WritableTxnMarkerTopic("t", [0])], 1),
                WritableTxnMarker(producer_id, epoch, True, [WritableTxnMarkerTopic("t", [index])], 1),
            ]
        )
        response = await handle_write_txn_markers(harness.context(1), request)
        codes = [marker.topics[0].partitions[0].error_code for marker in response.markers]
        assert codes == [code, code or E.UNKNOWN_TOPIC_OR_PARTITION]
        assert harness.replicas.get(*T0).log.log_end_offset == (1 if code else 2)


async def test_replicas_of_one_partition_do_not_delay_the_readers_of_another() -> None:
    """The markers of a request wait for all in-sync replicas together, when all are in the logs."""
    cluster = await started()
    broker = cluster.leader
    log = broker.logs.get_or_create("u", 0, TOPIC_ID, LARGE, is_new=True)
    alone = broker.replicas.host(TopicPartition("u", 0), TOPIC_ID, log, 0)
    await alone.make_leader(STATE._replace(isr=(1,), replicas=(1,)))
    for partition, producer_id in ((broker.partition, 7), (alone, 8)):
        data = batch(b"x", timestamp=now_ms(), producer=(producer_id, 0, 0), transactional=True).buffer
        await partition.append(memoryview(bytearray(data)), None, 1, acks=1)
    assert alone.last_stable_offset == 0
    services = SimpleNamespace(markers=TxnMarkerWriter(broker.replicas, lambda *_: None))
    request = WriteTxnMarkersRequest(
        [
            WritableTxnMarker(7, 0, True, [WritableTxnMarkerTopic("t", [0])], 1),
            WritableTxnMarker(8, 0, True, [WritableTxnMarkerTopic("u", [0])], 1),
        ]
    )
    responses = []

    async def write() -> None:
        context = cast("RequestContext", SimpleNamespace(services=services, start_budget=LoopBudget))
        responses.append(await handle_write_txn_markers(context, request))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(write)
        await trio.testing.wait_all_tasks_blocked()
        assert (alone.last_stable_offset, responses) == (2, [])
        await cluster.catch_up(2, 3)
    (response,) = responses
    codes = [each.error_code for marker in response.markers for topic in marker.topics for each in topic.partitions]
    assert codes == [E.NONE, E.NONE]
