"""Puts generated files together: which files there are, and what each one says."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from tools.codegen.classes import annotation, default_constant, emit_class, has_records, uses_default_constant
from tools.codegen.emitter import Constants
from tools.codegen.parse import SPEC_DIR, load_errors, load_specs, module_name
from tools.codegen.readers import emit_reader
from tools.codegen.tables import api_module, errors_module
from tools.codegen.writers import emit_writer

if TYPE_CHECKING:
    from pathlib import Path

    from tools.codegen.model import ApiSpec, MessageSpec, StructSpec

PROTOCOL = SPEC_DIR.parent / "wirebroker" / "protocol"


def generated_files() -> dict[Path, str]:
    """Path -> text of everything that the specs stand for."""
    specs = load_specs()
    apis = [spec for spec in specs if spec.key is not None]
    files = {PROTOCOL / "messages" / f"{module_name(api)}.py": message_module(api) for api in apis}
    for spec in specs:
        if spec.key is None and spec.file != "headers":
            files[PROTOCOL / "internal" / f"{spec.file}.py"] = message_module(spec, "internal/")
    files[PROTOCOL / "api.py"] = api_module(apis)
    files[PROTOCOL / "errors.py"] = errors_module(load_errors())
    return files


def message_module(api: ApiSpec, directory: str = "") -> str:
    """The module with all classes and functions of one spec file."""
    constants = Constants()
    structs: list[tuple[StructSpec, MessageSpec | None, bool]] = []
    for message in api.messages:
        for struct in message.structs():
            if all(struct.name != known.name for known, _, _ in structs):
                is_body = struct is message.body
                structs.append((struct, message if is_body else None, message.name.endswith("Request")))
    defaults = {
        field.struct.name
        for struct, _, _ in structs
        for field in struct.declared
        if uses_default_constant(field) and field.struct is not None
    }
    classes: list[str] = []
    for struct, body_of, request in structs:
        classes += emit_class(struct, body_of, request)
        if struct.name in defaults:
            classes += ["", "", f"{default_constant(struct.name)} = default_of({struct.name})"]
    functions: list[str] = []
    tables: list[str] = []
    for message in api.messages:
        functions += message_functions(message, constants, tables)

    text = "\n".join(classes + functions)
    primitives = set(constants.helpers)
    primitives |= {name for name in ("UNSET", "ZERO_UUID") if re.search(rf"\b{name}\b", text)}
    bases = {name for name in ("Data", "Message") if f"({name}):" in text}
    bases |= {"default_of"} if defaults else set()
    uses_data = any(
        "RecordData" in annotation(field, request) for struct, _, request in structs for field in struct.declared
    )
    lines = [f'"""{api.title}', ""]
    lines += [textwrap.indent(api.comment, "")] if api.comment else []
    lines += [""] if api.comment else []
    lines += [f"Generated from protocol_specs/{directory}{api.file} by tools/codegen: do not edit.", '"""', ""]
    lines += ["# fmt: off", ""]
    lines += ["from __future__ import annotations", ""]
    if constants.used:
        lines.append("from struct import Struct")
    if uses_data:
        lines.append("from typing import TYPE_CHECKING")
    if constants.used or uses_data:
        lines.append("")
    if "ProtocolError" in text:
        lines.append("from wirebroker.protocol.faults import ProtocolError")
    lines.append(f"from wirebroker.protocol.message import {', '.join(sorted(bases, key=_import_order))}")
    if primitives:
        lines += _import("wirebroker.protocol.primitives", sorted(primitives, key=_import_order))
    if uses_data:
        lines += ["", "if TYPE_CHECKING:", "    from wirebroker.protocol.primitives import RecordData"]
    lines += ["", "new = object.__new__", *constants.lines()]
    return "\n".join([*lines, text, "", "", *tables]).rstrip() + "\n"


def message_functions(message: MessageSpec, constants: Constants, tables: list[str]) -> list[str]:
    """Readers and writers of *message*; adds its version tables to *tables*."""
    lines: list[str] = []
    copies = not has_records(message.body)
    buffer = "bytes" if copies else "memoryview"
    stem = re.sub(r"(?<!^)(?=[A-Z])", "_", message.name).lower()
    for verb in ("read", "write"):
        layouts: dict[tuple[str, ...], list[int]] = {}
        for version in message.versions:
            if verb == "read":
                body = emit_reader(message, version, constants, copies)
            else:
                body = emit_writer(message, version, constants)
            layouts.setdefault(tuple(body), []).append(version)
        entries = []
        for layout, versions in layouts.items():
            name = f"_{verb}_{stem}_v{_runs(versions)}"
            if verb == "read":
                signature = f"def {name}(b: {buffer}, at: int) -> tuple[{message.name}, int]:"
            else:
                signature = f"def {name}(m: {message.name}, out: bytearray) -> None:"
            lines += ["", "", signature, *layout]
            entries += [(version, name) for version in versions]
        tables.append(f"{message.name}.{verb.upper().removesuffix('E')}ERS = {{")
        tables += [f"    {version}: {name}," for version, name in sorted(entries)]
        tables.append("}")
    return lines


def _runs(versions: list[int]) -> str:
    """First and last of the versions that share a layout, for the function's name."""
    return str(versions[0]) if len(versions) == 1 else f"{versions[0]}_{versions[-1]}"


def _import_order(name: str) -> tuple[int, str]:
    """Constants, classes, functions: the order that ruff wants."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def _import(module: str, names: list[str]) -> list[str]:
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= 120:
        return [line]
    return [f"from {module} import (", *(f"    {name}," for name in names), ")"]
