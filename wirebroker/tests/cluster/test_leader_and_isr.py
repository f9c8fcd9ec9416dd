"""The rules of LeaderAndIsr and StopReplica, and the fence of epochs before them."""

from __future__ import annotations

import pytest

from wirebroker.cluster.fencing import ControllerFence
from wirebroker.cluster.leader_and_isr import (
    HostedReplica,
    ReplicaChange,
    Transition,
    changes_of,
    leader_and_isr_response,
    transition_of,
)
from wirebroker.cluster.stop_replica import EPOCH_DURING_DELETE, StopPartition, check_stop, stops_of
from wirebroker.metadata.image import NO_TOPIC_ID
from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.leader_and_isr import (
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

E = ErrorCode
ME = 1
A, B = bytes([1] * 16), bytes([2] * 16)
T0 = TopicPartition("t", 0)


def change(
    leader_epoch: int, *, leader: int = ME, replicas: tuple[int, ...] = (1, 2), topic_id: bytes = A
) -> ReplicaChange:
    state = LeaderAndIsrPartitionState(
        partition_index=0, leader=leader, leader_epoch=leader_epoch, isr=[1], replicas=list(replicas)
    )
    return ReplicaChange(T0, topic_id, state)


@pytest.mark.parametrize(
    ("asked", "hosted", "expected"),
    [
        (change(0), HostedReplica(), Transition.BECOME_LEADER),
        (change(0, leader=2), HostedReplica(), Transition.BECOME_FOLLOWER),
        (change(3, leader=-1), HostedReplica(2, A), Transition.BECOME_FOLLOWER),
        (change(3), HostedReplica(2, A), Transition.BECOME_LEADER),
        (change(3), HostedReplica(3, A), E.STALE_CONTROLLER_EPOCH),
        (change(2), HostedReplica(3, A), E.STALE_CONTROLLER_EPOCH),
        (change(3), HostedReplica(3, NO_TOPIC_ID), Transition.ASSIGN_TOPIC_ID),
        (change(3, topic_id=NO_TOPIC_ID), HostedReplica(3, A), E.STALE_CONTROLLER_EPOCH),
        (change(3, topic_id=NO_TOPIC_ID), HostedReplica(2, A), Transition.BECOME_LEADER),
        (change(9, topic_id=B), HostedReplica(3, A), E.INCONSISTENT_TOPIC_ID),
        (change(3, replicas=(2, 3)), HostedReplica(2, A), E.UNKNOWN_TOPIC_OR_PARTITION),
        (change(3), HostedReplica(2, A, is_offline=True), E.KAFKA_STORAGE_ERROR),
    ],
)
def test_transitions(asked: ReplicaChange, hosted: HostedReplica, expected: Transition | ErrorCode) -> None:
    assert transition_of(asked, hosted, ME) == expected


@pytest.mark.parametrize("version", LeaderAndIsrRequest.VERSIONS)
def test_a_response_of_every_version_has_the_code_of_each_partition(version: int) -> None:
    states = [
        LeaderAndIsrPartitionState("t", 0),
        LeaderAndIsrPartitionState("t", 1),
        LeaderAndIsrPartitionState("u", 0),
    ]
    if version < 2:
        request = LeaderAndIsrRequest(ungrouped_partition_states=states)
    else:
        request = LeaderAndIsrRequest(
            topic_states=[LeaderAndIsrTopicState("t", A, states[:2]), LeaderAndIsrTopicState("u", B, states[2:])]
        )
    changes = list(changes_of(request))
    assert [each.topic_partition for each in changes] == [("t", 0), ("t", 1), ("u", 0)]
    assert [each.topic_id for each in changes] == ([NO_TOPIC_ID] * 3 if version < 2 else [A, A, B])
    codes = dict(
        zip([each.topic_partition for each in changes], [E.NONE, E.STALE_CONTROLLER_EPOCH, E.NONE], strict=True)
    )
    response = leader_and_isr_response(version, changes, codes)
    response.write(bytearray(), version)
    if version < 5:
        by_name = {(each.topic_name, each.partition_index): each.error_code for each in response.partition_errors}
        assert by_name == codes
    else:
        by_id = {
            topic.topic_id: [(each.partition_index, each.error_code) for each in topic.partition_errors]
            for topic in response.topics
        }
        assert by_id == {A: [(0, 0), (1, E.STALE_CONTROLLER_EPOCH)], B: [(0, 0)]}


@pytest.mark.parametrize(
    ("leader_epoch", "hosted", "code"),
    [
        (-1, HostedReplica(7), E.NONE),
        (EPOCH_DURING_DELETE, HostedReplica(7), E.NONE),
        (7, HostedReplica(7), E.NONE),
        (8, HostedReplica(7), E.NONE),
        (6, HostedReplica(7), E.FENCED_LEADER_EPOCH),
        (6, None, E.NONE),
        (EPOCH_DURING_DELETE, HostedReplica(7, is_offline=True), E.KAFKA_STORAGE_ERROR),
        (EPOCH_DURING_DELETE, HostedReplica(is_offline=True, is_refused=True), E.NONE),
    ],
)
def test_stop_replica(leader_epoch: int, hosted: HostedReplica | None, code: ErrorCode) -> None:
    assert check_stop(StopPartition(T0, leader_epoch, True), hosted) == code


def test_a_refused_log_is_not_stopped_without_a_deletion() -> None:
    hosted = HostedReplica(is_offline=True, is_refused=True)
    assert check_stop(StopPartition(T0, 7, False), hosted) == E.KAFKA_STORAGE_ERROR


def test_the_partitions_of_stop_replica_in_all_layouts() -> None:
    expected = [StopPartition(T0, -1, True)]
    oldest = StopReplicaRequest(delete_partitions=True, ungrouped_partitions=[StopReplicaPartitionV0("t", 0)])
    assert list(stops_of(oldest)) == expected
    assert list(stops_of(StopReplicaRequest(delete_partitions=True, topics=[StopReplicaTopicV1("t", [0])]))) == expected
    states = [StopReplicaPartitionState(0, -2, True), StopReplicaPartitionState(1, 4, False)]
    assert list(stops_of(StopReplicaRequest(topic_states=[StopReplicaTopicState("t", states)]))) == [
        StopPartition(T0, -2, True),
        StopPartition(TopicPartition("t", 1), 4, False),
    ]


def test_the_fence_accepts_no_older_controller_and_no_request_for_an_earlier_registration() -> None:
    fence = ControllerFence(lambda: 100)
    assert fence.check(3, -1) == E.NONE
    assert fence.check(3, 100) == E.NONE
    assert fence.check(3, 101) == E.NONE
    assert fence.check(4, 99) == E.STALE_BROKER_EPOCH
    assert fence.controller_epoch == 3
    assert fence.check(2, 100) == E.STALE_CONTROLLER_EPOCH
    assert fence.check(4, 100) == E.NONE
    assert fence.check(3, 100) == E.STALE_CONTROLLER_EPOCH
