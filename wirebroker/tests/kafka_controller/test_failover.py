"""The steps of a failover: a new controller writes and sends in the order of Kafka's onControllerFailover."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.model import TopicPartition
from wirebroker.tests.kafka_controller.controller_cluster import ControllerCluster, Sent, settle
from wirebroker.zookeeper.operations import Create, Delete, SetData
from wirebroker.zookeeper.znodes.admin import (
    PREFERRED_ELECTION_PATH,
    REASSIGN_PARTITIONS_PATH,
    delete_topic_path,
    encode_preferred_election,
    encode_reassignment,
)
from wirebroker.zookeeper.znodes.notifications import (
    ISR_CHANGES_PATH,
    LOG_DIR_EVENTS_PATH,
    encode_isr_change,
    encode_log_dir_failure,
)
from wirebroker.zookeeper.znodes.topics import LeaderIsrAndControllerEpoch, partition_state_path

if TYPE_CHECKING:
    from wirebroker.zookeeper.operations import Operation

LEADERLESS, MOVED, DELETED, ELECTED = (TopicPartition(topic, 0) for topic in ("led", "moved", "deleted", "elected"))


class Requests(list[Sent]):
    """Requests, which are also named in a list of everything."""

    def __init__(self, story: list[str]) -> None:
        super().__init__()
        self._story = story

    def append(self, sent: Sent) -> None:
        """Name what a request is about, too."""
        super().append(sent)
        if sent.name == "UpdateMetadata" and not sent.request.topic_states:
            self._story.append("UpdateMetadata of brokers")
            return
        for topic in sent.request.topic_states:
            self._story.append(f"{sent.name} {topic.topic_name}")


def follow(cluster: ControllerCluster) -> list[str]:
    """Writes to ZooKeeper and requests from now on, in their order; the list grows."""
    story: list[str] = []
    cluster.sent, zookeeper = Requests(story), cluster.zookeeper
    apply = zookeeper.apply

    def look(operation: Operation, *arguments: object, **options: object) -> object:
        result = apply(operation, *arguments, **options)  # type: ignore[arg-type]
        if zookeeper.clients and isinstance(operation, (Create, SetData, Delete)):  # a multi is tried first, without
            story.append(f"{type(operation).__name__} {operation.path}")
        return result

    zookeeper.apply = look  # type: ignore[method-assign, assignment]
    return story


def put_state(cluster: ControllerCluster, partition: TopicPartition, leader: int, *isr: int) -> None:
    """Write the leader and the ISR of a partition."""
    cluster.zookeeper.put(partition_state_path(partition), LeaderIsrAndControllerEpoch(leader, 0, isr, 1).encode())


async def test_a_new_controller_takes_its_steps_in_order() -> None:
    cluster = ControllerCluster()
    zookeeper = cluster.zookeeper
    cluster.register(1, 2)
    for number, (partition, replicas, leader) in enumerate(
        ((LEADERLESS, (3, 1, 2), 3), (MOVED, (1,), 1), (DELETED, (1, 2), 1), (ELECTED, (2, 1), 1)), 1
    ):
        cluster.put_topic(partition.topic, {0: replicas}, bytes([number]) * 16)
        put_state(cluster, partition, leader, *replicas)
    zookeeper.put(f"{LOG_DIR_EVENTS_PATH}/log_dir_event_0000000000", encode_log_dir_failure(1))
    zookeeper.put(f"{ISR_CHANGES_PATH}/isr_change_0000000000", encode_isr_change([MOVED]))
    zookeeper.put(delete_topic_path(DELETED.topic))
    zookeeper.put(REASSIGN_PARTITIONS_PATH, encode_reassignment({MOVED: (2,)}))
    zookeeper.put(PREFERRED_ELECTION_PATH, encode_preferred_election([ELECTED]))
    story = follow(cluster)
    async with cluster.controller(1) as only:
        await settle()
        assert only.is_active
        steps = [
            "Create /controller",
            "SetData /controller_epoch",
            "Create /feature",
            f"Delete {LOG_DIR_EVENTS_PATH}/log_dir_event_0000000000",
            f"Delete {ISR_CHANGES_PATH}/isr_change_0000000000",
            "UpdateMetadata of brokers",  # before any LeaderAndIsr
            f"LeaderAndIsr {ELECTED.topic}",  # the replicas that are online are told their state
            f"SetData {partition_state_path(LEADERLESS)}",  # a replica that is down leaves the ISR, and leads no more
            "SetData /brokers/topics/moved",  # reassignments go on
            f"StopReplica {DELETED.topic}",  # deletions go on
            f"SetData {partition_state_path(ELECTED)}",  # elections that were asked for
            f"Delete {PREFERRED_ELECTION_PATH}",
        ]
        assert [each for each in steps if each not in story] == []
        assert sorted(steps, key=story.index) == steps, story
        assert cluster.leaders(ELECTED.topic) == {0: (2, (2, 1))}
        assert cluster.leaders(LEADERLESS.topic) == {0: (1, (1, 2))}
