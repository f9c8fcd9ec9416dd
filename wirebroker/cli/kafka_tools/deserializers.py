"""Java's deserializers of keys and values, for `--key-deserializer` and `--value-deserializer`."""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Final
from uuid import UUID

from wirebroker.cli.kafka_tools.tool import ToolError, java_double

if TYPE_CHECKING:
    from collections.abc import Callable

_FLOAT: Final = Struct(">f")
_FLOAT_DIGITS: Final = 9
"""With so many every float has a text of its own."""
_NUMBERS: Final = {
    "ShortDeserializer": Struct(">h"),
    "IntegerDeserializer": Struct(">i"),
    "LongDeserializer": Struct(">q"),
    "FloatDeserializer": _FLOAT,
    "DoubleDeserializer": Struct(">d"),
}
_UUID: Final = "UUIDDeserializer"
_AS_THEY_ARE: Final = ("StringDeserializer", "ByteArrayDeserializer")


def deserializer(class_name: str) -> Callable[[bytes], bytes]:
    """Return the function from a key or value to the text of what the Java class *class_name* makes of it.

    Raises:
        ToolError: there is no such class here.
    """
    name = (class_name or _AS_THEY_ARE[0]).rpartition(".")[2]
    if name in _AS_THEY_ARE:
        return bytes
    if name == _UUID:
        return _uuid_text
    if name in _NUMBERS:
        return _number_text(name, _NUMBERS[name])
    known = ", ".join((*_AS_THEY_ARE, *_NUMBERS, _UUID))
    raise ToolError(f"Unable to instantiate a deserializer from {class_name}; there are {known}")


def _number_text(name: str, form: Struct) -> Callable[[bytes], bytes]:
    def text(data: bytes) -> bytes:
        if len(data) != form.size:
            raise ToolError(f"Size of data received by {name} is not {form.size}")
        (number,) = form.unpack(data)
        if form is _FLOAT:
            number = _shortest_float(number)
        return (java_double(number) if isinstance(number, float) else str(number)).encode()

    return text


def _shortest_float(number: float) -> float:
    """Return the number with the fewest digits, but two, that is the float *number*; Java prints those."""
    for digits in range(2, _FLOAT_DIGITS):
        rounded = float(f"{number:.{digits}g}")
        try:
            if _FLOAT.unpack(_FLOAT.pack(rounded))[0] == number:
                return rounded
        except OverflowError:  # rounded up beyond the largest float
            continue
    return float(f"{number:.{_FLOAT_DIGITS}g}")


def _uuid_text(data: bytes) -> bytes:
    try:
        return str(UUID(data.decode())).encode()
    except ValueError:
        raise ToolError(f"{data!r} is not a UUID") from None
