"""WriteTxnMarkers (key 27): transaction markers from a coordinator, or from an operator to abort a hanging transaction.

Spec: protocol_specs/27_write_txn_markers (v0-v2).
KIPs: 98 transactions, 664 for operators, 1228 transaction version.
Waits: until all in-sync replicas have the markers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerPartitionResult,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopicResult,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)
from wirebroker.replication.txn_marker_writer import RefusedMarkers, TxnMarker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wirebroker.handlers.context import RequestContext
    from wirebroker.loop_budget import LoopBudget


_NONE: Final = -1
"""The producer id and the epoch of no producer."""


async def handle_write_txn_markers(context: RequestContext, request: WriteTxnMarkersRequest) -> WriteTxnMarkersResponse:
    """Write each marker into its partitions; each partition succeeds or fails alone.

    All are appended before the first wait: the replicas of one partition do not delay the readers of another.
    A marker without a producer or epoch, which cannot be written, fails the request as in Apache Kafka.
    """
    budget, refused = context.start_budget(), RefusedMarkers()
    for marker in request.markers:
        await budget.yield_if_due()
        if _NONE in (marker.producer_id, marker.producer_epoch):
            find = context.services.replicas.find
            if any(find(*at) is not None for at in _targets(marker)):
                return await _refusal(request, budget)
    appended = [
        await context.services.markers.append(
            TxnMarker(
                marker.producer_id,
                marker.producer_epoch,
                marker.coordinator_epoch,
                marker.transaction_result,
                marker.transaction_version,
            ),
            _targets(marker),
            refused,
            budget,
        )
        for marker in request.markers
    ]
    refused.log()
    by_producer: dict[int, dict[TopicPartition, ErrorCode]] = {}
    for marker, each in zip(request.markers, appended, strict=True):
        by_producer.setdefault(marker.producer_id, {}).update(await each.wait_until_committed())
        await budget.yield_if_due()
    return await _response({producer_id: codes for producer_id, codes in by_producer.items() if codes}, budget)


async def _refusal(request: WriteTxnMarkersRequest, budget: LoopBudget) -> WriteTxnMarkersResponse:
    error = ErrorCode.UNKNOWN_SERVER_ERROR
    return await _response({each.producer_id: dict.fromkeys(_targets(each), error) for each in request.markers}, budget)


def _targets(marker: WritableTxnMarker) -> Iterator[TopicPartition]:
    return (TopicPartition(topic.name, index) for topic in marker.topics for index in topic.partition_indexes)


async def _response(
    by_producer: dict[int, dict[TopicPartition, ErrorCode]], budget: LoopBudget
) -> WriteTxnMarkersResponse:
    return WriteTxnMarkersResponse(
        markers=[
            WritableTxnMarkerResult(producer_id=producer_id, topics=await _by_topic(codes, budget))
            for producer_id, codes in by_producer.items()
        ]
    )


async def _by_topic(codes: dict[TopicPartition, ErrorCode], budget: LoopBudget) -> list[WritableTxnMarkerTopicResult]:
    topics: dict[str, WritableTxnMarkerTopicResult] = {}
    for (topic, index), code in codes.items():
        result = topics.get(topic)
        if result is None:
            result = topics[topic] = WritableTxnMarkerTopicResult(name=topic)
        result.partitions.append(WritableTxnMarkerPartitionResult(partition_index=index, error_code=code))
        await budget.yield_if_due()
    return list(topics.values())
