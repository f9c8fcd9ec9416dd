"""Topics come, grow and go: CreateTopics (key 19), DeleteTopics (key 20), CreatePartitions (key 37).

Specs: protocol_specs/19_create_topics (v0-v7), 20_delete_topics (v0-v6), 37_create_partitions (v0-v3).
KIPs: 4, 195 partitions, 464 defaults by -1, 516 topic ids, 525 the new topic's settings in the answer.
Waits: until the decision is durable and its logs are made or renamed, or timeout_ms is over; what was begun is finished
even so.  A timeout of 0 or less does nothing at all, as in 3.9.1.
Not done: topic creation policies and mutation quotas.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, TypeVar

import trio

from wirebroker.config.describe import describe_topic
from wirebroker.controller.topic_rules import NewPartitions, NewTopic
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
    from collections.abc import Awaitable, Iterable, Sequence

    from wirebroker.config.server import BrokerConfig
    from wirebroker.controller.controller import TopicResult
    from wirebroker.handlers.context import RequestContext

T = TypeVar("T")

_ENCODING_S: Final = 1e-6
"""What it takes to encode one setting."""
_TOPICS_BY_ID_SINCE: Final = 6
_DELETION_DISABLED_SINCE: Final = 3
_TWICE: Final = "the topic is named twice in one request"


async def handle_create_topics(context: RequestContext, request: CreateTopicsRequest) -> CreateTopicsResponse:
    """Create topics; each succeeds or fails alone, and a name given twice is not created at all."""
    counts = Counter(topic.name for topic in request.topics)
    wanted = [topic for topic in request.topics if counts[topic.name] == 1]
    controller = context.services.controller
    results = await _in_time(
        request.timeout_ms,
        controller.create_topics([_new_topic(topic) for topic in wanted], validate_only=request.validate_only),
    )
    topics = [
        CreatableTopicResult(topic.name, error_code=ErrorCode.REQUEST_TIMED_OUT, error_message=None)
        for topic in wanted
        if results is None
    ]
    turns, config = context.start_turns(), context.services.config
    alike: dict[frozenset[tuple[str, str]], list[CreatableTopicConfigs]] = {}
    for result in results or ():
        await turns.yield_if_due()
        topics.append(_created(result, config, alike))
        turns.charge(len(topics[-1].configs or ()) * _ENCODING_S)
    topics += [
        CreatableTopicResult(name, error_code=ErrorCode.INVALID_REQUEST, error_message=_TWICE)
        for name in _repeated(counts)
    ]
    return CreateTopicsResponse(topics=topics)


def _new_topic(topic: CreatableTopic) -> NewTopic:
    return NewTopic(
        topic.name,
        topic.num_partitions,
        topic.replication_factor,
        [(each.partition_index, each.broker_ids) for each in topic.assignments],
        {each.name: each.value for each in topic.configs},
    )


def _created(
    result: TopicResult, config: BrokerConfig, alike: dict[frozenset[tuple[str, str]], list[CreatableTopicConfigs]]
) -> CreatableTopicResult:
    """The answer for one topic; *alike* holds the described settings of those before it."""
    topic = result.topic
    if topic is None:
        return CreatableTopicResult(result.name, error_code=result.error, error_message=result.message)
    settings = frozenset(result.configs.items())
    if settings not in alike:
        alike[settings] = [
            CreatableTopicConfigs(each.name, each.value, each.read_only, each.source, each.sensitive)
            for each in describe_topic(config, result.configs)
        ]
    return CreatableTopicResult(
        topic.name,
        topic.topic_id,
        error_message=None,
        num_partitions=len(topic.partitions),
        replication_factor=len(topic.partitions[0].replicas),
        configs=alike[settings],
    )


async def handle_delete_topics(context: RequestContext, request: DeleteTopicsRequest) -> DeleteTopicsResponse:
    """Delete topics by name or id; they are gone when the answer says so."""
    wanted = request.topics
    if context.version < _TOPICS_BY_ID_SINCE:
        wanted = [DeleteTopicState(name) for name in request.topic_names]
    if not context.services.config.delete_topic_enable:
        disabled = ErrorCode.TOPIC_DELETION_DISABLED
        code = disabled if context.version >= _DELETION_DISABLED_SINCE else ErrorCode.INVALID_REQUEST
        return DeleteTopicsResponse(responses=[_undeleted(each, code, disabled.meaning) for each in wanted])
    if request.timeout_ms <= 0:
        return DeleteTopicsResponse(responses=[_undeleted(each, ErrorCode.REQUEST_TIMED_OUT) for each in wanted])
    responses, doomed = _sort_out(context, wanted)
    ids = list(doomed)
    results = await _in_time(request.timeout_ms, context.services.controller.delete_topics(ids))
    for at, topic_id in enumerate(ids):
        state = doomed[topic_id]
        if results is None:
            responses.append(_undeleted(state, ErrorCode.REQUEST_TIMED_OUT))
            continue
        _, code, message, topic, _ = results[at]
        if topic is not None:
            responses.append(DeletableTopicResult(topic.name, topic_id))
        elif code == ErrorCode.UNKNOWN_TOPIC_ID:  # somebody else's request was faster
            responses.append(_unknown(state))
        else:
            responses.append(_undeleted(state, code, message))
    return DeleteTopicsResponse(responses=responses)


def _sort_out(
    context: RequestContext, wanted: Sequence[DeleteTopicState]
) -> tuple[list[DeletableTopicResult], dict[bytes, DeleteTopicState]]:
    """The answers to what cannot be deleted, and who asked for what can: topic id -> entry of the request."""
    image = context.services.metadata.image
    invalid = ErrorCode.INVALID_REQUEST
    responses: list[DeletableTopicResult] = []
    names: Counter[str] = Counter()
    ids: Counter[bytes] = Counter()
    for state in wanted:
        if state.name is not None and state.topic_id != ZERO_UUID:
            responses.append(_undeleted(state, invalid, "a topic is named by its name or by its id, not by both"))
        elif state.name is not None:
            names[state.name] += 1
        elif state.topic_id != ZERO_UUID:
            ids[state.topic_id] += 1
        else:
            responses.append(_undeleted(state, invalid, "a topic is named by neither name nor id"))
    responses += [_undeleted(DeleteTopicState(name), invalid, _TWICE) for name in _repeated(names)]
    responses += [_undeleted(DeleteTopicState(None, topic_id), invalid, _TWICE) for topic_id in _repeated(ids)]
    doomed: dict[bytes, DeleteTopicState] = {}
    for topic_id, count in ids.items():
        state = DeleteTopicState(None, topic_id)
        if count == 1 and image.topic_by_id(topic_id) is None:
            responses.append(_unknown(state))
        elif count == 1:
            doomed[topic_id] = state
    for name, count in names.items():
        if count > 1:
            continue
        topic = image.topic(name)
        if topic is None:
            responses.append(_unknown(DeleteTopicState(name)))
        elif topic.topic_id in ids:
            doomed.pop(topic.topic_id, None)
            responses.append(_undeleted(DeleteTopicState(name, topic.topic_id), invalid, _TWICE))
        else:
            doomed[topic.topic_id] = DeleteTopicState(name)
    return responses, doomed


def _undeleted(state: DeleteTopicState, code: ErrorCode, message: str | None = None) -> DeletableTopicResult:
    return DeletableTopicResult(state.name, state.topic_id, code, message)


def _unknown(state: DeleteTopicState) -> DeletableTopicResult:
    code = ErrorCode.UNKNOWN_TOPIC_ID if state.name is None else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return _undeleted(state, code, code.meaning)


async def handle_create_partitions(
    context: RequestContext, request: CreatePartitionsRequest
) -> CreatePartitionsResponse:
    """Let topics grow; each succeeds or fails alone, and one named twice does not grow at all."""
    counts = Counter(topic.name for topic in request.topics)
    wanted = [
        NewPartitions(
            topic.name,
            topic.count,
            None if topic.assignments is None else [each.broker_ids for each in topic.assignments],
        )
        for topic in request.topics
        if counts[topic.name] == 1
    ]
    controller = context.services.controller
    results = await _in_time(
        request.timeout_ms, controller.create_partitions(wanted, validate_only=request.validate_only)
    )
    answers = [CreatePartitionsTopicResult(name, ErrorCode.INVALID_REQUEST, _TWICE) for name in _repeated(counts)]
    if results is None:
        answers += [CreatePartitionsTopicResult(each.topic, ErrorCode.REQUEST_TIMED_OUT) for each in wanted]
    else:
        answers += [CreatePartitionsTopicResult(each.name, each.error, each.message) for each in results]
    return CreatePartitionsResponse(results=answers)


async def _in_time(timeout_ms: int, decision: Awaitable[T]) -> T | None:
    """What *decision* returns; None when *timeout_ms* was over first, and nothing was begun when it is 0 or less."""
    with trio.move_on_after(max(timeout_ms, 0) / 1000):
        return await decision
    return None


def _repeated(counts: Counter[T]) -> Iterable[T]:
    return [name for name, count in counts.items() if count > 1]
