"""Transactions: AddPartitionsToTxn (24), AddOffsetsToTxn (25), EndTxn (26), DescribeTransactions (65), ListTransactions
(66).

Specs: protocol_specs/24_add_partitions_to_txn (v0-v5), 25_add_offsets_to_txn (v0-v4), 26_end_txn (v0-v5),
65_describe_transactions (v0), 66_list_transactions (v0-v2).
KIPs: 98 transactions, 588 PRODUCER_FENCED (before, such producers heard INVALID_PRODUCER_EPOCH), 664 looking at
transactions, 890 verification (24 from v4 on, sent by brokers) and an epoch for each transaction (26 from v5 on), 994
duration filter, 1152 pattern filter.
Waits: until the transaction's record is in the log; for the transaction before to be complete, but not long; EndTxn
until every partition has its marker, but not long either, for by then it is decided.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.clock import now_ms
from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest, AddOffsetsToTxnResponse
from wirebroker.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnResult,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTopicResult,
)
from wirebroker.protocol.messages.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    TopicData,
)
from wirebroker.protocol.messages.describe_transactions import TransactionState as DescribedTransaction
from wirebroker.protocol.messages.end_txn import EndTxnRequest, EndTxnResponse
from wirebroker.protocol.messages.list_transactions import ListTransactionsRequest, ListTransactionsResponse
from wirebroker.protocol.messages.list_transactions import TransactionState as ListedTransaction

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext

_INTERNAL: Final = frozenset({"__consumer_offsets", "__transaction_state"})
_FENCED_SINCE: Final = 2
_BATCHED_SINCE: Final = 4
_EPOCH_PER_TRANSACTION_SINCE: Final = 5
_STATES: Final = frozenset(
    (
        "Empty",
        "Ongoing",
        "PrepareCommit",
        "PrepareAbort",
        "CompleteCommit",
        "CompleteAbort",
        "Dead",
        "PrepareEpochFence",
    )
)
_Codes = dict[TopicPartition, ErrorCode]


def _code_for(code: ErrorCode, version: int) -> ErrorCode:
    """What clients of old versions can understand."""
    if code == ErrorCode.PRODUCER_FENCED and version < _FENCED_SINCE:
        return ErrorCode.INVALID_PRODUCER_EPOCH
    return code


# -- AddPartitionsToTxn --------------------------------------------------------------------------------------------


async def handle_add_partitions_to_txn(
    context: RequestContext, request: AddPartitionsToTxnRequest
) -> AddPartitionsToTxnResponse:
    """Make partitions part of a transaction, or tell whether they are."""
    if context.version < _BATCHED_SINCE:
        topics = request.v3_and_below_topics
        codes = await _add(
            context,
            request.v3_and_below_transactional_id,
            request.v3_and_below_producer_id,
            request.v3_and_below_producer_epoch,
            topics,
            verify_only=False,
        )
        return AddPartitionsToTxnResponse(results_by_topic_v3_and_below=_results(topics, codes))
    return AddPartitionsToTxnResponse(
        results_by_transaction=[
            AddPartitionsToTxnResult(
                each.transactional_id,
                _results(
                    each.topics,
                    await _add(
                        context,
                        each.transactional_id,
                        each.producer_id,
                        each.producer_epoch,
                        each.topics,
                        verify_only=each.verify_only,
                    ),
                ),
            )
            for each in request.transactions
        ]
    )


async def _add(
    context: RequestContext,
    transactional_id: str,
    producer_id: int,
    producer_epoch: int,
    topics: list[AddPartitionsToTxnTopic],
    *,
    verify_only: bool,
) -> _Codes:
    partitions = list(
        dict.fromkeys(TopicPartition(topic.name, index) for topic in topics for index in topic.partitions)
    )
    refused = _refused(context, partitions)
    if refused:
        return {each: refused.get(each, ErrorCode.OPERATION_NOT_ATTEMPTED) for each in partitions}
    transactions = context.services.transactions
    if verify_only:
        return await transactions.verify(transactional_id, producer_id, producer_epoch, partitions, add=False)
    client_version = 0 if context.version < _BATCHED_SINCE else 2
    try:
        code = await transactions.add_partitions(
            transactional_id, producer_id, producer_epoch, partitions, client_version=client_version
        )
    except ApiError as fault:
        code = fault.code
    return dict.fromkeys(partitions, _code_for(code, context.version))


def _refused(context: RequestContext, partitions: list[TopicPartition]) -> _Codes:
    """Partitions that nobody can add; one of them spoils the request."""
    image = context.services.metadata.image
    refused: _Codes = {}
    for each in partitions:
        topic = image.topic(each.topic)
        if each.topic in _INTERNAL and context.version < _BATCHED_SINCE:  # AddOffsetsToTxn is the way for clients
            refused[each] = ErrorCode.TOPIC_AUTHORIZATION_FAILED
        elif topic is None or not 0 <= each.partition < len(topic.partitions):
            refused[each] = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return refused


def _results(topics: list[AddPartitionsToTxnTopic], codes: _Codes) -> list[AddPartitionsToTxnTopicResult]:
    return [
        AddPartitionsToTxnTopicResult(
            topic.name,
            [
                AddPartitionsToTxnPartitionResult(index, codes[TopicPartition(topic.name, index)])
                for index in topic.partitions
            ],
        )
        for topic in topics
    ]


# -- AddOffsetsToTxn, EndTxn ---------------------------------------------------------------------------------------


async def handle_add_offsets_to_txn(
    context: RequestContext, request: AddOffsetsToTxnRequest
) -> AddOffsetsToTxnResponse:
    """Make the partition that holds a group's offsets part of a transaction."""
    groups = context.services.groups
    await context.services.controller.create_internal(groups.topic)  # Kafka does not mind if there is none yet
    try:
        at = TopicPartition(groups.topic, groups.shard_of(request.group_id))
        code = await context.services.transactions.add_partitions(
            request.transactional_id, request.producer_id, request.producer_epoch, [at]
        )
    except ApiError as fault:
        code = fault.code
    return AddOffsetsToTxnResponse(error_code=_code_for(code, context.version))


