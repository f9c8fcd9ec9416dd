"""No fsync, fdatasync or sync in the thread of the event loop, whatever a broker is asked to do."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from compat_tests.broker import Wirebroker
from compat_tests.conftest import wait_until
from compat_tests.limits import WITHIN_S, flush
from compat_tests.sync_recorder import PROGRAM, syncs
from wirebroker.protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from wirebroker.protocol.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from wirebroker.protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from wirebroker.protocol.messages.delete_records import DeleteRecordsPartition, DeleteRecordsRequest, DeleteRecordsTopic
from wirebroker.protocol.messages.delete_topics import DeleteTopicsRequest
from wirebroker.protocol.messages.describe_log_dirs import DescribeLogDirsRequest
from wirebroker.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

SETTINGS = {
    "log.retention.check.interval.ms": "200",
    "log.flush.offset.checkpoint.interval.ms": "200",
    "log.flush.start.offset.checkpoint.interval.ms": "200",
    "replica.high.watermark.checkpoint.interval.ms": "200",
    "log.segment.delete.delay.ms": "100",
    "offsets.topic.num.partitions": "3",
    "transaction.state.log.num.partitions": "3",
}
TOPICS = {
    "rolled": {"segment.bytes": "20000"},
    "flushed": {"flush.ms": "100"},
    "flushed-at-once": {"flush.messages": "1"},
    "retained": {"segment.bytes": "5000", "retention.bytes": "5000"},
    "moved": {"segment.bytes": "20000"},
}
TIMEOUT_MS = 30_000


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Wirebroker]:
    broker = Wirebroker(tmp_path, SETTINGS)
    broker.program = PROGRAM
    broker.data_directory = Path(f"{tmp_path / 'one'},{tmp_path / 'two'}")
    yield broker
    broker.kill()


def create_topics(broker: Wirebroker) -> None:
    wanted = [
        CreatableTopic(name, 2, 1, [], [CreatableTopicConfig(*each) for each in configs.items()])
        for name, configs in TOPICS.items()
    ]
    with broker.connect() as wire:
        answer = wire.ask(CreateTopicsRequest(wanted, TIMEOUT_MS), 5)
    assert not any(topic.error_code for topic in answer.topics)


def produce(broker: Wirebroker, **settings: object) -> Producer:
    producer = Producer({"bootstrap.servers": broker.bootstrap, "linger.ms": 1} | settings)
    if "transactional.id" in settings:
        producer.init_transactions(WITHIN_S)
        producer.begin_transaction()
    for number in range(200):
        for name in TOPICS:
            producer.produce(name, b"v" * 500, partition=number % 2)
        if number % 10 == 0:
            flush(producer)
    flush(producer)
    if "transactional.id" in settings:
        producer.commit_transaction(WITHIN_S)
        producer.begin_transaction()
        producer.produce("rolled", b"aborted", partition=0)
        producer.abort_transaction(WITHIN_S)
    return producer


def consume(broker: Wirebroker) -> None:
    """Read as a group and commit after every batch."""
    consumer = Consumer(
        {"bootstrap.servers": broker.bootstrap, "group.id": "readers", "auto.offset.reset": "earliest"}
        | {"enable.auto.commit": False}
    )
    consumer.subscribe(["rolled"])
    seen = 0
    deadline = time.monotonic() + WITHIN_S
    while seen < 400:
        assert time.monotonic() < deadline, f"{seen} of 400 records were read"
        found = consumer.consume(100, 5)
        seen += len(found)
        if found:
            consumer.commit(asynchronous=False)
    consumer.close()


def administer(broker: Wirebroker) -> None:
    """Records deleted, settings changed, topics made, grown and deleted, a log moved to the other directory."""
    one, two = str(broker.data_directory).split(",")
    with broker.connect(60) as wire:
        partitions = [DeleteRecordsPartition(index, 50) for index in range(2)]
        answer = wire.ask(DeleteRecordsRequest([DeleteRecordsTopic("rolled", partitions)], TIMEOUT_MS), 1)
        assert [each.low_watermark for each in answer.topics[0].partitions] == [50, 50]
        for kind, name, key in ((2, "rolled", "retention.ms"), (4, "", "log.retention.ms"), (4, "0", "log.roll.ms")):
            change = AlterConfigsResource(kind, name, [AlterableConfig(key, 0, "99999999")])
            answer = wire.ask(IncrementalAlterConfigsRequest([change]), 1)
            assert not answer.responses[0].error_code
        for number in range(5):
            name = f"short-lived-{number}"
            assert not wire.ask(CreateTopicsRequest([CreatableTopic(name, 3, 1)], TIMEOUT_MS), 5).topics[0].error_code
            grown = wire.ask(CreatePartitionsRequest([CreatePartitionsTopic(name, 5, None)], TIMEOUT_MS), 1)
            assert not grown.results[0].error_code
            deleted = wire.ask(DeleteTopicsRequest(topic_names=[name], timeout_ms=TIMEOUT_MS), 5)
            assert not deleted.responses[0].error_code

        def homes() -> dict[str, bool]:
            results = wire.ask(DescribeLogDirsRequest(None), 4).results
            return {
                result.log_dir: each.is_future_key
                for result in results
                for topic in result.topics
                if topic.name == "moved"
                for each in topic.partitions
                if each.partition_index == 0
            }

        (home,) = homes()
        other = two if home == one else one
        moves = [AlterReplicaLogDir(other, [AlterReplicaLogDirTopic("moved", [0])])]
        assert not wire.ask(AlterReplicaLogDirsRequest(moves), 2).results[0].partitions[0].error_code
        wait_until(lambda: homes() == {other: False})


def test_serving(broker: Wirebroker) -> None:
    broker.start()
    served_from = broker.log_file.stat().st_size
    create_topics(broker)
    produce(broker)
    produce(broker, **{"enable.idempotence": True})
    produce(broker, **{"transactional.id": "t"})
    consume(broker)
    administer(broker)
    time.sleep(1.5)  # retention, checkpoints, flushes and deletions, each some times
    _check(broker, served_from, least=50)


def test_stopping_and_starting_again(broker: Wirebroker) -> None:
    broker.start()
    create_topics(broker)
    produce(broker)
    before = broker.log_file.stat().st_size
    broker.stop()
    _check(broker, before, least=5)
    before = broker.log_file.stat().st_size
    broker.start()
    _check(broker, before, least=1)


def test_starting_after_a_crash(broker: Wirebroker) -> None:
    broker.start()
    create_topics(broker)
    produce(broker)
    broker.kill()
    before = broker.log_file.stat().st_size
    broker.start()
    _check(broker, before, least=1)
    consumer = Consumer({"bootstrap.servers": broker.bootstrap, "group.id": "g"})
    assert consumer.get_watermark_offsets(TopicPartition("rolled", 0), WITHIN_S) == (0, 100)
    consumer.close()


def _check(broker: Wirebroker, after: int, least: int) -> None:
    """All of the syncs since *after*, at least so many, were made in other threads."""
    found = syncs(broker, after)
    in_main_thread = Counter(f"{each.function} by {each.place}" for each in found if each.in_main_thread)
    listed = "\n".join(f"{count} x {what}" for what, count in in_main_thread.most_common())
    assert not in_main_thread, f"syncs in the main thread:\n{listed}"
    assert len(found) >= least, "the recorder has seen next to nothing"
