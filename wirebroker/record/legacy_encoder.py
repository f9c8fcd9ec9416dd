"""LegacyEncoder: write the records of a batch of format 2 as messages of format 0 or 1, as fast as Python allows.

Lengths are varints on one side and every message has a checksum on the other, so a plain loop takes 4 us a record.  But
the layout of a record is nearly determined by its size and by its neighbour: where the widths of timestamp delta,
offset delta and key are those of the record before, a `struct` layout that is kept for each size takes it apart in one
step.  So loops in C make a block of records a table, its columns are checked and looked up as wholes, and messages are
put together by loops in C again: 1 us a record.  Records of other layouts are written one by one.
"""

from __future__ import annotations

import zlib
from itertools import accumulate, repeat
from itertools import count as count_from
from operator import add, call
from struct import Struct
from typing import TYPE_CHECKING

from wirebroker.record.errors import RecordError
from wirebroker.record.record_batch import LOG_APPEND_TIME, NO_TIMESTAMP, read_record
from wirebroker.record.varint import encode_varint, read_varint, read_varlong

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_BLOCK = 256
"""Records in a block at most; where a record has another layout, the rest of the block is encoded again."""
_LEAST = 4
"""Fewer records are not worth a block."""
_PATIENCE = 64
"""Records that go the plain way, at most, before a block is tried again."""
_KEPT_LAYOUTS, _KEPT_SIZES, _KEPT_DELTAS = 32, 2048, 16384

_HEAD = Struct(">qiI")  # offset, size, crc
_LENGTH = Struct(">i")
_NULL = _LENGTH.pack(-1)
_START = (Struct(">bb"), Struct(">bbq"))  # magic, attributes, in format 1 timestamp
_KEYED_START = Struct(">bbqi")  # the same with the key's length

# By a record's first byte: its size with a length of one byte, and what the first of two bytes gives; negative lengths
# lead to sizes that have no layout.
_ONE = tuple(1 + (raw >> 1) if not raw & 1 else -1 for raw in range(128))
_TWO = tuple(2 + ((raw & 0x7F) >> 1) if not raw & 1 else -(1 << 20) for raw in range(256))

# The bytes of the varints of 0, 1, 2 ...: the first one's period is 64 numbers, the second one's 8,192.
_LOW = bytes(2 * number & 0x7F | 0x80 for number in range(64))
_MIDDLE = b"".join(bytes((number,)) * 64 for number in range(128))
_MIDDLE_GOES_ON = b"".join(bytes((number | 0x80,)) * 64 for number in range(128))


