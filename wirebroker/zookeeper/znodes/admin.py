"""Requests to the controller: /admin/delete_topics/T, /admin/reassign_partitions, /admin/preferred_replica_election."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.model import TopicPartition
from wirebroker.zookeeper.znodes.json_fields import JsonFields, encode_json
from wirebroker.zookeeper.znodes.topics import decode_partitions, encode_partitions

if TYPE_CHECKING:
    from collections.abc import Mapping

DELETE_TOPICS_PATH: Final = "/admin/delete_topics"
REASSIGN_PARTITIONS_PATH: Final = "/admin/reassign_partitions"
PREFERRED_ELECTION_PATH: Final = "/admin/preferred_replica_election"


def delete_topic_path(topic: str) -> str:
    """Return the path of the znode without data that asks for the deletion of a topic."""
    return f"{DELETE_TOPICS_PATH}/{topic}"


def encode_reassignment(replicas: Mapping[TopicPartition, tuple[int, ...]]) -> bytes:
    """Return the JSON that asks for the *replicas* of partitions, as tools before 2.4 do."""
    listed = [{"topic": key.topic, "partition": key.partition, "replicas": each} for key, each in replicas.items()]
    return encode_json({"version": 1, "partitions": listed})


def decode_reassignment(data: bytes | None) -> dict[TopicPartition, tuple[int, ...]]:
    """Return partition -> the replicas that it is to have.  Raises CorruptZnode."""
    fields = JsonFields.parse(REASSIGN_PARTITIONS_PATH, data)
    return {
        TopicPartition(each.text("topic"), each.integer("partition")): each.integers("replicas")
        for each in fields.objects("partitions")
    }


def encode_preferred_election(partitions: list[TopicPartition]) -> bytes:
    """Return the JSON that asks for the election of the preferred leaders of *partitions*."""
    return encode_partitions(1, partitions)


def decode_preferred_election(data: bytes | None) -> list[TopicPartition]:
    """Return the partitions whose preferred leaders are to be elected.  Raises CorruptZnode."""
    return decode_partitions(PREFERRED_ELECTION_PATH, data)
