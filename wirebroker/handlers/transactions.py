"""Transactions: AddPartitionsToTxn (24), AddOffsetsToTxn (25), EndTxn (26), DescribeTransactions (65), ListTransactions
(66).

Specs: protocol_specs/24_add_partitions_to_txn (v0-v5), 25_add_offsets_to_txn (v0-v4), 26_end_txn (v0-v5),
65_describe_transactions (v0), 66_list_transactions (v0-v2).
KIPs: 98 transactions, 588 PRODUCER_FENCED (INVALID_PRODUCER_EPOCH in older versions), 664 DescribeTransactions and
ListTransactions, 890 verification (24 from v4 on, sent by brokers) and an epoch bump with each transaction (26 from v5
on), 994 duration filter, 1152 pattern filter.
Waits: until the transaction's record is in the log; up to half a second for the transaction before to be complete;
EndTxn up to half a second until every partition has its marker, for by then its end is decided.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.clock import now_ms
from wirebroker.coordinator.transaction.transaction_metadata import TransactionState
from wirebroker.model import INTERNAL_TOPICS, TopicPartition, TransactionVersion, partitions_by_topic
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
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
    from collections.abc import Callable

    from wirebroker.handlers.context import RequestContext
    from wirebroker.loop_budget import LoopBudget

_FENCED_SINCE: Final = 2
_BATCHED_SINCE: Final = 4
_EPOCH_BUMP_SINCE: Final = 5
_STATES: Final = frozenset(state.label for state in TransactionState)
_Codes = dict[TopicPartition, ErrorCode]


def _code_for(code: ErrorCode, version: int) -> ErrorCode:
    """*code*, or the one that clients of an older version know in place of it."""
    if code == ErrorCode.PRODUCER_FENCED and version < _FENCED_SINCE:
        return ErrorCode.INVALID_PRODUCER_EPOCH
    return code


# -- AddPartitionsToTxn --------------------------------------------------------------------------------------------


async def handle_add_partitions_to_txn(
    context: RequestContext, request: AddPartitionsToTxnRequest
) -> AddPartitionsToTxnResponse:
    """Add partitions to transactions, or verify that they are in them."""
    if context.version < _BATCHED_SINCE:
        topics = request.v3_and_below_topics
        results = await _add(
            context,
            request.v3_and_below_transactional_id,
            request.v3_and_below_producer_id,
            request.v3_and_below_producer_epoch,
            topics,
            verify_only=False,
        )
        return AddPartitionsToTxnResponse(results_by_topic_v3_and_below=results)
    return AddPartitionsToTxnResponse(
        results_by_transaction=[
            AddPartitionsToTxnResult(
                each.transactional_id,
                await _add(
                    context,
                    each.transactional_id,
                    each.producer_id,
                    each.producer_epoch,
                    each.topics,
                    verify_only=each.verify_only,
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
) -> list[AddPartitionsToTxnTopicResult]:
    budget = context.start_budget()
    await budget.yield_if_due()  # a request may have 100,000 transactions, too
    named = await budget.collect(TopicPartition(topic.name, index) for topic in topics for index in topic.partitions)
    partitions = list(dict.fromkeys(named))
    refused = await _refused(context, partitions, budget)
    if refused:
        return await _refusals(partitions, refused, budget)
    transactions = context.services.transactions
    if verify_only:
        codes = await transactions.verify_partitions(
            transactional_id, producer_id, producer_epoch, partitions, add=False
        )
        return await _results(topics, codes, budget)
    client_version = TransactionVersion.TV_0 if context.version < _BATCHED_SINCE else TransactionVersion.TV_2
    try:
        code = await transactions.add_partitions(
            transactional_id, producer_id, producer_epoch, partitions, client_version=client_version
        )
    except ApiError as fault:
        code = fault.code
    return await _results(topics, dict.fromkeys(partitions, _code_for(code, context.version)), budget)


async def _refused(context: RequestContext, partitions: list[TopicPartition], budget: LoopBudget) -> _Codes:
    """The partitions that cannot be added; the others are not attempted then."""
    image = context.services.metadata.image
    refused: _Codes = {}
    for each in partitions:
        topic = image.topic(each.topic)
        if each.topic in INTERNAL_TOPICS and context.version < _BATCHED_SINCE:  # AddOffsetsToTxn is the way for clients
            refused[each] = ErrorCode.TOPIC_AUTHORIZATION_FAILED
        elif topic is None or not 0 <= each.partition < len(topic.partitions):
            refused[each] = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        await budget.yield_if_due()
    return refused


async def _refusals(
    partitions: list[TopicPartition], refused: _Codes, budget: LoopBudget
) -> list[AddPartitionsToTxnTopicResult]:
    """Return each topic and each partition once, however often they are named, as Apache Kafka refuses them."""
    results: dict[str, AddPartitionsToTxnTopicResult] = {}
    for each in partitions:
        topic, index = each
        result = results.get(topic)
        if result is None:
            result = results[topic] = AddPartitionsToTxnTopicResult(topic)
        code = refused.get(each, ErrorCode.OPERATION_NOT_ATTEMPTED)
        result.results_by_partition.append(AddPartitionsToTxnPartitionResult(index, code))
        await budget.yield_if_due()
    return list(results.values())


async def _results(
    topics: list[AddPartitionsToTxnTopic], codes: _Codes, budget: LoopBudget
) -> list[AddPartitionsToTxnTopicResult]:
    return [
        AddPartitionsToTxnTopicResult(
            topic.name,
            await budget.collect(
                AddPartitionsToTxnPartitionResult(index, codes[TopicPartition(topic.name, index)])
                for index in topic.partitions
            ),
        )
        for topic in topics
    ]


# -- AddOffsetsToTxn, EndTxn ---------------------------------------------------------------------------------------


async def handle_add_offsets_to_txn(
    context: RequestContext, request: AddOffsetsToTxnRequest
) -> AddOffsetsToTxnResponse:
    """Add the partition that holds a group's offsets to a transaction."""
    groups = context.services.groups
    await context.services.administration.create_internal(groups.topic)  # as in Kafka, the topic need not exist yet
    try:
        at = TopicPartition(groups.topic, groups.partition_for(request.group_id))
        code = await context.services.transactions.add_partitions(
            request.transactional_id, request.producer_id, request.producer_epoch, [at]
        )
    except ApiError as fault:
        code = fault.code
    return AddOffsetsToTxnResponse(error_code=_code_for(code, context.version))


