"""Kills, restarts and the creation of many partitions in a cluster of three brokers; each returns seconds.

A time after a kill -9 is given twice: from the kill, and from the end of the broker's session with ZooKeeper, before
which nobody knows of the kill.  The first has up to two seconds of chance in it: when the last ping was.
"""

from __future__ import annotations

import os
import random
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from confluent_kafka import Producer
from confluent_kafka.admin import NewTopic
from kazoo.client import KazooClient

from tools.bench import wire
from tools.bench.broker_cluster import BROKERS, WITHIN_S, await_
from tools.bench.broker_session import now_ms
from tools.bench.brokers import StartError
from tools.bench.raw_client import BenchError, Prepared, connect, receive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from confluent_kafka import KafkaError, Message

    from tools.bench.broker_cluster import BrokerCluster

TOPICS = 20
PARTITIONS = 100
PACE_S = 0.01
POLL_S = 0.005
_DROP_CACHES = Path("/proc/sys/vm/drop_caches")
PING_S = 2.0
"""Both kinds ping ZooKeeper three times in a session of 6 s.  A kill comes later than that after the last request of a
broker, and at a random moment between two pings: the session ends up to this time earlier."""


class AfterKill(NamedTuple):
    """Seconds from a kill -9, and from the end of the session."""

    from_kill_s: float
    from_session_end_s: float


class RollingRestart(NamedTuple):
    """Three brokers restarted one after the other."""

    seconds: float
    longest_gap_s: float
    """Between two acknowledgements of a producer that sends a record every 10 ms."""


class SessionEnd:
    """Waits in a thread until a broker's registration in ZooKeeper has gone."""

    def __init__(self, cluster: BrokerCluster, broker_id: int) -> None:
        self._connect, self._path = cluster.zookeeper.connect, f"/brokers/ids/{broker_id}"
        self.at = 0.0
        """The time at which it had gone."""
        self._watches = threading.Event()
        self._thread = threading.Thread(target=self._run, name="session end")

    def __enter__(self) -> SessionEnd:
        self._thread.start()
        self._watches.wait(WITHIN_S)
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join()

    def _run(self) -> None:
        client = KazooClient(hosts=self._connect)
        client.start(timeout=WITHIN_S)
        self._watches.set()
        deadline = time.monotonic() + WITHIN_S
        while client.exists(self._path) and time.monotonic() < deadline:
            time.sleep(POLL_S)
        self.at = time.monotonic()
        client.stop()
        client.close()


def new_producer(cluster: BrokerCluster) -> Producer:
    """Return a producer that sends at once and gives a record up after WITHIN_S.

    It connects again within 0.1 s: by default it waits for 0.1 s, 0.2 s and so on up to 10 s after each attempt that a
    broker refuses while it starts, and it would be that pause that is measured.
    """
    return Producer(
        {
            "bootstrap.servers": cluster.bootstrap,
            "acks": "all",
            "linger.ms": 0,
            "reconnect.backoff.ms": 50,
            "reconnect.backoff.max.ms": 100,
            "delivery.timeout.ms": 1000 * WITHIN_S,
            "log_level": 0,
        }
    )


def kill_leader(cluster: BrokerCluster) -> AfterKill:
    """Kill the leader of a partition, which is not the controller; the time to the next acknowledged record.

    The producer asks for the leader every 10 ms, as the pauses of published clients are as long as what is measured.
    """
    controller = cluster.controller()
    victim = next(each for each in BROKERS if each != controller)
    topic = cluster.new_topic(1, victim)
    record = Prepared.of(topic, [(0, wire.record_batch(1, 100, now_ms()))], acks=-1)
    for _ in range(20):
        await_(lambda: _is_acknowledged(cluster, victim, record), "a record")
    with SessionEnd(cluster, victim) as session:
        time.sleep(random.uniform(PING_S, 2 * PING_S))
        began = time.monotonic()
        cluster.kill(victim)
        await_(lambda: _produced_to_leader(cluster, topic, record), "a record after the kill", PACE_S)
        ended = time.monotonic()
    cluster.start(victim)
    cluster.await_complete()
    cluster.await_in_sync([topic])
    cluster.delete([topic])
    return AfterKill(ended - began, ended - session.at)


def _produced_to_leader(cluster: BrokerCluster, topic: str, record: Prepared) -> bool:
    """Ask every live broker for the leader, and send it *record*; return whether a leader has acknowledged it."""
    for broker_id in cluster.live:
        leader = cluster.metadata(broker_id, [topic]).partitions[topic, 0].leader
        if leader in cluster.live and _is_acknowledged(cluster, leader, record):
            return True
    return False


def _is_acknowledged(cluster: BrokerCluster, leader: int, record: Prepared) -> bool:
    with connect(cluster.address(leader)) as sock:
        sock.sendall(record.frame)
        response = memoryview(receive(sock, record.response_bytes))
    try:
        record.check(response)
    except BenchError:
        return False
    return True


