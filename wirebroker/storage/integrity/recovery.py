"""Recover a segment after an unclean shutdown: find out how far it is valid, and rebuild what is derived from it.

The batches are read with the rules of `batch_reader.py`.  Where they end, `log_loader.py` decides what that means:
a batch cut short, zeros, garbage without one valid batch in it is what an interrupted write leaves, and is cut off; a
valid batch further on means that something in the middle was destroyed, which no crash does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wirebroker.record.errors import RecordError
from wirebroker.record.record_batch import RecordBatch
from wirebroker.storage.integrity.batch_reader import BatchReader, InvalidBatch
from wirebroker.storage.time_index import NO_TIMESTAMP

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.config.log import LogConfig
    from wirebroker.storage.leader_epoch_cache import LeaderEpochCache
    from wirebroker.storage.log_segment import LogSegment
    from wirebroker.storage.producer_state_manager import ProducerStateManager
    from wirebroker.storage.transaction_index import AbortedTransaction


class RecoveryResult(NamedTuple):
    """How far a segment is valid."""

    valid_end: int
    """The position in the file before which everything is valid."""
    next_offset: int
    """The offset after the last valid batch."""
    invalid: InvalidBatch | None
    """Why the bytes at *valid_end* are no valid batch; None if the segment ends there."""


def recover_segment(
    segment: LogSegment,
    config: LogConfig,
    epochs: LeaderEpochCache,
    producers: ProducerStateManager,
    next_offset: int,
    on_read: Callable[[int], None] | None = None,
) -> RecoveryResult:
    """Read *segment*, write its indexes anew, and replay its batches into *epochs* and *producers*.

    Nothing is cut off the log file.

    Args:
        segment: Its `.log` is read; the caller cuts it, and then ends its indexes (`LogSegment.on_become_inactive`).
        config: Says how large the indexes may be.
        epochs: An epoch that the log has and they lack is added.
        producers: Their state at the segment's first offset.
        next_offset: The first batch may not begin before it.
        on_read: Called with the size of each piece that is read; what it raises ends the recovery.

    Raises OSError.
    """
    offset_index, time_index = segment.offset_index, segment.time_index
    offset_index.reset(config.segment_index_bytes, grow=False)
    time_index.reset(config.segment_index_bytes, grow=False)
    segment.transaction_index.reset()
    segment.first_timestamp = None
    largest = NO_TIMESTAMP, segment.base_offset
    indexed_position = 0
    reader = BatchReader.of_segment(segment, next_offset, on_read)
    for batch in reader:
        position, last_offset = reader.position, batch.last_offset
        if batch.max_timestamp > largest[0]:
            largest = batch.max_timestamp, last_offset
        if position == 0:
            segment.first_timestamp = batch.max_timestamp
        if position - indexed_position > segment.index_interval_bytes and not offset_index.is_full:
            offset_index.append(last_offset, position)
            if not time_index.is_full:
                time_index.maybe_append(*largest)
            indexed_position = position
        if isinstance(batch, RecordBatch):
            try:
                aborted = replay_batch(batch, epochs, producers)
            except RecordError as error:
                reader.reject(f"a control record cannot be read ({error})")
                break
            if aborted is not None:
                segment.transaction_index.append(aborted)
    segment.max_timestamp_so_far = largest
    return RecoveryResult(reader.position, reader.next_offset, reader.invalid)


def replay_segment(
    segment: LogSegment, epochs: LeaderEpochCache, producers: ProducerStateManager, next_offset: int
) -> int:
    """Replay the valid batches of *segment* into *epochs* and *producers*; return the offset after the last of them.

    Raises OSError, and RecordError on a control record that cannot be read.
    """
    reader = BatchReader.of_segment(segment, next_offset)
    for batch in reader:
        if isinstance(batch, RecordBatch):
            replay_batch(batch, epochs, producers)
    return reader.next_offset


def replay_batch(
    batch: RecordBatch, epochs: LeaderEpochCache, producers: ProducerStateManager
) -> AbortedTransaction | None:
    """Replay one batch; return the transaction that it aborts, if it does.  Raises RecordError."""
    if batch.partition_leader_epoch > epochs.latest_epoch:
        epochs.assign(batch.partition_leader_epoch, batch.base_offset)
    return producers.replay(batch)
