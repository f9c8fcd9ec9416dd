"""Emits the data classes: slots, and an __init__ whose defaults are the spec's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.codegen.model import FIXED_TYPES

if TYPE_CHECKING:
    from tools.codegen.model import FieldSpec, MessageSpec, StructSpec

WIDTH = 120


def default_constant(struct_name: str) -> str:
    """Name of the module's shared all-defaults instance of a struct."""
    return f"DEFAULT_{struct_name}"


def uses_default_constant(field: FieldSpec) -> bool:
    """Single structs that may be missing from the wire start out as a shared instance."""
    return field.struct is not None and not field.is_array and field.default is not None


def element_type(field: FieldSpec, request: bool) -> str:
    """The Python type of a field, or of one element of an array."""
    if field.struct is not None:
        return field.struct.name
    if field.type == "records":
        return "memoryview" if request else "RecordData"
    python = {"bool": "bool", "float64": "float", "uuid": "bytes", "string": "str", "bytes": "bytes"}
    return python.get(field.type, "int")


def annotation(field: FieldSpec, request: bool) -> str:
    """The Python type of the attribute."""
    text = element_type(field, request)
    if field.is_array:
        text = f"list[{text}]"
    return f"{text} | None" if field.nullable or field.default is None else text


def default_text(field: FieldSpec) -> str:
    """The default as an expression that may stand in a signature."""
    if field.default is None:
        return "None"
    if field.is_array:
        return "UNSET"
    if field.struct is not None:
        return default_constant(field.struct.name)
    if field.type in FIXED_TYPES and field.type != "uuid":
        return repr(field.default)
    return {"uuid": "ZERO_UUID", "string": '""', "bytes": 'b""'}[field.type]


def fresh_default(field: FieldSpec) -> str:
    """The default as an expression that makes a new value where it must."""
    return "[]" if field.is_array and field.default is not None else default_text(field)


def differs_from_default(field: FieldSpec, value: str) -> str:
    """A condition: *value* is not the default of *field*."""
    if field.default is None:
        return f"{value} is not None"
    if field.is_array:
        return f"{value} != []" if field.nullable else value
    if field.struct is not None:
        constant = default_constant(field.struct.name)
        return f"({value} is not {constant} and {value} != {constant})"
    if field.type == "bool":
        return f"not {value}" if field.default else value
    return f"{value} != {default_text(field)}"


def emit_class(struct: StructSpec, message: MessageSpec | None, request: bool) -> list[str]:
    """The class of *struct*; that of a whole message if *message* is given."""
    fields = struct.declared
    names = ", ".join(f'"{field.name}"' for field in fields)
    tuple_text = f"({names},)" if len(fields) == 1 else f"({names})"
    lines = ["", "", f"class {struct.name}({'Message' if message else 'Data'}):"]
    if struct.comment:
        lines.append(f'    """{struct.comment}"""')
        lines.append("")
    if message is not None:
        if message.api_key is not None:
            lines.append(f"    API_KEY = {message.api_key}")
        lines.append(f"    VERSIONS = range({message.versions.low}, {message.versions.high + 1})")
        if message.flexible:
            lines.append(f"    FLEXIBLE_FROM = {message.flexible.low}")
        if has_records(struct):
            lines.append("    HAS_RECORDS = True")
    lines += wrap(f"    __slots__ = FIELDS = {tuple_text}")
    if not fields:
        return lines
    lines += ["", "    def __init__("]
    lines.append("        self,")
    lines += [f"        {field.name}: {annotation(field, request)} = {default_text(field)}," for field in fields]
    lines.append("    ) -> None:")
    for field in fields:
        if field.is_array and field.default is not None:
            value = f"[] if {field.name} is UNSET else {field.name}"
        else:
            value = field.name
        lines.append(f"        self.{field.name} = {value}")
    return lines


def has_records(struct: StructSpec) -> bool:
    """Whether records occur anywhere in *struct*."""
    return any(
        field.type == "records" or (field.struct is not None and has_records(field.struct)) for field in struct.fields
    )


def wrap(line: str) -> list[str]:
    """Break a long tuple into one element a line, as ruff does."""
    if len(line) <= WIDTH:
        return [line]
    head, _, body = line.partition("(")
    indent = " " * (len(head) - len(head.lstrip()))
    return [f"{head}(", *(f"{indent}    {part}," for part in body.rstrip(")").split(", ")), f"{indent})"]
