"""Produce (key 0): append record batches to partitions this broker leads.

Spec: protocol_specs/00_produce (v0-v13); v0-v2 carry message sets of the old formats, or a batch.
KIPs: 98 idempotence and transactions, 467 record errors, 516 topic ids (v13), 951 leader hints (never needed alone).
Waits: for a disk that is slow, for a thread that checks a large batch, and for the coordinator of a transaction (see
produce_transactions.py).  With acks=all and more than one in-sync replica the response waits, when all partitions are
written, until they have the records; the connection serves its next requests meanwhile (`RequestContext.delayed`).
acks=0 sends nothing back, but an error closes the connection, so that the client reads metadata anew.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from wirebroker.clock import now_ms
from wirebroker.handlers.response_errors import count_errors
from wirebroker.handlers.throttling import throttle_produce
from wirebroker.model import INTERNAL_TOPICS
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError, ProtocolError
from wirebroker.protocol.messages.produce import (
    BatchIndexAndErrorMessage,
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceResponse,
)
from wirebroker.record.errors import RecordValidationError
from wirebroker.record.record_batch import MAGIC_AT, TRANSACTIONAL
from wirebroker.record.validate import check_frame, read_header
from wirebroker.replication.errors import PartitionError, translated_errors
from wirebroker.storage.verification_guard import VerificationGuard

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext
    from wirebroker.handlers.produce_transactions import VerificationResults
    from wirebroker.loop_budget import LoopBudget
    from wirebroker.record.record_batch import RecordBatch
    from wirebroker.replication.partition import Partition

_ADMIN_CLIENT_ID: Final = "__admin_client"
_FORMAT_2_ONLY_SINCE: Final = 3
_ZSTD_SINCE: Final = 7
_NEWEST_MAGIC: Final = 2
_TOPIC_IDS_SINCE: Final = 13
_BY_RECORD: Final = frozenset({ErrorCode.INVALID_RECORD, ErrorCode.INVALID_TIMESTAMP})
"""The errors of a batch of which single records break a rule of the topic."""


async def handle_produce(context: RequestContext, request: ProduceRequest) -> ProduceResponse | None:
    """Append the records of every partition; each succeeds or fails alone.

    Returns None for acks=0.

    Raises:
        ProtocolError: a partition of a request with acks=0 failed.
    """
    acks = request.acks
    refused: ApiError | None = None
    names = None if context.version < _TOPIC_IDS_SINCE else _names_by_id(context, request)
    headers: list[RecordBatch | None] = []
    transactional: list[tuple[str | None, int, RecordBatch]] = []
    budget: LoopBudget | None = None
    for topic in request.topic_data:
        for data in topic.partition_data:
            if headers:  # a request of one partition pays nothing for it
                budget = budget or context.start_budget()
                await budget.yield_if_due()
            header = read_header(data.records)
            headers.append(header)
            if header is not None and header.attributes & TRANSACTIONAL:
                name = topic.name if names is None else names.get(topic.topic_id)
                transactional.append((name, data.index, header))
    verifications: VerificationResults | None = None
    if transactional:
        from wirebroker.handlers.produce_transactions import verify_transaction  # most producers have none

        try:
            verifications = await verify_transaction(context, request.transactional_id, transactional)
        except ApiError as error:
            refused = error
    failed = False
    responses: list[TopicProduceResponse] = []
    left = iter(headers)
    for topic in request.topic_data:
        name = topic.name if names is None else names.get(topic.topic_id)
        answers: list[PartitionProduceResponse] = []
        for data in topic.partition_data:
            header = next(left)
            if budget is not None:
                await budget.yield_if_due()
            if refused is not None:
                answer = _refusal(data.index, refused)
            elif name is None:
                answer = _refusal(data.index, ApiError(ErrorCode.UNKNOWN_TOPIC_ID))
            else:
                verification = None
                if verifications is not None and header is not None and header.attributes & TRANSACTIONAL:
                    verification = verifications.get((name, data.index), VerificationGuard.SENTINEL)
                answer = await _append(context, name, data, header, acks, verification)
            if answer.error_code:
                failed = True
            answers.append(answer)
        if answers:  # a topic with none is left out of the answer
            responses.append(TopicProduceResponse(topic.name, topic.topic_id, answers))
    throttle_ms = 0
    if context.services.quotas.produce.enabled:
        throttle_ms = await throttle_produce(context, acks)
    if acks == 0:
        if failed:
            raise ProtocolError("a Produce with acks=0 failed")
        return None
    if context.delayed is not None:
        _wait_for_replicas(context, request.timeout_ms)
    response = ProduceResponse(responses, throttle_ms)
    if failed:
        await count_errors(context, response)
    return response


def _delay(
    context: RequestContext, partition: Partition, required_offset: int, answer: PartitionProduceResponse
) -> None:
    """Have the request wait until the in-sync replicas have the records of *partition* below *required_offset*."""
    from wirebroker.replication.delayed_produce import DelayedProduce  # most brokers have no other replicas

    operation = context.delayed
    if operation is None:
        code_for = partial(_code_for, version=context.version)
        operation = context.delayed = DelayedProduce(context.services.replicas.get, code_for)
    assert isinstance(operation, DelayedProduce)
    operation.add(partition, required_offset, answer)


def _wait_for_replicas(context: RequestContext, timeout_ms: int) -> None:
    """Begin to wait, now that everything is written; the connection sends the response when it is complete."""
    from wirebroker.replication.delayed_produce import DelayedProduce

    purgatory, operation = context.services.replicas.purgatories.produce, context.delayed
    assert isinstance(operation, DelayedProduce)
    if purgatory.try_complete_else_watch(operation, purgatory.timer.now_ms() + timeout_ms):
        context.delayed = None


def _names_by_id(context: RequestContext, request: ProduceRequest) -> dict[bytes, str]:
    """The names of the topics of a request that names them by id, but of those that are unknown."""
    image = context.services.metadata.image
    topics = (image.topic_by_id(topic.topic_id) for topic in request.topic_data)
    return {topic.topic_id: topic.name for topic in topics if topic is not None}


def _refusal(index: int, error: ApiError) -> PartitionProduceResponse:
    return PartitionProduceResponse(index=index, error_code=error.code, base_offset=-1, error_message=error.detail)


async def _append(
    context: RequestContext,
    topic: str,
    data: PartitionProduceData,
    header: RecordBatch | None,
    acks: int,
    verification: VerificationGuard | ApiError | None,
) -> PartitionProduceResponse:
    """Append the records of one partition, and return its response."""
    version = context.version
    partition: Partition | None = None
    try:
        if topic in INTERNAL_TOPICS or not -1 <= acks <= 1:
            _check_target(context, topic, data, acks, verification)
        partition = context.services.replicas.get(topic, data.index)
        if version < _FORMAT_2_ONLY_SINCE:
            # 3 ms and 0.2 MB that a broker without old clients and topics saves
            from wirebroker.replication.legacy_append import append_message_set

            appended = await append_message_set(partition, data.records, now_ms(), acks=acks)
            partition.stats.produce_requests += 1
            if appended is None:  # an empty set is no error
                return PartitionProduceResponse(data.index, 0, -1, -1, -1)
            answer = PartitionProduceResponse(data.index, 0, appended.base_offset, appended.log_append_time)
            if acks == -1 and appended.last_offset >= partition.high_watermark:
                _delay(context, partition, appended.last_offset + 1, answer)
            return answer
        zstd_allowed = version >= _ZSTD_SINCE
        if isinstance(verification, ApiError):
            with translated_errors():  # Apache Kafka looks at the records before it asks the coordinator
                check_frame(data.records, zstd_allowed=zstd_allowed)
            return _refusal(data.index, verification)
        if partition.rules.magic == 2:
            result = await partition.append(
                data.records, header, now_ms(), acks=acks, zstd_allowed=zstd_allowed, guard=verification
            )
        else:
            from wirebroker.replication.legacy_append import append_down_converted

            result = await append_down_converted(
                partition, data.records, now_ms(), acks=acks, zstd_allowed=zstd_allowed
            )
    except PartitionError as error:
        if partition is not None and _is_framed(data.records, version):
            partition.stats.produce_requests += 1
        topic_stats = context.services.replicas.topic_stats
        log_start_offset = error.log_start_offset
        if error.code in _BY_RECORD and not context.routes.profile.has_record_errors:
            log_start_offset = -1
        if log_start_offset >= 0:  # Apache Kafka counts the failures with which it answers the log start offset
            topic_stats.produce_failed(topic)
        topic_stats.records_refused(topic, error.__cause__, len(data.records or b""))
        return PartitionProduceResponse(
            index=data.index,
            error_code=_code_for(error.code, version),
            base_offset=-1,
            log_start_offset=log_start_offset,
            record_errors=[BatchIndexAndErrorMessage(index, error.detail) for index in error.record_indexes],
            error_message=error.detail if error.record_indexes or _has_unknown_magic(data.records) else None,
        )
    partition.stats.produce_requests += 1
    answer = PartitionProduceResponse(
        data.index, 0, result.base_offset, result.log_append_time, result.log_start_offset
    )
    if result.last_offset >= partition.high_watermark and acks == -1:  # with one in-sync replica all is committed
        _delay(context, partition, result.last_offset + 1, answer)
    return answer


def _check_target(
    context: RequestContext,
    topic: str,
    data: PartitionProduceData,
    acks: int,
    verification: VerificationGuard | ApiError | None,
) -> None:
    """Refuse *acks* that there are not, and writes of clients to internal topics.

    Apache Kafka looks at both when it is about to append: another fault of the partition is answered instead.

    Raises:
        PartitionError: the records are not to be appended.
    """
    if context.services.metadata.image.partition(topic, data.index) is None:
        raise PartitionError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    if context.version >= _FORMAT_2_ONLY_SINCE:
        with translated_errors():
            check_frame(data.records, zstd_allowed=context.version >= _ZSTD_SINCE)
    if isinstance(verification, ApiError):
        raise PartitionError(verification.code, verification.detail)
    if not -1 <= acks <= 1:
        raise PartitionError(ErrorCode.INVALID_REQUIRED_ACKS)
    if context.client_id != _ADMIN_CLIENT_ID:
        raise PartitionError(ErrorCode.INVALID_TOPIC_EXCEPTION, f"{topic} is internal")


def _has_unknown_magic(records: memoryview | None) -> bool:
    """Return whether *records* are of a format to come: an error with a message in Apache Kafka, as that of records."""
    return records is not None and len(records) > MAGIC_AT and records[MAGIC_AT] > _NEWEST_MAGIC


def _is_framed(records: memoryview | None, version: int) -> bool:
    """Return whether *records* are one batch as *version* carries it; Apache Kafka counts no request with others."""
    if version < _FORMAT_2_ONLY_SINCE:
        return True
    try:
        check_frame(records, zstd_allowed=version >= _ZSTD_SINCE)
    except RecordValidationError:
        return False
    return True


def _code_for(code: ErrorCode, version: int) -> ErrorCode:
    """Return *code* as clients of *version* know it: KAFKA_STORAGE_ERROR came with v4 (KIP-112)."""
    if code == ErrorCode.KAFKA_STORAGE_ERROR and version <= 3:
        return ErrorCode.NOT_LEADER_OR_FOLLOWER
    return code
