"""The base classes of generated classes: equality, repr, and reading and writing by version.

A message has one class for all its versions.  Fields that a version lacks have their default after reading; a value
other than the default is refused by `write` unless the spec calls the field ignorable (Kafka's rule).

The bases of a message say in which direction it is generated: a `ReadableMessage` has `read`, a `WritableMessage` has
`write`.  A broker reads requests and writes responses.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, dataclass_transform

from wirebroker.protocol.exceptions import ProtocolError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Reader = Callable[[Any, int, int], tuple[Any, int]]
    """(buffer, position, version) -> (message, position after it)."""
    Writer = Callable[[Any, bytearray, int], None]
    """(message, buffer to append to, version)."""

T = TypeVar("T")


@dataclass_transform()
class DataType(type):
    """The class of generated classes: annotated attributes become slots and parameters of `__init__`.

    A list as default stands for a new list in each object.  `__init__` is compiled when a class is called for the first
    time: most classes of a process are only read from bytes, or not used at all, and compiling takes 0.1 ms.
    """

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> DataType:
        if "__slots__" not in namespace:
            fields = tuple(namespace.get("__annotations__", ()))
            namespace["DEFAULTS"] = {field: namespace.pop(field) for field in fields}
            namespace["FIELDS"] = namespace["__slots__"] = fields
        return super().__new__(cls, name, bases, namespace)


class Data(metaclass=DataType):
    """Named fields with equality and repr; base of the structs inside messages."""

    __slots__ = ()
    FIELDS: ClassVar[tuple[str, ...]] = ()
    DEFAULTS: ClassVar[dict[str, Any]] = {}

    if not TYPE_CHECKING:

        def __init__(self, *args: Any, **values: Any) -> None:
            declaring = next(cls for cls in type(self).__mro__ if "FIELDS" in cls.__dict__)
            declaring.__init__ = _compile_init(declaring)
            declaring.__init__(self, *args, **values)

    def __eq__(self, other: object) -> bool:
        if not (isinstance(other, type(self)) or isinstance(self, type(other))):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.FIELDS)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.FIELDS)
        return f"{type(self).__name__}({values})"


def _compile_init(cls: type[Data]) -> Callable[..., None]:
    """`__init__` of *cls* with its fields as parameters."""
    parameters, lines = ["self"], []
    names: dict[str, Any] = {"_UNSET": object()}
    for field, default in cls.DEFAULTS.items():
        if isinstance(default, list):
            parameters.append(f"{field}=_UNSET")
            lines.append(f"self.{field} = [] if {field} is _UNSET else {field}")
        else:
            names[f"_{field}"] = default
            parameters.append(f"{field}=_{field}")
            lines.append(f"self.{field} = {field}")
    body = "\n    ".join(lines or ["pass"])
    exec(f"def __init__({', '.join(parameters)}):\n    {body}", names)
    init: Callable[..., None] = names["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


class Message(Data):
    """A request, a response, or the key or value of an internal record."""

    __slots__ = ()
    API_KEY: ClassVar[int] = -1
    """Of requests and responses; -1 for records."""
    VERSIONS: ClassVar[range]
    FLEXIBLE_FROM: ClassVar[int | None] = None
    """The first version with compact lengths and tagged fields."""
    HAS_RECORDS: ClassVar[bool] = False
    """Whether the message carries record batches, which are not copied when it is read."""


class ReadableMessage(Message):
    """A message that is generated with readers."""

    __slots__ = ()
    READERS: ClassVar[Mapping[int, Reader]]
    """By version.  The buffer is bytes; a memoryview if HAS_RECORDS."""

    @classmethod
    def read(cls, buffer: memoryview | bytes, at: int, version: int) -> tuple[Self, int]:
        """Decode the message that begins at *at*; return it with the position after it.

        Records stay slices of *buffer*; everything else is copied.  Bytes after the message are the caller's affair.

        Raises:
            ProtocolError: and nothing else, for bytes that are not such a message.
        """
        reader = cls.READERS.get(version)
        if reader is None:
            raise ProtocolError(f"{cls.__name__} has no version {version}")
        try:
            # Slicing and decoding text from bytes takes half the time that it takes from a memoryview.
            return reader(memoryview(buffer) if cls.HAS_RECORDS else bytes(buffer), at, version)
        except (struct.error, IndexError, UnicodeDecodeError) as fault:
            raise ProtocolError(f"{cls.__name__} version {version}: {fault}") from fault

    @classmethod
    def from_record(cls, data: memoryview | bytes) -> Self:
        """The key or value of an internal record: the reverse of `WritableMessage.to_record`.

        Raises:
            ProtocolError: also for a version that is not known here.
        """
        return cls.read(data, 2, record_version(data))[0]


class WritableMessage(Message):
    """A message that is generated with writers."""

    __slots__ = ()
    WRITERS: ClassVar[Mapping[int, Writer]]
    """By version."""

    def write(self, out: bytearray, version: int) -> None:
        """Append this message to *out*, a WireBuffer if records may be file slices.

        Raises:
            ValueError: the version cannot carry a field that is set, a null, or a number or text that is too large.
        """
        try:
            self.WRITERS[version](self, out, version)
        except (struct.error, KeyError) as fault:
            raise ValueError(f"{type(self).__name__} version {version}: {fault!r}") from fault

    def to_record(self, version: int) -> bytes:
        """The key or value of an internal record: the version as int16, then the message."""
        out = bytearray(version.to_bytes(2, "big"))
        self.write(out, version)
        return bytes(out)


def record_version(data: memoryview | bytes) -> int:
    """The version that an internal record's key or value begins with.

    Raises:
        ProtocolError: *data* is too short.
    """
    if len(data) < 2:
        raise ProtocolError("an internal record begins with two bytes of version")
    return int.from_bytes(data[:2], "big", signed=True)


def default_of(cls: type[T]) -> T:
    """A shared instance of *cls* with all defaults, which refuses changes.

    Tagged structs are seldom set, so messages share this instead of building one each: replace it, never edit it.
    """
    sealed = type(cls.__name__, (cls,), {"__slots__": ()})
    shared: T = sealed()
    sealed.__setattr__ = _refuse  # type: ignore[method-assign,assignment]
    return shared


def _refuse(self: object, name: str, value: object) -> None:
    raise AttributeError(f"{type(self).__name__} is a shared default: replace it to set {name}")
