"""Rewrite produced batches for the settings of their topic: timestamp type, max_timestamp, codec.

These lie under the checksum, which is computed anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.record.compression import compress
from wirebroker.record.crc32c import crc32c
from wirebroker.record.record_batch import (
    ATTRIBUTES_AT,
    CODEC_MASK,
    CRC_AT,
    HEADER,
    HEADER_SIZE,
    LOG_OVERHEAD,
    MAX_TIMESTAMP_AT,
    RecordBatch,
)

if TYPE_CHECKING:
    from wirebroker.record.compression import Codec


def with_timestamp(batch: RecordBatch, attributes: int, max_timestamp: int) -> None:
    """Give *batch* new attributes and max_timestamp, in its bytes too: in place, or in a copy if they are read-only."""
    buffer = batch.buffer
    if buffer.readonly:
        buffer = memoryview(bytearray(buffer))
    batch.attributes, batch.max_timestamp = attributes, max_timestamp
    buffer[ATTRIBUTES_AT : ATTRIBUTES_AT + 2] = attributes.to_bytes(2, "big", signed=True)
    buffer[MAX_TIMESTAMP_AT : MAX_TIMESTAMP_AT + 8] = max_timestamp.to_bytes(8, "big", signed=True)
    batch.crc = crc32c(buffer[ATTRIBUTES_AT:])
    buffer[CRC_AT : CRC_AT + 4] = batch.crc.to_bytes(4, "big")
    batch.buffer = buffer


def with_codec(
    batch: RecordBatch,
    area: memoryview | bytes,
    codec: Codec,
    level: int | None,
    attributes: int,
    max_timestamp: int,
) -> RecordBatch:
    """Return a new batch of the same records under *codec*.  *area* is the record area, decompressed."""
    packed = compress(codec, area, level)
    whole = bytearray(HEADER_SIZE)
    HEADER.pack_into(
        whole,
        0,
        batch.base_offset,
        HEADER_SIZE - LOG_OVERHEAD + len(packed),
        batch.partition_leader_epoch,
        batch.magic,
        0,
        attributes & ~CODEC_MASK | codec,
        batch.last_offset_delta,
        batch.base_timestamp,
        max_timestamp,
        batch.producer_id,
        batch.producer_epoch,
        batch.base_sequence,
        batch.record_count,
    )
    whole += packed
    view = memoryview(whole)
    view[CRC_AT : CRC_AT + 4] = crc32c(view[ATTRIBUTES_AT:]).to_bytes(4, "big")
    return RecordBatch.parse(view)
