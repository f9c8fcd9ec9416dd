"""Eight wirebroker processes: leaders and replicas after failures, elections and reassignments, as specified."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest
from confluent_kafka.admin import AdminClient, NewTopic

from compat_tests.cluster.clients import RecordingProducer, ends_of, read_all
from compat_tests.cluster.mixed_cluster import MixedCluster
from compat_tests.conftest import wait_until
from compat_tests.versions import KAFKA
from tools.jvm.zookeeper_log import znode_writes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

pytestmark = pytest.mark.nightly  # two minutes
BROKERS = tuple(range(8))
SETTINGS = {"zookeeper.session.timeout.ms": "12000", "replica.lag.time.max.ms": "10000"}
WITHIN_S = 180


class State(NamedTuple):
    """One partition at one moment: its replicas as a set, its leader, and its ISR as a set."""

    replicas: frozenset[int]
    leader: int
    isr: frozenset[int]


@pytest.fixture(scope="module")
def processes(
    kafka_dist: Callable[[str], KafkaDist], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MixedCluster]:
    """The cluster, without brokers yet."""
    with MixedCluster(tmp_path_factory.mktemp("eight"), kafka_dist(KAFKA)) as cluster:
        yield cluster


@pytest.fixture
def eight(processes: MixedCluster) -> MixedCluster:
    """The cluster with all brokers running."""
    for broker_id in set(BROKERS) - set(processes.live_brokers()):
        processes.wirebroker(broker_id, SETTINGS)
    processes.await_brokers(*BROKERS, timeout_s=WITHIN_S)
    return processes


def create_topic(cluster: MixedCluster, topic: str, replicas: Mapping[int, tuple[int, ...]]) -> None:
    """Create a topic with these replicas, and wait until all are in sync and the first of each leads."""
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap()})
    assignment = [list(replicas[at]) for at in sorted(replicas)]
    admin.create_topics([NewTopic(topic, len(assignment), replica_assignment=assignment)])[topic].result(60)
    cluster.await_states(topic, {at: (each[0], set(each)) for at, each in replicas.items()}, WITHIN_S)


def own(cluster: MixedCluster, *words: str) -> str:
    """Run a command of wirebroker; return its output."""
    command = [sys.executable, "-m", "wirebroker", *words, "--bootstrap-server", cluster.bootstrap()]
    done = subprocess.run([*command, "--timeout", "60000"], check=False, capture_output=True, text=True, timeout=120)
    # elections have exit code 1 if the preferred leader of a partition is down
    assert done.returncode == 0 or words[0] == "elect", done.stderr
    return done.stdout


def elect_preferred_leaders(cluster: MixedCluster) -> None:
    own(cluster, "elect", "--election-type", "preferred", "--all-topic-partitions")


def test_leaders_move_when_brokers_stop_and_return_by_preferred_elections(eight: MixedCluster) -> None:
    replicas = {at: (at, (at + 1) % 8, (at + 2) % 8) for at in BROKERS}
    create_topic(eight, "eight", replicas)
    producer = RecordingProducer(eight.bootstrap())

    def await_leaders(*leaders: int) -> None:
        live = set(eight.live_brokers())
        wanted = {at: (leader, set(replicas[at]) & live) for at, leader in enumerate(leaders)}
        producer.send("eight", 80, len(BROKERS))
        eight.await_states("eight", wanted, WITHIN_S)

    await_leaders(0, 1, 2, 3, 4, 5, 6, 7)
    for broker_id in (1, 2, 4):
        eight.stop(broker_id)
    await_leaders(0, 3, 3, 3, 5, 5, 6, 7)
    eight.wirebroker(1)
    await_leaders(0, 3, 3, 3, 5, 5, 6, 7)  # a broker that is back does not lead by itself
    elect_preferred_leaders(eight)
    await_leaders(0, 1, 3, 3, 5, 5, 6, 7)
    for broker_id in (2, 4):
        eight.wirebroker(broker_id)
    await_leaders(0, 1, 3, 3, 5, 5, 6, 7)
    elect_preferred_leaders(eight)
    await_leaders(0, 1, 2, 3, 4, 5, 6, 7)
    producer.flush()
    assert set(producer.acked) <= set(read_all(eight.bootstrap(), "eight", ends_of(producer.acked)))


def test_a_partition_moves_through_the_states_of_the_table(eight: MixedCluster, tmp_path: Path) -> None:
    create_topic(eight, "moved", {0: (1, 2, 3)})
    producer = RecordingProducer(eight.bootstrap())
    producer.send("moved", 1000, 1)
    producer.flush()
    plan = tmp_path / "plan.json"
    moves = [{"topic": "moved", "partition": 0, "replicas": [4, 5, 6]}]
    plan.write_text(json.dumps({"version": 1, "partitions": moves}))
    own(eight, "reassign", "execute", "--reassignment-json-file", str(plan))
    eight.await_states("moved", {0: (4, {4, 5, 6})}, WITHIN_S)
    wait_until(lambda: "is completed" in own(eight, "reassign", "verify", "--reassignment-json-file", str(plan)))
    wait_until(lambda: hosts(eight, "moved-0") == {4, 5, 6})

    states = history(eight, "moved")
    old, new = frozenset({1, 2, 3}), frozenset({4, 5, 6})
    table = [
        State(old, 1, old),
        State(old | new, 1, old),
        State(old | new, 1, old | new),
        State(old | new, 4, old | new),
        State(old | new, 4, new),
        State(new, 4, new),
    ]
    at = [states.index(each) for each in table]
    assert at == sorted(at), states
    assert states[-1] == table[-1]
    for before, after in itertools.pairwise(states):
        # followers enter and leave one after the other, and nothing changes back
        grows = before.leader == after.leader == 1 and before.isr < after.isr
        shrinks = before.leader == after.leader == 4 and before.isr > after.isr
        assert grows or shrinks or (before.isr == after.isr), (before, after)
    assert set(producer.acked) <= set(read_all(eight.bootstrap(), "moved", ends_of(producer.acked)))


def test_the_leader_is_the_first_in_the_order_of_the_assignment_not_of_the_isr(eight: MixedCluster) -> None:
    """The example topic-leader: broker 0 stops, and 1 leads partition 2, whose ISR is 2, 1."""
    replicas = {0: (1, 2, 0), 1: (2, 0, 1), 2: (0, 1, 2)}
    create_topic(eight, "topic-leader", replicas)
    eight.stop(1)
    eight.await_states("topic-leader", {0: (2, {0, 2}), 1: (2, {0, 2}), 2: (0, {0, 2})}, WITHIN_S)
    eight.wirebroker(1)
    eight.await_states("topic-leader", {0: (2, {0, 1, 2}), 1: (2, {0, 1, 2}), 2: (0, {0, 1, 2})}, WITHIN_S)
    eight.kill(0)
    eight.await_states("topic-leader", {0: (2, {1, 2}), 1: (2, {1, 2}), 2: (1, {1, 2})}, WITHIN_S)
    (*_, newest) = raw_states(eight, "topic-leader", 2)
    assert (newest["leader"], newest["isr"]) == (1, [2, 1])
    eight.wirebroker(0)
    eight.await_states("topic-leader", {0: (2, {0, 1, 2}), 1: (2, {0, 1, 2}), 2: (1, {0, 1, 2})}, WITHIN_S)


def test_partitions_of_two_topics_are_spread_over_all_brokers(eight: MixedCluster) -> None:
    admin = AdminClient({"bootstrap.servers": eight.bootstrap()})
    counts = {"thirteen": 13, "nineteen": 19}
    for topic, count in counts.items():
        admin.create_topics([NewTopic(topic, count, 1)])[topic].result(60)
    found: dict[str, list[int]] = {}

    def are_there() -> bool:
        for topic in counts:
            logs = [eight.brokers[each].data_directory.glob(f"{topic}-*") for each in BROKERS]
            found[topic] = [len(list(each)) for each in logs]
        return sum(map(sum, found.values())) == 32

    wait_until(are_there, WITHIN_S)
    assert {topic: sum(each) for topic, each in found.items()} == counts
    assert sorted(found["thirteen"]) == [1, 1, 1, 2, 2, 2, 2, 2]
    assert sorted(found["nineteen"]) == [2, 2, 2, 2, 2, 3, 3, 3]


def hosts(cluster: MixedCluster, partition: str) -> set[int]:
    """The brokers that have the directory of a partition."""
    return {each for each in BROKERS if (cluster.brokers[each].data_directory / partition).exists()}


def raw_states(cluster: MixedCluster, topic: str, partition: int) -> list[dict[str, object]]:
    """Everything that was written into a state znode, in order."""
    path = f"/brokers/topics/{topic}/partitions/{partition}/state"
    return [json.loads(each.data) for each in znode_writes(cluster.directory / "zookeeper/data") if each.path == path]


def history(cluster: MixedCluster, topic: str) -> list[State]:
    """The states of partition 0 in the order in which ZooKeeper had them."""
    paths = (f"/brokers/topics/{topic}", f"/brokers/topics/{topic}/partitions/0/state")
    replicas: frozenset[int] = frozenset()
    leader, isr = -1, frozenset[int]()
    found: list[State] = []
    for write in znode_writes(cluster.directory / "zookeeper" / "data"):
        if write.path not in paths:
            continue
        value = json.loads(write.data)
        if write.path == paths[0]:
            replicas = frozenset(value["partitions"]["0"])
        else:
            leader, isr = value["leader"], frozenset(value["isr"])
        state = State(replicas, leader, isr)
        if leader >= 0 and (not found or found[-1] != state):
            found.append(state)
    return found
