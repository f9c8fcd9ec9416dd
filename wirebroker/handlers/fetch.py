"""Fetch (key 1): file ranges of partitions, from an offset on, now or when enough has come.

Spec: protocol_specs/01_fetch.  Serves v4-v17; v0-v3 with the old message formats are refused.
KIPs: 74 max_bytes and partition order, 98 isolation level, 227 sessions, 320 leader epochs, 516 topic ids (v13).
Waits: until min_bytes can be read, max_wait_ms is over, or a partition answers an error.
Records are ranges of log files; they leave by sendfile and never enter Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from wirebroker.clock import now_ms
from wirebroker.handlers.fetch_plan import FetchItem, plan_fetch
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.protocol.messages.fetch import (
    AbortedTransaction,
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    PartitionData,
)
from wirebroker.replication.waiting import Waiter

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext
    from wirebroker.handlers.fetch_plan import FetchPlan
    from wirebroker.replication.partition import Partition

_TOPIC_IDS_SINCE: Final = 13
_DEBUGGING_CONSUMER: Final = -2
_READ_COMMITTED: Final = 1
_STORAGE_ERROR_SINCE: Final = 6


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
        )
    except ApiError as fault:
        return FetchResponse(error_code=fault.code)
    if request.isolation_level not in (0, 1):
        # 3.9.1 answers every partition, and from v7 on the top level, with UNKNOWN_SERVER_ERROR.
        answers = [(item, _failed(item, ErrorCode.UNKNOWN_SERVER_ERROR)) for item in plan.items]
        return _response(plan, answers, ErrorCode.UNKNOWN_SERVER_ERROR)
    deadline = trio.current_time() + request.max_wait_ms / 1000
    while True:
        answers, size_bytes, at_once = _read(context, request, plan)
        if at_once or size_bytes >= request.min_bytes or request.max_wait_ms <= 0 or not answers:
            return _response(plan, answers, ErrorCode.NONE)
        remaining_s = deadline - trio.current_time()
        if remaining_s <= 0:
            return _response(plan, answers, ErrorCode.NONE)
        with trio.move_on_after(remaining_s), Waiter(_partitions(context, plan)) as waiter:
            await waiter.wait()


def _partitions(context: RequestContext, plan: FetchPlan) -> list[Partition]:
    found = (context.services.replicas.find(item.topic, item.index) for item in plan.items if item.topic is not None)
    return [partition for partition in found if partition is not None]


def _read(
    context: RequestContext, request: FetchRequest, plan: FetchPlan
) -> tuple[list[tuple[FetchItem, PartitionData]], int, bool]:
    """Read every partition in the request's order: (answers, bytes of records, must not wait)."""
    left_bytes = min(request.max_bytes, context.services.config.fetch_max_bytes)
    committed = request.isolation_level == _READ_COMMITTED
    debugging = request.replica_id == _DEBUGGING_CONSUMER
    size_bytes = 0
    at_once = False
    answers: list[tuple[FetchItem, PartitionData]] = []
    for item in plan.items:
        try:
            if item.error is not None:
                raise ApiError(item.error)
            assert item.topic is not None
            partition = context.services.replicas.get(item.topic, item.index)
            if request.replica_id >= 0:
                # There are no followers here; 3.9.1 answers a stranger the same way.
                raise ApiError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
            asked = item.asked
            partition.check_leader_epoch(asked.current_leader_epoch)
            result = partition.read(
                asked.fetch_offset,
                min(asked.max_bytes, left_bytes),
                committed=committed,
                debugging=debugging,
                min_one_batch=size_bytes == 0,
            )
        except ApiError as fault:
            at_once = True
            code = fault.code
            if code == ErrorCode.KAFKA_STORAGE_ERROR and context.version < _STORAGE_ERROR_SINCE:
                code = ErrorCode.NOT_LEADER_OR_FOLLOWER
            answers.append((item, _failed(item, code)))
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
        if result.aborted is not None:
            answer.aborted_transactions = [AbortedTransaction(*each) for each in result.aborted]
        else:
            answer.aborted_transactions = None
        answers.append((item, answer))
    return answers, size_bytes, at_once


def _failed(item: FetchItem, code: ErrorCode) -> PartitionData:
    return PartitionData(
        partition_index=item.index,
        error_code=code,
        high_watermark=-1,
        last_stable_offset=-1,
        log_start_offset=-1,
        aborted_transactions=None,
        records=b"",
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
