"""TransactionIndex: the `.txnindex` of a segment, the transactions whose abort marker is in it (KIP-98).

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

from wirebroker.storage.errors import CorruptFileError

if TYPE_CHECKING:
    from wirebroker.storage.files import Files

ENTRY = Struct(">hqqqq")
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
        """The number of entries in the file when it was opened; known once `_count` is."""
        self._is_new = False
        self._changed = exists  # as far as we know
        self._instead: list[AbortedTransaction] | None = None
        """The entries that replace the first `_found_count` ones in the file, if these are known to be wrong."""

    @property
    def path(self) -> str:
        return self._file.path

    def entries(self) -> list[AbortedTransaction]:
        """Return all entries, oldest first.  Raises CorruptFileError on an unknown version."""
        if not self.exists:
            return []
        found = []
        for version, *fields in ENTRY.iter_unpack(self._read()):
            if version != 0:
                raise CorruptFileError(f"{self.path}: unknown version {version}")
            found.append(AbortedTransaction(*fields))
        return found

    def replace(self, entries: list[AbortedTransaction]) -> None:
        """Use *entries* in place of those that were in the file when it was opened, which are wrong.

        The file keeps them as evidence; entries that this process has appended stay.
        """
        self._instead = entries

    def _read(self) -> bytes:
        """Return the entries of the file, or those that replace them."""
        count = self._counted()
        instead, found = self._instead, self._found_count
        if instead is None:
            return self._file.open().pread(count * ENTRY.size, 0)
        data = b"".join(ENTRY.pack(0, *each) for each in instead)
        if count > found:
            data += self._file.open().pread((count - found) * ENTRY.size, found * ENTRY.size)
        return data

    def _counted(self) -> int:
        """Return the number of entries; several readers and the writer may call it at a time."""
        if self._count < 0:
            count = self._file.open().size_bytes() // ENTRY.size
            with _counting:
                if self._count < 0:  # or the writer may have added entries since
                    self._found_count = count
                    self._count = count
        return self._count

    def append(self, aborted: AbortedTransaction) -> None:
        file = self._file.create()
        count = self._counted()
        file.pwrite(ENTRY.pack(0, *aborted), count * ENTRY.size)
        self._changed = True  # now, for another thread may be in `sync`
        self._count = count + 1
        if not self.exists:
            self._is_new = self.exists = True

    def collect(self, fetch_offset: int, upper_bound: int) -> tuple[list[AbortedTransaction], bool]:
        """Return the entries that overlap [fetch_offset, upper_bound), and whether later segments cannot have more.

        Raises CorruptFileError on an unknown version.
        """
        found: list[AbortedTransaction] = []
        if not self.exists:
            return found, False
        data = self._read()
        # last offsets ascend: what ended before the fetch begins need not be looked at
        at = bisect_left(range(0, len(data), ENTRY.size), fetch_offset, key=lambda at: _long(data, at + _LAST_AT)[0])
        for version, producer_id, first, last, stable in ENTRY.iter_unpack(memoryview(data)[at * ENTRY.size :]):
            if version != 0:
                raise CorruptFileError(f"{self.path}: unknown version {version}")
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
            file.pwrite(b"".join(ENTRY.pack(0, *each) for each in kept), 0)
            self._instead = None
        self._count = self._found_count = len(kept)
        file.truncate(len(kept) * ENTRY.size)
        self._changed = True

    def reset(self) -> None:
        """Drop all entries."""
        self._count = self._found_count = 0
        self._instead = None
        if self.exists:
            self._file.open().truncate(0)
            self._changed = True

    def sync(self) -> bool:
        """Make the entries survive a power failure; return whether the file's name is still to be synced."""
        if self._changed:
            self._changed = False
            self._file.open().sync()
        is_new, self._is_new = self._is_new, False
        return is_new

    def close(self) -> None:
        self._file.close()

    def update_path(self, path: str) -> None:
        """Use *path*, the new name of the file."""
        self._file.update_path(path)

    def prepare_move(self, path: str | None) -> None:
        """Expect the file to be renamed to *path*; None: it keeps its name after all."""
        self._file.next_path = path
