"""Transactional Produce, read_committed Fetch, markers and DescribeProducers, in valid and invalid order. On
wirebroker and on Apache Kafka 3.9.1 and 4.1: the same answers, and the same batches in the log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from compat_tests.kafka_requests import batch, fetch, list_offsets, produce
from compat_tests.transactions.differences import (
    DELETED_START_OF_A_TRANSACTION,
    TRANSACTIONAL_DUPLICATE,
)
from compat_tests.transactions.scenario import Producer, TransactionScenario
from wirebroker.protocol.api import ApiKey
from wirebroker.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from wirebroker.protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest
from wirebroker.record.control import build_marker

if TYPE_CHECKING:
    from collections.abc import Callable

    Same = Callable[..., None]

PRODUCE_VERSIONS = [3, 5, 7, 8, 9, 10, 11, 12]


def producers(s: TransactionScenario, *partitions: int) -> None:
    s.ask_coordinator(DescribeProducersRequest([TopicRequest(s.topic, list(partitions or (0,)))]), 0)


def look(s: TransactionScenario, partition: int = 0) -> None:
    """Describe the producers and read the end offsets of a partition."""
    for committed in (True, False):
        s.read(partition=partition, committed=committed)
    s.ends(partition)
    producers(s, partition)


@pytest.mark.parametrize("version", PRODUCE_VERSIONS)
def test_produce(same: Same, version: int) -> None:
    def script(s: TransactionScenario) -> None:
        producer = s.producer()
        if version < 12:
            s.write(producer, 0, version=version)
        s.add(3, producer)
        s.write(producer, 1, version=version)
        for wrong in (producer.with_id(1000), producer.with_epoch(-1), producer.with_epoch(1)):
            s.write(wrong, 0, version=version)
        s.write(producer, 0, b"1", b"2", b"3", version=version)
        for sequence in (0, 1, 2, 5):
            s.write(producer, sequence, version=version)
        s.write(producer, 0, b"1", b"2", b"3", version=version)
        s.write(producer, 3, version=version)
        if version < 12:
            s.write(producer, 0, version=version, partition=1)
        look(s)
        s.end(3, producer)
        look(s)
        s.write(producer, 3, version=version)
        if version < 12:
            s.write(producer, 4, version=version)
        look(s)
        s.add(3, producer)
        s.write(producer, 5, version=version)
        s.write(producer, 4, version=version)
        s.end(3, producer, False)
        look(s)

    same(script, (ApiKey.PRODUCE, version))


@pytest.mark.parametrize("version", PRODUCE_VERSIONS)
def test_produce_that_is_not_as_it_should_be(same: Same, version: int) -> None:
    def script(s: TransactionScenario) -> None:
        producer, other = s.producer("-1"), s.producer("-2")
        s.add(3, producer)
        s.write(producer, 0, version=version, transactional_id=None)
        s.write(producer, 0, version=version, transactional_id=other.name)
        s.write(producer, 0, version=version, transactional_id=s.name("-unknown"))
        if version < 12:
            s.write(producer, 0, version=version, transactional_id="")
        s.write(producer, 0, version=version, transactional=False, partition=1)
        s.write(producer, 0, version=version, transactional=False, transactional_id=None, partition=1)
        s.write(producer, 1, version=version, transactional=False, transactional_id=None, partition=1)
        s.write(producer, 0, version=version)
        s.write(producer, 1, version=version, transactional=False)
        s.write(producer, 1, version=version, transactional=False, transactional_id=None)
        idempotent = s.init(4, None)
        non_transactional = Producer(idempotent.producer_id, idempotent.producer_epoch, producer.name)
        s.write(non_transactional, 0, version=version, transactional=False)
        s.write(non_transactional, 1, version=version)
        s.write(Producer(-1, -1, producer.name), -1, version=version, transactional=False)
        s.write(Producer(-1, -1, producer.name), -1, version=version)
        s.write(producer, 2, version=version, partition=7)
        for commit in (True, False):
            made = build_marker(
                committed=commit,
                coordinator_epoch=0,
                producer_id=producer.id,
                producer_epoch=producer.epoch,
                timestamp=1,
            )
            s.ask_coordinator(produce(s.topic, made, transactional_id=producer.name), version)
            s.ask_coordinator(produce(s.topic, made), version)
        s.write(producer, 3, version=version, control=True)
        s.write(producer, 0, version=version, topic="__consumer_offsets")
        look(s)
        s.end(3, producer)
        look(s)

    same(script, (ApiKey.PRODUCE, version))


def test_a_duplicate_of_a_plain_batch(same: Same) -> None:
    def script(s: TransactionScenario) -> None:
        producer = s.producer()
        s.add(3, producer)
        s.write(producer, 0, transactional=False)
        s.write(producer, 0)
        s.expect_difference(TRANSACTIONAL_DUPLICATE)
        s.write(producer, 1, transactional=False)

    same(script)


def test_the_transaction_begins_with_the_first_batch(same: Same) -> None:
    """Produce 12 adds the partition by itself (KIP-890)."""

    def script(s: TransactionScenario) -> None:
        producer = s.producer(version=5)
        s.write(producer, 0, version=12, partition=1)
        s.describe()
        s.write(producer, 0, version=12, partition=9)
        s.describe()
        s.write(producer, 1, version=11, partition=1)
        s.write(producer, 0, version=11, partition=2)
        s.write(producer, 0, version=12, partition=0)
        s.describe()
        answer = s.end(5, producer)
        s.write(producer, 1, version=12)
        producer = producer._replace(epoch=answer.producer_epoch)
        s.write(producer, 1, version=12)
        s.write(producer, 0, version=12)
        s.describe()
        s.end(5, producer, False)
        for partition in range(3):
            look(s, partition)

    same(script, (ApiKey.PRODUCE, 12), (ApiKey.END_TXN, 5))


@pytest.mark.parametrize("version", range(4, 18))
def test_read_committed(same: Same, version: int) -> None:
    """Two interleaved transactions and plain records, read from every offset."""

    def read(s: TransactionScenario, *offsets: int) -> None:
        for offset in offsets:
            for isolation in (0, 1):
                s.ask_coordinator(
                    fetch(version, {(s.topic, s.topic_id(), 0): offset}, isolation_level=isolation), version
                )

    def script(s: TransactionScenario) -> None:
        one, two = s.producer("-1"), s.producer("-2")
        read(s, 0)
        s.ask_coordinator(produce(s.topic, batch(b"plain")), 7)
        s.add(3, one)
        s.write(one, 0, b"1a", b"1b")
        read(s, 0, 1)
        s.add(3, two)
        s.write(two, 0, b"2a")
        s.write(one, 2, b"1c")
        s.ask_coordinator(produce(s.topic, batch(b"plain, too")), 7)
        read(s, 0, 1, 2)
        s.end(3, one, False)
        read(s, *range(8))
        s.end(3, two)
        read(s, *range(9))
        s.add(3, one)
        s.write(one, 3, b"1d")
        s.end(3, one, False)
        s.add(3, two)
        s.write(two, 1, b"2b", b"2c")
        s.end(3, two, False)
        read(s, *range(13), 20)
        producers(s)

    same(script, (ApiKey.FETCH, version))


@pytest.mark.parametrize("version", range(2, 10))
def test_offsets_by_isolation(same: Same, version: int) -> None:
    def ends(s: TransactionScenario) -> None:
        for isolation in (0, 1):
            for timestamp in (-1, -2, -3 if version >= 7 else -1, 0, 2**50):
                s.ask_coordinator(list_offsets(s.topic, timestamp, isolation_level=isolation), version)

    def script(s: TransactionScenario) -> None:
        one, two = s.producer("-1"), s.producer("-2")
        ends(s)
        s.add(3, one)
        s.write(one, 0, timestamp=1_700_000_000_000)
        ends(s)
        s.add(3, two)
        s.write(two, 0, timestamp=1_700_000_001_000)
        s.end(3, one)
        ends(s)

    same(script, (ApiKey.LIST_OFFSETS, version))


@pytest.mark.parametrize("version", [0, 1])
def test_markers(same: Same, version: int) -> None:
    def script(s: TransactionScenario) -> None:
        s.producer()
        producer = s.producer()
        for commit in (True, False):
            s.marker(version, producer, commit, wanted={"missing": [0], s.topic: [9]})
            s.marker(version, producer.with_id(1000), commit, wanted={s.topic: [2]})
        s.marker(version, producer, wanted={})
        s.marker(version, producer, wanted={s.topic: []})
        look(s, 2)
        s.marker(version, producer)
        look(s)
        s.add(3, producer)
        s.write(producer, 0)
        s.marker(version, producer.with_epoch(-1))
        look(s)
        s.marker(version, producer, False, coordinator_epoch=5)
        look(s)
        s.marker(version, producer, coordinator_epoch=4)
        s.marker(version, producer, coordinator_epoch=-1)
        s.write(producer, 1)
        s.marker(version, producer.with_epoch(3), coordinator_epoch=5)
        look(s)
        s.write(producer, 2)
        s.write(producer.with_epoch(3), 0)

    same(script, (ApiKey.WRITE_TXN_MARKERS, version))


def test_describing_producers(same: Same) -> None:
    def script(s: TransactionScenario) -> None:
        def everything() -> None:
            s.ask_coordinator(
                DescribeProducersRequest([TopicRequest(s.topic, [0, 1, 9, -1]), TopicRequest("missing", [0])]), 0
            )

        everything()
        s.ask_coordinator(DescribeProducersRequest([]), 0)
        s.ask_coordinator(DescribeProducersRequest([TopicRequest(s.topic, [])]), 0)
        s.ask_coordinator(DescribeProducersRequest([TopicRequest("", [0])]), 0)
        one, two = s.producer("-1"), s.producer("-2")
        s.add(3, one, {s.topic: [0, 1]})
        everything()
        s.write(one, 0, b"1", b"2")
        s.write(one, 2)
        s.add(3, two)
        s.write(two, 0)
        everything()
        s.end(3, one)
        everything()
        s.end(3, two, False)
        everything()
        two = s.producer("-2")
        everything()
        s.add(3, two)
        s.write(two, 0)
        everything()

    same(script)


def test_records_deleted_under_a_transaction(same: Same) -> None:
    def delete(s: TransactionScenario, offset: int) -> None:
        s.ask_coordinator(
            DeleteRecordsRequest([DeleteRecordsTopic(s.topic, [DeleteRecordsPartition(0, offset)])], 50_000), 2
        )

    def script(s: TransactionScenario) -> None:
        producer = s.producer()
        s.add(3, producer)
        s.write(producer, 0, b"1", b"2", b"3")
        delete(s, 2)
        s.ask_coordinator(list_offsets(s.topic, -1, isolation_level=0), 5)
        s.expect_difference(DELETED_START_OF_A_TRANSACTION)
        s.ask_coordinator(list_offsets(s.topic, -1, isolation_level=1), 5)
        producers(s)
        delete(s, -1)
        look(s)
        s.write(producer, 3)
        s.end(3, producer, False)
        look(s)
        s.read(3)
        delete(s, -1)
        look(s)
        s.add(3, producer)
        s.write(producer, 4)
        s.end(3, producer)
        s.read(5)

    same(script)
