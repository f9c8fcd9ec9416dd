"""What can happen to the cluster, and how one image becomes the next.

A change is a fact that was decided, never a wish: applying it cannot fail on a sane image.  Each one turns into a small
JSON list for the journal (readable with any pager, and a field can be added without breaking old journals).
"""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from wirebroker.metadata.image import (
    BrokerImage,
    ClusterImage,
    DeletedTopic,
    Draft,
    ListenerEndpoint,
    PartitionImage,
    TopicImage,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class UnknownChange(Exception):
    """The journal holds a kind of change that this version has never heard of."""


class Change(Protocol):
    """One decided fact."""

    def apply_to(self, draft: Draft) -> None:
        """Write the fact into the next image."""

    def to_json(self) -> list[Any]:
        """The fields as JSON values, in the order that `from_json` takes them."""


class ClusterIdSet(NamedTuple):
    """The cluster has got its name, once and for all."""

    cluster_id: str

    def apply_to(self, draft: Draft) -> None:
        draft.cluster_id = self.cluster_id

    def to_json(self) -> list[Any]:
        return [self.cluster_id]

    @classmethod
    def from_json(cls, fields: list[Any]) -> ClusterIdSet:
        return cls(fields[0])


class ControllerElected(NamedTuple):
    """This broker is the controller now."""

    controller_id: int

    def apply_to(self, draft: Draft) -> None:
        draft.controller_id = self.controller_id

    def to_json(self) -> list[Any]:
        return [self.controller_id]

    @classmethod
    def from_json(cls, fields: list[Any]) -> ControllerElected:
        return cls(fields[0])


class BrokerRegistered(NamedTuple):
    """A broker is there (again), reachable as *broker* says."""

    broker: BrokerImage

    def apply_to(self, draft: Draft) -> None:
        draft.brokers[self.broker.node_id] = self.broker

    def to_json(self) -> list[Any]:
        node_id, epoch, endpoints, rack = self.broker
        return [node_id, epoch, [list(endpoint) for endpoint in endpoints], rack]

    @classmethod
    def from_json(cls, fields: list[Any]) -> BrokerRegistered:
        node_id, epoch, endpoints, rack = fields
        return cls(BrokerImage(node_id, epoch, tuple(ListenerEndpoint(*each) for each in endpoints), rack))


class TopicCreated(NamedTuple):
    """A new topic, with its partitions; settings follow in a ConfigsSet of the same entry."""

    name: str
    topic_id: bytes
    partitions: tuple[PartitionImage, ...]

    def apply_to(self, draft: Draft) -> None:
        draft.add_topic(TopicImage(self.name, self.topic_id, self.partitions))

    def to_json(self) -> list[Any]:
        return [self.name, self.topic_id.hex(), _runs(self.partitions)]

    @classmethod
    def from_json(cls, fields: list[Any]) -> TopicCreated:
        return cls(fields[0], bytes.fromhex(fields[1]), _from_runs(fields[2]))


class PartitionsAdded(NamedTuple):
    """A topic has grown by *partitions*, numbered on from its last one."""

    topic: str
    partitions: tuple[PartitionImage, ...]

    def apply_to(self, draft: Draft) -> None:
        topic = draft.topics[self.topic]
        draft.topics[self.topic] = topic._replace(partitions=topic.partitions + self.partitions)

    def to_json(self) -> list[Any]:
        return [self.topic, _runs(self.partitions)]

    @classmethod
    def from_json(cls, fields: list[Any]) -> PartitionsAdded:
        return cls(fields[0], _from_runs(fields[1]))


class TopicDeleted(NamedTuple):
    """A topic is gone.  Its directories are on their way out until DeletionsFinished names its id."""

    name: str
    topic_id: bytes
    partition_count: int

    def apply_to(self, draft: Draft) -> None:
        topic = draft.topics.get(self.name)
        if topic is not None and topic.topic_id == self.topic_id:
            draft.drop_topic(self.name)
        draft.deleting[self.topic_id] = DeletedTopic(self.name, self.partition_count)

    def to_json(self) -> list[Any]:
        return [self.name, self.topic_id.hex(), self.partition_count]

    @classmethod
    def from_json(cls, fields: list[Any]) -> TopicDeleted:
        return cls(fields[0], bytes.fromhex(fields[1]), fields[2])


class DeletionsFinished(NamedTuple):
    """No directory of these deleted topics bears its old name any more."""

    topic_ids: tuple[bytes, ...]

    def apply_to(self, draft: Draft) -> None:
        for topic_id in self.topic_ids:
            draft.deleting.pop(topic_id, None)

    def to_json(self) -> list[Any]:
        return [[topic_id.hex() for topic_id in self.topic_ids]]

    @classmethod
    def from_json(cls, fields: list[Any]) -> DeletionsFinished:
        return cls(tuple(bytes.fromhex(each) for each in fields[0]))


class ConfigsSet(NamedTuple):
    """A resource's explicit settings are now exactly *configs*; None or an empty map removes them all."""

    resource_type: int
    name: str
    configs: Mapping[str, str] | None

    def apply_to(self, draft: Draft) -> None:
        if self.configs:
            draft.configs[self.resource_type, self.name] = self.configs
        else:
            draft.configs.pop((self.resource_type, self.name), None)

    def to_json(self) -> list[Any]:
        return [self.resource_type, self.name, None if self.configs is None else dict(self.configs)]

    @classmethod
    def from_json(cls, fields: list[Any]) -> ConfigsSet:
        return cls(fields[0], fields[1], fields[2])


class ProducerIdsAllocated(NamedTuple):
    """Every producer id below *next_producer_id* may be in use."""

    next_producer_id: int

    def apply_to(self, draft: Draft) -> None:
        draft.next_producer_id = self.next_producer_id

    def to_json(self) -> list[Any]:
        return [self.next_producer_id]

    @classmethod
    def from_json(cls, fields: list[Any]) -> ProducerIdsAllocated:
        return cls(fields[0])


class LeaderChanged(NamedTuple):
    """One partition has another leader, epoch or in-sync set."""

    topic: str
    partition: int
    image: PartitionImage

    def apply_to(self, draft: Draft) -> None:
        topic = draft.topics[self.topic]
        partitions = list(topic.partitions)
        partitions[self.partition] = self.image
        draft.topics[self.topic] = topic._replace(partitions=tuple(partitions))

    def to_json(self) -> list[Any]:
        return [self.topic, self.partition, _runs((self.image,))]

    @classmethod
    def from_json(cls, fields: list[Any]) -> LeaderChanged:
        return cls(fields[0], fields[1], _from_runs(fields[2])[0])


class EpochsBumped(NamedTuple):
    """The broker came back from a crash: all it leads, it leads in a new epoch, so that a lost tail can be noticed."""

    broker_id: int

    def apply_to(self, draft: Draft) -> None:
        for name, topic in draft.topics.items():
            partitions = tuple(
                each._replace(leader_epoch=each.leader_epoch + 1, partition_epoch=each.partition_epoch + 1)
                if each.leader == self.broker_id
                else each
                for each in topic.partitions
            )
            draft.topics[name] = topic._replace(partitions=partitions)

    def to_json(self) -> list[Any]:
        return [self.broker_id]

    @classmethod
    def from_json(cls, fields: list[Any]) -> EpochsBumped:
        return cls(fields[0])


KINDS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        ClusterIdSet,
        ControllerElected,
        BrokerRegistered,
        TopicCreated,
        PartitionsAdded,
        TopicDeleted,
        DeletionsFinished,
        ConfigsSet,
        ProducerIdsAllocated,
        LeaderChanged,
        EpochsBumped,
    )
}


