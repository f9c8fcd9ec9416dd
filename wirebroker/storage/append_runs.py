"""Appends of many batches with one write: a follower that is behind gets a megabyte of them at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.storage.errors import CorruptFileError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wirebroker.record.record_batch import RecordBatch
    from wirebroker.storage.log import Log


def append_run_as_follower(log: Log, batches: Sequence[RecordBatch], data: memoryview, now_ms: int) -> int:
    """Append the first of *batches*, which follow each other in *data*, with one write; return their number.

    A write of 1 MB costs the file system half of what sixteen of 64 kB do, as its page cache gets larger folios.
    Batches from the first one on that needs anything else (it is not valid, begins a leader epoch or a segment, or is
    to be flushed) are left to `Log.append_batch_as_follower`.  Never waits for more than the write.

    Raises:
        StorageError: the disk failed.
    """
    local_log, config = log.local_log, log.config
    if local_log.failure is not None:
        raise local_log.failure
    segment = local_log.segments.active
    if not segment.writable or not segment.size_bytes:
        return 0
    epoch = log.leader_epoch_cache.latest_epoch
    flushed_from = local_log.recovery_point + config.flush_messages - 1
    room = segment.index_room
    end_offset = log.log_end_offset
    size = count = 0
    for batch in batches:
        last_offset = batch.base_offset + batch.last_offset_delta
        batch_end = size + batch.size_bytes
        if (
            batch.base_offset < end_offset
            or (batch.partition_leader_epoch != epoch and batch.partition_leader_epoch >= 0)
            or count == room
            or last_offset >= flushed_from
            or segment.should_roll(config, batch_end, batch.max_timestamp, last_offset, now_ms)
            or not batch.is_valid()
        ):
            break
        count += 1
        size = batch_end
        end_offset = last_offset + 1
    if not count:
        return 0
    appended = batches[:count]
    try:
        segment.append_run(data[:size], appended)
    except (OSError, CorruptFileError) as error:
        raise local_log.fail_from(error) from error
    for batch in appended:
        if batch.producer_id >= 0:
            log.update_producers(batch, batch.base_offset, batch.last_offset, now_ms, segment)
    log.log_end_offset = log.producer_state_manager.end_offset = end_offset
    log.publish()
    return count
