"""Creation, growth and deletion of topics: CreateTopics (key 19), DeleteTopics (key 20), CreatePartitions (key 37).

Specs: protocol_specs/19_create_topics (v0-v7), 20_delete_topics (v0-v6), 37_create_partitions (v0-v3).
KIPs: 4, 195 partitions, 464 defaults by -1, 516 topic ids, 525 the new topic's settings in the answer, 599 quota of
changes.
Waits: until the change is durable and its logs are made or renamed, at most timeout_ms; a change that has begun is
finished even then.  With a timeout of 0 or less nothing is done, as in 3.9.1.  In a cluster with ZooKeeper the active
controller waits until the metadata of this broker show the change, with leaders for all partitions, and a request
without time begins it, as there.  A broker that is not the controller answers all three with NOT_CONTROLLER.
Not done: topic creation policies.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import trio

from wirebroker.config.describe import describe_topic
from wirebroker.controller.administration import TopicResult
from wirebroker.controller.topic_rules import NewPartitions, NewTopic
from wirebroker.handlers.throttling import mutation_quota, throttle
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopicResult,
)
from wirebroker.protocol.messages.create_topics import (
    CreatableTopic,
    CreatableTopicConfigs,
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from wirebroker.protocol.messages.delete_topics import (
    DeletableTopicResult,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DeleteTopicState,
)
from wirebroker.protocol.primitives import ZERO_UUID

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterable, Mapping, Sequence

    from wirebroker.config.server import BrokerConfig
    from wirebroker.handlers.context import RequestContext
    from wirebroker.loop_budget import LoopBudget
    from wirebroker.metadata.image import TopicImage
    from wirebroker.quota.mutation_quota import ControllerMutationQuota

T = TypeVar("T")

_ENCODING_S: Final = 1e-6
"""The time to encode one setting, charged to the budget of the event loop."""
_TOPICS_BY_ID_SINCE: Final = 6
_DELETION_DISABLED_SINCE: Final = 3
_NOT_CONTROLLER: Final = ErrorCode.NOT_CONTROLLER
_CREATION_REFUSED_SINCE: Final = 6
_DELETION_REFUSED_SINCE: Final = 5
_GROWTH_REFUSED_SINCE: Final = 3
"""The first versions whose clients know THROTTLING_QUOTA_EXCEEDED (KIP-599)."""
_DUPLICATE: Final = "the topic is named twice in one request"


async def handle_create_topics(context: RequestContext, request: CreateTopicsRequest) -> CreateTopicsResponse:
    """Create topics; each succeeds or fails by itself, and a topic named twice is not created."""
    administration = context.services.administration
    if not administration.is_active:
        refused = [
            CreatableTopicResult(topic.name, error_code=_NOT_CONTROLLER, error_message=None) for topic in request.topics
        ]
        return CreateTopicsResponse(topics=refused)
    budget, config = context.start_budget(), context.services.config.current
    counts = Counter(await budget.collect(topic.name for topic in request.topics))
    wanted = await budget.collect(_new_topic(topic) for topic in request.topics if counts[topic.name] == 1)
    quota = mutation_quota(context, _CREATION_REFUSED_SINCE)
    results = await _with_timeout(
        context,
        request.timeout_ms,
        administration.create_topics(wanted, quota, validate_only=request.validate_only),
        [topic.name for topic in wanted],
    )
    topics: list[CreatableTopicResult] = []
    described: dict[frozenset[tuple[str, str | None]], list[CreatableTopicConfigs]] = {}
    sent: dict[str, dict[str, str | None]] = {}
    if not context.routes.profile.is_zookeeper_era:  # a KRaft controller answers the texts that it is sent
        sent = dict(await budget.collect((topic.name, dict(topic.configs or {})) for topic in wanted))
    for result in results:
        await budget.yield_if_due()
        topics.append(_created(result, config, sent.get(result.name), described))
        budget.charge(len(topics[-1].configs or ()) * _ENCODING_S)
    repeated = _repeated(counts)
    if context.routes.profile.is_zookeeper_era:  # which answers each as often as it is named
        repeated = [topic.name for topic in request.topics if counts[topic.name] > 1]
    topics += [
        CreatableTopicResult(name, error_code=ErrorCode.INVALID_REQUEST, error_message=_DUPLICATE) for name in repeated
    ]
    return CreateTopicsResponse(topics=topics, throttle_time_ms=await _throttle(context, quota))


def _new_topic(topic: CreatableTopic) -> NewTopic:
    return NewTopic(
        topic.name,
        topic.num_partitions,
        topic.replication_factor,
        [(each.partition_index, each.broker_ids) for each in topic.assignments],
        {each.name: each.value for each in topic.configs},
    )


def _created(
    result: TopicResult,
    config: BrokerConfig,
    sent: Mapping[str, str | None] | None,
    described: dict[frozenset[tuple[str, str | None]], list[CreatableTopicConfigs]],
) -> CreatableTopicResult:
    """Return the response for one topic.

    Args:
        result: the topic.
        config: the settings of this broker.
        sent: the topic's settings to answer, None for those of *result*.
        described: keeps the described settings for topics with the same ones.
    """
    topic = result.topic
    if topic is None:
        return CreatableTopicResult(result.name, error_code=result.error, error_message=result.message)
    texts: Mapping[str, str | None] = result.configs if sent is None else sent
    settings = frozenset(texts.items())
    if settings not in described:
        described[settings] = [
            CreatableTopicConfigs(
                each.name, texts.get(each.name, each.value), each.read_only, each.source, each.sensitive
            )
            for each in describe_topic(config, result.configs)
        ]
    return CreatableTopicResult(
        topic.name,
        topic.topic_id,
        error_message=None,
        num_partitions=len(topic.partitions),
        replication_factor=len(topic.partitions[0].replicas),
        configs=described[settings],
    )


async def handle_delete_topics(context: RequestContext, request: DeleteTopicsRequest) -> DeleteTopicsResponse:
    """Delete topics by name or id; a topic without an error in the response is not served any more."""
    wanted, budget = request.topics, context.start_budget()
    if context.version < _TOPICS_BY_ID_SINCE:
        wanted = await budget.collect(DeleteTopicState(name) for name in request.topic_names)
    if not context.services.administration.is_active:
        return DeleteTopicsResponse(responses=[_delete_error(each, _NOT_CONTROLLER) for each in wanted])
    if not context.services.config.current.delete_topic_enable:
        disabled = ErrorCode.TOPIC_DELETION_DISABLED
        code = disabled if context.version >= _DELETION_DISABLED_SINCE else ErrorCode.INVALID_REQUEST
        return DeleteTopicsResponse(responses=[_delete_error(each, code, disabled.meaning) for each in wanted])
    if request.timeout_ms <= 0 and not context.services.administration.completes_later:
        return DeleteTopicsResponse(responses=[_delete_error(each, ErrorCode.REQUEST_TIMED_OUT) for each in wanted])
    responses, valid = await _split_request(context, wanted, budget)
    quota = mutation_quota(context, _DELETION_REFUSED_SINCE)
    deletion = context.services.administration.delete_topics([each.topic for each in valid], quota)
    results = await _with_timeout(context, request.timeout_ms, deletion, [each.topic.name for each in valid])
    for (topic, state), result in zip(valid, results, strict=True):
        if result.error == ErrorCode.NONE:
            responses.append(DeletableTopicResult(topic.name, topic.topic_id))
        elif result.error == ErrorCode.UNKNOWN_TOPIC_ID:  # another request has deleted it meanwhile
            responses.append(_unknown(state))
        else:
            responses.append(_delete_error(state, result.error, result.message))
        await budget.yield_if_due()
    return DeleteTopicsResponse(responses=responses, throttle_time_ms=await _throttle(context, quota))


class _Deletion(NamedTuple):
    """A topic to be deleted, and how the request names it."""

    topic: TopicImage
    state: DeleteTopicState


async def _split_request(
    context: RequestContext, wanted: Sequence[DeleteTopicState], budget: LoopBudget
) -> tuple[list[DeletableTopicResult], list[_Deletion]]:
    """Return the responses to invalid entries of a request, and the topics to delete."""
    image = context.services.metadata.image
    invalid = ErrorCode.INVALID_REQUEST
    responses: list[DeletableTopicResult] = []
    names: Counter[str] = Counter()
    ids: Counter[bytes] = Counter()
    for state in wanted:
        await budget.yield_if_due()
        if state.name is not None and state.topic_id != ZERO_UUID:
            responses.append(_delete_error(state, invalid, "a topic is named by its name or by its id, not by both"))
        elif state.name is not None:
            names[state.name] += 1
        elif state.topic_id != ZERO_UUID:
            ids[state.topic_id] += 1
        else:
            responses.append(_delete_error(state, invalid, "a topic is named by neither name nor id"))
    duplicates = [*map(DeleteTopicState, _repeated(names)), *(DeleteTopicState(None, each) for each in _repeated(ids))]
    responses += await budget.collect(_delete_error(state, invalid, _DUPLICATE) for state in duplicates)
    valid: dict[bytes, _Deletion] = {}
    for topic_id, count in ids.items():
        await budget.yield_if_due()
        state, topic = DeleteTopicState(None, topic_id), image.topic_by_id(topic_id)
        if count == 1 and topic is None:
            responses.append(_unknown(state))
        elif count == 1 and topic is not None:
            valid[topic_id] = _Deletion(topic, state)
    named: list[_Deletion] = []
    for name, count in names.items():
        await budget.yield_if_due()
        if count > 1:
            continue
        topic = image.topic(name)
        if topic is None:
            responses.append(_unknown(DeleteTopicState(name)))
        elif topic.topic_id in ids:
            valid.pop(topic.topic_id, None)
            responses.append(_delete_error(DeleteTopicState(name, topic.topic_id), invalid, _DUPLICATE))
        else:
            named.append(_Deletion(topic, DeleteTopicState(name)))
    return responses, [*valid.values(), *named]


def _delete_error(state: DeleteTopicState, code: ErrorCode, message: str | None = None) -> DeletableTopicResult:
    return DeletableTopicResult(state.name, state.topic_id, code, message)


def _unknown(state: DeleteTopicState) -> DeletableTopicResult:
    code = ErrorCode.UNKNOWN_TOPIC_ID if state.name is None else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return _delete_error(state, code, code.meaning)


async def handle_create_partitions(
    context: RequestContext, request: CreatePartitionsRequest
) -> CreatePartitionsResponse:
    """Add partitions to topics; each succeeds or fails by itself, and a topic named twice does not grow."""
    administration = context.services.administration
    if not administration.is_active:
        refused = [CreatePartitionsTopicResult(topic.name, _NOT_CONTROLLER) for topic in request.topics]
        return CreatePartitionsResponse(results=refused)
    budget = context.start_budget()
    counts = Counter(await budget.collect(topic.name for topic in request.topics))
    wanted = await budget.collect(
        NewPartitions(
            topic.name,
            topic.count,
            None if topic.assignments is None else [each.broker_ids for each in topic.assignments],
        )
        for topic in request.topics
        if counts[topic.name] == 1
    )
    quota = mutation_quota(context, _GROWTH_REFUSED_SINCE)
    growth = administration.create_partitions(wanted, quota, validate_only=request.validate_only)
    results = await _with_timeout(context, request.timeout_ms, growth, [each.topic for each in wanted])
    answers = [CreatePartitionsTopicResult(name, ErrorCode.INVALID_REQUEST, _DUPLICATE) for name in _repeated(counts)]
    answers += await budget.collect(
        CreatePartitionsTopicResult(each.name, each.error, each.message) for each in results
    )
    return CreatePartitionsResponse(results=answers, throttle_time_ms=await _throttle(context, quota))


async def _throttle(context: RequestContext, quota: ControllerMutationQuota | None) -> int:
    """Throttle a client that is over *quota*, and return the throttle time in milliseconds."""
    throttle_ms = 0 if quota is None else quota.throttle_ms()
    if throttle_ms:
        await throttle(context, throttle_ms)
    return throttle_ms


async def _with_timeout(
    context: RequestContext, timeout_ms: int, change: Awaitable[list[TopicResult]], names: Sequence[str]
) -> list[TopicResult]:
    """Return the results of *change* of the topics *names*; REQUEST_TIMED_OUT for those that are not complete in time.

    A change that is complete when it returns does not even begin with a timeout of 0 or less.
    """
    results: list[TopicResult] | None = None
    metadata, budget = context.services.metadata, context.start_budget()
    with trio.move_on_after(max(timeout_ms, 0) / 1000):
        results = await change
        for result in results:
            await metadata.wait_for(result.is_complete)
            await budget.yield_if_due()
    if results is None:
        return await budget.collect(TopicResult(name, ErrorCode.REQUEST_TIMED_OUT) for name in names)
    image = metadata.image
    return await budget.collect(
        each if each.is_complete(image) else TopicResult(each.name, ErrorCode.REQUEST_TIMED_OUT) for each in results
    )


def _repeated(counts: Counter[T]) -> Iterable[T]:
    return [name for name, count in counts.items() if count > 1]
