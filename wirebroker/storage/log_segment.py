"""LogSegment: a `.log` with batches and the indexes over it, and the decision when the log rolls to the next one.

The files are named after the segment's first offset (20 digits).  A segment is appended to while it is the last of its
log; when the next one begins it is closed for good: its last timestamp goes into the time index and both indexes are
cut to size.  As in Kafka an index entry is written when a batch begins more than `index.interval.bytes` behind the last
indexed one: its (last offset, position), and the largest timestamp so far.
"""

from __future__ import annotations

import logging
import os
from collections import deque
from typing import TYPE_CHECKING

from wirebroker.storage.batch_headers import BatchHeader, find_batch, headers
from wirebroker.storage.errors import CorruptFileError
from wirebroker.storage.index_file import MAX_RELATIVE_OFFSET
from wirebroker.storage.log_slice import NOTHING, LogSlice
from wirebroker.storage.offset_index import OffsetIndex
from wirebroker.storage.time_index import NO_TIMESTAMP, TimeIndex
from wirebroker.storage.transaction_index import TransactionIndex

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from wirebroker.config.log import LogConfig
    from wirebroker.storage.files import Files, LazyFile
    from wirebroker.storage.index_file import IndexFile
    from wirebroker.storage.segment_verification import SegmentVerification

logger = logging.getLogger(__name__)

LOG = ".log"
INDEX = ".index"
TIME_INDEX = ".timeindex"
TRANSACTION_INDEX = ".txnindex"
DELETED = ".deleted"

_RECENT = 64  # batches whose place is remembered, so that readers at the end of the log need no index


def offset_from_file_name(name: str) -> int:
    """Return the offset that a file of a segment, or a producer snapshot, is named after.  Raises ValueError."""
    return int(name.partition(".")[0])


