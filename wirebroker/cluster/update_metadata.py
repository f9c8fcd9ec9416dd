"""Rules of UpdateMetadata: the next ClusterImage of an image and a request; pure.

Facts: Apache Kafka's ZkMetadataCache.updateMetadata.  A request has all live brokers, and those partitions that have
changed; one with leader -2 is deleted.  A broker serves Metadata from the image alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.metadata.image import (
    NO_CONTROLLER,
    NO_TOPIC_ID,
    UNKNOWN_PARTITION,
    BrokerImage,
    ClusterImageDelta,
    ListenerEndpoint,
    PartitionImage,
    TopicImage,
)
from wirebroker.metadata.records import RemoveTopicRecord

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from wirebroker.metadata.image import ClusterImage
    from wirebroker.protocol.messages.update_metadata import (
        UpdateMetadataBroker,
        UpdateMetadataPartitionState,
        UpdateMetadataRequest,
    )

LEADER_DURING_DELETE: Final = -2
_SECURITY_PROTOCOLS: Final = {0: "PLAINTEXT", 1: "SSL", 2: "SASL_PLAINTEXT", 3: "SASL_SSL"}


class TopicUpdate(NamedTuple):
    """The partitions of one topic in an UpdateMetadata request."""

    name: str
    topic_id: bytes
    """16 bytes, or NO_TOPIC_ID."""
    states: Sequence[UpdateMetadataPartitionState]


class UpdatedImage(NamedTuple):
    """The image after a request."""

    image: ClusterImage
    removed: Sequence[RemoveTopicRecord]
    """The topics that are gone, and those that were deleted and created again."""


def topic_updates(request: UpdateMetadataRequest) -> Iterator[TopicUpdate]:
    """Yield the topics of *request*, of any version."""
    ungrouped: dict[str, list[UpdateMetadataPartitionState]] = {}
    for state in request.ungrouped_partition_states:
        ungrouped.setdefault(state.topic_name, []).append(state)
    for name, states in ungrouped.items():
        yield TopicUpdate(name, NO_TOPIC_ID, states)
    for topic in request.topic_states:
        yield TopicUpdate(topic.topic_name, topic.topic_id, topic.partition_states)


def updated_topic(before: TopicImage | None, update: TopicUpdate) -> TopicImage | None:
    """Return the topic *before* (None: unknown) after *update*; None if none of its partitions is left.

    A topic with another id than before was deleted and created again, so nothing is left of the earlier one.
    """
    if before is not None and is_another_topic(before, update.topic_id):
        before = None
    partitions = list(before.partitions) if before is not None else []
    for state in update.states:
        index = state.partition_index
        if index >= len(partitions):
            partitions += [UNKNOWN_PARTITION] * (index + 1 - len(partitions))
        partitions[index] = UNKNOWN_PARTITION if state.leader == LEADER_DURING_DELETE else _partition(state)
    while partitions and partitions[-1] is UNKNOWN_PARTITION:
        partitions.pop()
    return TopicImage(update.name, update.topic_id, tuple(partitions)) if partitions else None


def is_another_topic(before: TopicImage, topic_id: bytes) -> bool:
    """Return whether *topic_id* shows that the topic *before* was deleted and created again under its name."""
    return NO_TOPIC_ID not in (before.topic_id, topic_id) and before.topic_id != topic_id


def unnamed_topics(before: ClusterImage, request: UpdateMetadataRequest, named: Container[str]) -> Iterator[str]:
    """Yield the topics of *before* that do not exist any more if *request* has all partitions, of *named* topics.

    The first request after an election has those with a live replica; the others come in a second one.
    """
    live = {broker.id for broker in request.live_brokers}
    for name, topic in before.topics.items():
        if name not in named and any(not live.isdisjoint(partition.replicas) for partition in topic.partitions):
            yield name


def _partition(state: UpdateMetadataPartitionState) -> PartitionImage:
    return PartitionImage(
        state.leader,
        state.leader_epoch,
        tuple(state.replicas),
        tuple(state.isr),
        state.zk_version,
        tuple(state.offline_replicas),
    )


def updated_image(
    before: ClusterImage,
    request: UpdateMetadataRequest,
    topics: Mapping[str, TopicImage | None],
    unnamed: Iterable[str] = (),
) -> UpdatedImage:
    """Return the image after *request*.

    Args:
        before: The image before the request.
        request: Its controller and live brokers replace those of the image.
        topics: The name of each topic of the request, and what `updated_topic` has returned for it.
        unnamed: Topics that are left out of the image.  They are not among those that are removed, whose committed
            offsets are deleted: another broker coordinates the groups since this one has missed the deletion.
    """
    delta = ClusterImageDelta(before)
    delta.controller_id = request.controller_id if request.controller_id >= 0 else NO_CONTROLLER
    brokers = _brokers(request.live_brokers)
    if brokers != before.brokers:
        delta.brokers.clear()
        delta.brokers.update(brokers)
    for name in unnamed:
        delta.drop_topic(name)
    removed: list[RemoveTopicRecord] = []
    for name, topic in topics.items():
        known = before.topics.get(name)
        if known is not None and (topic is None or is_another_topic(known, topic.topic_id)):
            delta.drop_topic(name)
            removed.append(RemoveTopicRecord(name, known.topic_id, len(known.partitions)))
        elif known is not None and topic is not None and known.topic_id != topic.topic_id:
            delta.set_topic_id(name, topic.topic_id)
        if topic is not None:
            if name in delta.topics:
                delta.topics[name] = topic
            else:
                delta.add_topic(topic)
    return UpdatedImage(delta.apply(), removed)


def _brokers(live: Iterable[UpdateMetadataBroker]) -> dict[int, BrokerImage]:
    brokers: dict[int, BrokerImage] = {}
    for each in live:
        endpoints = tuple(
            ListenerEndpoint(
                endpoint.listener or _SECURITY_PROTOCOLS.get(endpoint.security_protocol, ""),
                endpoint.host,
                endpoint.port,
                _SECURITY_PROTOCOLS.get(endpoint.security_protocol, ""),
            )
            for endpoint in each.endpoints
        )
        if not endpoints and each.v0_host:
            endpoints = (ListenerEndpoint("PLAINTEXT", each.v0_host, each.v0_port),)
        brokers[each.id] = BrokerImage(each.id, 0, endpoints, each.rack or None)
    return brokers
