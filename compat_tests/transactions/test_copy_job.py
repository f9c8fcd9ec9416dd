"""A job that copies a topic in transactions of 750 records while the broker is killed with -9 again and again: the copy
equals the original, partition by partition, in its order, and holds nothing twice.

The job is librdkafka; it does what its documentation says: abort and begin again where an error
allows it, start anew where it does not.
"""

from __future__ import annotations

import math
import random
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaException, Producer, TopicPartition

from compat_tests.directory_scenario import await_markers
from compat_tests.spark_help import create_topic
from compat_tests.transactions.producers import read_to_end

if TYPE_CHECKING:
    from collections.abc import Callable

    from compat_tests.broker import Wirebroker

PARTITIONS = 3
PER_TRANSACTION = 750
SOURCE, COPY = "original", "copy"
# librdkafka 2.16 forgets its only broker when that is gone and asks its bootstrap servers anew; a TxnOffsetCommit that
# waits for the old handle is then never sent, so the job would wait for its timeout after many of the crashes
QUICK = {
    "reconnect.backoff.ms": 20,
    "reconnect.backoff.max.ms": 100,
    "metadata.recovery.strategy": "none",
    "log_level": 0,
}
PATIENCE_S = 15
BETWEEN_KILLS = 6 * PER_TRANSACTION
"""The job waits for its next crash after this many records: on a slow machine it would be done too early."""
KILLING_S = 60
"""On a slow machine a start takes seconds; from then on, if there were enough crashes, the job may end in peace."""
STARTING_S = STALLED_S = 240


class Job(threading.Thread):
    """Copies until all is copied."""

    def __init__(self, bootstrap: str, total: int) -> None:
        super().__init__(daemon=True)
        self.bootstrap, self.total = bootstrap, total
        self.copied = self.transactions = self.failures = self.restarts = 0
        self.kills: float = 0
        self.stopped = threading.Event()
        self.fault: BaseException | None = None
        self.began, self.story = time.monotonic(), list[str]()

    def note(self, what: str) -> None:
        """Keep a line for the message of a failed test."""
        self.story.append(f"{time.monotonic() - self.began:7.2f} s, {self.copied} copied: {what}")

    def run(self) -> None:
        try:
            while self.copied < self.total and not self.stopped.is_set():
                self.restarts += 1
                self.note(f"life {self.restarts}")
                self.run_producer()
        except BaseException as fault:
            self.fault = fault

    def run_producer(self) -> None:
        """Run one producer until the job is done or a fatal error ends the producer."""
        # transaction.timeout.ms is short, so that the open transaction of a killed producer does not delay readers
        producer = Producer(
            {"bootstrap.servers": self.bootstrap, "transactional.id": "job", "transaction.timeout.ms": 20_000} | QUICK
        )
        consumer = Consumer(
            {
                "bootstrap.servers": self.bootstrap,
                "group.id": "job",
                "enable.auto.commit": False,
                "isolation.level": "read_committed",
                "fetch.wait.max.ms": 50,
            }
            | QUICK
        )
        try:
            producer.init_transactions(PATIENCE_S)
            self.rewind(consumer)
            while self.copied < self.total:
                while self.copied >= (self.kills + 1) * BETWEEN_KILLS:
                    self.check_stopped()
                    time.sleep(0.005)
                try:
                    self.transaction(producer, consumer)
                except KafkaException as problem:
                    error = problem.args[0]
                    self.failures += 1
                    self.note(str(error))
                    if error.fatal():
                        return
                    producer.abort_transaction(PATIENCE_S)
                    self.rewind(consumer)
        except KafkaException as problem:
            self.failures += 1  # an abort or a start that fails: begin a new life
            self.note(f"end of a life: {problem}")
        finally:
            consumer.close()

    def check_stopped(self) -> None:
        """Raise if the test is over: it has failed, and the broker is gone."""
        if self.stopped.is_set():
            raise TimeoutError("the job was stopped")

    def rewind(self, consumer: Consumer) -> None:
        """Seek to the end of the last committed transaction."""
        wanted = [TopicPartition(SOURCE, partition) for partition in range(PARTITIONS)]
        while True:
            self.check_stopped()
            try:
                found = consumer.committed(wanted, timeout=10)
                break
            except KafkaException as problem:
                self.failures += 1
                self.note(str(problem))
        assert not any(each.error for each in found), found  # its offset would be read as none
        for each in found:
            each.offset = max(each.offset, 0)
        copied = sum(each.offset for each in found)
        assert copied >= self.copied, f"{copied} of {self.copied} records are committed"
        self.copied = copied
        for each in found:
            each.offset = each.offset or OFFSET_BEGINNING
        consumer.assign(found)

    def transaction(self, producer: Producer, consumer: Consumer) -> None:
        records: list[Any] = []
        while not records:
            self.check_stopped()
            records = [each for each in consumer.consume(PER_TRANSACTION, 0.5) if each.error() is None]
        producer.begin_transaction()
        for each in records:
            while True:
                try:
                    producer.produce(COPY, each.value(), partition=each.partition())
                    break
                except BufferError:
                    producer.poll(0.05)
        producer.send_offsets_to_transaction(
            consumer.position(consumer.assignment()), consumer.consumer_group_metadata(), PATIENCE_S
        )
        producer.commit_transaction(PATIENCE_S)
        self.copied += len(records)
        self.transactions += 1


