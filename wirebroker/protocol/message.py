"""What all generated classes share: equality, repr, and reading and writing by version.

A message has one class for all its versions.  Fields that a version lacks keep their default when read; when written,
a value other than the default is refused unless the spec calls the field ignorable (Kafka's rule).
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from wirebroker.protocol.faults import ProtocolError

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class Data:
    """Named fields with equality and repr; base of the structs inside messages."""

    __slots__ = ()
    FIELDS: ClassVar[tuple[str, ...]] = ()

    def __eq__(self, other: object) -> bool:
        if not (isinstance(other, type(self)) or isinstance(self, type(other))):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.FIELDS)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.FIELDS)
        return f"{type(self).__name__}({values})"


class Message(Data):
    """A request, a response, or the key or value of an internal record."""

    __slots__ = ()
    API_KEY: ClassVar[int] = -1  # of requests and responses
    VERSIONS: ClassVar[range]
    FLEXIBLE_FROM: ClassVar[int | None] = None  # first version with compact lengths and tagged fields
    HAS_RECORDS: ClassVar[bool] = False  # carries record batches, which are not copied on the way in
    READERS: ClassVar[dict[int, Callable[[Any, int], tuple[Any, int]]]]
    WRITERS: ClassVar[dict[int, Callable[[Any, bytearray], None]]]

    @classmethod
    def read(cls, buffer: memoryview | bytes, at: int, version: int) -> tuple[Self, int]:
        """Decode the message that begins at *at*; return it with the position after it.

        Records stay slices of *buffer*; everything else is copied.  Bytes after the message are the caller's affair.
        Raises ProtocolError, and nothing else, for bytes that are not such a message.
        """
        reader = cls.READERS.get(version)
        if reader is None:
            raise ProtocolError(f"{cls.__name__} has no version {version}")
        try:
            # Slicing and decoding text from bytes takes half the time that it takes from a memoryview.
            return reader(memoryview(buffer) if cls.HAS_RECORDS else bytes(buffer), at)
        except (struct.error, IndexError, UnicodeDecodeError) as fault:
            raise ProtocolError(f"{cls.__name__} version {version}: {fault}") from fault

    def write(self, out: bytearray, version: int) -> None:
        """Append this message to *out*, a WireBuffer if records may be file slices.

        Raises ValueError for what the version cannot say: a field it lacks, a null, a number or text too large.
        """
        try:
            self.WRITERS[version](self, out)
        except (struct.error, KeyError) as fault:
            raise ValueError(f"{type(self).__name__} version {version}: {fault!r}") from fault

    def to_record(self, version: int) -> bytes:
        """The form of internal records: the version as int16, then the message."""
        out = bytearray(version.to_bytes(2, "big"))
        self.write(out, version)
        return bytes(out)

    @classmethod
    def from_record(cls, data: memoryview | bytes) -> Self:
        """The reverse of `to_record`.  Raises ProtocolError, also for a version that is not ours."""
        return cls.read(data, 2, record_version(data))[0]


def record_version(data: memoryview | bytes) -> int:
    """The version that an internal record's key or value begins with."""
    if len(data) < 2:
        raise ProtocolError("an internal record begins with two bytes of version")
    return int.from_bytes(data[:2], "big", signed=True)


def default_of(cls: type[T]) -> T:
    """One shared instance of *cls* with all defaults, which refuses changes.

    Tagged structs are seldom set, so messages share this instead of building one each: replace it, never edit it.
    """
    sealed = type(cls.__name__, (cls,), {"__slots__": ()})
    shared: T = sealed()
    sealed.__setattr__ = _refuse  # type: ignore[method-assign,assignment]
    return shared


def _refuse(self: object, name: str, value: object) -> None:
    raise AttributeError(f"{type(self).__name__} is a shared default: replace it to set {name}")
