"""Random messages of every class and version, made after the specs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tools.codegen import codecs
from tools.codegen.model import FIXED_TYPES
from tools.codegen.parse import load_specs

if TYPE_CHECKING:
    from random import Random

    from tools.codegen.model import FieldSpec, MessageSpec, StructSpec
    from wirebroker.protocol.message import Message

BOUNDS = {
    "int8": (-(1 << 7), (1 << 7) - 1),
    "int16": (-(1 << 15), (1 << 15) - 1),
    "uint16": (0, (1 << 16) - 1),
    "int32": (-(1 << 31), (1 << 31) - 1),
    "uint32": (0, (1 << 32) - 1),
    "int64": (-(1 << 63), (1 << 63) - 1),
}
WORDS = ("", "a", "flights", "Grüße", "航班", "x" * 126, "y" * 127, "z" * 300)


def all_messages() -> list[tuple[type[Message], MessageSpec]]:
    """(class, spec) of every message that has a spec, generated or not."""
    specs = [spec for spec in load_specs() if spec.file != "headers"]
    return [(codecs.message_class(message.name), message) for spec in specs for message in spec.messages]


class Sampler:
    """Makes one message from *random*; *most* bounds the length of arrays."""

    def __init__(self, cls: type[Message], random: Random, version: int, most: int = 2) -> None:
        self.module = codecs.module_of(cls)
        self.random = random
        self.version = version
        self.most = most

    def struct(self, spec: StructSpec) -> Any:
        on_wire, tagged = spec.at(self.version)
        values = {field.name: self.value(field) for field in on_wire}
        values |= {field.name: self.value(field) for field in tagged if self.random.random() < 0.5}
        return getattr(self.module, spec.name)(**values)

    def value(self, field: FieldSpec) -> Any:
        if self.version in field.nullable and self.random.random() < 0.25:
            return None
        if not field.is_array:
            return self.element(field)
        count = self.random.randint(0, self.most)
        if field.struct is None and self.random.random() < 0.05:
            count = 130  # a compact count of more than one byte
        return [self.element(field) for _ in range(count)]

    def element(self, field: FieldSpec) -> Any:
        random = self.random
        if field.struct is not None:
            return self.struct(field.struct)
        if field.type == "string":
            return random.choice(WORDS)
        if field.type == "bytes":
            return random.randbytes(random.choice((0, 1, 20, 127, 200)))
        if field.type == "records":
            return memoryview(random.randbytes(random.choice((0, 1, 61, 127, 200))))
        if field.type == "bool":
            return random.random() < 0.5
        if field.type == "float64":
            return random.choice((0.0, -1.5, 1e300))
        if field.type == "uuid":
            return random.randbytes(16)
        assert field.type in FIXED_TYPES
        low, high = BOUNDS[field.type]
        return random.choice((low, high, 0, max(-1, low), 1, random.randint(low, high)))


def sample(cls: type[Message], spec: MessageSpec, version: int, random: Random, most: int = 2) -> Message:
    """A random message of *cls* that *version* can carry."""
    message: Message = Sampler(cls, random, version, most).struct(spec.body)
    return message
