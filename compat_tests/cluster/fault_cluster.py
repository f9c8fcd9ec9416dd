"""FaultCluster: three brokers, of which a wirebroker is the controller, under a checked load while something fails.

with fault_cluster(tmp_path, kafka_dist, "kafka-3.9.1") as cluster, cluster.checked_load(rounds) as load:
    cluster.await_controller(*cluster.ours)
    ...
    cluster.recover(load)
"""

from __future__ import annotations

import json
import os
import signal
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient, NewTopic
from kazoo.exceptions import NoNodeError

from compat_tests.broker import Wirebroker
from compat_tests.cluster.load import CheckedLoad
from compat_tests.cluster.metadata import NO_METADATA, metadata_of
from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.cluster.replicated_logs import await_equal_logs
from compat_tests.cluster.zookeeper_client import zookeeper_client
from compat_tests.conftest import wait_until
from compat_tests.fork_server import ForkServer
from compat_tests.versions import KAFKA, OLD_KAFKA
from compat_tests.wire import Wire
from tools.jvm.zookeeper import SHORT_TICKS
from wirebroker.protocol.messages.elect_leaders import ElectLeadersRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from kazoo.client import KazooClient

    from compat_tests.cluster.fault_rounds import FaultRounds
    from tools.jvm.kafka import KafkaDist
    from tools.jvm.zookeeper import ZooKeeperEnsemble
    from wirebroker.protocol.message import Message

BROKERS: Final = (0, 1, 2)
TOPIC: Final = "t"
ASSIGNMENT: Final = {0: (0, 1, 2), 1: (1, 2, 0)}
"""Brokers 0 and 1 lead, broker 2 only follows."""
CLUSTER_NAMES: Final = {
    "wirebroker": "three wirebrokers",
    "kafka-3.9.1-leads": "two and Kafka 3.9.1, which leads",
    "kafka-2.8.2-follows": "two and Kafka 2.8.2, which follows",
}
KINDS: Final[Mapping[str, tuple[str, int | None]]] = {
    "wirebroker": (KAFKA, None),
    "kafka-3.9.1-leads": (KAFKA, 0),
    "kafka-2.8.2-follows": (OLD_KAFKA, 2),
}
"""Name of a cluster -> release of its ZooKeeper, and the broker that is an Apache Kafka of that release."""
SETTINGS: Final = {
    "zookeeper.session.timeout.ms": "5000",
    "replica.lag.time.max.ms": "3000",
    "offsets.topic.replication.factor": "3",
    "controlled.shutdown.retry.backoff.ms": "500",
}
LONG_SESSION_S: Final = 10
"""With an ensemble of ZooKeeper servers, which may be without a majority: after a pause of half a session a wirebroker
waits for ZooKeeper, and a busy machine makes such pauses."""
RECOVERY_S: Final = 180


