"""What a log remembers of one producer, and the `.snapshot` file that holds it (KIP-98).

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

from struct import Struct
from struct import error as StructError
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.record.crc32c import crc32c
from wirebroker.storage.faults import CorruptFile

if TYPE_CHECKING:
    from collections.abc import Iterable

NO_SEQUENCE = -1
NO_EPOCH = -1
NO_OFFSET = -1
MAX_SEQUENCE = (1 << 31) - 1
REMEMBERED_BATCHES = 5  # the most a client keeps in flight

_HEAD = Struct(">hIi")
_CRC_END = 6
_ENTRY = Struct(">qhiqiqiq")
_VERSION = 1


class RememberedBatch(NamedTuple):
    """A batch that was appended, by its last sequence and offset."""

    last_sequence: int
    last_offset: int
    offset_delta: int
    timestamp: int

    @property
    def first_sequence(self) -> int:
        first = self.last_sequence - self.offset_delta
        return first if first >= 0 else first + MAX_SEQUENCE + 1

    @property
    def first_offset(self) -> int:
        return self.last_offset - self.offset_delta


class ProducerEntry:
    """The state of one producer id in one log."""

    __slots__ = (
        "batches",
        "coordinator_epoch",
        "current_txn_first_offset",
        "epoch",
        "last_timestamp",
        "producer_id",
        "seen_ms",
    )

    def __init__(self, producer_id: int) -> None:
        self.producer_id = producer_id
        self.epoch = NO_EPOCH
        self.coordinator_epoch = -1
        self.last_timestamp = -1
        """The largest timestamp of its last batch, or its last marker's."""
        self.seen_ms = 0
        """When it was last heard of, by the broker's clock."""
        self.current_txn_first_offset = NO_OFFSET
        """First offset of the open transaction, -1 if none is open."""
        self.batches: list[RememberedBatch] = []

    @property
    def last_sequence(self) -> int:
        return self.batches[-1].last_sequence if self.batches else NO_SEQUENCE

    def set_epoch(self, epoch: int) -> None:
        """A new epoch forgets the batches of the old one."""
        if epoch != self.epoch:
            self.epoch = epoch
            self.batches.clear()

    def find(self, first_sequence: int, last_sequence: int) -> RememberedBatch | None:
        """The remembered batch with exactly these sequences."""
        for batch in self.batches:
            if batch.last_sequence == last_sequence and batch.first_sequence == first_sequence:
                return batch
        return None


def encode_snapshot(entries: Iterable[ProducerEntry]) -> bytes:
    """The bytes of a `.snapshot` file."""
    packed = []
    for entry in entries:
        last = entry.batches[-1] if entry.batches else None
        packed.append(
            _ENTRY.pack(
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
    data = bytearray(_HEAD.pack(_VERSION, 0, len(packed)))
    data += b"".join(packed)
    with memoryview(data) as view:
        crc = crc32c(view[_CRC_END:])
    _HEAD.pack_into(data, 0, _VERSION, crc, len(packed))
    return bytes(data)


def decode_snapshot(data: bytes, path: str) -> list[ProducerEntry]:
    """The producers in a `.snapshot` file.  Raises CorruptFile."""
    try:
        version, crc, count = _HEAD.unpack_from(data)
    except StructError as error:
        raise CorruptFile(f"{path}: only {len(data)} bytes") from error
    if version != _VERSION:
        raise CorruptFile(f"{path}: unknown version {version}")
    if crc != crc32c(memoryview(data)[_CRC_END:]):
        raise CorruptFile(f"{path}: the checksum does not fit")
    if len(data) != _HEAD.size + count * _ENTRY.size:
        raise CorruptFile(f"{path}: {count} producers in {len(data)} bytes")
    entries = []
    for fields in _ENTRY.iter_unpack(memoryview(data)[_HEAD.size :]):
        entry = ProducerEntry(fields[0])
        _, entry.epoch, sequence, offset, delta, entry.last_timestamp, entry.coordinator_epoch, start = fields
        if offset >= 0:
            entry.batches.append(RememberedBatch(sequence, offset, delta, entry.last_timestamp))
        entry.current_txn_first_offset = max(start, NO_OFFSET)
        entries.append(entry)
    return entries
