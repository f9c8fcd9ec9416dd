"""`.txnindex`: the transactions whose ABORT marker is in this segment (KIP-98).

     0  version             int16  0
     2  producer id         int64
    10  first offset        int64
    18  last offset         int64  the marker's
    26  last stable offset  int64  when the marker was written

34 bytes an entry, last offsets ascend.  The file appears with its first entry; most segments never have one.
"""

from __future__ import annotations

from bisect import bisect_left
from struct import Struct
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.storage.faults import CorruptFile

if TYPE_CHECKING:
    from wirebroker.storage.files import Files

_ENTRY = Struct(">hqqqq")
_LAST_AT = 18
_long = Struct(">q").unpack_from
_counting = Lock()  # of all indexes: it is held for two assignments, never while the disk works


class AbortedTransaction(NamedTuple):
    """One entry; offsets are inclusive."""

    producer_id: int
    first_offset: int
    last_offset: int
    last_stable_offset: int


class TransactionIndex:
    """One thread at a time may append; others may read meanwhile."""

    __slots__ = ("_changed", "_count", "_file", "_found_count", "_instead", "_is_new", "exists")

    def __init__(self, files: Files, path: str, *, exists: bool) -> None:
        self._file = files.lazy(path)
        self.exists = exists
        self._count = -1
        self._found_count = 0
        """How many entries the file had when it was opened; known once `_count` is."""
        self._is_new = False
        self._changed = exists  # as far as we know
        self._instead: list[AbortedTransaction] | None = None
        """What the first `_found_count` entries should be, if those in the file are known to be wrong."""

    @property
    def path(self) -> str:
        return self._file.path

    def entries(self) -> list[AbortedTransaction]:
        """All of them, oldest first.  Raises CorruptFile on an unknown version."""
        if not self.exists:
            return []
        found = []
        for version, *fields in _ENTRY.iter_unpack(self._read()):
            if version != 0:
                raise CorruptFile(f"{self.path}: unknown version {version}")
            found.append(AbortedTransaction(*fields))
        return found

    def replace(self, entries: list[AbortedTransaction]) -> None:
        """What was found in the file is wrong: say *entries* in its place.

        The file is left as it is, for somebody to look at; what this process has appended to it stays.
        """
        self._instead = entries

    def _read(self) -> bytes:
        """The entries, as they are in the file or should be."""
        count = self._counted()
        instead, found = self._instead, self._found_count
        if instead is None:
            return self._file.open().pread(count * _ENTRY.size, 0)
        data = b"".join(_ENTRY.pack(0, *each) for each in instead)
        if count > found:
            data += self._file.open().pread((count - found) * _ENTRY.size, found * _ENTRY.size)
        return data

    def _counted(self) -> int:
        """The number of entries; several readers and the writer may ask at a time."""
        if self._count < 0:
            count = self._file.open().size_bytes() // _ENTRY.size
            with _counting:
                if self._count < 0:  # or the writer may have added entries since
                    self._found_count = count
                    self._count = count
        return self._count

    def append(self, aborted: AbortedTransaction) -> None:
        file = self._file.create()
        count = self._counted()
        file.pwrite(_ENTRY.pack(0, *aborted), count * _ENTRY.size)
        self._changed = True  # now, for another thread may be in `sync`
        self._count = count + 1
        if not self.exists:
            self._is_new = self.exists = True

    def collect(self, fetch_offset: int, upper_bound: int) -> tuple[list[AbortedTransaction], bool]:
        """Those that overlap [fetch_offset, upper_bound), and whether later segments cannot hold more of them.

        Raises CorruptFile on an unknown version.
        """
        found: list[AbortedTransaction] = []
        if not self.exists:
            return found, False
        data = self._read()
        # last offsets ascend: what ended before the fetch begins need not be looked at
        at = bisect_left(range(0, len(data), _ENTRY.size), fetch_offset, key=lambda at: _long(data, at + _LAST_AT)[0])
        for version, producer_id, first, last, stable in _ENTRY.iter_unpack(memoryview(data)[at * _ENTRY.size :]):
            if version != 0:
                raise CorruptFile(f"{self.path}: unknown version {version}")
            if first < upper_bound:
                found.append(AbortedTransaction(producer_id, first, last, stable))
            if stable >= upper_bound:
                return found, True
        return found, False

    def truncate_to(self, offset: int) -> None:
        """Drop the entries whose marker is at *offset* or above."""
        if not self.exists:
            return
        kept = [aborted for aborted in self.entries() if aborted.last_offset < offset]
        file = self._file.open()
        if self._instead is not None:
            file.pwrite(b"".join(_ENTRY.pack(0, *each) for each in kept), 0)
            self._instead = None
        self._count = self._found_count = len(kept)
        file.truncate(len(kept) * _ENTRY.size)
        self._changed = True

    def reset(self) -> None:
        """Drop all entries."""
        self._count = self._found_count = 0
        self._instead = None
        if self.exists:
            self._file.open().truncate(0)
            self._changed = True

    def sync(self) -> bool:
        """Make the entries survive a power failure; is the file's name still to be synced?"""
        if self._changed:
            self._changed = False
            self._file.open().sync()
        is_new, self._is_new = self._is_new, False
        return is_new

    def close(self) -> None:
        self._file.close()

    def moved(self, path: str) -> None:
        """The file was renamed to *path*."""
        self._file.moved(path)

    def will_move(self, path: str | None) -> None:
        """The file is about to be renamed to *path*; None: it keeps its name after all."""
        self._file.next_path = path
