"""MixedCluster: one ZooKeeper, Apache Kafka brokers of one or more releases, and wirebroker processes.

with MixedCluster(directory, kafka_dist(OLD_KAFKA)) as cluster:
    kafka = cluster.kafka(0)          # the first broker becomes the controller
    ours = cluster.wirebroker(1)
    cluster.await_brokers(0, 1)
    cluster.create_topic("t", {0: (0, 1), 1: (1, 0)})
    cluster.await_states("t", {0: (0, {0, 1}), 1: (1, {0, 1})})
"""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

from compat_tests.broker import Wirebroker
from compat_tests.cluster.metadata import metadata_of
from compat_tests.conftest import WAIT_S, wait_until
from compat_tests.limits import WITHIN_S
from tools.jvm.ports import free_ports
from tools.jvm.zookeeper import ZooKeeper, ZooKeeperBroker

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from compat_tests.fork_server import ForkServer
    from tools.jvm.kafka import KafkaDist
    from tools.jvm.zookeeper import ZooKeeperEnsemble

_PARTITION = re.compile(
    r"Topic: (\S+)\s+Partition: (\d+)\s+Leader: (\S+)\s+Replicas: ([\d,]*)\s+Isr: ?([\d,]*)", re.MULTILINE
)
NO_LEADER = -1


class PartitionState(NamedTuple):
    """One partition as `kafka-topics --describe` prints it."""

    leader: int
    replicas: tuple[int, ...]
    isr: frozenset[int]


