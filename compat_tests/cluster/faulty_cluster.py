"""FaultyCluster: two Apache Kafka brokers, and a wirebroker that can be cut off from ZooKeeper, peers and clients.

wirebroker leads one partition of two topics, follows the other, and is the preferred leader of all partitions of
__consumer_offsets and __transaction_state.  Cuts go in both directions.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final, Self

from confluent_kafka.admin import AdminClient, NewTopic

from compat_tests.cluster.broker_proxies import BrokerProxies
from compat_tests.cluster.checked_load import Load, await_transactions, check_transactions
from compat_tests.cluster.metadata import metadata_of
from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.cluster.replicated_logs import await_equal_logs, log_bytes
from compat_tests.cluster.transactional_copier import TransactionalCopier
from compat_tests.cluster.zookeeper_client import elect_preferred_leaders
from compat_tests.conftest import wait_until
from compat_tests.fork_server import ForkServer
from tools.jvm.zookeeper import SHORT_TICKS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from compat_tests.cluster.fault_rounds import FaultRounds
    from tools.jvm.kafka import KafkaDist

CONTROLLER, THEIRS, OURS = 0, 1, 2
BROKERS: Final = (CONTROLLER, THEIRS, OURS)
BOTH: Final = frozenset({THEIRS, OURS})
LED, FOLLOWED = (OURS, THEIRS), (THEIRS, OURS)
TOPICS: Final = {
    "t": (LED, FOLLOWED),
    "target": (LED, FOLLOWED),
    "__consumer_offsets": 4 * (LED,),
    "__transaction_state": 4 * (LED,),
}
PREFERRED: Final = {
    (topic, number): (replicas[0], BOTH) for topic, each in TOPICS.items() for number, replicas in enumerate(each)
}
SHORT_SESSION_S: Final = 5
PEER_SESSION: Final = {"zookeeper.session.timeout.ms": "8000"}
SHORT_LAG: Final = {"replica.lag.time.max.ms": "5000"}
CLIENTS: Final = {"socket.timeout.ms": 4000, "reconnect.backoff.max.ms": 1000}
"""Clients notice a leader that they cannot reach in less time than a cut takes."""
WITHIN_S: Final = 240

States = dict[tuple[str, int], tuple[int, frozenset[int]]]
"""(topic, partition) -> (leader, ISR)"""


class FaultyCluster:
    """The cluster, with a load on it; a context manager that always ends all processes.

    Args:
        directory: Where all of them have their files.
        dist: The release of Apache Kafka.
        protocol: `inter.broker.protocol.version` of all brokers.
        cuts_clients: Whether clients reach wirebroker through a proxy, too.
        session_s: The session of wirebroker with ZooKeeper.
    """

    def __init__(
        self, directory: Path, dist: KafkaDist, protocol: str, *, cuts_clients: bool, session_s: int = SHORT_SESSION_S
    ) -> None:
        self._cuts_clients = cuts_clients
        self._session = {"zookeeper.session.timeout.ms": str(session_s * 1000)}
        self.cluster = MixedCluster(directory, dist, protocol=protocol, second_listener="INTERNAL")
        self.cluster.zookeeper.settings |= SHORT_TICKS
        self.cluster.fork_server = ForkServer()
        self._stack, self._clients = ExitStack(), ExitStack()

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._clients.close()
        finally:
            self._stack.close()

    def _start(self) -> None:
        cluster = self._stack.enter_context(self.cluster)
        internal = SHORT_LAG | {"inter.broker.listener.name": "INTERNAL"}
        for broker_id in (CONTROLLER, THEIRS):
            cluster.kafka(broker_id, settings=internal | (PEER_SESSION if broker_id == THEIRS else {}))
        proxies = BrokerProxies(cluster, OURS, (CONTROLLER, THEIRS), cuts_clients=self._cuts_clients)
        self.proxies = self._stack.enter_context(proxies)
        proxies.add_wirebroker("INTERNAL", self._session | SHORT_LAG)
        cluster.wirebroker(OURS)
        cluster.await_brokers(*BROKERS)
        self._create_topics()
        self.await_states(PREFERRED)
        self.load = Load(cluster.bootstrap(), "t", len(TOPICS["t"]), CLIENTS, interval_s=0.2)
        self.copier = TransactionalCopier(cluster.bootstrap(), "t", "target", len(TOPICS["target"]))
        self._clients.enter_context(self.copier)
        self._clients.enter_context(self.load)
        # a follower that begins late on a busy machine has left the ISR, and nobody could lead without its leader
        self.settle()

    def _create_topics(self) -> None:
        compacted = {"cleanup.policy": "compact"}
        topics = [
            NewTopic(
                name,
                len(replicas),
                replica_assignment=[list(each) for each in replicas],
                config=compacted if name.startswith("__") else {},
            )
            for name, replicas in TOPICS.items()
        ]
        # patiently, unlike those that ask again
        admin = AdminClient({"bootstrap.servers": self.cluster.brokers[CONTROLLER].bootstrap})
        for created in admin.create_topics(topics, request_timeout=WITHIN_S).values():
            created.result(WITHIN_S)

    # -- what a fault needs

    def await_leader(self, broker_id: int) -> None:
        """Wait until this broker leads all partitions, without the other one in their ISRs."""
        self.await_states(dict.fromkeys(PREFERRED, (broker_id, frozenset({broker_id}))), [CONTROLLER, broker_id])

    def await_states(self, wanted: States, broker_ids: Iterable[int] = BROKERS) -> None:
        """Wait until these brokers name these leaders and ISRs."""
        for broker_id in broker_ids:
            deadline = time.monotonic() + WITHIN_S
            while not wanted.items() <= (found := self.states(broker_id)).items():
                if time.monotonic() > deadline:
                    differ = {at: found.get(at) for at, state in wanted.items() if found.get(at) != state}
                    raise AssertionError(f"broker {broker_id} names after {WITHIN_S} s (leader, ISR) {differ}")
                time.sleep(0.1)

    def settle(self) -> None:
        """Wait until all replicas are in sync, move the leaders back, and wait until all clients go on."""
        self.cluster.await_brokers(*BROKERS, timeout_s=WITHIN_S)
        numbers = {topic: range(len(replicas)) for topic, replicas in TOPICS.items()}

        def are_in_sync() -> bool:
            return all(isr == BOTH for at, (_, isr) in self.states(CONTROLLER).items() if at in PREFERRED)

        def are_preferred() -> bool:
            """Whether all leaders are the preferred ones; asks again, as a session may expire after an election."""
            if are_in_sync() and PREFERRED.items() <= self.states(CONTROLLER).items():
                return True
            if are_in_sync():
                elect_preferred_leaders(self.cluster.zookeeper.connect, numbers)
                time.sleep(0.3)
            return False

        wait_until(are_preferred, WITHIN_S)
        self.await_states(PREFERRED)
        self.load.await_more()
        await_transactions(self.copier)

    def states(self, broker_id: int) -> States:
        """Leader and ISR of every partition by the Metadata of one broker; nothing if it does not answer."""
        found = metadata_of(self.cluster.brokers[broker_id]).states
        return {
            (topic, number): (leader, frozenset(isr))
            for topic in TOPICS
            for number, (leader, isr) in found.get(topic, {}).items()
        }

    # -- the end

    def check(self, rounds: FaultRounds) -> None:
        """End the load, and check records, transactions and the bytes of all replicas; *rounds* counts them."""
        bootstrap = self.cluster.bootstrap()
        self.load.stop()
        found = self.load.check(bootstrap, rounds)
        wait_until(lambda: self.copier.failure is not None or len(self.copier.copied) == len(found), WITHIN_S)
        self._clients.close()
        check_transactions(self.copier, bootstrap, "target", len(TOPICS["target"]), found)
        directories = [self.cluster.brokers[each].data_directory for each in BOTH]
        for topic, number in PREFERRED:
            if any(log_bytes(each, topic, number).strip(b"\0") for each in directories):
                await_equal_logs(topic, number, *directories)
