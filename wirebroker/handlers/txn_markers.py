"""WriteTxnMarkers (key 27): a transaction's coordinator, or an operator who aborts a hanging one, ends transactions.

Spec: protocol_specs/27_write_txn_markers.  Serves v0-v2.
KIPs: 98 transactions, 664 for operators, 1228 the version of the transaction.
Waits: until the markers are in the logs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.model import TopicPartition
from wirebroker.protocol.messages.write_txn_markers import (
    WritableTxnMarkerPartitionResult,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopicResult,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext
    from wirebroker.protocol.errors import ErrorCode


async def handle_write_txn_markers(context: RequestContext, request: WriteTxnMarkersRequest) -> WriteTxnMarkersResponse:
    """Write each marker into its partitions; each partition succeeds or fails alone."""
    by_producer: dict[int, dict[TopicPartition, ErrorCode]] = {}
    for marker in request.markers:
        codes = await context.services.markers.write(
            marker.producer_id,
            marker.producer_epoch,
            marker.coordinator_epoch,
            marker.transaction_result,
            [TopicPartition(topic.name, index) for topic in marker.topics for index in topic.partition_indexes],
            marker.transaction_version,
        )
        by_producer.setdefault(marker.producer_id, {}).update(codes)
    return WriteTxnMarkersResponse(
        markers=[
            WritableTxnMarkerResult(producer_id=producer_id, topics=_by_topic(codes))
            for producer_id, codes in by_producer.items()
            if codes
        ]
    )


def _by_topic(codes: dict[TopicPartition, ErrorCode]) -> list[WritableTxnMarkerTopicResult]:
    topics: dict[str, WritableTxnMarkerTopicResult] = {}
    for (name, index), code in codes.items():
        topic = topics.get(name)
        if topic is None:
            topic = topics[name] = WritableTxnMarkerTopicResult(name=name)
        topic.partitions.append(WritableTxnMarkerPartitionResult(partition_index=index, error_code=code))
    return list(topics.values())
