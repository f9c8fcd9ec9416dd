"""DescribeTopicPartitions (key 75): topics and partitions, a page at a time.

Spec: protocol_specs/75_describe_topic_partitions (v0).
KIP: 966 pages of partitions.
Waits: never.
Not done: eligible leader replicas are always empty, as there are none in a cluster with ZooKeeper.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.handlers.authorized_operations import ALL_ON_TOPIC
from wirebroker.handlers.metadata import PartitionViews, describe_partitions
from wirebroker.metadata.topic_names import detect_invalid_topic
from wirebroker.model import INTERNAL_TOPICS
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponsePartition,
    DescribeTopicPartitionsResponseTopic,
    ResponseCursor,
)

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext


async def handle_describe_topic_partitions(
    context: RequestContext, request: DescribeTopicPartitionsRequest
) -> DescribeTopicPartitionsResponse:
    """Describe topics by name, a page of partitions at a time; the cursor says where the next page begins."""
    image = context.services.metadata.image
    budget = context.start_budget()
    names = sorted(set(await budget.collect(topic.name for topic in request.topics)))
    cursor = request.cursor
    if cursor is not None:
        asked, names = names, [name for name in names or sorted(image.topics) if name >= cursor.topic_name]
        if cursor.partition_index < 0 or (asked and cursor.topic_name not in names):
            refused = await budget.collect(
                DescribeTopicPartitionsResponseTopic(ErrorCode.INVALID_REQUEST, topic.name) for topic in request.topics
            )
            return DescribeTopicPartitionsResponse(topics=refused)
    elif not names:
        names = sorted(image.topics)
    largest = context.services.config.current.value("max.request.partition.size.limit")
    assert isinstance(largest, int)
    left = max(1, min(request.response_partition_limit, largest))
    topics: list[DescribeTopicPartitionsResponseTopic] = []
    views = PartitionViews()
    for name in names:
        await budget.yield_if_due()
        if left == 0:
            return DescribeTopicPartitionsResponse(topics=topics, next_cursor=ResponseCursor(name, 0))
        topic = image.topics.get(name)
        if topic is None:
            topics.append(_topic_error(name))
            continue
        first = cursor.partition_index if cursor is not None and name == cursor.topic_name else 0
        page = [
            DescribeTopicPartitionsResponsePartition(
                view.code, index, view.leader, epoch, view.replicas, view.isr, [], [], view.offline
            )
            for index, epoch, view in describe_partitions(context, image, topic, views, first, left)
        ]
        topics.append(
            DescribeTopicPartitionsResponseTopic(0, name, topic.topic_id, topic.is_internal, page, ALL_ON_TOPIC)
        )
        left -= len(page)
        next_index = first + len(page)
        if next_index < len(topic.partitions):
            return DescribeTopicPartitionsResponse(topics=topics, next_cursor=ResponseCursor(name, next_index))
    return DescribeTopicPartitionsResponse(topics=topics)


def _topic_error(name: str) -> DescribeTopicPartitionsResponseTopic:
    code = (
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        if detect_invalid_topic(name) is None
        else ErrorCode.INVALID_TOPIC_EXCEPTION
    )
    return DescribeTopicPartitionsResponseTopic(
        code, name, is_internal=name in INTERNAL_TOPICS, topic_authorized_operations=ALL_ON_TOPIC
    )
