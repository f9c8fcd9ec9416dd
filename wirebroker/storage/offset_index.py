"""`.index`: where in the `.log` an offset is.

    0  relative offset  int32   last offset of the batch, minus the segment's base offset
    4  position         int32   where that batch begins in the .log

Sparse: an entry for the first batch after more than `index.interval.bytes`.  Both fields ascend.
"""

from __future__ import annotations

from struct import Struct
from typing import ClassVar

from wirebroker.storage.faults import CorruptFile
from wirebroker.storage.index_file import IndexFile


class OffsetIndex(IndexFile):
    __slots__ = ("last_offset",)

    ENTRY: ClassVar[Struct] = Struct(">ii")
    last_offset: int
    """The offset of the last entry, the base offset if there is none; known once `count` was asked for."""

    def _note_last(self, last: tuple[int, ...] | None) -> None:
        self.last_offset = self.base_offset + (last[0] if last else 0)

    @property
    def is_full(self) -> bool:
        return self.count >= self.max_entries

    def append(self, last_offset: int, position: int) -> None:
        """Note that the batch ending with *last_offset* begins at *position*."""
        count = self.count
        if count and last_offset <= self.last_offset:
            raise CorruptFile(f"{self.path}: offset {last_offset} after {self.last_offset}")
        self._write(count, last_offset - self.base_offset, position)
        self._count = count + 1
        self.last_offset = last_offset

    def lookup(self, offset: int) -> int:
        """A position at or before the batch that holds *offset*: no earlier batch has to be looked at."""
        _, entry = self._floor(offset - self.base_offset, 0)
        return entry[1] if entry else 0

    def lookup_early(self, offset: int) -> int:
        """As `lookup`, but one entry earlier."""
        slot, _ = self._floor(offset - self.base_offset, 0)
        return self.entry(slot - 1)[1] if slot > 0 else 0

    def upper_bound_offset(self, position: int) -> int | None:
        """An offset beyond all batches that begin before *position*; None if the index does not know one."""
        slot, _ = self._floor(position - 1, 1)
        return self.base_offset + self.entry(slot + 1)[0] if slot + 1 < self.count else None

    def truncate_to(self, offset: int) -> None:
        """Drop the entries at *offset* and above."""
        slot, _ = self._floor(offset - self.base_offset - 1, 0)
        self._cut(slot + 1)

    def sanity_check(self) -> None:
        """Raises CorruptFile on what a look at the size and the last entry tells."""
        if self.size_bytes % self.ENTRY.size:
            raise CorruptFile(f"{self.path}: {self.size_bytes} bytes are no whole number of entries")
        if self.count and self.last_offset < self.base_offset:
            raise CorruptFile(f"{self.path}: the last entry is below the base offset")
