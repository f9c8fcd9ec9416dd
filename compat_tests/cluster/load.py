"""Load for clusters in which something fails: a producer, and the members of a group, each in a thread of its own."""

from __future__ import annotations

import time
from contextlib import ExitStack
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Final, Self

from confluent_kafka import Consumer, KafkaException, TopicPartition

from compat_tests.cluster.client_errors import ClientErrors
from compat_tests.cluster.clients import NO_OFFSET, Acked, RecordingProducer, ends_of, read_all, with_offsets
from compat_tests.conftest import wait_until
from compat_tests.limits import join

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from compat_tests.cluster.fault_rounds import FaultRounds

_COMMIT_EVERY_S: Final = 0.3
_MOST_UNDER_WAY: Final = 40
"""Of a partition."""
IMPATIENT: Final[Mapping[str, object]] = {"socket.timeout.ms": 4000, "reconnect.backoff.max.ms": 1000}
"""A request that a suspended process has taken holds the others back for 4 s, and not for a minute; and a broker that
was away is tried again after a second, and not after ten."""


class Load:
    """An idempotent producer that writes some hundred records a second until the end of the block.

    A partition that does not answer gets no more records than a producer may have under way.
    """

    def __init__(
        self, bootstrap: str, topic: str, partitions: int, settings: Mapping[str, object] | None = None
    ) -> None:
        self.producer = RecordingProducer(bootstrap, settings)
        self._topic, self._partitions = topic, partitions
        self._stopped = Event()
        self._thread = Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self.await_more()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End the thread; records that are queued are still sent."""
        self._stopped.set()
        join(self._thread)

    def _run(self) -> None:
        while not self._stopped.wait(0.1):
            self.producer.send(self._topic, 40, self._partitions, _MOST_UNDER_WAY)

    def await_more(self, timeout_s: float = 120) -> None:
        """Wait until records that are produced from now on are acknowledged in every partition."""
        number, at = self.producer.sent, len(self.producer.acked)
        every = set(range(self._partitions))
        wait_until(lambda: self.producer.acked_since(number, at) == every, timeout_s)


class GroupReader:
    """A member of a group that reads a topic and commits what it has read, until the end of the block."""

    def __init__(self, bootstrap: str, topic: str, group_id: str, errors: ClientErrors) -> None:
        self.read: set[Acked] = set()
        """Every record that was read, by its partition, offset and value."""
        self.committed: dict[int, int] = {}
        """Partition -> the newest offset whose commit was acknowledged to this member."""
        self.failures: list[str] = []
        """Reads that must never happen: a gap, an offset twice, a position before the committed one."""
        self._topic, self._errors = topic, errors
        self._next: dict[int, int] = {}
        self._stopped = Event()
        given: dict[str, object] = {
            "bootstrap.servers": bootstrap,
            "group.id": group_id,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "topic.metadata.refresh.interval.ms": 2000,
            "error_cb": errors.callback("consumer"),
        }
        self._consumer = Consumer(given | dict(IMPATIENT))
        self._thread = Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        join(self._thread)
        self._consumer.close()

    def has_read(self, acked: Collection[Acked]) -> bool:
        """Whether these records were read."""
        if any(each.offset == NO_OFFSET for each in acked):
            acked = with_offsets(acked, self.read.copy())
        return self.read.issuperset(acked)

    def _run(self) -> None:
        self._consumer.subscribe([self._topic], on_assign=self._assigned)
        committed_at = time.monotonic()
        while not self._stopped.is_set():
            for message in self._consumer.consume(200, timeout=0.1):
                if message.error() is None:
                    self._note(message)
                else:
                    self._errors.note("consumer", message.error())
            if time.monotonic() - committed_at > _COMMIT_EVERY_S:
                self._commit()
                committed_at = time.monotonic()

    def _assigned(self, _: object, __: object) -> None:
        self._next.clear()

    def _note(self, message: Any) -> None:
        record = Acked(message.partition(), message.offset(), message.value().decode())
        expected = self._next.get(record.partition)
        if expected is None and record.offset < self.committed.get(record.partition, 0):
            self.failures.append(f"{record} is before the committed offset {self.committed[record.partition]}")
        if expected not in (None, record.offset):
            self.failures.append(f"{record} where offset {expected} was expected")
        self._next[record.partition] = record.offset + 1
        self.read.add(record)

    def _commit(self) -> None:
        offsets = [TopicPartition(self._topic, partition, offset) for partition, offset in self._next.items()]
        if not offsets:
            return
        try:
            done = self._consumer.commit(offsets=offsets, asynchronous=False)
        except KafkaException as refused:
            self._errors.note("commit", refused.args[0])
            return  # the coordinator moves, or the group rebalances: the next commit has these offsets, too
        for each in done or ():
            if each.error is not None:
                self._errors.note("commit", each.error)
            else:
                self.committed[each.partition] = each.offset


class CheckedLoad:
    """A producer and a group that reads its records; a context manager that ends both."""

    def __init__(self, bootstrap: str, topic: str, partitions: int) -> None:
        self.errors = ClientErrors()
        """The errors that librdkafka has told the producer and the consumer of."""
        self.load = Load(bootstrap, topic, partitions, {**IMPATIENT, "error_cb": self.errors.callback("producer")})
        self.reader = GroupReader(bootstrap, topic, "readers", self.errors)
        self._bootstrap, self._topic = bootstrap, topic
        self._stack = ExitStack()
        self._known = 0
        """How many of the acknowledged records, from the first one on, the group is known to have read."""

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(self.reader)
            stack.enter_context(self.load)
            self.await_more()  # the group has its coordinator, whose topic nobody creates while ZooKeeper is gone
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *failure: object) -> None:
        self._stack.close()

    def await_more(self, timeout_s: float = 180) -> None:
        """Wait until new records are acknowledged in every partition, and the group has read them."""
        self.load.await_more(timeout_s)
        acked = self.load.producer.acked[self._known :]
        wait_until(lambda: self.reader.has_read(acked), timeout_s)
        self._known += len(acked)

    def check(self, rounds: FaultRounds) -> int:
        """End the producer, check all records, with every broker running, and return how many were acknowledged.

        They are counted in *rounds* first.

        Each acknowledged record is at its offset, each value is there once, the values of a partition are in the
        order of their production, and the group has read nothing else, without a gap.
        """
        self.load.stop()
        producer = self.load.producer
        producer.flush()
        found = read_all(self._bootstrap, self._topic, ends_of(producer.acked))
        acked = with_offsets(producer.acked, found)
        rounds.note_records(acked, found)
        wait_until(lambda: set(acked) <= self.reader.read)
        assert len(acked) == len(set(acked))
        assert set(acked) <= set(found), sorted(set(acked) - set(found))[:5]
        assert self.reader.read <= set(found), sorted(self.reader.read - set(found))[:5]
        assert len({each.value for each in found}) == len(found), "a record is there twice"
        for partition in {each.partition for each in found}:
            numbers = [int(each.value.rpartition("-")[2]) for each in found if each.partition == partition]
            assert numbers == sorted(numbers), f"the records of partition {partition} are not in order"
        assert self.reader.failures == []
        return len(acked)
