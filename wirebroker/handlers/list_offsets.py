"""ListOffsets (key 2): the earliest or latest offset of partitions, or the first one at or after a timestamp.

Spec: protocol_specs/02_list_offsets.  Serves v0-v11.
KIPs: 79 offsets by time, 734 max timestamp (-3), 405 earliest local (-4), 1005 latest tiered (-5), 1023 earliest
not uploaded (-6), 320 leader epochs.
Waits: for a search by time, which runs in a thread: it may read from a cold disk and decompress a batch.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from wirebroker.handlers.offsets import check_leader_epoch
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
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


class _Search:
    """One partition's answer that a search by time has to complete."""

    __slots__ = ("answer", "bound", "fault", "found", "partition", "timestamp")

    def __init__(self, partition: Partition, timestamp: int, bound: int, answer: ListOffsetsPartitionResponse) -> None:
        self.partition = partition
        self.timestamp = timestamp
        self.bound = bound
        self.answer = answer
        self.found: tuple[int, int, int] | None = None
        self.fault: ApiError | None = None

    def run(self) -> None:
        """Search the log; runs in a thread."""
        log = self.partition.log
        try:
            if self.timestamp == MAX_TIMESTAMP:
                self.found = log.max_timestamp_offset()
            else:
                self.found = log.fetch_offset_by_timestamp(self.timestamp)
        except ApiError as fault:
            self.fault = fault

    def complete(self, *, with_epoch: bool) -> None:
        """Put what was found into the answer."""
        answer = self.answer
        if self.fault is not None:
            answer.error_code = self.fault.code
        elif self.found is not None and self.found[1] < self.bound:
            answer.timestamp, answer.offset, epoch = self.found
            if with_epoch:
                answer.leader_epoch = epoch


async def handle_list_offsets(context: RequestContext, request: ListOffsetsRequest) -> ListOffsetsResponse:
    """Earliest, latest, by time, or of the newest timestamp, for each partition."""
    counts = Counter((topic.name, each.partition_index) for topic in request.topics for each in topic.partitions)
    turns = context.start_turns()
    searches: list[_Search] = []
    topics: list[ListOffsetsTopicResponse] = []
    for topic in request.topics:
        answers: list[ListOffsetsPartitionResponse] = []
        for asked in topic.partitions:
            await turns.yield_if_due()
            try:
                if context.version == 0:
                    answers.append(_list_segments(context, request, topic.name, asked))
                    continue
                if counts[topic.name, asked.partition_index] > 1:
                    raise ApiError(ErrorCode.INVALID_REQUEST)
                answers.append(_list_offset(context, request, topic.name, asked, searches))
            except ApiError as fault:
                answers.append(
                    ListOffsetsPartitionResponse(
                        partition_index=asked.partition_index, error_code=fault.code, timestamp=-1, offset=-1
                    )
                )
        topics.append(ListOffsetsTopicResponse(name=topic.name, partitions=answers))
    if searches:
        with_epoch = context.version >= _EPOCHS_SINCE
        await context.services.replicas.workers.run_each(_Search.run, searches)
        for search in searches:
            search.complete(with_epoch=with_epoch)
    return ListOffsetsResponse(topics=topics)


def _list_offset(
    context: RequestContext,
    request: ListOffsetsRequest,
    topic: str,
    asked: ListOffsetsPartition,
    searches: list[_Search],
) -> ListOffsetsPartitionResponse:
    """The answer for one partition; one that needs a search is added to *searches*, which complete it."""
    timestamp = asked.timestamp
    since = _SINCE.get(timestamp)
    if (since is None and timestamp < 0) or (since is not None and context.version < since):
        raise ApiError(ErrorCode.UNSUPPORTED_VERSION)
    partition = context.services.replicas.get(topic, asked.partition_index)
    if context.version >= _EPOCHS_SINCE:
        check_leader_epoch(partition, asked.current_leader_epoch)
    if request.isolation_level not in (0, 1):
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
    log, bound = partition.log, _bound(request, partition)
    answer = ListOffsetsPartitionResponse(partition_index=asked.partition_index, timestamp=-1, offset=-1)
    if timestamp == LATEST:
        answer.offset, epoch = bound, partition.leader_epoch
    elif timestamp in (EARLIEST, EARLIEST_LOCAL):
        answer.offset = log.log_start_offset
        epoch = log.epoch_at(answer.offset)
    elif timestamp in (LATEST_TIERED, EARLIEST_PENDING_UPLOAD):  # nothing is tiered
        return answer
    else:
        if log.config.record_version == 0:
            raise ApiError(ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT, "records of message format 0 have no timestamps")
        if log.log_start_offset < bound:
            searches.append(_Search(partition, timestamp, bound, answer))
        return answer
    if context.version >= _EPOCHS_SINCE:
        answer.leader_epoch = epoch
    return answer


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


def _bound(request: ListOffsetsRequest, partition: Partition) -> int:
    """The end of what this reader may see."""
    if request.replica_id == _DEBUGGING_CONSUMER:
        return partition.log.log_end_offset
    if request.isolation_level == _READ_COMMITTED:
        return partition.last_stable_offset
    return partition.high_watermark
