"""Requests about topics: names, descriptions, creation, more partitions, deletion."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.cli.configs.resources import ConfigSource, Resource, ResourceType, describe_configs
from wirebroker.client.admin import response_error
from wirebroker.client.connection import ClientError, ResponseError, UnsupportedApi
from wirebroker.model import INTERNAL_TOPICS, TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    RequestCursor,
    TopicRequest,
)
from wirebroker.protocol.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wirebroker.cli.configs.resources import ConfigEntry
    from wirebroker.client.admin import Admin
    from wirebroker.protocol.messages.metadata import MetadataResponseTopic

_NO_ID: Final = bytes(16)
_UNKNOWN: Final = frozenset({ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID})
_NO_REASSIGNMENTS: Final = frozenset({ErrorCode.CLUSTER_AUTHORIZATION_FAILED, ErrorCode.UNSUPPORTED_VERSION})


class PartitionDescription(NamedTuple):
    """One partition of a topic; None where the broker does not say."""

    at: TopicPartition
    leader: int | None
    replicas: list[int]
    isr: list[int]
    elr: list[int] | None = None
    last_known_elr: list[int] | None = None
    adding: list[int] | None = None
    """The replicas that a reassignment adds; None if none is in progress."""
    removing: list[int] | None = None

    @property
    def replication_factor(self) -> int:
        """The number of replicas, without those that a reassignment adds."""
        changing = {*(self.adding or ()), *(self.removing or ())}
        if changing & set(self.replicas):
            return len(self.replicas) - len(self.adding or ())
        return len(self.replicas)


class TopicDescription(NamedTuple):
    """One topic, its partitions sorted."""

    name: str
    topic_id: bytes
    partitions: list[PartitionDescription]
    configs: list[ConfigEntry]

    @property
    def overrides(self) -> list[ConfigEntry]:
        """The settings that are not the default."""
        return [each for each in self.configs if each.source is not ConfigSource.DEFAULT_CONFIG]

    @property
    def min_isr(self) -> int:
        """The topic's min.insync.replicas."""
        return next((int(each.value or 1) for each in self.configs if each.name == "min.insync.replicas"), 1)


def topic_id_text(topic_id: bytes) -> str | None:
    """Return the 22 characters by which Kafka writes an id, None for a topic without one."""
    return None if topic_id == _NO_ID else urlsafe_b64encode(topic_id).decode().rstrip("=")


def parse_topic_id(text: str) -> bytes:
    """Return the 16 bytes of an id.

    Raises:
        ClientError: *text* is none.
    """
    try:
        topic_id = urlsafe_b64decode(text + "==")
    except (NotBase64, ValueError):
        topic_id = b""
    if len(topic_id) != len(_NO_ID):
        raise ClientError(f"topic id {text}: an id has 22 characters, as `wirebroker topics describe` shows it")
    return topic_id


def name_pattern(text: str) -> re.Pattern[str]:
    """Return the regular expression that whole names must match; a comma separates alternatives, as in kafka-topics.sh.

    Raises:
        ClientError: *text* is no regular expression.
    """
    expression = text.strip().replace(",", "|").strip("\"'")
    try:
        return re.compile(expression)
    except re.error as problem:
        raise ClientError(f"{text} is not a regular expression: {problem}") from None


def all_topics(admin: Admin) -> list[MetadataResponseTopic]:
    """Return all topics, sorted by name."""
    return sorted((each for each in admin.metadata().topics if each.name), key=lambda topic: topic.name or "")


def topic_names(admin: Admin, pattern: str | None = None, *, exclude_internal: bool = False) -> list[str]:
    """Return the names of the topics that match *pattern*, sorted."""
    wanted = name_pattern(pattern) if pattern is not None else None
    return [
        name
        for topic in all_topics(admin)
        if (name := topic.name or "")
        and (wanted is None or wanted.fullmatch(name))
        and not (exclude_internal and name in INTERNAL_TOPICS)
    ]


def name_of(admin: Admin, topic_id: bytes, *, exclude_internal: bool = False) -> str | None:
    """Return the name of the topic with this id, None if there is none."""
    found = [topic.name for topic in all_topics(admin) if topic.topic_id == topic_id]
    return found[0] if found and not (exclude_internal and found[0] in INTERNAL_TOPICS) else None


