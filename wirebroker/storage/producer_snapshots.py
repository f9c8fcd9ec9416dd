"""Snapshots of a log's producer state: the `.snapshot` files in the partition's directory (KIP-98).

A snapshot is named after the offset it was taken at.

    0  version  int16   1
    2  crc      uint32  CRC-32C of everything behind it
    6  count    int32
    then per producer, 46 bytes:
     0  producer id                 int64
     8  epoch                       int16
    10  last sequence               int32  of its last batch, -1 if there is none
    14  last offset                 int64  of its last batch, -1 if there is none
    22  offset delta                int32  last offset - first offset of that batch
    26  timestamp                   int64
    34  coordinator epoch           int32  -1 before the first marker
    38  transaction's first offset  int64  -1 if none is open

Only the last batch of a producer is kept in the file, the last five are in memory.
"""

from __future__ import annotations

import logging
from struct import Struct
from struct import error as StructError
from typing import TYPE_CHECKING

from wirebroker.record.crc32c import crc32c
from wirebroker.record.record_batch import NO_SEQUENCE
from wirebroker.storage.errors import CorruptFileError
from wirebroker.storage.producer_state_entry import NO_OFFSET, BatchMetadata, ProducerStateEntry

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.storage.files import Files

logger = logging.getLogger(__name__)

SNAPSHOT = ".snapshot"
SNAPSHOT_HEADER = Struct(">hIi")
CRC_END = 6
SNAPSHOT_ENTRY = Struct(">qhiqiqiq")
SNAPSHOT_VERSION = 1


class ProducerSnapshots:
    """The snapshot files of one log.  Methods may raise OSError."""

    def __init__(self, files: Files, directory: str, offsets: Iterable[int]) -> None:
        """*offsets* are those of the snapshots that exist in *directory*."""
        self._files = files
        self._offsets = set(offsets)
        self._unsynced: int | None = None
        self.directory = directory
        """The partition's directory; replaced when it is renamed."""

    @property
    def offsets(self) -> list[int]:
        """The offsets of the snapshots that exist, ascending."""
        return sorted(self._offsets)

    def __contains__(self, offset: int) -> bool:
        return offset in self._offsets

    def path(self, offset: int) -> str:
        """Return the path of the snapshot at *offset*."""
        return f"{self.directory}/{offset:020}{SNAPSHOT}"

    def write(self, offset: int, entries: Iterable[ProducerStateEntry]) -> None:
        """Write the snapshot at *offset*.

        It is not synced: a crash can do without it, and its checksum tells if it was torn.
        """
        self._files.write_whole(self.path(offset), encode_snapshot(entries), sync=False)
        self._offsets.add(offset)
        self._unsynced = offset

    def sync(self) -> None:
        """Make the last snapshot survive a power failure."""
        if self._unsynced is not None:
            self._files.sync(self.path(self._unsynced))
            self._unsynced = None

    def read_newest(self) -> tuple[int, list[ProducerStateEntry]] | None:
        """Return (offset, producers) of the newest snapshot; None if there is none.  Corrupt snapshots are deleted."""
        while self._offsets:
            offset = max(self._offsets)
            try:
                return offset, decode_snapshot(self._files.read(self.path(offset)) or b"", self.path(offset))
            except CorruptFileError as error:
                logger.warning("%s; the state of its producers is rebuilt from the log", error)
                self.delete(offset)
        return None

    def remove(self, offset: int) -> str | None:
        """Stop using the snapshot at *offset*; return its path, for the caller to delete the file, if there is one."""
        if offset not in self._offsets:
            return None
        self._offsets.remove(offset)
        return self.path(offset)

    def delete(self, offset: int) -> None:
        """Delete the snapshot at *offset*."""
        self._offsets.discard(offset)
        self._files.unlink([self.path(offset)])

    def remove_stray(self, segments: Iterable[int]) -> None:
        """Delete snapshots but for those at the base offsets *segments*, and one above them (a clean shutdown's)."""
        bases = set(segments)
        keep = bases & self._offsets
        if self._offsets and bases and max(self._offsets) > max(bases):
            keep.add(max(self._offsets))
        self._files.unlink(self.path(offset) for offset in self._offsets - keep)
        self._offsets = keep


def encode_snapshot(entries: Iterable[ProducerStateEntry]) -> bytes:
    """Return the bytes of a `.snapshot` file."""
    packed = []
    for entry in entries:
        last = entry.batches[-1] if entry.batches else None
        packed.append(
            SNAPSHOT_ENTRY.pack(
                entry.producer_id,
                entry.epoch,
                last.last_sequence if last else NO_SEQUENCE,
                last.last_offset if last else NO_OFFSET,
                last.offset_delta if last else 0,
                entry.last_timestamp,
                entry.coordinator_epoch,
                entry.current_txn_first_offset,
            )
        )
    data = bytearray(SNAPSHOT_HEADER.pack(SNAPSHOT_VERSION, 0, len(packed)))
    data += b"".join(packed)
    with memoryview(data) as view:
        crc = crc32c(view[CRC_END:])
    SNAPSHOT_HEADER.pack_into(data, 0, SNAPSHOT_VERSION, crc, len(packed))
    return bytes(data)


def decode_snapshot(data: bytes, path: str) -> list[ProducerStateEntry]:
    """Return the producers in the bytes *data* of the `.snapshot` file at *path*.  Raises CorruptFileError."""
    try:
        version, crc, count = SNAPSHOT_HEADER.unpack_from(data)
    except StructError as error:
        raise CorruptFileError(f"{path}: only {len(data)} bytes") from error
    if version != SNAPSHOT_VERSION:
        raise CorruptFileError(f"{path}: unknown version {version}")
    if crc != crc32c(memoryview(data)[CRC_END:]):
        raise CorruptFileError(f"{path}: the checksum is wrong")
    if len(data) != SNAPSHOT_HEADER.size + count * SNAPSHOT_ENTRY.size:
        raise CorruptFileError(f"{path}: {count} producers in {len(data)} bytes")
    return [entry_of(fields) for fields in SNAPSHOT_ENTRY.iter_unpack(memoryview(data)[SNAPSHOT_HEADER.size :])]


def entry_of(fields: tuple[int, ...]) -> ProducerStateEntry:
    """Return the producer whose entry in a `.snapshot` unpacks to *fields*."""
    entry = ProducerStateEntry(fields[0])
    _, entry.epoch, sequence, offset, delta, entry.last_timestamp, entry.coordinator_epoch, start = fields
    if offset >= 0:
        entry.batches.append(BatchMetadata(sequence, offset, delta, entry.last_timestamp))
    entry.current_txn_first_offset = max(start, NO_OFFSET)
    return entry
