"""ListOffsets (key 2): the earliest or latest offset of partitions, or the first one at or after a timestamp.

Spec: protocol_specs/02_list_offsets (v0-v11).
KIPs: 79 offsets by time, 734 max timestamp (-3), 405 earliest local (-4), 1005 latest tiered (-5), 1023 earliest
not uploaded (-6), 320 leader epochs.
Waits: for a search by time, which runs in a thread: it may read from a cold disk and decompress a batch.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from wirebroker.handlers.offset_for_leader_epoch import check_leader
from wirebroker.model import CONSUMER_REPLICA_ID, DEBUGGING_REPLICA_ID, READ_COMMITTED, READ_UNCOMMITTED
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.handlers.context import RequestContext
    from wirebroker.replication.partition import Partition

LATEST: Final = -1
EARLIEST: Final = -2
MAX_TIMESTAMP: Final = -3
EARLIEST_LOCAL: Final = -4
LATEST_TIERED: Final = -5
EARLIEST_PENDING_UPLOAD: Final = -6
_SINCE: Final = {
    LATEST: 0,
    EARLIEST: 0,
    MAX_TIMESTAMP: 7,
    EARLIEST_LOCAL: 8,
    LATEST_TIERED: 9,
    EARLIEST_PENDING_UPLOAD: 11,
}
_CHECKED_SINCE: Final = "3.9"
"""The release since which special timestamps are refused in versions that do not have them."""
_KNOWN_SINCE: Final = {MAX_TIMESTAMP: "3.0", EARLIEST_LOCAL: "3.5"}
"""Special timestamp -> the release before _CHECKED_SINCE that brought it."""
_BY_PARTITION_SINCE: Final = "4.0"
"""The release since which the response is made of partitions, not of the topics of the request."""
_BEFORE_ALL: Final = -(2**63)
_EPOCHS_SINCE: Final = 4
_OFFSET_NOT_AVAILABLE_SINCE: Final = 5


class _TimestampSearch:
    """A search by timestamp in one partition, and the response that it completes."""

    __slots__ = ("error", "last_fetchable_offset", "partition", "response", "result", "timestamp")

    def __init__(
        self, partition: Partition, timestamp: int, last_fetchable_offset: int, response: ListOffsetsPartitionResponse
    ) -> None:
        """*response* is the one for a search that finds no record below *last_fetchable_offset*."""
        self.partition = partition
        self.timestamp = timestamp
        self.last_fetchable_offset = last_fetchable_offset
        self.response = response
        self.result: tuple[int, int, int] | None = None
        self.error: ApiError | None = None

    def run(self, pause: Callable[[], None]) -> None:
        """Search the log; runs in a thread, and calls *pause* every few milliseconds."""
        try:
            if self.timestamp == MAX_TIMESTAMP:
                self.result = self.partition.find_max_timestamp(pause)
            else:
                self.result = self.partition.find_timestamp(self.timestamp, pause)
        except ApiError as error:
            self.error = error

    def complete(self, *, with_epoch: bool) -> None:
        """Set the offset or the error in the response."""
        response = self.response
        if self.error is not None:
            response.error_code = self.error.code
        elif self.result is not None and self.result[1] < self.last_fetchable_offset:
            response.timestamp, response.offset, epoch = self.result
            response.error_code = ErrorCode.NONE
            if with_epoch:
                response.leader_epoch = epoch


async def handle_list_offsets(context: RequestContext, request: ListOffsetsRequest) -> ListOffsetsResponse:
    """Return the earliest or latest offset of each partition, or that of a timestamp or of the newest one."""
    counts = Counter((topic.name, each.partition_index) for topic in request.topics for each in topic.partitions)
    budget = context.start_budget()
    searches: list[_TimestampSearch] = []
    topics: list[ListOffsetsTopicResponse] = []
    for topic in request.topics:
        responses: list[ListOffsetsPartitionResponse] = []
        for requested in topic.partitions:
            await budget.yield_if_due()
            try:
                if context.version == 0:
                    responses.append(_legacy_offsets(context, request, topic.name, requested))
                    continue
                if counts[topic.name, requested.partition_index] > 1:
                    raise ApiError(ErrorCode.INVALID_REQUEST)
                responses.append(_list_offset(context, request, topic.name, requested, searches))
            except ApiError as error:
                responses.append(
                    ListOffsetsPartitionResponse(
                        partition_index=requested.partition_index, error_code=error.code, timestamp=-1, offset=-1
                    )
                )
        topics.append(ListOffsetsTopicResponse(name=topic.name, partitions=responses))
    if context.routes.profile.emulates(_BY_PARTITION_SINCE):
        topics = _merge(topics)
    if searches:
        with_epoch = context.version >= _EPOCHS_SINCE
        threads = context.services.replicas.search_threads
        await threads.run_each(lambda search: search.run(threads.pause), searches)
        for search in searches:
            search.complete(with_epoch=with_epoch)
    return ListOffsetsResponse(topics=topics)


def _merge(topics: list[ListOffsetsTopicResponse]) -> list[ListOffsetsTopicResponse]:
    """Return *topics* without those that have no partitions, and each of the others once."""
    merged: dict[str, ListOffsetsTopicResponse] = {}
    for topic in topics:
        if topic.partitions:
            merged.setdefault(topic.name, ListOffsetsTopicResponse(name=topic.name)).partitions += topic.partitions
    return list(merged.values())


def _list_offset(
    context: RequestContext,
    request: ListOffsetsRequest,
    topic: str,
    requested: ListOffsetsPartition,
    searches: list[_TimestampSearch],
) -> ListOffsetsPartitionResponse:
    """Return the response for one partition; a search that has to complete it is added to *searches*."""
    timestamp = _known_timestamp(context, requested.timestamp)
    if timestamp < 0 and context.routes.profile.is_at_least(_CHECKED_SINCE) and context.version < _SINCE[timestamp]:
        raise ApiError(ErrorCode.UNSUPPORTED_VERSION)
    is_consumer = request.replica_id == CONSUMER_REPLICA_ID  # for others the isolation level has no meaning
    if is_consumer and request.isolation_level not in (READ_UNCOMMITTED, READ_COMMITTED):
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
    partition = context.services.replicas.get(topic, requested.partition_index)
    leader_epoch = requested.current_leader_epoch if context.version >= _EPOCHS_SINCE else -1
    check_leader(partition, leader_epoch, or_follower=request.replica_id == DEBUGGING_REPLICA_ID)
    log, last_fetchable_offset = partition.log, _last_fetchable_offset(request, partition)
    response = ListOffsetsPartitionResponse(partition_index=requested.partition_index, timestamp=-1, offset=-1)
    if timestamp == LATEST:
        lagging = _lagging_error(context, request, partition)
        if lagging:
            raise ApiError(lagging)
        response.offset, epoch = last_fetchable_offset, partition.leader_epoch
    elif timestamp in (EARLIEST, EARLIEST_LOCAL):
        response.offset = log.log_start_offset
        epoch = log.leader_epoch_cache.epoch_for_offset(response.offset)
    elif timestamp in (LATEST_TIERED, EARLIEST_PENDING_UPLOAD):  # nothing is tiered
        return response
    else:
        if log.config.record_version == 0:
            raise ApiError(ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT, "records of message format 0 have no timestamps")
        response.error_code = _lagging_error(context, request, partition)
        if log.log_start_offset < last_fetchable_offset:
            searches.append(_TimestampSearch(partition, timestamp, last_fetchable_offset, response))
        return response
    if context.version >= _EPOCHS_SINCE:
        response.leader_epoch = epoch
    return response


def _legacy_offsets(
    context: RequestContext, request: ListOffsetsRequest, topic: str, requested: ListOffsetsPartition
) -> ListOffsetsPartitionResponse:
    """Return the v0 response: base offsets of segments last written to by some time, newest first, log end in front."""
    timestamp = _known_timestamp(context, requested.timestamp)
    if timestamp < EARLIEST and context.routes.profile.is_at_least(_CHECKED_SINCE):
        raise ApiError(ErrorCode.UNSUPPORTED_VERSION)
    partition = context.services.replicas.get(topic, requested.partition_index)
    check_leader(partition, -1, or_follower=request.replica_id == DEBUGGING_REPLICA_ID)
    if requested.max_num_offsets < 0:
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
    starts = partition.segment_starts()
    if timestamp in (EARLIEST, EARLIEST_LOCAL):
        del starts[1:]
    elif timestamp != LATEST:
        while starts and starts[-1][1] > timestamp:
            starts.pop()
    offsets = sorted((offset for offset, _ in starts[::-1][: requested.max_num_offsets]), reverse=True)
    last_fetchable_offset = partition.high_watermark
    if request.replica_id == CONSUMER_REPLICA_ID and offsets and offsets[0] > last_fetchable_offset:
        offsets = [last_fetchable_offset, *(offset for offset in offsets if offset <= last_fetchable_offset)]
    return ListOffsetsPartitionResponse(partition_index=requested.partition_index, old_style_offsets=offsets)


def _known_timestamp(context: RequestContext, timestamp: int) -> int:
    """Return *timestamp*, or _BEFORE_ALL for one below 0 that the release takes for the time of a record.

    Raises:
        ApiError: the timestamp has no meaning.
    """
    if timestamp >= EARLIEST:
        return timestamp
    release = context.routes.profile
    if release.is_at_least(_CHECKED_SINCE):
        if timestamp not in _SINCE:
            raise ApiError(ErrorCode.UNSUPPORTED_VERSION)
        return timestamp
    known_since = _KNOWN_SINCE.get(timestamp)
    return timestamp if known_since is not None and release.is_at_least(known_since) else _BEFORE_ALL


def _last_fetchable_offset(request: ListOffsetsRequest, partition: Partition) -> int:
    """Return the end of the records that the reader may fetch (Kafka: lastFetchableOffset)."""
    if request.replica_id != CONSUMER_REPLICA_ID:
        return partition.log.log_end_offset
    if request.isolation_level == READ_COMMITTED:
        return partition.last_stable_offset
    return partition.high_watermark


def _lagging_error(context: RequestContext, request: ListOffsetsRequest, partition: Partition) -> ErrorCode:
    """Return the code for a consumer while a new leader's high watermark is below its epoch's start, NONE else.

    Until followers have fetched, offsets that an earlier leader has answered may be above this high watermark.
    """
    leader = partition.leader
    if (
        leader is None
        or request.replica_id != CONSUMER_REPLICA_ID
        or leader.epoch_start_offset <= partition.high_watermark
    ):
        return ErrorCode.NONE
    is_known = context.version >= _OFFSET_NOT_AVAILABLE_SINCE
    return ErrorCode.OFFSET_NOT_AVAILABLE if is_known else ErrorCode.LEADER_NOT_AVAILABLE
