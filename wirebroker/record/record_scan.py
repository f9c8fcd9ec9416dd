"""Scan a record area: check that it consists of the records it should, as fast as pure Python allows.

Two depths.  `scan_records` reads every field of every record and finds timestamps and null keys: about 1 us a record.
`check_record_lengths` follows record lengths only: exactly *count* records must end exactly at the end.  Most producers
send runs of equally long records, and there it needs no Python per record: if the bytes of the length varint repeat at
every *size*-th position, then by induction every one of them is the start of a record of that size.  Taking every n-th
byte of a bytearray and comparing the result are C loops (6 us for 9,000 records; a strided memoryview costs 45).  The
offset delta's varint grows at 64 and 8,192, so such a batch is a handful of runs.  Irregular sizes go through a loop
with two table look-ups a record (0.1 us).
"""

from __future__ import annotations

from wirebroker.record.errors import HeaderLimitError, RecordError
from wirebroker.record.record_batch import NO_TIMESTAMP
from wirebroker.record.varint import read_varint, read_varlong

#: attributes, timestamp delta, offset delta, key length, value length and header count take a byte each
MIN_BODY_BYTES = 6

FIRST_PROBE = 64  # a run shorter than this is not worth a slice
FIRST_LOOP = 256  # irregular records to step over before looking for a run again
LAST_LOOP = 4096

# By a record's first byte: the record's size with a one-byte length, and the part that the first of two bytes gives.
# Negative and impossible lengths get a size beyond every buffer, so the next look-up is an IndexError and no test is
# needed in the loop.
_BEYOND = 1 << 62
ONE_BYTE = tuple(
    1 + (raw >> 1) if raw < 0x80 and not raw & 1 and raw >> 1 >= MIN_BODY_BYTES else _BEYOND for raw in range(256)
)
FIRST_OF_TWO = tuple(2 + ((raw & 0x7F) >> 1) if not raw & 1 else _BEYOND for raw in range(256))


