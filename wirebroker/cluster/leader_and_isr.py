"""Rules of LeaderAndIsr: which partitions become leader or follower, and the error codes of the others; pure.

Facts: Apache Kafka's ReplicaManager.becomeLeaderOrFollower, KIP-516 (topic ids).
"""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.metadata.image import NO_TOPIC_ID
from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.leader_and_isr import (
    LeaderAndIsrPartitionError,
    LeaderAndIsrResponse,
    LeaderAndIsrTopicError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from wirebroker.protocol.messages.leader_and_isr import LeaderAndIsrPartitionState, LeaderAndIsrRequest

NO_EPOCH: Final = -1
"""The leader epoch of a partition that no LeaderAndIsr request has named since the start."""
_BY_TOPIC_ID_SINCE: Final = 5


class ReplicaChange(NamedTuple):
    """One partition of a LeaderAndIsr request."""

    topic_partition: TopicPartition
    topic_id: bytes
    """16 bytes; NO_TOPIC_ID below version 5 and in a cluster without topic ids."""
    state: LeaderAndIsrPartitionState


class HostedReplica(NamedTuple):
    """The state of one partition on this broker before the request."""

    leader_epoch: int = NO_EPOCH
    topic_id: bytes = NO_TOPIC_ID
    is_offline: bool = False
    """Whether its log cannot be used."""
    is_refused: bool = False
    """Whether it is offline only as its log was refused at the start: its log directory works."""


class Transition(Enum):
    """The effect of one ReplicaChange."""

    BECOME_LEADER = auto()
    BECOME_FOLLOWER = auto()
    ASSIGN_TOPIC_ID = auto()
    """The cluster got topic ids: the partition keeps leader and epoch, and is given its id."""


def changes_of(request: LeaderAndIsrRequest) -> Iterator[ReplicaChange]:
    """Yield the partitions of *request*, of any version."""
    for state in request.ungrouped_partition_states:
        yield ReplicaChange(TopicPartition(state.topic_name, state.partition_index), NO_TOPIC_ID, state)
    for topic in request.topic_states:
        for state in topic.partition_states:
            yield ReplicaChange(TopicPartition(topic.topic_name, state.partition_index), topic.topic_id, state)


def transition_of(change: ReplicaChange, hosted: HostedReplica, broker_id: int) -> Transition | ErrorCode:
    """Return the effect of *change* on a partition that is *hosted* so, or the error code if it has none."""
    state, topic_id = change.state, change.topic_id
    if hosted.is_offline:
        return ErrorCode.KAFKA_STORAGE_ERROR
    if NO_TOPIC_ID not in (topic_id, hosted.topic_id) and topic_id != hosted.topic_id:
        return ErrorCode.INCONSISTENT_TOPIC_ID
    if state.leader_epoch > hosted.leader_epoch:
        if broker_id not in state.replicas:
            return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        return Transition.BECOME_LEADER if state.leader == broker_id else Transition.BECOME_FOLLOWER
    if state.leader_epoch == hosted.leader_epoch and topic_id != NO_TOPIC_ID and hosted.topic_id == NO_TOPIC_ID:
        return Transition.ASSIGN_TOPIC_ID
    return ErrorCode.STALE_CONTROLLER_EPOCH


def leader_and_isr_response(
    version: int, changes: Sequence[ReplicaChange], codes: Mapping[TopicPartition, ErrorCode]
) -> LeaderAndIsrResponse:
    """Return the response to a request with *changes*; *codes* has one code for each of their partitions."""
    if version < _BY_TOPIC_ID_SINCE:
        return LeaderAndIsrResponse(
            partition_errors=[
                LeaderAndIsrPartitionError(*each.topic_partition, codes[each.topic_partition]) for each in changes
            ]
        )
    topics: dict[str, LeaderAndIsrTopicError] = {}
    for each in changes:
        topic, index = each.topic_partition
        if topic not in topics:
            topics[topic] = LeaderAndIsrTopicError(each.topic_id, [])
        topics[topic].partition_errors.append(
            LeaderAndIsrPartitionError(partition_index=index, error_code=codes[each.topic_partition])
        )
    return LeaderAndIsrResponse(topics=list(topics.values()))