class MixedCluster:
    """A cluster of real processes; a context manager that always ends them.

    Args:
        directory: Where all of them have their files.
        dist: The release of ZooKeeper, of the tools, and of brokers without another one.
        protocol: `inter.broker.protocol.version` of all brokers; that of *dist* if it is None.
        chroot: The path of the cluster in ZooKeeper, such as /kafka.
        second_listener: The name of one more listener that every broker has.
        ensemble: The ZooKeeper servers, which the caller starts and stops; the cluster starts one of its own if None.
    """

    def __init__(
        self,
        directory: Path,
        dist: KafkaDist,
        *,
        protocol: str | None = None,
        chroot: str = "",
        second_listener: str | None = None,
        ensemble: ZooKeeperEnsemble | None = None,
    ) -> None:
        self.directory, self.dist = directory, dist
        self.protocol = protocol or ".".join(dist.version.split(".")[:2])
        self.zookeeper = ZooKeeper(dist, directory / "zookeeper")
        self.zookeeper.chroot = chroot
        self._ensemble = ensemble
        self.fork_server: ForkServer | None = None
        """Starts the wirebrokers, if there is one."""
        self.brokers: dict[int, ZooKeeperBroker | Wirebroker] = {}
        self._second_listener = second_listener
        self._second_ports: dict[int, int] = {}
        self.proxied_ports: dict[int, int] = {}
        """Apache Kafka broker -> the port of a proxy that it advertises for the second listener."""
        self._live: set[int] = set()
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        if self._ensemble is None:
            self._stack.enter_context(self.zookeeper)
        return self

    def __exit__(self, *failure: object) -> None:
        try:
            for broker in self.brokers.values():
                if isinstance(broker, Wirebroker):
                    broker.kill()  # a broker that was stopped already is left alone
                else:
                    broker.stop()
        finally:
            if self.fork_server is not None:
                self.fork_server.kill()
            self._stack.close()

    @property
    def zookeeper_connect(self) -> str:
        """The value of the brokers' `zookeeper.connect`."""
        return self.zookeeper.connect if self._ensemble is None else self._ensemble.connect

    def kafka(
        self, broker_id: int, dist: KafkaDist | None = None, settings: Mapping[str, str] | None = None
    ) -> ZooKeeperBroker:
        """Start an Apache Kafka broker, or one that was stopped, on its directory and port."""
        broker = self.brokers.get(broker_id)
        if broker is None:
            broker = ZooKeeperBroker(
                dist or self.dist,
                self.directory / f"kafka-{broker_id}",
                self._ensemble or self.zookeeper,
                broker_id=broker_id,
                heap="320m",
                settings=self.settings() | dict(settings or {}),
            )
            if self._second_listener is not None:
                broker.port = free_ports(1)[0]
                second = f"{self._second_listener}://127.0.0.1:{self.second_port(broker_id)}"
                broker.settings["listeners"] = f"PLAINTEXT://{broker.bootstrap},{second}"
                if broker_id in self.proxied_ports:
                    proxied = f"{self._second_listener}://127.0.0.1:{self.proxied_ports[broker_id]}"
                    broker.settings["advertised.listeners"] = f"PLAINTEXT://{broker.bootstrap},{proxied}"
            self.brokers[broker_id] = broker
        assert isinstance(broker, ZooKeeperBroker)
        broker.start()
        self._live.add(broker_id)
        return broker

    def wirebroker(self, broker_id: int, settings: Mapping[str, str] | None = None) -> Wirebroker:
        """Start a wirebroker, or one that was stopped, on its directory and port."""
        broker = self.brokers.get(broker_id) or self.add_wirebroker(broker_id, settings)
        assert isinstance(broker, Wirebroker)
        broker.start()
        self._live.add(broker_id)
        return broker

    def add_wirebroker(self, broker_id: int, settings: Mapping[str, str] | None = None) -> Wirebroker:
        """Return a new wirebroker that is to be started."""
        own = {
            "broker.id": str(broker_id),
            "zookeeper.connect": self.zookeeper_connect,
            "zookeeper.session.timeout.ms": "40000",
        }
        given = self.settings() | own | dict(settings or {})
        second = f"{self._second_listener}://127.0.0.1:{self.second_port(broker_id)}"
        options = [] if self._second_listener is None else ["--listener", second]
        directories = given.pop("log.dirs", None)
        broker = self.brokers[broker_id] = Wirebroker(self.directory / f"wirebroker-{broker_id}", given, options)
        if self.fork_server is not None:
            broker.launch = self.fork_server.launch
        if directories is not None:
            broker.data_directory = Path(directories)  # which may be more than one
        return broker

    def stop(self, broker_id: int) -> None:
        """Stop a broker with SIGTERM, upon which it has its leaders moved; wait for its end."""
        self._live.discard(broker_id)
        self.brokers[broker_id].stop(WITHIN_S)

    def kill(self, broker_id: int) -> None:
        """End a broker with SIGKILL."""
        self._live.discard(broker_id)
        self.brokers[broker_id].kill()

    def second_port(self, broker_id: int) -> int:
        """The port of a broker's second listener."""
        if broker_id not in self._second_ports:
            self._second_ports[broker_id] = free_ports(1)[0]
        return self._second_ports[broker_id]

    def settings(self) -> dict[str, str]:
        """The settings of every broker of the cluster."""
        names = {}
        if self._second_listener is not None:
            names["listener.security.protocol.map"] = f"PLAINTEXT:PLAINTEXT,{self._second_listener}:PLAINTEXT"
        return names | {
            "inter.broker.protocol.version": self.protocol,
            "offsets.topic.num.partitions": "4",
            "offsets.topic.replication.factor": "2",
            "transaction.state.log.replication.factor": "2",
            "transaction.state.log.min.isr": "1",  # with 2 of 2 replicas nothing is written while one of them is down
            "transaction.state.log.num.partitions": "4",
            "group.initial.rebalance.delay.ms": "0",
            "replica.lag.time.max.ms": "10000",
            "auto.leader.rebalance.enable": "false",
            # else a broker that starts on a busy machine gives up after the time of a session, which tests make short
            "zookeeper.connection.timeout.ms": "120000",
        }

    # -- tools

    def bootstrap(self, *broker_ids: int) -> str:
        """The addresses of brokers, of all of them without ids."""
        return ",".join(self.brokers[each].bootstrap for each in broker_ids or self.live_brokers())

    def create_topic(
        self, topic: str, assignment: Mapping[int, Iterable[int]], configs: Mapping[str, str] | None = None
    ) -> None:
        """Create a topic with these replicas of each partition, the preferred leader first."""
        replicas = ",".join(":".join(map(str, assignment[each])) for each in sorted(assignment))
        arguments = ["--create", "--topic", topic, "--replica-assignment", replicas]
        for name, value in (configs or {}).items():
            arguments += ["--config", f"{name}={value}"]
        self.topics(*arguments)

    def topics(self, *arguments: str, broker_id: int | None = None) -> str:
        """Run kafka-topics, against one broker if *broker_id* is given; return what it prints."""
        if self.dist.version < "2.2" and broker_id is None:
            where = ["--zookeeper", self.zookeeper_connect]
        else:
            where = ["--bootstrap-server", self.bootstrap(*(() if broker_id is None else (broker_id,)))]
        return self.dist.run("kafka-topics", *where, *arguments).stdout

    def describe(self, topic: str, broker_id: int | None = None) -> dict[int, PartitionState]:
        """The partitions of a topic as `kafka-topics --describe` prints them."""
        printed = self.topics("--describe", "--topic", topic, broker_id=broker_id)
        return {
            int(partition): PartitionState(
                int(leader) if leader.lstrip("-").isdigit() else NO_LEADER,
                tuple(map(int, filter(None, replicas.split(",")))),
                frozenset(map(int, filter(None, isr.split(",")))),
            )
            for name, partition, leader, replicas, isr in _PARTITION.findall(printed)
            if name == topic
        }

    # -- waits

    def await_brokers(self, *broker_ids: int, timeout_s: float = WAIT_S) -> None:
        """Wait until each of these brokers names exactly these in its Metadata, and one of them as the controller."""
        wanted = set(broker_ids)

        def seen() -> bool:
            return all(self.metadata_brokers(each) == wanted for each in broker_ids)

        wait_until(seen, timeout_s)

    def metadata_brokers(self, broker_id: int) -> set[int]:
        """The brokers in the Metadata of one broker, nothing without a controller or without an answer."""
        found = metadata_of(self.brokers[broker_id])
        return set(found.broker_ids) if found.controller_id in found.broker_ids else set()

    def controller_id(self, broker_id: int) -> int:
        """The controller by the Metadata of one broker, -1 if it knows none."""
        return metadata_of(self.brokers[broker_id]).controller_id

    def await_states(self, topic: str, wanted: Mapping[int, tuple[int, set[int]]], timeout_s: float = WAIT_S) -> None:
        """Wait until each partition has the leader and the ISR of *wanted*, by the Metadata of every live broker."""

        def seen() -> bool:
            return all(self.states(topic, each) == wanted for each in self.live_brokers())

        wait_until(seen, timeout_s)

    def states(self, topic: str, broker_id: int) -> dict[int, tuple[int, set[int]]]:
        """Leader and ISR of each partition, by the Metadata of one broker."""
        return metadata_of(self.brokers[broker_id]).states.get(topic, {})

    def live_brokers(self) -> list[int]:
        """The ids of the brokers that run."""
        return sorted(self._live)
