"""A range of a log in an older message format, made piece by piece while it is sent (KIP-283).

A response says how long it is before its first record leaves, and how long a converted range gets is known only when
all of it was converted.  So the answer promises what the range takes in the log, or what its first batch takes after
conversion if that is more; what is left over at the end is cut off, which readers are used to, and what is missing is
filled with the beginning of a message that is too long to be there.

Control batches are left out, and so are batches of transactions that were aborted by the time of the read (Apache Kafka
hands those out: its old readers cannot tell them from others).  One piece is in memory at a time, besides the first.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Final

from wirebroker.record.control import read_marker
from wirebroker.record.convert import NotConvertible, down_convert
from wirebroker.record.faults import RecordError
from wirebroker.record.legacy import any_batches
from wirebroker.record.record_batch import HEADER_SIZE, LOG_OVERHEAD, RecordBatch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wirebroker.record.legacy import AnyBatch
    from wirebroker.storage.log_slice import LogSlice

PIECE_BYTES: Final = 128 << 10
"""About so much of the log is read, and so much sent, at a time; a batch that is larger is not divided."""
_OVERFLOW: Final = Struct(">qi")


class ConvertedRecords:
    """What is sent in place of a LogSlice."""

    __slots__ = ("_first", "_rest", "size_bytes")

    def __init__(
        self,
        records: LogSlice,
        magic: int,
        first_offset: int,
        aborted: list[tuple[int, int]],
        max_bytes: int | None = None,
    ) -> None:
        """Converts the first batch.

        Args:
            magic: the format to convert to; batches of that or an older one are sent as they are.
            first_offset: what the reader asked for.
            aborted: (producer id, first offset) of aborted transactions in the range.
            max_bytes: the most to send, None for what it takes.

        Raises NotConvertible, RecordError for what is wrong with the first batch; OSError; NothingLeft.
        """
        batches = _Batches(records)
        self._rest = _convert(batches, magic, first_offset, _Aborted(aborted))
        first = next(self._rest, None)
        if first is None:
            raise NothingLeft(batches.next_offset)
        self._first: bytes | memoryview = first
        self.size_bytes = max(records.size_bytes, len(first))
        if max_bytes is not None:
            self.size_bytes = min(self.size_bytes, max_bytes)

    def file_range(self) -> None:
        """No file holds the bytes."""

    def pieces(self) -> Iterator[bytes | memoryview]:
        """The bytes to send, `size_bytes` of them; may be asked for once.  Raises OSError."""
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
        except (NotConvertible, RecordError):
            pass  # the reader comes back for it, and is told
        if pending:
            yield b"".join(pending)
            left -= size
        while left:
            piece = _overflow(left)
            left -= len(piece)
            yield piece


class NothingLeft(Exception):
    """The range holds nothing that the old format can say; *next_offset* is behind it, None if it holds no batch."""

    def __init__(self, next_offset: int | None) -> None:
        super().__init__(next_offset)
        self.next_offset = next_offset


def _overflow(left: int) -> bytes:
    """The beginning of a message that does not fit into *left* bytes."""
    head = _OVERFLOW.pack(-1, max(left + 1, HEADER_SIZE))
    return head.ljust(min(left, PIECE_BYTES), b"\0")[:left]


def _convert(batches: _Batches, magic: int, first_offset: int, aborted: _Aborted) -> Iterator[bytes | memoryview]:
    """The batches of the range that are left, each in *magic* or an older format."""
    for batch in batches:
        if batch.magic > 1:
            assert isinstance(batch, RecordBatch)
            if aborted.drops(batch) or batch.is_control:
                continue
        if batch.magic <= magic:
            yield batch.buffer
            continue
        converted = down_convert(batch, magic, first_offset)
        if converted:
            yield converted


class _Batches:
    """The whole batches of a range, read in large pieces."""

    def __init__(self, records: LogSlice) -> None:
        self._records = records
        self.next_offset: int | None = None
        """The offset behind the last one handed out."""

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


class _Aborted:
    """Which batches belong to transactions that came to nothing, asked in the log's order."""

    def __init__(self, transactions: list[tuple[int, int]]) -> None:
        self._waiting = sorted(((offset, producer_id) for producer_id, offset in transactions), reverse=True)
        self._open: set[int] = set()

    def drops(self, batch: RecordBatch) -> bool:
        while self._waiting and self._waiting[-1][0] <= batch.last_offset:
            self._open.add(self._waiting.pop()[1])
        if batch.producer_id not in self._open:
            return False
        if batch.is_control:
            marker = read_marker(batch)
            if marker is not None and not marker.committed:
                self._open.discard(batch.producer_id)
        return batch.is_transactional
