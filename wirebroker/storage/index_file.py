"""IndexFile: the base of `.index` and `.timeindex`, fixed-size entries in a preallocated file, found by bisection.

While its segment is appended to, the file is `segment.index.bytes` long, a hole full of zeros after the last entry;
when the segment is rolled or closed it is cut to its entries.  So the number of entries of a cleanly closed index is
its size divided by the entry size, and an index of a segment that was open in a crash must be rebuilt.

Entries are written with pwrite, never through a mapping: a full disk is then an OSError and not a SIGBUS.  Nothing of
the file is kept in memory; a lookup reads 8 or 12 bytes a step and ends in one block of 512 entries.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from struct import Struct
    from typing import ClassVar

    from wirebroker.storage.files import Files

_BLOCK_ENTRIES = 512  # of 8 bytes: a page, which takes as long to read as an eighth of it
MAX_RELATIVE_OFFSET = (1 << 31) - 1
_counting = Lock()  # of all indexes: it is held for two assignments, never while the disk works


class IndexFile:
    """Entries in ascending order.  Methods may raise OSError."""

    __slots__ = ("_count", "_file", "base_offset", "max_entries")

    ENTRY: ClassVar[Struct]

    def __init__(self, files: Files, path: str, base_offset: int) -> None:
        """No I/O happens until an entry is needed."""
        self._file = files.lazy(path)
        self._count = -1
        self.base_offset = base_offset
        self.max_entries = 0
        """The number of entries that fit; set by `make_writable`."""

    @property
    def path(self) -> str:
        return self._file.path

    @property
    def count(self) -> int:
        """Return the number of entries.  Reads the file at the first call."""
        if self._count < 0:
            self._load()
        return self._count

    def _load(self) -> None:
        """Read the number of entries and the last one; several readers and the writer may do so at a time."""
        entry = self.ENTRY
        file = self._file.open()
        count = file.size_bytes() // entry.size
        last = entry.unpack(file.pread(entry.size, (count - 1) * entry.size)) if count else None
        with _counting:
            if self._count < 0:  # or the writer may have added entries since
                self._note_last(last)
                self._count = count

    @property
    def size_bytes(self) -> int:
        """Return the size of the file, with the free space at its end."""
        return self._file.open().size_bytes()

    def _note_last(self, last: tuple[int, ...] | None) -> None:
        """Keep what subclasses derive from the raw fields of the last entry; None if there are no entries."""

    def reset(self, max_bytes: int, *, grow: bool = True) -> None:
        """Drop all entries and allow at most *max_bytes* of new ones; with *grow* the file gets that size now."""
        self._note_last(None)
        self._count = 0
        self._file.create().truncate(0)
        if grow:
            self.make_writable(max_bytes)
        else:
            self.max_entries = max_bytes // self.ENTRY.size

    def make_writable(self, max_bytes: int) -> None:
        """Grow the file so that entries can be appended."""
        entry_bytes = self.ENTRY.size
        self.max_entries = max(max_bytes // entry_bytes, self.count)
        self._file.open().truncate(self.max_entries * entry_bytes)

    def trim(self) -> None:
        """Cut the file to its entries."""
        self._file.open().truncate(self.count * self.ENTRY.size)

    def sync(self) -> None:
        self._file.open().sync()

    def close(self) -> None:
        """Give the descriptor back; the index can still be used."""
        self._file.close()

    def update_path(self, path: str) -> None:
        """Use *path*, the new name of the file."""
        self._file.update_path(path)

    def prepare_move(self, path: str | None) -> None:
        """Expect the file to be renamed to *path*; None: it keeps its name after all."""
        self._file.next_path = path

    def entry(self, slot: int) -> tuple[int, ...]:
        """Return the raw fields of one entry."""
        size = self.ENTRY.size
        return self.ENTRY.unpack(self._file.open().pread(size, slot * size))

    def entries(self) -> list[tuple[int, ...]]:
        """Return all raw entries (for tools and tests)."""
        size = self.ENTRY.size
        return list(self.ENTRY.iter_unpack(self._file.open().pread(self.count * size, 0)))

    def bytes_at(self, position: int, size_bytes: int) -> bytes:
        """Return a piece of the file, of whole entries (for tools)."""
        data = self._file.open().pread(size_bytes, position)
        return data[: len(data) // self.ENTRY.size * self.ENTRY.size]

    def _write(self, slot: int, *fields: int) -> None:
        entry = self.ENTRY
        (self._file.opened or self._file.open()).pwrite(entry.pack(*fields), slot * entry.size)

    def _write_all(self, slot: int, entries: Iterable[tuple[int, ...]]) -> None:
        """Write raw *entries* from *slot* on, at once."""
        entry = self.ENTRY
        data = b"".join(entry.pack(*fields) for fields in entries)
        if data:
            (self._file.opened or self._file.open()).pwrite(data, slot * entry.size)

    def _floor(self, target: int, field: int) -> tuple[int, tuple[int, ...] | None]:
        """Return (slot, entry) of the last entry whose *field* is at most *target*; (-1, None) if there is none."""
        low, high = 0, self.count  # entry low is at most target (or low is 0), entries from high on are above it
        if not high:
            return -1, None
        unpack, size = self.ENTRY.unpack_from, self.ENTRY.size
        file = self._file.open()
        while high - low > _BLOCK_ENTRIES:
            middle = (low + high) // 2
            if unpack(file.pread(size, middle * size))[field] <= target:
                low = middle
            else:
                high = middle
        first = low
        block = file.pread((high - first) * size, first * size)
        low, high = 0, len(block) // size
        while low < high:
            middle = (low + high) // 2
            if unpack(block, middle * size)[field] <= target:
                low = middle + 1
            else:
                high = middle
        return (first + low - 1, unpack(block, (low - 1) * size)) if low else (-1, None)

    def disable(self) -> None:
        """Ignore all entries; the file stays as it is."""
        self._cut(0)

    def _cut(self, count: int) -> None:
        """Keep the first *count* entries (the file keeps its size)."""
        self._note_last(self.entry(count - 1) if count else None)
        self._count = count
