"""Puts generated files together: which files there are, and the text of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.codegen.classes import default_constant, emit_class, emit_message_class, places_of, uses_default_constant
from tools.codegen.imports import ModuleNames
from tools.codegen.names import snake_case
from tools.codegen.parse import SPEC_DIR, load_errors, load_specs, module_name
from tools.codegen.readers import emit_reader
from tools.codegen.tables import api_table_module, error_table_module, errors_module
from tools.codegen.usage import Direction, directions
from tools.codegen.writers import emit_writer

if TYPE_CHECKING:
    from pathlib import Path

    from tools.codegen.model import ApiSpec, MessageSpec, Versions

PROTOCOL = SPEC_DIR.parent / "wirebroker" / "protocol"
BASES = {Direction.READ: "ReadableMessage", Direction.WRITE: "WritableMessage"}
TABLES = {Direction.READ: "READERS", Direction.WRITE: "WRITERS"}


def generated_files() -> dict[Path, str]:
    """Path -> text of all that is made from the specs."""
    specs = load_specs()
    apis = [spec for spec in specs if spec.key is not None]
    files = {}
    for spec in specs:
        usage = {message.name: directions(spec, message) for message in spec.messages}
        if any(usage.values()):
            room = "internal" if spec.key is None else "messages"
            files[PROTOCOL / room / f"{module_name(spec)}.py"] = message_module(spec, usage)
    files[PROTOCOL / "api_table.py"] = api_table_module(apis)
    errors = load_errors()
    files[PROTOCOL / "errors.py"] = errors_module(errors)
    files[PROTOCOL / "error_table.py"] = error_table_module(errors)
    return files


def message_module(spec: ApiSpec, usage: dict[str, Direction]) -> str:
    """The module with the classes of one spec file, and with the functions of the directions in *usage* by message."""
    names = ModuleNames()
    messages = [message for message in spec.messages if usage[message.name]]
    body = _class_lines(messages, usage, names)
    for message in messages:
        body += _codec_lines(message, usage[message.name], names)
    directory = "internal/" if spec.key is None else ""
    lines = [f'"""{spec.title}', ""]
    lines += [spec.comment, ""] if spec.comment else []
    lines += [f"Generated from protocol_specs/{directory}{spec.file} by tools/codegen: do not edit.", '"""', ""]
    lines += ["# fmt: off", "", "from __future__ import annotations", ""]
    lines += [*names.import_lines(), ""]
    return "\n".join([*lines, *names.function_lines(), *body]).rstrip() + "\n"


def _class_lines(messages: list[MessageSpec], usage: dict[str, Direction], names: ModuleNames) -> list[str]:
    """The classes, each after those that it refers to."""
    lines: list[str] = []
    defaults = {
        field.type
        for message in messages
        for struct in message.structs()
        for field in struct.declared
        if uses_default_constant(field)
    }
    done: set[str] = set()
    for message in messages:
        places = places_of(message)
        for struct in message.structs():
            if struct.name in done:
                continue
            done.add(struct.name)
            if struct is message.body:
                lines += emit_message_class(message, [BASES[each] for each in usage[message.name]], names)
            else:
                lines += emit_class(struct, message, places[struct.name], names)
            if struct.name in defaults:
                lines += ["", "", f"{default_constant(struct.name)} = {names.use('default_of')}({struct.name})"]
    return lines


def function_lines(
    message: MessageSpec, direction: Direction, names: ModuleNames
) -> tuple[list[tuple[Versions, str]], list[str]]:
    """The readers or the writers of *message*: (versions, function name) of each layout, and the text of all."""
    table, lines = [], []
    buffer = "memoryview" if message.body.has_records() else "bytes"
    for versions, flexible in message.layouts:
        verb = "read" if direction is Direction.READ else "write"
        name = f"_{verb}_{snake_case(message.name)}_v{versions.low}"
        name += f"_{versions.high}" if versions.high > versions.low else ""
        if direction is Direction.READ:
            head = f"def {name}(b: {buffer}, at: int, version: int) -> tuple[{message.name}, int]:"
            body = emit_reader(message, versions, flexible, names)
        else:
            head = f"def {name}(m: {message.name}, out: bytearray, version: int) -> None:"
            body = emit_writer(message, versions, flexible, names)
        lines += ["", "", head, *body]
        table.append((versions, name))
    return table, lines


def _codec_lines(message: MessageSpec, usage: Direction, names: ModuleNames) -> list[str]:
    """The functions of *message*, and the tables of its class that name them."""
    lines: list[str] = []
    for direction in usage:
        table, functions = function_lines(message, direction, names)
        entries = (f"dict.fromkeys(range({each.low}, {each.high + 1}), {function})" for each, function in table)
        lines += [*functions, "", "", f"{message.name}.{TABLES[direction]} = {' | '.join(entries)}"]
    return lines
