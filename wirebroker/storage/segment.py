"""One segment: a `.log` full of batches and the indexes over it.

The files are named after the segment's first offset (20 digits).  A segment is appended to while it is the last of its
log; when the next one begins it is closed for good: its last timestamp goes into the time index and both indexes are
cut to size.  What an index entry says, and when one is written, is Kafka's: when a batch begins more than
`index.interval.bytes` behind the last indexed one, its (last offset, position) and the largest timestamp so far.
"""

from __future__ import annotations

import logging
import os
from collections import deque
from typing import TYPE_CHECKING

from wirebroker.record.legacy import parse_any
from wirebroker.storage.batch_headers import BatchHeader, find_batch, headers
from wirebroker.storage.faults import CorruptFile
from wirebroker.storage.first_look import first_look
from wirebroker.storage.index_file import MAX_RELATIVE_OFFSET
from wirebroker.storage.log_slice import NOTHING, LogSlice
from wirebroker.storage.offset_index import OffsetIndex
from wirebroker.storage.proof import Proof
from wirebroker.storage.time_index import NO_TIMESTAMP, TimeIndex
from wirebroker.storage.transaction_index import TransactionIndex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wirebroker.config.log import LogConfig
    from wirebroker.storage.files import Files

logger = logging.getLogger(__name__)

LOG = ".log"
INDEX = ".index"
TIME_INDEX = ".timeindex"
TRANSACTION_INDEX = ".txnindex"
DELETED = ".deleted"

_RECENT = 64  # batches whose place is remembered, so that readers at the end of the log need no index


