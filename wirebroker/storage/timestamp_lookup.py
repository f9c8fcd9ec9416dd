"""Find records of a log by timestamp (ListOffsets): the time index leads to a batch, which is searched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.record.timestamp_search import first_record_at_or_after

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.record.legacy import AnyBatch
    from wirebroker.storage.batch_headers import BatchHeader
    from wirebroker.storage.log_segment import LogSegment
    from wirebroker.storage.log_view import LogView


def find_first_at_or_after(
    view: LogView, timestamp: int, pause: Callable[[], None] | None = None
) -> tuple[int, int, int] | None:
    """Return (timestamp, offset, leader epoch) of the first record from the log start on at or after *timestamp*.

    None if there is no such record.  *pause* is called every few milliseconds.

    Raises OSError, CorruptFileError.
    """
    start_offset = view.log_start_offset
    for segment in view.segments:
        size = view.size_of(segment)
        if not size or segment.largest_timestamp() < timestamp:
            continue
        _, reached = segment.time_index.lookup(timestamp)
        position = segment.offset_index.lookup(max(reached, start_offset))
        for header in segment.headers(position, size):
            if header.max_timestamp >= timestamp and header.last_offset >= start_offset:
                batch = _read(segment, header)
                found = first_record_at_or_after(batch, timestamp, start_offset, pause=pause)
                if found is not None:
                    return *found, batch.partition_leader_epoch
        # a segment of format 0 is as old as its file, and holds no times
    return None


def find_first_of_max_timestamp(view: LogView, pause: Callable[[], None] | None = None) -> tuple[int, int, int] | None:
    """Return (timestamp, offset, leader epoch) of the first record with the largest timestamp; None of an empty log.

    *pause* is called every few milliseconds.

    Raises OSError, CorruptFileError.
    """
    segment = max(view.segments, key=lambda each: view.max_timestamp_and_offset(each)[0])
    timestamp, last_offset = view.max_timestamp_and_offset(segment)
    size = view.size_of(segment)
    if not size:
        return None
    for header in segment.headers(segment.offset_index.lookup(last_offset), size):
        if header.max_timestamp == timestamp:
            batch = _read(segment, header)
            if not batch.magic:  # format 0 has no timestamps
                return None
            found = first_record_at_or_after(batch, timestamp, 0, pause=pause)
            if found is not None:
                return *found, batch.partition_leader_epoch
    return None


def _read(segment: LogSegment, header: BatchHeader) -> AnyBatch:
    from wirebroker.record.legacy import parse_any  # 1 ms and 0.1 MB, and few brokers are asked for timestamps

    data = segment.log_file.open().pread(header.size_bytes, header.position)
    return parse_any(data)
