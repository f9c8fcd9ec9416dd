"""Topics with all kinds of batches, and what consumers get from them, to compare brokers on one data directory."""

from __future__ import annotations

import time
import warnings
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from compat_tests.conftest import wait_until
from compat_tests.limits import WITHIN_S, flush
from compat_tests.wire import Wire
from wirebroker.protocol.messages.metadata import MetadataRequest

if TYPE_CHECKING:
    from collections.abc import Mapping, Set
    from pathlib import Path

    from tools.jvm.kafka import KafkaBroker

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
SMALL_SEGMENTS = {"segment.bytes": "60000", "index.interval.bytes": "2000", "retention.ms": "-1"}
COMPACTED = "compacted"


class ConsumedRecord(NamedTuple):
    """One record as a consumer gets it."""

    offset: int
    timestamp: tuple[int, int]
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]


def wait_for_controller(kafka: KafkaBroker) -> None:
    """Wait until the broker knows a controller; its port is open before that, and librdkafka would not ask again."""
    with Wire(kafka.host, kafka.port, 30) as wire:
        wait_until(lambda: wire.ask(MetadataRequest([]), 1).controller_id >= 0)


def create(
    bootstrap: str, topics: Mapping[str, Mapping[str, str]], partitions: int = 1, smallest_segment: int = 0
) -> None:
    """Create topics with these settings; releases from 4.1 on refuse segments smaller than *smallest_segment*."""
    from confluent_kafka.admin import AdminClient, NewTopic

    admin = AdminClient({"bootstrap.servers": bootstrap})  # results die with it
    sizes = {"segment.bytes": str(smallest_segment)} if smallest_segment else {}
    new = [NewTopic(name, partitions, 1, config={**configs, **sizes}) for name, configs in topics.items()]
    for created in admin.create_topics(new).values():
        created.result(WITHIN_S)


def write_plain(bootstrap: str, prefix: str = "", *, zstd: bool = True, smallest_segment: int = 0) -> set[str]:
    """Topics codec-*, idempotent, append-time and several: headers, null keys and values, several segments."""
    from confluent_kafka import Producer

    random = Random(7)
    codecs = [codec for codec in CODECS if zstd or codec != "zstd"]
    names = {f"{prefix}codec-{codec}": SMALL_SEGMENTS for codec in codecs}
    others = {f"{prefix}idempotent": SMALL_SEGMENTS}
    others[f"{prefix}append-time"] = {**SMALL_SEGMENTS, "message.timestamp.type": "LogAppendTime"}
    create(bootstrap, {**names, **others}, smallest_segment=smallest_segment)
    create(bootstrap, {f"{prefix}several": SMALL_SEGMENTS}, 3, smallest_segment)
    for codec in codecs:
        producer = Producer({"bootstrap.servers": bootstrap, "compression.type": codec, "batch.num.messages": 50})
        for number in range(1500):
            producer.produce(
                f"{prefix}codec-{codec}",
                key=None if number % 7 == 0 else f"k{number}",
                value=None
                if number % 11 == 0
                else f"grün {number} ".encode() + random.randbytes(number % 150).hex().encode(),
                headers=[("h", b"1"), ("h", None), ("zwei", b"\xff")] if number % 3 == 0 else None,
                timestamp=1_700_000_000_000 + (number * 37) % 5000,
            )
            if number % 100 == 0:
                flush(producer)
        flush(producer)
    for name in ("idempotent", "append-time", "several"):
        for start in range(3):
            producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": name != "append-time"})
            for number in range(300):
                producer.produce(f"{prefix}{name}", key=f"{number}", value=f"{start}-{number}", timestamp=5 + number)
                if number % 40 == 0:
                    flush(producer)
            flush(producer)
    return {*names, *others, f"{prefix}several"}


def write_transactions(bootstrap: str, topic: str = "transactions", *, smallest_segment: int = 0) -> set[str]:
    """Two producers that commit and abort in turns, over several segments; the last transaction stays open."""
    from confluent_kafka import Producer

    create(bootstrap, {topic: SMALL_SEGMENTS}, smallest_segment=smallest_segment)
    # no broker aborts the open transaction while the test runs, which would let consumers see what is behind it
    settings = {"bootstrap.servers": bootstrap, "transaction.timeout.ms": 15 * 60_000}
    producers = [Producer({**settings, "transactional.id": f"{topic}-{n}"}) for n in range(2)]
    for producer in producers:
        producer.init_transactions(WITHIN_S)
    for turn in range(8):
        for producer in producers:
            producer.begin_transaction()
            for number in range(60):
                producer.produce(topic, key=f"{number}", value=f"{turn}" + "y" * 200)
        for number, producer in enumerate(producers):
            flush(producer)
            if (turn + number) % 3:
                producer.commit_transaction(WITHIN_S)
            else:
                producer.abort_transaction(WITHIN_S)
    await_markers(bootstrap, topic)
    producers[0].begin_transaction()
    producers[0].produce(topic, value="open")
    flush(producers[0])
    return {topic}


