"""Producers and consumers for mixed clusters: which records were acknowledged, and which can be read."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Producer, TopicPartition

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


NO_OFFSET: Final = -1
"""The offset of a record without one of its own: the answer to it was lost, and librdkafka takes it for acknowledged
because a later record of its partition is, which the broker would have refused without it."""


class Acked(NamedTuple):
    """A record that was acknowledged."""

    partition: int
    offset: int
    value: str


def delivery_report(
    acked: list[Acked], failed: list[KafkaError], under_way: Counter[int]
) -> Callable[[KafkaError | None, Any], None]:
    """A callback of a producer that adds each record to *acked*, or its error to *failed*.

    It takes the record from *under_way*, partition -> how many have no answer yet.
    """

    def delivered(error: KafkaError | None, message: Any) -> None:
        under_way[message.partition()] -= 1
        if error is not None:
            failed.append(error)
        else:
            offset = NO_OFFSET if message.offset() is None else message.offset()
            acked.append(Acked(message.partition(), offset, message.value().decode()))

    return delivered


class RecordingProducer:
    """An idempotent producer with acks=all that notes what was acknowledged."""

    def __init__(self, bootstrap: str, settings: Mapping[str, object] | None = None) -> None:
        given: dict[str, object] = {
            "bootstrap.servers": bootstrap,
            "enable.idempotence": True,
            "message.timeout.ms": 240_000,
            "topic.metadata.refresh.interval.ms": 2000,
            "linger.ms": 2,
        }
        self._producer = Producer(given | dict(settings or {}))
        self.sent = 0
        """The number of the next record; how many were produced, if none was left out."""
        self.acked: list[Acked] = []
        self.failed: list[KafkaError] = []
        self._under_way: Counter[int] = Counter()
        # not a method: a record that is under way would keep this object, and its producer's threads, for ever
        self._delivered = delivery_report(self.acked, self.failed, self._under_way)

    def acked_since(self, number: int, at: int) -> set[int]:
        """The partitions of acknowledged records with this number or a higher one, the first *at* not looked at."""
        return {each.partition for each in self.acked[at:] if int(each.value.rpartition("-")[2]) >= number}

    def send(self, topic: str, count: int, partitions: int, most: int | None = None) -> None:
        """Produce *count* records, in turn to each of *partitions* partitions; does not wait.

        The numbers of records whose partition has *most* under way already are left out.  librdkafka 2.16 takes all
        of a processor, in which nothing else happens, while a queue of an idempotent producer is not empty and it may
        not send more requests.
        """
        for _ in range(count):
            partition = self.sent % partitions
            if most is None or self._under_way[partition] < most:
                value = f"record-{self.sent}".encode()
                self._under_way[partition] += 1
                self._producer.produce(topic, value, partition=partition, on_delivery=self._delivered)
            self.sent += 1
            self._producer.poll(0)

    def flush(self, timeout_s: float = 240) -> None:
        """Wait until every record was acknowledged or has failed; none may fail."""
        assert self._producer.flush(timeout_s) == 0
        assert self.failed == []


def with_offsets(acked: Iterable[Acked], found: Iterable[Acked]) -> list[Acked]:
    """Return the acknowledged records; those without an offset have that at which their values were found, if any."""
    offsets = {(each.partition, each.value): each.offset for each in found}
    return [
        each._replace(offset=offsets.get((each.partition, each.value), NO_OFFSET)) if each.offset == NO_OFFSET else each
        for each in acked
    ]


def read_all(bootstrap: str, topic: str, ends: Mapping[int, int], timeout_s: float = 240) -> list[Acked]:
    """Read each partition of *topic* from its beginning to its end offset in *ends*."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "not-used", "enable.auto.commit": False})
    found: list[Acked] = []
    try:
        consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING) for partition in ends])
        left = {partition for partition, end in ends.items() if end > 0}
        deadline = time.monotonic() + timeout_s
        while left:
            assert time.monotonic() < deadline, f"no end of partitions {left} in {timeout_s} s"
            message = consumer.poll(0.5)
            if message is None:
                continue
            if message.error() is not None:
                if message.error().code() != KafkaError._PARTITION_EOF:
                    raise KafkaException(message.error())
                continue
            found.append(Acked(message.partition(), message.offset(), message.value().decode()))
            if message.offset() + 1 >= ends[message.partition()]:
                left.discard(message.partition())
    finally:
        consumer.close()
    return found


def ends_of(acked: Sequence[Acked]) -> dict[int, int]:
    """Partition -> the offset behind its last acknowledged record."""
    ends: dict[int, int] = {}
    for each in acked:
        ends[each.partition] = max(ends.get(each.partition, 0), each.offset + 1)
    return ends


def consume_group(bootstrap: str, topic: str, group: str, count: int, timeout_s: float = 240) -> list[str]:
    """Read *count* records as a member of a group, commit, and return the values."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": group, "auto.offset.reset": "earliest"})
    values: list[str] = []
    deadline = time.monotonic() + timeout_s
    try:
        consumer.subscribe([topic])
        while len(values) < count:
            assert time.monotonic() < deadline, f"{len(values)} of {count} records in {timeout_s} s"
            message = consumer.poll(0.5)
            if message is not None and message.error() is None:
                values.append(message.value().decode())
        consumer.commit(asynchronous=False)
    finally:
        consumer.close()
    return values
