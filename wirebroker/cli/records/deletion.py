"""DeleteRecords: which records of which partitions to delete, and the request to their leaders."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from wirebroker.client.admin import code_name
from wirebroker.model import TopicPartition, values_by_topic
from wirebroker.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wirebroker.client.admin import Admin

HIGH_WATERMARK: Final = -1
"""Stands for the end of what is committed: every record is deleted."""
_VERSION: Final = 1


class Deletion(NamedTuple):
    """The answer for one partition."""

    at: TopicPartition
    low_watermark: int | None
    error: str | None


def parse_offset_json(text: str) -> dict[TopicPartition, int]:
    """Return partition -> first offset to keep, of a document in the form of kafka-delete-records.sh.

    Raises:
        ValueError: *text* is of another form, in Kafka's words.
    """
    try:
        document = json.loads(text)
    except ValueError:
        raise ValueError("The input string is not a valid JSON") from None
    if not isinstance(document, dict):
        raise ValueError("The input string is not a valid JSON")
    if document.get("version", _VERSION) != _VERSION:
        raise ValueError(f"Not supported version field value {document['version']}")
    if "partitions" not in document:
        raise ValueError("Missing partitions field")
    offsets: dict[TopicPartition, int] = {}
    repeated: list[str] = []
    for entry in document["partitions"]:
        at, offset = _entry(entry)
        if at in offsets:
            repeated.append(str(at))
        offsets[at] = offset
    if repeated:
        raise ValueError(f"Offset json file contains duplicate topic partitions: {','.join(dict.fromkeys(repeated))}")
    return offsets


def _entry(entry: Any) -> tuple[TopicPartition, int]:
    try:
        topic, partition, offset = entry["topic"], entry["partition"], entry["offset"]
    except (TypeError, KeyError):
        raise ValueError(f"{json.dumps(entry)} is without topic, partition or offset") from None
    if not (isinstance(topic, str) and type(partition) is int and type(offset) is int):
        raise ValueError(f"{json.dumps(entry)}: topic is a string, partition and offset are numbers")
    return TopicPartition(topic, partition), offset


def delete_records(admin: Admin, offsets: Mapping[TopicPartition, int]) -> list[Deletion]:
    """Delete the records before each partition's offset; return the answers sorted by partition."""
    leaders = admin.leaders(offsets)
    found = [Deletion(at, None, "UNKNOWN_TOPIC_OR_PARTITION") for at in offsets if at not in leaders]
    for leader in dict.fromkeys(leaders.values()):
        own = {at: offset for at, offset in offsets.items() if leaders.get(at) is leader}
        request = DeleteRecordsRequest(
            topics=[
                DeleteRecordsTopic(name, [DeleteRecordsPartition(*each) for each in partitions])
                for name, partitions in values_by_topic(own).items()
            ],
            timeout_ms=admin.timeout_ms,
        )
        for topic in leader.send(request).topics:
            for each in topic.partitions:
                at = TopicPartition(topic.name, each.partition_index)
                error = code_name(each.error_code) if each.error_code else None
                found.append(Deletion(at, None if error else each.low_watermark, error))
    return sorted(found)
