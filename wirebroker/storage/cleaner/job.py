"""CleaningJob: all that the cleaning of one log needs to know, as values that another process can be given."""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from wirebroker.config.log import LogConfig
    from wirebroker.storage.transaction_index import AbortedTransaction


JOB_SIZE: Final = Struct(">q")
"""The size of a pickled job in bytes, ahead of it on the input of the cleaner's process."""


class SourceSegment(NamedTuple):
    """A segment below the first uncleanable offset."""

    base_offset: int
    size_bytes: int
    modified_ms: int
    """When its file was last written to; compaction leaves it as it is, for retention by time looks at it."""
    offset_index_bytes: int
    time_index_bytes: int


class LastRecord(NamedTuple):
    """Where an active producer's state stands in the log."""

    last_data_offset: int | None
    """The last offset of its last batch of records; None if only a marker of it is known."""
    epoch: int


class CleanerLimits(NamedTuple):
    """The limits of one cleaner (log.cleaner.*)."""

    dedupe_buffer_bytes: int
    load_factor: float
    io_buffer_bytes: int
    max_bytes_per_second: float


class CleaningJob(NamedTuple):
    """One round of cleaning.

    Attributes:
        name: topic and partition, for the log.
        directory: the partition's directory.
        segments: all segments below *uncleanable_offset*, in order.
        first_dirty_offset: what was cleaned ends here; keys are collected from here on.
        uncleanable_offset: the base offset of the first segment that must not be touched.
        now_ms: the wall clock as the round begins.
        aborted: the aborted transactions that overlap the segments.
        last_records: producer id -> its last record, for the producers that are active.
        truncations: `LocalLog.truncations` before the segments were listed.
        marks_horizon: whether batches get delete horizons (`CompactionRule.marks_horizon`), as from release 3.1 on.
    """

    name: str
    directory: str
    config: LogConfig
    segments: tuple[SourceSegment, ...]
    first_dirty_offset: int
    uncleanable_offset: int
    now_ms: int
    limits: CleanerLimits
    aborted: tuple[AbortedTransaction, ...]
    last_records: dict[int, LastRecord]
    truncations: int = 0
    marks_horizon: bool = True


class CleanedSegment(NamedTuple):
    """A segment that was written as `.cleaned` files and stands for several."""

    base_offset: int
    size_bytes: int
    replaced: tuple[int, ...]
    """Base offsets of the segments that it stands for, in order."""
    has_transaction_index: bool


@dataclass(slots=True)
class CleaningStats:
    """Counts of the bytes and records that a round of cleaning has read and written."""

    map_keys: int = 0
    bytes_read: int = 0
    bytes_written: int = 0
    records_read: int = 0
    records_written: int = 0
    keyless_records: int = 0
    seconds: float = 0.0


class RoundEnd(NamedTuple):
    """The round is over, and all its segments were announced."""

    end_offset: int
    """The first offset that is dirty now."""
    stats: CleaningStats


class RoundFailure(NamedTuple):
    """The round was given up; the segments that were announced before are good."""

    reason: str
    errno: int | None
    """The operating system's error number; None if a batch could not be read."""
