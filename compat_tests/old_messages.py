"""Message sets of the old formats to produce, good and bad, and answers' records in a form that can be compared.

Compressed data is compared by what is in it: two libraries rarely choose the same bytes.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Any

from compat_tests.kafka_requests import NOW
from wirebroker.record.compression import Codec, decompress
from wirebroker.record.legacy import LegacyBatch, any_batches, build_message, unwrap, wrap

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

OLD_CODECS = (Codec.NONE, Codec.GZIP, Codec.SNAPPY, Codec.LZ4)
Pair = tuple[bytes | None, bytes | None]
PAIRS: tuple[Pair, ...] = ((b"k0", b"value 0"), (None, b"no key"), (b"k2", None), (b"", b""), (b"k4", b"v" * 300))


def message_set(
    magic: int,
    codec: Codec = Codec.NONE,
    pairs: Sequence[Pair] = PAIRS,
    *,
    base: int = 0,
    timestamps: Sequence[int] | None = None,
    attributes: int = 0,
) -> bytes:
    """One set: messages on their own, or one wrapper with them inside."""
    times = timestamps or [NOW + number for number in range(len(pairs))]
    inside = b"".join(
        build_message(base + number, magic, key, value, timestamp=times[number], attributes=attributes)
        for number, (key, value) in enumerate(pairs)
    )
    if codec is Codec.NONE:
        return inside
    last = base + len(pairs) - 1
    return wrap(inside, magic, codec, last, timestamp=max(times), log_append_time=bool(attributes & 8))


def patched_message(data: bytes, at: int, layout: str, *values: int, crc: bool = True) -> bytes:
    """*data*, one message, with a field overwritten, and its checksum made right again."""
    out = bytearray(data)
    struct.pack_into(f">{layout}", out, at, *values)
    if crc:
        struct.pack_into(">I", out, 12, zlib.crc32(out[16:]))
    return bytes(out)


def canonical(data: bytes, about: int | None = None) -> list[Any]:
    """The whole batches in *data*, each as a tuple in which equal means equal to a reader.

    Times within a minute of *about* become "now": they are a broker's clock.
    """
    return [_canonical(batch, about) for batch in any_batches(data)]


def _canonical(batch: Any, about: int | None) -> tuple[Any, ...]:
    def time(value: int) -> Any:
        return "now" if about is not None and abs(value - about) < 60_000 else value

    assert batch.is_valid()
    if isinstance(batch, LegacyBatch):
        head: tuple[Any, ...] = (batch.magic, batch.last_offset, batch.attributes, time(batch.max_timestamp))
        if batch.codec is Codec.NONE:
            outer = batch.outer()
            return (*head, outer.key, outer.value)
        return (*head, *_inside(unwrap(batch.outer(), batch.codec, 1 << 24), time))
    area = decompress(batch.codec, batch.buffer[61:], 1 << 24)
    return (
        *(2, batch.base_offset, batch.last_offset_delta, batch.attributes, time(batch.base_timestamp)),
        *(time(batch.max_timestamp), batch.producer_id, batch.producer_epoch, batch.base_sequence, batch.record_count),
        area,
    )


def _inside(data: bytes, time: Any) -> Iterator[tuple[Any, ...]]:
    for batch in any_batches(data):
        assert isinstance(batch, LegacyBatch)
        assert batch.is_valid()
        outer = batch.outer()
        yield batch.magic, batch.last_offset, batch.attributes, time(batch.max_timestamp), outer.key, outer.value
