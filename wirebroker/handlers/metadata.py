"""Metadata (key 3): brokers, topics and partitions.

Spec: protocol_specs/03_metadata (v0-v13).
KIPs: 4 auto creation flag, 226 leader epochs, 430 authorized operations, 516 topic ids.
Waits: never; the creation of a missing topic is queued, and the client asks again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.handlers.authorized_operations import ALL_ON_CLUSTER, ALL_ON_TOPIC, NOT_ASKED
from wirebroker.handlers.throttling import mutation_quota
from wirebroker.metadata.image import NO_CONTROLLER, NO_LEADER, UNKNOWN_PARTITION
from wirebroker.metadata.topic_names import detect_invalid_topic
from wirebroker.model import INTERNAL_TOPICS, BrokerEndpoint
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.metadata import (
    MetadataRequest,
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from wirebroker.protocol.primitives import ZERO_UUID

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wirebroker.handlers.context import RequestContext
    from wirebroker.metadata.image import BrokerImage, ClusterImage, PartitionImage, TopicImage

_ALL_BY_NULL_SINCE: Final = 1
_LISTENER_ERROR_SINCE: Final = 6
_TOPIC_IDS_SINCE: Final = 10
_ASK_BY_ID_SINCE: Final = 12


class PartitionView(NamedTuple):
    """The state of a partition for clients of one listener, without its number and leader epoch."""

    code: ErrorCode
    leader: int
    replicas: list[int]
    isr: list[int]
    offline: list[int]


class PartitionViews(dict[tuple["PartitionImage", bool], PartitionView]):
    """The views of one request: (partition, whether its log is offline) -> view; thousands of partitions are equal."""


async def handle_metadata(context: RequestContext, request: MetadataRequest) -> MetadataResponse:
    """Describe brokers, controller, and topics: all of them, or some by name or by id."""
    image = context.services.metadata.image
    code = _invalid_request(context, request)
    if code:
        return MetadataResponse(topics=_refused_topics(request, code))
    operations = ALL_ON_TOPIC if request.include_topic_authorized_operations else NOT_ASKED
    wanted = request.topics
    if wanted is None or (not wanted and context.version < _ALL_BY_NULL_SINCE):
        topics = []
        budget, views = context.start_budget(), PartitionViews()
        for topic in image.topics.values():
            await budget.yield_if_due()
            topics.append(_topic(context, image, topic, operations, views))
    elif any(topic.topic_id != ZERO_UUID for topic in wanted):
        # Names do not count if there is an id; Kafka has it so, and no client mixes them.
        ids = dict.fromkeys(topic.topic_id for topic in wanted if topic.topic_id != ZERO_UUID)
        topics = await context.start_budget().collect(
            _topic_by_id(context, image, topic_id, operations) for topic_id in ids
        )
    else:
        names = dict.fromkeys(topic.name or "" for topic in wanted)
        may_create = request.allow_auto_topic_creation and context.services.config.current.auto_create_topics_enable
        topics = await _topics_by_name(context, image, names, operations, may_create=may_create)
    brokers = describe_brokers(context, image)
    return MetadataResponse(
        brokers=[MetadataResponseBroker(*broker) for broker in brokers],
        cluster_id=image.cluster_id,
        controller_id=describe_controller(image, brokers),
        topics=topics,
        cluster_authorized_operations=ALL_ON_CLUSTER if request.include_cluster_authorized_operations else NOT_ASKED,
    )


def describe_brokers(context: RequestContext, image: ClusterImage) -> list[BrokerEndpoint]:
    """Return the live brokers that have the listener of this connection, with the addresses for its client."""
    described = []
    for broker in image.live_brokers():
        endpoint = broker.endpoint(context.listener)
        if endpoint is not None:
            known = BrokerEndpoint(broker.node_id, endpoint.host, endpoint.port, broker.rack)
            host, port = context.advertised(known)
            described.append(known._replace(host=host, port=port))
    return described


def describe_controller(image: ClusterImage, brokers: Iterable[BrokerEndpoint]) -> int:
    """Return the id of the controller, NO_CONTROLLER if it is not in *brokers*."""
    reachable = any(broker.node_id == image.controller_id for broker in brokers)
    return image.controller_id if reachable else NO_CONTROLLER


def _invalid_request(context: RequestContext, request: MetadataRequest) -> ErrorCode:
    """Return the error for all topics of a request if one of them is named neither by name nor by id, as 3.9.1."""
    for topic in request.topics or ():
        if context.version < _ASK_BY_ID_SINCE:
            if topic.name is None or topic.topic_id != ZERO_UUID:
                return ErrorCode.INVALID_REQUEST
        elif topic.name is None and topic.topic_id == ZERO_UUID:
            return ErrorCode.UNKNOWN_SERVER_ERROR
    return ErrorCode.NONE


def _refused_topics(request: MetadataRequest, code: ErrorCode) -> list[MetadataResponseTopic]:
    return [MetadataResponseTopic(code, topic.name or "", topic.topic_id) for topic in request.topics or ()]


async def _topics_by_name(
    context: RequestContext, image: ClusterImage, names: Iterable[str], operations: int, *, may_create: bool
) -> list[MetadataResponseTopic]:
    topics: list[MetadataResponseTopic] = []
    missing: list[str] = []
    leader_not_available = may_create and context.routes.profile.is_zookeeper_era
    budget, views = context.start_budget(), PartitionViews()
    for name in names:
        await budget.yield_if_due()
        topic = image.topics.get(name)
        if topic is not None:
            topics.append(_topic(context, image, topic, operations, views))
            continue
        code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        if detect_invalid_topic(name) is not None:
            code = ErrorCode.INVALID_TOPIC_EXCEPTION
        else:
            missing.append(name)
            if leader_not_available:
                code = ErrorCode.LEADER_NOT_AVAILABLE
        topics.append(_missing_topic(name, code, operations))
    if may_create and missing:
        refused = await context.services.administration.auto_create(missing, mutation_quota(context))
        for answer in topics if refused else ():
            answer.error_code = refused.get(answer.name or "", answer.error_code)
    return topics


def _topic_by_id(
    context: RequestContext, image: ClusterImage, topic_id: bytes, operations: int
) -> MetadataResponseTopic:
    topic = image.topic_by_id(topic_id)
    if topic is None:
        return MetadataResponseTopic(ErrorCode.UNKNOWN_TOPIC_ID, None, topic_id)
    return _topic(context, image, topic, operations, PartitionViews())


def _missing_topic(name: str, code: ErrorCode, operations: int) -> MetadataResponseTopic:
    return MetadataResponseTopic(
        code, name, is_internal=name in INTERNAL_TOPICS, topic_authorized_operations=operations
    )


def _topic(
    context: RequestContext, image: ClusterImage, topic: TopicImage, operations: int, views: PartitionViews
) -> MetadataResponseTopic:
    partitions = [
        MetadataResponsePartition(view.code, index, view.leader, epoch, view.replicas, view.isr, view.offline)
        for index, epoch, view in describe_partitions(context, image, topic, views)
    ]
    return MetadataResponseTopic(0, topic.name, topic.topic_id, topic.is_internal, partitions, operations)


def describe_partitions(
    context: RequestContext,
    image: ClusterImage,
    topic: TopicImage,
    views: PartitionViews,
    first: int = 0,
    limit: int | None = None,
) -> Iterator[tuple[int, int, PartitionView]]:
    """Yield (number, leader epoch, view) of at most *limit* partitions from number *first* on.

    No known partition is left out: clients take a gap in the numbers for a topic that is being created.
    """
    is_offline = context.services.replicas.is_offline
    end = len(topic.partitions) if limit is None else first + limit
    by_identity: dict[
        tuple[int, bool], PartitionView
    ] = {}  # equal partitions of a topic are one object; the id is the faster key
    for index, partition in enumerate(topic.partitions[first:end], first):
        if partition is UNKNOWN_PARTITION:
            continue
        key = id(partition), is_offline(topic.name, index)
        view = by_identity.get(key)
        if view is None:
            view = views.get((partition, key[1]))
            if view is None:
                view = views[partition, key[1]] = describe_partition(context, image, partition, own_is_offline=key[1])
            by_identity[key] = view
        yield index, partition.leader_epoch, view


def describe_partition(
    context: RequestContext, image: ClusterImage, partition: PartitionImage, *, own_is_offline: bool
) -> PartitionView:
    """Return the view of *partition* for the client; *own_is_offline* says that the log on this broker is offline."""
    own_id = context.services.node_id
    replicas, isr = list(partition.replicas), list(partition.isr)
    if partition.offline_replicas is None:
        down = [node for node in replicas if node not in image.brokers or (own_is_offline and node == own_id)]
        live_isr = [node for node in isr if node not in down]
        leader = image.brokers.get(partition.leader) if partition.leader not in down else None
    else:  # as the controller says; brokers of a cluster with ZooKeeper leave offline replicas in the ISR
        down, live_isr = list(partition.offline_replicas), isr
        leader = image.brokers.get(partition.leader)
    if leader is None or leader.endpoint(context.listener) is None:
        code = ErrorCode.LEADER_NOT_AVAILABLE
        if leader is not None and context.version >= _LISTENER_ERROR_SINCE:
            code = ErrorCode.LISTENER_NOT_FOUND
        return PartitionView(code, NO_LEADER, replicas, live_isr, down)
    code = ErrorCode.NONE
    if context.version == 0 and context.api_key == MetadataRequest.API_KEY:
        # Clients of that version look every id up in brokers[], so the lists hold only what is there.
        replicas = [node for node in replicas if _is_reachable(image.brokers.get(node), context.listener)]
        isr = [node for node in isr if node in replicas]
        if len(replicas) < len(partition.replicas) or len(isr) < len(partition.isr):
            code = ErrorCode.REPLICA_NOT_AVAILABLE
    return PartitionView(code, partition.leader, replicas, isr, down)


def _is_reachable(broker: BrokerImage | None, listener: str) -> bool:
    return broker is not None and broker.endpoint(listener) is not None
