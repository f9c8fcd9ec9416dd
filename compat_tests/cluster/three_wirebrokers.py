"""ThreeWirebrokers: a cluster whose brokers are killed and started again, one at a time, while a job runs on it.

with ThreeWirebrokers(directory, kafka_dist(KAFKA)) as cluster, Feeder(cluster.bootstrap(), "source") as feeder:
    cluster.kill_and_restart(cluster.leader("source"))
    cluster.kill_and_restart(cluster.group_coordinator("group of the job"))
"""

from __future__ import annotations

import json
import subprocess
import sys
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Final, Self

from confluent_kafka import KafkaError, Producer

from compat_tests.cluster.metadata import partitions_of
from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.conftest import wait_until
from compat_tests.limits import errors_into, join
from compat_tests.wire import Wire
from wirebroker.protocol.messages.find_coordinator import Coordinator, FindCoordinatorRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.protocol.messages.metadata import MetadataResponsePartition

BROKERS: Final = (0, 1, 2)
_WITHIN_S: Final = 180
_SETTINGS: Final = {
    "default.replication.factor": "3",
    "min.insync.replicas": "2",
    "offsets.topic.replication.factor": "3",
    "transaction.state.log.replication.factor": "3",
    "transaction.state.log.min.isr": "2",
    # how long nobody replaces a broker after kill -9
    "zookeeper.session.timeout.ms": "6000",
}


class ThreeWirebrokers(MixedCluster):
    """A cluster of wirebrokers only, with three replicas of everything, two of which must have a record."""

    def __enter__(self) -> Self:
        super().__enter__()
        try:
            for broker_id in BROKERS:
                self.wirebroker(broker_id, _SETTINGS)
            self.await_brokers(*BROKERS)
        except BaseException:
            self.__exit__()
            raise
        return self

    def settings(self) -> dict[str, str]:
        """The settings of every broker."""
        return super().settings() | _SETTINGS

    # -- roles

    def controller(self) -> int:
        """The broker that is the controller."""
        return self.controller_id(self.live_brokers()[0])

    def leader(self, topic: str, partition: int = 0) -> int:
        """The leader of a partition."""
        return self.states(topic, self.live_brokers()[0])[partition][0]

    def group_coordinator(self, group: str) -> int:
        """The coordinator of a group of any type."""
        broker = self.brokers[self.live_brokers()[0]]
        with Wire(broker.host, broker.port) as wire:
            found: list[Coordinator] = []

            def is_known() -> bool:
                found[:] = wire.ask(FindCoordinatorRequest(coordinator_keys=[group]), 4).coordinators
                return found[0].error_code == 0

            wait_until(is_known, _WITHIN_S)
        return found[0].node_id

    def transaction_coordinator(self, prefix: str) -> int:
        """The coordinator of the first transactional id that begins with *prefix*; one must have begun."""
        found: list[int] = []

        def is_known() -> bool:
            found[:] = [
                each["coordinator"]
                for each in self.command("transactions", "list")
                if each["transactional_id"].startswith(prefix)
            ]
            return bool(found)

        wait_until(is_known, _WITHIN_S)
        return found[0]

    def command(self, *words: str) -> Any:
        """Run a command of wirebroker; return the JSON that it prints."""
        where = ["--bootstrap-server", self.bootstrap(), "--timeout", "30000", "--format", "json"]
        command = [sys.executable, "-m", "wirebroker", *words, *where]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout)

    def ends(self, topic: str) -> dict[int, int]:
        """The end offset of each partition of a topic."""
        rows = self.command("offsets", "get", topic)
        return {each["partition"]: each["offset"] for each in rows}

    # -- faults

    def kill_and_restart(self, broker_id: int) -> None:
        """End a broker with SIGKILL, wait for other leaders, start it again, and wait until everything is in sync."""
        self.kill(broker_id)
        self._await_partitions(lambda each: each.leader_id not in (broker_id, -1))
        self.wirebroker(broker_id)
        self.await_in_sync()

    def restart(self, broker_id: int) -> None:
        """Stop a broker with SIGTERM, which has its leaders moved, start it again, and wait until all is in sync."""
        self.stop(broker_id)
        self.wirebroker(broker_id)
        self.await_in_sync()

    def await_in_sync(self) -> None:
        """Wait until every replica of every partition is in sync, by the Metadata of every broker."""
        self._await_partitions(lambda each: each.leader_id != -1 and set(each.isr_nodes) == set(each.replica_nodes))

    def _await_partitions(self, holds: Callable[[MetadataResponsePartition], bool]) -> None:
        def all_hold() -> bool:
            for broker_id in self.live_brokers():
                partitions = partitions_of(self.brokers[broker_id])
                if partitions is None or not all(map(holds, partitions)):
                    return False
            return True

        wait_until(all_hold, _WITHIN_S)


class Feeder:
    """A thread that produces numbers, some hundred a second, with one of seven keys; none may be refused."""

    KEYS: Final = 7

    def __init__(self, bootstrap: str, topic: str) -> None:
        self.sent = 0
        self._topic = topic
        self._failed: list[KafkaError] = []
        self._report = errors_into(self._failed)
        self._producer = Producer(
            {"bootstrap.servers": bootstrap, "enable.idempotence": True, "topic.metadata.refresh.interval.ms": 2000}
        )
        self._stopped = Event()
        self._thread = Thread(target=self._run, name="feeder", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        join(self._thread)

    def finish(self) -> int:
        """Produce no more, and return how many records were acknowledged, which are all."""
        self._stopped.set()
        join(self._thread)
        assert self._producer.flush(120) == 0
        assert self._failed == []
        return self.sent

    def _run(self) -> None:
        while not self._stopped.wait(0.05):
            for _ in range(10):
                value, key = b"%d" % self.sent, b"key %d" % (self.sent % self.KEYS)
                self._producer.produce(self._topic, value, key=key, on_delivery=self._report)
                self.sent += 1
            self._producer.poll(0)
