"""Truncate a log: drop records at its end, or all of them.

Readers leave the dropped records before their bytes go.  The state of the log follows in this order: segments, recovery
point, leader epochs, producers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.storage.producer_replay import rebuild_producers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.storage.log import Log
    from wirebroker.storage.log_segment import LogSegment


def truncate_to(log: Log, offset: int) -> bool:
    """Drop the batch that holds *offset* and all behind it; return False if the log ends before that.

    A crash before the recovery points are next written finds less than was flushed: see `LogManager.truncate_to`.
    Raises StorageError.
    """
    local_log, segments = log.local_log, log.local_log.segments
    with local_log.operation():
        if offset >= log.log_end_offset:
            # a leader that never wrote may have left its epoch at the end
            log.leader_epoch_cache.truncate_from_end(log.log_end_offset)
            return False
        if offset < segments[0].base_offset:
            _restart_at(log, offset, offset)
            return True
        offset = _start_of_batch(log, offset)
        now_ms = local_log.context.clock()
        local_log.begin_truncation()
        removed = segments.remove_after(offset)
        active = segments.active
        cut = active.translate_offset(offset)
        # readers leave what is cut off before it goes
        size_bytes = active.size_bytes if cut is None else cut.position
        unstable = log.reader.published[-1]
        log.reader.published = (segments.values, active, size_bytes, None, log.log_start_offset, offset, unstable)
        _delete(log, removed, now_ms)
        active.truncate_to(offset, log.config, now_ms)
        local_log.sync_directory()
        _end_at(log, offset)
        log.leader_epoch_cache.truncate_from_end(offset)
        log.log_start_offset = min(log.log_start_offset, offset)
        log.leader_epoch_cache.sync()
        rebuild_producers(log.producer_state_manager, segments.values, log.log_start_offset, offset, now_ms)
        log.publish()
        return True


def prepare_truncation(log: Log, offset: int) -> None:
    """Claim no more than what is there after `truncate_to` with *offset*, which begins a batch."""
    log.local_log.begin_truncation()
    log.local_log.lower_recovery_point(offset)
    log.log_start_offset = min(offset, log.log_start_offset)
    log.publish()


def start_of_batch(log: Log, offset: int) -> int:
    """Return the first offset of the batch that holds *offset*, *offset* itself if none does.  Raises StorageError."""
    with log.local_log.operation():
        return _start_of_batch(log, offset)


def _start_of_batch(log: Log, offset: int) -> int:
    segment = log.view.segments_between(offset, offset + 1)[0]
    header = segment.translate_offset(offset)
    return offset if header is None else min(offset, segment.first_offset_of(header))


def truncate_fully_and_start_at(log: Log, offset: int, log_start_offset: int | None = None) -> None:
    """Drop everything; the next record gets *offset*, and the log starts at *log_start_offset*, or there.

    Raises StorageError.
    """
    with log.local_log.operation():
        _restart_at(log, offset, offset if log_start_offset is None else log_start_offset)


def _restart_at(log: Log, offset: int, log_start_offset: int) -> None:
    local_log = log.local_log
    now_ms = local_log.context.clock()
    local_log.begin_truncation()
    replaced = local_log.segments.replace_all(str(log.directory), offset, log.config, now_ms)
    _end_at(log, offset)
    log.log_start_offset = log_start_offset
    log.publish()  # an empty log, before the old files go
    _delete(log, replaced, now_ms)
    local_log.segments.active.make_files(log.config)
    local_log.reserve_space(log.config)
    local_log.sync_directory()
    log.leader_epoch_cache.clear()
    log.leader_epoch_cache.sync()
    log.producer_state_manager.truncate_fully_and_start_at(offset)
    log.publish()


def _end_at(log: Log, offset: int) -> None:
    log.log_end_offset = offset
    log.local_log.lower_recovery_point(offset)


def _delete(log: Log, segments: Iterable[LogSegment], now_ms: int) -> None:
    due_ms = now_ms + log.config.file_delete_delay_ms
    log.local_log.delete_segments(segments, log.producer_state_manager.snapshots, due_ms)
