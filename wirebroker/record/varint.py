"""Zig-zag varints, the numbers inside records (the encoding of Protocol Buffers' sint32 and sint64).

Seven bits a byte, least significant first, high bit set on all but the last; then 0, -1, 1, -2 ... count upwards, so
an even raw number is non-negative.  Kafka reads at most 5 bytes for a varint and 10 for a varlong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.record.errors import RecordError

if TYPE_CHECKING:
    from typing import Protocol

    class ByteAt(Protocol):
        """bytes, bytearray or memoryview: only single bytes are read."""

        def __getitem__(self, index: int, /) -> int: ...


def read_varint(data: ByteAt, at: int) -> tuple[int, int]:
    """Read a 32-bit signed varint; return (value, position after).  IndexError at the end of *data*."""
    byte = data[at]
    if byte < 0x80:
        return (byte >> 1) ^ -(byte & 1), at + 1
    raw, shift = byte & 0x7F, 7
    while True:
        at += 1
        byte = data[at]
        raw |= (byte & 0x7F) << shift
        if byte < 0x80:
            raw &= 0xFFFFFFFF  # the fifth byte has three bits too many; Java's int drops them
            return (raw >> 1) ^ -(raw & 1), at + 1
        shift += 7
        if shift > 28:
            raise RecordError("a varint of more than 5 bytes")


def read_varlong(data: ByteAt, at: int) -> tuple[int, int]:
    """Read a 64-bit signed varint; return (value, position after).  IndexError at the end of *data*."""
    byte = data[at]
    if byte < 0x80:
        return (byte >> 1) ^ -(byte & 1), at + 1
    raw, shift = byte & 0x7F, 7
    while True:
        at += 1
        byte = data[at]
        raw |= (byte & 0x7F) << shift
        if byte < 0x80:
            raw &= 0xFFFFFFFFFFFFFFFF
            return (raw >> 1) ^ -(raw & 1), at + 1
        shift += 7
        if shift > 63:
            raise RecordError("a varlong of more than 10 bytes")


def encode_varint(value: int) -> bytes:
    """Encode a signed number of up to 64 bits (varint and varlong share the encoding)."""
    raw = (value << 1) ^ (value >> 63)
    if raw < 0x80:
        return _ONE_BYTE[raw]
    out = bytearray()
    while raw >= 0x80:
        out.append(raw & 0x7F | 0x80)
        raw >>= 7
    out.append(raw)
    return bytes(out)


_ONE_BYTE = tuple(bytes((n,)) for n in range(128))
