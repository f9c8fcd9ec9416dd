"""LeaderAndIsr, StopReplica and UpdateMetadata as the controller sends them, in the layout of each version; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.config.endpoints import PROTOCOLS
from wirebroker.model import values_by_topic
from wirebroker.protocol.messages.leader_and_isr import (
    LeaderAndIsrLiveLeader,
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrTopicState,
)
from wirebroker.protocol.messages.stop_replica import (
    StopReplicaPartitionState,
    StopReplicaPartitionV0,
    StopReplicaRequest,
    StopReplicaTopicState,
    StopReplicaTopicV1,
)
from wirebroker.protocol.messages.update_metadata import (
    UpdateMetadataBroker,
    UpdateMetadataEndpoint,
    UpdateMetadataPartitionState,
    UpdateMetadataRequest,
    UpdateMetadataTopicState,
)
from wirebroker.protocol.primitives import ZERO_UUID

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from wirebroker.model import TopicPartition
    from wirebroker.zookeeper.znodes.brokers import BrokerInfo
    from wirebroker.zookeeper.znodes.topics import LeaderIsrAndControllerEpoch, ReplicaAssignment

LEADER_DURING_DELETE: Final = -2
"""Leader, in UpdateMetadata, of a partition whose topic is being deleted."""
EPOCH_DURING_DELETE: Final = -2
"""Leader epoch, in StopReplica, of a partition whose topic is being deleted: receivers compare no epochs."""
UNKNOWN_EPOCH: Final = -1
_GROUPED_LEADER_AND_ISR: Final = 2
_GROUPED_UPDATE_METADATA: Final = 5
_ENDPOINTS: Final = 1
_GROUPED_STOP_REPLICA: Final = 1
_STOP_REPLICA_BY_PARTITION: Final = 3


class Sender(NamedTuple):
    """The fields that say which controller sends a request, and to which start of a broker."""

    controller_id: int
    controller_epoch: int
    broker_epoch: int


def leader_and_isr_state(
    partition: TopicPartition, state: LeaderIsrAndControllerEpoch, assignment: ReplicaAssignment, *, is_new: bool
) -> LeaderAndIsrPartitionState:
    """Return the part of one partition in LeaderAndIsr."""
    return LeaderAndIsrPartitionState(
        partition_index=partition.partition,
        controller_epoch=state.controller_epoch,
        leader=state.leader,
        leader_epoch=state.leader_epoch,
        isr=list(state.isr),
        partition_epoch=state.partition_epoch,
        replicas=list(assignment.replicas),
        adding_replicas=list(assignment.adding_replicas),
        removing_replicas=list(assignment.removing_replicas),
        is_new=is_new,
        leader_recovery_state=int(state.is_recovering),
    )


def leader_and_isr_request(
    sender: Sender,
    version: int,
    states: Mapping[str, Mapping[int, LeaderAndIsrPartitionState]],
    topic_ids: Mapping[str, bytes],
    live_leaders: Iterable[LeaderAndIsrLiveLeader],
) -> LeaderAndIsrRequest:
    """Return the request with the *states* of partitions, by topic and number."""
    request = LeaderAndIsrRequest(
        controller_id=sender.controller_id, controller_epoch=sender.controller_epoch, live_leaders=list(live_leaders)
    )
    if version < _GROUPED_LEADER_AND_ISR:
        for topic, found in states.items():
            for state in found.values():
                state.topic_name = topic
                request.ungrouped_partition_states.append(state)
        return request
    request.broker_epoch = sender.broker_epoch
    request.topic_states = [
        LeaderAndIsrTopicState(topic, topic_ids.get(topic, ZERO_UUID), list(found.values()))
        for topic, found in states.items()
    ]
    return request


def live_leader(broker: BrokerInfo, listener: str) -> LeaderAndIsrLiveLeader | None:
    """Return the address of a leader for followers, None for a broker without the *listener* of brokers."""
    for each in broker.endpoints:
        if each.name == listener:
            return LeaderAndIsrLiveLeader(broker.broker_id, each.host, each.port)
    return None


def update_metadata_state(
    partition: TopicPartition,
    state: LeaderIsrAndControllerEpoch,
    replicas: tuple[int, ...],
    offline_replicas: list[int],
    *,
    is_being_deleted: bool,
) -> UpdateMetadataPartitionState:
    """Return the part of one partition in UpdateMetadata."""
    return UpdateMetadataPartitionState(
        partition_index=partition.partition,
        controller_epoch=state.controller_epoch,
        leader=LEADER_DURING_DELETE if is_being_deleted else state.leader,
        leader_epoch=0 if is_being_deleted else state.leader_epoch,
        isr=list(state.isr),
        zk_version=0 if is_being_deleted else state.partition_epoch,
        replicas=list(replicas),
        offline_replicas=offline_replicas,
    )


class UpdateMetadataStates(NamedTuple):
    """The partitions of UpdateMetadata, which the requests to all brokers share."""

    ungrouped: list[UpdateMetadataPartitionState]
    topics: list[UpdateMetadataTopicState]


def update_metadata_states(
    version: int, states: Mapping[str, Mapping[int, UpdateMetadataPartitionState]], topic_ids: Mapping[str, bytes]
) -> UpdateMetadataStates:
    """Return the *states* of partitions, by topic and number, in the layout of a version."""
    if version < _GROUPED_UPDATE_METADATA:
        ungrouped: list[UpdateMetadataPartitionState] = []
        for topic, found in states.items():
            for state in found.values():
                state.topic_name = topic
                ungrouped.append(state)
        return UpdateMetadataStates(ungrouped, [])
    topics = [
        UpdateMetadataTopicState(topic, topic_ids.get(topic, ZERO_UUID), list(found.values()))
        for topic, found in states.items()
    ]
    return UpdateMetadataStates([], topics)


def update_metadata_request(
    controller_id: int,
    controller_epoch: int,
    version: int,
    states: UpdateMetadataStates,
    live_brokers: Iterable[BrokerInfo],
) -> UpdateMetadataRequest:
    """Return the request with the *states* of partitions and all live brokers, without the epoch of a receiver."""
    return UpdateMetadataRequest(
        controller_id=controller_id,
        controller_epoch=controller_epoch,
        ungrouped_partition_states=states.ungrouped,
        topic_states=states.topics,
        live_brokers=[_live_broker(each, version) for each in live_brokers],
    )


def _live_broker(broker: BrokerInfo, version: int) -> UpdateMetadataBroker:
    found = UpdateMetadataBroker(id=broker.broker_id, rack=broker.rack)
    if version < _ENDPOINTS:
        plaintext = next((each for each in broker.endpoints if each.protocol == "PLAINTEXT"), None)
        if plaintext is not None:
            found.v0_host, found.v0_port = plaintext.host, plaintext.port
        return found
    found.endpoints = [
        UpdateMetadataEndpoint(each.port, each.host, each.name, PROTOCOLS.index(each.protocol))
        for each in broker.endpoints
    ]
    return found


class StopReplica(NamedTuple):
    """A replica to stop."""

    leader_epoch: int
    delete: bool
    """Whether its log is deleted as well."""


def stop_replica_requests(
    sender: Sender, version: int, replicas: Mapping[TopicPartition, StopReplica]
) -> list[StopReplicaRequest]:
    """Return the requests that stop *replicas*: below version 3 one for those to be deleted, and one for the others."""

    def new_request() -> StopReplicaRequest:
        return StopReplicaRequest(controller_id=sender.controller_id, controller_epoch=sender.controller_epoch)

    if version >= _STOP_REPLICA_BY_PARTITION:
        topics = [
            StopReplicaTopicState(
                topic, [StopReplicaPartitionState(number, each.leader_epoch, each.delete) for number, each in found]
            )
            for topic, found in values_by_topic(replicas).items()
        ]
        request = new_request()
        request.broker_epoch, request.topic_states = sender.broker_epoch, topics
        return [request]
    requests = []
    for is_delete in (True, False):
        chosen = {partition: each for partition, each in replicas.items() if each.delete == is_delete}
        if not chosen:
            continue
        request = new_request()
        request.delete_partitions = is_delete
        if version < _GROUPED_STOP_REPLICA:
            request.ungrouped_partitions = [StopReplicaPartitionV0(*partition) for partition in chosen]
        else:
            request.broker_epoch = sender.broker_epoch
            request.topics = [
                StopReplicaTopicV1(topic, [number for number, _ in found])
                for topic, found in values_by_topic(chosen).items()
            ]
        requests.append(request)
    return requests
