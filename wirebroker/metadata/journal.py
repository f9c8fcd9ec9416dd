"""Journal: the append-only file of metadata records; every prefix of it is a state that was acknowledged.

::

    file    magic (8 bytes: started empty, or from a snapshot)  entry*
    entry   length u32   payload bytes
            version u64  one more than the entry before; a snapshot's first entry may start anywhere
            payload crc u32     header crc u32 (of the 16 bytes before it)       -- CRC-32C, big-endian
            payload      JSON that ends in ']' (records.encode)

Appending is write + fsync, and only then is the change published.  So after a crash the only entry that can be torn
is the last one, which was never acknowledged: cut short, or followed by zeros where the file system had
lengthened the file but not yet written the block.  That tail is dropped with a WARNING.  Any other
invalid entry is damage to acknowledged ones: the journal is refused, never cut.

Compaction writes a new file (one snapshot entry), fsyncs it and renames it over the old one.  Every log directory has a
copy; see journal_copies.py.
"""

from __future__ import annotations

import logging
import struct
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.metadata.errors import StoreDamaged, StoreUnavailable
from wirebroker.record.crc32c import crc32c

if TYPE_CHECKING:
    from pathlib import Path

    from wirebroker.storage.files import File, Files

log = logging.getLogger(__name__)

JOURNAL_NAME = "wirebroker-metadata.journal"
STARTED_EMPTY = b"WBMETA\x01\n"
STARTED_FROM_SNAPSHOT = b"SNAPWB\x01\n"  # differs in the first byte, to be told apart when it is cut short
ENTRY = struct.Struct(">IQI")
HEADER_CRC = struct.Struct(">I")
ENTRY_HEADER_SIZE = ENTRY.size + HEADER_CRC.size
LARGEST_ENTRY = 1 << 30


class Entry(NamedTuple):
    """One acknowledged write."""

    version: int
    payload: bytes


class Journal:
    """An open journal, positioned behind its last entry.  Sync; one caller at a time."""

    def __init__(self, path: Path, files: Files, file: File, size_bytes: int, version: int) -> None:
        self.path = path
        self.size_bytes = size_bytes
        self.version = version
        self._files = files
        self._file = file
        self._failure: OSError | None = None

    @classmethod
    def open(cls, path: Path, files: Files) -> tuple[Journal, list[Entry]]:
        """Open or create the journal; return it with its entries.

        Raises:
            StoreDamaged: an acknowledged entry is damaged.  The file is left as it is.
            OSError: the file cannot be read or written.
        """
        files.unlink([_unfinished(path)])  # a compaction that did not get as far as its rename
        data = files.read(str(path))
        entries, good = ([], 0) if data is None else read_entries(data, path)
        file = files.open(str(path))
        try:
            if data is not None and good < len(data):
                log.warning(
                    "metadata journal %s: dropping a torn tail of %d bytes at byte %d; it was never acknowledged",
                    *(path, len(data) - good, good),
                )
                file.truncate(good)
                file.sync()
            if good == 0:
                file.pwrite(STARTED_EMPTY, 0)
                file.sync()
                files.sync_directory(str(path.parent))
                good = len(STARTED_EMPTY)
        except BaseException:
            file.close()
            raise
        version = entries[-1].version if entries else 0
        return cls(path, files, file, good, version), entries

    def append(self, payload: bytes) -> int:
        """Write one entry durably; return its version.

        Raises:
            StoreUnavailable: the entry is not durable.  After a failed write the file is cut back, and later appends
                may work; after a failed fsync the content of the disk is unknown, and all later appends are refused.
        """
        self._check()
        data = frame(self.version + 1, payload)
        try:
            self._file.pwrite(data, self.size_bytes)
        except OSError as error:
            self._cut_back(error)
            raise StoreUnavailable(f"cannot write metadata journal {self.path}: {error}") from error
        try:
            self._file.sync()
        except OSError as error:
            self._failure = error
            raise StoreUnavailable(f"cannot fsync metadata journal {self.path}: {error}") from error
        self.size_bytes += len(data)
        self.version += 1
        return self.version

    @property
    def is_usable(self) -> bool:
        """False after a failure that left the file's content unknown."""
        return self._failure is None

    def compact(self, payload: bytes, version: int | None = None) -> None:
        """Replace all entries by one snapshot entry of the same version, or of a higher *version*.

        Raises:
            OSError: the new file could not be made; the old one is still in use.
            StoreUnavailable: the rename may or may not survive a crash, so nothing can be appended any more.
        """
        self._check()
        version = self.version if version is None else version
        data = STARTED_FROM_SNAPSHOT + frame(version, payload)
        unfinished = _unfinished(self.path)
        file = self._files.open(unfinished)
        try:
            file.pwrite(data, 0)
            file.sync()
            self._files.rename(unfinished, str(self.path))
        except BaseException:
            file.close()
            self._files.unlink([unfinished])
            raise
        self._file.close()
        self._file, self.size_bytes, self.version = file, len(data), version
        try:
            self._files.sync_directory(str(self.path.parent))
        except OSError as error:
            self._failure = error
            raise StoreUnavailable(f"cannot fsync the directory of metadata journal {self.path}: {error}") from error

    def close(self) -> None:
        """Close the file; every acknowledged entry is durable already."""
        self._file.close()

    def _check(self) -> None:
        if self._failure is not None:
            raise StoreUnavailable(f"metadata journal {self.path} failed earlier: {self._failure}")

    def _cut_back(self, error: OSError) -> None:
        try:
            self._file.truncate(self.size_bytes)
        except OSError:
            self._failure = error


