"""BatchReader: the batches of a log file one after the other, each of them verified.

Three rules decide what a valid batch is, for recovery, for lazy verification and for `wirebroker log verify` alike:

whole         All bytes that its length field announces are there, and its checksum fits them.
continuity    Its offsets go on where the batch before it ended.  Offsets lie outside of the checksum, and compaction
              leaves gaps between them, so a batch that leaves a gap is valid only if the batch behind it agrees, that
              is, begins above the last offset of this one.
resync        Behind bytes that are no valid batch, the log goes on at the next position where a valid batch begins:
              any byte may be its first.
"""

from __future__ import annotations

import re
from struct import Struct
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.record.legacy import OVERHEAD, LegacyBatch
from wirebroker.record.record_batch import HEADER_SIZE, LOG_OVERHEAD, MIN_LENGTH, RecordBatch
from wirebroker.storage.index_file import MAX_RELATIVE_OFFSET

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wirebroker.record.legacy import AnyBatch
    from wirebroker.storage.files import File
    from wirebroker.storage.log_segment import LogSegment

PIECE_BYTES: Final = 1 << 20
_SMALLEST: Final = LOG_OVERHEAD + MIN_LENGTH
_LENGTH_AND_MAGIC: Final = Struct(">8xi4xb")  # at the same places in all formats
_OFFSET: Final = Struct(">q")
_BATCH_START: Final = re.compile(
    # an offset and a length that are not negative, the latter not 0; leader epoch or checksum; magic, attributes
    rb"(?=[\0-\x7f].{7}(?!\0{4})[\0-\x7f].{3}(?:.{4}\x02|.{4}[\0\x01][\0-\x0b]))",
    re.DOTALL,
)


class InvalidBatch(NamedTuple):
    """Why the bytes at some position are no batch that may follow the one before."""

    text: str
    has_valid_checksum: bool = False
    """The batch is whole, so no interrupted write explains it: it is where it does not belong."""
    is_cut_short: bool = False
    """The file ends before the batch does, if there is one."""


class FileWindow:
    """A moving view of a file: it is read in large pieces, and one of them is held in memory."""

    def __init__(
        self, file: File, end: int, *, on_read: Callable[[int], None] | None = None, piece_bytes: int = PIECE_BYTES
    ) -> None:
        """A view of the bytes of *file* before position *end*.

        Args:
            on_read: Gets the size of each piece that is read.
            piece_bytes: How much is read at a time, unless a batch is larger.
        """
        self.end = end
        self.read_ahead_end = end
        """No piece reaches beyond this position, unless more was asked for."""
        self._file = file
        self._on_read = on_read
        self._piece_bytes = piece_bytes
        self.start = 0
        """The position of `data` in the file."""
        self.data = memoryview(b"")
        """The piece that `find` was asked for, and what is around it.  A piece stays valid when another one is read."""

    def find(self, position: int, size_bytes: int) -> int:
        """Return where *position* of the file is in `data`.

        *size_bytes* are in `data` from there on, or all bytes up to `end` if these are fewer.  Raises OSError.
        """
        at = position - self.start
        wanted = min(size_bytes, self.end - position)
        if at < 0 or at + wanted > len(self.data):
            ahead = min(self._piece_bytes, self.read_ahead_end - position)
            self.data = memoryview(self._file.pread(max(wanted, ahead), position))
            self.start, at = position, 0
            if self._on_read is not None:
                self._on_read(len(self.data))
        return at


