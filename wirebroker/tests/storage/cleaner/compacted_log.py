"""A compacted log on a fake disk: keyed batches and transactions to append, cleaning in process, a consumer's view."""

from __future__ import annotations

import heapq
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from wirebroker.config.topic import default_log_config
from wirebroker.record.builder import build_batch
from wirebroker.record.compression import Codec, Compression
from wirebroker.record.control import ControlType, control_type
from wirebroker.record.legacy import any_batches
from wirebroker.record.message_set import MessageSet
from wirebroker.record.record_batch import TRANSACTIONAL, BatchProducer, Record, RecordBatch
from wirebroker.record.validate import AppendRules
from wirebroker.record.validate_legacy import check_message_set
from wirebroker.storage.cleaner.cleaning import Cleaner
from wirebroker.storage.cleaner.job import CleanerLimits
from wirebroker.storage.cleaner.planning import cleanable_range, make_job
from wirebroker.storage.cleaner.segment_swap import swap_in
from wirebroker.storage.errors import SegmentReplaced
from wirebroker.storage.log_truncation import start_of_batch
from wirebroker.storage.producer_state_manager import AppendOrigin
from wirebroker.tests.record.legacy_message_sets import message_set
from wirebroker.tests.storage.fakes.logs import DIR, Clock, manager, marker, run_retention

if TYPE_CHECKING:
    from wirebroker.storage.cleaner.job import CleaningJob
    from wirebroker.storage.log import Log
    from wirebroker.tests.storage.fakes.disk import FakeDisk

CONFIG = default_log_config(
    cleanup_policy=("compact",),
    segment_bytes=1000,
    segment_index_bytes=240,
    index_interval_bytes=200,
    delete_retention_ms=50,
    file_delete_delay_ms=0,
)
LIMITS = CleanerLimits(24 * 1000, 0.9, 4096, 1e308)
DIRS = (DIR, Path("/other"))
"""The log is in the first of them, until it is moved."""
TOPIC_ID = bytes(range(16))


class EndedTransaction(NamedTuple):
    """A transaction whose marker is at *marker_offset*."""

    producer: int
    records: list[KeyedRecord]
    marker_offset: int
    is_committed: bool


class KeyedRecord(NamedTuple):
    """A record as a consumer sees it."""

    offset: int
    key: bytes | None
    value: bytes | None


def keyed(*records: tuple[bytes | None, bytes | None], codec: Codec = Codec.NONE, **fields: Any) -> RecordBatch:
    made = [Record(n, 1, key, value, []) for n, (key, value) in enumerate(records)]
    return RecordBatch.parse(bytearray(build_batch(made, compression=Compression(codec), **fields)))


def committed(log: Log) -> list[KeyedRecord]:
    """The records that a consumer with read_committed gets, by the rules of KIP-98."""
    at = log.log_start_offset
    found: list[KeyedRecord] = []
    while at < log.log_end_offset:
        piece = log.read(at, 700, log.log_end_offset, min_one_batch=True)
        whole = list(any_batches(piece.tobytes()))
        if not whole:
            break
        try:
            begins = [(first, producer) for producer, first in log.reader.aborted_transactions(at, piece)]
        except SegmentReplaced:
            continue
        heapq.heapify(begins)
        aborted: set[int] = set()
        for batch in whole:
            while begins and begins[0][0] <= batch.last_offset:
                aborted.add(heapq.heappop(begins)[1])
            if batch.is_control:
                if any(control_type(each.key) is ControlType.ABORT for each in batch.records()):
                    aborted.discard(batch.producer_id)
            elif not (batch.is_transactional and batch.producer_id in aborted):
                found += [KeyedRecord(e.offset, e.key, e.value) for e in batch.records() if e.offset >= at]
        at = whole[-1].next_offset
    return found


