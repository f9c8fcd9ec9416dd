"""Record batches of the source as batches for the destination, with their bytes as they are wherever possible.

Of a batch the header changes: no transaction, no leader epoch, and the producer id and sequence of the mirror's own
idempotent producer.  A batch with gaps between its offsets (compaction leaves some) or with LogAppendTime is built
anew, as brokers accept neither from producers.  Control batches and records of aborted transactions are left out.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.record.builder import build_batch
from wirebroker.record.compression import Compression
from wirebroker.record.crc32c import crc32c
from wirebroker.record.record_batch import (
    ATTRIBUTES_AT,
    CODEC_MASK,
    HEADER_SIZE,
    LOG_APPEND_TIME,
    Record,
    RecordBatch,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_BASE_OFFSET: Final = Struct(">q")
_CRC_AND_ATTRIBUTES: Final = Struct(">IH")
_PRODUCER: Final = Struct(">qhi")
_UINT32: Final = Struct(">I")
_CRC_AT: Final = ATTRIBUTES_AT - 4
_LEADER_EPOCH_AT: Final = 12
_PRODUCER_AT: Final = 43
_SEQUENCES: Final = 1 << 31


class MirroredBatch(NamedTuple):
    """A batch to produce; `data` is without the producer's fields and without a checksum until `stamp`."""

    data: bytearray
    source_offsets: range | tuple[int, ...]
    """The source offset of each record."""
    next_offset: int
    """The source offset behind the batch."""


class AbortedTransactions:
    """The aborted transactions of one partition's Fetch response, as a read_committed consumer follows them."""

    def __init__(self, transactions: Iterable[tuple[int, int]]) -> None:
        """Begin with (first offset, producer id) of each."""
        self._coming = sorted(transactions, reverse=True)
        self._open: set[int] = set()

    def contains(self, batch: RecordBatch) -> bool:
        """Return whether *batch*, which follows those of earlier calls, belongs to an aborted transaction."""
        while self._coming and self._coming[-1][0] <= batch.last_offset:
            self._open.add(self._coming.pop()[1])
        if batch.is_control:
            self._open.discard(batch.producer_id)
            return False
        return batch.is_transactional and batch.producer_id in self._open


def mirrored(batches: Iterable[RecordBatch], offset: int, aborted: AbortedTransactions) -> Iterator[MirroredBatch]:
    """Yield what is to be produced for *batches*, beginning with the record at *offset*."""
    for batch in batches:
        if batch.next_offset <= offset or aborted.contains(batch) or batch.is_control or not batch.record_count:
            continue
        is_whole = batch.base_offset >= offset and batch.record_count == batch.last_offset_delta + 1
        if is_whole and not batch.attributes & LOG_APPEND_TIME:
            offsets = range(batch.base_offset, batch.next_offset)
            yield MirroredBatch(_without_header_fields(batch), offsets, batch.next_offset)
            continue
        records = [record for record in batch.records() if record.offset >= offset]
        if records:
            anew = [Record(number, *record[1:]) for number, record in enumerate(records)]
            data = bytearray(build_batch(anew, compression=Compression(batch.codec)))
            yield MirroredBatch(data, tuple(record.offset for record in records), batch.next_offset)


def _without_header_fields(batch: RecordBatch) -> bytearray:
    """The bytes of *batch* with base offset 0, no leader epoch, and of the attributes only the codec."""
    data = bytearray(batch.buffer)
    _BASE_OFFSET.pack_into(data, 0, 0)
    data[_LEADER_EPOCH_AT : _LEADER_EPOCH_AT + 4] = b"\xff\xff\xff\xff"
    _CRC_AND_ATTRIBUTES.pack_into(data, _CRC_AT, 0, batch.attributes & CODEC_MASK)
    return data


def stamp(data: bytearray, producer_id: int, producer_epoch: int, sequence: int) -> None:
    """Write the producer's fields and the checksum into a batch."""
    assert len(data) >= HEADER_SIZE
    _PRODUCER.pack_into(data, _PRODUCER_AT, producer_id, producer_epoch, sequence)
    _UINT32.pack_into(data, _CRC_AT, crc32c(memoryview(data)[ATTRIBUTES_AT:]))


def next_sequence(sequence: int, count: int) -> int:
    """Return the sequence of the record that is *count* behind the one with *sequence*; 2**31-1 is followed by 0."""
    return (sequence + count) % _SEQUENCES