class BatchReader:
    """The batches of a log file from a position on, up to the first one that is not valid.

        for batch in reader:
            ...                         # reader.position is where this batch begins
        if reader.invalid is not None:  # why the batch at reader.position was not given out; None at `end`
            reader.resync()             # then iterate again

    Batches are views of memory that stays valid.  Iterating may raise OSError.
    """

    def __init__(
        self,
        window: FileWindow,
        base_offset: int,
        *,
        position: int = 0,
        next_offset: int | None = None,
        end: int | None = None,
    ) -> None:
        """Begin to read.

        Args:
            window: The bytes of the file.
            base_offset: The offset that the file is named after: no batch is far above it, and none below.
            position: Where the first batch begins.
            next_offset: The smallest offset of the first batch, if that is more than *base_offset*.
            end: Batches that do not end at or before this position are not read; by default the window's end.  The
                bytes behind it are read only to decide about continuity.
        """
        self._window = window
        self._base_offset = base_offset
        self.position = position
        """The position of the batch that was given out last, until the next one is asked for."""
        self.next_offset = base_offset if next_offset is None else max(base_offset, next_offset)
        """The offset that the batch at `position` should begin with: one above the last offset before it."""
        self.end = window.end if end is None else end
        self.invalid: InvalidBatch | None = None
        """Why iterating ended; None if it came to `end`, or while it goes on."""
        self._behind: AnyBatch | None = None
        self._behind_at = 0
        """A whole batch that was read already, to decide about its predecessor, and its position."""
        window.read_ahead_end = self.end

    @classmethod
    def of_segment(
        cls, segment: LogSegment, next_offset: int | None = None, on_read: Callable[[int], None] | None = None
    ) -> BatchReader:
        """A reader of a whole segment; the arguments are those of the constructor and of FileWindow."""
        window = FileWindow(segment.log_file.open(), segment.size_bytes, on_read=on_read)
        return cls(window, segment.base_offset, next_offset=next_offset)

    def __iter__(self) -> Iterator[AnyBatch]:
        self.invalid = None
        while self.position < self.end:
            batch = self._next_in_window() or self._read()
            if isinstance(batch, InvalidBatch):
                self.invalid = batch
                return
            yield batch
            self.position += batch.size_bytes
            self.next_offset = batch.last_offset + 1

    def _next_in_window(self) -> RecordBatch | None:
        """Return what `_read` would, for half of its price, if that is a batch of format 2 without a gap before it.

        None if it is anything else, or is not in the window as a whole.
        """
        window = self._window
        data = window.data
        at = self.position - window.start
        if at < 0 or len(data) - at < HEADER_SIZE:
            return None
        batch = RecordBatch(data, at)
        size = batch.size_bytes
        last_delta = batch.last_offset_delta
        if (
            batch.magic != 2
            or batch.base_offset != self.next_offset
            or not HEADER_SIZE <= size <= min(len(data) - at, self.end - self.position)
            or not 0 <= last_delta <= MAX_RELATIVE_OFFSET - (self.next_offset - self._base_offset)
        ):
            return None
        batch.buffer = data[at : at + size]
        return batch if batch.is_valid() else None

    def reject(self, text: str) -> None:
        """Take back the batch that was given out last, for a reason that the reader does not know; stop iterating."""
        self.invalid = InvalidBatch(text, has_valid_checksum=True)

    def resync(self) -> AnyBatch | None:
        """Move on to the next valid batch behind `position` and return it; at the end of the file return None."""
        found = self.find_valid(self.position + 1)
        self.position = self.end if found is None else found[0]
        return None if found is None else found[1]

    def find_valid(self, position: int) -> tuple[int, AnyBatch] | None:
        """Return the first position from *position* on where a valid batch begins, and the batch; None if none does.

        Of offsets it is only asked that they are not below `next_offset`.  Raises OSError.
        """
        window = self._window
        while position + _SMALLEST <= self.end:
            at = window.find(position, PIECE_BYTES)
            data = bytes(window.data[at : at + PIECE_BYTES])
            for match in _BATCH_START.finditer(data):
                (offset,) = _OFFSET.unpack_from(data, match.start())
                if self.next_offset <= offset <= self._base_offset + MAX_RELATIVE_OFFSET:
                    candidate = position + match.start()
                    batch = self._read_whole(candidate, self.end)
                    if not isinstance(batch, InvalidBatch) and self._invalid_offsets(batch) is None:
                        return candidate, batch
            position += max(len(data) - HEADER_SIZE + 1, 1)
        return None

    def _read(self) -> AnyBatch | InvalidBatch:
        """Return the batch at `position` if it is whole and continues the offsets."""
        batch = self._behind
        if batch is None or self.position != self._behind_at or batch.size_bytes > self.end - self.position:
            whole = self._read_whole(self.position, self.end)
            if isinstance(whole, InvalidBatch):
                return whole
            batch = whole
        invalid = self._invalid_offsets(batch)
        if invalid is not None:
            return invalid
        if first_offset(batch) != self.next_offset:
            at = self.position + batch.size_bytes
            behind = self._read_whole(at, self._window.end)
            if not isinstance(behind, InvalidBatch):
                self._behind, self._behind_at = behind, at
                if self.next_offset <= first_offset(behind) <= batch.last_offset:
                    return InvalidBatch(
                        f"offset {first_offset(batch)}, where the batch behind it begins with {first_offset(behind)}",
                        has_valid_checksum=True,
                    )
        return batch

    def _read_whole(self, position: int, end: int) -> AnyBatch | InvalidBatch:
        """Return the batch at *position* if it is whole."""
        left = end - position
        if left < _SMALLEST:
            return InvalidBatch(f"{left} bytes are no batch", is_cut_short=True)
        window = self._window
        at = window.find(position, _SMALLEST)
        if len(window.data) - at < _SMALLEST:
            return InvalidBatch("the file is shorter than it was")
        length, magic = _LENGTH_AND_MAGIC.unpack_from(window.data, at)
        size = length + LOG_OVERHEAD
        if not 0 <= magic <= 2 or size < (HEADER_SIZE if magic == 2 else OVERHEAD[magic]):
            return InvalidBatch(f"no batch begins here (length {length}, magic {magic})")
        if size > left:
            return InvalidBatch(f"a batch of {size} bytes, and {left} are there", is_cut_short=True)
        at = window.find(position, size)
        if len(window.data) - at < size:
            return InvalidBatch("the file is shorter than it was")
        batch: AnyBatch
        if magic == 2:
            batch = RecordBatch(window.data, at)
        else:
            batch = LegacyBatch(window.data, at)
        batch.buffer = window.data[at : at + size]
        return batch if batch.is_valid() else InvalidBatch("the checksum is wrong")

    def _invalid_offsets(self, batch: AnyBatch) -> InvalidBatch | None:
        """Return why *batch* overlaps with what is before it or cannot be in this file, None if its offsets fit."""
        first, last = first_offset(batch), batch.last_offset
        if first < self.next_offset or last < first:
            text = f"offset {first} where {self.next_offset} or more should follow"
            return InvalidBatch(text, has_valid_checksum=True)
        if last - self._base_offset > MAX_RELATIVE_OFFSET:
            return InvalidBatch(f"offset {last} is too far from the segment's first", has_valid_checksum=True)
        return None