class Segment:
    """One thread at a time may change it; others read meanwhile, up to the size that their LogView says.

    Methods may raise OSError, and CorruptFile on bytes that make no sense.
    """

    __slots__ = (
        "_files",
        "_recent",
        "_since_index_entry",
        "base_offset",
        "created_ms",
        "first_timestamp",
        "index_full",
        "index_interval_bytes",
        "largest",
        "log_file",
        "offset_index",
        "proof",
        "roll_jitter_ms",
        "size_bytes",
        "time_index",
        "transaction_index",
        "writable",
    )

    def __init__(
        self,
        files: Files,
        directory: str,
        base_offset: int,
        config: LogConfig,
        now_ms: int,
        *,
        size_bytes: int,
        has_transactions: bool = False,
    ) -> None:
        """A segment whose files exist; see `create`."""
        path = f"{directory}/{base_offset:020}"
        self._files = files
        self.base_offset = base_offset
        self.size_bytes = size_bytes
        self.log_file = files.lazy(path + LOG)
        self.offset_index = OffsetIndex(files, path + INDEX, base_offset)
        self.time_index = TimeIndex(files, path + TIME_INDEX, base_offset)
        self.transaction_index = TransactionIndex(files, path + TRANSACTION_INDEX, exists=has_transactions)
        self.proof = Proof(base_offset, size_bytes)
        """What was found in the file at start and is not known to be good yet."""
        self.index_interval_bytes = config.index_interval_bytes
        jitter = min(config.segment_jitter_ms, config.segment_ms)
        self.roll_jitter_ms = int.from_bytes(os.urandom(6), "big") % jitter if jitter > 0 else 0
        self.created_ms = now_ms
        self.largest: tuple[int, int] | None = None
        """(largest timestamp, last offset of its batch), None while nobody had to know; see `largest_timestamp`."""
        self.first_timestamp: int | None = None
        """The largest timestamp of the first batch, None while unknown or empty; time-based rolling counts from it."""
        self.index_full = False
        """No room for another entry: the next batch needs a new segment."""
        self._since_index_entry = 0
        self.writable = False
        self._recent: dict[int, int] = {}

    @classmethod
    def create(cls, files: Files, directory: str, base_offset: int, config: LogConfig, now_ms: int) -> Segment:
        """A new, empty segment, with its files; what is left of an older one by that name is removed."""
        segment = cls(files, directory, base_offset, config, now_ms, size_bytes=0)
        segment.make_files(config)
        return segment

    def make_files(self, config: LogConfig) -> None:
        """Make the files of a new, empty segment; what is left of an older one by that name is removed."""
        self.log_file.create().truncate(0)
        self.offset_index.reset(config.segment_index_bytes)
        self.time_index.reset(config.segment_index_bytes)
        self.index_full = self.offset_index.is_full or self.time_index.is_full
        self._files.unlink([self.transaction_index.path])
        self.largest = NO_TIMESTAMP, self.base_offset
        self.writable = True

    # -- appending

    def make_writable(self, config: LogConfig) -> None:
        """Prepare for appends, if it is not `writable` already."""
        self._make_indexes_writable(config)
        self.largest = self.largest_timestamp()
        self._first_timestamp()
        self.writable = True

    def _make_indexes_writable(self, config: LogConfig) -> None:
        self.offset_index.make_writable(config.segment_index_bytes)
        self.time_index.make_writable(config.segment_index_bytes)
        self.index_full = self.offset_index.is_full or self.time_index.is_full

    def should_roll(
        self, config: LogConfig, size_bytes: int, max_timestamp: int, last_offset: int, now_ms: int
    ) -> bool:
        """Must the batch described go into a new segment?  Only of a writable segment."""
        held = self.size_bytes
        if held > config.segment_bytes - size_bytes or last_offset - self.base_offset > MAX_RELATIVE_OFFSET:
            return True
        if held:
            first = self.first_timestamp
            # batches without timestamps count from the segment's creation
            waited = max_timestamp - first if first is not None and first >= 0 else now_ms - self.created_ms
            if waited > config.segment_ms - self.roll_jitter_ms:
                return True
        return self.index_full

    def append(
        self,
        data: bytes | bytearray | memoryview,
        base_offset: int,
        last_offset: int,
        max_timestamp: int,
        reached: int | None = None,
    ) -> None:
        """Write one batch, or a set of messages of an old format, at the end.

        *reached* is the offset at which *max_timestamp* is reached, None for the last.

        After an OSError bytes beyond `size_bytes`, or beyond what an earlier LogView says, mean nothing.
        """
        position = self.size_bytes
        size = len(data)
        if reached is None:
            reached = last_offset
        (self.log_file.opened or self.log_file.open()).pwrite(data, position)
        self.size_bytes = position + size  # before an index knows of it: readers compare them
        if self._since_index_entry > self.index_interval_bytes:
            self._index(last_offset, position, max_timestamp, reached)
            self._since_index_entry = 0
        elif not position:
            self.first_timestamp = max_timestamp
        largest = self.largest
        if largest is None or max_timestamp > largest[0]:
            self.largest = max_timestamp, reached
        self._since_index_entry += size
        recent = self._recent
        if len(recent) >= _RECENT:
            recent.clear()
        recent[base_offset] = position

    def _index(self, last_offset: int, position: int, max_timestamp: int, reached: int) -> None:
        largest = self.largest_timestamp()
        if max_timestamp > largest[0]:
            largest = max_timestamp, reached
        self.offset_index.append(last_offset, position)
        self.time_index.maybe_append(*largest)
        self.index_full = self.offset_index.is_full or self.time_index.is_full

    def finish(self) -> None:
        """No more appends: write the last timestamp, cut the indexes to size."""
        self.time_index.maybe_append(*self.largest_timestamp())
        self.offset_index.trim()
        self.time_index.trim()
        self.writable = False
        self._recent.clear()

    def sync(self) -> bool:
        """Return when everything appended is on the disk; is there a new name in the directory to be synced, too?

        While the segment is appended to, that takes in only one of the indexes, without which readers would get aborted
        records: a crash has the others made anew.
        """
        writable = self.writable
        self.log_file.open().sync()
        if not writable:
            self.offset_index.sync()
            self.time_index.sync()
        return self.transaction_index.sync()

    # -- reading (*size_bytes*: how many bytes of the segment the reader may see, all of them unless told)

    def translate(self, offset: int, size_bytes: int | None = None) -> BatchHeader | None:
        """The first batch whose last offset is at least *offset*; None if there is none."""
        size = self.size_bytes if size_bytes is None else size_bytes
        position = self._recent.get(offset)
        if position is None:
            position = self.offset_index.lookup(offset)
            if position >= size and position:
                if position < self.size_bytes:
                    return None  # appended since
                raise CorruptFile(f"{self.offset_index.path} knows position {position} of {size} bytes")
        return find_batch(self.log_file.opened or self.log_file.open(), position, size, offset)

    def _first_found(self, offset: int, size_bytes: int) -> BatchHeader | None:
        """As `translate`, in a file that was found at start: neither it nor its index is taken at its word."""
        proof = self.proof
        if not proof.was_looked_at:
            proof.verdict = first_look(self, size_bytes)
            proof.was_looked_at = True
        if proof.verdict is not None:
            raise CorruptFile(f"{self.log_file.path}: {proof.verdict}")
        first = self.translate(offset, size_bytes)
        if first is not None and first.base_offset <= offset:
            return first
        # there is a gap, or the index leads astray
        early = find_batch(self.log_file.open(), self.offset_index.lookup_early(offset), size_bytes, offset)
        if early != first:
            self.give_up_index()
        return early

    def give_up_index(self) -> None:
        """The offset index leads astray: find everything without it."""
        path = self.offset_index.path
        logger.error("%s leads astray and is not used any more; `wirebroker log repair` makes a new one", path)
        self.offset_index.forget()

    def first_offset_of(self, header: BatchHeader) -> int:
        """The first offset in a batch; the header of an old wrapper knows only the last."""
        return parse_any(self.log_file.open().pread(header.size_bytes, header.position)).base_offset

    def position_of_recent(self, base_offset: int) -> int | None:
        """Where the batch that begins with *base_offset* is, if it is one of the last ones appended."""
        return self._recent.get(base_offset)

    def headers(self, position: int = 0, size_bytes: int | None = None) -> Iterator[BatchHeader]:
        """The batches from *position*, where one must begin, to the end."""
        end = self.size_bytes if size_bytes is None else size_bytes
        return headers(self.log_file.opened or self.log_file.open(), position, end)

    def read(self, offset: int, max_bytes: int, end: int, min_one_batch: bool, size_bytes: int) -> LogSlice | None:
        """From the batch with *offset*, at most *max_bytes* and not beyond position *end*.

        With *min_one_batch* the first batch is whole however large it is, else it may be missing; a later one may be
        cut off.  None if all batches are below *offset*.
        """
        file = self.log_file.opened or self.log_file.open()
        position = self._recent.get(offset)
        if position is not None and end - position <= max_bytes:
            # a reader that keeps up: nothing on disk needs to be looked at
            if end <= position:
                return NOTHING
            return LogSlice(file, position, end - position, offset, self.base_offset)
        first = self.translate(offset, size_bytes) if not self.proof.end else self._first_found(offset, size_bytes)
        if first is None:
            return None
        size = min(max(max_bytes, first.size_bytes) if min_one_batch else max_bytes, end - first.position)
        if size < first.size_bytes:  # a part of one batch is of no use to anybody who reads format v2
            return NOTHING
        if first.position < self.proof.end:
            start = min(self.offset_index.lookup_early(offset), first.position)
            size = self.proof.prove(file, start, first, offset, first.position + size) - first.position
        return LogSlice(file, first.position, size, first.base_offset, self.base_offset)

    def next_offset(self, size_bytes: int | None = None) -> int:
        """The offset after the last batch; found from the last index entry on.

        Raises CorruptFile if an index makes no sense or the last batch does not end with the file.
        """
        size = self.size_bytes if size_bytes is None else size_bytes
        self.offset_index.sanity_check()
        self.time_index.sanity_check()
        position = self.offset_index.lookup(self.offset_index.last_offset)
        if position >= size:
            position = 0  # an entry for what was appended since
        tail = deque(self.headers(position, size), maxlen=1)
        last = tail[0] if tail else None
        end = 0 if last is None else last.position + last.size_bytes
        if end != size:
            raise CorruptFile(f"{self.log_file.path}: no batch ends with the file, at {size}")
        return self.base_offset if last is None else last.last_offset + 1

    def largest_timestamp(self) -> tuple[int, int]:
        """(largest timestamp, last offset of its batch); (-1, base offset) of an empty segment."""
        largest = self.largest
        if largest is None:  # and it stays so until the segment is written to: this may be a reader
            self.time_index.count  # noqa: B018 - loads last
            largest = self.time_index.last
        return largest

    def age_timestamp(self) -> int:
        """The timestamp that retention compares: the largest one, or the file's own if there is none."""
        timestamp, _ = self.largest_timestamp()
        return timestamp if timestamp >= 0 else self.log_file.modified_ms()

    def modified_ms(self) -> int:
        """When the file was last written to; when the segment was created if its file is only being made."""
        try:
            return self.log_file.modified_ms()
        except FileNotFoundError:
            if self.size_bytes:
                raise
            return self.created_ms

    def _first_timestamp(self) -> int | None:
        if self.first_timestamp is None and self.size_bytes:
            for header in self.headers():
                self.first_timestamp = header.max_timestamp
                break
        return self.first_timestamp

    # -- truncating and moving

    def truncate_to(self, offset: int, config: LogConfig, now_ms: int) -> None:
        """Drop the batch that holds *offset* and all behind it; appends may follow."""
        cut = self.translate(offset)
        self.offset_index.truncate_to(offset)
        self.time_index.truncate_to(offset)
        self.transaction_index.truncate_to(offset)
        self._make_indexes_writable(config)
        if cut is not None:
            file = self.log_file.open()
            file.truncate(cut.position)
            file.sync()  # what was cut off must not come back behind what is written next
            self.size_bytes = cut.position
            self.proof.end = min(self.proof.end, cut.position)
        if not self.size_bytes:
            self.created_ms = now_ms
            self.first_timestamp = None
        self._since_index_entry = 0
        self._recent.clear()
        self.largest = self._find_largest()
        self._first_timestamp()
        self.writable = True

    def _find_largest(self) -> tuple[int, int]:
        """The largest timestamp by the time index and by the batches behind its last entry."""
        largest = self.time_index.last
        for header in self.headers(self.offset_index.lookup(largest[1])):
            if header.max_timestamp > largest[0]:
                largest = header.max_timestamp, header.last_offset
        return largest

    def paths(self) -> list[str]:
        """The files of this segment."""
        found = [self.log_file.path, self.offset_index.path, self.time_index.path]
        if self.transaction_index.exists:
            found.append(self.transaction_index.path)
        return found

    def mark_deleted(self) -> list[str]:
        """Rename the files so that no start finds them; returns their new names.  Slices can still be read."""
        renamed = []
        for path in self.paths():
            self._files.rename(path, path + DELETED)
            renamed.append(path + DELETED)
        self.close()
        return renamed

    def moved(self, directory: str) -> None:
        """The partition's directory was renamed."""
        path = f"{directory}/{self.base_offset:020}"
        self.log_file.moved(path + LOG)
        self.offset_index.moved(path + INDEX)
        self.time_index.moved(path + TIME_INDEX)
        self.transaction_index.moved(path + TRANSACTION_INDEX)

    def will_move(self, directory: str | None) -> None:
        """The partition's directory is about to be renamed to *directory*; None: it keeps its name after all."""
        path = None if directory is None else f"{directory}/{self.base_offset:020}"
        self.log_file.next_path = path and path + LOG
        self.offset_index.will_move(path and path + INDEX)
        self.time_index.will_move(path and path + TIME_INDEX)
        self.transaction_index.will_move(path and path + TRANSACTION_INDEX)

    def close(self) -> None:
        """Give the descriptors back; everything can still be used."""
        self.log_file.close()
        self.offset_index.close()
        self.time_index.close()
        self.transaction_index.close()

    def __repr__(self) -> str:
        return f"Segment({self.log_file.path!r}, size_bytes={self.size_bytes})"
