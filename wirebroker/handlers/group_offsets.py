"""Committed offsets: OffsetCommit (8), OffsetFetch (9), OffsetDelete (47).

Specs: protocol_specs/08_offset_commit (v1-v10), 09_offset_fetch (v1-v10), 47_offset_delete (v0).
KIPs: 211 expiry, 320 leader epochs, 447 stable offsets, 496 deletion, 709 several groups in one request, 848 topic ids.
Version 0 of both kept offsets in ZooKeeper: answered with 35 for each partition, as Kafka without ZooKeeper does.
From version 10 on topics have ids in place of names.  The coordinator knows names: they are put in and taken out here.
Waits: a commit until its record is in the log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from wirebroker.coordinator.group.requests import FetchOffsets, GroupRequest, OffsetsFound
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
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

    from wirebroker.handlers.context import RequestContext
    from wirebroker.turns import Turns

_BATCHED_SINCE: Final = 8
_TOP_LEVEL_ERROR_SINCE: Final = 2
_TOPIC_IDS_SINCE: Final = 10
_UNKNOWN_OFFSET: Final = -1
_ANSWERS_PER_STEP: Final = 256


async def handle_offset_commit(context: RequestContext, request: OffsetCommitRequest) -> OffsetCommitResponse:
    """Remember how far a group has read."""
    if context.version == 0:
        return _all_failed(context, request, ErrorCode.UNSUPPORTED_VERSION)
    by_id = context.version >= _TOPIC_IDS_SINCE
    unknown = _put_names(context, request) if by_id else []
    message = GroupRequest(request.group_id, request, context.version, context.client_id, context.client_host)
    response: OffsetCommitResponse
    try:
        response = await context.services.groups.request(request.group_id, message)
    except ApiError as fault:
        response = _all_failed(context, request, fault.code)
    if by_id:
        ids = {topic.name: topic.topic_id for topic in request.topics}
        for topic in response.topics:
            topic.topic_id = ids[topic.name]
        response.topics[:0] = unknown
    return response


def _put_names(context: RequestContext, request: OffsetCommitRequest) -> list[OffsetCommitResponseTopic]:
    """Name the topics that *request* has by id, take out those that do not exist, and return the answer for them."""
    image = context.services.metadata.image
    known: list[OffsetCommitRequestTopic] = []
    unknown: dict[bytes, OffsetCommitResponseTopic] = {}
    for topic in request.topics:
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


def _all_failed(context: RequestContext, request: OffsetCommitRequest, code: ErrorCode) -> OffsetCommitResponse:
    """Every partition gets *code*, but for those that do not exist; version 0 only looks at the topic."""
    image = context.services.metadata.image

    def code_of(name: str, partition: int) -> ErrorCode:
        topic = image.topic(name)
        known = topic is not None and (context.version == 0 or 0 <= partition < len(topic.partitions))
        return code if known else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION

    return OffsetCommitResponse(
        topics=[
            OffsetCommitResponseTopic(
                name=topic.name,
                partitions=[
                    OffsetCommitResponsePartition(
                        partition_index=each.partition_index, error_code=code_of(topic.name, each.partition_index)
                    )
                    for each in topic.partitions
                ],
            )
            for topic in request.topics
            if topic.partitions
        ]
    )


async def handle_offset_fetch(context: RequestContext, request: OffsetFetchRequest) -> OffsetFetchResponse:
    """Say how far groups have read; nothing committed is offset -1 and no error."""
    if context.version >= _BATCHED_SINCE:
        turns = context.start_turns()
        groups = [await _fetch_group(context, each, request, turns) for each in request.groups]
        return OffsetFetchResponse(groups=groups)
    wanted = [(topic.name, topic.partition_indexes) for topic in request.topics] if request.topics is not None else None
    if context.version == 0:
        found = _failed(wanted or [], ErrorCode.UNSUPPORTED_VERSION)
        code = 0
    else:
        found = await _fetch(context, request.group_id, wanted, request.require_stable)
        code = found.code
        if code and context.version < _TOP_LEVEL_ERROR_SINCE:
            found = _failed(wanted or [], ErrorCode(code))
    topics: dict[str, OffsetFetchResponseTopic] = {}
    turns = context.start_turns()
    for count, (name, index, committed, error) in enumerate(found.offsets, 1):
        topic = topics.get(name)
        if topic is None:
            topic = topics[name] = OffsetFetchResponseTopic(name=name)
        topic.partitions.append(_answer(OffsetFetchResponsePartition, index, committed, error))
        if not count % _ANSWERS_PER_STEP:
            await turns.yield_if_due()
    return OffsetFetchResponse(topics=list(topics.values()), error_code=code)


async def _fetch_group(
    context: RequestContext, wish: OffsetFetchRequestGroup, request: OffsetFetchRequest, turns: Turns
) -> OffsetFetchResponseGroup:
    image = context.services.metadata.image
    by_id = context.version >= _TOPIC_IDS_SINCE
    unknown: list[OffsetFetchResponseTopics] = []
    wanted = None
    if wish.topics is not None:
        wanted = []
        for asked in wish.topics:
            known = image.topic_by_id(asked.topic_id) if by_id else None
            if known is not None:
                wanted.append((known.name, asked.partition_indexes))
            elif by_id:
                unknown.append(_no_such_id(asked.topic_id, asked.partition_indexes))
            else:
                wanted.append((asked.name, asked.partition_indexes))
    found = await _fetch(context, wish.group_id, wanted, request.require_stable)
    topics: dict[str, OffsetFetchResponseTopics] = {}
    for count, (name, index, committed, error) in enumerate(found.offsets, 1):
        topic = topics.get(name)
        if topic is None:
            topic = topics[name] = OffsetFetchResponseTopics(name=name)
        topic.partitions.append(_answer(OffsetFetchResponsePartitions, index, committed, error))
        if not count % _ANSWERS_PER_STEP:
            await turns.yield_if_due()
    await turns.yield_if_due()
    answers = list(topics.values())
    if by_id:
        answers = []
        for topic in topics.values():
            there = image.topic(topic.name)
            if there is not None:  # a topic that is gone meanwhile has no id to be told by
                topic.topic_id = there.topic_id
                answers.append(topic)
        if not found.code:
            answers += unknown
    return OffsetFetchResponseGroup(group_id=wish.group_id, topics=answers, error_code=found.code)


def _no_such_id(topic_id: bytes, indexes: Iterable[int]) -> OffsetFetchResponseTopics:
    partitions = [_answer(OffsetFetchResponsePartitions, index, None, ErrorCode.UNKNOWN_TOPIC_ID) for index in indexes]
    return OffsetFetchResponseTopics(topic_id=topic_id, partitions=partitions)


async def _fetch(
    context: RequestContext, group_id: str, wanted: list[tuple[str, list[int]]] | None, require_stable: bool
) -> OffsetsFound:
    try:
        found: OffsetsFound = await context.services.groups.request(
            group_id, FetchOffsets(group_id, wanted, require_stable)
        )
    except ApiError as fault:
        return OffsetsFound(fault.code, [])
    return found


def _failed(wanted: Iterable[tuple[str, list[int]]], code: ErrorCode) -> OffsetsFound:
    once = dict.fromkeys((topic, index) for topic, indexes in wanted for index in indexes)
    return OffsetsFound(code, [(topic, index, None, code) for topic, index in once])


def _answer(kind: Any, index: int, committed: Any, error: int) -> Any:
    if committed is None:
        return kind(
            partition_index=index,
            committed_offset=_UNKNOWN_OFFSET,
            committed_leader_epoch=-1,
            metadata="",
            error_code=error,
        )
    return kind(
        partition_index=index,
        committed_offset=committed.offset,
        committed_leader_epoch=committed.leader_epoch,
        metadata=committed.metadata,
    )


async def handle_offset_delete(context: RequestContext, request: OffsetDeleteRequest) -> OffsetDeleteResponse:
    """Forget commits on topics that the group does not read any more."""
    message = GroupRequest(request.group_id, request, context.version, context.client_id, context.client_host)
    try:
        if not request.group_id:
            raise ApiError(ErrorCode.INVALID_GROUP_ID)
        response: OffsetDeleteResponse = await context.services.groups.request(request.group_id, message)
    except ApiError as fault:
        return OffsetDeleteResponse(error_code=fault.code)
    return response
