"""Committed offsets: OffsetCommit (8), OffsetFetch (9), OffsetDelete (47).

Specs: protocol_specs/08_offset_commit (v0-v10), 09_offset_fetch (v0-v10), 47_offset_delete (v0).
KIPs: 211 expiration, 320 leader epochs, 447 stable offsets, 496 deletion, 709 several groups in a request, 848 topic
ids.
Version 0 of OffsetCommit and OffsetFetch keeps offsets in ZooKeeper (`zookeeper_offsets.py`); without ZooKeeper each
partition gets UNSUPPORTED_VERSION, as from Kafka.  From version 10 on requests have topic ids in place of names;
coordinators know names only.
Waits: a commit until its record is in the log of all in-sync replicas; the connection serves its next requests
meanwhile (`RequestContext.delayed`).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from wirebroker.coordinator.delayed_request import DelayedRequest
from wirebroker.coordinator.group.requests import FetchOffsets, OffsetFetchResult
from wirebroker.handlers.large_commits import large_commit, put_unknown_partitions, take_unknown_partitions
from wirebroker.handlers.large_group_requests import delete_offsets
from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from wirebroker.protocol.messages.offset_delete import OffsetDeleteRequest, OffsetDeleteResponse
from wirebroker.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartition,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopic,
    OffsetFetchResponseTopics,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.coordinator.group.offset_metadata_manager import OffsetAndMetadata
    from wirebroker.coordinator.turn import PendingResponse
    from wirebroker.handlers.context import RequestContext
    from wirebroker.handlers.routes import BoundRoute
    from wirebroker.loop_budget import LoopBudget
    from wirebroker.metadata.image import ClusterImage
    from wirebroker.zookeeper.consumer_offsets import ZkConsumerOffsets

P = TypeVar("P", OffsetFetchResponsePartition, OffsetFetchResponsePartitions)

_BATCHED_SINCE: Final = 8
_TOP_LEVEL_ERROR_SINCE: Final = 2
_TOPIC_IDS_SINCE: Final = 10
_NO_OFFSET: Final = -1
_PARTITIONS_PER_CHECK: Final = 256
_ENCODING_S: Final = 1e-6
"""The time to encode one offset, charged to the budget of the event loop."""


async def handle_offset_commit(context: RequestContext, request: OffsetCommitRequest) -> OffsetCommitResponse:
    """Commit the offsets of a group."""
    if context.version == 0:
        return await _commit_version_zero(context, request)
    by_id = context.version >= _TOPIC_IDS_SINCE
    budget, image = context.loop_budget, context.services.metadata.image
    unknown = await _resolve_topic_ids(image, request, budget) if by_id else []
    if budget is not None:  # the request is a large one
        large = await _commit_many(context, image, request, budget)
        return _with_topic_ids(request, large, unknown) if by_id else large
    groups = context.services.groups
    response: OffsetCommitResponse | DelayedRequest
    try:
        if context.holds_responses:
            response = groups.request_or_delay(request.group_id, request, context)
        else:
            response = await groups.request(request.group_id, request, context)
    except ApiError as fault:
        response = commit_error(context, request, fault.code)
    if isinstance(response, DelayedRequest):
        delayed, response = response, OffsetCommitResponse()
        route = context.routes.find(context.api_key, context.version)
        delayed.respond = partial(_complete_commit, context, request, unknown if by_id else None, response, route)
        context.delayed = delayed
        return response
    return _with_topic_ids(request, response, unknown) if by_id else response


async def _commit_many(
    context: RequestContext, image: ClusterImage, request: OffsetCommitRequest, budget: LoopBudget
) -> OffsetCommitResponse:
    named = request.topics
    removed = await take_unknown_partitions(image, request, budget)
    response: OffsetCommitResponse
    groups = context.services.groups
    try:
        index = groups.partition_for(request.group_id)
        large = await large_commit(groups.runtime, index, request, context.version, budget)
        response = await groups.runtime.request(index, large, context)
    except ApiError as fault:
        request.topics = named
        return await context.services.replicas.workers.run(commit_error, context, request, fault.code)
    classes = OffsetCommitResponseTopic, OffsetCommitResponsePartition
    await put_unknown_partitions(image, response, removed, *classes, budget)
    return response


def _with_topic_ids(
    request: OffsetCommitRequest, response: OffsetCommitResponse, unknown: list[OffsetCommitResponseTopic]
) -> OffsetCommitResponse:
    ids = {topic.name: topic.topic_id for topic in request.topics}
    for topic in response.topics:
        topic.topic_id = ids[topic.name]
    response.topics[:0] = unknown
    return response


def _complete_commit(
    context: RequestContext,
    request: OffsetCommitRequest,
    unknown: list[OffsetCommitResponseTopic] | None,
    response: OffsetCommitResponse,
    route: BoundRoute | None,
    pending: PendingResponse,
) -> None:
    """Complete *response* to *request*, and count its errors; the context may be that of a later request by now.

    *unknown* are the topics whose ids are unknown, None if the request has names.
    """
    try:
        complete = pending.outcome()
    except ApiError as fault:
        complete = commit_error(context, request, fault.code)
    response.topics = complete.topics
    if unknown is not None:
        _with_topic_ids(request, response, unknown)
    if route is not None and route.error_counter is not None:
        route.error_counter(response, route.metrics.errors)


async def _commit_version_zero(context: RequestContext, request: OffsetCommitRequest) -> OffsetCommitResponse:
    offsets = context.services.zookeeper_offsets
    if offsets is None:
        return _unsupported_version_zero(context, request)
    from wirebroker.handlers.zookeeper_offsets import commit_to_zookeeper  # a broker alone has no ZooKeeper

    codes = await commit_to_zookeeper(context, offsets, request)
    return OffsetCommitResponse(
        topics=[
            OffsetCommitResponseTopic(
                name=topic.name,
                partitions=[
                    OffsetCommitResponsePartition(
                        partition_index=each.partition_index,
                        error_code=codes[TopicPartition(topic.name, each.partition_index)],
                    )
                    for each in topic.partitions
                ],
            )
            for topic in request.topics
        ]
    )


async def _resolve_topic_ids(
    image: ClusterImage, request: OffsetCommitRequest, budget: LoopBudget | None
) -> list[OffsetCommitResponseTopic]:
    """Set the names of the topics of *request*; remove topics that do not exist, and return the errors for them."""
    known: list[OffsetCommitRequestTopic] = []
    unknown: dict[bytes, OffsetCommitResponseTopic] = {}
    for topic in request.topics:
        if budget is not None:
            await budget.yield_if_due()
        found = image.topic_by_id(topic.topic_id)
        if found is not None:
            topic.name = found.name
            known.append(topic)
        elif topic.partitions:
            answer = unknown.setdefault(topic.topic_id, OffsetCommitResponseTopic(topic_id=topic.topic_id))
            answer.partitions += [
                OffsetCommitResponsePartition(
                    partition_index=each.partition_index, error_code=ErrorCode.UNKNOWN_TOPIC_ID
                )
                for each in topic.partitions
            ]
    request.topics = known
    return list(unknown.values())


def commit_error(context: RequestContext, request: OffsetCommitRequest, code: ErrorCode) -> OffsetCommitResponse:
    """A response with *code* for every partition that exists."""
    image = context.services.metadata.image
    topics: dict[str, OffsetCommitResponseTopic] = {}
    for topic in request.topics:
        known = image.topic(topic.name)
        if topic.partitions or known is None:
            count = 0 if known is None else len(known.partitions)
            answer = topics.setdefault(topic.name, OffsetCommitResponseTopic(name=topic.name))
            answer.partitions += [
                OffsetCommitResponsePartition(
                    each.partition_index,
                    code if 0 <= each.partition_index < count else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
                )
                for each in topic.partitions
            ]
    return OffsetCommitResponse(topics=list(topics.values()))


def _unsupported_version_zero(context: RequestContext, request: OffsetCommitRequest) -> OffsetCommitResponse:
    """UNSUPPORTED_VERSION for all partitions, also of those that do not exist, if one of them does."""
    image = context.services.metadata.image
    asked = ((topic.name, each.partition_index) for topic in request.topics for each in topic.partitions)
    if all(image.partition(*each) is None for each in asked):
        return commit_error(context, request, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    return OffsetCommitResponse(
        topics=[
            OffsetCommitResponseTopic(
                name=topic.name,
                partitions=[
                    OffsetCommitResponsePartition(each.partition_index, ErrorCode.UNSUPPORTED_VERSION)
                    for each in topic.partitions
                ],
            )
            for topic in request.topics
        ]
    )


async def handle_offset_fetch(context: RequestContext, request: OffsetFetchRequest) -> OffsetFetchResponse:
    """Return the committed offsets of groups; a partition without a commit has offset -1 and no error."""
    budget = context.start_budget()
    if context.version >= _BATCHED_SINCE:
        return OffsetFetchResponse(groups=await _fetch_groups(context, request, budget))
    wanted = None
    if request.topics is not None:
        wanted = await budget.collect((topic.name, topic.partition_indexes) for topic in request.topics)
    if context.version == 0 and context.services.zookeeper_offsets is not None:
        return await _fetch_version_zero(context, context.services.zookeeper_offsets, request.group_id, wanted or [])
    if context.version == 0:
        result = _fetch_error(wanted or [], ErrorCode.UNSUPPORTED_VERSION)
        code = 0
    else:
        result = await _fetch(context, request.group_id, wanted, request.require_stable)
        code = result.code
        if code and context.version < _TOP_LEVEL_ERROR_SINCE:
            result = _fetch_error(wanted or [], ErrorCode(code))
    by_topic = await _partitions_by_topic(result, OffsetFetchResponsePartition, budget)
    topics = await budget.collect(OffsetFetchResponseTopic(*each) for each in by_topic.items())
    return OffsetFetchResponse(topics=topics, error_code=code)


async def _fetch_version_zero(
    context: RequestContext, offsets: ZkConsumerOffsets, group_id: str, wanted: list[tuple[str, list[int]]]
) -> OffsetFetchResponse:
    from wirebroker.handlers.zookeeper_offsets import fetch_from_zookeeper  # a broker alone has no ZooKeeper

    partitions = [TopicPartition(topic, index) for topic, indexes in wanted for index in indexes]
    topics: dict[str, OffsetFetchResponseTopic] = {}
    for partition, (offset, code) in (await fetch_from_zookeeper(context, offsets, group_id, partitions)).items():
        topic = topics.setdefault(partition.topic, OffsetFetchResponseTopic(name=partition.topic))
        topic.partitions.append(OffsetFetchResponsePartition(partition.partition, offset, error_code=code))
    return OffsetFetchResponse(topics=list(topics.values()))


async def _fetch_groups(
    context: RequestContext, request: OffsetFetchRequest, budget: LoopBudget
) -> list[OffsetFetchResponseGroup]:
    """Return the response for each group of *request*, as often as it is named there, like Apache Kafka.

    A group of which all offsets are asked for several times is described once: a short request may name a large one
    thousands of times.
    """
    groups: list[OffsetFetchResponseGroup] = []
    described: dict[str, OffsetFetchResponseGroup] = {}
    for each in request.groups:
        group = described.get(each.group_id) if each.topics is None else None
        if group is None:
            group = await _fetch_group(context, each, request, budget)
            if each.topics is None:
                described[each.group_id] = group
        else:
            budget.charge(sum(len(topic.partitions) for topic in group.topics) * _ENCODING_S)
            await budget.yield_if_due()
        groups.append(group)
    return groups


async def _fetch_group(
    context: RequestContext, group: OffsetFetchRequestGroup, request: OffsetFetchRequest, budget: LoopBudget
) -> OffsetFetchResponseGroup:
    image = context.services.metadata.image
    by_id = context.version >= _TOPIC_IDS_SINCE
    unknown: list[OffsetFetchResponseTopics] = []
    wanted = None
    if group.topics is not None:
        wanted = []
        for asked in group.topics:
            await budget.yield_if_due()
            known = image.topic_by_id(asked.topic_id) if by_id else None
            if known is not None:
                wanted.append((known.name, asked.partition_indexes))
            elif by_id:
                unknown.append(_unknown_topic_id(asked.topic_id, asked.partition_indexes))
            else:
                wanted.append((asked.name, asked.partition_indexes))
    result = await _fetch(context, group.group_id, wanted, request.require_stable)
    topics: list[OffsetFetchResponseTopics] = []
    by_topic = await _partitions_by_topic(result, OffsetFetchResponsePartitions, budget)
    for name, partitions in by_topic.items():
        await budget.yield_if_due()
        topic = OffsetFetchResponseTopics(name=name, partitions=partitions)
        if by_id:
            existing = image.topic(name)
            if existing is None:  # deleted meanwhile, so there is no id for it
                continue
            topic.topic_id = existing.topic_id
        topics.append(topic)
    if not result.code:
        topics += unknown
    await budget.yield_if_due()
    return OffsetFetchResponseGroup(group_id=group.group_id, topics=topics, error_code=result.code)


async def _fetch(
    context: RequestContext, group_id: str, wanted: list[tuple[str, list[int]]] | None, require_stable: bool
) -> OffsetFetchResult:
    try:
        result: OffsetFetchResult = await context.services.groups.read(
            group_id, FetchOffsets(group_id, wanted, require_stable)
        )
    except ApiError as fault:
        return OffsetFetchResult(fault.code, [])
    return result


def _fetch_error(wanted: Iterable[tuple[str, list[int]]], code: ErrorCode) -> OffsetFetchResult:
    """A result with *code* for each partition."""
    partitions = dict.fromkeys((topic, index) for topic, indexes in wanted for index in indexes)
    return OffsetFetchResult(code, ((topic, index, None, code) for topic, index in partitions))


async def _partitions_by_topic(result: OffsetFetchResult, kind: type[P], budget: LoopBudget) -> dict[str, list[P]]:
    """Topic -> its partitions as *kind*, in the order of *result*, which may be long."""
    topics: dict[str, list[P]] = {}
    for count, (topic, index, committed, code) in enumerate(result.offsets, 1):
        partitions = topics.get(topic)
        if partitions is None:
            partitions = topics[topic] = []
        partitions.append(_partition(kind, index, committed, code))
        if not count % _PARTITIONS_PER_CHECK:
            await budget.yield_if_due()
    return topics


def _partition(kind: type[P], index: int, committed: OffsetAndMetadata | None, code: int) -> P:
    if committed is None:
        return kind(
            partition_index=index,
            committed_offset=_NO_OFFSET,
            committed_leader_epoch=-1,
            metadata="",
            error_code=code,
        )
    return kind(
        partition_index=index,
        committed_offset=committed.offset,
        committed_leader_epoch=committed.leader_epoch,
        metadata=committed.metadata,
    )


def _unknown_topic_id(topic_id: bytes, indexes: Iterable[int]) -> OffsetFetchResponseTopics:
    code = ErrorCode.UNKNOWN_TOPIC_ID
    partitions = [_partition(OffsetFetchResponsePartitions, index, None, code) for index in indexes]
    return OffsetFetchResponseTopics(topic_id=topic_id, partitions=partitions)


async def handle_offset_delete(context: RequestContext, request: OffsetDeleteRequest) -> OffsetDeleteResponse:
    """Delete committed offsets of topics that the group does not consume any more."""
    try:
        if not request.group_id:
            raise ApiError(ErrorCode.INVALID_GROUP_ID)
        return await delete_offsets(context, request)
    except ApiError as fault:
        return OffsetDeleteResponse(error_code=fault.code)
