"""Retention: delete old segments below the log start, beyond `retention.bytes`, older than `retention.ms`.

The rules are Kafka 3.9's: oldest first, and never a segment that reaches the high watermark, so that the log start
cannot overtake it.  A topic that is only compacted loses just what is below its log start.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from wirebroker.config.log import LogConfig
    from wirebroker.storage.log import Log
    from wirebroker.storage.log_segment import LogSegment
    from wirebroker.storage.log_view import LogView

logger = logging.getLogger(__name__)


class DeletionReason(NamedTuple):
    """Why segments may be deleted now."""

    text: str
    setting: str | None = None
    """The topic's key that says so; None below the log start."""


def has_deletable_segments(log: Log, now_ms: int, high_watermark: int) -> bool:
    """Whether `delete_old_segments` would delete any; in any thread.  Raises StorageError, CorruptLogError."""
    return log.reader.query(
        lambda view: next(deletable_segments(lambda: view, log.config, now_ms, high_watermark), None) is not None
    )


def delete_old_segments(log: Log, now_ms: int, high_watermark: int) -> int:
    """Apply retention to *log*; return how many segments were deleted.

    Nothing at or above *high_watermark* is deleted.  The files are renamed now and removed after file.delete.delay.ms.

    Raises:
        StorageError: the disk failed.
        UnwritableLogError: an index is corrupt.
    """
    count = 0
    with log.local_log.operation():
        for reason, segments in deletable_segments(lambda: log.view, log.config, now_ms, high_watermark):
            logger.info(
                "topic=%s partition=%d: deleting %d segments up to offset %d: %s",
                *(*log.topic_partition, len(segments), segments[-1].base_offset, reason.text),
            )
            _delete_oldest(log, segments, now_ms)
            count += len(segments)
    return count


def _delete_oldest(log: Log, segments: Sequence[LogSegment], now_ms: int) -> None:
    """Delete *segments*, the oldest ones; if they are all, a new one begins at the log end."""
    own = log.local_log.segments
    if len(segments) == len(own):
        log.roll(now_ms)
    own.remove_oldest(len(segments))
    log.move_log_start(own[0].base_offset)
    log.publish()  # readers leave the segments before their files go
    due_ms = now_ms + log.config.file_delete_delay_ms
    log.local_log.delete_segments(segments, log.producer_state_manager.snapshots, due_ms)


def deletable_segments(
    take_view: Callable[[], LogView], config: LogConfig, now_ms: int, high_watermark: int
) -> Iterator[tuple[DeletionReason, list[LogSegment]]]:
    """Yield (reason, segments) for each reason to delete some; the caller deletes them before it asks for the next.

    *take_view* returns the newest view of the log.  Raises OSError, CorruptFileError.
    """
    view = take_view()
    start = view.log_start_offset
    segments = _oldest(view, high_watermark, lambda _, next_base: next_base is not None and next_base <= start)
    if segments:
        yield DeletionReason("below the log start"), segments
    if not config.deletes:
        return
    if config.retention_bytes >= 0:
        view = take_view()
        surplus = view.size_bytes - config.retention_bytes

        def beyond_size(segment: LogSegment, _: int | None) -> bool:
            nonlocal surplus
            surplus -= segment.size_bytes
            return surplus >= 0

        segments = _oldest(view, high_watermark, beyond_size)
        if segments:
            yield DeletionReason(f"retention.bytes={config.retention_bytes}", "retention.bytes"), segments
    if config.retention_ms >= 0:
        oldest_ms = now_ms - config.retention_ms
        segments = _oldest(take_view(), high_watermark, lambda segment, _: segment.largest_timestamp() < oldest_ms)
        if segments:
            yield DeletionReason(f"retention.ms={config.retention_ms}", "retention.ms"), segments


def _oldest(
    view: LogView, high_watermark: int, is_deletable: Callable[[LogSegment, int | None], bool]
) -> list[LogSegment]:
    """Return the oldest segments for which *is_deletable* (given the next one's base offset) holds without a gap."""
    segments = []
    following_segments = [*view.segments[1:], None]  # one more than none, when retention.bytes takes all of them
    for segment, following in zip(view.segments, following_segments, strict=False):
        end = view.log_end_offset if following is None else following.base_offset
        if end > high_watermark or (following is None and not segment.size_bytes):
            break
        if not is_deletable(segment, None if following is None else end):
            break
        segments.append(segment)
    return segments
