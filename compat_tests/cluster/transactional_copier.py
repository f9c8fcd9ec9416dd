"""TransactionalCopier: copies a topic in transactions with sendOffsets, and reads what was committed.

Every transaction has one record for each partition of the output topic, all with the numbers of the records that were
read, so that a transaction of which only a part is there can be told.
"""

from __future__ import annotations

import json
import time
from threading import Event, Thread
from typing import TYPE_CHECKING, Final, Self

from confluent_kafka import OFFSET_BEGINNING, OFFSET_END, Consumer, KafkaException, Producer, TopicPartition

from compat_tests.directory_scenario import await_markers
from compat_tests.limits import join

if TYPE_CHECKING:
    from collections.abc import Callable

_RECORDS_PER_TRANSACTION: Final = 50
_CALL_S: Final = 60


class TransactionalCopier:
    """A thread that copies until it is stopped; a context manager that always ends it.

    Args:
        bootstrap: The brokers.
        source: The topic to read, as the member of a group.
        target: The topic to write.
        partitions: How many partitions *target* has.
    """

    def __init__(self, bootstrap: str, source: str, target: str, partitions: int, name: str = "copier") -> None:
        self.copied: set[str] = set()
        """The values whose transactions were acknowledged as committed."""
        self.committed = 0
        """How many transactions those were."""
        self.aborted = 0
        self.failure: BaseException | None = None
        self._source, self._target, self._partitions = source, target, partitions
        shared: dict[str, object] = {
            "bootstrap.servers": bootstrap,
            "topic.metadata.refresh.interval.ms": 2000,
            # librdkafka 2.16 forgets every broker if a Metadata response has none, as that of an Apache Kafka that has
            # just started, and then sometimes waits for a coordinator until some connection ends
            "connections.max.idle.ms": 10_000,
        }
        self._consumer = Consumer(
            shared
            | {
                "group.id": f"{name}-group",
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                "isolation.level": "read_committed",
                "session.timeout.ms": 30_000,
            }
        )
        self._producer = Producer(
            shared | {"transactional.id": f"{name}-id", "transaction.timeout.ms": 60_000, "linger.ms": 0}
        )
        self._stopped = Event()
        self._thread = Thread(target=self._run, name=name, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        join(self._thread, timeout_s=300)
        self._consumer.close()

    def check(self) -> None:
        """Raise the error that has ended the thread, if one has."""
        if self.failure is not None:
            raise AssertionError("the transactional producer has failed") from self.failure

    def _run(self) -> None:
        try:
            _retried(lambda: self._producer.init_transactions(_CALL_S))
            self._consumer.subscribe([self._source])
            while not self._stopped.is_set():
                self._copy_some()
        except BaseException as fault:
            self.failure = fault

    def _copy_some(self) -> None:
        found = self._consumer.consume(_RECORDS_PER_TRANSACTION, timeout=0.2)
        values = [message.value().decode() for message in found if message.error() is None]
        if not values:
            return
        self._producer.begin_transaction()
        try:
            for partition in range(self._partitions):
                self._producer.produce(self._target, json.dumps(values).encode(), partition=partition)
            positions = self._consumer.position(self._consumer.assignment())
            group = self._consumer.consumer_group_metadata()
            _retried(lambda: self._producer.send_offsets_to_transaction(positions, group, _CALL_S))
            _retried(lambda: self._producer.commit_transaction(_CALL_S))
        except KafkaException as fault:
            if not fault.args[0].txn_requires_abort():
                raise
            _retried(lambda: self._producer.abort_transaction(_CALL_S))
            self.aborted += 1
            self._rewind()
        else:
            self.committed += 1
            self.copied.update(values)

    def _rewind(self) -> None:
        """Read on from the committed offsets: the records of an aborted transaction once more."""
        for position in self._committed():
            if position.offset < 0:
                position.offset = OFFSET_BEGINNING
            self._consumer.seek(position)

    def _committed(self, timeout_s: float = 120) -> list[TopicPartition]:
        """The committed offsets; asked again while the coordinator moves, which librdkafka does not do here."""
        deadline = time.monotonic() + timeout_s
        while True:
            try:
                return list(self._consumer.committed(self._consumer.assignment(), _CALL_S))
            except KafkaException:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)


def _retried(call: Callable[[], None], timeout_s: float = 120) -> None:
    """Call until it succeeds or fails for good."""
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            call()
        except KafkaException as fault:
            if not fault.args[0].retriable() or time.monotonic() > deadline:
                raise
        else:
            return


def committed_transactions(bootstrap: str, topic: str, partition: int, timeout_s: float = 120) -> list[list[str]]:
    """The values of each committed transaction in one partition of the target topic, in order.

    The copier must have ended; the markers of its last transaction may be on their way.
    """
    await_markers(bootstrap, topic, partition)
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "not-used",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "isolation.level": "read_committed",
        }
    )
    found: list[list[str]] = []
    deadline = time.monotonic() + timeout_s
    try:
        low, high = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=timeout_s)
        assert (low, OFFSET_END) != (high, low)
        consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING)])
        while True:
            assert time.monotonic() < deadline, f"no end of {topic}-{partition}"
            message = consumer.poll(0.5)
            if message is None:
                continue
            if message.error() is None:
                found.append(json.loads(message.value()))
            elif consumer.position([TopicPartition(topic, partition)])[0].offset >= high:
                return found
    finally:
        consumer.close()
