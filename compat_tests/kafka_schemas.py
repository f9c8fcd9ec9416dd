"""Apache Kafka's published message schemas (JSON inside its jars) as plain trees, one per message and version.

`layout(schema, version)` and `our_layout(message, version)` give the same shape for the same wire format, so a test can
compare them with ==.  Facts: Kafka's message README (validVersions, taggedVersions, nullableVersions, default, ...).
"""

from __future__ import annotations

import json
import re
import zipfile
from typing import TYPE_CHECKING, Any, NamedTuple

from tools.codegen.names import snake_case
from tools.jvm import resolve

if TYPE_CHECKING:
    from tools.codegen.model import FieldSpec, MessageSpec

Schema = dict[str, Any]
_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*')
SCALARS = frozenset({
    "bool", "int8", "int16", "uint16", "int32", "uint32", "int64", "float64", "string", "bytes", "records", "uuid"
})  # fmt: skip


class Field(NamedTuple):
    """One field as it stands on the wire at one version."""

    name: str
    type: str  # a scalar's name, or "struct"
    is_array: bool
    nullable: bool
    default: object
    ignorable: bool
    tag: int | None
    children: tuple[Field, ...]


class Layout(NamedTuple):
    """A message at one version."""

    flexible: bool
    fields: tuple[Field, ...]


def schemas(coordinate: str) -> dict[str, Schema]:
    """Name -> schema of every message in one jar."""
    (jar,) = resolve([coordinate], transitive=False)
    found = {}
    with zipfile.ZipFile(jar) as archive:
        for path in archive.namelist():
            if path.startswith(("common/message/", "common/metadata/", "message/")) and path.endswith(".json"):
                text = _COMMENT.sub(r"\1", archive.read(path).decode()).lstrip()
                schema, _ = json.JSONDecoder().raw_decode(text)  # one of 2.8's files has a bracket too many
                found[schema["name"]] = schema
    return found


def version_range(text: str) -> range:
    """'2', '1-3', '4+' or 'none'."""
    if text == "none":
        return range(0)
    low, _, high = text.rstrip("+").partition("-")
    return range(int(low), 32768 if text.endswith("+") else int(high or low) + 1)


def layout(schema: Schema, version: int) -> Layout:
    """The layout of *version* in Kafka's schema."""
    structs = {struct["name"]: struct["fields"] for struct in schema.get("commonStructs", [])}
    flexible = version in version_range(schema.get("flexibleVersions", "none"))
    return Layout(flexible, _fields(schema["fields"], version, structs))


def _fields(fields: list[Schema], version: int, structs: dict[str, list[Schema]]) -> tuple[Field, ...]:
    plain: list[Field] = []
    tagged: list[Field] = []
    for field in fields:
        versions: str = field.get("versions") or field.get("taggedVersions") or "0+"
        if version not in version_range(versions):
            continue
        is_array = field["type"].startswith("[]")
        kind = field["type"].removeprefix("[]")
        nullable = version in version_range(field.get("nullableVersions", "none"))
        has_tag = version in version_range(field.get("taggedVersions", "none"))
        children = () if kind in SCALARS else _fields(field.get("fields") or structs[kind], version, structs)
        shape = kind if kind in SCALARS else "struct"
        default = _default(shape, is_array, field.get("default"))
        name = snake_case(field["name"])
        ignorable = field.get("ignorable", False)
        tag = int(field["tag"]) if has_tag else None
        (tagged if has_tag else plain).append(Field(name, shape, is_array, nullable, default, ignorable, tag, children))
    return (*plain, *sorted(tagged, key=lambda field: field.tag or 0))


def _default(kind: str, is_array: bool, text: str | int | bool | None) -> object:
    if text == "null" or kind == "records":
        return None  # record data has no default in either; it starts out as null
    if is_array or kind in {"struct", "uuid", "bytes"}:
        return ""  # empty, or a struct of defaults
    if kind == "bool":
        return str(text).lower() == "true"
    if kind == "string":
        return text or ""
    return float(text or 0) if kind == "float64" else int(str(text or 0), 0)


def our_layout(message: MessageSpec, version: int) -> Layout:
    """The layout of *version* in protocol_specs."""
    return Layout(version in message.flexible, _our_fields(message.fields, version))


def _our_fields(fields: list[FieldSpec], version: int) -> tuple[Field, ...]:
    plain: list[Field] = []
    tagged: list[Field] = []
    for field in fields:
        if version not in field.versions:
            continue
        shape = field.type if field.type in SCALARS else "struct"
        has_tag = version in field.tagged
        children = _our_fields(field.fields, version)
        default = field.default if field.default is None else _default(shape, field.is_array, str(field.default))
        tag = field.tag if has_tag else None
        nullable = version in field.nullable
        ours = Field(field.name, shape, field.is_array, nullable, default, field.ignorable, tag, children)
        (tagged if has_tag else plain).append(ours)
    return (*plain, *sorted(tagged, key=lambda each: each.tag or 0))
