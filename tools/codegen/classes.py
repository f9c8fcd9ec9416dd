"""Emits the data classes: each field once, with its type, its default, its versions and the spec's comment."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from tools.codegen.imports import WIDTH
from tools.codegen.model import FIXED_TYPES, Kind, Versions

if TYPE_CHECKING:
    from tools.codegen.imports import ModuleNames
    from tools.codegen.model import FieldSpec, MessageSpec, StructSpec

PYTHON_TYPES = {"bool": "bool", "float64": "float", "uuid": "bytes", "string": "str", "bytes": "bytes"}
"""Types that are not int in Python."""


def default_constant(struct_name: str) -> str:
    """Name of the module's shared all-defaults instance of a struct."""
    return f"DEFAULT_{struct_name}"


def uses_default_constant(field: FieldSpec) -> bool:
    """Single structs that may be missing from the wire start out as a shared instance."""
    return field.struct is not None and not field.is_array and field.default is not None


def element_type(field: FieldSpec, is_request: bool, names: ModuleNames) -> str:
    """The Python type of a field, or of one element of an array."""
    if field.struct is not None:
        return field.struct.name
    if field.type == "records":
        return "memoryview" if is_request else names.use_type("RecordData")
    return PYTHON_TYPES.get(field.type, "int")


def annotation(field: FieldSpec, is_request: bool, names: ModuleNames) -> str:
    """The Python type of the attribute."""
    text = element_type(field, is_request, names)
    if field.is_array:
        text = f"list[{text}]"
    return f"{text} | None" if field.nullable or field.default is None else text


def fresh_default(field: FieldSpec, names: ModuleNames) -> str:
    """The default as an expression; that of a list makes a new one."""
    if field.default is None:
        return "None"
    if field.is_array:
        return "[]"
    if field.struct is not None:
        return default_constant(field.struct.name)
    if field.type == "uuid":
        return names.use("ZERO_UUID")
    if field.type in FIXED_TYPES:
        return repr(field.default)
    return {"string": '""', "bytes": 'b""'}[field.type]


def differs_from_default(field: FieldSpec, value: str, names: ModuleNames) -> str:
    """A condition: *value* is not the default of *field*."""
    if field.default is None:
        return f"{value} is not None"
    if field.is_array:
        return f"{value} != []" if field.nullable else value
    if field.struct is not None:
        constant = default_constant(field.struct.name)
        return f"{value} is not {constant} and {value} != {constant}"
    if field.type == "bool":
        return f"not {value}" if field.default else value
    return f"{value} != {fresh_default(field, names)}"


def emit_class(struct: StructSpec, message: MessageSpec, places: list[str], names: ModuleNames) -> list[str]:
    """The class of *struct*, which is part of *message*; *places* are the fields that it is the type of."""
    lines = ["", "", f"class {struct.name}({names.use('Data')}):"]
    lines += [*docstring(struct.comment or " and ".join(places)), ""]
    lines += field_lines(struct, message.kind, message.versions, names)
    return lines


def places_of(message: MessageSpec) -> dict[str, list[str]]:
    """Name of each struct in *message* -> the fields that it is the type of."""
    found: dict[str, list[str]] = {}
    for struct in message.structs():
        for field in struct.fields:
            if field.struct is not None:
                place = f"`{struct.name}.{field.name}`"
                kind = "an element of" if field.is_array else "the value of"
                found.setdefault(field.struct.name, []).append(f"{kind} {place}")
    return found


def emit_message_class(message: MessageSpec, bases: list[str], names: ModuleNames) -> list[str]:
    """The class of a whole message, which inherits from *bases*."""
    lines = ["", "", f"class {message.name}({', '.join(names.use(base) for base in bases)}):"]
    lines += docstring(message.body.comment)
    if message.body.comment:
        lines.append("")
    if message.api_key is not None:
        lines.append(f"    API_KEY = {message.api_key}")
    lines.append(f"    VERSIONS = range({message.versions.low}, {message.versions.high + 1})")
    if message.flexible:
        lines.append(f"    FLEXIBLE_FROM = {message.flexible.low}")
    if message.body.has_records():
        lines.append("    HAS_RECORDS = True")
    if message.body.declared:
        lines.append("")
    lines += field_lines(message.body, message.kind, message.versions, names)
    return lines


def field_lines(struct: StructSpec, kind: Kind, versions: Versions, names: ModuleNames) -> list[str]:
    """The attributes: an annotation, a default, the versions if they are not all of *versions*, and a docstring."""
    lines = [] if struct.declared else ["    pass"]
    ranges = [field.versions & versions for field in struct.declared]
    in_use = [each for each in ranges if each]
    if in_use:  # of a struct that came later its fields need not say so again
        versions = Versions(min(each.low for each in in_use), max(each.high for each in in_use))
    for field, here in zip(struct.declared, ranges, strict=True):
        default = fresh_default(field, names)
        line = f"    {field.name}: {annotation(field, kind is Kind.REQUEST, names)} = {default}"
        lines.append(line if here == versions else f"{line}  # {_versions_text(here, versions)}")
        lines += docstring(field.comment)
    return lines


def _versions_text(here: Versions, versions: Versions) -> str:
    if here.high == versions.high:
        return f"v{here.low}+"
    return f"v{here.low}" if here.low == here.high else f"v{here.low}-{here.high}"


def docstring(comment: str) -> list[str]:
    """*comment* as the docstring of what stands above it."""
    if not comment:
        return []
    text = comment if comment.endswith((".", "?")) else f"{comment}."
    if not _CODE.match(text):
        text = text[0].upper() + text[1:]
    line = f'    """{text}"""'
    if len(line) <= WIDTH:
        return [line]
    wrapped = textwrap.wrap(text, WIDTH - 4)
    return [f'    """{wrapped[0]}', *(f"    {each}" for each in wrapped[1:]), '    """']


_CODE = re.compile(r"v\d|\w+[._]\w")  # versions and names, which keep their case