async def handle_end_txn(context: RequestContext, request: EndTxnRequest) -> EndTxnResponse:
    """Commit or abort a transaction."""
    try:
        answer = await context.services.transactions.end_transaction(
            request.transactional_id,
            request.producer_id,
            request.producer_epoch,
            committed=request.committed,
            client_version=TransactionVersion.TV_2 if context.version >= _EPOCH_BUMP_SINCE else TransactionVersion.TV_0,
        )
    except ApiError as fault:
        return EndTxnResponse(error_code=fault.code)
    return EndTxnResponse(
        error_code=_code_for(answer.code, context.version),
        producer_id=answer.producer_id,
        producer_epoch=answer.producer_epoch,
    )


# -- DescribeTransactions, ListTransactions ------------------------------------------------------------------------


async def handle_describe_transactions(
    context: RequestContext, request: DescribeTransactionsRequest
) -> DescribeTransactionsResponse:
    """Describe transactional ids; each succeeds or fails alone."""
    budget = context.start_budget()
    states: list[DescribedTransaction] = []
    for transactional_id in request.transactional_ids:
        states.append(await _describe(context, transactional_id))
        await budget.yield_if_due()
    return DescribeTransactionsResponse(transaction_states=states)


async def _describe(context: RequestContext, transactional_id: str) -> DescribedTransaction:
    try:
        found = await context.services.transactions.describe(transactional_id)
    except ApiError as fault:
        return DescribedTransaction(error_code=fault.code, transactional_id=transactional_id)
    return DescribedTransaction(
        transactional_id=transactional_id,
        transaction_state=found.state,
        transaction_timeout_ms=found.timeout_ms,
        transaction_start_time_ms=found.start_ms,
        producer_id=found.producer_id,
        producer_epoch=found.producer_epoch,
        topics=[TopicData(name, indexes) for name, indexes in partitions_by_topic(found.partitions).items()],
    )


async def handle_list_transactions(
    context: RequestContext, request: ListTransactionsRequest
) -> ListTransactionsResponse:
    """List the transactional ids of this broker that pass every filter."""
    matches = None
    try:
        if request.transactional_id_pattern:
            matches = _compile_pattern(request.transactional_id_pattern)
        listings = await context.services.transactions.list_all()
    except ApiError as fault:
        return ListTransactionsResponse(error_code=fault.code)
    states = frozenset(request.state_filters)
    producer_ids = frozenset(request.producer_id_filters)
    # A transactional id without an open transaction has no start; as in Kafka it passes every duration filter.
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


def _compile_pattern(pattern: str) -> Callable[[str], object]:
    """A function that returns a true value for texts that match *pattern* from begin to end.

    RE2 takes time in proportion to the text, so no client can stop the broker with a pattern; Kafka uses RE2/J.

    Raises:
        ApiError: INVALID_REGULAR_EXPRESSION.
    """
    import re2  # 5 ms and 3.4 MB, for a filter that few clients use

    options = re2.Options()
    options.log_errors = False  # to stderr
    try:
        match: Callable[[str], object] = re2.compile(pattern, options).fullmatch
    except re2.error as error:
        raise ApiError(ErrorCode.INVALID_REGULAR_EXPRESSION, f"{pattern!r}: {error}") from None
    return match
