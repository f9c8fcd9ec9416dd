"""differences: what keeps a cluster without faults from being at rest, with equal replicas and equal metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.model import TopicPartition
from wirebroker.tests.simulation.committed_log import PartitionKey
from wirebroker.zookeeper.znodes.topics import (
    LeaderIsrAndControllerEpoch,
    TopicAssignment,
    partition_state_path,
    topic_path,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from wirebroker.replication.partition import Partition
    from wirebroker.tests.simulation.broker import SimulatedBroker
    from wirebroker.tests.simulation.observer import Observer
    from wirebroker.tests.simulation.zookeeper import SimulatedZooKeeper

_ABSENT: Final = ("/admin/reassign_partitions", "/admin/preferred_replica_election")
_EMPTY: Final = ("/admin/delete_topics", "/isr_change_notification", "/log_dir_event_notification")


def differences(
    brokers: Mapping[int, SimulatedBroker], zookeeper: SimulatedZooKeeper, observer: Observer
) -> Iterator[str]:
    """Yield what is not as it should be when all brokers run and nobody writes; nothing if the cluster is at rest."""
    for broker in brokers.values():
        if broker.services is None or f"/brokers/ids/{broker.broker_id}" not in zookeeper.nodes:
            yield f"{broker.name} has not joined"
    if "/controller" not in zookeeper.nodes:
        yield "there is no controller"
    for path in _ABSENT:
        if path in zookeeper.nodes:
            yield f"{path} is left"
    for path in _EMPTY:
        if zookeeper.children(path):
            yield f"{path} has {zookeeper.children(path)}"
    topics = {each: TopicAssignment.decode(each, zookeeper.read(topic_path(each))) for each in _topics(zookeeper)}
    for topic in topics.values():
        for number in topic.partitions:
            yield from _partition_differences(topic, number, brokers, zookeeper, observer)
    for broker in brokers.values():
        if broker.services is not None:
            yield from _foreign_partitions(broker, topics)


def _topics(zookeeper: SimulatedZooKeeper) -> list[str]:
    return zookeeper.children("/brokers/topics")


def _partition_differences(
    topic: TopicAssignment,
    number: int,
    brokers: Mapping[int, SimulatedBroker],
    zookeeper: SimulatedZooKeeper,
    observer: Observer,
) -> Iterator[str]:
    at = TopicPartition(topic.topic, number)
    assignment = topic.partitions[number]
    if assignment.adding_replicas or assignment.removing_replicas:
        yield f"{at} is being reassigned: {assignment}"
    path = partition_state_path(at)
    if path not in zookeeper.nodes:
        yield f"{at} has no state"
        return
    state = LeaderIsrAndControllerEpoch.decode(at, zookeeper.read(path), zookeeper.nodes[path].version)
    if set(state.isr) != set(assignment.replicas) or state.leader not in assignment.replicas:
        yield f"{at}: {state} of replicas {assignment.replicas}"
    for broker in brokers.values():
        if broker.services is None:
            continue
        image = broker.services.metadata.image.partition(*at)
        if image is None or image[:4] != (state.leader, state.leader_epoch, assignment.replicas, state.isr):
            yield f"{at}: the metadata of {broker.name} are {image}, the state is {state}"
    hosted = [(each, brokers[each].services) for each in assignment.replicas]
    found = {each: None if services is None else services.replicas.find(*at) for each, services in hosted}
    key = PartitionKey(at.topic, topic.topic_id or bytes(16), number)
    yield from _replica_differences(at, found, state)
    committed = observer.logs.get(key)
    for broker_id, partition in found.items():
        if partition is not None and committed is not None and partition.log.log_end_offset >= committed.end:
            committed.check_prefix(partition.log, f"{at} on broker {broker_id} at the end")


def _replica_differences(
    at: TopicPartition, found: Mapping[int, Partition | None], state: LeaderIsrAndControllerEpoch
) -> Iterator[str]:
    leader = found.get(state.leader)
    for broker_id, partition in found.items():
        if partition is None or leader is None:
            yield f"{at} is not served by broker {broker_id if partition is None else state.leader}"
            continue
        role = partition.leader if broker_id == state.leader else partition.follower
        if role is None or partition.leader_epoch != state.leader_epoch:
            yield f"{at}: broker {broker_id} has no role in leader epoch {state.leader_epoch}"
        ends = partition.high_watermark, partition.log.log_end_offset
        if ends != (leader.log.log_end_offset,) * 2:
            yield f"{at}: broker {broker_id} is at {ends}, the leader at {leader.log.log_end_offset}"


def _foreign_partitions(broker: SimulatedBroker, topics: Mapping[str, TopicAssignment]) -> Iterator[str]:
    """Yield the partitions that a broker serves, or knows, and that it should not."""
    assert broker.services is not None
    for partition in broker.services.replicas.partitions():
        topic, number = partition.topic_partition
        assigned = topics[topic].partitions.get(number) if topic in topics else None
        if assigned is None or broker.broker_id not in assigned.replicas:
            yield f"{broker.name} still serves {topic}-{number}"
    known = broker.services.metadata.image.topics
    if known.keys() != topics.keys():
        yield f"{broker.name} knows the topics {sorted(known)}, there are {sorted(topics)}"
