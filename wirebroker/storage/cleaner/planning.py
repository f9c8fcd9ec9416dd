"""Which part of a log can be cleaned, and how much of it is dirty."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.storage.cleaner.job import CleaningJob, LastRecord, SourceSegment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wirebroker.config.log import LogConfig
    from wirebroker.storage.cleaner.job import CleanerLimits
    from wirebroker.storage.log import Log
    from wirebroker.storage.log_segment import LogSegment
    from wirebroker.storage.log_view import LogView
    from wirebroker.storage.producer_state_entry import ProducerStateEntry
    from wirebroker.storage.transaction_index import AbortedTransaction

logger = logging.getLogger(__name__)


class CleanableRange(NamedTuple):
    """The range of a log that can be cleaned."""

    first_dirty_offset: int
    """Everything below was cleaned before."""
    uncleanable_offset: int
    """The base offset of the first segment that may not be touched."""
    clean_bytes: int
    cleanable_bytes: int
    compaction_delay_ms: int
    """For how much longer than max.compaction.lag.ms a record has waited; the dirty ratio does not count above 0."""
    truncations: int = 0
    """`LocalLog.truncations` before the log was looked at."""

    @property
    def is_overdue(self) -> bool:
        """Whether a record has waited for longer than max.compaction.lag.ms."""
        return self.compaction_delay_ms > 0

    @property
    def dirty_ratio(self) -> float:
        """The dirty part of what a round would read, from 0 to 1."""
        total = self.clean_bytes + self.cleanable_bytes
        return self.cleanable_bytes / total if total else 0.0

    def is_due(self, config: LogConfig) -> bool:
        """Whether the log is to be cleaned now."""
        return (self.is_overdue and self.cleanable_bytes > 0) or self.dirty_ratio > config.min_cleanable_dirty_ratio


def cleanable_range(log: Log, checkpoint: int | None, high_watermark: int, now_ms: int) -> CleanableRange:
    """Return the range of *log* that may be cleaned, and how dirty it is.

    Args:
        checkpoint: the first dirty offset, None if the log was never cleaned.
        high_watermark: records from here on are not replicated yet.
        now_ms: the wall clock.

    Raises:
        StorageError, CorruptLogError: what the log knows of its segments cannot be read.
    """
    truncations = log.local_log.truncations
    if checkpoint is not None and checkpoint > log.log_end_offset:
        logger.warning(
            "topic=%s partition=%d: the cleaner's checkpoint %d is beyond the log end offset %d; the whole log is"
            " cleaned again",
            *(*log.topic_partition, checkpoint, log.log_end_offset),
        )
    found = log.reader.query(lambda view: range_in(view, log.config, checkpoint, high_watermark, now_ms))
    return found._replace(truncations=truncations)


def range_in(
    view: LogView, config: LogConfig, checkpoint: int | None, high_watermark: int, now_ms: int
) -> CleanableRange:
    """Return what `cleanable_range` returns, of one view of a log.  Raises OSError, CorruptFileError."""
    first_dirty = _first_dirty_offset(view, checkpoint)
    closed = view.segments[:-1]
    dirty = [each for at, each in enumerate(closed) if view.segments[at + 1].base_offset > first_dirty]
    bound = min(view.last_stable_offset(high_watermark), view.active.base_offset)
    if config.min_compaction_lag_ms > 0:
        too_young = (each for each in dirty if each.largest_timestamp() > now_ms - config.min_compaction_lag_ms)
        bound = min(bound, next((each.base_offset for each in too_young), bound))
    uncleanable = _segment_with(view, max(bound, first_dirty)).base_offset
    return CleanableRange(
        first_dirty,
        uncleanable,
        sum(each.size_bytes for each in view.segments if each.base_offset < first_dirty),
        sum(each.size_bytes for each in dirty if each.base_offset < uncleanable),
        _compaction_delay_ms(dirty, config, now_ms),
    )


def _first_dirty_offset(view: LogView, checkpoint: int | None) -> int:
    """Where the last round has ended; the log's start if that cannot be true."""
    if checkpoint is None or checkpoint > view.log_end_offset:
        return view.log_start_offset
    return max(checkpoint, view.log_start_offset)


def _segment_with(view: LogView, offset: int) -> LogSegment:
    """The segment that holds *offset*, the active one if it is beyond all of them."""
    return view.segments_between(offset, offset + 1)[0]


def _compaction_delay_ms(dirty: Sequence[LogSegment], config: LogConfig, now_ms: int) -> int:
    """Return by how much a dirty record is older than max.compaction.lag.ms allows, 0 if none is.

    The age of a segment is that of its first timestamp.
    """
    limit_ms = now_ms - config.max_compaction_lag_ms
    if limit_ms <= 0:
        return 0
    firsts = (each.load_first_timestamp() or 0 for each in dirty)
    return max(0, limit_ms - min((first for first in firsts if first > 0), default=limit_ms))


def make_job(
    log: Log, cleanable: CleanableRange, limits: CleanerLimits, now_ms: int, *, marks_horizon: bool = True
) -> CleaningJob:
    """Return what a cleaner needs to know to clean *cleanable* of *log*.  Raises StorageError, CorruptLogError."""
    job = log.reader.query(lambda view: _job(log, view, cleanable, limits, now_ms))
    return job if marks_horizon else job._replace(marks_horizon=False)


def _job(log: Log, view: LogView, cleanable: CleanableRange, limits: CleanerLimits, now_ms: int) -> CleaningJob:
    segments = [each for each in view.segments if each.base_offset < cleanable.uncleanable_offset]
    return CleaningJob(
        name=str(log.topic_partition),
        directory=str(log.directory),
        config=log.config,
        segments=tuple(_source(each) for each in segments),
        first_dirty_offset=cleanable.first_dirty_offset,
        uncleanable_offset=cleanable.uncleanable_offset,
        now_ms=now_ms,
        limits=limits,
        aborted=_aborted_transactions(view, cleanable.uncleanable_offset),
        last_records={
            entry.producer_id: _last_record(entry) for entry in list(log.producer_state_manager.entries.values())
        },
        truncations=cleanable.truncations,
    )


def _last_record(entry: ProducerStateEntry) -> LastRecord:
    batches = list(entry.batches)  # the log may be appended to meanwhile
    return LastRecord(batches[-1].last_offset if batches else None, entry.epoch)


def _aborted_transactions(view: LogView, end_offset: int) -> tuple[AbortedTransaction, ...]:
    """The aborted transactions that begin below *end_offset*; their markers may be in any later segment."""
    entries = (entry for segment in view.segments for entry in segment.transaction_index.entries())
    return tuple(entry for entry in entries if entry.first_offset < end_offset)


def _source(segment: LogSegment) -> SourceSegment:
    return SourceSegment(
        segment.base_offset,
        segment.size_bytes,
        segment.modified_ms(),
        segment.offset_index.size_bytes,
        segment.time_index.size_bytes,
    )
