"""The pieces that generated code does not spell out: rare branches, and the buffer that responses are written to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from wirebroker.protocol.faults import ProtocolError

if TYPE_CHECKING:
    from collections.abc import Iterator

ZERO_UUID = bytes(16)
UNSET: Any = object()  # "the default, made afresh": for arrays and structs, where None can mean null
BUFFERS = (memoryview, bytes, bytearray)


class DetachedRecords(Protocol):
    """Records that WireBuffer leaves out instead of copying: a range of a file, or bytes made while they are sent."""

    @property
    def size_bytes(self) -> int: ...

    def file_range(self) -> tuple[int, int] | None:
        """(descriptor, position) of `size_bytes` bytes, for as long as this object lives; None if they are made."""

    def pieces(self) -> Iterator[bytes | memoryview]:
        """`size_bytes` bytes.  Raises OSError."""


RecordData = bytes | bytearray | memoryview | DetachedRecords


class WireBuffer(bytearray):
    """Bytes to send, with detached records left out and remembered.

    `detached` holds (position, records) in order: send self[:p1], records1, self[p1:p2], records2, ..., the rest.
    """

    __slots__ = ("detached",)

    def __init__(self, data: bytes = b"") -> None:
        if data:  # an empty bytearray is ready as it is; calling its __init__ doubles the cost
            self += data
        self.detached: list[tuple[int, DetachedRecords]] = []

    @property
    def wire_size_bytes(self) -> int:
        """Size of everything to send, detached records included."""
        return len(self) + sum(piece.size_bytes for _, piece in self.detached)

    def joined(self) -> bytes:
        """Everything in one piece, which reads the records: for tests and small answers."""
        parts: list[bytes | bytearray | memoryview] = []
        done = 0
        for position, piece in self.detached:
            parts += [self[done:position], *piece.pieces()]
            done = position
        return b"".join([*parts, self[done:]])


def detach(out: bytearray, piece: DetachedRecords) -> None:
    """Remember *piece* as coming next in *out*; a plain bytearray gets a copy of its bytes."""
    if isinstance(out, WireBuffer):
        out.detached.append((len(out), piece))
    else:
        for data in piece.pieces():
            out += data


def read_uvarint(b: memoryview | bytes, at: int) -> tuple[int, int]:
    """An unsigned varint of at most five bytes, and the position after it."""
    byte = b[at]
    if byte < 0x80:
        return byte, at + 1
    return long_uvarint(b, at + 1, byte)


def long_uvarint(b: memoryview | bytes, at: int, first: int) -> tuple[int, int]:
    """The rest of a varint whose *first* byte, just before *at*, said that more follow."""
    value = first & 0x7F
    for shift in (7, 14, 21, 28):
        byte = b[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ProtocolError("a varint of more than five bytes")


def put_uvarint(out: bytearray, value: int) -> None:
    """Append *value* as an unsigned varint."""
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


def skip_tags(b: memoryview | bytes, at: int, count: int) -> int:
    """Step over *count* tagged fields, all unknown; *count* is the byte before *at*, perhaps a varint's first."""
    if count > 0x7F:
        count, at = long_uvarint(b, at, count)
    size = len(b)
    for _ in range(count):
        _, at = read_uvarint(b, at)
        length, at = read_uvarint(b, at)
        at += length
        if at > size:
            raise ProtocolError("a tagged field runs past the end")
    return at


def fault_length(name: str, count: int) -> ProtocolError:
    """Why a count or length was refused: negative (or zero, in compact form) is null, the rest does not fit."""
    return ProtocolError(f"{name} is null" if count < 0 else f"{name}: {count} elements do not fit in what is left")


def fault_absent(name: str) -> ValueError:
    """A field is set that this version of its message lacks, and that may not be dropped."""
    return ValueError(f"{name} is set, but this version has no such field")


def fault_null(name: str) -> ValueError:
    """A field is null that this version cannot send as null."""
    return ValueError(f"{name} may not be null in this version")