def apply(image: ClusterImage, *changes: Change) -> ClusterImage:
    """The image after *changes*, in order; maps that no change touches are shared with *image*."""
    draft = Draft(image)
    for change in changes:
        change.apply_to(draft)
    return draft.finish()


def encode(changes: Iterable[Change]) -> bytes:
    """One journal entry's payload: JSON that ends in ']' and holds no zero byte."""
    rows = [[type(change).__name__, *change.to_json()] for change in changes]
    return json.dumps(rows, separators=(",", ":"), ensure_ascii=True).encode()


def decode(payload: bytes) -> list[Change]:
    """The changes of one entry.

    Raises:
        UnknownChange: a newer version wrote the entry.
    """
    changes: list[Change] = []
    for kind, *fields in json.loads(payload):
        if kind not in KINDS:
            raise UnknownChange(kind)
        changes.append(KINDS[kind].from_json(fields))
    return changes


def snapshot(image: ClusterImage) -> list[Change]:
    """The shortest list of changes that leads from nothing to *image*; live brokers are not part of it."""
    changes: list[Change] = []
    if image.cluster_id is not None:
        changes.append(ClusterIdSet(image.cluster_id))
    if image.next_producer_id:
        changes.append(ProducerIdsAllocated(image.next_producer_id))
    changes += [TopicDeleted(gone.name, topic_id, gone.partition_count) for topic_id, gone in image.deleting.items()]
    changes += [TopicCreated(topic.name, topic.topic_id, topic.partitions) for topic in image.topics.values()]
    changes += [ConfigsSet(*resource, configs) for resource, configs in image.configs.items()]
    return changes


def _runs(partitions: Sequence[PartitionImage]) -> list[list[Any]]:
    """Partitions run-length coded: a thousand alike on one broker are one row."""
    return [[len(list(run)), *partition] for partition, run in groupby(partitions)]


def _from_runs(rows: list[list[Any]]) -> tuple[PartitionImage, ...]:
    partitions: list[PartitionImage] = []
    for count, leader, leader_epoch, replicas, isr, partition_epoch in rows:
        # Equal neighbours share one object: a thousand partitions on one broker take one.
        partitions += [PartitionImage(leader, leader_epoch, tuple(replicas), tuple(isr), partition_epoch)] * count
    return tuple(partitions)
