"""ListOffsets, OffsetForLeaderEpoch, DeleteRecords and DescribeProducers, answered as Apache Kafka 3.9.1 answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from compat_tests.conftest import unique_name
from compat_tests.kafka_requests import NOW, batch, list_offsets, produce
from wirebroker.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from wirebroker.protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest
from wirebroker.protocol.messages.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from wirebroker.protocol.messages.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)

if TYPE_CHECKING:
    from compat_tests.comparison import Side, SideBySide
    from wirebroker.protocol.messages.produce import ProduceRequest


@pytest.fixture
def topic(both: SideBySide) -> str:
    """Partition 0: times rise, fall and repeat over five batches.  Partition 1: one batch.  Partition 2: nothing."""
    name = both.create_topic(unique_name("offsets"), partitions=3)
    for start in (1000, 5000, 3000, 5000, 2000):
        both.ask(produce(name, batch(b"a", b"b", timestamp=NOW + start)), 9)
    both.ask(produce(name, batch(b"x", codec=2), partition=1), 9)
    return name


@pytest.mark.parametrize("version", range(1, 10))
def test_list_offsets(both: SideBySide, topic: str, version: int) -> None:
    for timestamp in (-1, -2, -3, -4, -5, -6, -7, -100):
        for partition in (0, 1, 2):
            request = list_offsets(topic, timestamp, partition=partition)
            both.ask(request, version, label=f"special {timestamp} of partition {partition}")
    for time in (0, 1, NOW, NOW + 1000, NOW + 1001, NOW + 1002, NOW + 3000, NOW + 5000, NOW + 5001, NOW + 5002, 2**62):
        both.ask(list_offsets(topic, time), version, label=f"time {time - NOW}")
        both.ask(list_offsets(topic, time, partition=2), version, label=f"time {time - NOW} of nothing")
    both.ask(list_offsets(topic, -1, -2), version, label="a partition twice")
    both.ask(list_offsets(topic, -1, partition=3), version, label="unknown partition")
    both.ask(list_offsets(topic, -1, partition=-1), version, label="partition -1")
    both.ask(list_offsets("no-such-topic", -1), version, label="unknown topic")
    both.ask(list_offsets(topic), version, label="no partitions")
    both.ask(ListOffsetsRequest(-1), version, label="nothing")
    for replica in (-2, 0, 7):
        both.ask(list_offsets(topic, -1, replica_id=replica), version, label=f"replica {replica}")
    if version >= 2:
        for isolation in (0, 1):
            both.ask(list_offsets(topic, -1, isolation_level=isolation), version, label=f"isolation {isolation}")
            both.ask(list_offsets(topic, NOW + 3000, isolation_level=isolation), version, label="time and isolation")
    if version >= 4:
        for epoch in (-2, -1, 0, 1, 99):
            both.ask(list_offsets(topic, -1, epoch=epoch), version, label=f"leader epoch {epoch}")
    parts = [ListOffsetsPartition(number, -1, -2) for number in (2, 0, 5, 1)]
    both.ask(ListOffsetsRequest(-1, 0, [ListOffsetsTopic(topic, parts)]), version, label="in this order")
    delete = DeleteRecordsRequest([DeleteRecordsTopic(topic, [DeleteRecordsPartition(0, 5)])], 50_000)
    both.ask(delete, 2)
    for timestamp in (-1, -2, -3, NOW + 1000, NOW + 5000, NOW + 5002):
        both.ask(list_offsets(topic, timestamp), version, label=f"after deletion {timestamp}")


@pytest.mark.parametrize("version", range(5))
def test_offset_for_leader_epoch(both: SideBySide, topic: str, version: int) -> None:
    def ask(name: str, epoch: int, current: int = -1, partition: int = 0, replica: int = -2) -> None:
        wanted = OffsetForLeaderPartition(partition, current, epoch)
        request = OffsetForLeaderEpochRequest(replica, [OffsetForLeaderTopic(name, [wanted])])
        both.ask(request, version, label=f"epoch {epoch} current {current} partition {partition} replica {replica}")

    for epoch in (0, 1, 5, -1, -2):
        ask(topic, epoch)
        ask(topic, epoch, partition=2)
    if version >= 2:
        for current in (-2, 0, 1, 99):
            ask(topic, 0, current)
    if version >= 3:
        for replica in (-1, 0, 3):
            ask(topic, 0, replica=replica)
    ask(topic, 0, partition=3)
    ask("no-such-topic", 0)
    both.ask(OffsetForLeaderEpochRequest(), version, label="nothing")


@pytest.mark.parametrize("version", range(3))
def test_delete_records(both: SideBySide, topic: str, version: int) -> None:
    def ask(name: str, offset: int, partition: int = 0, timeout_ms: int = 5000) -> None:
        wanted = DeleteRecordsTopic(name, [DeleteRecordsPartition(partition, offset)])
        both.ask(DeleteRecordsRequest([wanted], timeout_ms), version, label=f"{name} {partition} before {offset}")

    for offset in (0, 3, 2, 3, 11, -2, -1, 10):
        ask(topic, offset)
    ask(topic, 0, partition=2)
    ask(topic, -1, partition=2)
    ask(topic, 1, partition=2)
    ask(topic, 0, partition=7)
    ask(topic, 0, partition=-1)
    ask("no-such-topic", 0)
    ask(topic, 1, partition=1, timeout_ms=0)
    both.ask(DeleteRecordsRequest(), version, label="nothing")
    both.ask(DeleteRecordsRequest([DeleteRecordsTopic(topic)]), version, label="no partitions")
    fresh = both.create_topic(unique_name("twice"))
    both.ask(produce(fresh, batch(b"a", b"b", b"c", b"d")), 9)
    twice = DeleteRecordsTopic(fresh, [DeleteRecordsPartition(0, 3), DeleteRecordsPartition(0, 2)])
    both.ask(DeleteRecordsRequest([twice], 50_000), version, label="twice")
    for policy in ("compact", "delete,compact"):
        name = both.create_topic(unique_name("policy"), cleanup_policy=policy)
        both.ask(produce(name, batch()), 9)
        ask(name, 1)


def test_describe_producers(both: SideBySide, topic: str) -> None:
    ids = both.new_producer()

    def send(side: Side) -> ProduceRequest:
        data = batch(b"a", b"b", producer_id=ids.of(side).producer_id, producer_epoch=3, base_sequence=0)
        return produce(topic, data)

    both.ask(send, 9)
    both.ask(DescribeProducersRequest([TopicRequest(topic, [0, 1])]), 0)
    for wanted in ([2], [9], [], [1, 1]):
        both.ask(DescribeProducersRequest([TopicRequest(topic, wanted)]), 0, label=f"partitions {wanted}")
    both.ask(DescribeProducersRequest([TopicRequest("no-such-topic", [0])]), 0, label="unknown topic")
    both.ask(DescribeProducersRequest(), 0, label="nothing")