def kill_again_and_again(broker: Wirebroker, job: Job, enough: int) -> None:
    """Until the job is done; between two crashes it copies something, or it would not end."""
    pauses = random.Random(1)
    killing_ends = time.monotonic() + KILLING_S
    copied = 0
    while job.is_alive():
        stalled = time.monotonic() + STALLED_S
        while job.is_alive() and job.copied == copied:
            assert time.monotonic() < stalled, told(job)
            job.join(0.01)
        job.join(pauses.uniform(0, 0.04))
        copied = job.copied
        if job.kills >= enough and time.monotonic() > killing_ends:
            job.kills = math.inf  # it ends in peace
        elif job.is_alive():
            job.note("killed")
            broker.kill()
            broker.start(STARTING_S)
            job.kills += 1
            job.note("started")
    assert job.kills >= enough, told(job)


def told(job: Job) -> str:
    return "\n".join([repr(job.fault), *job.story])


@pytest.mark.parametrize("total", [30_000, pytest.param(100_000, marks=pytest.mark.nightly)])
def test_the_copy_equals_the_original(start_wirebroker: Callable[..., Wirebroker], total: int) -> None:
    settings = {"log.segment.bytes": "400000", "transaction.state.log.segment.bytes": "40000"}
    broker = start_wirebroker(settings | {"group.initial.rebalance.delay.ms": "0"})
    for name in (SOURCE, COPY):
        create_topic(broker.bootstrap, name, PARTITIONS)
    feeder = Producer(
        {"bootstrap.servers": broker.bootstrap, "queue.buffering.max.messages": total + 1, "linger.ms": 5}
    )
    for number in range(total):
        feeder.produce(SOURCE, b"%d" % number, partition=number % PARTITIONS)
    assert feeder.flush(120) == 0
    job = Job(broker.bootstrap, total)
    job.start()
    try:
        kill_again_and_again(broker, job, enough=total // 5000)
    finally:
        job.stopped.set()
    assert job.fault is None, told(job)
    for partition in range(PARTITIONS):
        await_markers(broker.bootstrap, COPY, partition)
    original, copy = (
        read_to_end(broker.bootstrap, name, committed=True, partitions=PARTITIONS) for name in (SOURCE, COPY)
    )
    assert len(original) == total
    assert [(partition, value) for partition, _, value in copy] == [
        (partition, value) for partition, _, value in original
    ], told(job)
    broker.stop()
