"""Fetch (key 1): file ranges of partitions, from an offset on, now or when enough has come.

Spec: protocol_specs/01_fetch.  Serves v0-v18; what v0-v3 get is converted to the old message formats (old_fetch.py).
KIPs: 74 max_bytes and partition order, 98 isolation level, 110 zstd (v10), 227 sessions, 320 leader epochs,
283 lazy down-conversion, 516 topic ids (v13), 595 diverging epochs (v12), 903 replica state (v15), 951 leaders (v16).
Waits: until min_bytes can be read, max_wait_ms is over, or a partition answers an error.
Records are ranges of log files; they leave by sendfile and never enter Python (but for v0-v3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from wirebroker.clock import now_ms
from wirebroker.handlers.fetch_plan import FetchItem, plan_fetch
from wirebroker.handlers.metadata import describe_brokers
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.protocol.messages.fetch import (
    AbortedTransaction,
    EpochEndOffset,
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
)
from wirebroker.record.compression import Codec
from wirebroker.replication.waiting import Waiter
from wirebroker.storage.aborted_look import LongWalk

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext
    from wirebroker.handlers.fetch_plan import FetchPlan
    from wirebroker.replication.fetch_session import SessionPartition
    from wirebroker.replication.partition import Partition

FORMAT_2_SINCE: Final = 4
_ONE_BATCH_SINCE: Final = 3
"""Before it a partition's limit holds for the first batch, too; see old_fetch.py."""
_TOPIC_IDS_SINCE: Final = 13
_REPLICA_STATE_SINCE: Final = 15
_DEBUGGING_CONSUMER: Final = -2
_READ_COMMITTED: Final = 1
_STORAGE_ERROR_SINCE: Final = 6
_ZSTD_SINCE: Final = 10
_LEADERS_NAMED_SINCE: Final = 16
_LEADER_ERRORS: Final = frozenset({ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH})


async def handle_fetch(context: RequestContext, request: FetchRequest) -> FetchResponse:
    """Answer with what can be read, after waiting for it if the client asked for that."""
    services = context.services
    try:
        plan = plan_fetch(
            request,
            services.fetch_sessions,
            now_ms(),
            by_id=context.version >= _TOPIC_IDS_SINCE,
            with_sessions=context.version >= 7,
            image=services.metadata.image,
            follower=_replica_id(context.version, request) >= 0,
        )
    except ApiError as fault:
        return FetchResponse(error_code=fault.code)
    if request.isolation_level not in (0, 1):
        # 3.9.1 answers every partition, and from v7 on the top level, with UNKNOWN_SERVER_ERROR.
        answers = [(item, failed(item, ErrorCode.UNKNOWN_SERVER_ERROR)) for item in plan.items]
        return _response(plan, answers, ErrorCode.UNKNOWN_SERVER_ERROR)
    deadline = trio.current_time() + request.max_wait_ms / 1000
    min_bytes = min(request.min_bytes, _max_bytes(context, request))
    while True:
        try:
            answers, size_bytes, at_once = _read(context, request, plan)
        except LongWalk as walk:
            await walked(context, walk)
            continue
        if (
            at_once
            or size_bytes >= min_bytes
            or request.max_wait_ms <= 0
            or not answers
            or services.stopping
            or (remaining_s := deadline - trio.current_time()) <= 0
        ):
            if context.version < FORMAT_2_SINCE:
                from wirebroker.handlers.old_fetch import down_convert_answers

                if not await down_convert_answers(context, answers):
                    continue
            response = _response(plan, answers, ErrorCode.NONE)
            if at_once and context.version >= _LEADERS_NAMED_SINCE:
                _name_leaders(context, response)
            return response
        with trio.move_on_after(remaining_s), Waiter(_partitions(context, plan)) as waiter:
            await waiter.wait()


def _replica_id(version: int, request: FetchRequest) -> int:
    """The broker that fetches as a follower; negative for a consumer.  From v15 on in replica_state (KIP-903)."""
    return request.replica_id if version < _REPLICA_STATE_SINCE else request.replica_state.replica_id


def _max_bytes(context: RequestContext, request: FetchRequest) -> int:
    """The most that the whole response may hold; a larger min_bytes could never be reached and counts as this."""
    return min(request.max_bytes, context.services.config.fetch_max_bytes)


async def walked(context: RequestContext, walk: LongWalk) -> None:
    """Do in a thread what must be done before the log can answer."""
    await trio.to_thread.run_sync(walk.run, abandon_on_cancel=True, limiter=context.services.replicas.walkers)


def _partitions(context: RequestContext, plan: FetchPlan) -> list[Partition]:
    found = (context.services.replicas.find(item.topic, item.index) for item in plan.items if item.topic is not None)
    return [partition for partition in found if partition is not None]


