"""Rebuild the producer state of a log from the newest snapshot and the batches behind it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from wirebroker.record.record_batch import RecordBatch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wirebroker.storage.log_segment import LogSegment
    from wirebroker.storage.producer_state_manager import ProducerStateManager

_BATCHES_PER_CHECK = 1024


def rebuild_producers(
    producers: ProducerStateManager,
    segments: Sequence[LogSegment],
    log_start_offset: int,
    end_offset: int,
    now_ms: int,
    check: Callable[[], None] | None = None,
) -> None:
    """Set *producers* to their state when the log ended at *end_offset*.

    Reads only the headers of batches without a producer id.  A snapshot is left at the last two segments' starts, so
    that the next recovery has little to read.  *check* is called now and then; its exception ends the work.
    Raises OSError.
    """
    producers.truncate_and_reload(log_start_offset, end_offset, now_ms)
    snapshot_at = {segment.base_offset for segment in segments[-2:]}
    for segment, following in pairwise([*segments, None]):
        if segment is None or producers.end_offset >= end_offset:
            break
        if following is not None and following.base_offset <= producers.end_offset:
            continue
        if segment.base_offset in snapshot_at and segment.base_offset >= producers.end_offset:
            producers.end_offset = segment.base_offset
            producers.take_snapshot()
        _replay(producers, segment, end_offset, check)
    producers.end_offset = end_offset


def _replay(
    producers: ProducerStateManager, segment: LogSegment, end_offset: int, check: Callable[[], None] | None = None
) -> None:
    file = segment.log_file.open()
    first = segment.translate_offset(producers.end_offset)
    if first is None:
        return
    for number, header in enumerate(segment.headers(first.position)):
        if check is not None and number % _BATCHES_PER_CHECK == 0:
            check()
        if header.base_offset >= end_offset:
            return
        if header.has_producer:
            producers.replay(RecordBatch.parse(file.pread(header.size_bytes, header.position)))
        producers.end_offset = header.last_offset + 1
