"""Which leaders are to be moved to their preferred replicas, without I/O: automatic and requested elections.

The preferred replica of a partition is its first one.  Automatic elections begin for a broker when more than
`leader.imbalance.per.broker.percentage` of the partitions that prefer it are led elsewhere; unlike Kafka's, they leave
out partitions that are being reassigned, whose first replica copies yet or has just been given the leadership.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from wirebroker.kafka_controller.election import preferred_leader

if TYPE_CHECKING:
    from wirebroker.kafka_controller.context import ControllerContext
    from wirebroker.model import TopicPartition


def imbalanced_partitions(context: ControllerContext, percentage: int) -> dict[int, list[TopicPartition]]:
    """Return broker -> the partitions whose leadership it is to get, for brokers above *percentage*."""
    counts: dict[int, int] = defaultdict(int)
    elsewhere: dict[int, list[TopicPartition]] = defaultdict(list)
    for topic in context.all_topics:
        if context.is_topic_queued_for_deletion(topic):
            continue
        for partition in context.partitions_for_topic(topic):
            replicas = context.replica_assignment(partition).replicas
            if not replicas:
                continue
            counts[replicas[0]] += 1
            if context.is_imbalanced(partition):
                elsewhere[replicas[0]].append(partition)
    found: dict[int, list[TopicPartition]] = {}
    for broker_id, partitions in elsewhere.items():
        if len(partitions) * 100 > percentage * counts[broker_id]:
            electable = [each for each in partitions if can_preferred_replica_lead(context, each)]
            if electable:
                found[broker_id] = electable
    return found


def can_preferred_replica_lead(context: ControllerContext, partition: TopicPartition) -> bool:
    """Return whether the first replica is online and in sync, and no reassignment moves the partition."""
    if partition in context.partitions_being_reassigned:
        return False
    replicas = context.replica_assignment(partition).replicas
    leadership = context.partition_leadership.get(partition)
    if leadership is None:
        return False
    live = {each for each in replicas[:1] if context.is_replica_online(each, partition)}
    return preferred_leader(replicas, leadership.isr, live) is not None
