"""Metadata records: the journal's entries as values, their JSON form, and the image that they add up to.

A record states a decision that was made, never a request: applying one to a valid image cannot fail.  A journal entry
is a JSON list of records, each a list of the record's kind and its fields: readable with any pager, and old journals
stay readable when a kind is added.

    [["TopicCreated","t","4f1c...",[[3,0,0,[0],[0],0]]],["ConfigsSet",2,"t",{"retention.ms":"1"}]]

To add a kind of record: a NamedTuple with `apply_to`, a line in `KINDS`, and, for a field that is not a JSON value
itself, a line in `FIELD_CODECS`.
"""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from wirebroker.metadata.image import ClusterImage, ClusterImageDelta, DeletedTopic, PartitionImage, TopicImage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from wirebroker.quota.levels import QuotaEntity


class UnknownRecordType(Exception):
    """The journal holds a kind of record that this version of wirebroker does not know."""


class MetadataRecord(Protocol):
    """One decision of the controller."""

    def apply_to(self, delta: ClusterImageDelta) -> None:
        """Change the next image as the record says."""


class ClusterIdRecord(NamedTuple):
    """The cluster's id; written once, by the first start."""

    cluster_id: str

    def apply_to(self, delta: ClusterImageDelta) -> None:
        delta.cluster_id = self.cluster_id


class TopicRecord(NamedTuple):
    """A new topic with its partitions; its settings follow in a ConfigsRecord of the same entry."""

    name: str
    topic_id: bytes
    partitions: tuple[PartitionImage, ...]

    def apply_to(self, delta: ClusterImageDelta) -> None:
        delta.add_topic(TopicImage(self.name, self.topic_id, self.partitions))


class PartitionsRecord(NamedTuple):
    """New partitions of a topic, numbered on from its last one."""

    topic: str
    partitions: tuple[PartitionImage, ...]

    def apply_to(self, delta: ClusterImageDelta) -> None:
        topic = delta.topics[self.topic]
        delta.topics[self.topic] = topic._replace(partitions=topic.partitions + self.partitions)


class RemoveTopicRecord(NamedTuple):
    """A deleted topic; its directories may exist until a DeletionsCompleteRecord has its id."""

    name: str
    topic_id: bytes
    partition_count: int

    def apply_to(self, delta: ClusterImageDelta) -> None:
        topic = delta.topics.get(self.name)
        if topic is not None and topic.topic_id == self.topic_id:
            delta.drop_topic(self.name)
        delta.deleting[self.topic_id] = DeletedTopic(self.name, self.partition_count)


class DeletionsCompleteRecord(NamedTuple):
    """Ids of deleted topics none of whose directories has its old name any more."""

    topic_ids: tuple[bytes, ...]

    def apply_to(self, delta: ClusterImageDelta) -> None:
        for topic_id in self.topic_ids:
            delta.deleting.pop(topic_id, None)


class ConfigsRecord(NamedTuple):
    """All settings of one config resource, replacing those before; None or an empty map removes the resource."""

    resource_type: int
    name: str
    configs: Mapping[str, str] | None

    def apply_to(self, delta: ClusterImageDelta) -> None:
        if self.configs:
            delta.configs[self.resource_type, self.name] = self.configs
        else:
            delta.configs.pop((self.resource_type, self.name), None)


class ClientQuotaRecord(NamedTuple):
    """All quotas of one entity, replacing those before; None or an empty map removes the entity."""

    entity: QuotaEntity
    quotas: Mapping[str, float] | None

    def changes(self, image: ClusterImage) -> bool:
        """Whether the entity has other quotas in *image*."""
        return (image.client_quotas.get(self.entity) or {}) != (self.quotas or {})

    def apply_to(self, delta: ClusterImageDelta) -> None:
        if self.quotas:
            delta.client_quotas[self.entity] = self.quotas
        else:
            delta.client_quotas.pop(self.entity, None)


PRODUCER_ID_BLOCK: Final = 1000
"""Producer ids that are allocated by one record, as in Kafka; a restart loses at most so many."""


class ProducerIdsRecord(NamedTuple):
    """The first producer id that is not allocated; every smaller one may be in use."""

    next_producer_id: int

    def apply_to(self, delta: ClusterImageDelta) -> None:
        delta.next_producer_id = self.next_producer_id


class LeaderEpochBumpRecord(NamedTuple):
    """A start after a crash: a new epoch for each partition that *broker_id* leads, so that a lost tail is noticed."""

    broker_id: int

    def apply_to(self, delta: ClusterImageDelta) -> None:
        for name, topic in delta.topics.items():
            partitions = tuple(
                each._replace(leader_epoch=each.leader_epoch + 1, partition_epoch=each.partition_epoch + 1)
                if each.leader == self.broker_id
                else each
                for each in topic.partitions
            )
            delta.topics[name] = topic._replace(partitions=partitions)