async def handle_end_txn(context: RequestContext, request: EndTxnRequest) -> EndTxnResponse:
    """Commit or abort."""
    try:
        answer = await context.services.transactions.end(
            request.transactional_id,
            request.producer_id,
            request.producer_epoch,
            committed=request.committed,
            client_version=2 if context.version >= _EPOCH_PER_TRANSACTION_SINCE else 0,
        )
    except ApiError as fault:
        return EndTxnResponse(error_code=fault.code)
    return EndTxnResponse(
        error_code=_code_for(answer.code, context.version),
        producer_id=answer.producer_id,
        producer_epoch=answer.producer_epoch,
    )


# -- looking -------------------------------------------------------------------------------------------------------


async def handle_describe_transactions(
    context: RequestContext, request: DescribeTransactionsRequest
) -> DescribeTransactionsResponse:
    """Tell the state of transactional ids."""
    return DescribeTransactionsResponse(
        transaction_states=[await _describe(context, each) for each in request.transactional_ids]
    )


async def _describe(context: RequestContext, transactional_id: str) -> DescribedTransaction:
    try:
        found = await context.services.transactions.describe(transactional_id)
    except ApiError as fault:
        return DescribedTransaction(error_code=fault.code, transactional_id=transactional_id)
    topics: dict[str, TopicData] = {}
    for name, index in found.partitions:
        topics.setdefault(name, TopicData(name)).partitions.append(index)
    return DescribedTransaction(
        transactional_id=transactional_id,
        transaction_state=found.state,
        transaction_timeout_ms=found.timeout_ms,
        transaction_start_time_ms=found.start_ms,
        producer_id=found.producer_id,
        producer_epoch=found.producer_epoch,
        topics=list(topics.values()),
    )


async def handle_list_transactions(
    context: RequestContext, request: ListTransactionsRequest
) -> ListTransactionsResponse:
    """Name the transactional ids here that pass every filter."""
    matches = None
    try:
        if request.transactional_id_pattern:
            from wirebroker.coordinator.transaction.pattern import compile_pattern

            matches = compile_pattern(request.transactional_id_pattern)
        listings = await context.services.transactions.list_all()
    except ApiError as fault:
        return ListTransactionsResponse(error_code=fault.code)
    states = frozenset(request.state_filters)
    producer_ids = frozenset(request.producer_id_filters)
    # One that is not open has no start; as in Kafka it counts as open for ever.
    begun_before_ms = now_ms() - request.duration_filter if request.duration_filter >= 0 else None
    return ListTransactionsResponse(
        unknown_state_filters=[each for each in dict.fromkeys(request.state_filters) if each not in _STATES],
        transaction_states=[
            ListedTransaction(each.transactional_id, each.producer_id, each.state)
            for each in listings
            if (not states or each.state in states)
            and (not producer_ids or each.producer_id in producer_ids)
            and (begun_before_ms is None or each.start_ms < begun_before_ms)
            and (matches is None or matches(each.transactional_id))
        ],
    )
