"""Keys and values of large batches: runs of equally long records are unpacked in C, without Python for each record.

The records of one OffsetCommit request differ in a partition and an offset, whose sizes are fixed, so all of them are
equally long but for the width of their offset deltas; and the next request's are as long again.
"""

from __future__ import annotations

from itertools import islice
from struct import Struct
from typing import TYPE_CHECKING, Final

from wirebroker.record.errors import RecordError
from wirebroker.record.record_run_scan import run_layout
from wirebroker.record.record_scan import record_size, run_length

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wirebroker.record.record_batch import RecordBatch
    from wirebroker.record.record_run_scan import RunLayout

    KeyedPiece = Iterable[tuple[bytes | None, bytes | None]]

MOST: Final = 4096
"""Records in one piece."""
_FEWEST: Final = 16
"""Records a run, on average, from which on runs are worth while."""
_SHAPES: Final = 64


class KeyedRuns:
    """Reads batches whose records are alike; keeps the shapes of the last ones, with which others can be compared."""

    def __init__(self) -> None:
        self._shapes: dict[int, _Shape] = {}

    def pieces(self, batch: RecordBatch) -> Iterator[KeyedPiece]:
        """Yield the (key, value) of all records, in pieces of at most 4,096 (a millisecond).  Raises RecordError."""
        runs = self._runs(batch) if batch.record_count >= _FEWEST else None
        if runs is not None:
            yield from runs
            return
        pairs = ((key, value) for _, key, value in batch.keyed_records())
        while piece := list(islice(pairs, MOST)):
            yield piece

    def _runs(self, batch: RecordBatch) -> list[KeyedPiece] | None:
        """The records as runs; None if there are too many, and for records that are not as they should be."""
        data = bytes(batch.uncompressed())
        left, at, end = batch.record_count, 0, len(data)
        most_runs = 1 + left // _FEWEST
        found: list[KeyedPiece] = []
        view = memoryview(data)
        try:
            while left:
                size, width = record_size(data, at)
                run = run_length(data, at, size, width, min(left, (end - at) // size, MOST))
                shape = self._shape(data, at, size, width, run)
                if shape is None or len(found) == most_runs:
                    return None
                found.append(shape.fields.iter_unpack(view[at : at + run * size]))
                at += run * size
                left -= run
        except (IndexError, RecordError):
            return None  # `keyed_records` says why
        return found if at == end else None

    def _shape(self, data: bytes, at: int, size: int, width: int, run: int) -> _Shape | None:
        """The shape of *run* records of *size* bytes; None if they are not alike, or have no key or no value."""
        shape = self._shapes.get(size)
        if shape is None or not shape.is_of(data, at, run):
            layout = run_layout(data, at, size, width, run)
            if layout is None or min(layout.key_bytes, layout.value_bytes) < 0:
                return None
            if len(self._shapes) >= _SHAPES:
                self._shapes.clear()
            shape = self._shapes[size] = _Shape(layout, data[at : at + size], width)
        return shape


class _Shape:
    """Records of one size with their fields in the same places.

    Args:
        layout: the places.
        record: one of the records.
        width: that of the record's length.
    """

    __slots__ = ("_continued", "_ends", "_same", "_size", "fields")

    def __init__(self, layout: RunLayout, record: bytes, width: int) -> None:
        self._size = size = len(record)
        _, offset_bytes, key_at, key_bytes, value_at, value_bytes = layout
        time_end = width + 1 + len(layout.timestamps)
        offset_end = time_end + offset_bytes
        self._ends = (time_end - 1, offset_end - 1)
        self._continued = (*range(width + 1, time_end - 1), *range(time_end, offset_end - 1))
        same = (*range(offset_end, key_at), *range(key_at + key_bytes, value_at), size - 1)
        self._same = tuple((place, record[place : place + 1]) for place in same)
        between, rest = value_at - key_at - key_bytes, size - value_at - value_bytes
        self.fields = Struct(f"{key_at}x{key_bytes}s{between}x{value_bytes}s{rest}x")
        """Unpacks key and value."""

    def is_of(self, data: bytes, at: int, run: int) -> bool:
        """Return whether the *run* records of this size from *at* on have this shape: the same lengths and widths."""
        size = self._size
        stop = at + (run - 1) * size + 1
        return (
            all(data[at + place : stop + place : size] == byte * run for place, byte in self._same)
            and all(data[at + place : stop + place : size].isascii() for place in self._ends)
            and all(min(data[at + place : stop + place : size]) > 0x7F for place in self._continued)
        )