def apply(image: ClusterImage, *records: MetadataRecord) -> ClusterImage:
    """Return the image after *records*, in order; maps that no record changes are shared with *image*."""
    delta = ClusterImageDelta(image)
    for record in records:
        record.apply_to(delta)
    return delta.apply()


def snapshot(image: ClusterImage) -> list[MetadataRecord]:
    """Return the shortest list of records that leads from an empty image to *image*, without its live brokers."""
    records: list[MetadataRecord] = []
    if image.cluster_id is not None:
        records.append(ClusterIdRecord(image.cluster_id))
    if image.next_producer_id:
        records.append(ProducerIdsRecord(image.next_producer_id))
    for topic_id, deleted in image.deleting.items():
        records.append(RemoveTopicRecord(deleted.name, topic_id, deleted.partition_count))
    records += [TopicRecord(topic.name, topic.topic_id, topic.partitions) for topic in image.topics.values()]
    records += [ConfigsRecord(*resource, configs) for resource, configs in image.configs.items()]
    records += [ClientQuotaRecord(entity, quotas) for entity, quotas in image.client_quotas.items()]
    return records


def encode(records: Iterable[MetadataRecord]) -> bytes:
    """Return the payload of one journal entry: JSON that ends in ']' and holds no zero byte."""
    return json.dumps([_to_json(each) for each in records], separators=(",", ":"), ensure_ascii=True).encode()


def decode(payload: bytes) -> list[MetadataRecord]:
    """Return the records of one journal entry.

    Raises:
        UnknownRecordType: a newer version wrote the entry.
    """
    return [_from_json(row) for row in json.loads(payload)]


class FieldCodec(NamedTuple):
    """Converts the value of a field to a JSON value and back."""

    to_json: Callable[[Any], Any]
    from_json: Callable[[Any], Any]


_JOURNAL_FIELDS: Final = PartitionImage._fields.index("offline_replicas")
"""The fields of a PartitionImage that a journal has; the others come from the controller of another broker."""


def _partitions_to_rows(partitions: Sequence[PartitionImage]) -> list[list[Any]]:
    """Encode runs of equal partitions, [count, *fields]: a thousand partitions on one broker are one row."""
    return [[len(list(run)), *partition[:_JOURNAL_FIELDS]] for partition, run in groupby(partitions)]


def _partitions_from_rows(rows: list[list[Any]]) -> tuple[PartitionImage, ...]:
    partitions: list[PartitionImage] = []
    for count, leader, leader_epoch, replicas, isr, partition_epoch in rows:
        # the partitions of a run share one object, which saves memory with thousands of them
        partitions += [PartitionImage(leader, leader_epoch, tuple(replicas), tuple(isr), partition_epoch)] * count
    return tuple(partitions)


KINDS: dict[str, type[Any]] = {
    "ClusterIdSet": ClusterIdRecord,
    "TopicCreated": TopicRecord,
    "PartitionsAdded": PartitionsRecord,
    "TopicDeleted": RemoveTopicRecord,
    "DeletionsFinished": DeletionsCompleteRecord,
    "ConfigsSet": ConfigsRecord,
    "ProducerIdsAllocated": ProducerIdsRecord,
    "EpochsBumped": LeaderEpochBumpRecord,
    "ClientQuotasSet": ClientQuotaRecord,
}
"""Kind, as it stands in the journal, -> class.  A kind may be added, never renamed."""

FIELD_CODECS = {
    "topic_id": FieldCodec(bytes.hex, bytes.fromhex),
    "topic_ids": FieldCodec(lambda ids: [each.hex() for each in ids], lambda ids: tuple(map(bytes.fromhex, ids))),
    "partitions": FieldCodec(_partitions_to_rows, _partitions_from_rows),
    "configs": FieldCodec(lambda configs: None if configs is None else dict(configs), lambda configs: configs),
    "entity": FieldCodec(
        lambda entity: [list(part) for part in entity], lambda rows: tuple((kind, name) for kind, name in rows)
    ),
    "quotas": FieldCodec(lambda quotas: None if quotas is None else dict(quotas), lambda quotas: quotas),
}
"""Field name, the same in every kind of record, -> codec; the value of any other field is a JSON value itself."""

_KIND_OF = {record_type: kind for kind, record_type in KINDS.items()}


def _to_json(record: Any) -> list[Any]:
    row = [_KIND_OF[type(record)]]
    for field, value in zip(record._fields, record, strict=True):
        codec = FIELD_CODECS.get(field)
        row.append(value if codec is None else codec.to_json(value))
    return row


def _from_json(row: list[Any]) -> MetadataRecord:
    kind, *values = row
    record_type = KINDS.get(kind)
    if record_type is None:
        raise UnknownRecordType(kind)
    fields = [
        value if (codec := FIELD_CODECS.get(field)) is None else codec.from_json(value)
        for field, value in zip(record_type._fields, values, strict=False)
    ]
    record: MetadataRecord = record_type(*fields)
    return record
