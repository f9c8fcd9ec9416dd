"""Produce (key 0): append record batches to partitions this broker leads.

Spec: protocol_specs/00_produce.  Serves v0-v13; v0-v2 carry message sets of the old formats, or a batch.
KIPs: 98 idempotence and transactions, 467 record errors, 516 topic ids (v13), 951 leader hints (never needed alone).
Waits: for a disk that is slow, for a thread that checks a large batch, and for the coordinator of a transaction (see
produce_transactions.py); with one replica there is nobody else to wait for, so acks=1 and -1 differ only where more
replicas must be in sync than are.
acks=0 sends nothing back, but an error closes the connection, so that the client reads metadata anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from wirebroker.clock import now_ms
from wirebroker.handlers.produce_transactions import admit, is_transactional
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError, ProtocolError
from wirebroker.protocol.messages.produce import (
    BatchIndexAndErrorMessage,
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
    TopicProduceResponse,
)
from wirebroker.record.validate import NotOneBatch, RecordsRefused, check_frame
from wirebroker.storage.verification import ONGOING
from wirebroker.turns import Turns

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext
    from wirebroker.handlers.produce_transactions import Admitted

_ADMIN_CLIENT_ID: Final = "__admin_client"
_INTERNAL: Final = frozenset({"__consumer_offsets", "__transaction_state"})
_FORMAT_2_ONLY_SINCE: Final = 3
_ZSTD_SINCE: Final = 7
_TOPIC_IDS_SINCE: Final = 13


async def handle_produce(context: RequestContext, request: ProduceRequest) -> ProduceResponse | None:
    """Append every partition's batch; each succeeds or fails alone."""
    acks = request.acks
    refused: ApiError | None = None
    if acks not in (1, -1, 0):
        refused = ApiError(ErrorCode.INVALID_REQUIRED_ACKS)
    failed = False
    by_id = context.version >= _TOPIC_IDS_SINCE
    admitted: Admitted | None = None
    transactional = [
        (_name(context, topic, by_id), data.index, data.records)
        for topic in request.topic_data
        for data in topic.partition_data
        if data.records is not None and is_transactional(data.records)
    ]
    if transactional:
        try:
            admitted = await admit(context, request.transactional_id, transactional)
        except ApiError as fault:
            refused = fault
    time_ms = now_ms()
    responses: list[TopicProduceResponse] = []
    turns: Turns | None = None
    for topic in request.topic_data:
        name = _name(context, topic, by_id)
        partitions: list[PartitionProduceResponse] = []
        for data in topic.partition_data:
            if partitions or responses:  # a request of one partition pays nothing for turns
                turns = turns or Turns()
                await turns.yield_if_due()
            if refused is not None:
                response = PartitionProduceResponse(
                    index=data.index, error_code=refused.code, base_offset=-1, error_message=refused.detail
                )
            elif name is None:
                response = PartitionProduceResponse(
                    index=data.index, error_code=ErrorCode.UNKNOWN_TOPIC_ID, base_offset=-1
                )
            else:
                response = await _append(context, name, data, acks, time_ms, admitted)
            if response.error_code:
                failed = True
            partitions.append(response)
        if partitions:  # a topic with none is left out of the answer
            responses.append(TopicProduceResponse(topic.name, topic.topic_id, partitions))
    if acks == 0:
        if failed:
            raise ProtocolError("a Produce with acks=0 failed")
        return None
    return ProduceResponse(responses=responses)


def _name(context: RequestContext, topic: TopicProduceData, by_id: bool) -> str | None:
    if not by_id:
        return topic.name
    image = context.services.metadata.image.topic_by_id(topic.topic_id)
    return image.name if image is not None else None


async def _append(
    context: RequestContext,
    topic: str,
    data: PartitionProduceData,
    acks: int,
    time_ms: int,
    admitted: Admitted | None,
) -> PartitionProduceResponse:
    log_start_offset = -1
    try:
        if topic in _INTERNAL and context.client_id != _ADMIN_CLIENT_ID:
            raise ApiError(ErrorCode.INVALID_TOPIC_EXCEPTION, f"{topic} is internal")
        partition = context.services.replicas.get(topic, data.index)
        records = data.records
        if partition.below_min_isr and acks == -1:
            log_start_offset = partition.log.log_start_offset
            _refuse_below_min_isr(records, context.version)
        if context.version < _FORMAT_2_ONLY_SINCE:
            log_start_offset = partition.log.log_start_offset
            appended = await partition.append_message_set(records, time_ms, context.services.replicas.checkers)
            if appended is None:  # an empty set is no fault
                return PartitionProduceResponse(data.index, 0, -1, -1, -1)
            return PartitionProduceResponse(data.index, 0, appended.base_offset, appended.log_append_time)
        verified = None
        if admitted is not None and records is not None and is_transactional(records):
            verified = admitted.get((topic, data.index), ONGOING)
        if isinstance(verified, ApiError):
            return PartitionProduceResponse(
                index=data.index, error_code=verified.code, base_offset=-1, error_message=verified.detail
            )
        log_start_offset = partition.log.log_start_offset
        result = await partition.append(
            records,
            time_ms,
            context.services.replicas.checkers,
            zstd_allowed=context.version >= _ZSTD_SINCE,
            verified=verified,
        )
    except ApiError as fault:
        if fault.code not in _LOG_START_KNOWN or isinstance(fault, NotOneBatch):
            log_start_offset = -1
        at_fault = fault.indexes if isinstance(fault, RecordsRefused) else ()
        return PartitionProduceResponse(
            index=data.index,
            error_code=_code_for(fault.code, context.version),
            base_offset=-1,
            log_start_offset=log_start_offset,
            record_errors=[BatchIndexAndErrorMessage(index, fault.detail) for index in at_fault],
            error_message=fault.detail,
        )
    return PartitionProduceResponse(data.index, 0, result.base_offset, result.log_append_time, result.log_start_offset)


def _refuse_below_min_isr(records: memoryview | None, version: int) -> NoReturn:
    """Raise NOT_ENOUGH_REPLICAS; what is not one whole batch is refused for that first, as in Apache Kafka 3.6."""
    if version >= _FORMAT_2_ONLY_SINCE:
        check_frame(records, zstd_allowed=version >= _ZSTD_SINCE)
    raise ApiError(ErrorCode.NOT_ENOUGH_REPLICAS)


_LOG_START_KNOWN: Final = frozenset(
    {
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
        ErrorCode.INVALID_PRODUCER_EPOCH,
        ErrorCode.INVALID_TXN_STATE,
        ErrorCode.INVALID_RECORD,
        ErrorCode.INVALID_TIMESTAMP,
        ErrorCode.UNKNOWN_SERVER_ERROR,  # data that its codec cannot read
    }
)
"""Codes of the append itself, which tell the log start offset (seen on 3.9.1); refusals before it say -1."""


def _code_for(code: ErrorCode, version: int) -> ErrorCode:
    """What clients of old versions can understand: KAFKA_STORAGE_ERROR came with v4 (KIP-112)."""
    if code == ErrorCode.KAFKA_STORAGE_ERROR and version <= 3:
        return ErrorCode.NOT_LEADER_OR_FOLLOWER
    return code