class _RecordLayout:
    """The widths that neighbouring records have in common, and a `struct` layout for each size of record."""

    __slots__ = ("delta_bytes", "key_bytes", "key_length", "tails", "time_bytes", "unpack", "value_lengths")

    def __init__(self, time_bytes: int, delta_bytes: int, key_bytes: int) -> None:
        self.time_bytes = time_bytes
        self.delta_bytes = delta_bytes
        self.key_bytes = key_bytes
        self.key_length = encode_varint(key_bytes)
        self.unpack: dict[int, Callable[[bytes, int], tuple[bytes, bytes, bytes, bytes, bytes]]] = {}
        """Timestamp delta; offset delta and key length; key; value length; value."""
        self.value_lengths: dict[int, bytes] = {}
        """The varint that must be before the value."""
        self.tails: dict[int, bytes] = {}
        """The bytes of a message between key and value."""

    def knows(self, size: int) -> bool:
        """Return whether there can be records of *size*, without headers and with a value; keep their layout."""
        if size in self.unpack:
            return True
        length_bytes = 1 if size <= 64 else 2
        keyed, key_bytes = self.delta_bytes + len(self.key_length), max(self.key_bytes, 0)
        # the value's length, the value, and a byte that counts headers
        rest = size - length_bytes - 1 - self.time_bytes - keyed - key_bytes
        value_bytes = rest - 2 if rest <= 65 else rest - 3
        if value_bytes < 0 or rest == 66:
            return False
        value_length = encode_varint(value_bytes)
        widths = (self.time_bytes, keyed, key_bytes, len(value_length), value_bytes)
        self.unpack[size] = Struct(f"{length_bytes + 1}x" + "".join(f"{width}s" for width in widths)).unpack_from
        self.value_lengths[size] = value_length
        self.tails[size] = _LENGTH.pack(value_bytes)
        return True

    def deltas(self, first: int, count: int) -> bytes:
        """The offset deltas from *first* on as they stand in *count* records, each with the key's length behind it."""
        width = self.delta_bytes
        step = width + len(self.key_length)
        out = bytearray((bytes(width) + self.key_length) * count)
        if width == 1:
            out[::step] = bytes(range(2 * first, 2 * (first + count), 2))
            return bytes(out)
        out[::step] = (_LOW * (count // 64 + 2))[first % 64 :][:count]
        if width == 2:
            out[1::step] = _MIDDLE[first : first + count]
        else:
            out[1::step] = _MIDDLE_GOES_ON[first % 8192 :][:count]
            out[2::step] = bytes((first >> 13,)) * count
        return bytes(out)


_DELTAS: dict[bytes, int] = {}
"""Timestamp deltas as they stand in records."""
_LAYOUTS: dict[tuple[int, int, int], _RecordLayout] = {}


class LegacyEncoder:
    """Writes one batch's records.  Build it, call `encode`, then take `pieces`."""

    __slots__ = (
        "_append_time_ms",
        "_base_timestamp",
        "_magic",
        "_offset",
        "_starts",
        "last_offset",
        "max_timestamp",
        "pieces",
    )

    def __init__(self, magic: int, offset: int, base_timestamp: int, append_time_ms: int | None) -> None:
        """*offset* stands for offset delta 0; *append_time_ms*, if not None, takes the place of all timestamps."""
        self._magic = magic
        self._offset = offset
        self._base_timestamp = base_timestamp
        self._append_time_ms = append_time_ms
        self._starts: dict[int, dict[bytes, bytes]] = {}
        self.last_offset = offset
        """Of what was written so far."""
        self.max_timestamp = NO_TIMESTAMP if append_time_ms is None else append_time_ms
        """The largest one, of what was written so far."""
        self.pieces: list[bytes] = []

    def encode(self, data: bytes, at: int, count: int) -> None:
        """Write *count* records from *at* on, which must be all that is left in *data*; RecordError if not."""
        wait = 1
        while count:
            done, at = self._block(data, at, count)
            if done:
                wait = 1
            else:
                done = min(count, wait)
                for _ in range(done):
                    at = self._one(data, at)
                wait = min(2 * wait, _PATIENCE)
            count -= done
        if at != len(data):
            raise RecordError(f"{len(data) - at} bytes after the last record")

    def _one(self, data: bytes, at: int) -> int:
        """Write the record at *at* by itself; return the position behind it."""
        record, after = read_record(data, at, self._offset, self._base_timestamp, self._append_time_ms)
        offset, timestamp, key, value, _ = record
        body = self._start(timestamp)
        for part in (key, value):
            body += _NULL if part is None else _LENGTH.pack(len(part)) + part
        self.pieces += _HEAD.pack(offset, len(body) + 4, zlib.crc32(body)), body
        self.last_offset = offset
        return after

    def _start(self, timestamp: int) -> bytes:
        """The start of a message behind its checksum; notes the largest timestamp."""
        if timestamp > self.max_timestamp:
            self.max_timestamp = timestamp
        if not self._magic:
            return _START[0].pack(0, 0)
        return _START[1].pack(1, 0 if self._append_time_ms is None else LOG_APPEND_TIME, timestamp)

    def _block(self, data: bytes, at: int, count: int) -> tuple[int, int]:
        """Write up to *count* records that are shaped as the one at *at*: (how many, the position behind them)."""
        found = _layout_at(data, at)
        if found is None:
            return 0, at
        layout, first = found
        sizes = _sizes(data, at, min(count, _BLOCK, _widens_at(first) - first))
        unknown = [size for size in set(sizes).difference(layout.unpack) if not layout.knows(size)]
        if unknown:
            del sizes[min(map(sizes.index, unknown)) :]
        known = len(sizes)
        if known < _LEAST:
            return 0, at
        unpack = map(layout.unpack.__getitem__, sizes)
        rows = map(call, unpack, repeat(data), accumulate(sizes, initial=at))
        times, deltas, keys, lengths, values = zip(*rows, strict=True)
        fit = min(
            _fitting(b"".join(deltas), layout.deltas(first, known), len(deltas[0])),
            _fitting_items(lengths, list(map(layout.value_lengths.__getitem__, sizes))),
        )
        if fit < known:
            return self._block(data, at, fit) if fit >= _LEAST else (0, at)
        starts = self._starts.setdefault(layout.key_bytes, {})
        unseen = set(times).difference(starts)
        if unseen:
            wrong = self._add_starts(starts, unseen, layout.key_bytes)
            if wrong:
                fit = min(map(times.index, wrong))
                return self._block(data, at, fit) if fit >= _LEAST else (0, at)
        heads = map(starts.__getitem__, times)
        if layout.key_bytes > 0:
            heads = map(add, heads, keys)
        bodies = list(map(add, map(add, heads, map(layout.tails.__getitem__, sizes)), values))
        offset = self._offset + first
        self.last_offset = offset + known - 1
        pieces = [b""] * (2 * known)
        pieces[::2] = map(_HEAD.pack, count_from(offset), map((4).__add__, map(len, bodies)), map(zlib.crc32, bodies))
        pieces[1::2] = bodies
        self.pieces.append(b"".join(pieces))
        return known, at + sum(sizes)

    def _add_starts(self, starts: dict[bytes, bytes], times: set[bytes], key_bytes: int) -> list[bytes]:
        """Messages up to their keys for encoded timestamp deltas; returns those that are not exactly one delta."""
        wrong = []
        deltas = []
        for time in times:
            delta = _DELTAS.get(time)
            if delta is None:
                delta = _delta_of(time)
                if delta is None:
                    wrong.append(time)
                    continue
            deltas.append(delta)
            if self._magic and self._append_time_ms is None:
                starts[time] = _KEYED_START.pack(1, 0, self._base_timestamp + delta, key_bytes)
        if deltas and self._append_time_ms is None:
            self.max_timestamp = max(self.max_timestamp, self._base_timestamp + max(deltas))
        if not self._magic or self._append_time_ms is not None:
            start = self._start(self.max_timestamp) + _LENGTH.pack(key_bytes)
            starts.update(dict.fromkeys(times.difference(wrong), start))
        return wrong


def _delta_of(time: bytes) -> int | None:
    """Return the timestamp delta encoded in *time*, and cache it; None if there is more or less in it than one."""
    try:
        delta, after = read_varlong(time, 0)
    except (IndexError, RecordError):
        return None
    if after != len(time):
        return None
    if len(_DELTAS) >= _KEPT_DELTAS:
        _DELTAS.clear()
    _DELTAS[time] = delta
    return delta


def _layout_at(data: bytes, at: int) -> tuple[_RecordLayout, int] | None:
    """Return (layout, offset delta) of the record at *at*; None if it is invalid, or rare and not for a block."""
    try:
        _, at = read_varint(data, at)
        time_at = at + 1
        _, delta_at = read_varlong(data, time_at)
        delta, at = read_varint(data, delta_at)
        key_bytes, _ = read_varint(data, at)
    except (IndexError, RecordError):
        return None
    widths = delta_at - time_at, at - delta_at, key_bytes
    if delta < 0 or widths[1] > 3 or not -1 <= key_bytes <= 4096:
        return None
    layout = _LAYOUTS.get(widths)
    if layout is None or len(layout.unpack) > _KEPT_SIZES:
        if len(_LAYOUTS) >= _KEPT_LAYOUTS:
            _LAYOUTS.clear()
        layout = _LAYOUTS[widths] = _RecordLayout(*widths)
    return layout, delta


def _widens_at(delta: int) -> int:
    """The next offset delta whose varint has another width, or differs in more than its first two bytes."""
    return 64 if delta < 64 else (delta // 8192 + 1) * 8192


def _sizes(data: bytes, at: int, most: int) -> list[int]:
    """The sizes of up to *most* records from *at* on, as far as their lengths take at most two bytes and are there."""
    sizes: list[int] = []
    end = len(data)
    try:
        for _ in range(most):
            raw = data[at]
            if raw < 0x80:
                size = _ONE[raw]
            else:
                second = data[at + 1]
                if second > 0x7F:
                    break
                size = _TWO[raw] + (second << 6)
            at += size
            if at > end or size < 0:
                break
            sizes.append(size)
    except IndexError:
        pass  # the plain way says what is wrong
    return sizes


def _fitting(seen: bytes, expected: bytes, width: int) -> int:
    """Return in how many items of *width* bytes from the start the two agree."""
    if seen == expected:
        return len(seen) // width
    low, high = 0, len(seen)
    while high - low > 1:
        half = (low + high) // 2
        if seen[low:half] == expected[low:half]:
            low = half
        else:
            high = half
    return low // width


def _fitting_items(seen: Sequence[bytes], expected: Sequence[bytes]) -> int:
    if b"".join(seen) == b"".join(expected):
        return len(seen)
    return next((number for number, each in enumerate(seen) if each != expected[number]), len(seen))
