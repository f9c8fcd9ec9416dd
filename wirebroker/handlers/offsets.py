"""Offsets of partitions: ListOffsets (2), DeleteRecords (21), OffsetForLeaderEpoch (23).

Specs: protocol_specs/02_list_offsets (v0-v11), 21_delete_records (v0-v2), 23_offset_for_leader_epoch (v0-v4).
KIPs: 79 offsets by time, 734 max timestamp (-3), 405 earliest local (-4), 1005 latest tiered (-5), 1023 earliest
not uploaded (-6), 101/320 epochs.
Waits: never, but for a slow disk in DeleteRecords; a timestamp search reads at most one index interval.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsPartitionResult,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)
from wirebroker.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from wirebroker.protocol.messages.offset_for_leader_epoch import (
    EpochEndOffset,
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderPartition,
    OffsetForLeaderTopicResult,
)

if TYPE_CHECKING:
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
_EPOCHS_SINCE: Final = 4
_READ_COMMITTED: Final = 1
_DEBUGGING_CONSUMER: Final = -2


async def handle_list_offsets(context: RequestContext, request: ListOffsetsRequest) -> ListOffsetsResponse:
    """Earliest, latest, by time, or of the newest timestamp, for each partition."""
    counts = Counter((topic.name, each.partition_index) for topic in request.topics for each in topic.partitions)
    topics: list[ListOffsetsTopicResponse] = []
    for topic in request.topics:
        answers: list[ListOffsetsPartitionResponse] = []
        for asked in topic.partitions:
            try:
                if context.version == 0:
                    answers.append(_list_segments(context, request, topic.name, asked))
                    continue
                if counts[topic.name, asked.partition_index] > 1:
                    raise ApiError(ErrorCode.INVALID_REQUEST)
                answers.append(_list_offset(context, request, topic.name, asked))
            except ApiError as fault:
                answers.append(
                    ListOffsetsPartitionResponse(
                        partition_index=asked.partition_index, error_code=fault.code, timestamp=-1, offset=-1
                    )
                )
        topics.append(ListOffsetsTopicResponse(name=topic.name, partitions=answers))
    return ListOffsetsResponse(topics=topics)


def _list_offset(
    context: RequestContext, request: ListOffsetsRequest, topic: str, asked: ListOffsetsPartition
) -> ListOffsetsPartitionResponse:
    timestamp = asked.timestamp
    since = _SINCE.get(timestamp)
    if (since is None and timestamp < 0) or (since is not None and context.version < since):
        raise ApiError(ErrorCode.UNSUPPORTED_VERSION)
    partition = context.services.replicas.get(topic, asked.partition_index)
    if context.version >= _EPOCHS_SINCE:
        _check_leader_epoch(partition, asked.current_leader_epoch)
    if request.isolation_level not in (0, 1):
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
    bound = _bound(request, partition)
    found = _find(partition, timestamp, bound)
    if found is None:
        return ListOffsetsPartitionResponse(partition_index=asked.partition_index, timestamp=-1, offset=-1)
    found_timestamp, offset, epoch = found
    return ListOffsetsPartitionResponse(
        partition_index=asked.partition_index,
        timestamp=found_timestamp,
        offset=offset,
        leader_epoch=epoch if context.version >= _EPOCHS_SINCE else -1,
    )


def _list_segments(
    context: RequestContext, request: ListOffsetsRequest, topic: str, asked: ListOffsetsPartition
) -> ListOffsetsPartitionResponse:
    """v0: where segments begin that were last written to by some time, newest first, with the log end in front."""
    if asked.timestamp < EARLIEST:
        raise ApiError(ErrorCode.UNSUPPORTED_VERSION)
    partition = context.services.replicas.get(topic, asked.partition_index)
    if asked.max_num_offsets < 0:
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
    starts = partition.log.segment_starts()
    if asked.timestamp == EARLIEST:
        del starts[1:]
    elif asked.timestamp != LATEST:
        while starts and starts[-1][1] > asked.timestamp:
            starts.pop()
    offsets = sorted((offset for offset, _ in starts[::-1][: asked.max_num_offsets]), reverse=True)
    bound = partition.high_watermark
    if request.replica_id == -1 and offsets and offsets[0] > bound:
        offsets = [bound, *(offset for offset in offsets if offset <= bound)]
    return ListOffsetsPartitionResponse(partition_index=asked.partition_index, old_style_offsets=offsets)


def _check_leader_epoch(partition: Partition, current_leader_epoch: int) -> None:
    """Unlike in Fetch, only -1 means that the client does not say."""
    if current_leader_epoch < -1:
        raise ApiError(ErrorCode.FENCED_LEADER_EPOCH)
    partition.check_leader_epoch(current_leader_epoch)


def _bound(request: ListOffsetsRequest, partition: Partition) -> int:
    """The end of what this reader may see."""
    if request.replica_id == _DEBUGGING_CONSUMER:
        return partition.log.log_end_offset
    if request.isolation_level == _READ_COMMITTED:
        return partition.last_stable_offset
    return partition.high_watermark


def _find(partition: Partition, timestamp: int, bound: int) -> tuple[int, int, int] | None:
    """(timestamp, offset, leader epoch) of the answer, or None when no record qualifies."""
    log = partition.log
    if timestamp == LATEST:
        return -1, bound, partition.leader_epoch
    if timestamp in (EARLIEST, EARLIEST_LOCAL):
        return -1, log.log_start_offset, log.epoch_at(log.log_start_offset)
    if timestamp in (LATEST_TIERED, EARLIEST_PENDING_UPLOAD):  # nothing is tiered
        return None
    if log.config.record_version == 0:
        raise ApiError(ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT, "records of message format 0 have no timestamps")
    found = log.max_timestamp_offset() if timestamp == MAX_TIMESTAMP else log.fetch_offset_by_timestamp(timestamp)
    if found is None or found[1] >= bound:
        return None
    return found


async def handle_delete_records(context: RequestContext, request: DeleteRecordsRequest) -> DeleteRecordsResponse:
    """Move log start offsets forward.  Of a partition named twice the last entry counts; no partitions, no topic."""
    topics: list[DeleteRecordsTopicResult] = []
    for topic in request.topics:
        wanted = {asked.partition_index: asked for asked in topic.partitions}
        answers = [await _delete_records(context, topic.name, asked) for asked in wanted.values()]
        if answers:
            topics.append(DeleteRecordsTopicResult(name=topic.name, partitions=answers))
    return DeleteRecordsResponse(topics=topics)


async def _delete_records(
    context: RequestContext, topic: str, asked: DeleteRecordsPartition
) -> DeleteRecordsPartitionResult:
    try:
        if topic in ("__consumer_offsets", "__transaction_state"):
            raise ApiError(ErrorCode.INVALID_TOPIC_EXCEPTION)
        partition = context.services.replicas.get(topic, asked.partition_index)
        low_watermark = await partition.delete_records(asked.offset)
    except ApiError as fault:
        return DeleteRecordsPartitionResult(
            partition_index=asked.partition_index, low_watermark=-1, error_code=fault.code
        )
    return DeleteRecordsPartitionResult(partition_index=asked.partition_index, low_watermark=low_watermark)


async def handle_offset_for_leader_epoch(
    context: RequestContext, request: OffsetForLeaderEpochRequest
) -> OffsetForLeaderEpochResponse:
    """Where each leader epoch ended, so that a client or follower can tell whether its log was cut."""
    topics = [
        OffsetForLeaderTopicResult(
            topic=topic.topic, partitions=[_epoch_end(context, topic.topic, asked) for asked in topic.partitions]
        )
        for topic in request.topics
    ]
    return OffsetForLeaderEpochResponse(topics=topics)


def _epoch_end(context: RequestContext, topic: str, asked: OffsetForLeaderPartition) -> EpochEndOffset:
    try:
        partition = context.services.replicas.get(topic, asked.partition)
        _check_leader_epoch(partition, asked.current_leader_epoch)
    except ApiError as fault:
        return EpochEndOffset(error_code=fault.code, partition=asked.partition, leader_epoch=-1, end_offset=-1)
    epoch, end_offset = partition.log.end_offset_for_epoch(asked.leader_epoch)
    return EpochEndOffset(partition=asked.partition, leader_epoch=epoch, end_offset=end_offset)
