"""TxnOffsetCommit (key 28): offsets that are committed with a transaction.

Spec: protocol_specs/28_txn_offset_commit (v0-v5).
KIPs: 98 transactions, 320 leader epochs (v2), 447 the committing member (v3), 890 verification, and from v5 on
without an AddOffsetsToTxn before it.
Waits: for the transaction's coordinator, and until the records are in the log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.clock import now_ms
from wirebroker.coordinator.shard import TransactionalWriter
from wirebroker.handlers.large_commits import large_commit, put_unknown_partitions, take_unknown_partitions
from wirebroker.handlers.produce_transactions import to_producer_code
from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestTopic,
    TxnOffsetCommitResponse,
    TxnOffsetCommitResponsePartition,
    TxnOffsetCommitResponseTopic,
)
from wirebroker.storage.verification_guard import VerificationGuard

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.handlers.context import RequestContext
    from wirebroker.metadata.image import ClusterImage

_LOADING_SINCE: Final = 2
_ABORTABLE_SINCE: Final = 4
_ADDS_SINCE: Final = 5
_NO_SEQUENCE: Final = -1


async def handle_txn_offset_commit(context: RequestContext, request: TxnOffsetCommitRequest) -> TxnOffsetCommitResponse:
    """Append a group's offsets as part of a transaction."""
    image, named = context.services.metadata.image, request.topics
    budget = context.loop_budget
    removed: dict[str, list[int]] = {}
    if budget is not None:  # the request is a large one
        removed = await take_unknown_partitions(image, request, budget)
    code = ErrorCode.NONE
    if any(_exists(image, topic.name, each.partition_index) for topic in request.topics for each in topic.partitions):
        try:
            response = await _commit(context, request)
        except ApiError as fault:
            code = fault.code
        else:
            if budget is not None:
                classes = TxnOffsetCommitResponseTopic, TxnOffsetCommitResponsePartition
                await put_unknown_partitions(image, response, removed, *classes, budget)
            return response
    if code == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS and context.version < _LOADING_SINCE:
        code = ErrorCode.COORDINATOR_NOT_AVAILABLE  # a fatal error for producers of that time
    if budget is None:
        return _refuse(image, named, code)
    return await context.services.replicas.workers.run(_refuse, image, named, code)


def _exists(image: ClusterImage, name: str, index: int) -> bool:
    topic = image.topic(name)
    return topic is not None and 0 <= index < len(topic.partitions)


def _refuse(
    image: ClusterImage, named: Iterable[TxnOffsetCommitRequestTopic], code: ErrorCode
) -> TxnOffsetCommitResponse:
    """Return a response with *code* for each partition that exists."""
    topics: dict[str, TxnOffsetCommitResponseTopic] = {}
    for topic in named:
        if topic.partitions or image.topic(topic.name) is None:
            answer = topics.setdefault(topic.name, TxnOffsetCommitResponseTopic(name=topic.name))
            answer.partitions += [
                TxnOffsetCommitResponsePartition(
                    partition_index=each.partition_index,
                    error_code=code
                    if _exists(image, topic.name, each.partition_index)
                    else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
                )
                for each in topic.partitions
            ]
    return TxnOffsetCommitResponse(topics=list(topics.values()))


async def _commit(context: RequestContext, request: TxnOffsetCommitRequest) -> TxnOffsetCommitResponse:
    services = context.services
    groups = services.groups
    if not request.group_id:
        raise ApiError(ErrorCode.INVALID_GROUP_ID)
    if request.producer_id < 0:
        raise ApiError(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
    index = groups.partition_for(request.group_id)
    partition = groups.runtime.active(index).partition
    adds = context.version >= _ADDS_SINCE
    guard = None
    if adds or (
        context.routes.profile.verifies_txn_offset_commit
        and services.config.current.value("transaction.partition.verification.enable")
    ):
        producer_id, epoch = request.producer_id, request.producer_epoch
        producers = partition.log.producer_state_manager
        guard = producers.start_transaction_verification(producer_id, epoch, _NO_SEQUENCE, now_ms())
        if guard is not VerificationGuard.SENTINEL:
            at = TopicPartition(groups.runtime.topic, index)
            codes = await services.txn_verifier.verify_partitions(
                request.transactional_id, producer_id, epoch, [at], add=adds
            )
            code = codes.get(at, ErrorCode.NONE)
            if code:
                raise ApiError(_code_for(ErrorCode(code), context.version))
    writer = TransactionalWriter(request.producer_id, request.producer_epoch, guard)
    budget = context.loop_budget
    sent = request if budget is None else await large_commit(groups.runtime, index, request, context.version, budget)
    response: TxnOffsetCommitResponse = await groups.runtime.request(index, sent, context, writer)
    return response


def _code_for(code: ErrorCode, version: int) -> ErrorCode:
    """A transaction coordinator's code as one of TxnOffsetCommit."""
    if code == ErrorCode.NETWORK_EXCEPTION:
        return ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    return to_producer_code(code, abortable=version >= _ABORTABLE_SINCE)