def await_markers(bootstrap: str, topic: str, partition: int = 0) -> None:
    """Wait until no transaction of a partition is pending: markers are written after the answer."""
    from confluent_kafka import IsolationLevel, KafkaException, TopicPartition
    from confluent_kafka.admin import AdminClient, OffsetSpec

    admin, at = AdminClient({"bootstrap.servers": bootstrap}), TopicPartition(topic, partition)

    def end(isolation: IsolationLevel) -> int:
        found = admin.list_offsets({at: OffsetSpec.latest()}, isolation_level=isolation)
        return int(found[at].result(WITHIN_S).offset)

    def none_is_pending() -> bool:
        try:
            return end(IsolationLevel.READ_COMMITTED) == end(IsolationLevel.READ_UNCOMMITTED)
        except KafkaException:
            return False  # the leader has just moved

    wait_until(none_is_pending)


def write_mixed(bootstrap: str, topic: str = "mixed") -> set[str]:
    """Formats 0, 1 and 2 in one log, with and without compression, over several segments; for releases up to 2.8."""
    from confluent_kafka import Producer
    from confluent_kafka.admin import AdminClient, ConfigResource, ResourceType

    create(bootstrap, {topic: {**SMALL_SEGMENTS, "message.format.version": "0.9.0"}})
    admin = AdminClient({"bootstrap.servers": bootstrap})
    for turn, version in enumerate(("0.9.0", "0.10.0", "0.11.0", "0.9.0", "0.10.0", "2.0")):
        settings = {**SMALL_SEGMENTS, "message.format.version": version}
        resource = ConfigResource(ResourceType.TOPIC, topic, set_config=settings)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # 2.0 knows no other way
            for altered in admin.alter_configs([resource]).values():
                altered.result(WITHIN_S)
        for codec in ("none", "gzip", "snappy", "lz4"):
            producer = Producer({"bootstrap.servers": bootstrap, "compression.type": codec, "batch.num.messages": 20})
            for number in range(200):
                producer.produce(
                    topic,
                    key=None if number % 5 == 0 else f"{turn} {number}",
                    value=None if number % 13 == 0 else f"{version} {codec} {number} " * 5,
                    timestamp=1_700_000_000_000 + number,
                )
                if number % 20 == 0:
                    flush(producer)
            flush(producer)
    return {topic}


#: Makes a cleaner work at once on everything but the newest segment.
EAGER_CLEANER = {"log.cleaner.backoff.ms": "200", "log.cleaner.min.cleanable.ratio": "0.01"}


def write_compacted(
    bootstrap: str, data_directory: Path, topic: str = COMPACTED, *, smallest_segment: int = 0
) -> set[str]:
    """A topic that a cleaner has made gaps in.  The broker must have EAGER_CLEANER."""
    from confluent_kafka import Producer

    settings = {"cleanup.policy": "compact", "segment.bytes": "20000", "min.cleanable.dirty.ratio": "0"}
    settings["segment.ms"] = "200"
    create(bootstrap, {topic: settings}, smallest_segment=smallest_segment)
    producer = Producer({"bootstrap.servers": bootstrap, "batch.num.messages": 10, "enable.idempotence": True})
    for number in range(3000):
        producer.produce(topic, key=f"k{number % 40 if number % 9 else number}", value=f"{number}" * 4)
        if number % 50 == 0:
            flush(producer)
            time.sleep(0.03)  # time makes new segments, too
    flush(producer)
    # up to the active segment, which nobody rolls any more: then no later round changes what consumers get
    active = max(int(path.stem) for path in (data_directory / f"{topic}-0").glob("*.log"))
    checkpoint = data_directory / "cleaner-offset-checkpoint"
    wait_until(lambda: f"{topic} 0 {active}\n" in checkpoint.read_text())
    return {topic}


def consume_all(
    bootstrap: str, topics: Set[str], isolation: str = "read_uncommitted"
) -> dict[tuple[str, int], list[ConsumedRecord]]:
    """Every record of *topics*, by partition, as one consumer sees them."""
    from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, TopicPartition

    consumer = Consumer({
        "bootstrap.servers": bootstrap, "group.id": f"looks-{time.time_ns()}", "enable.auto.commit": False,
        "isolation.level": isolation, "enable.partition.eof": True, "auto.offset.reset": "error",
    })  # fmt: skip
    wait_until(lambda: _all_led(consumer, topics))  # Kafka's controller takes its time
    metadata = consumer.list_topics(timeout=60)
    seen: dict[tuple[str, int], list[ConsumedRecord]] = {
        (name, number): [] for name in sorted(topics) for number in metadata.topics[name].partitions
    }
    consumer.assign([TopicPartition(name, number, OFFSET_BEGINNING) for name, number in seen])
    left = set(seen)
    deadline = time.monotonic() + 120
    while left:
        assert time.monotonic() < deadline, f"no end of {left}"
        for message in consumer.consume(1000, 0.05):  # it waits for so many, whatever has come to its end
            at = message.topic(), message.partition()
            if message.error() is not None:
                assert message.error().code() == KafkaError._PARTITION_EOF, message.error()
                left.discard(at)
                continue
            headers = tuple((name, value) for name, value in message.headers() or ())
            seen[at].append(
                ConsumedRecord(message.offset(), message.timestamp(), message.key(), message.value(), headers)
            )
    consumer.close()
    return seen


def _all_led(consumer: Any, topics: Set[str]) -> bool:
    known = consumer.list_topics(timeout=60).topics
    partitions = [each for name in topics if name in known for each in known[name].partitions.values()]
    return topics <= known.keys() and all(each.leader >= 0 for each in partitions)
