"""The znodes that a cluster of two Apache Kafka brokers writes in a short life, by release.

    python -m compat_tests.znode_scenario wirebroker/tests/zookeeper/golden.json

writes the samples that the unit tests decode and encode again.  The life: topics with settings, quotas of each kind of
entity, dynamic settings of a broker, an idempotent producer, more partitions, a follower that lags (the leader shrinks
the ISR) and comes back, a reassignment, a failed log directory, a deletion.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sys
import tempfile
import time
import warnings
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from compat_tests.cluster.zookeeper_client import zookeeper_client
from compat_tests.conftest import wait_until
from compat_tests.limits import WITHIN_S, flush
from compat_tests.versions import KAFKA, OLD_KAFKA, OLDEST_KAFKA
from tools.jvm.kafka import KafkaDist
from tools.jvm.zookeeper import ZooKeeper, ZooKeeperBroker
from tools.jvm.zookeeper_log import znode_writes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tools.jvm.zookeeper_log import ZnodeWrite

CHROOT = "/a/b"
TOPIC, DELETED_TOPIC = "words", "gone"
RUNS = {
    OLDEST_KAFKA: (OLDEST_KAFKA, {}),
    f"{OLD_KAFKA} at 2.6": (OLD_KAFKA, {"inter.broker.protocol.version": "2.6"}),
    OLD_KAFKA: (OLD_KAFKA, {}),
    KAFKA: (KAFKA, {}),
}
"""Name of a sample -> release, and settings of its brokers."""
SETTINGS = {
    "replica.lag.time.max.ms": "3000",
    "replica.high.watermark.checkpoint.interval.ms": "1000",
    "broker.rack": "rack-1",
    "offsets.topic.num.partitions": "1",
    "listeners": "",
}
_NUMBER = re.compile(r"\d{10}$")


class ZnodeScenario:
    """One run of the scenario on brokers of one release."""

    def __init__(self, release: str, settings: dict[str, str], directory: Path) -> None:
        self.dist, self.directory = KafkaDist(release), directory
        self.is_old = release.startswith("2.0")
        self.settings = {name: text for name, text in (SETTINGS | settings).items() if text}

    def run(self) -> list[ZnodeWrite]:
        """Live through the scenario; return every write, in order, with paths below the chroot."""
        with ExitStack() as stack:
            zookeeper = stack.enter_context(ZooKeeper(self.dist, self.directory / "zookeeper"))
            zookeeper.chroot = CHROOT
            self.brokers = [
                ZooKeeperBroker(
                    self.dist,
                    self.directory / f"kafka-{number}",
                    zookeeper,
                    broker_id=number,
                    settings=self.settings | {"log.dirs": ",".join(map(str, self.log_dirs(number)))},
                )
                for number in (0, 1)
            ]
            for broker in self.brokers:
                stack.enter_context(broker)
            self.zookeeper = stack.enter_context(zookeeper_client(zookeeper.connect))
            self._topics_and_configs()
            self._lag()
            self._reassign()
            self._fail_directory()
            self._delete()
        return [
            write._replace(path=write.path.removeprefix(CHROOT))
            for write in znode_writes(zookeeper.directory / "data")
            if write.path.startswith(CHROOT)
        ]

    def log_dirs(self, number: int) -> list[Path]:
        return [self.directory / f"kafka-{number}" / name for name in ("data-0", "data-1")]

    @property
    def bootstrap(self) -> str:
        return self.brokers[0].bootstrap

    def _tool(self, name: str, *arguments: str) -> None:
        place = (
            ("--zookeeper", self.brokers[0].zookeeper.connect)
            if self.is_old
            else ("--bootstrap-server", self.bootstrap)
        )
        self.dist.run(name, *place, *arguments)

    def _topics_and_configs(self) -> None:
        from confluent_kafka import Producer
        from confluent_kafka.admin import AdminClient, ConfigResource, NewPartitions, NewTopic

        self.admin = admin = AdminClient({"bootstrap.servers": self.bootstrap})
        settings = {"retention.ms": "60000", "cleanup.policy": "compact,delete"}
        topics = [
            NewTopic(TOPIC, 2, replica_assignment=[[0, 1], [0, 1]], config=settings),
            NewTopic(DELETED_TOPIC, 1, replica_assignment=[[0]]),
        ]
        wait(admin.create_topics(topics))
        wait(admin.create_partitions([NewPartitions(TOPIC, 3, [[1, 0]])]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # Kafka 2.0 has no other way
            wait(admin.alter_configs([ConfigResource("topic", TOPIC, {"retention.ms": "70000"})]))
            wait(admin.alter_configs([ConfigResource("broker", "0", {"log.cleaner.threads": "2"})]))
        default = ("--entity-type", "brokers", "--entity-default", "--alter", "--add-config", "log.cleaner.threads=1")
        self.dist.run("kafka-configs", "--bootstrap-server", self.bootstrap, *default)
        rate = ("--alter", "--add-config", "consumer_byte_rate=1000")
        user, client = ("--entity-type", "users", "--entity-name", "alice@b"), ("--entity-type", "clients")
        self._tool("kafka-configs", *rate, *user, *client, "--entity-name", "c")
        self._tool("kafka-configs", *rate, *client, "--entity-default")
        if not self.is_old:
            rate = ("--alter", "--add-config", "connection_creation_rate=10")
            self._tool("kafka-configs", *rate, "--entity-type", "ips", "--entity-name", "127.0.0.9")
        self.producer = Producer({"bootstrap.servers": self.bootstrap, "enable.idempotence": True})
        self._produce()

    def _produce(self) -> None:
        for number in range(3):
            self.producer.produce(TOPIC, b"value", key=b"key", partition=number)
        flush(self.producer)

    def _lag(self) -> None:
        """Have the follower lag for longer than `replica.lag.time.max.ms` while the leader has new records."""
        os.kill(self.brokers[1].pid, signal.SIGSTOP)
        try:
            for number in (0, 1):
                self.producer.produce(TOPIC, b"value", key=b"key", partition=number)
            wait_until(lambda: all(self._isr(number) == [0] for number in (0, 1)))
        finally:
            os.kill(self.brokers[1].pid, signal.SIGCONT)
        wait_until(lambda: all(self._isr(number) == [0, 1] for number in range(3)))
        time.sleep(9)  # the notifications, of protocols that have them, are batched for five seconds

    def _isr(self, partition: int) -> list[int]:
        state, _ = self.zookeeper.get(f"/brokers/topics/{TOPIC}/partitions/{partition}/state")
        return sorted(json.loads(state)["isr"])

    def _reassign(self) -> None:
        plan = self.directory / "plan.json"
        moves = [{"topic": TOPIC, "partition": 0, "replicas": [1]}]
        plan.write_text(json.dumps({"version": 1, "partitions": moves}))
        self._tool("kafka-reassign-partitions", "--reassignment-json-file", str(plan), "--execute")

        def is_over() -> bool:
            topic = json.loads(self.zookeeper.get(f"/brokers/topics/{TOPIC}")[0])
            moving = topic.get("adding_replicas") or topic.get("removing_replicas")
            return (
                topic["partitions"]["0"] == [1]
                and not moving
                and not self.zookeeper.exists("/admin/reassign_partitions")
            )

        wait_until(is_over)

    def _fail_directory(self) -> None:
        """Put a file in the place of one directory of broker 1, so that its next checkpoint fails."""
        victim = self.log_dirs(1)[1]
        victim.rename(victim.with_name("away"))
        victim.write_text("no directory")

        def is_handled() -> bool:
            stat = self.zookeeper.exists("/log_dir_event_notification")
            return stat is not None and stat.cversion >= 2 and not stat.numChildren

        wait_until(is_handled)

    def _delete(self) -> None:
        wait(self.admin.delete_topics([DELETED_TOPIC]))
        paths = [
            f"{parent}/{DELETED_TOPIC}" for parent in ("/brokers/topics", "/config/topics", "/admin/delete_topics")
        ]
        wait_until(lambda: not any(self.zookeeper.exists(path) for path in paths))


def wait(futures: dict[object, object]) -> None:
    for future in futures.values():
        future.result(WITHIN_S)  # type: ignore[attr-defined]


def samples(writes: Iterable[ZnodeWrite]) -> dict[str, list[str]]:
    """Return path -> the different texts written there, with numbers of sequential znodes as zeros."""
    found: dict[str, list[str]] = {}
    for path, data, _ in writes:
        texts = found.setdefault(_NUMBER.sub("0" * 10, path), [])
        text = data.decode()
        if text not in texts:
            texts.append(text)
    return dict(sorted(found.items()))


def main(target: Path) -> None:
    """Run the scenario on each release and write the samples to *target*."""
    result: dict[str, dict[str, list[str]]] = json.loads(target.read_text()) if target.exists() else {}
    for name, (release, settings) in RUNS.items():
        if name in result:
            continue
        directory = Path(tempfile.mkdtemp(prefix="znodes-"))
        result[name] = samples(ZnodeScenario(release, dict(settings), directory).run())
        target.write_text(json.dumps(result, indent=1) + "\n")
        shutil.rmtree(directory)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
