"""A cluster under measurement: three broker processes of one kind, and a ZooKeeper of their own.

Both kinds get the same settings.  Metadata is asked with a ready-made frame, broker by broker, so that a wait says what
each of them knows.
"""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, NamedTuple, Protocol

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient, NewTopic

from tools.bench import group_wire, raw_client, wire
from tools.bench.brokers import StartError, Wirebroker, cpu_seconds
from tools.jvm.kafka import KafkaDist
from tools.jvm.zookeeper import ZooKeeper, ZooKeeperBroker
from wirebroker.protocol.messages.find_coordinator import FindCoordinatorRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

BROKERS = (0, 1, 2)
WITHIN_S = 120
POLL_S = 0.02
SETTINGS = {
    "auto.leader.rebalance.enable": "false",
    "group.initial.rebalance.delay.ms": "0",
    "inter.broker.protocol.version": "3.9",
    "log.cleaner.enable": "false",
    "log.segment.delete.delay.ms": "1000",
    "offsets.topic.replication.factor": "3",
    "transaction.state.log.min.isr": "2",
    "transaction.state.log.replication.factor": "3",
    "zookeeper.session.timeout.ms": "6000",
}
ZOOKEEPER = {"tickTime": "500"}
"""Sessions end up to one tick late, which is part of each time after a kill."""


class BrokerProcess(Protocol):
    """One broker, wirebroker's or Apache Kafka's."""

    @property
    def bootstrap(self) -> str: ...

    @property
    def pid(self) -> int: ...

    def start(self) -> object: ...

    def stop(self) -> None: ...

    def kill(self) -> None: ...


class PartitionState(NamedTuple):
    """A partition in the Metadata of one broker."""

    leader: int
    isr: frozenset[int]


class Metadata(NamedTuple):
    """One broker's answer to Metadata."""

    brokers: frozenset[int]
    controller: int
    partitions: Mapping[tuple[str, int], PartitionState]


class BrokerCluster:
    """Three brokers that run.

    Args:
        name: Which kind they are.
        brokers: The processes, by broker id.
        data: The directory of each broker's logs.
        zookeeper: The ZooKeeper that they share.
    """

    def __init__(
        self, name: str, brokers: Mapping[int, BrokerProcess], data: Mapping[int, Path], zookeeper: ZooKeeper
    ) -> None:
        self.name, self.brokers, self._data, self.zookeeper = name, brokers, data, zookeeper
        self.live = set(brokers)
        self._topics = 0

    @property
    def bootstrap(self) -> str:
        """The addresses of all brokers, for clients."""
        return ",".join(each.bootstrap for each in self.brokers.values())

    def address(self, broker_id: int) -> raw_client.Address:
        """The address of one broker."""
        host, _, port = self.brokers[broker_id].bootstrap.partition(":")
        return host, int(port)

    def _admin(self) -> AdminClient:
        """Return a new client, which knows of no earlier controller."""
        return AdminClient({"bootstrap.servers": self.bootstrap, "log_level": 0})

    def cpu_seconds(self) -> float:
        """User and system time of the live brokers so far."""
        return sum(cpu_seconds(self.brokers[each].pid) for each in self.live)

    def resident_mb(self) -> float:
        """Resident memory of the live brokers, in 10**6 bytes."""
        return sum(_resident_bytes(self.brokers[each].pid) for each in self.live) / 1e6

    def data_bytes(self) -> int:
        """The size of all logs."""
        total = 0
        for data in self._data.values():
            for file in data.glob("*/*.log"):
                try:
                    total += file.stat().st_size
                except FileNotFoundError:
                    pass  # deleted meanwhile
        return total

    # -- one broker after the other

    def stop(self, broker_id: int) -> None:
        """Stop a broker with SIGTERM, upon which it has its leaders moved."""
        self.live.discard(broker_id)
        self.brokers[broker_id].stop()

    def kill(self, broker_id: int) -> None:
        """End a broker with SIGKILL."""
        self.live.discard(broker_id)
        self.brokers[broker_id].kill()

    def start(self, broker_id: int) -> None:
        """Start a broker again."""
        self.brokers[broker_id].start()
        self.live.add(broker_id)

    # -- topics

    def new_topic(self, partitions: int, leader: int | None = None) -> str:
        """Return a topic of three replicas, all in sync; its leaders in turn, or all on one broker."""
        self._topics += 1
        topic = f"bench-{self._topics:04d}"
        first = [number if leader is None else leader for number in range(partitions)]
        assignment = [[(each + other) % len(BROKERS) for other in range(len(BROKERS))] for each in first]
        self.create([NewTopic(topic, partitions, replica_assignment=assignment)])
        self.await_in_sync([topic])
        return topic

    def create(self, topics: Sequence[NewTopic]) -> None:
        """Create topics; return when the request is answered."""
        admin = self._admin()
        for created in admin.create_topics(list(topics), request_timeout=WITHIN_S).values():
            created.result()

    def delete(self, topics: Sequence[str]) -> None:
        """Delete topics, and wait until no broker knows them and their files are gone."""
        admin = self._admin()
        try:
            for deleted in admin.delete_topics(list(topics), operation_timeout=WITHIN_S).values():
                deleted.result()
        except KafkaException as fault:
            raise StartError(f"{self.name}: {topics[0]} could not be deleted: {fault}") from fault
        self.await_all(lambda _, seen: not seen.partitions, topics, "deleted")
        # a directory on its way out is called TOPIC-PARTITION.ID-delete
        names = [f"{topic}-*" for topic in topics]
        await_(lambda: not any(any(data.glob(each)) for data in self._data.values() for each in names), "deleted files")

    # -- waits

    def metadata(self, broker_id: int, topics: Sequence[str]) -> Metadata:
        """Ask one broker for its brokers, its controller and the partitions of *topics*."""
        with raw_client.connect(self.address(broker_id)) as sock:
            return _read_metadata(raw_client.ask(sock, wire.metadata_of(topics)))

    def controller(self) -> int:
        """The id of the controller."""
        return self.metadata(min(self.live), []).controller

    def await_all(self, condition: Callable[[int, Metadata], bool], topics: Sequence[str], what: str) -> None:
        """Wait until *condition* holds for the Metadata of every live broker.

        Raises:
            StartError: it does not in WITHIN_S.
        """
        missing = set(self.live)

        def holds() -> bool:
            for each in sorted(missing):
                try:
                    seen = self.metadata(each, topics)
                except (OSError, raw_client.BenchError):
                    return False
                if not condition(each, seen):
                    return False
                missing.discard(each)
            return True

        await_(holds, f"{self.name}: {what}")

    def await_in_sync(self, topics: Sequence[str]) -> None:
        """Wait until every broker has all replicas of *topics* in sync."""
        everybody = frozenset(self.brokers)
        self.await_all(
            lambda _, seen: bool(seen.partitions) and all(each.isr == everybody for each in seen.partitions.values()),
            topics,
            f"{', '.join(topics)} in sync",
        )

    def await_complete(self) -> None:
        """Wait until every broker knows all of them and the controller."""
        everybody = frozenset(self.brokers)
        self.await_all(lambda _, seen: seen.brokers == everybody and seen.controller in everybody, [], "all brokers")

    def coordinator(self, group: str) -> raw_client.Address:
        """The address of a group's coordinator, which serves it."""
        found: list[int] = []

        def is_known() -> bool:
            with raw_client.connect(self.address(min(self.live))) as sock:
                answer = group_wire.ask(sock, FindCoordinatorRequest(key=group))
                found[:] = [answer.node_id]
                return not answer.error_code

        await_(is_known, f"{self.name}: a coordinator")
        address = self.address(found[0])
        group_wire.await_coordinator(address, group)
        return address


