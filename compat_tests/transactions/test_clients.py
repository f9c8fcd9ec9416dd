"""Published clients' transactions on wirebroker: commit, abort, fence, time out, and commit offsets.

COMPAT_TARGET=apache runs the same against Apache Kafka.
"""

from __future__ import annotations

import os
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.broker import Broker, Wirebroker
from compat_tests.conftest import unique_name, wait_until
from compat_tests.java_clients import JavaClients
from compat_tests.spark_help import create_topic
from compat_tests.transactions.compared_brokers import SETTINGS
from compat_tests.transactions.producers import (
    AioTransactional,
    ConfluentTransactional,
    JavaTransactional,
    KafkaPythonTransactional,
    TransactionalProducer,
    numbers,
    read_to_end,
    values_of,
)
from compat_tests.versions import KAFKA, NEWEST_CLIENTS
from compat_tests.wire import Wire
from tools.jvm import resolve
from tools.jvm.bridge import jvm
from tools.jvm.kafka import KafkaBroker
from wirebroker.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tools.jvm.kafka import KafkaDist

    Start = Callable[..., TransactionalProducer]

pytestmark = [pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")]

JAVA = {"java 3.9": KAFKA, "java 4": NEWEST_CLIENTS}
PYTHON: dict[str, Callable[..., TransactionalProducer]] = {
    "confluent-kafka": ConfluentTransactional,
    "aiokafka": AioTransactional,
    "kafka-python": KafkaPythonTransactional,
}
PARTITIONS = 3


@pytest.fixture(scope="module")
def broker(kafka_dist: Callable[[str], KafkaDist], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """One that looks for transactions that are too old all the time."""
    where = tmp_path_factory.mktemp("clients")
    if os.environ.get("COMPAT_TARGET") == "apache":
        with KafkaBroker(kafka_dist(KAFKA), where, settings=SETTINGS) as kafka:
            yield kafka
    else:
        with Wirebroker(where, SETTINGS) as wirebroker:
            yield wirebroker


@pytest.fixture(scope="module", params=[*PYTHON, *JAVA])
def make(request: pytest.FixtureRequest, broker: Broker) -> Iterator[Start]:
    """Makes a producer of this client: ``make(name, timeout_ms)``."""
    if request.param in PYTHON:
        yield lambda *settings: PYTHON[request.param](broker.bootstrap, *settings)
        return
    jars = resolve([f"org.apache.kafka:kafka-clients:{JAVA[request.param]}", "org.slf4j:slf4j-nop:1.7.36"])
    with jvm(jars) as root:
        java = JavaClients(root, broker.bootstrap)
        yield lambda *settings: JavaTransactional(java, *settings)


@pytest.fixture
def start(make: Start) -> Iterator[Start]:
    """As *make*; closes the producers at the end, whatever state they are in."""
    with ExitStack() as stack:

        def started(*settings: Any) -> TransactionalProducer:
            producer = make(*settings)

            def close() -> None:
                with suppress(Exception):  # a fenced producer may complain
                    producer.close()

            stack.callback(close)
            return producer

        yield started


@pytest.fixture
def topic(broker: Broker) -> str:
    name = unique_name("transactions")
    create_topic(broker.bootstrap, name, PARTITIONS)
    return name


def both(broker: Broker, topic: str) -> tuple[list[bytes], list[bytes]]:
    """The values that readers of either isolation see: read_committed, read_uncommitted."""
    found = [
        sorted(values_of(read_to_end(broker.bootstrap, topic, committed=committed, partitions=PARTITIONS)))
        for committed in (True, False)
    ]
    return found[0], found[1]


def committed(broker: Broker, group: str, topic: str) -> list[int]:
    """The offsets of the group, by partition."""
    with Wire(broker.host, broker.port) as wire:
        wanted = [OffsetFetchRequestTopic(topic, list(range(PARTITIONS)))]
        answer = wire.ask(OffsetFetchRequest(group, wanted, require_stable=True), 7)
    assert not answer.error_code
    return [
        each.committed_offset for each in sorted(answer.topics[0].partitions, key=lambda each: each.partition_index)
    ]


def settled(broker: Broker, topic: str, offset_sums: int) -> None:
    """Wait until nothing is open: the markers follow the answer of EndTxn on Apache Kafka."""
    from wirebroker.protocol.messages.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic

    with Wire(broker.host, broker.port) as wire:

        def stable() -> bool:
            wanted = [ListOffsetsPartition(number, -1, -1) for number in range(PARTITIONS)]
            answer = wire.ask(ListOffsetsRequest(-1, 1, [ListOffsetsTopic(topic, wanted)]), 5)
            return bool(sum(each.offset for each in answer.topics[0].partitions) == offset_sums)

        wait_until(stable)


def test_commit_and_abort(broker: Broker, start: Start, topic: str) -> None:
    producer = start(unique_name("id"))
    for number, commit in enumerate((True, False, True, True, False)):
        producer.begin()
        for partition in range(PARTITIONS):
            producer.send(topic, partition, b"%d" % number, b"%d" % number)
        if number == 2:
            assert both(broker, topic) == (sorted([b"0"] * 6), sorted([b"0"] * 6 + [b"1"] * 6 + [b"2"] * 6))
        if commit:
            producer.commit()
        else:
            producer.abort()
        settled(broker, topic, 9 * (number + 1))
    seen = both(broker, topic)
    assert seen[0] == sorted(each for number in (b"0", b"2", b"3") for each in [number] * 6)
    assert seen[1] == sorted(each for number in numbers(5) for each in [number] * 6)


def test_empty_transactions(broker: Broker, start: Start, topic: str) -> None:
    producer = start(unique_name("id"))
    for commit in (True, False, True):
        producer.begin()
        if commit:
            producer.commit()
        else:
            producer.abort()
    producer.begin()
    producer.send(topic, 0, b"1")
    producer.commit()
    settled(broker, topic, 2)
    assert both(broker, topic) == ([b"1"], [b"1"])


def test_a_newer_producer_fences_the_older(broker: Broker, start: Start, topic: str) -> None:
    name = unique_name("id")
    old = start(name)
    old.begin()
    old.send(topic, 0, b"old")
    new = start(name)  # aborts the open transaction
    new.begin()
    new.send(topic, 0, b"new")
    with pytest.raises(Exception, match=r"(?i)fenced|newer|InvalidProducerEpoch|ProducerFenced|old epoch"):
        old.commit()
    new.commit()
    settled(broker, topic, 4)
    assert both(broker, topic) == ([b"new"], [b"new", b"old"])


def test_a_transaction_that_takes_too_long_is_aborted(broker: Broker, start: Start, topic: str) -> None:
    producer = start(unique_name("id"), 15_000)  # sending one record must take less
    producer.begin()
    producer.send(topic, 0, b"late")
    settled(broker, topic, 2)
    assert both(broker, topic) == ([], [b"late"])
    with pytest.raises(Exception, match=r"(?i)fenced|epoch|abort|timed out|InvalidTxnState"):
        producer.commit()


def test_offsets_are_committed_with_the_transaction(broker: Broker, start: Start, topic: str) -> None:
    producer, group = start(unique_name("id")), unique_name("group")
    for number, commit in enumerate((True, False, True)):
        producer.begin()
        producer.send(topic, 0, b"%d" % number)
        producer.send_offsets(group, {(topic, 0): 10 + number, (topic, 1): 20 + number})
        if commit:
            producer.commit()
        else:
            producer.abort()
        settled(broker, topic, 2 * (number + 1))
        last = number if commit else number - 1
        wait_until(lambda last=last: committed(broker, group, topic) == [10 + last, 20 + last, -1])  # type: ignore[misc]
    assert both(broker, topic)[0] == [b"0", b"2"]


def test_consume_transform_produce(broker: Broker, start: Start, topic: str) -> None:
    """Every third round fails and is done again; the output is the input, once."""
    from confluent_kafka import Producer

    source, group = unique_name("source"), unique_name("group")
    create_topic(broker.bootstrap, source, 1)
    feeder = Producer({"bootstrap.servers": broker.bootstrap})
    for value in numbers(60):
        feeder.produce(source, value, partition=0)
    assert feeder.flush(120) == 0
    rows = values_of(read_to_end(broker.bootstrap, source, committed=True))
    name = unique_name("id")
    producer = start(name)
    at = attempt = 0
    while at < 60:
        attempt += 1
        producer.begin()
        producer.send(topic, 0, *rows[at : at + 10])
        producer.send_offsets(group, {(source, 0): at + 10})
        if attempt % 3 == 0:
            producer.abort()
        elif attempt % 4 == 0:
            producer = start(name)  # as after a crash
        else:
            producer.commit()
            at += 10
    found: list[bytes] = []

    def are_visible() -> bool:
        """Whether no marker is missing; the last one may be written after the answer to the producer."""
        found[:] = values_of(read_to_end(broker.bootstrap, topic, committed=True, partitions=PARTITIONS))
        return len(found) >= 60

    wait_until(are_visible)
    assert found == list(numbers(60))
