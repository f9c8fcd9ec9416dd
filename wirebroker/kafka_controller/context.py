"""ControllerContext: all that the active controller knows of the cluster, and the questions that are asked of it.

Plain state, without I/O: whoever changes ZooKeeper writes the result into the context afterwards.  Everything is read
anew by a broker that becomes controller, and `reset` forgets all of it when the broker resigns.  Names are those of
Apache Kafka's ControllerContext.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.kafka_controller.states import (
    VALID_PREVIOUS_PARTITION_STATES,
    VALID_PREVIOUS_REPLICA_STATES,
    PartitionState,
    ReplicaState,
)
from wirebroker.model import TopicPartition
from wirebroker.zookeeper.znodes.topics import ReplicaAssignment

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Set

    from wirebroker.zookeeper.znodes.brokers import BrokerInfo
    from wirebroker.zookeeper.znodes.topics import LeaderIsrAndControllerEpoch

NO_ASSIGNMENT: Final = ReplicaAssignment(())


class PartitionAndReplica(NamedTuple):
    """One replica of a partition."""

    partition: TopicPartition
    replica: int
    """The id of its broker."""


class LiveBroker(NamedTuple):
    """A broker that is registered."""

    info: BrokerInfo
    epoch: int
    """The czxid of its registration (KIP-380)."""


class ControllerContext:
    """The cluster, as the active controller knows it."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.epoch = 0
        """The controller epoch that this broker has written; 0 before."""
        self.epoch_zk_version = -1
        """The version of /controller_epoch after that; every later write checks it."""
        self.brokers: dict[int, LiveBroker] = {}
        """Broker id -> registration, those that are shutting down included."""
        self.shutting_down_broker_ids: set[int] = set()
        """Brokers that have asked for a controlled shutdown and are still registered."""
        self.assignments: dict[str, dict[int, ReplicaAssignment]] = {}
        """Topic -> partition number -> replicas; change it by `update_assignment` and `remove_topic` only."""
        self.partition_leadership: dict[TopicPartition, LeaderIsrAndControllerEpoch] = {}
        """Partition -> leader, ISR and the version of its znode; change it by `put_partition_leadership` only."""
        self.topic_ids: dict[str, bytes] = {}
        """Topic -> its id, 16 bytes; topics without one, from before protocol 2.8, are missing."""
        self.topic_names: dict[bytes, str] = {}
        """Topic id -> topic."""
        self.partition_states: dict[TopicPartition, PartitionState] = {}
        """Change it by `put_partition_state` only; a partition that is missing is NON_EXISTENT."""
        self.replica_states: dict[PartitionAndReplica, ReplicaState] = {}
        """A replica that is missing is NON_EXISTENT."""
        self.partitions_being_reassigned: set[TopicPartition] = set()
        self.topics_to_be_deleted: set[str] = set()
        """Topics that are queued for deletion."""
        self.topics_with_deletion_started: set[str] = set()
        """Those of `topics_to_be_deleted` whose brokers know that the topic goes."""
        self.topics_ineligible_for_deletion: set[str] = set()
        """Those of `topics_to_be_deleted` that wait: a replica is down, or a reassignment goes on."""
        self.replicas_on_offline_dirs: dict[int, set[TopicPartition]] = {}
        """Broker id -> partitions whose log directory on that broker has failed."""
        self.offline_partition_count = 0
        """Partitions without a leader, but for those of topics that are being deleted."""
        self.preferred_replica_imbalance_count = 0
        """Partitions whose leader is not the first replica, but for those of topics that are being deleted."""

    # -- brokers

    def set_live_brokers(self, brokers: Iterable[LiveBroker]) -> None:
        """Replace all live brokers."""
        self.brokers = {each.info.broker_id: each for each in brokers}

    def add_live_broker(self, broker: LiveBroker) -> None:
        """Add a broker, or replace its registration."""
        self.brokers[broker.info.broker_id] = broker

    def remove_live_broker(self, broker_id: int) -> None:
        """Remove a broker that is gone; it is not shutting down any more, and its log directories count as healthy."""
        self.brokers.pop(broker_id, None)
        self.shutting_down_broker_ids.discard(broker_id)
        self.replicas_on_offline_dirs.pop(broker_id, None)

    def live_broker_ids(self) -> Set[int]:
        """Return the ids of live brokers that are not shutting down."""
        return self.brokers.keys() - self.shutting_down_broker_ids

    def live_or_shutting_down_broker_ids(self) -> Set[int]:
        """Return the ids of all registered brokers."""
        return self.brokers.keys()

    def is_live(self, broker_id: int, *, include_shutting_down: bool = False) -> bool:
        """Return whether a broker is registered and, unless *include_shutting_down*, not shutting down."""
        return broker_id in self.brokers and (include_shutting_down or broker_id not in self.shutting_down_broker_ids)

    def broker_epoch(self, broker_id: int) -> int:
        """Return the czxid of a broker's registration, -1 for one that is not registered."""
        broker = self.brokers.get(broker_id)
        return -1 if broker is None else broker.epoch

    # -- topics and assignments

    @property
    def all_topics(self) -> Collection[str]:
        """All topics, those that are being deleted included."""
        return self.assignments.keys()

    def partition_count(self) -> int:
        """Return the number of all partitions."""
        return sum(map(len, self.assignments.values()))

    def all_partitions(self) -> Iterator[TopicPartition]:
        """Yield all partitions, topic by topic."""
        for topic, partitions in self.assignments.items():
            for number in partitions:
                yield TopicPartition(topic, number)

    def partitions_for_topic(self, topic: str) -> list[TopicPartition]:
        """Return the partitions of a topic; none if it is not known."""
        return [TopicPartition(topic, number) for number in self.assignments.get(topic, ())]

    def add_topic(self, topic: str, topic_id: bytes | None) -> None:
        """Add a topic without partitions, if it is not known, and its id.

        Raises:
            ValueError: the topic is known by another id, or the id by another topic.
        """
        self.assignments.setdefault(topic, {})
        if topic_id is None:
            return
        if self.topic_ids.get(topic, topic_id) != topic_id:
            raise ValueError(f"topic {topic} has id {self.topic_ids[topic].hex()}, not {topic_id.hex()}")
        if self.topic_names.get(topic_id, topic) != topic:
            raise ValueError(f"topic id {topic_id.hex()} of {topic} is that of {self.topic_names[topic_id]}")
        self.topic_ids[topic], self.topic_names[topic_id] = topic_id, topic

    def remove_topic(self, topic: str) -> None:
        """Forget a topic: id, assignment, leaders, states, and its place among the topics to be deleted."""
        for partition in self.partitions_for_topic(topic):
            for replica in self.replica_assignment(partition).replicas:
                self.replica_states.pop(PartitionAndReplica(partition, replica), None)
            self.put_partition_state(partition, PartitionState.NON_EXISTENT)
            self._count_imbalance(partition, -1)
            self.partition_leadership.pop(partition, None)
            self.partitions_being_reassigned.discard(partition)
        self.assignments.pop(topic, None)
        topic_id = self.topic_ids.pop(topic, None)
        if topic_id is not None:
            self.topic_names.pop(topic_id, None)
        for topics in (
            self.topics_to_be_deleted,
            self.topics_with_deletion_started,
            self.topics_ineligible_for_deletion,
        ):
            topics.discard(topic)

    def replica_assignment(self, partition: TopicPartition) -> ReplicaAssignment:
        """Return the full assignment of a partition; Kafka's partitionFullReplicaAssignment, empty if not known."""
        return self.assignments.get(partition.topic, {}).get(partition.partition, NO_ASSIGNMENT)

    def update_assignment(self, partition: TopicPartition, assignment: ReplicaAssignment) -> None:
        """Replace the assignment of a partition, and add the topic if it is not known."""
        self._count_imbalance(partition, -1)
        self.assignments.setdefault(partition.topic, {})[partition.partition] = assignment
        self._count_imbalance(partition, 1)

    def partitions_on_broker(self, broker_id: int) -> list[TopicPartition]:
        """Return the partitions with a replica on a broker."""
        return [each.partition for each in self.replicas_on_brokers({broker_id})]

    # -- replicas

    def replicas_on_brokers(self, broker_ids: Set[int]) -> list[PartitionAndReplica]:
        """Return all replicas on those brokers, whatever their log directories."""
        return [
            PartitionAndReplica(TopicPartition(topic, number), replica)
            for topic, partitions in self.assignments.items()
            for number, assignment in partitions.items()
            for replica in assignment.replicas
            if replica in broker_ids
        ]

    def replicas_for_topic(self, topic: str) -> list[PartitionAndReplica]:
        """Return all replicas of a topic."""
        return self.replicas_for_partitions(self.partitions_for_topic(topic))

    def replicas_for_partitions(self, partitions: Iterable[TopicPartition]) -> list[PartitionAndReplica]:
        """Return all replicas of those partitions."""
        return [
            PartitionAndReplica(partition, replica)
            for partition in partitions
            for replica in self.replica_assignment(partition).replicas
        ]

    def is_replica_online(
        self, broker_id: int, partition: TopicPartition, *, include_shutting_down: bool = False
    ) -> bool:
        """Return whether the broker is live and the log directory of *partition* there has not failed."""
        return self.is_live(
            broker_id, include_shutting_down=include_shutting_down
        ) and partition not in self.replicas_on_offline_dirs.get(broker_id, ())

    def online_and_offline_replicas(self) -> tuple[list[PartitionAndReplica], list[PartitionAndReplica]]:
        """Return all replicas: those that are online, and those that are not."""
        online: list[PartitionAndReplica] = []
        offline: list[PartitionAndReplica] = []
        for partition in self.all_partitions():
            for replica in self.replica_assignment(partition).replicas:
                found = online if self.is_replica_online(replica, partition) else offline
                found.append(PartitionAndReplica(partition, replica))
        return online, offline

    # -- leaders

    def put_partition_leadership(self, partition: TopicPartition, leadership: LeaderIsrAndControllerEpoch) -> None:
        """Replace leader, ISR and znode version of a partition, once ZooKeeper has them."""
        self._count_imbalance(partition, -1)
        self.partition_leadership[partition] = leadership
        self._count_imbalance(partition, 1)

    def partitions_led_by(self, broker_id: int) -> list[TopicPartition]:
        """Return the partitions that a broker leads and another one could, without those to be deleted."""
        return [
            partition
            for partition, leadership in self.partition_leadership.items()
            if leadership.leader == broker_id
            and partition.topic not in self.topics_to_be_deleted
            and len(self.replica_assignment(partition).replicas) > 1
        ]

    def partitions_with_offline_leader(self) -> list[TopicPartition]:
        """Return the partitions whose leader is not online, those to be deleted left out."""
        return [
            partition
            for partition, leadership in self.partition_leadership.items()
            if not self.is_replica_online(leadership.leader, partition)
            and partition.topic not in self.topics_to_be_deleted
        ]

    # -- states

    def partition_state(self, partition: TopicPartition) -> PartitionState:
        """Return the state of a partition."""
        return self.partition_states.get(partition, PartitionState.NON_EXISTENT)

    def put_partition_state(self, partition: TopicPartition, state: PartitionState) -> None:
        """Replace the state of a partition; NON_EXISTENT removes it.  The caller has asked `partition_may_enter`."""
        if partition.topic not in self.topics_with_deletion_started:
            before = self.partition_state(partition)
            self.offline_partition_count += (state is PartitionState.OFFLINE) - (before is PartitionState.OFFLINE)
        if state is PartitionState.NON_EXISTENT:
            self.partition_states.pop(partition, None)
        else:
            self.partition_states[partition] = state

    def partition_may_enter(self, partition: TopicPartition, state: PartitionState) -> bool:
        """Return whether a partition may go from its state to *state*."""
        return self.partition_state(partition) in VALID_PREVIOUS_PARTITION_STATES[state]

    def partitions_in_states(self, *states: PartitionState) -> list[TopicPartition]:
        """Return the partitions in any of *states*."""
        return [partition for partition, state in self.partition_states.items() if state in states]

    def replica_state(self, replica: PartitionAndReplica) -> ReplicaState:
        """Return the state of a replica."""
        return self.replica_states.get(replica, ReplicaState.NON_EXISTENT)

    def put_replica_state(self, replica: PartitionAndReplica, state: ReplicaState) -> None:
        """Replace the state of a replica; NON_EXISTENT removes it.  The caller has asked `replica_may_enter`."""
        if state is ReplicaState.NON_EXISTENT:
            self.replica_states.pop(replica, None)
        else:
            self.replica_states[replica] = state

    def replica_may_enter(self, replica: PartitionAndReplica, state: ReplicaState) -> bool:
        """Return whether a replica may go from its state to *state*."""
        return self.replica_state(replica) in VALID_PREVIOUS_REPLICA_STATES[state]

    def replicas_in_state(self, topic: str, state: ReplicaState) -> list[PartitionAndReplica]:
        """Return the replicas of a topic in *state*."""
        return [each for each in self.replicas_for_topic(topic) if self.replica_states.get(each) is state]

    def are_all_replicas_in_state(self, topic: str, state: ReplicaState) -> bool:
        """Return whether every replica of a topic is in *state*."""
        return all(self.replica_states.get(each) is state for each in self.replicas_for_topic(topic))

    # -- deletion

    def queue_topics_for_deletion(self, topics: Iterable[str]) -> None:
        """Add *topics* to those to be deleted; they do not count among the imbalanced any more."""
        for topic in topics:
            if topic in self.topics_to_be_deleted:
                continue
            for partition in self.partitions_for_topic(topic):
                self._count_imbalance(partition, -1)
            self.topics_to_be_deleted.add(topic)

    def begin_topic_deletion(self, topics: Iterable[str]) -> None:
        """Mark *topics* as those whose deletion has begun; they do not count among the offline any more."""
        for topic in topics:
            if topic in self.topics_with_deletion_started:
                continue
            for partition in self.partitions_for_topic(topic):
                self.offline_partition_count -= self.partition_state(partition) is PartitionState.OFFLINE
            self.topics_with_deletion_started.add(topic)

    def is_topic_queued_for_deletion(self, topic: str) -> bool:
        """Return whether a topic waits for its deletion, begun or not."""
        return topic in self.topics_to_be_deleted

    def is_topic_eligible_for_deletion(self, topic: str) -> bool:
        """Return whether nothing hinders the deletion of a topic that is queued."""
        return topic in self.topics_to_be_deleted and topic not in self.topics_ineligible_for_deletion

    # -- counters

    def is_imbalanced(self, partition: TopicPartition) -> bool:
        """Return whether the leader of a partition, if it is known, is not its preferred replica."""
        replicas = self.replica_assignment(partition).replicas
        leadership = self.partition_leadership.get(partition)
        return leadership is not None and bool(replicas) and leadership.leader != replicas[0]

    def _count_imbalance(self, partition: TopicPartition, sign: int) -> None:
        if partition.topic not in self.topics_to_be_deleted and self.is_imbalanced(partition):
            self.preferred_replica_imbalance_count += sign
