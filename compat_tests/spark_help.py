"""Helpers of the Spark tests: records from outside Spark, rows of the ``kafka`` source, streams run to their end."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from compat_tests.conftest import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

Headers = list[tuple[str, bytes | None]]
COLUMNS = ("key", "value", "topic", "partition", "offset", "timestamp", "timestampType")


def create_topic(bootstrap: str, topic: str, partitions: int = 1, **config: str) -> None:
    """Make *topic* with *config* (``_`` for a dot), and keep its records however old their timestamps are."""
    from confluent_kafka.admin import AdminClient, NewTopic

    admin = AdminClient({"bootstrap.servers": bootstrap})
    settings = {"retention.ms": "-1"} | {name.replace("_", "."): value for name, value in config.items()}
    admin.create_topics([NewTopic(topic, partitions, config=settings)])[topic].result(timeout=120)
    await_topic(bootstrap, topic)


def await_topic(bootstrap: str, topic: str) -> None:
    """Wait until Metadata has the topic with all of its leaders: Apache Kafka answers CreateTopics before that."""
    from confluent_kafka.admin import AdminClient

    admin = AdminClient({"bootstrap.servers": bootstrap})

    def is_known() -> bool:
        found = admin.list_topics(timeout=120).topics.get(topic)
        return found is not None and found.error is None and all(p.leader >= 0 for p in found.partitions.values())

    wait_until(is_known)


def add_partitions(bootstrap: str, topic: str, count: int) -> None:
    from confluent_kafka.admin import AdminClient, NewPartitions

    admin = AdminClient({"bootstrap.servers": bootstrap})
    admin.create_partitions([NewPartitions(topic, count)])[topic].result(timeout=120)


def delete_records(bootstrap: str, topic: str, before: dict[int, int]) -> None:
    """Delete what lies before these offsets of these partitions."""
    from confluent_kafka import TopicPartition
    from confluent_kafka.admin import AdminClient

    admin = AdminClient({"bootstrap.servers": bootstrap})
    offsets = [TopicPartition(topic, partition, offset) for partition, offset in before.items()]
    for future in admin.delete_records(offsets).values():
        future.result(timeout=120)


def produce(
    bootstrap: str,
    topic: str,
    values: Iterable[str],
    *,
    partition: int = 0,
    timestamps_ms: Sequence[int] = (),
    headers: Headers | None = None,
) -> None:
    """Produce with librdkafka, so that reading is not tested with Spark's own writing."""
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 5})
    errors: list[Any] = []
    for number, value in enumerate(values):
        more: dict[str, Any] = {"timestamp": timestamps_ms[number]} if timestamps_ms else {}
        if headers:
            more["headers"] = headers
        producer.produce(
            topic, value.encode(), partition=partition, on_delivery=lambda error, _: errors.append(error), **more
        )
    assert producer.flush(30) == 0
    assert not any(errors), errors


@contextmanager
def transactions(bootstrap: str, topic: str, partition: int = 0) -> Iterator[list[str]]:
    """Committed and aborted transactions in turns, and one that stays open; returns the committed values."""
    from confluent_kafka import Producer

    committed: list[str] = []
    producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": f"{topic}-{partition}"})
    producer.init_transactions(30)
    for number in range(7):
        producer.begin_transaction()
        values = [f"{number}:{i}" for i in range(10)]
        for value in values:
            producer.produce(topic, value.encode(), partition=partition)
        producer.flush(30)
        if number == 6:
            break
        if number % 2:
            producer.abort_transaction(30)
        else:
            producer.commit_transaction(30)
            committed += values
    yield committed
    producer.abort_transaction(30)


def read(spark: Any, bootstrap: str, **options: Any) -> Any:
    """A batch data frame of the stock source."""
    return with_options(spark.read.format("kafka"), bootstrap, options).load()


def read_stream(spark: Any, bootstrap: str, **options: Any) -> Any:
    return with_options(spark.readStream.format("kafka"), bootstrap, options).load()


def with_options(reader: Any, bootstrap: str, options: dict[str, Any]) -> Any:
    """*options* by their Spark names, ``__`` for a dot; dictionaries and lists become JSON."""
    reader = reader.option("kafka.bootstrap.servers", bootstrap)
    for name, value in options.items():
        text = json.dumps(value) if isinstance(value, (dict, list)) else value
        reader = reader.option(name.replace("__", "."), text)
    return reader


def values(frame: Any) -> list[str]:
    """The values as text, in order of partition and offset."""
    rows = frame.orderBy("topic", "partition", "offset").selectExpr("cast(value as string) as value").collect()
    return [row.value for row in rows]


def write(frame: Any, bootstrap: str, topic: str | None = None, **options: Any) -> None:
    writer = with_options(frame.write.format("kafka"), bootstrap, options)
    (writer.option("topic", topic) if topic else writer).save()


class Run:
    """The rows and batches of one run of a stream."""

    def __init__(self, values: list[str], batches: list[int]) -> None:
        self.values, self.batches = values, batches


def run_available(frame: Any, checkpoint: Path) -> Run:
    """Run the stream *frame* over what there is now; the values it saw, and how many rows each batch had."""
    seen: list[str] = []
    batches: list[int] = []

    def collect(batch: Any, _number: int) -> None:
        rows = batch.selectExpr("cast(value as string) as value").collect()
        seen.extend(row.value for row in rows)
        batches.append(len(rows))

    query = (
        frame.writeStream.foreachBatch(collect)
        .option("checkpointLocation", str(checkpoint))
        .trigger(availableNow=True)
        .start()
    )
    try:
        assert query.awaitTermination(600), "the stream does not end"
    finally:
        query.stop()
    return Run(sorted(seen), batches)