def await_(condition: Callable[[], bool], what: str, poll_s: float = POLL_S) -> None:
    """Wait for *condition*, which is looked at every *poll_s*.

    Raises:
        StartError: it does not hold in WITHIN_S.
    """
    deadline = time.monotonic() + WITHIN_S
    while not condition():
        if time.monotonic() > deadline:
            raise StartError(f"{what}: not in {WITHIN_S} s")
        time.sleep(poll_s)


def _read_metadata(body: memoryview) -> Metadata:
    found = wire.read_metadata(body)
    partitions = {key: PartitionState(leader, frozenset(isr)) for key, leader, isr in found.partitions}
    return Metadata(frozenset(found.brokers), found.controller, partitions)


def _resident_bytes(pid: int) -> int:
    (line,) = (each for each in _proc(pid, "status").splitlines() if each.startswith("VmRSS:"))
    return int(line.split()[1]) * 1024


def _proc(pid: int, name: str) -> str:
    with open(f"/proc/{pid}/{name}") as file:
        return file.read()


@contextmanager
def wirebroker_cluster(directory: Path) -> Iterator[BrokerCluster]:
    """Three wirebrokers; they are stopped at the end."""
    with ZooKeeper(KafkaDist("3.9.1"), directory / "zookeeper", ZOOKEEPER) as zookeeper:
        brokers = {
            each: Wirebroker(
                directory / f"wirebroker-{each}",
                SETTINGS | {"broker.id": str(each), "zookeeper.connect": zookeeper.connect},
            )
            for each in BROKERS
        }
        data = {each: broker.data for each, broker in brokers.items()}
        with _running(BrokerCluster("wirebroker", brokers, data, zookeeper)) as cluster:
            yield cluster


@contextmanager
def kafka_cluster(directory: Path) -> Iterator[BrokerCluster]:
    """Three Apache Kafka 3.9.1; they are stopped at the end."""
    dist = KafkaDist("3.9.1")
    with ZooKeeper(dist, directory / "zookeeper", ZOOKEEPER) as zookeeper:
        brokers = {
            each: ZooKeeperBroker(dist, directory / f"kafka-{each}", zookeeper, broker_id=each, settings=SETTINGS)
            for each in BROKERS
        }
        data = {each: broker.data_directory for each, broker in brokers.items()}
        with _running(BrokerCluster("kafka", brokers, data, zookeeper)) as cluster:
            yield cluster


@contextmanager
def _running(cluster: BrokerCluster) -> Iterator[BrokerCluster]:
    with ExitStack() as stack:
        for broker in cluster.brokers.values():
            stack.callback(broker.kill)
            broker.start()
        cluster.await_complete()
        yield cluster
