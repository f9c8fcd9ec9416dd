"""Values that every room may name: partitions and their leaders, internal topics, kinds of readers, endpoints."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

V = TypeVar("V")

GROUP_METADATA_TOPIC_NAME: Final = "__consumer_offsets"
TRANSACTION_STATE_TOPIC_NAME: Final = "__transaction_state"
INTERNAL_TOPICS: Final = frozenset({GROUP_METADATA_TOPIC_NAME, TRANSACTION_STATE_TOPIC_NAME})
"""Topics with the state of coordinators; clients may read them, and only admin clients may write to them."""


READ_UNCOMMITTED: Final = 0
READ_COMMITTED: Final = 1
"""Isolation level of a consumer that gets no records of transactions that are not decided."""
CONSUMER_REPLICA_ID: Final = -1
DEBUGGING_REPLICA_ID: Final = -2
FUTURE_REPLICA_ID: Final = -3
"""Replica ids of consumers, of tools that compare replicas, which read what consumers may, and of the copy of a log to
another directory, which reads to the log end; followers send their broker id."""


class TransactionVersion(IntEnum):
    """Levels of the feature transaction.version, and the protocol version that a client's requests imply."""

    TV_0 = 0
    TV_1 = 1
    """Records of __transaction_state have tagged fields."""
    TV_2 = 2
    """Each EndTxn bumps the producer epoch, and partitions are added by Produce and TxnOffsetCommit (KIP-890)."""


class LeaderRecoveryState(IntEnum):
    """Whether a leader is known to have all committed records (KIP-704)."""

    RECOVERED = 0
    RECOVERING = 1
    """After an unclean election, until the leader has recovered; its ISR is the leader alone."""


class LeaderAndIsr(NamedTuple):
    """The leader and the in-sync replicas of one partition, as its controller has decided them.

    The partition's part of a LeaderAndIsr request, its state znode with the assignment, and the proposal and the result
    of AlterPartition are values of this type.
    """

    leader: int
    """The id of a broker; -1 for none."""
    leader_epoch: int
    """Grows with every election."""
    isr: tuple[int, ...]
    """The in-sync replicas, the leader among them."""
    partition_epoch: int
    """Grows with every change of the partition; in a ZooKeeper cluster the version of the state znode."""
    replicas: tuple[int, ...]
    """The assignment, the preferred leader first; in a reassignment *adding_replicas* are part of it."""
    controller_epoch: int = 0
    """The epoch of the controller that has elected the leader; written back with a change of the ISR."""
    leader_recovery_state: LeaderRecoveryState = LeaderRecoveryState.RECOVERED
    adding_replicas: tuple[int, ...] = ()
    removing_replicas: tuple[int, ...] = ()
    is_new: bool = False
    """No replica has a log yet: one that is missing is created, though a log directory is offline."""


class TopicPartition(NamedTuple):
    """One partition of a topic, by name."""

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


def partitions_by_topic(partitions: Iterable[TopicPartition]) -> dict[str, list[int]]:
    """Return topic -> partition numbers, topics and numbers in the order in which they come."""
    topics: dict[str, list[int]] = {}
    for topic, partition in partitions:
        numbers = topics.get(topic)
        if numbers is None:
            topics[topic] = [partition]
        else:
            numbers.append(partition)
    return topics


def values_by_topic(values: Mapping[TopicPartition, V]) -> dict[str, list[tuple[int, V]]]:
    """Return topic -> (partition number, value) of each of its partitions, in the order in which they come."""
    topics: dict[str, list[tuple[int, V]]] = {}
    for (topic, partition), value in values.items():
        topics.setdefault(topic, []).append((partition, value))
    return topics


class BrokerEndpoint(NamedTuple):
    """The address of a broker on one listener."""

    node_id: int
    host: str
    port: int
    rack: str | None = None
