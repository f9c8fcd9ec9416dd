"""Published Java clients from 0.8.2 on against one broker: produced by each, in each format, consumed by each.

All of them run on Java 17.  Versions: 0.8.2 Produce v0; 0.9.0 Produce v1, Fetch v1; 0.10.0
Produce v2, Fetch v2; 0.10.2 Fetch v3; 0.11 on format 2.  The consumer of 0.8.2 is the Scala SimpleConsumer (Fetch v0,
ListOffsets v0), as that of kafka-clients was not finished then.  The end of the run shows the matrix.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.broker import Wirebroker
from compat_tests.conftest import unique_name, wait_until
from compat_tests.kafka_requests import fetch, list_offsets, produce
from compat_tests.versions import KAFKA, NEWEST_CLIENTS, OLD_KAFKA
from tools.jvm import resolve
from tools.jvm.bridge import jvm
from wirebroker.protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from wirebroker.protocol.messages.fetch import FetchRequest
from wirebroker.protocol.messages.list_offsets import ListOffsetsRequest
from wirebroker.protocol.messages.produce import ProduceRequest
from wirebroker.record.builder import build_batch
from wirebroker.record.compression import Codec, Compression
from wirebroker.record.legacy import any_batches
from wirebroker.record.record_batch import Record
from wirebroker.tests.record.legacy_message_sets import OLD_CODECS, message_set

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from compat_tests.wire import Wire

SCALA = "0.8.2.2 SimpleConsumer"
PRODUCERS = ("0.8.2.2", "0.9.0.1", "0.10.0.1", "0.10.2.2", "0.11.0.3", "1.1.1", "2.0.1", KAFKA, NEWEST_CLIENTS)
CONSUMERS = (SCALA, *PRODUCERS[1:])
CODECS = ("none", "gzip", "snappy", "lz4")
FORMATS = {0: "0.9.0", 1: "0.10.2", 2: "2.8"}
PATIENCE = 240  # polls of half a second: a Java that starts on a busy machine takes its time
SERIALIZATION = "org.apache.kafka.common.serialization.ByteArray"


@pytest.fixture(scope="module")
def wirebroker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wirebroker]:
    """wirebroker with a protocol of brokers that obeys message.format.version, as 3.9.1 does with the same setting."""
    settings = {"inter.broker.protocol.version": OLD_KAFKA}
    with Wirebroker(tmp_path_factory.mktemp("wirebroker"), settings) as broker:
        yield broker


@contextmanager
def clients(version: str) -> Iterator[Any]:
    """A JVM with the clients of one release."""
    artifact = "kafka_2.11:0.8.2.2" if version == SCALA else f"kafka-clients:{version}"
    jars = resolve([f"org.apache.kafka:{artifact}", "org.slf4j:slf4j-nop:1.7.36"], exclude=["org.slf4j:slf4j-log4j12"])
    with jvm(jars, heap="96m") as root:
        yield root


def properties(root: Any, **settings: str) -> Any:
    made = root.java.util.Properties()
    for name, value in settings.items():
        made.setProperty(name.replace("_", "."), value)
    return made


def send(
    root: Any, bootstrap: str, topic: str, pairs: list[tuple[bytes | None, bytes]], codec: str, acks: str = "1"
) -> list[int]:
    """Produce all pairs, together as far as the client does that; their offsets.  With acks=1 none is idempotent."""
    kafka = root.org.apache.kafka
    serializer = f"{SERIALIZATION}Serializer"
    settings = properties(
        root,
        bootstrap_servers=bootstrap,
        key_serializer=serializer,
        value_serializer=serializer,
        compression_type=codec,
        acks=acks,
        linger_ms="50",
    )
    producer = kafka.clients.producer.KafkaProducer(settings)
    futures = [producer.send(kafka.clients.producer.ProducerRecord(topic, 0, key, value)) for key, value in pairs]
    offsets = [future.get().offset() for future in futures]
    producer.close()
    return offsets


def receive(root: Any, bootstrap: str, topic: str, count: int) -> list[tuple[int, bytes | None, bytes | None]]:
    """(offset, key, value) of the first *count* records; fewer if they do not come."""
    kafka = root.org.apache.kafka
    deserializer = f"{SERIALIZATION}Deserializer"
    settings = properties(
        root,
        bootstrap_servers=bootstrap,
        key_deserializer=deserializer,
        value_deserializer=deserializer,
        group_id=unique_name("group"),
        enable_auto_commit="false",
        auto_offset_reset="earliest",
    )
    consumer = kafka.clients.consumer.KafkaConsumer(settings)
    partition = kafka.common.TopicPartition(topic, 0)
    consumer.assign([partition])
    found: list[tuple[int, bytes | None, bytes | None]] = []
    timeout: Any = 500
    if _is_new(consumer):
        timeout = root.java.time.Duration.ofMillis(500)
    for _ in range(PATIENCE):
        found += [(r.offset(), r.key(), r.value()) for r in consumer.poll(timeout).records(partition)]
        if len(found) >= count:
            break
    consumer.close()
    return found


def _is_new(consumer: Any) -> bool:
    """`poll(Duration)` came with 2.0, and `poll(long)` went with 4.0."""
    return any(
        method.getName() == "poll" and method.getParameterTypes()[0].getSimpleName() == "Duration"
        for method in consumer.getClass().getMethods()
    )


def receive_simply(root: Any, host: str, port: int, topic: str, count: int) -> list[tuple[int, Any, Any]]:
    """The same with the Scala consumer of 0.8: Fetch v0 from the offset that ListOffsets v0 names."""
    api = root.kafka
    consumer = api.javaapi.consumer.SimpleConsumer(host, port, 60_000, 1 << 16, "simple")
    partition = api.common.TopicAndPartition(topic, 0)
    asked = root.java.util.HashMap()
    asked.put(partition, api.api.PartitionOffsetRequestInfo(-2, 1))
    answer = consumer.getOffsetsBefore(api.javaapi.OffsetRequest(asked, 0, "simple"))
    (offset,) = answer.offsets(topic, 0)
    found: list[tuple[int, Any, Any]] = []
    for _ in range(PATIENCE):
        request = api.api.FetchRequestBuilder().clientId("simple").addFetch(topic, 0, offset, 1 << 16).build()
        response = consumer.fetch(request)
        assert not response.hasError(), response.errorCode(topic, 0)
        messages = response.messageSet(topic, 0).iterator()
        while messages.hasNext():
            each = messages.next()
            if each.offset() >= offset:  # a wrapper comes whole
                message = each.message()
                found.append((each.offset(), _content(message.key()), _content(message.payload())))
                offset = each.nextOffset()
        if len(found) >= count:
            break
    consumer.close()
    return found


def _content(buffer: Any) -> bytes | None:
    if buffer is None:
        return None
    return bytes(buffer.get() & 0xFF for _ in range(buffer.remaining()))


def create(wire: Wire, topic: str, release: str) -> bytes:
    """Create a topic that keeps the format of that release; its id."""
    # records that are years old, or have no timestamp, must stay
    settings = {"message.format.version": release, "retention.ms": "-1"}
    configs = [CreatableTopicConfig(*each) for each in settings.items()]
    answer = wire.ask(CreateTopicsRequest([CreatableTopic(topic, 1, 1, [], configs)], 50_000), 7)
    assert not answer.topics[0].error_code
    wait_until(lambda: not wire.ask(list_offsets(topic, -1), 1).topics[0].partitions[0].error_code)
    topic_id: bytes = answer.topics[0].topic_id
    return topic_id


class Matrix:
    """The records in a topic of each format, their producers, and the clients that have read them."""

    def __init__(self, wirebroker: Wirebroker) -> None:
        self.broker = wirebroker
        self.topics = {magic: unique_name(f"old-clients-{magic}") for magic in FORMATS}
        self.written: dict[int, list[tuple[str, bytes | None, bytes]]] = {magic: [] for magic in FORMATS}
        self.seen: Counter[tuple[str, str, int]] = Counter()
        with wirebroker.connect() as wire:
            for magic, release in FORMATS.items():
                create(wire, self.topics[magic], release)

    def produce(self, version: str) -> None:
        """Have that release write to all topics with every codec, if it has not yet."""
        if any(producer == version for producer, _, _ in self.written[0]):
            return
        with clients(version) as root:
            for magic, topic in self.topics.items():
                for codec in CODECS:
                    pairs = [
                        (b"key" if n % 2 else None, f"{version} {codec} {n}".encode() + bytes(n)) for n in range(5)
                    ]
                    offsets = send(root, self.broker.bootstrap, topic, pairs, codec)
                    first = len(self.written[magic])
                    self.written[magic] += [(version, key, value) for key, value in pairs]
                    assert offsets == list(range(first, first + 5)), (version, magic, codec)


@pytest.fixture(scope="module")
def everybody(wirebroker: Wirebroker, show_at_the_end: Callable[[str, str], None]) -> Iterator[Matrix]:
    found = Matrix(wirebroker)
    yield found
    show_at_the_end("records of each Java client that each got, of format 0/1/2", matrix(found.seen))


@pytest.mark.parametrize("version", PRODUCERS)
def test_produced_by_each(everybody: Matrix, version: str) -> None:
    everybody.produce(version)


@pytest.mark.parametrize("version", CONSUMERS)
def test_consumed_by_each(everybody: Matrix, version: str) -> None:
    """A test of its own for each, as nine of them may take more than two minutes on a busy machine."""
    for producer in PRODUCERS:
        everybody.produce(producer)
    broker = everybody.broker
    with clients(version) as root:
        for magic, topic in everybody.topics.items():
            expected = [(offset, *each[1:]) for offset, each in enumerate(everybody.written[magic])]
            assert len(expected) == 5 * len(CODECS) * len(PRODUCERS)
            if version == SCALA:
                found = receive_simply(root, broker.host, broker.port, topic, len(expected))
            else:
                found = receive(root, broker.bootstrap, topic, len(expected))
            assert found == expected, magic
            for producer, _, _ in everybody.written[magic]:
                everybody.seen[producer, version, magic] += 1


def matrix(seen: Counter[tuple[str, str, int]]) -> str:
    """Records of each producer that each consumer got, from topics of format 0, 1 and 2."""
    width = max(map(len, CONSUMERS))
    lines = [f"{'consumed by, produced by':{width}} " + " ".join(f"{name:>9}" for name in PRODUCERS)]
    for consumer in CONSUMERS:
        cells = ("/".join(str(seen[name, consumer, magic]) for magic in FORMATS) for name in PRODUCERS)
        lines.append(f"{consumer:{width}} " + " ".join(f"{cell:>9}" for cell in cells))
    return "\n".join(lines)


def test_new_producers_and_old_formats(wirebroker: Wirebroker) -> None:
    """Producers are idempotent by default since 3.0; a topic with an old format gives them an error with the reason."""
    from py4j.protocol import Py4JJavaError

    topic = unique_name("old-clients")
    with wirebroker.connect() as wire:
        create(wire, topic, "0.10.2")
    with clients(KAFKA) as root:
        with pytest.raises(Py4JJavaError) as refused:
            send(root, wirebroker.bootstrap, topic, [(None, b"v")], "none", "all")
        assert "UnsupportedForMessageFormatException" in str(refused.value.java_exception)


def raw_sets() -> Iterator[tuple[str, int, bytes]]:
    """(name, version of Produce, records) as clients of every kind send them."""
    for version in range(3):
        for magic in (0, 1) if version == 2 else (0,):
            for codec in OLD_CODECS:
                yield f"Produce v{version}, format {magic}, {codec.name}", version, message_set(magic, codec)
    records = [Record(n, 1_000, b"k%d" % n, b"v" * n, []) for n in range(5)]
    for version in ProduceRequest.VERSIONS:
        for codec in OLD_CODECS if version < 7 else Codec:
            yield (
                f"Produce v{version}, format 2, {codec.name}",
                version,
                build_batch(records, compression=Compression(codec)),
            )


@pytest.mark.parametrize("release", FORMATS.values())
def test_raw_requests_at_every_version(
    wirebroker: Wirebroker, release: str, show_at_the_end: Callable[[str, str], None]
) -> None:
    """As sarama and others do: any version of Produce, then any of Fetch and ListOffsets, whatever the log keeps."""
    seen: Counter[tuple[int, int]] = Counter()
    with wirebroker.connect() as wire:
        for name, version, records in raw_sets():
            zstd = records[16] == 2 and records[22] & 7 == Codec.ZSTD
            if zstd and release != "2.8":
                continue
            topic = unique_name("raw")
            topic_id = create(wire, topic, release)
            request = produce(topic, records)
            request.topic_data[0].topic_id = topic_id
            answer = wire.ask(request, version).responses[0].partition_responses[0]
            assert (answer.error_code, answer.base_offset) == (0, 0), name
            for fetch_version in FetchRequest.VERSIONS:
                fetch_request = fetch(fetch_version, {(topic, topic_id, 0): 0})
                got = wire.ask(fetch_request, fetch_version).responses[0].partitions[0]
                where = f"{name}, Fetch v{fetch_version}"
                if zstd and fetch_version < 4:
                    assert got.error_code == 76, where
                    continue
                assert (got.error_code, got.high_watermark) == (0, 5), where
                batches = list(any_batches(bytes(got.records)))
                assert all(each.is_valid() for each in batches), where
                assert max(each.magic for each in batches) <= (
                    0 if fetch_version < 2 else 1 if fetch_version < 4 else 2
                )
                found = [record.offset for each in batches for record in each.records() if record.offset >= 0]
                assert found == list(range(5)), where
                seen[fetch_version, version] += len(found)
            for offsets_version in ListOffsetsRequest.VERSIONS:
                for timestamp, offset in ((-1, 5), (-2, 0)):
                    found_offset = wire.ask(list_offsets(topic, timestamp), offsets_version).topics[0].partitions[0]
                    assert not found_offset.error_code
                    if offsets_version:
                        assert found_offset.offset == offset, name
                    else:
                        assert found_offset.old_style_offsets == [offset], name
    show_at_the_end(f"records by versions of Produce and Fetch, kept as {release} does", raw_matrix(seen))


def raw_matrix(seen: Counter[tuple[int, int]]) -> str:
    """Records that each version of Fetch got of each version of Produce."""
    lines = ["Fetch, Produce" + "".join(f"{version:>4}" for version in ProduceRequest.VERSIONS)]
    for fetch_version in FetchRequest.VERSIONS:
        cells = (seen[fetch_version, version] for version in ProduceRequest.VERSIONS)
        lines.append(f"{fetch_version:14}" + "".join(f"{cell:>4}" for cell in cells))
    return "\n".join(lines)
