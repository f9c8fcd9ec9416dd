"""Functions that generated code calls, and the buffer that responses are written to."""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Any, Final, Protocol

from wirebroker.protocol.exceptions import ProtocolError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_SHORT_LIST: Final = 6
ZERO_UUID = bytes(16)
BUFFERS = (memoryview, bytes, bytearray)
new = object.__new__
"""Makes an object of a generated class without calling its `__init__`: readers set every field."""


class DetachedRecords(Protocol):
    """Records that a WireBuffer does not copy: a range of a file, or bytes that are made while they are sent."""

    @property
    def size_bytes(self) -> int: ...

    def file_range(self) -> tuple[int, int] | None:
        """Return (descriptor, position) of the bytes, valid as long as this object; None if they are in no file."""

    def pieces(self) -> Iterator[bytes | memoryview]:
        """Yield the `size_bytes` bytes.  Raises OSError."""


RecordData = bytes | bytearray | memoryview | DetachedRecords


class WireBuffer(bytearray):
    """The bytes of a response without detached records, which are sent between them.

    `detached` has (position, records) in order: send self[:p1], records1, self[p1:p2], records2, ..., the rest.
    """

    __slots__ = ("detached",)

    def __init__(self, data: bytes = b"") -> None:
        if data:  # an empty bytearray is ready as it is; calling its __init__ doubles the cost
            self += data
        self.detached: list[tuple[int, DetachedRecords]] = []

    def move_to(self, out: WireBuffer) -> None:
        """Append everything to *out*, and keep nothing."""
        start = len(out)
        out += self
        if self.detached:
            out.detached += [(start + position, piece) for position, piece in self.detached]
            self.detached = []
        self.clear()

    def joined(self) -> bytes:
        """Return all bytes, detached records included, for tests and small responses."""
        parts: list[bytes | bytearray | memoryview] = []
        done = 0
        for position, piece in self.detached:
            parts += [self[done:position], *piece.pieces()]
            done = position
        return b"".join([*parts, self[done:]])


def detach(out: bytearray, piece: DetachedRecords) -> None:
    """Append *piece* to *out* without a copy; if *out* is a plain bytearray, append its bytes."""
    if isinstance(out, WireBuffer):
        out.detached.append((len(out), piece))
    else:
        for data in piece.pieces():
            out += data


def read_uvarint(b: memoryview | bytes, at: int) -> tuple[int, int]:
    """Return an unsigned varint of at most five bytes, and the position after it."""
    byte = b[at]
    if byte < 0x80:
        return byte, at + 1
    return read_long_uvarint(b, at + 1, byte)


def read_long_uvarint(b: memoryview | bytes, at: int, first: int) -> tuple[int, int]:
    """Return a varint, and the position after it; its *first* byte is the one before *at*, and has the top bit set."""
    value = first & 0x7F
    for shift in (7, 14, 21, 28):
        byte = b[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ProtocolError("a varint of more than five bytes")


def write_uvarint(out: bytearray, value: int) -> None:
    """Append *value* as an unsigned varint."""
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


def array_packer(format_: str) -> Callable[[list[Any]], bytes]:
    """A function that packs a list of values, each as the struct format character *format_*.

    Lists are short mostly (replicas of a partition), and one call of a `Struct` for all values takes half the time.
    """
    structs = [Struct(f">{count}{format_}").pack for count in range(_SHORT_LIST)]
    pack_one = structs[1]

    def pack(values: list[Any]) -> bytes:
        count = len(values)
        return structs[count](*values) if count < _SHORT_LIST else b"".join(map(pack_one, values))

    return pack


def skip_tagged_fields(b: memoryview | bytes, at: int, count: int) -> int:
    """Return the position after *count* tagged fields; *count* is the byte before *at*, and may begin a varint."""
    if count > 0x7F:
        count, at = read_long_uvarint(b, at, count)
    size = len(b)
    for _ in range(count):
        _, at = read_uvarint(b, at)
        length, at = read_uvarint(b, at)
        at += length
        if at > size:
            raise ProtocolError("a tagged field runs past the end")
    return at


def count_error(name: str, count: int) -> ProtocolError:
    """The error for a count that is refused: a negative one (zero in compact form) is null, others do not fit."""
    return ProtocolError(f"{name} is null" if count < 0 else f"{name}: {count} elements do not fit in what is left")


def absent_field_error(name: str) -> ValueError:
    """The error for a field that is set, but that this version lacks, and that is not ignorable."""
    return ValueError(f"{name} is set, but this version has no such field")


def null_field_error(name: str) -> ValueError:
    """The error for a field that is null in a version where it may not be."""
    return ValueError(f"{name} may not be null in this version")
