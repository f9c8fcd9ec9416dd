"""Markers as they lie in the log, and who may not write them."""

from __future__ import annotations

import pytest

from wirebroker.handlers.txn_markers import handle_write_txn_markers
from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode as E
from wirebroker.protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from wirebroker.record.control import EndTxnMarker, read_marker
from wirebroker.record.record_batch import RecordBatch, TimestampType, batches
from wirebroker.tests.handlers.txn_stage import T0, T1, Stage


def last_batch(stage: Stage, at: TopicPartition) -> RecordBatch:
    log = stage.replicas.get(*at).log
    return list(batches(log.read(0, 1 << 20, log.log_end_offset, min_one_batch=True).tobytes()))[-1]


@pytest.mark.parametrize("committed", [True, False])
async def test_a_marker_is_a_control_batch_of_the_producer(committed: bool) -> None:
    stage = await Stage.open()
    stage.coordinator.partitions = {T0}
    await stage.produce()
    assert await stage.end(committed=committed, coordinator_epoch=4) == [E.NONE]
    found = last_batch(stage, T0)
    assert (found.producer_id, found.producer_epoch, found.base_sequence, found.record_count) == (7, 0, -1, 1)
    assert found.attributes == 0x30
    assert found.is_valid()
    assert read_marker(found) == EndTxnMarker(committed, 4)
    (record,) = found.records()
    assert (record.key, record.value) == (bytes([0, 0, 0, committed]), bytes([0, 0, 0, 0, 0, 4]))
    assert stage.replicas.get(*T0).last_stable_offset == 2


async def test_markers_leave_nothing_behind_in_memory() -> None:
    """Nobody reads __consumer_offsets, and it has a marker for every transaction of every copying job."""
    stage = await Stage.open()
    for sequence in range(3):
        stage.coordinator.partitions = {T0}
        await stage.produce(sequence=sequence)
        assert await stage.end() == [E.NONE]
    unstable = stage.replicas.get(*T0).log.view.unstable
    assert unstable is not None
    assert unstable.completed == ((4, 5),)  # the last one, until the next transaction begins


async def test_a_topic_that_stamps_its_records_stamps_markers() -> None:
    stage = await Stage.open()
    at = TopicPartition("stamped", 0)
    assert await stage.end(at) == [E.NONE]
    found = last_batch(stage, at)
    assert found.timestamp_type is TimestampType.LOG_APPEND_TIME
    assert found.is_valid()


async def test_each_partition_succeeds_or_fails_alone() -> None:
    stage = await Stage.open()
    stage.coordinator.partitions = {T0}
    await stage.produce()
    gone = TopicPartition("t", 9)
    assert await stage.end(gone, T0, T1) == [E.UNKNOWN_TOPIC_OR_PARTITION, E.NONE, E.NONE]
    assert stage.replicas.get(*T0).last_stable_offset == 2


async def test_a_log_of_an_older_format_gets_none() -> None:
    stage = await Stage.open()
    partition = stage.replicas.get(*T1)
    partition.rules.magic = 1
    assert await stage.end(T0, T1) == [E.NONE, E.UNSUPPORTED_FOR_MESSAGE_FORMAT]
    assert partition.log.log_end_offset == 0


async def test_old_coordinators_and_old_producers_are_fenced() -> None:
    stage = await Stage.open()
    stage.coordinator.partitions = {T0}
    await stage.produce()
    assert await stage.end(coordinator_epoch=5, epoch=1) == [E.NONE]
    assert await stage.end(T0, coordinator_epoch=4, epoch=1) == [E.TRANSACTION_COORDINATOR_FENCED]
    assert await stage.end(T0, coordinator_epoch=5, epoch=0) == [E.INVALID_PRODUCER_EPOCH]
    assert await stage.end(T0, coordinator_epoch=5, epoch=1) == [E.NONE]  # sent again
    assert stage.replicas.get(*T0).log.log_end_offset == 3


async def test_with_an_epoch_per_transaction_a_late_marker_ends_nothing() -> None:
    stage = await Stage.open()
    stage.coordinator.epoch = 1
    assert (await stage.produce(version=12, epoch=1)).error_code == 0
    assert await stage.end(T0, epoch=1, version=2) == [E.INVALID_PRODUCER_EPOCH]
    assert stage.replicas.get(*T0).last_stable_offset == 0
    assert await stage.end(T0, epoch=2, version=2) == [E.NONE]
    assert await stage.end(T0, epoch=2, version=2) == [E.NONE]  # sent again
    assert stage.replicas.get(*T0).last_stable_offset == 3


async def test_markers_wake_readers_of_committed_records() -> None:
    stage = await Stage.open()
    stage.coordinator.partitions = {T0}
    await stage.produce()
    told: list[int] = []

    class Listener:
        def partition_changed(self) -> None:
            told.append(stage.replicas.get(*T0).last_stable_offset)

    stage.replicas.get(*T0).listeners.add(Listener())
    await stage.end()
    assert told == [2]


async def test_markers_on_request() -> None:
    stage = await Stage.open()
    stage.coordinator.partitions = {T0, T1}
    await stage.produce(0, 1)
    request = WriteTxnMarkersRequest(
        [
            WritableTxnMarker(7, 0, False, [WritableTxnMarkerTopic("t", [0, 5])], 1),
            WritableTxnMarker(8, 0, True, [WritableTxnMarkerTopic("t", [1])], 1),
            WritableTxnMarker(7, 0, True, [WritableTxnMarkerTopic("t", [1])], 1),
        ]
    )
    response = await handle_write_txn_markers(stage.context(1), request)
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
    assert read_marker(last_batch(stage, T0)) == EndTxnMarker(False, 1)
