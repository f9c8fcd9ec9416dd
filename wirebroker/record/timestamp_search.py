"""Find a record by its timestamp in one batch, without reading the records before it.

Of each record only the length and the timestamp delta are looked at (0.15 us a record, where reading all of its fields
costs 10 us), and a compressed batch is decompressed piece by piece, so the search holds two pieces at a time and stops
with the one that the record is in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.record.compression import Codec, decompressed_pieces
from wirebroker.record.errors import RecordError
from wirebroker.record.record_batch import DECOMPRESS_LIMIT_BYTES, HEADER_SIZE, LOG_APPEND_TIME, RecordBatch
from wirebroker.record.record_scan import FIRST_OF_TWO, ONE_BYTE
from wirebroker.record.varint import read_varint, read_varlong

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from wirebroker.record.legacy import AnyBatch

_HEAD_BYTES: Final = 32
"""At least so many bytes hold a record's length, attributes, timestamp delta and offset delta (5 + 1 + 10 + 5)."""
_PIECE_BYTES: Final = 64 << 10
_ANY: Final = 1 << 70


def first_record_at_or_after(
    batch: AnyBatch,
    timestamp: int,
    start_offset: int,
    limit_bytes: int = DECOMPRESS_LIMIT_BYTES,
    pause: Callable[[], None] | None = None,
) -> tuple[int, int] | None:
    """Return (timestamp, offset) of the first record at or after *timestamp*, from *start_offset* on.

    None if the batch has no such record.  *pause* is called between two pieces, so after some milliseconds at most.

    Raises:
        RecordError: the records are not what the header says.
        DecompressionLimitError: more than *limit_bytes* would have to be decompressed.
    """
    if not isinstance(batch, RecordBatch):
        for record in batch.records(limit_bytes):
            if record.timestamp >= timestamp and record.offset >= start_offset:
                return record.timestamp, record.offset
        return None
    if batch.attributes & LOG_APPEND_TIME:
        if batch.max_timestamp < timestamp:
            return None
        delta = -_ANY
    else:
        delta = timestamp - batch.base_timestamp
    pieces = _pieces(batch, limit_bytes)
    found = _search(
        pieces if pause is None else _with_pauses(pieces, pause),
        batch.record_count,
        delta,
        start_offset - batch.base_offset,
    )
    if found is None:
        return None
    found_delta, offset_delta = found
    found_timestamp = batch.max_timestamp if delta == -_ANY else batch.base_timestamp + found_delta
    return found_timestamp, batch.base_offset + offset_delta


def _pieces(batch: RecordBatch, limit_bytes: int) -> Iterator[memoryview | bytes]:
    area = batch.buffer[HEADER_SIZE:]
    codec = batch.codec
    if codec is Codec.NONE:
        return (area[at : at + _PIECE_BYTES] for at in range(0, len(area), _PIECE_BYTES))
    return decompressed_pieces(codec, area, limit_bytes, _PIECE_BYTES)


def _with_pauses(pieces: Iterable[memoryview | bytes], pause: Callable[[], None]) -> Iterator[memoryview | bytes]:
    for piece in pieces:
        yield piece
        pause()


def _search(
    pieces: Iterable[memoryview | bytes], count: int, least_delta: int, least_offset_delta: int
) -> tuple[int, int] | None:
    """Return (timestamp delta, offset delta) of the first of *count* records with neither below the least."""
    data, at, left = b"", 0, count
    for piece in pieces:
        if at >= len(data) + len(piece):  # in the middle of a large record
            at -= len(data) + len(piece)
            data = b""
            continue
        if at > len(data):
            data, at = bytes(piece[at - len(data) :]), 0
        else:
            data, at = (data[at:] + piece if at < len(data) else bytes(piece)), 0
        at, left, found = _search_whole(data, at, left, least_delta, least_offset_delta, len(data) - _HEAD_BYTES)
        if found is not None:
            return found
    at, left, found = _search_whole(data, at, left, least_delta, least_offset_delta, len(data))
    if found is None and (left or at != len(data)):
        raise RecordError(f"{count} records end at another place than the batch")
    return found


def _search_whole(
    data: bytes, at: int, left: int, least_delta: int, least_offset_delta: int, stop: int
) -> tuple[int, int, tuple[int, int] | None]:
    """Search *left* records from position *at* on that begin before *stop*.

    Returns the position behind them, the number of records left, and the deltas that were found.
    """
    # zig-zag: the even numbers are 0, 1, 2, ..., the odd ones -1, -2, -3, ...
    least_even, most_odd = max(0, 2 * least_delta), -2 * least_delta - 1
    one, two = ONE_BYTE, FIRST_OF_TWO
    try:
        while left and at < stop:
            raw = data[at]
            if raw < 0x80:
                place = at + 2
                at += one[raw]
            else:
                second = data[at + 1]
                if second < 0x80:
                    place = at + 3
                    at += two[raw] + (second << 6)
                else:
                    length, body = read_varint(data, at)
                    place, at = body + 1, body + length if length > 0 else _ANY
            raw = data[place]
            left -= 1
            if raw > 0x7F:
                second = data[place + 1]
                if second < 0x80:
                    raw += (second << 7) - 0x80
                elif (third := data[place + 2]) < 0x80:
                    raw += (second << 7) + (third << 14) - 0x4080
                else:
                    delta, _ = read_varlong(data, place)
                    raw = delta << 1 if delta >= 0 else -2 * delta - 1
            if raw & 1:
                if raw > most_odd:
                    continue
            elif raw < least_even:
                continue
            delta, place = read_varlong(data, place)
            offset_delta, _ = read_varint(data, place)
            if offset_delta >= least_offset_delta:
                return at, left, (delta, offset_delta)
    except IndexError:
        raise RecordError("records run past the end of the batch") from None
    return at, left, None
