"""Large commits of offsets: all but the change of the coordinator's state is done in parts, before its turn and after.

A turn of the coordinator is one piece for the event loop, and a request may name 100,000 partitions, or one partition
as often.  Those that do not exist are removed before it, and the records of the others are made.  The response is the
same as without this.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, Final

from wirebroker.protocol.errors import ErrorCode

if TYPE_CHECKING:
    from wirebroker.coordinator.runtime import CoordinatorRuntime
    from wirebroker.loop_budget import LoopBudget
    from wirebroker.metadata.image import ClusterImage

_PARTITIONS_PER_PART: Final = 256


async def take_unknown_partitions(image: ClusterImage, request: Any, budget: LoopBudget) -> dict[str, list[int]]:
    """Leave each existing partition in *request* once, with its last entry; the list of topics that it had stays as is.

    Returns the numbers of the partitions that do not exist by topic, for all topics of the request in their order.
    """
    unknown: dict[str, list[int]] = {}
    topics: dict[str, Any] = {}
    known: dict[str, dict[int, Any]] = {}
    for topic in request.topics:
        found = image.topic(topic.name)
        count = 0 if found is None else len(found.partitions)
        removed = unknown.setdefault(topic.name, [])
        if found is not None:
            topics.setdefault(topic.name, copy(topic))
        for each in topic.partitions:
            if 0 <= each.partition_index < count:
                known.setdefault(topic.name, {})[each.partition_index] = each
            else:
                removed.append(each.partition_index)
            await budget.yield_if_due()
        await budget.yield_if_due()
    for name, topic in topics.items():
        topic.partitions = list(known.get(name, {}).values())
    request.topics = list(topics.values())
    return unknown


async def large_commit(runtime: CoordinatorRuntime, index: int, request: Any, version: int, budget: LoopBudget) -> Any:
    """Return *request* with its answers and records for shard *index*, which handles that in place of the request.

    Raises:
        ApiError: the shard does not handle requests.
    """
    shard: Any = runtime.active(index).shard
    large = shard.large_commit(request, version)
    for topic in request.topics:
        for first in range(0, len(topic.partitions), _PARTITIONS_PER_PART):
            part = copy(topic)
            part.partitions = topic.partitions[first : first + _PARTITIONS_PER_PART]
            large.add(part)
            await budget.yield_if_due()
    return large


async def put_unknown_partitions(
    image: ClusterImage,
    response: Any,
    unknown: dict[str, list[int]],
    topic_class: Any,
    partition_class: Any,
    budget: LoopBudget,
) -> None:
    """Answer the partitions that `take_unknown_partitions` has removed, in front of the others of their topics."""
    answered = {topic.name: topic for topic in response.topics}
    topics: list[Any] = []
    for name, indexes in unknown.items():
        partitions = await budget.collect(
            partition_class(partition_index=index, error_code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION) for index in indexes
        )
        topic = answered.get(name)
        if topic is not None:
            topic.partitions[:0] = partitions
            topics.append(topic)
        elif partitions or image.topic(name) is None:
            topics.append(topic_class(name=name, partitions=partitions))
    response.topics = topics