class CompactedLog:
    """The log t-0 in a manager of its own, and all that was ever committed to it."""

    def __init__(self, disk: FakeDisk, **changes: object) -> None:
        self.disk = disk
        self.config = CONFIG._replace(**changes)  # type: ignore[arg-type]
        self.clock = Clock()
        self.committed: dict[int, KeyedRecord] = {}
        """Offset -> the record that was committed there."""
        self.open = dict[int, list[KeyedRecord]]()
        """Producer id -> the records of its open transaction."""
        self.ids = dict[int, int]()
        """Producer -> its producer id, another number once its last batch was deleted."""
        self.sequences = dict[int, int]()
        self.sent = dict[int, list[tuple[RecordBatch, int]]]()
        """Producer -> a copy of each of its batches, and the batch's base offset."""
        self.ended: list[EndedTransaction] = []
        self.replicated_offset = 0
        """The high watermark of the last round, below which no log is truncated."""
        self.restart(disk)

    def restart(self, disk: FakeDisk) -> None:
        """Start a broker on *disk*."""
        self.disk = disk
        self.manager = manager(disk, self.config, self.clock, *DIRS)
        assert not self.manager.refused()
        if self.manager.get("t", 0) is None:
            self.manager.set_preferred_log_dir("t", 0, DIR)
        self.log = self.manager.get_or_create("t", 0, TOPIC_ID)
        if self.log.leader_epoch_cache.latest_epoch < 0:
            self.log.assign_leader_epoch(0)

    # -- writing

    def append(self, *records: tuple[bytes | None, bytes | None], producer: int | None = None, **fields: Any) -> int:
        """Append records outside of transactions; return the first one's offset."""
        if producer is not None:
            sequence = self.sequences.get(producer, 0)
            fields["producer"] = BatchProducer(self.ids.setdefault(producer, producer), 0, sequence)
            self.sequences[producer] = sequence + len(records)
        base = self._append(keyed(*records, **fields), producer)
        self.committed |= {each.offset: each for each in _numbered(base, records)}
        return base

    def append_legacy(self, magic: int, *records: tuple[bytes | None, bytes | None], codec: Codec = Codec.NONE) -> None:
        """Append messages of format 0 or 1."""
        now_ms = self.clock.now_ms
        data = message_set(magic, codec, records, now_ms=now_ms)
        checked = check_message_set(memoryview(data), AppendRules(magic=magic, log_append_time=False), now_ms)
        assert isinstance(checked, MessageSet)
        base = self.log.append_messages(checked, now_ms).base_offset
        self.committed |= {each.offset: each for each in _numbered(base, records)}

    def append_in_transaction(self, producer: int, *records: tuple[bytes, bytes | None]) -> int:
        sequence = self.sequences.get(producer, 0)
        self.sequences[producer] = sequence + len(records)
        sender = BatchProducer(self.ids.setdefault(producer, producer), 0, sequence)
        batch = keyed(*records, producer=sender, attributes=TRANSACTIONAL)
        base = self._append(batch, producer)
        self.open.setdefault(producer, []).extend(_numbered(base, records))
        return base

    def end_transaction(self, producer: int, *, commit: bool) -> None:
        at = self.log.append_as_leader(
            marker(self.ids.setdefault(producer, producer), 0, committed=commit),
            0,
            self.clock.now_ms,
            origin=AppendOrigin.COORDINATOR,
        ).base_offset
        records = self.open.pop(producer, [])
        self.ended.append(EndedTransaction(producer, records, at, commit))
        if commit:
            self.committed |= {each.offset: each for each in records}

    def _append(self, batch: RecordBatch, producer: int | None) -> int:
        again = RecordBatch.parse(bytearray(batch.buffer))
        base = self.log.append_as_leader(batch, 0, self.clock.now_ms).base_offset
        if producer is not None:
            self.sent.setdefault(producer, []).append((again, base))
        return base

    def delete_records(self, up_to: int) -> None:
        """Move the log start, and delete segments below; producers whose last batch is there may be forgotten."""
        self.log.delete_records(up_to)
        self.retain()

    def retain(self) -> None:
        """Delete the segments that may go, in which whole producers may go."""
        run_retention(self.manager, self.clock.now_ms)
        self.manager.log_dirs.checkpoint_log_starts()
        for producer, batches in list(self.sent.items()):
            last, base = batches[-1]
            if base + last.last_offset_delta < self.log.log_start_offset:
                self._forget(producer)

    def _forget(self, producer: int) -> None:
        """Have *producer* begin anew under another producer id."""
        del self.sent[producer], self.sequences[producer]
        self.ids[producer] += 100

    # -- the whole log

    def truncate_to(self, offset: int) -> None:
        """Cut the log at the batch that holds *offset*, if that is above the high watermark of the last round."""
        log = self.log
        offset = start_of_batch(log, offset)
        lowest = max(log.log_start_offset, self.replicated_offset)
        undeleted = all(each.offset >= log.log_start_offset for txn in self.ended for each in txn.records)
        if offset < lowest or not undeleted or not self.manager.truncate_to(log, offset):
            return
        assert log.log_end_offset == offset
        for txn in [each for each in self.ended if each.marker_offset >= offset]:
            self.ended.remove(txn)
            for each in txn.records if txn.is_committed else ():
                del self.committed[each.offset]
            if any(each.offset < offset for each in txn.records):
                assert txn.producer not in self.open or self.open[txn.producer][0].offset >= offset
                self.open[txn.producer] = list(txn.records)
        self.committed = {at: each for at, each in self.committed.items() if at < offset}
        left = {each: [kept for kept in records if kept.offset < offset] for each, records in self.open.items()}
        self.open = {producer: records for producer, records in left.items() if records}
        for producer, batches in list(self.sent.items()):
            batches[:] = [(batch, base) for batch, base in batches if base < offset]
            if batches and batches[-1][1] + batches[-1][0].last_offset_delta >= log.log_start_offset:
                self.sequences[producer] = batches[-1][0].last_sequence + 1
            else:
                self._forget(producer)

    def move(self) -> None:
        """Move the log to the other directory (KIP-113)."""
        log, future_logs = self.log, self.manager.future_logs
        (other,) = (each for each in DIRS if each != log.directory.parent)
        future = future_logs.get_or_create(log, other)
        while not future_logs.maybe_replace_current(log, future):
            piece = log.read(future.log_end_offset, 300, log.log_end_offset, True)
            future.append_as_follower(memoryview(bytearray(piece.tobytes())))
        assert log.directory.parent == other

    # -- cleaning

    marks_horizon = True

    def job(self, limits: CleanerLimits = LIMITS) -> CleaningJob:
        for segment in self.log.segments[:-1]:
            if not segment.modified_ms():  # the fake disk has no clock
                segment.log_file.open().set_modified_ms(self.clock.now_ms)
        checkpoint = self.manager.log_dirs.cleaner_offset(self.log)
        cleanable = cleanable_range(self.log, checkpoint, self.log.log_end_offset, self.clock.now_ms)
        return make_job(self.log, cleanable, limits, self.clock.now_ms, marks_horizon=self.marks_horizon)

    def clean(self, limits: CleanerLimits = LIMITS) -> int | None:
        """Run one round to its end; return where the next begins, None if there is nothing to clean."""
        job = self.job(limits)
        if job.first_dirty_offset >= job.uncleanable_offset:
            return None
        self.replicated_offset = self.log.log_end_offset
        cleaner = Cleaner(job, self.disk)
        for segment in cleaner.run():
            assert swap_in(self.log, segment, job)
        self.manager.log_dirs.checkpoint_cleaner_offset(self.log, cleaner.end_offset)
        return cleaner.end_offset

    # -- what must hold

    def latest(self, end_offset: int | None = None) -> dict[bytes | None, KeyedRecord]:
        """The last committed record of each key from the log start on, below *end_offset*."""
        found: dict[bytes | None, KeyedRecord] = {}
        for offset in sorted(self.committed):
            if self.log.log_start_offset <= offset and (end_offset is None or offset < end_offset):
                found[self.committed[offset].key] = self.committed[offset]
        return found

    def verify(self) -> None:
        """Nothing lost, nothing doubled, nothing in another place, no temporary file."""
        found = committed(self.log)
        offsets = [each.offset for each in found]
        assert offsets == sorted(set(offsets))
        open_records = {each.offset: each for records in self.open.values() for each in records}
        written = self.committed | open_records
        assert [written.get(each.offset) for each in found] == found
        last = {each.key: each for each in found if each.offset not in open_records}
        for key, record in self.latest().items():
            if record.value is not None or key in last:
                assert last[key] == record
        for batch, base in [each[-1] for each in self.sent.values()]:
            resent = self.log.append_as_leader(RecordBatch.parse(bytearray(batch.buffer)), 0, self.clock.now_ms)
            assert (resent.duplicate, resent.base_offset) == (True, base)

    def temporary_files(self) -> list[str]:
        names = [name for name, _ in self.disk.list(str(self.log.directory))]
        return [name for name in names if not name.endswith((".log", "index", ".snapshot", ".metadata", "checkpoint"))]


def _numbered(base: int, records: tuple[tuple[bytes | None, bytes | None], ...]) -> list[KeyedRecord]:
    return [KeyedRecord(base + n, key, value) for n, (key, value) in enumerate(records)]
