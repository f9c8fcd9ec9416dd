"""The checksum byte in an LZ4 frame's header: the right one, and the wrong one of Kafka's first clients.

    0 magic 04 22 4D 18 | 4 FLG | 5 BD | 6 content size u64, if FLG bit 3 | then the checksum byte
    checksum = second byte of XXH32 over FLG up to itself (LZ4 frame format, "Frame Descriptor")

Clients before 0.10 took the four magic bytes into the sum, too (KAFKA-3160).  So that they can read each other, lz4
data in message format 0 keeps the wrong sum, which readers ignore there; from format 1 on it is the right one.
The sums cover at most 14 bytes, for which XXH32 needs no wide lanes.
"""

from __future__ import annotations

from wirebroker.record.errors import RecordError

_MAGIC_BYTES = 4
_CONTENT_SIZE_FLAG = 0x08
_PRIME_2, _PRIME_3, _PRIME_4, _PRIME_5 = 2246822519, 3266489917, 668265263, 374761393
_PRIME_1 = 2654435761
_MASK = 0xFFFFFFFF


def xxh32_short(data: bytes | memoryview) -> int:
    """Return XXH32 with seed 0 of fewer than 16 bytes."""
    total = _PRIME_5 + len(data)
    at = 0
    while at + 4 <= len(data):
        word = int.from_bytes(data[at : at + 4], "little")
        total = _rotated(total + word * _PRIME_3, 17) * _PRIME_4 & _MASK
        at += 4
    for byte in data[at:]:
        total = _rotated(total + byte * _PRIME_5, 11) * _PRIME_1 & _MASK
    total ^= total >> 15
    total = total * _PRIME_2 & _MASK
    total ^= total >> 13
    total = total * _PRIME_3 & _MASK
    return total ^ total >> 16


def _rotated(value: int, by: int) -> int:
    value &= _MASK
    return (value << by | value >> 32 - by) & _MASK


def with_right_checksum(frame: bytes | memoryview) -> bytes:
    """Return *frame* with the checksum byte of the LZ4 format, whatever is there.  Raises RecordError if it is none."""
    return _with_checksum(frame, _MAGIC_BYTES)


def with_old_checksum(frame: bytes | memoryview) -> bytes:
    """Return *frame* with the checksum byte that clients before 0.10 wrote.  Raises RecordError if it is none."""
    return _with_checksum(frame, 0)


def _with_checksum(frame: bytes | memoryview, start: int) -> bytes:
    if len(frame) < 7:
        raise RecordError("lz4: no frame header")
    end = 6 + (8 if frame[4] & _CONTENT_SIZE_FLAG else 0)
    if len(frame) <= end:
        raise RecordError("lz4: the frame header is cut off")
    out = bytearray(frame)
    out[end] = xxh32_short(bytes(out[start:end])) >> 8 & 0xFF
    return bytes(out)
