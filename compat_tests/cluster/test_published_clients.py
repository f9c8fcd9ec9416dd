"""Published clients on three wirebrokers go on while leaders and coordinators move: no error, nothing lost."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import time
from threading import Event, Thread
from typing import TYPE_CHECKING, Protocol, Self

import pytest
from confluent_kafka import KafkaError, KafkaException, Producer

from compat_tests.broker import running
from compat_tests.cluster.clients import RecordingProducer, read_all
from compat_tests.cluster.three_wirebrokers import ThreeWirebrokers
from compat_tests.cluster.transactional_copier import TransactionalCopier, committed_transactions
from compat_tests.conftest import wait_until
from compat_tests.group_clients import MEMBERS
from compat_tests.kcat import NoKcatError, find_kcat
from compat_tests.limits import join
from compat_tests.spark_help import create_topic
from compat_tests.versions import KAFKA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from compat_tests.group_clients import GroupMember
    from tools.jvm.kafka import KafkaDist

# the clients use deprecated functions, and leave sockets to the garbage collector
pytestmark = [
    pytest.mark.nightly,
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning"),
]

PARTITIONS, GROUP, TOPIC = 3, "readers", "numbers"
PATIENCE_S = 200


class NumberProducer(Protocol):
    """A producer of one client, which lives as long as the test."""

    def __init__(self, bootstrap: str) -> None: ...

    def send(self, values: list[bytes]) -> None:
        """Produce and wait until all are acknowledged."""

    def close(self) -> None: ...


class ConfluentProducer:
    """confluent-kafka."""

    def __init__(self, bootstrap: str) -> None:
        self._producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True})

    def send(self, values: list[bytes]) -> None:
        failed: list[object] = []
        for value in values:
            self._producer.produce(TOPIC, value, on_delivery=lambda error, _: failed.append(error) if error else None)
        assert self._producer.flush(PATIENCE_S) == 0
        assert failed == []

    def close(self) -> None:
        pass


class KafkaPythonProducer:
    """kafka-python."""

    def __init__(self, bootstrap: str) -> None:
        from kafka import KafkaProducer

        self._producer = KafkaProducer(bootstrap_servers=bootstrap.split(","), enable_idempotence=True, acks="all")

    def send(self, values: list[bytes]) -> None:
        for sent in [self._producer.send(TOPIC, value) for value in values]:
            sent.get(PATIENCE_S)

    def close(self) -> None:
        self._producer.close(10)


class AioKafkaProducer:
    """aiokafka on an event loop of its own."""

    def __init__(self, bootstrap: str) -> None:
        self._runner = asyncio.Runner()
        self._runner.run(self._start(bootstrap))

    async def _start(self, bootstrap: str) -> None:
        from aiokafka import AIOKafkaProducer

        self._producer = AIOKafkaProducer(bootstrap_servers=bootstrap, enable_idempotence=True, acks="all")
        await self._producer.start()

    def send(self, values: list[bytes]) -> None:
        self._runner.run(self._send(values))

    async def _send(self, values: list[bytes]) -> None:
        for sent in [await self._producer.send(TOPIC, value) for value in values]:
            await asyncio.wait_for(sent, PATIENCE_S)

    def close(self) -> None:
        self._runner.run(asyncio.wait_for(self._producer.stop(), PATIENCE_S))
        self._runner.close()


PRODUCERS: dict[str, type[NumberProducer]] = {
    "confluent-kafka": ConfluentProducer,
    "kafka-python": KafkaPythonProducer,
    "aiokafka": AioKafkaProducer,
}


class Pipeline:
    """A thread that produces and one that reads as a member of a group, until the end of the block."""

    def __init__(self, bootstrap: str, client: str) -> None:
        self.sent: list[bytes] = []
        self.read: list[bytes] = []
        self._failures: list[BaseException] = []
        self._stopped = Event()
        self._producer = PRODUCERS[client](bootstrap)
        self._member = MEMBERS[client](bootstrap, GROUP, TOPIC)
        self._threads = [
            Thread(target=self._guarded, args=[work], daemon=True) for work in (self._produce, self._consume)
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        join(*self._threads, timeout_s=300)
        self._producer.close()
        self._member.close()

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            while not self._stopped.is_set():
                work()
        except BaseException as failure:
            self._failures.append(failure)

    def _produce(self) -> None:
        values = [b"%d" % number for number in range(len(self.sent), len(self.sent) + 10)]
        self._producer.send(values)
        self.sent += values
        time.sleep(0.1)

    def _consume(self) -> None:
        self.read += [value for _, _, value in self._member.poll(0.5)]
        commit(self._member)

    def await_more(self) -> None:
        """Wait until records that are sent from now on were read.

        Raises:
            AssertionError: a client has failed.
        """
        at = len(self.sent) + 50

        def seen() -> bool:
            for failure in self._failures:
                raise AssertionError("a client has failed") from failure
            return len(self.sent) >= at and set(self.sent[:at]) <= set(self.read)

        wait_until(seen, PATIENCE_S)


REBALANCED = {"CommitFailedError", "RebalanceInProgressError", "IllegalGenerationError", "UnknownMemberIdError"}
LEFT_TO_THE_NEXT_TIME = {
    KafkaError._NO_OFFSET,
    KafkaError.UNKNOWN_MEMBER_ID,
    KafkaError.ILLEGAL_GENERATION,
    KafkaError.REBALANCE_IN_PROGRESS,
}


def commit(member: GroupMember) -> None:
    """Commit; an error that the client calls retriable, or a rebalance, leaves it to the next time."""
    try:
        member.commit()
    except KafkaException as error:
        found = error.args[0]
        assert found.retriable() or found.code() in LEFT_TO_THE_NEXT_TIME, found
    except Exception as error:
        if not getattr(error, "retriable", False) and type(error).__name__ not in REBALANCED:
            raise


@pytest.fixture
def cluster(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> Iterator[ThreeWirebrokers]:
    with ThreeWirebrokers(tmp_path / "cluster", kafka_dist(KAFKA)) as cluster:
        create_topic(cluster.bootstrap(), TOPIC, PARTITIONS)
        cluster.await_in_sync()
        yield cluster
    caplog.get_records("call").clear()  # which hold the connections that kafka-python logs
    gc.collect()  # at the end of the run nothing ignores the sockets that kafka-python has left


@pytest.mark.parametrize("client", PRODUCERS)
def test_a_client_goes_on(cluster: ThreeWirebrokers, client: str) -> None:
    with Pipeline(cluster.bootstrap(), client) as pipeline:
        pipeline.await_more()
        cluster.restart(cluster.leader(TOPIC))
        pipeline.await_more()
        cluster.kill_and_restart(cluster.group_coordinator(GROUP))
        pipeline.await_more()
    records = read_all(cluster.bootstrap(), TOPIC, cluster.ends(TOPIC))
    values = [each.value.encode() for each in records]
    assert len(values) == len(set(values)), "a record is there twice"
    assert set(pipeline.sent) <= set(values)


def test_transactions_go_on(cluster: ThreeWirebrokers) -> None:
    create_topic(cluster.bootstrap(), "copies", PARTITIONS)
    cluster.await_in_sync()
    source = RecordingProducer(cluster.bootstrap())
    with TransactionalCopier(cluster.bootstrap(), TOPIC, "copies", PARTITIONS) as copier:

        def copy_more() -> None:
            source.send(TOPIC, 200, PARTITIONS)
            source.flush()
            wait_until(lambda: copier.failure is not None or len(copier.copied) == len(source.acked), PATIENCE_S)
            copier.check()

        copy_more()
        cluster.restart(cluster.transaction_coordinator("copier"))
        copy_more()
        source.send(TOPIC, 200, PARTITIONS)
        cluster.kill_and_restart(cluster.transaction_coordinator("copier"))
        copy_more()
    sent = sorted(each.value for each in source.acked)
    for partition in range(PARTITIONS):
        transactions = committed_transactions(cluster.bootstrap(), "copies", partition)
        assert sorted(value for each in transactions for value in each) == sent, partition


def test_kcat_goes_on(cluster: ThreeWirebrokers) -> None:
    try:
        kcat = find_kcat()
    except NoKcatError as reason:
        pytest.skip(str(reason))
    options = ["-b", cluster.bootstrap(), "-t", TOPIC]
    command = [kcat.program, "-P", *options, "-X", "enable.idempotence=true", "-X", "linger.ms=5"]
    environment = None if kcat.libraries is None else {"LD_LIBRARY_PATH": str(kcat.libraries)}
    with running(command, stdin=subprocess.PIPE, text=True, env=environment) as producer:
        assert producer.stdin is not None
        for half, victim in enumerate((cluster.leader(TOPIC), cluster.controller())):
            producer.stdin.writelines(f"{number}\n" for number in range(half * 500, half * 500 + 250))
            producer.stdin.flush()
            cluster.restart(victim)
            producer.stdin.writelines(f"{number}\n" for number in range(half * 500 + 250, half * 500 + 500))
            producer.stdin.flush()
        producer.stdin.close()
        assert producer.wait(PATIENCE_S) == 0
    printed = kcat.run("-C", *options, "-o", "beginning", "-e", "-q").split()
    assert sorted(printed, key=int) == [str(number) for number in range(1000)]
