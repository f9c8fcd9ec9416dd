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
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.storage.faults import CorruptFile

if TYPE_CHECKING:
    from wirebroker.storage.files import Files

_ENTRY = Struct(">hqqqq")
_LAST_AT = 18
_long = Struct(">q").unpack_from


class AbortedTransaction(NamedTuple):
    """One entry; offsets are inclusive."""

    producer_id: int
    first_offset: int
    last_offset: int
    last_stable_offset: int


class TransactionIndex:
    __slots__ = ("_changed", "_count", "_file", "_instead", "_is_new", "exists")

    def __init__(self, files: Files, path: str, *, exists: bool) -> None:
        self._file = files.lazy(path)
        self.exists = exists
        self._count = -1
        self._is_new = False
        self._changed = exists  # as far as we know
        self._instead: list[AbortedTransaction] | None = None
        """What the entries should be, if those in the file are known to be wrong."""

    @property
    def path(self) -> str:
        return self._file.path

    def entries(self) -> list[AbortedTransaction]:
        """All of them, oldest first.  Raises CorruptFile on an unknown version."""
        if self._instead is not None:
            return self._instead.copy()
        if not self.exists:
            return []
        found = []
        for version, *fields in _ENTRY.iter_unpack(self._read()):
            if version != 0:
                raise CorruptFile(f"{self.path}: unknown version {version}")
            found.append(AbortedTransaction(*fields))
        return found

    def replace(self, entries: list[AbortedTransaction]) -> None:
        """The file is wrong: say *entries* from now on.  It is left as it is, for somebody to look at."""
        self._instead = entries

    def _read(self) -> bytes:
        file = self._file.open()
        if self._count < 0:
            self._count = file.size_bytes() // _ENTRY.size
        return file.pread(self._count * _ENTRY.size, 0)

    def append(self, aborted: AbortedTransaction) -> None:
        file = self._file.create()
        if self._count < 0:
            self._count = file.size_bytes() // _ENTRY.size
        if not self.exists:
            self.exists = self._is_new = True
        file.pwrite(_ENTRY.pack(0, *aborted), self._count * _ENTRY.size)
        self._changed = True  # now, for another thread may be in `sync`
        self._count += 1
        if self._instead is not None:
            self._instead.append(aborted)

    def collect(self, fetch_offset: int, upper_bound: int) -> tuple[list[AbortedTransaction], bool]:
        """Those that overlap [fetch_offset, upper_bound), and whether later segments cannot hold more of them.

        Raises CorruptFile on an unknown version.
        """
        found: list[AbortedTransaction] = []
        if not self.exists:
            return found, False
        data = self._read() if self._instead is None else b"".join(_ENTRY.pack(0, *each) for each in self._instead)
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
        if self._instead is not None:
            self._instead = [aborted for aborted in self._instead if aborted.last_offset < offset]
        if self.exists:
            self._count = sum(aborted.last_offset < offset for aborted in self.entries())
            self._file.open().truncate(self._count * _ENTRY.size)
            self._changed = True

    def reset(self) -> None:
        """Drop all entries."""
        self._count = 0
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
        self._file.close()
        self._file.path = path
