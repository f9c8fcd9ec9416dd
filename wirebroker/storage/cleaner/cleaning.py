"""One round of log compaction (KIP-58, KIP-98, KIP-534): read the keys of the dirty range, then write new segments.

    segments   | cleaned in earlier rounds |        dirty         | uncleanable: active segment, open transactions, |
               |                           |  keys are read here  | records younger than min.compaction.lag.ms      |
    written    |<-------- without records whose key comes again -->|

A map with room for fewer keys than the dirty range has ends earlier; the rest is cleaned in the next round.  Nothing
that is there is changed: each group of segments becomes one segment with the suffix `.cleaned`, whole and on the disk
when `Cleaner.run` yields it; the broker then replaces the group by it (`segment_swap.py`).  `record/compaction.py`
decides which records of a batch are retained.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Final

from wirebroker.record.compaction import CompactionRule, Emptied, compact_batch
from wirebroker.record.key_run import KeyRuns, may_be_alike
from wirebroker.record.record_batch import RecordBatch
from wirebroker.storage.cleaner.job import CleanedSegment, CleaningStats
from wirebroker.storage.cleaner.latest_offsets import LatestOffsets
from wirebroker.storage.cleaner.offset_map import OffsetMap
from wirebroker.storage.cleaner.segment_writer import SegmentWriter
from wirebroker.storage.cleaner.throttle import Throttle
from wirebroker.storage.cleaner.transactions import CleanedTransactions
from wirebroker.storage.errors import CorruptFileError
from wirebroker.storage.integrity.batch_reader import BatchReader, FileWindow
from wirebroker.storage.integrity.swap_files import CLEANED
from wirebroker.storage.log_segment import LOG, LogSegment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from wirebroker.record.legacy import AnyBatch
    from wirebroker.storage.cleaner.job import CleaningJob, SourceSegment
    from wirebroker.storage.files import Files

_MAX_RELATIVE_OFFSET: Final = (1 << 31) - 1


class Cleaner:
    """One round of cleaning of one log.

    Args:
        check_stop: called between pieces of work; what it raises ends the round.
    """

    def __init__(
        self,
        job: CleaningJob,
        files: Files,
        *,
        throttle: Throttle | None = None,
        check_stop: Callable[[], None] = lambda: None,
    ) -> None:
        self._job = job
        self._files = files
        self._throttle = throttle or Throttle(job.limits.max_bytes_per_second)
        self._check_stop = check_stop
        self._key_runs = KeyRuns()
        self.stats = CleaningStats()
        self.end_offset = job.first_dirty_offset
        """The first offset that the next round begins with; known after `run`."""

    def run(self) -> Iterator[CleanedSegment]:
        """Write the new segments, and yield each as soon as it is complete and synced.

        Raises:
            OSError: the disk failed, or has no room.
            CorruptFileError, RecordError: a batch cannot be read; nothing of its group was written.
        """
        began = perf_counter()
        self._remove_cleaned_files()  # of a round whose process was killed
        offset_map = self._read_keys()
        try:
            self.end_offset = offset_map.latest_offset + 1
            transactions = CleanedTransactions()
            transactions.add_aborted(self._job.aborted)
            latest = LatestOffsets(offset_map, self._job.first_dirty_offset)
            for group in self._groups():
                yield self._clean_group(group, offset_map, latest, transactions)
        finally:
            offset_map.close()
            self.stats.seconds = perf_counter() - began

    def _remove_cleaned_files(self) -> None:
        """Remove new segments that are not in use; a start would take them for a swap that was not finished."""
        directory = self._job.directory
        names = [name for name, _ in self._files.list(directory) if name.endswith(CLEANED)]
        self._files.unlink(f"{directory}/{name}" for name in names)

    # -- keys

    def _read_keys(self) -> OffsetMap:
        job = self._job
        most = max(job.uncleanable_offset - job.first_dirty_offset, 1)
        offset_map = OffsetMap(job.limits.dedupe_buffer_bytes, job.limits.load_factor, most)
        try:
            offset_map.latest_offset = job.first_dirty_offset - 1
            transactions = CleanedTransactions()
            # not those that ended before: their markers are not read here, which would end them
            transactions.add_aborted(each for each in job.aborted if each.last_offset >= job.first_dirty_offset)
            for segment, next_base in self._segments_with_end():
                if next_base > job.first_dirty_offset and not self._read_keys_of(segment, offset_map, transactions):
                    break
                offset_map.advance(next_base - 1)  # offsets may be missing at a segment's end
            self.stats.map_keys = offset_map.size
            self.stats.keyless_records = offset_map.keyless
        except BaseException:
            offset_map.close()
            raise
        return offset_map

    def _read_keys_of(self, segment: SourceSegment, offset_map: OffsetMap, transactions: CleanedTransactions) -> bool:
        """Put the keys of *segment* into the map; False if there was no room for one."""
        start = self._job.first_dirty_offset
        for batch in self._batches(segment):
            if batch.is_control:
                transactions.may_discard_marker(batch)
            elif not transactions.is_aborted(batch) and not self._put_keys(batch, offset_map, start):
                return False
            offset_map.advance(batch.last_offset)
        return True

    def _put_keys(self, batch: AnyBatch, offset_map: OffsetMap, start: int) -> bool:
        """Put the keys of *batch* from offset *start* on into the map; False if there was no room for one."""
        if isinstance(batch, RecordBatch) and batch.base_offset >= start and may_be_alike(batch):
            data = bytes(batch.uncompressed())
            run = self._key_runs.find(batch, data)
            if run is not None:
                return offset_map.put_run(batch.base_offset, run.keys(data))
        return offset_map.put_all(batch.keys(), start)

    def _segments_with_end(self) -> Iterator[tuple[SourceSegment, int]]:
        """Every segment with the base offset of the one after it."""
        segments = self._job.segments
        ends = [*(segment.base_offset for segment in segments[1:]), self._job.uncleanable_offset]
        return zip(segments, ends, strict=False)  # without segments the end is of none

    def _batches(self, segment: SourceSegment) -> Iterator[AnyBatch]:
        """The batches of *segment*, verified; the throttle is paid for what is read.

        Raises CorruptFileError, OSError.
        """
        path = f"{self._job.directory}/{segment.base_offset:020}{LOG}"
        file = self._files.open(path, create=False)
        size = self._job.limits.io_buffer_bytes
        reader = BatchReader(
            FileWindow(file, segment.size_bytes, on_read=self._on_read, piece_bytes=size), segment.base_offset
        )
        yield from reader
        if reader.invalid is not None:
            raise CorruptFileError(f"{path} at position {reader.position}: {reader.invalid.text}")

    def _on_read(self, size_bytes: int) -> None:
        self._throttle.pay(size_bytes)
        self._check_stop()

    # -- new segments

    def _groups(self) -> Iterator[list[SourceSegment]]:
        """Neighbouring segments that fit into one, up to where the map ends."""
        config = self._job.config
        group: list[SourceSegment] = []
        for segment, next_base in self._segments_with_end():
            if segment.base_offset >= self.end_offset:
                break
            if group and not (
                _total(group, "size_bytes") + segment.size_bytes <= config.segment_bytes
                and _total(group, "offset_index_bytes") + segment.offset_index_bytes <= config.segment_index_bytes
                and _total(group, "time_index_bytes") + segment.time_index_bytes <= config.segment_index_bytes
                and (not segment.size_bytes or next_base - 1 - group[0].base_offset <= _MAX_RELATIVE_OFFSET)
            ):
                yield group
                group = []
            group.append(segment)
        if group:
            yield group

    def _clean_group(
        self,
        group: list[SourceSegment],
        offset_map: OffsetMap,
        latest: LatestOffsets,
        transactions: CleanedTransactions,
    ) -> CleanedSegment:
        job = self._job
        cleaned = LogSegment(self._files, job.directory, group[0].base_offset, job.config, job.now_ms)
        cleaned.use_suffix(CLEANED)
        cleaned.make_files(job.config)
        transactions.retained.clear()
        writer = SegmentWriter(cleaned, job.limits.io_buffer_bytes, self._throttle.pay)
        try:
            for segment in group:
                rule = self._rule(segment, offset_map, latest)
                for batch in self._batches(segment):
                    self._copy(batch, writer, rule, transactions)
            writer.flush()
            for aborted in transactions.retained:
                cleaned.transaction_index.append(aborted)
            cleaned.on_become_inactive()
            cleaned.sync()
            cleaned.log_file.open().set_modified_ms(group[-1].modified_ms)
        except BaseException:
            cleaned.close()
            self._files.unlink(cleaned.paths())
            raise
        cleaned.close()
        return CleanedSegment(
            cleaned.base_offset,
            cleaned.size_bytes,
            tuple(segment.base_offset for segment in group),
            cleaned.transaction_index.exists,
        )

    def _rule(self, segment: SourceSegment, offset_map: OffsetMap, latest: LatestOffsets) -> CompactionRule:
        job = self._job
        clean = [each for each in job.segments if each.base_offset < job.first_dirty_offset]
        oldest_ms = clean[-1].modified_ms - job.config.delete_retention_ms if clean else 0
        return CompactionRule(
            latest_offset=offset_map.get,
            map_end=offset_map.latest_offset + 1,
            now_ms=job.now_ms,
            delete_retention_ms=job.config.delete_retention_ms,
            latest_marks=latest.marks,
            keeps_by_age=segment.modified_ms > oldest_ms,
            marks_horizon=job.marks_horizon,
            key_runs=self._key_runs,
        )

    def _copy(
        self, batch: AnyBatch, writer: SegmentWriter, rule: CompactionRule, transactions: CleanedTransactions
    ) -> None:
        """Append what is left of *batch* to the new segment."""
        is_marker = batch.is_control
        may_discard = transactions.may_discard_marker(batch) if is_marker else transactions.is_aborted(batch)
        discard = may_discard and not (is_marker and rule.keeps_tombstones(batch.delete_horizon_ms))
        left = compact_batch(
            batch,
            rule,
            Emptied.KEEP_HEADER if self._must_keep_header(batch) else Emptied.REMOVE,
            discard=discard,
            is_empty_transaction_marker=is_marker and may_discard,
        )
        stats = self.stats
        stats.bytes_read += batch.size_bytes
        stats.records_read += left.read
        if left.data:
            stats.bytes_written += len(left.data)
            stats.records_written += left.kept
            writer.append(left.data, batch.last_offset, left.max_timestamp)

    def _must_keep_header(self, batch: AnyBatch) -> bool:
        """Whether *batch* holds what must not be lost: a producer's last sequence, or the last offset of the round."""
        if batch.magic < 2:
            return False
        if batch.has_producer_id:
            last = self._job.last_records.get(batch.producer_id)
            if last is not None:
                if last.last_data_offset is None:
                    if batch.is_control and batch.producer_epoch == last.epoch:
                        return True
                elif batch.last_offset == last.last_data_offset:
                    return True
        return batch.next_offset == self._job.uncleanable_offset


def _total(group: Sequence[SourceSegment], field: str) -> int:
    return sum(getattr(segment, field) for segment in group)
