"""Rules of StopReplica: which partitions stop, and whether their logs are deleted; pure.

Facts: Apache Kafka's ReplicaManager.stopReplicas, KIP-570 (leader epochs in the request).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.cluster.leader_and_isr import NO_EPOCH
from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wirebroker.cluster.leader_and_isr import HostedReplica
    from wirebroker.protocol.messages.stop_replica import StopReplicaRequest

EPOCH_DURING_DELETE: Final = -2
"""In place of the leader epoch when the topic is deleted, which raises no epoch."""


class StopPartition(NamedTuple):
    """One partition of a StopReplica request."""

    topic_partition: TopicPartition
    leader_epoch: int
    """EPOCH_DURING_DELETE, or NO_EPOCH below version 3."""
    delete: bool
    """Whether the log is deleted, too."""


def stops_of(request: StopReplicaRequest) -> Iterator[StopPartition]:
    """Yield the partitions of *request*, of any version."""
    delete = request.delete_partitions
    for each in request.ungrouped_partitions:
        yield StopPartition(TopicPartition(each.topic_name, each.partition_index), NO_EPOCH, delete)
    for topic in request.topics:
        for index in topic.partition_indexes:
            yield StopPartition(TopicPartition(topic.name, index), NO_EPOCH, delete)
    for named in request.topic_states:
        for state in named.partition_states:
            topic_partition = TopicPartition(named.topic_name, state.partition_index)
            yield StopPartition(topic_partition, state.leader_epoch, state.delete_partition)


def check_stop(stop: StopPartition, hosted: HostedReplica | None) -> ErrorCode:
    """Return NONE if *stop* is to be carried out on a partition that is *hosted* so (None: not at all), or why not.

    A partition that is not hosted may have a log all the same, of a topic that was deleted while this broker was down.
    So may one whose log was refused at the start, in a log directory that works: it can be deleted.
    """
    if hosted is None or (hosted.is_refused and stop.delete):
        return ErrorCode.NONE
    if hosted.is_offline:
        return ErrorCode.KAFKA_STORAGE_ERROR
    if stop.leader_epoch in (NO_EPOCH, EPOCH_DURING_DELETE) or stop.leader_epoch >= hosted.leader_epoch:
        return ErrorCode.NONE
    return ErrorCode.FENCED_LEADER_EPOCH
