"""Put a segment that compaction has written into the place of the segments that it stands for.

    .cleaned --rename--> .swap           a start from here on finishes the swap (`integrity/swap_files.py`)
    readers use the new segment
    old files --rename--> .deleted       and are removed after file.delete.delay.ms
    .swap --rename--> no suffix

A crash before the first step is complete leaves `.cleaned` files: a start removes them, with what was renamed already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.storage.integrity.swap_files import CLEANED, SWAP
from wirebroker.storage.log_segment import DELETED, LogSegment

if TYPE_CHECKING:
    from wirebroker.storage.cleaner.job import CleanedSegment, CleaningJob
    from wirebroker.storage.log import Log

_NO_SUFFIX: Final = ""


def is_unchanged(log: Log, job: CleaningJob) -> bool:
    """Return whether *log* is in service where *job* was made of it, and was not truncated since."""
    return (
        log.failure is None
        and str(log.directory) == job.directory
        and log.local_log.truncations == job.truncations
        and log.view.segments[0].base_offset == job.segments[0].base_offset
    )


def swap_in(log: Log, cleaned: CleanedSegment, job: CleaningJob) -> bool:
    """Replace segments of *log* by the one that was written for *job*; return whether they were still its own.

    If not, the log was truncated, moved, begun anew or shortened by retention since the cleaning began, and the new
    files are removed.  Readers that have begun with the old segments go on with them.

    Raises:
        StorageError: the disk failed; the log is out of service.
        LogDeletedError: the log was deleted.
    """
    local_log, segments = log.local_log, log.local_log.segments
    files = local_log.context.files
    with local_log.operation():
        now_ms = local_log.context.clock()
        new = LogSegment(files, job.directory, cleaned.base_offset, log.config, now_ms)
        new.use_suffix(CLEANED)
        new.size_bytes = cleaned.size_bytes
        new.transaction_index.exists = cleaned.has_transaction_index
        replaced = [each for each in segments[:-1] if each.base_offset in cleaned.replaced]
        if not is_unchanged(log, job) or [each.base_offset for each in replaced] != list(cleaned.replaced):
            files.unlink(new.paths())
            return False
        new.change_suffix(SWAP)
        local_log.sync_directory()  # before the old files go
        segments.replace(replaced, new)
        log.publish()
        due_ms = now_ms + log.config.file_delete_delay_ms
        for segment in replaced:
            local_log.context.delayed_deletion.add_files(segment.change_suffix(DELETED), due_ms)
            if segment.base_offset != new.base_offset:
                local_log.delete_snapshot(log.producer_state_manager.snapshots, segment.base_offset, due_ms)
        new.change_suffix(_NO_SUFFIX)
        local_log.sync_directory()
        return True
