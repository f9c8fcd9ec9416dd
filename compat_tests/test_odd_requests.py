"""Requests that are valid but odd, beside Apache Kafka 3.9.1: topics named again, empty topics, unknown types.

Found by a comparison of random requests of every API and version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.conftest import unique_name, wait_until
from compat_tests.kafka_requests import batch, fetch, init_producer_id, produce
from compat_tests.side_by_side import BrokerPair
from wirebroker.protocol.messages.add_partitions_to_txn import AddPartitionsToTxnRequest, AddPartitionsToTxnTopic
from wirebroker.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from wirebroker.protocol.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from wirebroker.protocol.messages.find_coordinator import FindCoordinatorRequest
from wirebroker.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from wirebroker.protocol.messages.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
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

if TYPE_CHECKING:
    from compat_tests.comparison import Side, SideBySide
    from wirebroker.protocol.messages.produce import ProduceRequest

TOPIC, UNKNOWN_TYPE = 2, 64
SET, APPEND, SUBTRACT = 0, 2, 3
LONGEST = (1 << 63) - 1


@pytest.fixture
def pair(both: SideBySide) -> BrokerPair:
    kafka, wirebroker = (side.broker for side in both.sides)
    return BrokerPair(wirebroker, kafka)


@pytest.fixture
def topic(both: SideBySide) -> str:
    """A topic of two partitions, on brokers whose __consumer_offsets exists."""
    name = both.create_topic(unique_name("odd"), partitions=2)
    both.ask(produce(name, batch(b"a", b"b")), 9)
    for side in both.sides:
        answer = side.ask(FindCoordinatorRequest("group", 0), 1, "compat", 60)
        assert answer is not None
    return name


def offset_topics(topic: str) -> list[tuple[str, list[int]]]:
    return [("missing", []), (topic, [9, 0]), ("missing", [1, 3]), (topic, [1]), (topic, [])]


@pytest.mark.parametrize("version", range(10))
def test_offset_commit(pair: BrokerPair, topic: str, version: int) -> None:
    def request(group: str, topics: list[tuple[str, list[int]]], retention_ms: int = -1) -> OffsetCommitRequest:
        made = [
            OffsetCommitRequestTopic(name=name, partitions=[OffsetCommitRequestPartition(index) for index in indexes])
            for name, indexes in topics
        ]
        return OffsetCommitRequest(group, topics=made, retention_time_ms=retention_ms)

    group = unique_name("group")
    steps = [
        ("named again", request(group, offset_topics(topic)), version),
        ("nothing that exists", request(group, [("missing", [0]), ("missing", []), (topic, [-1, 2])]), version),
        ("no group", request("", offset_topics(topic)), version),
    ]
    if version in range(2, 5):
        steps.append(("longest", request(unique_name("group"), [(topic, [0])], LONGEST), version))
    assert pair.differences(steps) == []


@pytest.mark.parametrize("version", range(5))
def test_txn_offset_commit(pair: BrokerPair, topic: str, version: int) -> None:
    topics = [
        TxnOffsetCommitRequestTopic(name, [TxnOffsetCommitRequestPartition(index) for index in indexes])
        for name, indexes in offset_topics(topic)
    ]
    unknown = [each for each in topics if each.name == "missing"]
    steps = [
        (label, TxnOffsetCommitRequest("odd", group, -1, 0, topics=each), version)
        for label, group, each in (("nothing that exists", "g", unknown), ("no group", "", topics))
    ]
    assert pair.differences(steps) == []


@pytest.mark.parametrize("version", range(2, 10))
def test_list_offsets_with_unknown_isolation(pair: BrokerPair, topic: str, version: int) -> None:
    def request(name: str, partition: int, replica: int, timestamp: int) -> ListOffsetsRequest:
        asked = ListOffsetsPartition(partition, -1, timestamp)
        return ListOffsetsRequest(replica, isolation, [ListOffsetsTopic(name, [asked])])

    steps = []
    for isolation in (-1, 2):
        for replica in (-1, -2, -3):
            for name, partition in ((topic, 0), (topic, 9), ("missing", 0)):
                for timestamp in (-1, -2, -7, 0):
                    label = f"{name} {partition} isolation {isolation} replica {replica} time {timestamp}"
                    steps.append((label, request(name, partition, replica, timestamp), version))
    assert pair.differences(steps) == []


@pytest.mark.parametrize("version", [4, 11, 12])
def test_replica_ids_read_open_transactions(both: SideBySide, topic: str, version: int) -> None:
    """-1 and -2 read what consumers may, -3 to the log end."""
    name = unique_name("open")
    for side in both.sides:
        begin(side, name, topic)
    for replica in (-1, -2, -3):
        for isolation in (0, 1):
            request = fetch(
                version, {(topic, bytes(16), 1): 0}, replica_id=replica, isolation_level=isolation, session_epoch=-1
            )
            both.ask(request, version, label=f"replica {replica} isolation {isolation}")
    both.verify()


def begin(side: Side, transactional_id: str, topic: str) -> int:
    """A record in partition 1 whose transaction stays open; return the id of its producer."""
    found: list[Any] = []

    def has_producer() -> bool:
        side.ask(FindCoordinatorRequest(transactional_id, 1), 1, "compat", 60)  # creates the internal topic
        found[:] = [side.ask(init_producer_id(transactional_id=transactional_id), 1, "compat", 60)]
        return bool(found[0].error_code == 0)

    wait_until(has_producer)
    producer_id, epoch = found[0].producer_id, found[0].producer_epoch
    side.named("producer", producer_id)
    added = AddPartitionsToTxnRequest(
        v3_and_below_transactional_id=transactional_id,
        v3_and_below_producer_id=producer_id,
        v3_and_below_producer_epoch=epoch,
        v3_and_below_topics=[AddPartitionsToTxnTopic(topic, [1])],
    )
    codes = side.ask(added, 1, "compat", 60).results_by_topic_v3_and_below[0].results_by_partition
    assert [each.partition_error_code for each in codes] == [0]
    records = batch(transactional=True, producer_id=producer_id, producer_epoch=epoch, base_sequence=0)
    answer = side.ask(produce(topic, records, partition=1, transactional_id=transactional_id), 9, "compat", 60)
    assert answer.responses[0].partition_responses[0].error_code == 0
    return int(producer_id)


@pytest.mark.parametrize("version", range(3))
def test_delete_records(pair: BrokerPair, topic: str, version: int) -> None:
    asked = [("__consumer_offsets", 0), ("__consumer_offsets", -1), (topic, 9), (topic, 1), ("missing", 0), (topic, 9)]
    topics = [DeleteRecordsTopic(name, [DeleteRecordsPartition(index, 100)]) for name, index in asked]
    assert pair.differences([("named again", DeleteRecordsRequest(topics, 5000), version)]) == []


@pytest.mark.parametrize("release", ["0.9.0", "0.10.2"])
def test_an_old_message_format_is_not_used(both: SideBySide, release: str) -> None:
    """From inter.broker.protocol.version 3.0 on; librdkafka cannot read an old format with Fetch 12 and later."""
    topic = both.create_topic(unique_name("format"), message_format_version=release)
    ids = both.new_producer()
    both.ask(produce(topic, batch(b"a")), 9, label="a batch")

    def idempotent(side: Side) -> ProduceRequest:
        return produce(topic, batch(b"b", producer_id=ids.of(side).producer_id, producer_epoch=0, base_sequence=0))

    both.ask(idempotent, 9, label="a batch with a producer id")
    both.ask(fetch(12, {(topic, bytes(16), 0): 0}, session_epoch=-1), 12)
    both.verify()


@pytest.mark.parametrize("version", range(2))
def test_config_checks(pair: BrokerPair, topic: str, version: int) -> None:
    steps = []
    for kind in (TOPIC, UNKNOWN_TYPE, 0, -1):
        for name in (topic, "missing", "no name!", ""):
            for config in (("bogus", APPEND), ("retention.ms", SUBTRACT), ("retention.ms", 9), ("retention.ms", SET)):
                resource = AlterConfigsResource(kind, name, [AlterableConfig(*config, value="1000")])
                request = IncrementalAlterConfigsRequest([resource], validate_only=True)
                steps.append((f"{kind} {name!r} {config}", request, version))
    assert pair.differences(steps) == []


@pytest.mark.parametrize("version", range(1, 3))
def test_elections_of_no_partition(pair: BrokerPair, version: int) -> None:
    steps = [(f"type {kind}", ElectLeadersRequest(kind, [], 5000), version) for kind in (-1, 0, 1, 2)]
    assert pair.differences(steps) == []


@pytest.mark.parametrize("version", range(3))
def test_elections_of_partitions_named_again(pair: BrokerPair, topic: str, version: int) -> None:
    named = [(topic, []), (topic, [0, 0, 9]), ("missing", []), ("missing", [1, 1]), (topic, [0])]
    topics = [TopicPartitions(name, indexes) for name, indexes in named]
    assert pair.differences([("named again", ElectLeadersRequest(0, topics, 5000), version)]) == []


@pytest.mark.parametrize("version", [0, 3])
def test_partitions_of_a_transaction_named_again(both: SideBySide, topic: str, version: int) -> None:
    def request(side: Side, *named: tuple[str, list[int]]) -> AddPartitionsToTxnRequest:
        return AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=name,
            v3_and_below_producer_id=producers[side.name],
            v3_and_below_producer_epoch=0,
            v3_and_below_topics=[AddPartitionsToTxnTopic(each, indexes) for each, indexes in named],
        )

    name = unique_name("again")
    producers = {side.name: begin(side, name, topic) for side in both.sides}
    there = [(topic, [0, 0]), (topic, [1]), (topic, [])]
    both.ask(lambda side: request(side, *there), version, label="all are there")
    # one each, as the order of more is that of a hash table
    both.ask(lambda side: request(side, (topic, [9, 9]), (topic, []), (topic, [9])), version, label="no partition")
    both.ask(lambda side: request(side, ("missing", [1, 1]), ("missing", [])), version, label="no topic")
    both.verify()