class FaultCluster(MixedCluster):
    """The cluster of a test; all of its brokers start in the constructor's order.

    Args:
        directory: Where all have their files.
        dist: The release of ZooKeeper and of Apache Kafka.
        kafka_id: The broker that is an Apache Kafka, if one is.
        ensemble: The ZooKeeper servers, if the cluster shall not have one of its own.
        second_listener: The name of the listener that brokers use among themselves, if it is another one.
    """

    def __init__(
        self,
        directory: Path,
        dist: KafkaDist,
        kafka_id: int | None,
        *,
        ensemble: ZooKeeperEnsemble | None = None,
        second_listener: str | None = None,
    ) -> None:
        super().__init__(directory, dist, ensemble=ensemble, second_listener=second_listener)
        self.zookeeper.settings |= SHORT_TICKS
        self.fork_server = ForkServer()
        self.kafka_id = kafka_id
        self.more_settings: dict[int, dict[str, str]] = {}
        """Broker -> settings that it has beside those of all."""
        self.ours = tuple(each for each in BROKERS if each != kafka_id)
        """The wirebrokers."""

    def start(self, broker_id: int) -> None:
        """Start a broker for the first time, or again."""
        if broker_id == self.kafka_id:
            self._await_unregistered(broker_id)  # Apache Kafka ends if the session of its former process lives
        session = {"zookeeper.session.timeout.ms": "8000"} if broker_id == self.kafka_id else {}
        start = self.kafka if broker_id == self.kafka_id else self.wirebroker
        start(broker_id, settings=SETTINGS | session | self.more_settings.get(broker_id, {}))

    def _await_unregistered(self, broker_id: int) -> None:
        with self.zookeeper_client() as client:
            wait_until(lambda: client.exists(f"/brokers/ids/{broker_id}") is None)

    def start_all(self) -> None:
        """Start every broker, a wirebroker as the first one, and create the topic."""
        for broker_id in sorted(BROKERS, key=lambda each: each == self.kafka_id):
            self.start(broker_id)
        self.await_brokers(*BROKERS)
        admin = AdminClient({"bootstrap.servers": self.bootstrap()})
        replicas = [list(each) for each in ASSIGNMENT.values()]
        topic = NewTopic(TOPIC, len(replicas), replica_assignment=replicas, config={"min.insync.replicas": "2"})
        admin.create_topics([topic], request_timeout=RECOVERY_S)[TOPIC].result(RECOVERY_S)
        self.await_in_sync()
        self.elect_preferred_leaders()

    @contextmanager
    def checked_load(self, rounds: FaultRounds) -> Iterator[CheckedLoad]:
        """A producer and a group; at the end of the block all records and the bytes of all logs are checked.

        The records are counted in *rounds*.
        """
        with CheckedLoad(self.bootstrap(), TOPIC, len(ASSIGNMENT)) as load:
            yield load
            self.recover(load)
            acked = load.check(rounds)
        for partition in ASSIGNMENT:
            await_equal_logs(TOPIC, partition, *(self.log_directory(each, partition) for each in BROKERS))
        assert acked > 0

    def log_directory(self, broker_id: int, partition: int) -> Path:
        """The one among the log directories of a broker that has a partition."""
        directories = [Path(each) for each in str(self.brokers[broker_id].data_directory).split(",")]
        (found,) = [each for each in directories if (each / f"{TOPIC}-{partition}").exists()]
        return found

    def recover(self, load: CheckedLoad) -> None:
        """With every broker running, wait for one controller and for full ISRs, and for records in all partitions."""
        self.await_brokers(*BROKERS, timeout_s=RECOVERY_S)
        wait_until(lambda: len({self.controller_id(each) for each in BROKERS}) == 1, RECOVERY_S)
        self.await_in_sync()
        self.elect_preferred_leaders()
        load.await_more()

    # -- ZooKeeper

    def zookeeper_client(self) -> AbstractContextManager[KazooClient]:
        """A client of the ZooKeeper of the cluster."""
        return zookeeper_client(self.zookeeper_connect)

    def await_topic(self, topic: str, *, exists: bool) -> None:
        """Create or delete a topic, asking again while controllers move, until every broker shows that."""

        def done() -> bool:
            admin = AdminClient({"bootstrap.servers": self.bootstrap(), "socket.timeout.ms": 20_000})
            try:
                shown = [metadata_of(self.brokers[each]) for each in BROKERS]
                if all(each is not NO_METADATA and (topic in each.states) == exists for each in shown):
                    return True
                asked = admin.create_topics([NewTopic(topic, 2, 3)]) if exists else admin.delete_topics([topic])
                asked[topic].result(60)
            except KafkaException:
                pass  # the controller has just moved, or the topic was created or deleted by the request before
            return False

        wait_until(done, RECOVERY_S)

    # -- waits

    def controller(self) -> int:
        """The controller, by the Metadata of a broker that runs; -1 if it knows none."""
        return self.controller_id(self.live_brokers()[0])

    def registered_controller(self, client: KazooClient) -> int:
        """The broker that /controller names, -1 without one."""
        try:
            return int(json.loads(client.get("/controller")[0])["brokerid"])
        except NoNodeError:
            return -1

    def await_controller(self, *broker_ids: int) -> int:
        """Have one of these brokers be the controller; return which."""
        with self.zookeeper_client() as client:
            wait_until(lambda: self.registered_controller(client) in self.live_brokers())
            if self.registered_controller(client) not in broker_ids:
                others = [each for each in self.live_brokers() if each not in broker_ids]
                for each in others:
                    self.suspend(each)  # for a moment, so that they are not elected
                try:
                    with suppress(NoNodeError):  # it has just resigned
                        client.delete("/controller")
                    wait_until(lambda: self.registered_controller(client) != -1)
                finally:
                    for each in others:
                        self.resume(each)
            found = self.registered_controller(client)
        assert found in broker_ids
        wait_until(lambda: all(self.controller_id(each) == found for each in self.live_brokers()))
        return found

    def await_in_sync(self) -> None:
        """Wait until every broker says that all replicas are in sync."""

        def seen() -> bool:
            states = [self.states(TOPIC, each) for each in BROKERS]
            wanted = {number: set(replicas) for number, replicas in ASSIGNMENT.items()}
            return all({at: isr for at, (_, isr) in each.items()} == wanted for each in states)

        wait_until(seen, RECOVERY_S)

    def elect_preferred_leaders(self) -> None:
        """Have the first replica of each partition lead again."""

        def elected() -> bool:
            leaders = {at: leader for at, (leader, _) in self.states(TOPIC, self.live_brokers()[0]).items()}
            if leaders == {at: replicas[0] for at, replicas in ASSIGNMENT.items()}:
                return True
            controller = self.controller()
            if controller in self.live_brokers():
                self.ask(controller, ElectLeadersRequest(0, None, 5000), 1)  # which may be NOT_CONTROLLER
            return False

        wait_until(elected, RECOVERY_S)

    def ask(self, broker_id: int, request: Message, version: int) -> Any:
        """Send one request to a broker, and return its response."""
        with Wire("127.0.0.1", self.brokers[broker_id].port) as wire:
            return wire.ask(request, version)

    # -- faults

    def broker_in_role(self, role: str) -> int:
        """The broker for a fault: a leader or a follower, not the controller; or the controller, a wirebroker."""
        if role == "controller":
            return self.await_controller(*self.ours)
        if role == "follower":
            self.await_controller(*(each for each in self.ours if each != 2))
            return 2
        # the Apache Kafka broker, if it leads
        leader = 0
        self.await_controller(*(each for each in self.ours if each != leader))
        return leader

    def suspend(self, broker_id: int) -> None:
        """Stop a process by SIGSTOP: its sessions expire, and what is sent to it waits."""
        os.kill(self.brokers[broker_id].pid, signal.SIGSTOP)
        self._live.discard(broker_id)

    def resume(self, broker_id: int) -> None:
        """Let a process go on that was stopped by SIGSTOP."""
        os.kill(self.brokers[broker_id].pid, signal.SIGCONT)
        self._live.add(broker_id)

    def await_end(self, broker_id: int) -> int:
        """Wait until a wirebroker ends by itself; return its exit code."""
        self._live.discard(broker_id)
        broker = self.brokers[broker_id]
        assert isinstance(broker, Wirebroker)
        return broker.wait()

    def server_log(self, broker_id: int) -> str:
        """The output of a wirebroker."""
        broker = self.brokers[broker_id]
        assert isinstance(broker, Wirebroker)
        return broker.log()


@contextmanager
def fault_cluster(
    directory: Path,
    kafka_dist: Callable[[str], KafkaDist],
    kind: str,
    *,
    ensemble: Callable[[KafkaDist], ZooKeeperEnsemble] | None = None,
) -> Iterator[FaultCluster]:
    """A cluster of one of KINDS, with its topic; *ensemble* makes its ZooKeeper servers, with long sessions."""
    version, kafka_id = KINDS[kind]
    dist = kafka_dist(version)
    if ensemble is None:
        with FaultCluster(directory, dist, kafka_id) as cluster:
            cluster.start_all()
            yield cluster
        return
    with ensemble(dist) as servers, FaultCluster(directory, dist, kafka_id, ensemble=servers) as cluster:
        session = {"zookeeper.session.timeout.ms": str(LONG_SESSION_S * 1000)}
        cluster.more_settings = dict.fromkeys(BROKERS, session)
        cluster.start_all()
        yield cluster
