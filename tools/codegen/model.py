"""The contents of a spec file as values: ranges of versions, fields, structs, messages, APIs."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# type name -> (struct format character, size in bytes) of the types that always take the same room
FIXED_TYPES = {
    "bool": ("?", 1),
    "int8": ("b", 1),
    "int16": ("h", 2),
    "uint16": ("H", 2),
    "int32": ("i", 4),
    "uint32": ("I", 4),
    "int64": ("q", 8),
    "float64": ("d", 8),
    "uuid": ("16s", 16),
}
VARIABLE_TYPES = frozenset({"string", "bytes", "records"})
TAG_BUFFER = "tag buffer"
"""The type of the field that stands for the tagged fields at the end of a flexible struct; not for use in specs."""


@dataclass(frozen=True, slots=True)
class Versions:
    """Versions *low* to *high*, both included; empty when high < low."""

    low: int
    high: int

    def __contains__(self, version: int) -> bool:
        return self.low <= version <= self.high

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.low, self.high + 1))

    def __bool__(self) -> bool:
        return self.high >= self.low

    def __and__(self, other: Versions) -> Versions:
        both = Versions(max(self.low, other.low), min(self.high, other.high))
        return both if both else NO_VERSIONS

    def __sub__(self, other: Versions) -> Versions:
        """The versions without *other*, which must not leave a gap."""
        if not self & other:
            return self
        before, after = Versions(self.low, other.low - 1), Versions(other.high + 1, self.high)
        assert not (before and after)
        return before or after or NO_VERSIONS

    def split(self, ranges: Iterable[Versions]) -> list[Versions]:
        """Parts of these versions, the oldest first: each lies in every range of *ranges* as a whole or not at all."""
        cuts = {self.low, self.high + 1}
        for each in ranges:
            if each & self:
                cuts |= {cut for cut in (each.low, each.high + 1) if self.low < cut <= self.high}
        edges = sorted(cuts)
        return [Versions(low, after - 1) for low, after in pairwise(edges)]

    def test(self, scope: Versions) -> str:
        """An expression that says whether `version`, which is one of *scope*, is one of these."""
        if self.high >= scope.high:
            return f"version >= {self.low}"
        return f"version <= {self.high}" if self.low <= scope.low else f"{self.low} <= version <= {self.high}"


NO_VERSIONS = Versions(0, -1)


@dataclass(slots=True)
class FieldSpec:
    """One field, with all ranges cut to what its parent and its message can have.

    `type` is a name of FIXED_TYPES or VARIABLE_TYPES, or the name of a struct; `is_array` says whether there are many.
    `default` is a bool, int or float; None for null; "" for what is empty (strings, bytes, arrays), for a struct with
    all its defaults and for the all-zero uuid.
    `flexible` is the range in which lengths are written compactly (empty for client_id, which never is).
    `struct` holds the nested fields, also when several fields share one struct declaration.
    """

    name: str
    type: str
    is_array: bool
    versions: Versions
    nullable: Versions = NO_VERSIONS
    tag: int | None = None
    tagged: Versions = NO_VERSIONS
    default: bool | int | float | str | None = 0
    ignorable: bool = False
    flexible: Versions = NO_VERSIONS
    struct: StructSpec | None = None
    comment: str = ""

    @property
    def fields(self) -> list[FieldSpec]:
        """The nested fields; empty for anything but structs and arrays of structs."""
        return self.struct.fields if self.struct is not None else []

    @property
    def is_fixed(self) -> bool:
        """Whether the field takes the same number of bytes always."""
        return self.type in FIXED_TYPES and not self.is_array

    @property
    def has_length(self) -> bool:
        """Whether a length or a count comes first: of strings, bytes, records, arrays and tagged fields."""
        return self.is_array or self.type in VARIABLE_TYPES or self.type == TAG_BUFFER


@dataclass(slots=True)
class StructSpec:
    """A named group of fields; becomes one Python class.

    `fields` are those that occur where this copy of the struct stands, `declared` all that the spec lists: a struct
    that two fields share may have fewer fields in one place than in the other, but is one class.
    """

    name: str
    fields: list[FieldSpec] = field(default_factory=list)
    declared: list[FieldSpec] = field(default_factory=list)
    comment: str = ""

    def within(self, scope: Versions) -> tuple[list[FieldSpec], list[FieldSpec]]:
        """The fields on the wire in some version of *scope*: in wire order, and the tagged ones in order of tags."""
        present = [each for each in self.fields if each.versions & scope]
        tagged = sorted((each for each in present if each.tag is not None), key=lambda each: each.tag or 0)
        return [each for each in present if each.tag is None], tagged

    def at(self, version: int) -> tuple[list[FieldSpec], list[FieldSpec]]:
        """`within` for one version."""
        return self.within(Versions(version, version))

    def has_records(self) -> bool:
        """Whether records occur anywhere in the struct."""
        return any(
            each.type == "records" or (each.struct is not None and each.struct.has_records()) for each in self.fields
        )


class Kind(Enum):
    """Which block of a spec file a message is declared in."""

    REQUEST = "request"
    RESPONSE = "response"
    RECORD = "record"


@dataclass(slots=True)
class MessageSpec:
    """A request, a response, or a record's key or value."""

    name: str
    kind: Kind
    versions: Versions
    flexible: Versions
    body: StructSpec
    api_key: int | None = None

    @property
    def fields(self) -> list[FieldSpec]:
        return self.body.fields

    @property
    def layouts(self) -> list[tuple[Versions, bool]]:
        """(versions, whether they are flexible): one entry or two, the oldest versions first."""
        parts = self.versions.split([self.flexible])
        return [(part, bool(part & self.flexible)) for part in parts]

    def structs(self) -> list[StructSpec]:
        """Every struct of the message once, the innermost first, the body last."""
        found: list[StructSpec] = []

        def visit(struct: StructSpec) -> None:
            for each in struct.fields:
                if each.struct is not None:
                    visit(each.struct)
            if all(struct.name != known.name for known in found):
                found.append(struct)

        visit(self.body)
        return found


@dataclass(slots=True)
class ApiSpec:
    """One spec file: for APIs a request and a response, for internal topics any number of messages.

    `key` is None for files that are no API (record schemas, headers).
    """

    file: str
    title: str
    key: int | None
    name: str
    versions: Versions
    flexible: Versions
    comment: str
    messages: list[MessageSpec] = field(default_factory=list)

    @property
    def request(self) -> MessageSpec:
        return self.messages[0]

    @property
    def response(self) -> MessageSpec:
        return self.messages[1]


@dataclass(frozen=True, slots=True)
class ErrorSpec:
    """One line of `protocol_specs/errors`."""

    code: int
    name: str
    retriable: bool
    since: str
    """The release of Apache Kafka that brought the code."""
    earlier: int | None
    """The code that releases before answered, None if none is known."""
    meaning: str
