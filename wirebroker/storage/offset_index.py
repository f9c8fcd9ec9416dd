"""OffsetIndex: the `.index` of a segment, from offsets to positions in the `.log`.

    0  relative offset  int32   last offset of the batch, minus the segment's base offset
    4  position         int32   where that batch begins in the .log

Sparse: an entry for the first batch after more than `index.interval.bytes`.  Both fields ascend.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, ClassVar

from wirebroker.storage.errors import CorruptFileError
from wirebroker.storage.index_file import IndexFile

if TYPE_CHECKING:
    from collections.abc import Iterable


class OffsetIndex(IndexFile):
    """The `.index` of one segment: offset of a batch -> its position in the log file."""

    __slots__ = ("last_offset",)

    ENTRY: ClassVar[Struct] = Struct(">ii")
    last_offset: int
    """The offset of the last entry, the base offset if there is none; known once `count` was read."""

    def _note_last(self, last: tuple[int, ...] | None) -> None:
        self.last_offset = self.base_offset + (last[0] if last else 0)

    @property
    def is_full(self) -> bool:
        return self.count >= self.max_entries

    def append(self, last_offset: int, position: int) -> None:
        """Add an entry: the batch that ends with *last_offset* begins at *position*."""
        count = self.count
        if count and last_offset <= self.last_offset:
            raise CorruptFileError(f"{self.path}: offset {last_offset} after {self.last_offset}")
        self._write(count, last_offset - self.base_offset, position)
        self._count = count + 1
        self.last_offset = last_offset

    def extend(self, entries: Iterable[tuple[int, int]]) -> None:
        """Add entries as `append` does, with one write for all of them."""
        count, last, base = self.count, self.last_offset, self.base_offset
        raw: list[tuple[int, int]] = []
        for last_offset, position in entries:
            if (count or raw) and last_offset <= last:
                raise CorruptFileError(f"{self.path}: offset {last_offset} after {last}")
            raw.append((last_offset - base, position))
            last = last_offset
        self._write_all(count, raw)
        self._count = count + len(raw)
        self.last_offset = last

    def lookup(self, offset: int) -> int:
        """Return a position from which to search the batch with *offset*: no batch before it holds the offset."""
        _, entry = self._floor(offset - self.base_offset, 0)
        return entry[1] if entry else 0

    def lookup_previous(self, offset: int) -> int:
        """Return as `lookup`, but one entry earlier."""
        slot, _ = self._floor(offset - self.base_offset, 0)
        return self.entry(slot - 1)[1] if slot > 0 else 0

    def upper_bound_offset(self, position: int) -> int | None:
        """Return an offset beyond all batches that begin before *position*; None if no entry is behind it."""
        slot, _ = self._floor(position - 1, 1)
        return self.base_offset + self.entry(slot + 1)[0] if slot + 1 < self.count else None

    def truncate_to(self, offset: int) -> None:
        """Drop the entries at *offset* and above."""
        slot, _ = self._floor(offset - self.base_offset - 1, 0)
        self._cut(slot + 1)

    def sanity_check(self) -> None:
        """Check the size of the file and its last entry.  Raises CorruptFileError."""
        if self.size_bytes % self.ENTRY.size:
            raise CorruptFileError(f"{self.path}: {self.size_bytes} bytes are no whole number of entries")
        if self.count and self.last_offset < self.base_offset:
            raise CorruptFileError(f"{self.path}: the last entry is below the base offset")
