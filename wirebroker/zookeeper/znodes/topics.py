"""Topics: /brokers/topics/T with the assignment of all partitions, and .../partitions/N/state with leader and ISR.

JSON versions of the assignment: 1 has partitions; 2 (Kafka 2.4) adds the replicas that a reassignment adds and removes
(KIP-455); 3 (2.8) the topic id (KIP-516).  The version depends on the release that writes, not on the inter-broker
protocol, and nobody refuses a later one; this broker writes 3, with a topic id from protocol 2.8 on.  The state has
one version, to which 3.2 added `leader_recovery_state`, written only while the leader recovers (KIP-704).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.model import TopicPartition
from wirebroker.zookeeper.znodes.json_fields import JsonFields, encode_json, encode_topic_id

if TYPE_CHECKING:
    from collections.abc import Mapping

TOPICS_PATH: Final = "/brokers/topics"
NO_LEADER: Final = -1
_ASSIGNMENT_VERSION: Final = 3


class ReplicaAssignment(NamedTuple):
    """The replicas of one partition, preferred leader first; both other lists are empty without a reassignment."""

    replicas: tuple[int, ...]
    adding_replicas: tuple[int, ...] = ()
    """Those of `replicas` that a reassignment adds."""
    removing_replicas: tuple[int, ...] = ()
    """Those of `replicas` that a reassignment removes."""

    def __str__(self) -> str:
        """Return the text of Kafka's logs."""
        replicas, adding, removing = (",".join(map(str, each)) for each in self)
        return f"ReplicaAssignment(replicas={replicas}, addingReplicas={adding}, removingReplicas={removing})"


class TopicAssignment(NamedTuple):
    """The content of a topic's znode."""

    topic: str
    topic_id: bytes | None
    """16 bytes; None below inter-broker protocol 2.8."""
    partitions: Mapping[int, ReplicaAssignment]

    def encode(self) -> bytes:
        """Return the JSON, with partitions in ascending order."""
        ordered = sorted(self.partitions.items())
        fields: dict[str, object] = {"partitions": {str(number): each.replicas for number, each in ordered}}
        if self.topic_id is not None:
            fields["topic_id"] = encode_topic_id(self.topic_id)
        fields["adding_replicas"] = {str(number): each.adding_replicas for number, each in ordered if each[1]}
        fields["removing_replicas"] = {str(number): each.removing_replicas for number, each in ordered if each[2]}
        fields["version"] = _ASSIGNMENT_VERSION
        return encode_json(fields)

    @classmethod
    def decode(cls, topic: str, data: bytes | None) -> TopicAssignment:
        """Return the assignment that *data* of any version are.  Raises CorruptZnode."""
        fields = JsonFields.parse(topic_path(topic), data)
        adding, removing = fields.object("adding_replicas"), fields.object("removing_replicas")
        with_adding, with_removing = set(adding.names()), set(removing.names())
        partitions = fields.object("partitions")
        assignment: dict[int, ReplicaAssignment] = {}
        for name in partitions.names():
            if not name.isdecimal():
                raise fields.error(f"partition {name!r} is not a number")
            assignment[int(name)] = ReplicaAssignment(
                partitions.integers(name),
                adding.integers(name) if name in with_adding else (),
                removing.integers(name) if name in with_removing else (),
            )
        return cls(topic, fields.topic_id("topic_id"), assignment)


class LeaderIsrAndControllerEpoch(NamedTuple):
    """The content of a partition's state znode, as Kafka names it."""

    leader: int
    leader_epoch: int
    isr: tuple[int, ...]
    controller_epoch: int
    """The epoch of the controller whose request the writer obeyed last."""
    is_recovering: bool = False
    """Whether the leader was elected unclean and has not finished its recovery (KIP-704)."""
    partition_epoch: int = -1
    """The version of the znode, not part of its data; -1 where it is not known."""

    def __str__(self) -> str:
        """Return the text of Kafka's logs."""
        recovery = "RECOVERING" if self.is_recovering else "RECOVERED"
        return (
            f"(Leader:{self.leader},ISR:{','.join(map(str, self.isr))},LeaderRecoveryState:{recovery},"
            f"LeaderEpoch:{self.leader_epoch},ZkVersion:{self.partition_epoch},ControllerEpoch:{self.controller_epoch})"
        )

    def encode(self) -> bytes:
        """Return the JSON."""
        recovery = {"leader_recovery_state": 1} if self.is_recovering else {}
        return encode_json(
            {
                "controller_epoch": self.controller_epoch,
                "leader": self.leader,
                "version": 1,
                **recovery,
                "leader_epoch": self.leader_epoch,
                "isr": self.isr,
            }
        )

    @classmethod
    def decode(cls, partition: TopicPartition, data: bytes | None, version: int = -1) -> LeaderIsrAndControllerEpoch:
        """Return the state that *data* are, in a znode of *version*.  Raises CorruptZnode."""
        fields = JsonFields.parse(partition_state_path(partition), data)
        return cls(
            fields.integer("leader"),
            fields.integer("leader_epoch"),
            fields.integers("isr"),
            fields.integer("controller_epoch"),
            fields.integer("leader_recovery_state", 0) == 1,
            version,
        )


def topic_path(topic: str) -> str:
    """Return the path of a topic's znode."""
    return f"{TOPICS_PATH}/{topic}"


def partition_state_path(partition: TopicPartition) -> str:
    """Return the path of a partition's state znode."""
    return f"{TOPICS_PATH}/{partition.topic}/partitions/{partition.partition}/state"


def encode_partitions(version: int, partitions: list[TopicPartition]) -> bytes:
    """Return `{"version":V,"partitions":[{"topic":T,"partition":N},...]}`, the content of several znodes."""
    listed = [{"topic": each.topic, "partition": each.partition} for each in partitions]
    return encode_json({"version": version, "partitions": listed})


def decode_partitions(path: str, data: bytes | None) -> list[TopicPartition]:
    """Return the partitions that `encode_partitions` wrote.  Raises CorruptZnode."""
    fields = JsonFields.parse(path, data)
    return [TopicPartition(each.text("topic"), each.integer("partition")) for each in fields.objects("partitions")]