def describe_topics(admin: Admin, names: Sequence[str]) -> list[TopicDescription]:
    """Return partitions and settings of the topics *names*, in this order.

    Raises:
        ResponseError: a topic does not exist (any more), or the broker refuses.
    """
    if not names:
        return []
    try:
        topics = _described(admin, names)
    except UnsupportedApi:
        topics = _from_metadata(admin, names)
    moving = _reassignments(admin, [at.at for _, partitions in topics.values() for at in partitions])
    configs = describe_configs(admin, [Resource(ResourceType.TOPIC, name) for name in names])
    return [
        TopicDescription(
            name,
            topics[name][0],
            [
                each._replace(adding=moving[each.at][0], removing=moving[each.at][1]) if each.at in moving else each
                for each in sorted(topics[name][1])
            ],
            configs[Resource(ResourceType.TOPIC, name)],
        )
        for name in names
    ]


def _described(admin: Admin, names: Sequence[str]) -> dict[str, tuple[bytes, list[PartitionDescription]]]:
    """Ask with DescribeTopicPartitions, which knows eligible leader replicas and sends 2,000 partitions at a time."""
    topics: dict[str, tuple[bytes, list[PartitionDescription]]] = {}
    cursor: RequestCursor | None = None
    remaining = sorted(names)
    while True:
        request = DescribeTopicPartitionsRequest(topics=[TopicRequest(name) for name in remaining], cursor=cursor)
        response = admin.first.send(request)
        for topic in response.topics:
            if topic.error_code:
                raise response_error(f"topic {topic.name}", topic.error_code)
            _, partitions = topics.setdefault(topic.name, (topic.topic_id, []))
            partitions += [
                PartitionDescription(
                    TopicPartition(topic.name, each.partition_index),
                    each.leader_id if each.leader_id >= 0 else None,
                    each.replica_nodes,
                    each.isr_nodes,
                    each.eligible_leader_replicas or [],
                    each.last_known_elr or [],
                )
                for each in topic.partitions
            ]
        if response.next_cursor is None:
            return topics
        cursor = RequestCursor(response.next_cursor.topic_name, response.next_cursor.partition_index)
        remaining = [name for name in remaining if name >= cursor.topic_name]


def _from_metadata(admin: Admin, names: Sequence[str]) -> dict[str, tuple[bytes, list[PartitionDescription]]]:
    topics: dict[str, tuple[bytes, list[PartitionDescription]]] = {}
    for topic in admin.metadata(names).topics:
        if topic.error_code:
            raise response_error(f"topic {topic.name}", topic.error_code)
        topics[topic.name or ""] = (
            topic.topic_id,
            [
                PartitionDescription(
                    TopicPartition(topic.name or "", each.partition_index),
                    each.leader_id if each.leader_id >= 0 else None,
                    each.replica_nodes,
                    each.isr_nodes,
                )
                for each in topic.partitions
            ],
        )
    return topics


def _reassignments(
    admin: Admin, partitions: Iterable[TopicPartition]
) -> dict[TopicPartition, tuple[list[int], list[int]]]:
    """Return partition -> (added, removed replicas) of reassignments in progress; none if the broker does not tell."""
    topics: dict[str, list[int]] = {}
    for at in partitions:
        topics.setdefault(at.topic, []).append(at.partition)
    request = ListPartitionReassignmentsRequest(
        timeout_ms=admin.timeout_ms,
        topics=[ListPartitionReassignmentsTopics(name, indexes) for name, indexes in topics.items()],
    )

    def send() -> dict[TopicPartition, tuple[list[int], list[int]]]:
        response = admin.controller().send(request)
        if response.error_code:
            raise response_error("reassignments", response.error_code, response.error_message)
        return {
            TopicPartition(topic.name, each.partition_index): (each.adding_replicas, each.removing_replicas)
            for topic in response.topics
            for each in topic.partitions
        }

    try:
        return admin.retry(send)
    except UnsupportedApi:
        return {}
    except ResponseError as problem:
        if problem.code in _NO_REASSIGNMENTS:
            return {}
        raise


def parse_replica_assignment(text: str) -> list[list[int]]:
    """Return the replicas of each partition in `0:1,1:2,...`, the form of kafka-topics.sh.

    Raises:
        ValueError: *text* is of another form, or the partitions differ in their number of replicas.
    """
    partitions: list[list[int]] = []
    for number, part in enumerate(text.split(",")):
        try:
            replicas = [int(each) for each in part.split(":")]
        except ValueError:
            raise ValueError(f"{text!r} is not ID:ID,ID:ID: the replicas of each partition") from None
        if len(set(replicas)) < len(replicas):
            raise ValueError(f"partition {number} names a replica twice: {part}")
        if partitions and len(replicas) != len(partitions[0]):
            raise ValueError(f"partition {number} has another number of replicas than partition 0: {part}")
        partitions.append(replicas)
    return partitions
