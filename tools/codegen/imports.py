"""The names that a generated module takes from elsewhere: imports, and bound methods of `struct.Struct`."""

from __future__ import annotations

from typing import Final

LETTERS: Final = {"?": "t", "16s": "u"}
"""Format character -> the letter in its place in the name of a `Struct` method."""
METHODS: Final = {"unpack_from": "_unpack", "iter_unpack": "_iter", "pack": "_pack"}
"""Method of `Struct` -> how its name begins in the generated module."""

_MESSAGE: Final = "wirebroker.protocol.message"
_PRIMITIVES: Final = "wirebroker.protocol.primitives"
HOMES: Final = {
    "Struct": "struct",
    "ProtocolError": "wirebroker.protocol.exceptions",
    "Data": _MESSAGE,
    "ReadableMessage": _MESSAGE,
    "WritableMessage": _MESSAGE,
    "default_of": _MESSAGE,
    "BUFFERS": _PRIMITIVES,
    "array_packer": _PRIMITIVES,
    "ZERO_UUID": _PRIMITIVES,
    "detach": _PRIMITIVES,
    "absent_field_error": _PRIMITIVES,
    "null_field_error": _PRIMITIVES,
    "new": _PRIMITIVES,
    "read_long_uvarint": _PRIMITIVES,
    "read_uvarint": _PRIMITIVES,
    "skip_tagged_fields": _PRIMITIVES,
    "count_error": _PRIMITIVES,
    "write_uvarint": _PRIMITIVES,
}
"""Name that generated code may use -> the module it is imported from."""
TYPES: Final = {"RecordData": _PRIMITIVES}
"""The same for names that occur in annotations only."""

WIDTH: Final = 120


class ModuleNames:
    """Collects the names that a module uses while its classes and functions are emitted."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._types: set[str] = set()
        self._functions: dict[str, str] = {}  # name -> expression

    def use(self, name: str) -> str:
        """*name*, one of HOMES; the module imports it."""
        assert name in HOMES, name
        self._used.add(name)
        return name

    def use_type(self, name: str) -> str:
        """*name*, one of TYPES; the module imports it for type checkers."""
        assert name in TYPES, name
        self._types.add(name)
        return name

    def method(self, method: str, formats: list[str]) -> str:
        """The name of a bound *method* of the `Struct` of *formats*."""
        name = f"{METHODS[method]}_{''.join(LETTERS.get(each, each) for each in formats)}"
        self._functions[name] = f'{self.use("Struct")}(">{"".join(formats)}").{method}'
        return name

    def array_packer(self, format_: str) -> str:
        """The name of a function that packs a list of values of one format."""
        name = f"_pack_list_{LETTERS.get(format_, format_)}"
        self._functions[name] = f'{self.use("array_packer")}("{format_}")'
        return name

    def import_lines(self) -> list[str]:
        """The imports, in ruff's order."""
        lines = ["from struct import Struct"] if "Struct" in self._used else []
        lines += ["from typing import TYPE_CHECKING"] if self._types else []
        lines += [""] if lines else []
        for module in sorted({HOMES[name] for name in self._used} - {"struct"}):
            lines += _import(module, [name for name in self._used if HOMES[name] == module])
        if self._types:
            lines += ["", "if TYPE_CHECKING:"]
            for module in sorted({TYPES[name] for name in self._types}):
                lines += ["    " + line for line in _import(module, [n for n in self._types if TYPES[n] == module])]
        return lines

    def function_lines(self) -> list[str]:
        """The assignments of bound methods and packers."""
        return [f"{name} = {expression}" for name, expression in sorted(self._functions.items())]


def _import(module: str, names: list[str]) -> list[str]:
    ordered = sorted(names, key=_import_order)
    line = f"from {module} import {', '.join(ordered)}"
    if len(line) <= WIDTH:
        return [line]
    return [f"from {module} import (", *(f"    {name}," for name in ordered), ")"]


def _import_order(name: str) -> tuple[int, str]:
    """Constants, classes, functions: the order that ruff wants."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)