def forget_deleted_inodes() -> None:
    """Have ext4 give the inodes of deleted files to new ones again; nothing happens without the privileges.

    For 60 s, and 360 s if their inode table was not written yet, ext4 leaves them alone, and looks at each of them
    for every file that it creates: an hour of tests and turns before makes 2,000 partitions take 10 instead of 2.8 s,
    nearly all of it in the kernel, and whoever creates more files pays more.  It does not look at inodes that it
    would have to read.
    """
    for _ in range(2):  # what the first one has committed to the journal, the second one writes to its place
        os.sync()
    with suppress(OSError):
        _DROP_CACHES.write_text("3")


class ManyPartitions(NamedTuple):
    """A cluster with 2,000 partitions."""

    created_s: float
    """Until all of them are led, and every broker knows it."""
    created_cpu_s: float
    """Of all brokers."""
    failover: AfterKill
    """Until the new controller has told all brokers: no partition is led by the former one in anybody's Metadata."""


def many_partitions(cluster: BrokerCluster, topics: int) -> ManyPartitions:
    """Create topics of 100 partitions, then kill the controller."""
    names = [f"many-{time.monotonic_ns()}-{number}" for number in range(topics)]
    total = topics * PARTITIONS
    forget_deleted_inodes()
    began, cpu_s = time.monotonic(), cluster.cpu_seconds()
    cluster.create([NewTopic(each, PARTITIONS, len(BROKERS)) for each in names])
    cluster.await_all(
        lambda _, seen: len(seen.partitions) == total and all(each.leader >= 0 for each in seen.partitions.values()),
        names,
        "partitions are led",
    )
    created_s, cpu_s = time.monotonic() - began, cluster.cpu_seconds() - cpu_s
    cluster.await_in_sync(names)
    controller = cluster.controller()
    with SessionEnd(cluster, controller) as session:
        began = time.monotonic()
        cluster.kill(controller)
        cluster.await_all(
            lambda _, seen: (
                controller not in seen.brokers
                and seen.controller in cluster.live
                and len(seen.partitions) == total
                and all(each.leader in cluster.live for each in seen.partitions.values())
            ),
            names,
            "told by a new controller",
        )
        ended = time.monotonic()
    cluster.start(controller)
    cluster.await_complete()
    cluster.await_in_sync(names)
    cluster.delete(names)
    return ManyPartitions(created_s, cpu_s, AfterKill(ended - began, ended - session.at))


class PacedProducer:
    """Sends a record every 10 ms to each partition in turn, in a thread."""

    def __init__(self, cluster: BrokerCluster, topic: str, partitions: int) -> None:
        self._producer, self._topic, self._partitions = new_producer(cluster), topic, partitions
        self._is_done = threading.Event()
        self._acknowledged: list[float] = []
        self._failed: list[KafkaError] = []

    @contextmanager
    def running(self) -> Iterator[None]:
        """Send until the end of the block; raise StartError if a record was refused."""
        thread = threading.Thread(target=self._run, name="paced producer")
        thread.start()
        try:
            await_(lambda: len(self._acknowledged) > self._partitions, "the first records")
            yield
        finally:
            self._is_done.set()
            thread.join()
        if self._failed:
            raise StartError(f"{len(self._failed)} records were refused, the first with {self._failed[0]}")

    @property
    def longest_gap_s(self) -> float:
        """The longest time without an acknowledgement."""
        pairs = zip(self._acknowledged, self._acknowledged[1:], strict=False)
        return max(later - earlier for earlier, later in pairs)

    def _run(self) -> None:
        number = 0
        while not self._is_done.is_set():
            self._producer.produce(
                self._topic, bytes(100), partition=number % self._partitions, on_delivery=self._delivered
            )
            self._producer.poll(PACE_S)
            number += 1
        self._producer.flush(WITHIN_S)

    def _delivered(self, error: KafkaError | None, _: Message) -> None:
        if error is not None:
            self._failed.append(error)
        self._acknowledged.append(time.monotonic())


def rolling_restart(cluster: BrokerCluster) -> RollingRestart:
    """Stop each broker with SIGTERM and start it again, once all replicas are in sync; a producer goes on."""
    topic = cluster.new_topic(len(BROKERS))
    producer = PacedProducer(cluster, topic, len(BROKERS))
    with producer.running():
        began = time.monotonic()
        for broker_id in BROKERS:
            cluster.stop(broker_id)
            cluster.start(broker_id)
            cluster.await_complete()
            cluster.await_in_sync([topic])
        seconds = time.monotonic() - began
    cluster.delete([topic])
    return RollingRestart(seconds, producer.longest_gap_s)
