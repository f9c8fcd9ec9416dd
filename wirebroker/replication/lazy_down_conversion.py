"""Conversion of a range of a log to an older message format, piece by piece while it is sent (KIP-283).

A response begins with its size, but the size of a converted range is known only when all of it was converted.  So the
response announces the size of the range in the log, or that of its first converted batch if that is more.  Bytes beyond
the announced size are cut off, as consumers expect of the end of a response; missing bytes are filled with the
beginning of a message that is too long to fit.

Control batches are left out.  Records of aborted transactions are sent, as by Apache Kafka: clients of these versions
read uncommitted records.  One piece is in memory at a time, besides the first.
"""

from __future__ import annotations

from struct import Struct
from time import perf_counter
from typing import TYPE_CHECKING, Final

from wirebroker.record.convert import NotConvertibleError, down_convert
from wirebroker.record.errors import RecordError
from wirebroker.record.legacy import any_batches
from wirebroker.record.record_batch import HEADER_SIZE, LOG_OVERHEAD, RecordBatch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wirebroker.record.legacy import AnyBatch
    from wirebroker.storage.log_slice import LogSlice

PIECE_BYTES: Final = 128 << 10
"""Bytes of the log that are read, and bytes that are sent, at a time; a batch that is larger is not divided."""
_OVERFLOW: Final = Struct(">qi")


class LazyDownConversionRecords:
    """Records that are converted while they are sent, in place of a LogSlice (Kafka: LazyDownConversionRecords)."""

    __slots__ = ("_first", "_rest", "size_bytes")

    def __init__(
        self,
        records: LogSlice,
        magic: int,
        first_offset: int,
        max_bytes: int | None = None,
        on_converted: Callable[[int, float, int], None] = lambda _count, _elapsed_s, _size_bytes: None,
    ) -> None:
        """Convert the first batch.

        Args:
            records: the range of the log.
            magic: the format to convert to; batches of that or an older format are sent as they are.
            first_offset: the fetch offset of the request.
            max_bytes: the most bytes to send, None for no limit.
            on_converted: called with the records, the seconds and the size of each batch that was converted, in the
                thread that converts.

        Raises:
            NotConvertibleError: the first batch has no equivalent in the old format.
            RecordError: the first batch is corrupt.
            EmptyRangeError: no record of the range is left.
            OSError: the log cannot be read.
        """
        batches = _Batches(records)
        self._rest = _convert(batches, magic, first_offset, on_converted)
        first = next(self._rest, None)
        if first is None:
            raise EmptyRangeError(batches.next_offset)
        self._first: bytes | memoryview = first
        self.size_bytes = max(records.size_bytes, len(first))
        if max_bytes is not None:
            self.size_bytes = min(self.size_bytes, max_bytes)

    def file_range(self) -> None:
        """No file holds the bytes."""

    def pieces(self) -> Iterator[bytes | memoryview]:
        """Return the bytes to send, `size_bytes` of them, for once.  Raises OSError."""
        left = self.size_bytes
        first, self._first = self._first, b""
        yield first[:left]
        left -= min(left, len(first))
        pending: list[bytes | memoryview] = []
        size = 0
        try:
            for piece in self._rest if left else ():
                pending.append(piece)
                size += len(piece)
                if size >= min(PIECE_BYTES, left):
                    yield b"".join(pending)[:left]
                    left -= min(left, size)
                    pending, size = [], 0
                    if not left:
                        return
        except (NotConvertibleError, RecordError):
            pass  # the next Fetch begins with that batch, and is answered with the error
        if pending:
            yield b"".join(pending)
            left -= size
        while left:
            piece = _overflow(left)
            left -= len(piece)
            yield piece


class EmptyRangeError(Exception):
    """No record of a range is left in the old format; *next_offset* is behind the range, None if it holds no batch."""

    def __init__(self, next_offset: int | None) -> None:
        super().__init__(next_offset)
        self.next_offset = next_offset


def _overflow(left: int) -> bytes:
    """The beginning of a message that does not fit into *left* bytes."""
    head = _OVERFLOW.pack(-1, max(left + 1, HEADER_SIZE))
    return head.ljust(min(left, PIECE_BYTES), b"\0")[:left]


def _convert(
    batches: _Batches,
    magic: int,
    first_offset: int,
    on_converted: Callable[[int, float, int], None],
) -> Iterator[bytes | memoryview]:
    """Yield the batches of the range that are not left out, each in *magic* or an older format."""
    for batch in batches:
        if batch.magic > 1:
            assert isinstance(batch, RecordBatch)
            if batch.is_control:
                continue
        if batch.magic <= magic:
            yield batch.buffer
            continue
        began = perf_counter()
        converted = down_convert(batch, magic, first_offset)
        if converted:
            count = batch.record_count if isinstance(batch, RecordBatch) else 1
            on_converted(count, perf_counter() - began, len(converted))
            yield converted


class _Batches:
    """The whole batches of a range, read in large pieces."""

    def __init__(self, records: LogSlice) -> None:
        self._records = records
        self.next_offset: int | None = None
        """The offset after the last batch that was yielded."""

    def __iter__(self) -> Iterator[AnyBatch]:
        records = self._records
        position, end = records.position, records.position + records.size_bytes
        wanted = PIECE_BYTES
        while position < end:
            data = records.file.pread(min(wanted, end - position), position)
            found = 0
            for batch in any_batches(data):
                self.next_offset = batch.next_offset
                yield batch
                found += batch.size_bytes
            position += found
            wanted = PIECE_BYTES
            if not found:
                if len(data) < LOG_OVERHEAD:
                    return
                wanted = LOG_OVERHEAD + int.from_bytes(data[8:12], "big", signed=True)
                if wanted <= len(data) or position + wanted > end:
                    return
