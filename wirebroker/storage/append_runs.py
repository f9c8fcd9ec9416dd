"""Appends of many batches with one write: a follower that is behind gets a megabyte of them at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.record.crc32c import crc32c
from wirebroker.record.record_batch import ATTRIBUTES_AT, HEADER, HEADER_SIZE, LOG_OVERHEAD, RecordBatch
from wirebroker.storage.errors import CorruptFileError
from wirebroker.storage.index_file import MAX_RELATIVE_OFFSET

if TYPE_CHECKING:
    from wirebroker.config.log import LogConfig
    from wirebroker.storage.log import Log
    from wirebroker.storage.log_segment import LogSegment

RUN_BYTES: Final = 1 << 20
"""Batches that are written together begin within so many bytes: the caller looks at the role after each write."""
_MAGIC: Final = 2
_ANY_TIMESTAMP: Final = (1 << 63) - 1


def append_run_as_follower(log: Log, records: memoryview, at: int, now_ms: int, known_end_offset: int = 0) -> int:
    """Append the batches of *records* from *at* on, as many as go into one write; return where the next one begins.

    A write of 1 MB costs the file system half of what sixteen of 64 kB do, as its page cache gets larger folios.
    Batches from the first one on that needs anything else (it is cut off, not of format 2 or not valid, begins a leader
    epoch or a segment, or is to be flushed) are left to `Log.append_batch_as_follower`.  Never waits for more than the
    write.

    Space is reserved for what follows up to *known_end_offset*, which the leader's log has reached, if that is much.

    Raises:
        StorageError: the disk failed.
    """
    local_log, config = log.local_log, log.config
    if local_log.failure is not None:
        raise local_log.failure
    segment = local_log.segments.active
    if not segment.writable or not segment.size_bytes:
        return at
    room_bytes, highest_offset, highest_timestamp = _roll_limits(segment, config, now_ms)
    highest_offset = min(highest_offset, local_log.recovery_point + config.flush_messages - 2)  # or it is to be flushed
    epoch = log.leader_epoch_cache.latest_epoch
    index_room = segment.index_room
    end_offset = log.log_end_offset
    run: list[tuple[int, int, int, int]] = []
    producers: list[int] = []
    began, end = at, min(len(records), at + room_bytes)
    last_header = min(end - HEADER_SIZE, at + RUN_BYTES - 1)
    unpack = HEADER.unpack_from  # no RecordBatch: a response has hundreds of batches, and their fields are used once
    while at <= last_header:
        base_offset, length, batch_epoch, magic, crc, _, delta, _, max_timestamp, producer_id, _, _, _ = unpack(
            records, at
        )
        size = length + LOG_OVERHEAD
        batch_end, last_offset = at + size, base_offset + delta
        if (
            magic != _MAGIC
            or size < HEADER_SIZE
            or batch_end > end
            or delta < 0
            or base_offset < end_offset
            or (batch_epoch != epoch and batch_epoch >= 0)
            or len(run) == index_room
            or last_offset > highest_offset
            or max_timestamp > highest_timestamp
            or crc32c(records[at + ATTRIBUTES_AT : batch_end]) != crc
        ):
            break
        if producer_id >= 0:
            producers.append(at)
        run.append((base_offset, last_offset, max_timestamp, size))
        at, end_offset = batch_end, last_offset + 1
    if not run:
        return at
    try:
        size = at - began
        if known_end_offset > end_offset:
            expected_bytes = size * (known_end_offset - end_offset) // (end_offset - log.log_end_offset)
            local_log.reserve_ahead(config, segment.size_bytes + size, expected_bytes)
        segment.append_run(records[began:at], run)
    except (OSError, CorruptFileError) as error:
        raise local_log.fail_from(error) from error
    for each in producers:
        batch = RecordBatch.parse(records, each)
        log.update_producers(batch, batch.base_offset, batch.last_offset, now_ms, segment)
    log.log_end_offset = log.producer_state_manager.end_offset = end_offset
    log.publish()
    return at


def _roll_limits(segment: LogSegment, config: LogConfig, now_ms: int) -> tuple[int, int, int]:
    """Return the limits of the batches for which `should_roll` is false, of a segment that is not empty.

    They are the bytes that such batches take together, the highest last offset, and the highest timestamp.
    """
    room_bytes = 0 if segment.index_full else config.segment_bytes - segment.size_bytes
    longest_ms = config.max_segment_ms - segment.roll_jitter_ms
    first = segment.first_timestamp
    if first is not None and first >= 0:
        highest_timestamp = first + longest_ms
    elif now_ms - segment.created_ms > longest_ms:
        room_bytes, highest_timestamp = 0, _ANY_TIMESTAMP
    else:
        highest_timestamp = _ANY_TIMESTAMP
    return room_bytes, segment.base_offset + MAX_RELATIVE_OFFSET, highest_timestamp
