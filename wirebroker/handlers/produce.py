"""Produce (key 0): append record batches to partitions this broker leads.

Spec: protocol_specs/00_produce.  Serves v3-v13; message sets (v0-v2) are refused, though v0 is advertised.
KIPs: 98 idempotence, 467 record errors, 516 topic ids (v13), 951 leader hints (never needed alone).
Waits: for a disk that is slow; with one replica there is nobody else to wait for, so acks=1 and -1 are the same.
acks=0 sends nothing back, but an error closes the connection, so that the client reads metadata anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.clock import now_ms
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError, ProtocolError
from wirebroker.protocol.messages.produce import (
    BatchIndexAndErrorMessage,
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceResponse,
)
from wirebroker.record.validate import NotOneBatch, RecordsRefused

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext

_ADMIN_CLIENT_ID: Final = "__admin_client"
_INTERNAL: Final = frozenset({"__consumer_offsets", "__transaction_state"})
_ZSTD_SINCE: Final = 7
_TOPIC_IDS_SINCE: Final = 13
_ATTRIBUTES_AT: Final = 21
_TRANSACTIONAL: Final = 0x10


async def handle_produce(context: RequestContext, request: ProduceRequest) -> ProduceResponse | None:
    """Append every partition's batch; each succeeds or fails alone."""
    acks = request.acks
    refused: ErrorCode | None = None
    if acks not in (1, -1, 0):
        refused = ErrorCode.INVALID_REQUIRED_ACKS
    failed = False
    time_ms = now_ms()
    by_id = context.version >= _TOPIC_IDS_SINCE
    responses: list[TopicProduceResponse] = []
    for topic in request.topic_data:
        name: str | None = topic.name
        if by_id:
            image = context.services.metadata.image.topic_by_id(topic.topic_id)
            name = image.name if image is not None else None
        partitions: list[PartitionProduceResponse] = []
        for data in topic.partition_data:
            if refused is not None:
                response = PartitionProduceResponse(index=data.index, error_code=refused, base_offset=-1)
            elif name is None:
                response = PartitionProduceResponse(
                    index=data.index, error_code=ErrorCode.UNKNOWN_TOPIC_ID, base_offset=-1
                )
            else:
                response = await _append(context, request.transactional_id, name, data, time_ms)
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


async def _append(
    context: RequestContext, transactional_id: str | None, topic: str, data: PartitionProduceData, time_ms: int
) -> PartitionProduceResponse:
    log_start_offset = -1
    try:
        if topic in _INTERNAL and context.client_id != _ADMIN_CLIENT_ID:
            raise ApiError(ErrorCode.INVALID_TOPIC_EXCEPTION, f"{topic} is internal")
        partition = context.services.replicas.get(topic, data.index)
        records = data.records
        if records is not None and _is_transactional(records):
            if transactional_id is None:
                raise ApiError(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
            # Transactions are not served, so none can be open; read_committed would wait for its end for ever.
            raise ApiError(ErrorCode.INVALID_TXN_STATE, "the partition is in no transaction")
        log_start_offset = partition.log.log_start_offset
        result = await partition.append(records, time_ms, zstd_allowed=context.version >= _ZSTD_SINCE)
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


_LOG_START_KNOWN: Final = frozenset(
    {
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


def _is_transactional(records: memoryview) -> bool:
    return len(records) > _ATTRIBUTES_AT + 1 and bool(records[_ATTRIBUTES_AT + 1] & _TRANSACTIONAL)
