"""Records of answers, in any message format, in comparable form. Compressed data is compared after decompression: two
libraries rarely produce the same bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wirebroker.record.compression import Codec, decompress
from wirebroker.record.legacy import LegacyBatch, any_batches, unwrap

if TYPE_CHECKING:
    from collections.abc import Iterator


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
