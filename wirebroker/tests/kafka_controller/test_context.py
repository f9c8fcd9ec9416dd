"""ControllerContext: counters follow leaders, states and deletions; queries see brokers and log directories."""

from __future__ import annotations

import pytest

from wirebroker.kafka_controller.context import ControllerContext, LiveBroker, PartitionAndReplica
from wirebroker.kafka_controller.states import PartitionState, ReplicaState
from wirebroker.model import TopicPartition
from wirebroker.zookeeper.znodes.brokers import BrokerInfo
from wirebroker.zookeeper.znodes.topics import LeaderIsrAndControllerEpoch, ReplicaAssignment

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


def _context() -> ControllerContext:
    context = ControllerContext()
    context.set_live_brokers(LiveBroker(BrokerInfo(number, ()), 100 + number) for number in (1, 2, 3))
    context.update_assignment(T0, ReplicaAssignment((1, 2)))
    context.update_assignment(T1, ReplicaAssignment((2, 3)))
    return context


def _led_by(leader: int) -> LeaderIsrAndControllerEpoch:
    return LeaderIsrAndControllerEpoch(leader, 0, (leader,), 1)


def test_imbalance_follows_leaders_assignments_and_deletions() -> None:
    context = _context()
    context.put_partition_leadership(T0, _led_by(2))
    context.put_partition_leadership(T1, _led_by(2))
    assert context.preferred_replica_imbalance_count == 1
    context.update_assignment(T0, ReplicaAssignment((2, 1)))
    assert context.preferred_replica_imbalance_count == 0
    context.put_partition_leadership(T1, _led_by(3))
    assert context.preferred_replica_imbalance_count == 1
    context.queue_topics_for_deletion(["t"])
    assert context.preferred_replica_imbalance_count == 0
    context.remove_topic("t")
    assert context.preferred_replica_imbalance_count == 0


def test_offline_partitions_are_counted_until_their_deletion_begins() -> None:
    context = _context()
    for partition in (T0, T1):
        context.put_partition_state(partition, PartitionState.NEW)
        context.put_partition_state(partition, PartitionState.OFFLINE)
    assert context.offline_partition_count == 2
    context.put_partition_state(T0, PartitionState.ONLINE)
    assert context.offline_partition_count == 1
    context.queue_topics_for_deletion(["t"])
    context.begin_topic_deletion(["t"])
    assert context.offline_partition_count == 0
    context.put_partition_state(T0, PartitionState.OFFLINE)
    context.remove_topic("t")
    assert context.offline_partition_count == 0
    assert context.partition_states == {}


def test_a_replica_is_online_while_its_broker_and_its_directory_are() -> None:
    context = _context()
    assert context.is_replica_online(1, T0)
    context.shutting_down_broker_ids.add(1)
    assert not context.is_replica_online(1, T0)
    assert context.is_replica_online(1, T0, include_shutting_down=True)
    context.replicas_on_offline_dirs[2] = {T0}
    assert not context.is_replica_online(2, T0)
    assert context.is_replica_online(2, T1)
    online, offline = context.online_and_offline_replicas()
    assert online == [PartitionAndReplica(T1, 2), PartitionAndReplica(T1, 3)]
    assert offline == [PartitionAndReplica(T0, 1), PartitionAndReplica(T0, 2)]
    context.remove_live_broker(2)
    context.add_live_broker(LiveBroker(BrokerInfo(2, ()), 300))
    assert context.is_replica_online(2, T0)


def test_topic_ids_are_unique_in_both_directions() -> None:
    context = _context()
    context.add_topic("t", b"1" * 16)
    context.add_topic("t", b"1" * 16)
    context.add_topic("old", None)
    with pytest.raises(ValueError, match="topic t has id"):
        context.add_topic("t", b"2" * 16)
    with pytest.raises(ValueError, match="is that of t"):
        context.add_topic("u", b"1" * 16)
    context.remove_topic("t")
    assert context.topic_names == {}


def test_states_may_be_entered_as_in_the_tables() -> None:
    context = _context()
    assert not context.partition_may_enter(T0, PartitionState.ONLINE)
    assert context.partition_may_enter(T0, PartitionState.NEW)
    context.put_partition_state(T0, PartitionState.NEW)
    assert context.partition_may_enter(T0, PartitionState.ONLINE)
    replica = PartitionAndReplica(T0, 1)
    assert not context.replica_may_enter(replica, ReplicaState.ONLINE)
    context.put_replica_state(replica, ReplicaState.OFFLINE)
    assert context.replica_may_enter(replica, ReplicaState.DELETION_STARTED)
    assert context.replicas_in_state("t", ReplicaState.OFFLINE) == [replica]
    assert not context.are_all_replicas_in_state("t", ReplicaState.OFFLINE)
