"""Readers and writers of messages for tests and tools, in both directions and for all APIs that have a spec.

`wirebroker/protocol` is generated with the directions that a broker needs: it cannot write a Produce request, nor read
the response.  Clients in tests and benchmarks do just that:

    out = encode(ProduceRequest(acks=1), 9)
    response = decode(ProduceResponse, body, 9)

What a class does not have is compiled from the specs when it is first needed, and kept for the rest of the process.
`message_class` and `api_classes` have the classes of all specs, also of those that nothing is generated from.
"""

from __future__ import annotations

import struct
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from tools.codegen.imports import ModuleNames
from tools.codegen.modules import function_lines, message_module
from tools.codegen.parse import load_specs, module_name
from tools.codegen.usage import BOTH, Direction
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Message, ReadableMessage, WritableMessage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tools.codegen.model import ApiSpec, MessageSpec
    from wirebroker.protocol.message import Reader, Writer

M = TypeVar("M", bound=Message)


def encode(message: Message, version: int) -> bytes:
    """The bytes of *message* at *version*.  Raises ValueError as `WritableMessage.write` does."""
    out = bytearray()
    write(message, out, version)
    return bytes(out)


def write(message: Message, out: bytearray, version: int) -> None:
    """Append *message* to *out*: `WritableMessage.write`, also for classes that are not generated with it."""
    if isinstance(message, WritableMessage):
        message.write(out, version)
        return
    try:
        writers(type(message))[version](message, out, version)
    except (struct.error, KeyError) as fault:
        raise ValueError(f"{type(message).__name__} version {version}: {fault!r}") from fault


def encode_record(message: Message, version: int) -> bytes:
    """The key or value of an internal record, as `WritableMessage.to_record` makes it."""
    return version.to_bytes(2, "big") + encode(message, version)


def decode(cls: type[M], data: memoryview | bytes, version: int) -> M:
    """The message that *data* begins with.  Raises ProtocolError as `ReadableMessage.read` does."""
    return read(cls, data, 0, version)[0]


def read(cls: type[M], buffer: memoryview | bytes, at: int, version: int) -> tuple[M, int]:
    """The message at *at*, and the position after it: `ReadableMessage.read`, for all classes."""
    if issubclass(cls, ReadableMessage):
        return cls.read(buffer, at, version)
    reader = readers(cls).get(version)
    if reader is None:
        raise ProtocolError(f"{cls.__name__} has no version {version}")
    try:
        return reader(memoryview(buffer) if cls.HAS_RECORDS else bytes(buffer), at, version)
    except (struct.error, IndexError, UnicodeDecodeError) as fault:
        raise ProtocolError(f"{cls.__name__} version {version}: {fault}") from fault


def readers(cls: type[Message]) -> Mapping[int, Reader]:
    """The reader of each version."""
    return cls.READERS if issubclass(cls, ReadableMessage) else _compiled(cls, Direction.READ)


def writers(cls: type[Message]) -> Mapping[int, Writer]:
    """The writer of each version."""
    return cls.WRITERS if issubclass(cls, WritableMessage) else _compiled(cls, Direction.WRITE)


def message_class(name: str) -> Any:
    """The class of a request, a response or a record, by Kafka's name of it."""
    return getattr(_module_with(name), name)


def api_classes(api_key: int) -> tuple[Any, Any]:
    """The request and the response class of any API that has a spec."""
    spec = next(spec for spec in _specs() if spec.key == api_key)
    return message_class(spec.request.name), message_class(spec.response.name)


def module_of(cls: type[Message]) -> ModuleType:
    """The module with *cls* and the classes of the structs in it."""
    return _module_with(cls.__name__)


def _module_with(message_name: str) -> ModuleType:
    spec, _ = _spec_of(message_name)
    generated = _generated_module(spec)
    if generated is not None and hasattr(generated, message_name):
        return generated
    return _module_in_memory(spec.name)


@cache
def _specs() -> list[ApiSpec]:
    return load_specs()


@cache
def _spec_of(message_name: str) -> tuple[ApiSpec, MessageSpec]:
    return next((spec, each) for spec in _specs() for each in spec.messages if each.name == message_name)


def _generated_module(spec: ApiSpec) -> ModuleType | None:
    room = "internal" if spec.key is None else "messages"
    try:
        return import_module(f"wirebroker.protocol.{room}.{module_name(spec)}")
    except ModuleNotFoundError:
        return None


@cache
def _module_in_memory(spec_name: str) -> ModuleType:
    return module_in_memory(next(spec for spec in _specs() if spec.name == spec_name))


def module_in_memory(spec: ApiSpec) -> ModuleType:
    """The module that would be generated if all messages of *spec* were used in both directions."""
    module = ModuleType(f"protocol_specs.{spec.file}")
    text = message_module(spec, {message.name: BOTH for message in spec.messages})
    exec(compile(text, f"<protocol_specs/{spec.file}>", "exec"), vars(module))
    return module


@cache
def _compiled(cls: type[Message], direction: Direction) -> Mapping[int, Any]:
    """The readers or the writers of *cls* by version, compiled beside the class."""
    spec, message = _spec_of(cls.__name__)
    names = ModuleNames()
    table, lines = function_lines(message, direction, names)
    text = "\n".join(["from __future__ import annotations", *names.import_lines(), *names.function_lines(), *lines])
    namespace = dict(vars(module_of(cls)))
    exec(compile(text, f"<protocol_specs/{spec.file}>", "exec"), namespace)
    return {version: namespace[function] for versions, function in table for version in versions}
