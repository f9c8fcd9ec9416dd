"""A controller is killed in the middle of an operation, and one of the other kind finishes it.

A wirebroker ends after its first, second, ... write to ZooKeeper until none is left at which it could; an Apache Kafka
broker is killed at random moments, `--fault-runs` times 5.
"""

from __future__ import annotations

import random
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import pytest
from kazoo.exceptions import NoNodeError

from compat_tests.broker import Wirebroker
from compat_tests.cluster.controller_operations import FIRST, OPERATIONS, SECOND, WITHIN_S
from compat_tests.cluster.fault_cluster import FaultCluster
from compat_tests.conftest import wait_until
from compat_tests.versions import KAFKA, OLD_KAFKA, OLDEST_KAFKA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from kazoo.client import KazooClient

    from compat_tests.cluster.controller_operations import Operation
    from compat_tests.cluster.fault_rounds import StartRounds
    from tools.jvm.kafka import KafkaDist

pytestmark = pytest.mark.nightly
KILLED = 0
"""The controller, which has no replicas."""
MOST_WRITES = 40
MOST_REMINDERS = 4
"""Of a leader of 2.8 that forgets a change of its ISR, in about one of 25 changes of controllers."""
SHORT = {"zookeeper.session.timeout.ms": "2000"}


@contextmanager
def cluster_with_controller(
    directory: Path, dist: KafkaDist, *, is_kafka: bool
) -> Iterator[tuple[FaultCluster, KazooClient]]:
    """Broker 0 of one kind is the controller, and brokers 1 and 2 are of the other kind; a client of ZooKeeper."""
    cluster = FaultCluster(directory, dist, None)
    cluster.zookeeper.settings["tickTime"] = "500"  # allows sessions of a second
    with cluster, cluster.zookeeper_client() as client:
        first, others = (cluster.kafka, cluster.wirebroker) if is_kafka else (cluster.wirebroker, cluster.kafka)
        if not is_kafka:
            broker = cluster.add_wirebroker(KILLED, SHORT)
            broker.program = ["-m", "compat_tests.cluster.dying_controller", str(directory / "armed")]
        first(KILLED, settings=SHORT)
        for broker_id in (FIRST, SECOND):
            others(broker_id, settings={"zookeeper.session.timeout.ms": "9000"})
        cluster.await_brokers(KILLED, FIRST, SECOND)
        yield cluster, client


def start_controller(cluster: FaultCluster) -> None:
    """Start the broker that is to be killed, unless it runs, and make it the controller."""
    if KILLED not in cluster.live_brokers():
        (cluster.wirebroker if isinstance(cluster.brokers[KILLED], Wirebroker) else cluster.kafka)(KILLED)
        cluster.await_brokers(KILLED, FIRST, SECOND, timeout_s=WITHIN_S)
    cluster.await_controller(KILLED)


def await_done_by_2_8(operation: Operation, client: KazooClient) -> int:
    """Wait for the end, and while it does not come, have one more controller tell the leaders a new epoch.

    Returns how many were necessary: at each change of controllers the leaders may forget once more.

    Leaders of 2.8 may forget a change of their ISR.  If the answer to the AlterIsr of a former leader epoch comes after
    the next LeaderAndIsr, as it does when a controller dies with the request, and the follower is to join the ISR again
    meanwhile, the two pending changes are equal to the leader, which takes the FENCED_LEADER_EPOCH of the first for
    that of the second: "since we sent an old leader epoch. Giving up".  It asks again in its next epoch only.
    """
    for reminders in range(MOST_REMINDERS):
        try:
            operation.await_done(30)
        except AssertionError:
            with suppress(NoNodeError):
                client.delete("/controller")
        else:
            return reminders
    operation.await_done()
    return MOST_REMINDERS


@pytest.mark.parametrize("version", [KAFKA, OLD_KAFKA, OLDEST_KAFKA])
@pytest.mark.parametrize("name", OPERATIONS)
def test_apache_kafka_finishes_after_every_write_of_a_wirebroker(
    kafka_dist: Callable[[str], KafkaDist],
    show_at_the_end: Callable[[str, str], None],
    tmp_path: Path,
    name: str,
    version: str,
) -> None:
    with cluster_with_controller(tmp_path, kafka_dist(version), is_kafka=False) as (cluster, client):
        armed = tmp_path / "armed"
        controller = cluster.brokers[KILLED]
        for number in range(1, MOST_WRITES):
            start_controller(cluster)
            operation = OPERATIONS[name](cluster, client, f"{name}-{number}")
            operation.prepare()
            armed.write_text(f"write after {number}")
            operation.ask()
            wait_until(lambda: controller.has_ended or operation.is_done(), WITHIN_S)  # noqa: B023
            is_over = not controller.has_ended
            armed.unlink()
            if not is_over:
                cluster.kill(KILLED)
                operation.note_kill()
                wait_until(lambda: cluster.controller_id(FIRST) in (FIRST, SECOND), WITHIN_S)
            if version != OLD_KAFKA:
                operation.await_done()
            elif reminders := await_done_by_2_8(operation, client):
                told = f"its leader forgot an ISR change; reminded {reminders} times"
                show_at_the_end(f"{operation.topic} with {version}", told)
            if is_over:
                break
        assert 1 < number < MOST_WRITES - 1, "the operation has no writes, or it never came to its end"


@pytest.mark.parametrize("version", [KAFKA, OLD_KAFKA, OLDEST_KAFKA])
@pytest.mark.parametrize("name", OPERATIONS)
def test_a_wirebroker_finishes_what_a_killed_apache_kafka_began(
    kafka_dist: Callable[[str], KafkaDist], tmp_path: Path, fault_rounds: StartRounds, name: str, version: str
) -> None:
    chance = random.Random(f"{name} {version}")
    rounds = fault_rounds(f"two wirebrokers, Kafka {version}", f"the controller, a Kafka, is killed: {name}", times=5)
    with cluster_with_controller(tmp_path, kafka_dist(version), is_kafka=True) as (cluster, client):
        for number, _ in enumerate(rounds):
            start_controller(cluster)
            operation = OPERATIONS[name](cluster, client, f"{name}-{number}")
            operation.prepare()
            operation.ask()
            time.sleep(chance.uniform(0, 0.06))  # the moment is what the test varies
            cluster.kill(KILLED)
            operation.note_kill()
            wait_until(lambda: cluster.controller_id(FIRST) in (FIRST, SECOND), WITHIN_S)
            operation.await_done()