def first_offset(batch: AnyBatch) -> int:
    """Return the offset that a batch begins with, as far as its header tells: a compressed old message has its last."""
    return batch.base_offset if batch.magic == 2 else batch.last_offset


class VerifiedRange(NamedTuple):
    """Bytes of a log file that are valid batches, one behind the other."""

    start: int
    end: int
    """Positions in the file; *end* is not included."""
    next_offset: int
    """The offset after the last batch, the segment's first if there is none."""
    limit: int
    """No whole batch between *end* and this position follows."""
    invalid: str | None = None
    """Why the batch at *end* is not valid, if the range ends there on account of it."""


def verify_range(segment: LogSegment, known: VerifiedRange, limit: int, file_end: int) -> VerifiedRange:
    """Read on from where *known* ends, and return the range with the valid batches that end at or before *limit*.

    Bytes between *limit* and *file_end* are read only to decide about continuity.  Raises OSError.
    """
    window = FileWindow(segment.log_file.open(), file_end)
    reader = BatchReader(window, segment.base_offset, position=known.end, next_offset=known.next_offset, end=limit)
    for _ in reader:
        pass
    invalid = reader.invalid
    text = None if invalid is None or invalid.is_cut_short else invalid.text
    return VerifiedRange(known.start, reader.position, reader.next_offset, limit, text)