def frame(version: int, payload: bytes) -> bytes:
    """Return the bytes of one entry."""
    header = ENTRY.pack(len(payload), version, crc32c(payload))
    return header + HEADER_CRC.pack(crc32c(header)) + payload


def read_entries(data: bytes, path: Path) -> tuple[list[Entry], int]:
    """Return the entries of a journal, and the number of bytes before a torn tail.

    Raises:
        StoreDamaged: anything but the tail is damaged.
    """
    written = data.rstrip(b"\0")
    if len(written) < len(STARTED_EMPTY):
        # Only a journal that was being created can end here: a snapshot's file is whole before it gets its name.
        if STARTED_EMPTY.startswith(written):
            return [], 0
        raise StoreDamaged(f"metadata journal {path} is cut short within its first {len(STARTED_EMPTY)} bytes")
    magic = data[: len(STARTED_EMPTY)]
    if magic not in (STARTED_EMPTY, STARTED_FROM_SNAPSHOT):
        raise StoreDamaged(f"{path} is not a metadata journal, or of a version that this broker does not know")
    entries: list[Entry] = []
    at = len(magic)
    expected = 1 if magic == STARTED_EMPTY else None
    while at < len(data):
        entry = _read_entry(data, at, path)
        if entry is None:
            break
        if expected is not None and entry.version != expected:
            raise StoreDamaged(
                f"metadata journal {path} is damaged: version {entry.version} at byte {at}, {expected} was due"
            )
        entries.append(entry)
        expected = entry.version + 1
        at += ENTRY_HEADER_SIZE + len(entry.payload)
    if magic == STARTED_FROM_SNAPSHOT and not entries:
        raise StoreDamaged(f"metadata journal {path} is cut short within its snapshot")
    return entries, at


def readable_version(data: bytes, path: Path) -> int:
    """Return the version of the last entry before the first damage, 0 if there is none."""
    at, version = len(STARTED_EMPTY), 0
    try:
        while at < len(data):
            entry = _read_entry(data, at, path)
            if entry is None:
                break
            at, version = at + ENTRY_HEADER_SIZE + len(entry.payload), entry.version
    except StoreDamaged:
        pass
    return version


def _read_entry(data: bytes, at: int, path: Path) -> Entry | None:
    """Return the entry at byte *at*, None if a crash tore it; StoreDamaged if it is damaged."""
    written = len(data) - at
    if not data.endswith(b"]"):  # an entry never ends in a zero, so zeros at the end were never written
        written = max(0, len(data.rstrip(b"\0")) - at)
    header_end = at + ENTRY_HEADER_SIZE
    if at + written < header_end:
        return None
    length, version, payload_crc = ENTRY.unpack_from(data, at)
    (header_crc,) = HEADER_CRC.unpack_from(data, at + ENTRY.size)
    if crc32c(data[at : at + ENTRY.size]) != header_crc or length > LARGEST_ENTRY:
        raise StoreDamaged(
            f"metadata journal {path} is damaged: bad entry header at byte {at} of {len(data)}; "
            "restore the file from a backup (nothing was changed)"
        )
    if written < ENTRY_HEADER_SIZE + length:
        return None
    payload = data[header_end : header_end + length]
    if crc32c(payload) != payload_crc:
        raise StoreDamaged(
            f"metadata journal {path} is damaged: bad checksum of version {version} at byte {at} of {len(data)}; "
            "restore the file from a backup (nothing was changed)"
        )
    return Entry(version, payload)


def _unfinished(path: Path) -> str:
    return f"{path}.new"
