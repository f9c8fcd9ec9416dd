"""Requests of reassignments: begin, cancel and list them, set and remove their throttles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.cli.configs.resources import Resource, ResourceType, alter_configs
from wirebroker.cli.reassign.plan import PlanError, Reassignment
from wirebroker.client.admin import response_error
from wirebroker.client.connection import ClientError
from wirebroker.model import TopicPartition, values_by_topic
from wirebroker.protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from wirebroker.protocol.messages.list_partition_reassignments import ListPartitionReassignmentsRequest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from wirebroker.cli.reassign.plan import Replicas, Throttles
    from wirebroker.client.admin import Admin

LEADER_RATE: Final = "leader.replication.throttled.rate"
FOLLOWER_RATE: Final = "follower.replication.throttled.rate"
_LOG_DIRS_RATE: Final = "replica.alter.log.dirs.io.max.bytes.per.second"
LEADER_REPLICAS: Final = "leader.replication.throttled.replicas"
FOLLOWER_REPLICAS: Final = "follower.replication.throttled.replicas"
_BROKER_THROTTLES: Final = (LEADER_RATE, FOLLOWER_RATE, _LOG_DIRS_RATE)
_TOPIC_THROTTLES: Final = (LEADER_REPLICAS, FOLLOWER_REPLICAS)


def list_reassignments(admin: Admin) -> dict[TopicPartition, Reassignment]:
    """Return all reassignments in progress.

    Raises:
        ClientError: the controller refuses, or knows no such request, as before Kafka 2.4.
    """
    request = ListPartitionReassignmentsRequest(timeout_ms=admin.timeout_ms, topics=None)

    def send() -> dict[TopicPartition, Reassignment]:
        response = admin.controller().send(request)
        if response.error_code:
            raise response_error("reassignments", response.error_code, response.error_message)
        return {
            TopicPartition(topic.name, each.partition_index): Reassignment(
                list(each.replicas), list(each.adding_replicas), list(each.removing_replicas)
            )
            for topic in response.topics
            for each in topic.partitions
        }

    return admin.retry(send)


def alter_reassignments(admin: Admin, targets: Mapping[TopicPartition, Sequence[int] | None]) -> list[str]:
    """Begin reassignments, and (with None) cancel them; return a line for each that the controller refuses.

    Raises:
        ClientError: the controller refuses all of them.
    """
    request = AlterPartitionReassignmentsRequest(
        timeout_ms=admin.timeout_ms,
        topics=[
            ReassignableTopic(
                topic,
                [
                    ReassignablePartition(number, None if replicas is None else list(replicas))
                    for number, replicas in each
                ],
            )
            for topic, each in values_by_topic(dict(targets)).items()
        ],
    )

    def send() -> list[str]:
        response = admin.controller().send(request)
        if response.error_code:
            raise response_error("reassignments", response.error_code, response.error_message)
        refused = {
            TopicPartition(topic.name, each.partition_index): each
            for topic in response.responses
            for each in topic.partitions
            if each.error_code
        }
        return [
            str(response_error(str(at), refused[at].error_code, refused[at].error_message)) for at in sorted(refused)
        ]

    return admin.retry(send)


def replicas_of(admin: Admin, topics: Iterable[str]) -> Replicas:
    """Return the replicas of every partition of *topics*.

    Raises:
        ClientError: a topic does not exist.
    """
    found: Replicas = {}
    for topic in admin.metadata(sorted(set(topics))).topics:
        if topic.error_code:
            raise ClientError(f"Topic {topic.name} not found.")
        for each in topic.partitions:
            found[TopicPartition(topic.name or "", each.partition_index)] = list(each.replica_nodes)
    return found


def racks_of(admin: Admin, broker_ids: Sequence[int], *, is_rack_aware: bool) -> dict[int, str | None]:
    """Return broker -> rack of the live *broker_ids*, without racks if none has one or *is_rack_aware* is False.

    Raises:
        PlanError: only some have a rack.
    """
    live = {broker.node_id: broker.rack for broker in admin.metadata(()).brokers}
    racks = {each: live[each] if is_rack_aware else None for each in broker_ids if each in live}
    without = [each for each, rack in racks.items() if rack is None]
    if without and len(without) < len(racks):
        raise PlanError(
            "Not all brokers have rack information. Add --disable-rack-aware in command line to make replica "
            "assignment without rack information."
        )
    return racks


def set_throttles(admin: Admin, wanted: Throttles, rate: int) -> None:
    """Have the replicas of *wanted* copy with at most *rate* bytes per second."""
    for topic in sorted(wanted.leader_replicas):
        settings = {LEADER_REPLICAS: wanted.leader_replicas[topic]}
        settings[FOLLOWER_REPLICAS] = wanted.follower_replicas[topic]
        alter_configs(admin, Resource(ResourceType.TOPIC, topic), settings, ())
    for broker_id in wanted.brokers:
        settings = {LEADER_RATE: str(rate), FOLLOWER_RATE: str(rate)}
        alter_configs(admin, Resource(ResourceType.BROKER, str(broker_id)), settings, ())


def set_log_dirs_throttle(admin: Admin, broker_ids: Collection[int], rate: int) -> None:
    """Have each broker copy replicas between its log directories with at most *rate* bytes per second."""
    for broker_id in sorted(broker_ids):
        alter_configs(admin, Resource(ResourceType.BROKER, str(broker_id)), {_LOG_DIRS_RATE: str(rate)}, ())


class ClearedThrottles(NamedTuple):
    """The brokers and topics without throttles now, and an error for each of those that may still have some."""

    brokers: list[int]
    topics: list[str]
    problems: list[str]


def clear_throttles(admin: Admin, plan: Mapping[TopicPartition, Sequence[int]]) -> ClearedThrottles:
    """Remove all throttles of the live brokers, and of the brokers and topics of *plan*, as far as they can be reached.

    A broker that is dead keeps its throttles, which are in force when it starts again.
    """
    live = {each.node_id for each in admin.metadata(()).brokers}
    topics = _existing(admin, {at.topic for at in plan})
    found = ClearedThrottles([], [], [])
    for broker_id in sorted(live.union(*plan.values())):
        try:
            alter_configs(admin, Resource(ResourceType.BROKER, str(broker_id)), {}, _BROKER_THROTTLES)
        except ClientError as problem:
            found.problems.append(f"broker {broker_id} may still have throttles: {problem}")
        else:
            found.brokers.append(broker_id)
    for topic in topics:
        try:
            alter_configs(admin, Resource(ResourceType.TOPIC, topic), {}, _TOPIC_THROTTLES)
        except ClientError as problem:
            found.problems.append(f"topic {topic} may still have throttles: {problem}")
        else:
            found.topics.append(topic)
    return found


def _existing(admin: Admin, topics: Collection[str]) -> list[str]:
    return sorted(each.name or "" for each in admin.metadata(topics).topics if not each.error_code)