def check_record_lengths(data: bytes | bytearray, at: int, end: int, count: int, timed: bool = False) -> int:
    """Follow *count* record lengths from *at*; RecordError unless they end exactly at *end*.

    With *timed* return how many bytes (1 to 10) the widest timestamp delta takes, 0 otherwise.
    """
    probe, loop, left, widest = FIRST_PROBE, FIRST_LOOP, count, 0
    try:
        while left:
            size, width = record_size(data, at)
            most = min(left, (end - at) // size, probe)
            if most >= FIRST_PROBE:
                run = run_length(data, at, size, width, most)
                if timed:
                    widest = max(widest, _widest_delta(data, at, size, width, run))
                at += run * size
                left -= run
                if run == most:
                    probe = left
                    continue
                probe = FIRST_PROBE
                if run >= FIRST_PROBE // 2:
                    loop = FIRST_LOOP
                    continue
            steps = min(left, loop)
            if timed:
                at, step_widest = _step_over_timed(data, at, steps)
                widest = max(widest, step_widest)
            else:
                at = step_over(data, at, steps)
            left -= steps
            if loop < LAST_LOOP:
                loop *= 2
    except IndexError:
        raise RecordError("records run past the end of the batch") from None
    if at != end:
        raise RecordError(f"{count} records end at byte {at}, the batch at {end}")
    return widest


def record_size(data: bytes | bytearray, at: int) -> tuple[int, int]:
    """Return the size of the record at *at* with its length varint, and the width of that varint."""
    length, body = read_varint(data, at)
    if length < MIN_BODY_BYTES:
        raise RecordError(f"record length {length}")
    return length + body - at, body - at


def run_length(data: bytes | bytearray, at: int, size: int, width: int, most: int) -> int:
    """Return how many records, up to *most*, are *size* bytes long from *at* on; all *most* must be in *data*."""
    stop = at + (most - 1) * size + 1
    for byte in range(width):
        column = data[at + byte : stop + byte : size]
        first = column[:1]
        if column != first * most:
            most = _same_bytes(column, first, most)
            stop = at + (most - 1) * size + 1
    return most


def _same_bytes(column: bytes | bytearray, first: bytes | bytearray, most: int) -> int:
    """Return how many leading bytes of *column* are equal; bisecting with memcmp beats stripping byte by byte."""
    same = 1
    while most - same > 1:
        half = (same + most) // 2
        if column.startswith(first * (half - same), same):
            same = half
        else:
            most = half
    return same


def step_over(data: bytes | bytearray, at: int, steps: int) -> int:
    """Return the position after the next *steps* records.  Raises IndexError past the end."""
    one, two = ONE_BYTE, FIRST_OF_TWO
    for _ in range(steps):
        raw = data[at]
        if raw < 0x80:
            at += one[raw]
        else:
            second = data[at + 1]
            if second < 0x80:
                at += two[raw] + (second << 6)
            else:
                at += record_size(data, at)[0]
    return at


def _widest_delta(data: bytes | bytearray, at: int, size: int, width: int, run: int) -> int:
    """Bytes of the widest timestamp delta in a run of records, or more: the first place where no record goes on."""
    first = at + width + 1
    for place in range(first, first + 9):
        if data[place : place + (run - 1) * size + 1 : size].isascii():
            return place - first + 1
    return 10


def _step_over_timed(data: bytes | bytearray, at: int, steps: int) -> tuple[int, int]:
    """Return as `step_over`, and the bytes of the widest timestamp delta."""
    widest = 1
    for _ in range(steps):
        size, width = record_size(data, at)
        first = place = at + width + 1
        while data[place] > 0x7F:
            place += 1
        if place - first >= widest:
            widest = place - first + 1
        at += size
    return at, widest


class HeaderLimit:
    """How many more headers may be read: records have as many as they like, in a batch of any size."""

    __slots__ = ("_left",)

    def __init__(self, headers: int) -> None:
        self._left = headers

    def take(self, count: int) -> None:
        """Count *count* headers.

        Raises:
            HeaderLimitError: they are too many.
        """
        self._left -= count
        if self._left < 0:
            raise HeaderLimitError


def scan_records(
    data: bytes | bytearray | memoryview,
    at: int,
    end: int,
    count: int,
    base_timestamp: int,
    append_time: int | None,
    headers: HeaderLimit | None = None,
) -> tuple[int, int, int]:
    """Read *count* records to their last field; RecordError unless all lengths add up and end exactly at *end*.

    Returns (lowest timestamp, highest timestamp, number of null keys); both times are -1 if no record has one.
    *append_time* stands for every record's own timestamp if it is not None.  Raises HeaderLimitError if there are more
    headers than *headers* allows.
    """
    lowest = highest = NO_TIMESTAMP
    null_keys = 0
    try:
        for number in range(count):
            length = data[at]
            if length < 0x80:
                at += 1
                length = (length >> 1) ^ -(length & 1)
            elif (second := data[at + 1]) < 0x80:  # lengths from 64 to 8,191: a call costs more than all other fields
                at += 2
                length = ((length & 0x7F) >> 1 | second << 6) ^ -(length & 1)
            else:
                length, at = read_varint(data, at)
            stop = at + length
            if length < MIN_BODY_BYTES or stop > end:
                raise RecordError(f"record {number}: length {length}, {end - at} bytes left")
            delta = data[at + 1]
            if delta < 0x80:
                at += 2
                delta = (delta >> 1) ^ -(delta & 1)
            else:
                delta, at = read_varlong(data, at + 1)
            timestamp = base_timestamp + delta if append_time is None else append_time
            if timestamp != NO_TIMESTAMP:
                if timestamp > highest:
                    highest = timestamp
                if timestamp < lowest or lowest == NO_TIMESTAMP:
                    lowest = timestamp
            if data[at] < 0x80:  # the offset delta: any will do, as in Kafka
                at += 1
            else:
                at = read_varint(data, at)[1]
            raw = data[at]
            if raw < 0x80:
                at += 1
                key_bytes = (raw >> 1) ^ -(raw & 1)
            else:
                key_bytes, at = read_varint(data, at)
            if key_bytes < 0:
                null_keys += 1
            else:
                at += key_bytes
            raw = data[at]
            if raw < 0x80:
                at += 1
                value_bytes = (raw >> 1) ^ -(raw & 1)
            elif (second := data[at + 1]) < 0x80:
                at += 2
                value_bytes = ((raw & 0x7F) >> 1 | second << 6) ^ -(raw & 1)
            else:
                value_bytes, at = read_varint(data, at)
            if value_bytes > 0:
                at += value_bytes
            raw = data[at]
            if raw:
                at = _skip_headers(data, at, stop, headers)
            else:
                at += 1
            if at != stop:
                raise RecordError(f"record {number}: its fields end {at - stop} bytes past its length")
    except IndexError:
        raise RecordError("records run past the end of the batch") from None
    if at != end:
        raise RecordError(f"{end - at} bytes after the last record")
    return lowest, highest, null_keys


def single_record_delta(data: bytes, *, with_key: bool) -> int:
    """Return the timestamp delta of the only record in *data* if it has the most usual form, as fast as possible.

    That is a record without headers whose timestamp is not before the base timestamp, and with a key if *with_key*.
    Returns -1 for any other, which `scan_records` has to read, and for bytes that are no record.
    """
    try:
        at, length = 1, data[0]
        if length > 0x7F:
            at, second = 2, data[1]
            if second > 0x7F:
                return -1
            length = length & 0x7F | second << 7
        end = at + (length >> 1)
        delta, key = data[at + 1], data[at + 3]
        if length & 1 or end != len(data) or delta & 0x81 or data[at + 2] > 0x7F:
            return -1
        at += 4
        if key == 1:  # null
            if with_key:
                return -1
        elif key & 0x81:
            return -1
        else:
            at += key >> 1
        value, at = data[at], at + 1
        if value > 0x7F:
            second, at = data[at], at + 1
            if second > 0x7F:
                return -1
            value = value & 0x7F | second << 7
        if value & 1:  # null, or a length that is none
            return -1
        at += value >> 1
        return -1 if at + 1 != end or data[at] else delta >> 1
    except IndexError:
        return -1


def _skip_headers(data: bytes | bytearray | memoryview, at: int, stop: int, limit: HeaderLimit | None) -> int:
    count, at = read_varint(data, at)
    if not 0 <= count <= stop - at:
        raise RecordError(f"{count} headers in {stop - at} bytes")
    if limit is not None:
        limit.take(count)
    for _ in range(count):
        length, at = read_varint(data, at)
        if length < 0:
            raise RecordError("a header without a key")
        length, at = read_varint(data, at + length)
        if length > 0:
            at += length
    return at
