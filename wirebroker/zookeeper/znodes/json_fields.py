"""JSON of znodes: `encode_json` writes it as Kafka does, `JsonFields` reads fields and checks their types.

Fields that nobody asks for are ignored, as a later release may have added them.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import TYPE_CHECKING, Any, Final, TypeVar

from wirebroker.zookeeper.errors import CorruptZnode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

T = TypeVar("T")

_MISSING: Final[Any] = object()
_TOPIC_ID_BYTES: Final = 16


def encode_json(fields: Mapping[str, object]) -> bytes:
    """Return *fields* as compact UTF-8 JSON, in the order of the mapping."""
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()


def decode_number(path: str, data: bytes | None) -> int:
    """Return the decimal number that is all of *data*, as in /controller_epoch.  Raises CorruptZnode."""
    if not data:
        raise CorruptZnode(path, "it is empty")
    try:
        return int(data.decode())
    except ValueError:
        raise CorruptZnode(path, f"{_shown(data)} is not a number") from None


def encode_topic_id(topic_id: bytes) -> str:
    """Return the 22 characters of url-safe base64 by which Kafka writes 16 bytes."""
    return urlsafe_b64encode(topic_id).decode().rstrip("=")


class JsonFields:
    """The fields of one JSON object in a znode; every method raises CorruptZnode for a value of another type.

    A field that is missing raises CorruptZnode, too, unless the method is given a default; null counts as missing.
    """

    __slots__ = ("_fields", "_path")

    def __init__(self, path: str, fields: dict[str, Any]) -> None:
        self._path, self._fields = path, fields

    @classmethod
    def parse(cls, path: str, data: bytes | None) -> JsonFields:
        """Return the fields of the object that *data* are."""
        if not data:
            raise CorruptZnode(path, "it is empty")
        try:
            parsed = json.loads(data.decode())
        except (ValueError, RecursionError):  # of objects in objects in objects
            raise CorruptZnode(path, f"{_shown(data)} is not JSON") from None
        if not isinstance(parsed, dict):
            raise CorruptZnode(path, f"{_shown(data)} is not a JSON object")
        return cls(path, parsed)

    def integer(self, name: str, default: int = _MISSING) -> int:
        value = self._value(name, default)
        if type(value) is not int:
            raise self.error(f"{name} is {value!r}, not an integer")
        return value

    def number_in_text(self, name: str) -> int:
        """Return a number that Kafka writes as a string, such as a timestamp."""
        text = self.text(name)
        try:
            return int(text)
        except ValueError:
            raise self.error(f"{name} is {text!r}, not a number") from None

    def text(self, name: str, default: str = _MISSING) -> str:
        value = self._value(name, default)
        if not isinstance(value, str):
            raise self.error(f"{name} is {value!r}, not a string")
        return value

    def optional_text(self, name: str) -> str | None:
        return None if self._fields.get(name) is None else self.text(name)

    def topic_id(self, name: str) -> bytes | None:
        """Return the 16 bytes of a topic id, None without one."""
        text = self.optional_text(name)
        if text is None:
            return None
        try:
            topic_id = urlsafe_b64decode(text + "==")
        except ValueError:
            topic_id = b""
        if len(topic_id) != _TOPIC_ID_BYTES:
            raise self.error(f"{name} is {text!r}, not 22 characters of base64")
        return topic_id

    def integers(self, name: str) -> tuple[int, ...]:
        value = self._value(name)
        if not isinstance(value, list) or any(type(each) is not int for each in value):
            raise self.error(f"{name} is {value!r}, not a list of integers")
        return tuple(value)

    def texts(self, name: str) -> tuple[str, ...]:
        value = self._value(name)
        if not isinstance(value, list) or any(not isinstance(each, str) for each in value):
            raise self.error(f"{name} is {value!r}, not a list of strings")
        return tuple(value)

    def object(self, name: str) -> JsonFields:
        """Return the fields of an object; no fields if it is missing."""
        value = self._value(name, {})
        if not isinstance(value, dict):
            raise self.error(f"{name} is {value!r}, not an object")
        return JsonFields(self._path, value)

    def objects(self, name: str) -> Iterator[JsonFields]:
        """Yield the fields of each object of a list."""
        value = self._value(name)
        if not isinstance(value, list):
            raise self.error(f"{name} is {value!r}, not a list")
        for each in value:
            if not isinstance(each, dict):
                raise self.error(f"{name} has {each!r}, not an object")
            yield JsonFields(self._path, each)

    def names(self) -> list[str]:
        """Return the names of all fields."""
        return list(self._fields)

    def error(self, problem: str) -> CorruptZnode:
        """Return the error that says *problem*, for the caller to raise."""
        return CorruptZnode(self._path, problem)

    def _value(self, name: str, default: Any = _MISSING) -> Any:
        value = self._fields.get(name)
        if value is not None:
            return value
        if default is _MISSING:
            raise self.error(f"{name} is missing")
        return default


def _shown(data: bytes) -> str:
    """Return *data* for an error message, cut after 100 bytes."""
    return repr(data[:100])
