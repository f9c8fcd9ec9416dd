"""TimeIndex: the `.timeindex` of a segment, from the largest timestamps so far to offsets.

    0  timestamp        int64   the largest one up to here
    8  relative offset  int32   last offset of the batch it is in, minus the segment's base offset

Timestamps strictly ascend, offsets ascend.  The last slot is kept for the entry written when the segment is rolled or
closed, which holds the segment's largest timestamp.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, ClassVar

from wirebroker.storage.errors import CorruptFileError
from wirebroker.storage.index_file import IndexFile

if TYPE_CHECKING:
    from collections.abc import Iterable

NO_TIMESTAMP = -1


class TimeIndex(IndexFile):
    """The `.timeindex` of one segment: timestamp -> the offset from which on to search for it."""

    __slots__ = ("last",)

    ENTRY: ClassVar[Struct] = Struct(">qi")
    last: tuple[int, int]
    """(timestamp, offset) of the last entry, (-1, base offset) if there is none; known once `count` was asked for."""

    def _note_last(self, last: tuple[int, ...] | None) -> None:
        self.last = (last[0], self.base_offset + last[1]) if last else (NO_TIMESTAMP, self.base_offset)

    @property
    def is_full(self) -> bool:
        return self.count >= self.max_entries - 1

    def maybe_append(self, timestamp: int, offset: int) -> None:
        """Add an entry, unless *timestamp* is not above the last one's."""
        count = self.count
        if count and offset < self.last[1]:
            raise CorruptFileError(f"{self.path}: offset {offset} after {self.last[1]}")
        if timestamp > self.last[0]:
            self._write(count, timestamp, offset - self.base_offset)
            self._count = count + 1
            self.last = timestamp, offset

    def extend(self, entries: Iterable[tuple[int, int]]) -> None:
        """Add entries as `maybe_append` does, with one write for all of them."""
        count, last, base = self.count, self.last, self.base_offset
        raw: list[tuple[int, int]] = []
        for timestamp, offset in entries:
            if (count or raw) and offset < last[1]:
                raise CorruptFileError(f"{self.path}: offset {offset} after {last[1]}")
            if timestamp > last[0]:
                raw.append((timestamp, offset - base))
                last = timestamp, offset
        self._write_all(count, raw)
        self._count = count + len(raw)
        self.last = last

    def lookup(self, timestamp: int) -> tuple[int, int]:
        """Return the last entry at or before *timestamp*: records above it come after that offset."""
        _, entry = self._floor(timestamp, 0)
        return (entry[0], self.base_offset + entry[1]) if entry else (NO_TIMESTAMP, self.base_offset)

    def truncate_to(self, offset: int) -> None:
        """Drop the entries at *offset* and above."""
        slot, _ = self._floor(offset - self.base_offset - 1, 1)
        self._cut(slot + 1)

    def sanity_check(self) -> None:
        """Check the size of the file and its first and last entries.  Raises CorruptFileError."""
        if self.size_bytes % self.ENTRY.size:
            raise CorruptFileError(f"{self.path}: {self.size_bytes} bytes are no whole number of entries")
        if self.count and (self.last[0] < self.entry(0)[0] or self.last[1] < self.base_offset):
            raise CorruptFileError(f"{self.path}: the last entry is below the first")