def _read(
    context: RequestContext, request: FetchRequest, plan: FetchPlan
) -> tuple[list[tuple[FetchItem, PartitionData]], int, bool]:
    """Read every partition in the request's order: (answers, bytes of records, must not wait)."""
    left_bytes = _max_bytes(context, request)
    committed = request.isolation_level == _READ_COMMITTED
    replica_id = _replica_id(context.version, request)
    debugging = replica_id == _DEBUGGING_CONSUMER
    size_bytes = 0
    at_once = False
    hard_limit = context.version < _ONE_BATCH_SINCE
    answers: list[tuple[FetchItem, PartitionData]] = []
    for item in plan.items:
        try:
            if item.error is not None:
                raise ApiError(item.error)
            assert item.topic is not None
            partition = context.services.replicas.get(item.topic, item.index)
            asked = item.asked
            partition.check_leader_epoch(asked.current_leader_epoch)
            if replica_id >= 0:
                # No replica is a follower of this one.  A client that knows the leader epoch is told that the pair of
                # replica and epoch is unknown, an older one that it asks the wrong broker (as Apache Kafka 3.9.1 does).
                known_epoch = asked.current_leader_epoch >= 0
                raise ApiError(ErrorCode.UNKNOWN_LEADER_EPOCH if known_epoch else ErrorCode.NOT_LEADER_OR_FOLLOWER)
            if context.version < _ZSTD_SINCE:
                _check_version(context.version, partition)
            diverging = None if asked.last_fetched_epoch < 0 else _diverging(partition, asked)
            if diverging is not None:
                at_once = True
                answers.append((item, diverging))
                continue
            result = partition.read(
                asked.fetch_offset,
                min(asked.max_bytes, left_bytes),
                committed=committed,
                debugging=debugging,
                min_one_batch=size_bytes == 0 or hard_limit,
            )
        except ApiError as fault:
            at_once = True
            code = fault.code
            if code == ErrorCode.KAFKA_STORAGE_ERROR and context.version < _STORAGE_ERROR_SINCE:
                code = ErrorCode.NOT_LEADER_OR_FOLLOWER
            answers.append((item, failed(item, code)))
            continue
        read_bytes = result.records.size_bytes
        size_bytes += read_bytes
        left_bytes = max(0, left_bytes - read_bytes)
        answer = PartitionData(
            partition_index=item.index,
            high_watermark=result.high_watermark,
            last_stable_offset=result.last_stable_offset,
            log_start_offset=result.log_start_offset,
            records=result.records if read_bytes else b"",
        )
        aborted = result.aborted
        answer.aborted_transactions = None if aborted is None else [AbortedTransaction(*each) for each in aborted]
        answers.append((item, answer))
    return answers, size_bytes, at_once


def _check_version(version: int, partition: Partition) -> None:
    if partition.rules.codec is Codec.ZSTD:
        raise ApiError(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE)
    if version < FORMAT_2_SINCE and not partition.log.config.message_downconversion_enable:
        raise ApiError(ErrorCode.UNSUPPORTED_VERSION)


def _diverging(partition: Partition, asked: SessionPartition) -> PartitionData | None:
    """What tells a client that its log went another way than ours (KIP-595), None if it did not.

    Raises:
        ApiError: the epoch that it fetched last is none of ours.
    """
    epoch, end_offset = partition.log.end_offset_for_epoch(asked.last_fetched_epoch)
    if epoch < 0:
        raise ApiError(ErrorCode.OFFSET_OUT_OF_RANGE)
    if epoch == asked.last_fetched_epoch and end_offset >= asked.fetch_offset:
        return None
    high_watermark = partition.high_watermark
    return PartitionData(
        partition_index=partition.topic_partition.partition,
        high_watermark=high_watermark,
        last_stable_offset=partition.last_stable_offset,
        log_start_offset=partition.log.log_start_offset,
        diverging_epoch=EpochEndOffset(epoch, end_offset),
        aborted_transactions=None,
        records=b"",
    )


_UNREAD: Final = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.UNSUPPORTED_COMPRESSION_TYPE,
        ErrorCode.UNSUPPORTED_VERSION,
        ErrorCode.UNKNOWN_SERVER_ERROR,
    }
)
"""Refusals without a look at the log, which have an empty list of aborted transactions (seen on 3.9.1)."""


_NULL_RECORDS: Final = frozenset({ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, ErrorCode.UNSUPPORTED_VERSION})


def failed(item: FetchItem, code: ErrorCode) -> PartitionData:
    """The answer for a partition that cannot be read."""
    return PartitionData(
        partition_index=item.index,
        error_code=code,
        high_watermark=-1,
        last_stable_offset=-1,
        log_start_offset=-1,
        aborted_transactions=[] if code in _UNREAD else None,
        records=None if code in _NULL_RECORDS else b"",
    )


def _response(plan: FetchPlan, answers: list[tuple[FetchItem, PartitionData]], code: ErrorCode) -> FetchResponse:
    """Group by topic in the request's order, leaving out what an incremental session need not say again."""
    topics: list[FetchableTopicResponse] = []
    for item, answer in answers:
        said = item.asked.must_answer(
            has_records=bool(answer.records),
            error=bool(answer.error_code),
            high_watermark=answer.high_watermark,
            log_start_offset=answer.log_start_offset,
        )
        if plan.incremental:
            if not said:
                continue
            if answer.records:
                plan.rotate(item)
        last = topics[-1] if topics else None
        if last is None or last.topic != item.key.topic or last.topic_id != item.key.topic_id:
            last = FetchableTopicResponse(topic=item.key.topic, topic_id=item.key.topic_id)
            topics.append(last)
        last.partitions.append(answer)
    return FetchResponse(error_code=code, session_id=plan.session_id, responses=topics)


def _name_leaders(context: RequestContext, response: FetchResponse) -> None:
    """Add the leader to partitions whose client believes in another one, and where that is reached (KIP-951)."""
    image = context.services.metadata.image
    leaders: set[int] = set()
    for topic in response.responses:
        known = image.topic_by_id(topic.topic_id)
        for answer in topic.partitions if known is not None else ():
            if answer.error_code in _LEADER_ERRORS:
                assert known is not None
                partition = known.partitions[answer.partition_index]
                answer.current_leader = LeaderIdAndEpoch(partition.leader, partition.leader_epoch)
                leaders.add(partition.leader)
    if leaders:
        brokers = describe_brokers(context, image)
        response.node_endpoints = [NodeEndpoint(*broker) for broker in brokers if broker.node_id in leaders]