class LogSegment:
    """One thread at a time may change it; others read meanwhile, up to the size that their LogView says.

    Methods may raise OSError, and CorruptFileError on bytes that make no sense.
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
        "log_file",
        "max_timestamp_so_far",
        "offset_index",
        "roll_jitter_ms",
        "size_bytes",
        "time_index",
        "transaction_index",
        "verification",
        "writable",
    )

    def __init__(
        self,
        files: Files,
        directory: str,
        base_offset: int,
        config: LogConfig,
        now_ms: int,
    ) -> None:
        """Make an empty segment, whose files the caller creates (`create`) or reads (`load`)."""
        path = f"{directory}/{base_offset:020}"
        self._files = files
        self.base_offset = base_offset
        self.size_bytes = 0
        self.log_file = files.lazy(path + LOG)
        self.offset_index = OffsetIndex(files, path + INDEX, base_offset)
        self.time_index = TimeIndex(files, path + TIME_INDEX, base_offset)
        self.transaction_index = TransactionIndex(files, path + TRANSACTION_INDEX, exists=False)
        self.verification: SegmentVerification | None = None
        """Verifies files that a start has loaded before they are read; None if there is nothing to verify."""
        self.index_interval_bytes = config.index_interval_bytes
        jitter = min(config.segment_jitter_ms, config.segment_ms)
        self.roll_jitter_ms = int.from_bytes(os.urandom(6), "big") % jitter if jitter > 0 else 0
        self.created_ms = now_ms
        self.max_timestamp_so_far: tuple[int, int] | None = None
        """(largest timestamp, last offset of its batch), None until it is needed: see `max_timestamp_and_offset`."""
        self.first_timestamp: int | None = None
        """The largest timestamp of the first batch, None while unknown or empty; time-based rolling counts from it."""
        self.index_full = False
        """Whether there is no room for another entry: the next batch needs a new segment."""
        self._since_index_entry = 0
        self.writable = False
        self._recent: dict[int, int] = {}

    @classmethod
    def load(
        cls, files: Files, directory: str, base_offset: int, config: LogConfig, now_ms: int, names: Container[str]
    ) -> LogSegment:
        """Return the segment whose files are in *directory*, which has files with these *names*.  Raises OSError."""
        segment = cls(files, directory, base_offset, config, now_ms)
        segment.size_bytes = files.size_bytes(segment.log_file.path)
        if f"{base_offset:020}{TRANSACTION_INDEX}" in names:
            segment.transaction_index = TransactionIndex(files, segment.transaction_index.path, exists=True)
        return segment

    @classmethod
    def create(cls, files: Files, directory: str, base_offset: int, config: LogConfig, now_ms: int) -> LogSegment:
        """Return a new, empty segment, with its files; files of an older one by that name are removed."""
        segment = cls(files, directory, base_offset, config, now_ms)
        segment.make_files(config)
        return segment

    def make_files(self, config: LogConfig) -> None:
        """Create the files of a new, empty segment; files of an older one by that name are removed."""
        self.log_file.create().truncate(0)
        self.offset_index.reset(config.segment_index_bytes)
        self.time_index.reset(config.segment_index_bytes)
        self.index_full = self.offset_index.is_full or self.time_index.is_full
        self._files.unlink([self.transaction_index.path])
        self.max_timestamp_so_far = NO_TIMESTAMP, self.base_offset
        self.writable = True

    # -- appending

    def make_writable(self, config: LogConfig) -> None:
        """Prepare for appends, if it is not `writable` already."""
        self._make_indexes_writable(config)
        self.max_timestamp_so_far = self.max_timestamp_and_offset()
        self.load_first_timestamp()
        self.writable = True

    def _make_indexes_writable(self, config: LogConfig) -> None:
        self.offset_index.make_writable(config.segment_index_bytes)
        self.time_index.make_writable(config.segment_index_bytes)
        self.index_full = self.offset_index.is_full or self.time_index.is_full

    def should_roll(
        self, config: LogConfig, size_bytes: int, max_timestamp: int, last_offset: int, now_ms: int
    ) -> bool:
        """Return whether the batch described has to go into a new segment; of a writable segment only."""
        held = self.size_bytes
        if held > config.segment_bytes - size_bytes or last_offset - self.base_offset > MAX_RELATIVE_OFFSET:
            return True
        if held:
            first = self.first_timestamp
            # batches without timestamps count from the segment's creation
            waited = max_timestamp - first if first is not None and first >= 0 else now_ms - self.created_ms
            if waited > config.max_segment_ms - self.roll_jitter_ms:
                return True
        return self.index_full

    def append(
        self,
        data: bytes | bytearray | memoryview,
        base_offset: int,
        last_offset: int,
        max_timestamp: int,
        offset_of_max_timestamp: int | None = None,
    ) -> None:
        """Write one batch, or a set of messages of an old format, at the end.

        *offset_of_max_timestamp* is the first offset with *max_timestamp*, None for the last.

        After an OSError bytes beyond `size_bytes`, or beyond what an earlier LogView says, mean nothing.
        """
        position = self.size_bytes
        size = len(data)
        if offset_of_max_timestamp is None:
            offset_of_max_timestamp = last_offset
        (self.log_file.opened or self.log_file.open()).pwrite(data, position)
        self.size_bytes = position + size  # before an index knows of it: readers compare them
        if self._since_index_entry > self.index_interval_bytes:
            self._index(last_offset, position, max_timestamp, offset_of_max_timestamp)
            self._since_index_entry = 0
        elif not position:
            self.first_timestamp = max_timestamp
        largest = self.max_timestamp_so_far
        if largest is None or max_timestamp > largest[0]:
            self.max_timestamp_so_far = max_timestamp, offset_of_max_timestamp
        self._since_index_entry += size
        recent = self._recent
        if len(recent) >= _RECENT:
            recent.clear()
        recent[base_offset] = position

    @property
    def index_room(self) -> int:
        """The number of batches that can be appended before an index is full, if each of them gets an entry."""
        offsets, times = self.offset_index, self.time_index
        return min(offsets.max_entries - offsets.count, times.max_entries - 1 - times.count)

    def append_run(self, data: memoryview, batches: Sequence[tuple[int, int, int, int]]) -> None:
        """Do as `append` with *batches*, `index_room` at most, whose bytes are *data*, behind others, in one write.

        Of each: (base offset, last offset, largest timestamp, size).
        """
        position = self.size_bytes
        (self.log_file.opened or self.log_file.open()).pwrite(data, position)
        self.size_bytes = position + len(data)
        largest, offset_of_largest = self.max_timestamp_and_offset()
        since, interval = self._since_index_entry, self.index_interval_bytes
        positions: list[tuple[int, int]] = []
        timestamps: list[tuple[int, int]] = []
        recent = self._recent
        if len(recent) + len(batches) > _RECENT:
            recent.clear()
        for base_offset, last_offset, max_timestamp, size in batches:
            if max_timestamp > largest:
                largest, offset_of_largest = max_timestamp, last_offset
            if since > interval:
                positions.append((last_offset, position))
                timestamps.append((largest, offset_of_largest))
                since = 0
            since += size
            recent[base_offset] = position
            position += size
        self._since_index_entry = since
        self.max_timestamp_so_far = largest, offset_of_largest
        if positions:
            self.offset_index.extend(positions)
            self.time_index.extend(timestamps)
            self.index_full = self.offset_index.is_full or self.time_index.is_full

    def _index(self, last_offset: int, position: int, max_timestamp: int, offset_of_max_timestamp: int) -> None:
        largest = self.max_timestamp_and_offset()
        if max_timestamp > largest[0]:
            largest = max_timestamp, offset_of_max_timestamp
        self.offset_index.append(last_offset, position)
        self.time_index.maybe_append(*largest)
        self.index_full = self.offset_index.is_full or self.time_index.is_full

    def on_become_inactive(self) -> None:
        """End the indexes, as no appends follow: write the last timestamp, cut the files to size."""
        self.time_index.maybe_append(*self.max_timestamp_and_offset())
        self.offset_index.trim()
        self.time_index.trim()
        self.writable = False
        self._recent.clear()

    def sync(self) -> bool:
        """Sync everything appended to the disk; return whether the name of a new file is still to be synced.

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

    def translate_offset(self, offset: int, size_bytes: int | None = None) -> BatchHeader | None:
        """Return the header of the first batch whose last offset is at least *offset*; None if there is none."""
        size = self.size_bytes if size_bytes is None else size_bytes
        position = self._recent.get(offset)
        if position is None:
            position = self.offset_index.lookup(offset)
            if position >= size and position:
                if position < self.size_bytes:
                    return None  # appended since
                raise CorruptFileError(f"{self.offset_index.path} knows position {position} of {size} bytes")
        return find_batch(self.log_file.opened or self.log_file.open(), position, size, offset)

    def disable_offset_index(self) -> None:
        """Ignore the offset index, which is corrupt."""
        path = self.offset_index.path
        logger.error(
            "offset index %s is corrupt; ignoring it, reads scan the segment; `wirebroker log repair` makes a new one",
            path,
        )
        self.offset_index.disable()

    def first_offset_of(self, header: BatchHeader) -> int:
        """Return the first offset of a batch; the header of a wrapper of format 0 or 1 has the last one only."""
        from wirebroker.record.legacy import parse_any  # rarely needed

        return parse_any(self.log_file.open().pread(header.size_bytes, header.position)).base_offset

    def recent_position(self, base_offset: int) -> int | None:
        """Return the position of the batch that begins with *base_offset*, if it is one of the last appended."""
        return self._recent.get(base_offset)

    def headers(self, position: int = 0, size_bytes: int | None = None) -> Iterator[BatchHeader]:
        """Yield the headers of the batches from *position*, where one must begin, to the end."""
        end = self.size_bytes if size_bytes is None else size_bytes
        return headers(self.log_file.opened or self.log_file.open(), position, end)

    def read(self, offset: int, max_bytes: int, end: int, min_one_batch: bool, size_bytes: int) -> LogSlice | None:
        """Return the range from the batch with *offset* on, at most *max_bytes* and not beyond position *end*.

        With *min_one_batch* the first batch is whole however large it is, else it may be missing; a later one may be
        cut off.  None if all batches are below *offset*.

        Raises ScanRequired if more has to be verified before than takes a moment.
        """
        file = self.log_file.opened or self.log_file.open()
        position = self._recent.get(offset)
        if position is not None and end - position <= max_bytes:
            # a reader that keeps up needs no index
            if end <= position:
                return NOTHING
            return LogSlice(file, position, end - position, offset, self)
        verification = self.verification
        if verification is None:
            first = self.translate_offset(offset, size_bytes)
        else:
            first = verification.find_batch(self, offset, size_bytes)
        if first is None:
            return None
        size = min(max(max_bytes, first.size_bytes) if min_one_batch else max_bytes, end - first.position)
        if size < first.size_bytes:  # readers of format 2 cannot use a part of one batch
            return NOTHING
        if verification is not None:
            size = verification.verified_end(self, first, offset, first.position + size) - first.position
        return LogSlice(file, first.position, size, first.base_offset, self)

    def next_offset(self, size_bytes: int | None = None) -> int:
        """Return the offset after the last batch, found from the last index entry on.

        Raises CorruptFileError if an index makes no sense or the last batch does not end with the file.
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
            raise CorruptFileError(f"{self.log_file.path}: no batch ends with the file, at {size}")
        return self.base_offset if last is None else last.last_offset + 1

    def max_timestamp_and_offset(self) -> tuple[int, int]:
        """Return (largest timestamp, last offset of its batch); (-1, base offset) of an empty segment."""
        largest = self.max_timestamp_so_far
        if largest is None:  # and it stays so until the segment is written to: this may be a reader
            self.time_index.count  # noqa: B018 - loads last
            largest = self.time_index.last
        return largest

    def largest_timestamp(self) -> int:
        """Return the largest timestamp, or the time of the file's last change if no record has one."""
        timestamp, _ = self.max_timestamp_and_offset()
        return timestamp if timestamp >= 0 else self.log_file.modified_ms()

    def modified_ms(self) -> int:
        """Return when the file was last written to, or when the segment was created if it has no file yet."""
        try:
            return self.log_file.modified_ms()
        except FileNotFoundError:
            if self.size_bytes:
                raise
            return self.created_ms

    def load_first_timestamp(self) -> int | None:
        """Return the largest timestamp of the first batch, None if there is none.  Raises OSError."""
        if self.first_timestamp is None and self.size_bytes:
            for header in self.headers():
                self.first_timestamp = header.max_timestamp
                break
        return self.first_timestamp

    # -- truncating and moving

    def truncate_to(self, offset: int, config: LogConfig, now_ms: int) -> None:
        """Remove the batch that holds *offset* and all behind it; appends may follow."""
        cut = self.translate_offset(offset)
        self.offset_index.truncate_to(offset)
        self.time_index.truncate_to(offset)
        self.transaction_index.truncate_to(offset)
        self._make_indexes_writable(config)
        if cut is not None:
            file = self.log_file.open()
            file.truncate(cut.position)
            file.sync()  # what was cut off must not come back behind what is written next
            self.size_bytes = cut.position
            if self.verification is not None:
                self.verification = self.verification.truncated_to(cut.position)
        if not self.size_bytes:
            self.created_ms = now_ms
            self.first_timestamp = None
        self._since_index_entry = 0
        self._recent.clear()
        self.max_timestamp_so_far = self._recover_max_timestamp()
        self.load_first_timestamp()
        self.writable = True

    def _recover_max_timestamp(self) -> tuple[int, int]:
        """Return the largest timestamp of the time index and of the batches behind its last entry."""
        largest = self.time_index.last
        for header in self.headers(self.offset_index.lookup(largest[1])):
            if header.max_timestamp > largest[0]:
                largest = header.max_timestamp, header.last_offset
        return largest

    def paths(self) -> list[str]:
        """Return the paths of the files of this segment."""
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

    def use_suffix(self, suffix: str) -> None:
        """Use files that have *suffix* behind the names of the segment's own."""
        for file, path in self._files_with_paths():
            file.update_path(path + suffix)

    def change_suffix(self, suffix: str) -> list[str]:
        """Rename the files to the segment's own names with *suffix* behind them; return the new paths.  Raises OSError.

        Readers that hold the segment follow its files to the new names, while others may get the old ones.
        """
        renamed = []
        for file, path in self._files_with_paths():
            if file is self.transaction_index and not self.transaction_index.exists:
                file.update_path(path + suffix)
                continue
            file.prepare_move(path + suffix)
            self._files.rename(file.path, path + suffix)
            file.update_path(path + suffix)
            renamed.append(path + suffix)
        return renamed

    def _files_with_paths(
        self, directory: str | None = None
    ) -> tuple[tuple[LazyFile | IndexFile | TransactionIndex, str], ...]:
        """Return every file of the segment with the path that it has by the segment's name, in *directory* if given."""
        path = f"{os.path.dirname(self.log_file.path) if directory is None else directory}/{self.base_offset:020}"
        return (
            (self.log_file, path + LOG),
            (self.offset_index, path + INDEX),
            (self.time_index, path + TIME_INDEX),
            (self.transaction_index, path + TRANSACTION_INDEX),
        )

    def update_directory(self, directory: str) -> None:
        """Use the files in *directory*, which the partition's directory was renamed to."""
        for file, path in self._files_with_paths(directory):
            file.update_path(path)

    def prepare_move(self, directory: str | None) -> None:
        """Expect the partition's directory to be renamed to *directory*; None: it keeps its name after all."""
        for file, path in self._files_with_paths(directory):
            file.prepare_move(None if directory is None else path)

    def close(self) -> None:
        """Give the descriptors back; everything can still be used."""
        self.log_file.close()
        self.offset_index.close()
        self.time_index.close()
        self.transaction_index.close()

    def __repr__(self) -> str:
        return f"LogSegment({self.log_file.path!r}, size_bytes={self.size_bytes})"
