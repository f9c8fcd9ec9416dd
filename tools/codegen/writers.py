"""Emits the body of one writer: version -> straight-line code.

Runs of fixed-size fields, and the length or count that follows them, become one `pack`.  The empty tag buffer that ends
most flexible structs is a pad byte of the run before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.codegen.classes import differs_from_default
from tools.codegen.emitter import Constants, Emitter
from tools.codegen.model import FIXED_TYPES

if TYPE_CHECKING:
    from tools.codegen.model import FieldSpec, MessageSpec, StructSpec


def emit_writer(message: MessageSpec, version: int, constants: Constants) -> list[str]:
    """The body of the writer of *message* at *version*."""
    writer = _Writer(version, constants)
    writer.struct(message.body, "m", version in message.flexible)
    writer.flush()
    return writer.lines or ["    pass"]


class _Writer(Emitter):
    def __init__(self, version: int, constants: Constants) -> None:
        super().__init__(constants)
        self.version = version
        self.out = "out"
        self.run: list[tuple[str, str]] = []  # (format, expression) not yet packed

    def flush(self) -> None:
        """Pack the run of fixed-size values collected so far."""
        formats = [each for each, _ in self.run]
        values = ", ".join(value for _, value in self.run if value)
        if not self.run:
            return
        if not values:
            zeros = "\\0" * len(formats)
            self.line(f"{self.out}.append(0)" if len(formats) == 1 else f'{self.out} += b"{zeros}"')
        elif formats == ["B"]:
            self.line(f"{self.out}.append({values})")
        else:
            self.line(f"{self.out} += {self.constants.method('pack', formats)}({values})")
        self.run = []

    def struct(self, struct: StructSpec, source: str, flexible: bool) -> None:
        """The fields of the object in the variable *source*; its last run may still be pending."""
        on_wire, tagged = struct.at(self.version)
        present = {each.name for each in [*on_wire, *tagged]}
        for each in struct.declared:
            if each.name not in present and not each.ignorable:
                self.line(f"if {differs_from_default(each, f'{source}.{each.name}')}:")
                self.line(f'    raise {self.constants.helper("fault_absent")}("{each.name}")')
        for each in on_wire:
            self.field(each, f"{source}.{each.name}")
        if tagged:
            self.tag_buffer(tagged, source)
        elif flexible:
            self.run.append(("x", ""))

    def field(self, field: FieldSpec, source: str) -> None:
        """One field whose value is the expression *source*."""
        nullable = self.version in field.nullable
        may_be_none = bool(field.nullable) or field.default is None
        if field.type in FIXED_TYPES and not field.is_array:
            self.run.append((FIXED_TYPES[field.type][0], source))
            return
        if field.type == "records":
            self.records(field, source, nullable)
            return
        if field.struct is not None and not field.is_array:
            self.single_struct(field, source, nullable)
            return
        value = self.name(field.name)
        self.line(f"{value} = {source}")
        if may_be_none and not nullable:
            self.line(f"if {value} is None:")
            self.line(f'    raise {self.constants.helper("fault_null")}("{field.name}")')
        if field.is_array:
            self.array(field, value, nullable)
        else:
            self.variable(field, value, nullable)

    def length(self, field: FieldSpec, expression: str, nullable_value: str, *, string: bool) -> None:
        """The length or count before the elements; *nullable_value* is what may be None, or empty."""
        if self.version in field.flexible:
            self.flush()
            null_or = f"0 if {nullable_value} is None else " if nullable_value else ""
            self.line(f"n = {null_or}{expression} + 1")
            self.line("if n > 127:")
            self.line(f"    {self.constants.helper('put_uvarint')}({self.out}, n)")
            self.line("else:")
            self.line(f"    {self.out}.append(n)")
        else:
            if nullable_value:
                expression = f"-1 if {nullable_value} is None else {expression}"
            self.run.append(("h" if string else "i", expression))
            self.flush()

    def variable(self, field: FieldSpec, value: str, nullable: bool) -> None:
        """A string or bytes in the variable *value*."""
        if field.type == "string":
            data = self.name(f"{field.name}_bytes")
            null_or = f'b"" if {value} is None else ' if nullable else ""
            self.line(f"{data} = {null_or}{value}.encode()")
        else:
            data = value
        self.length(field, f"len({data})", value if nullable else "", string=field.type == "string")
        if nullable and data == value:
            self.line(f"if {value} is not None:")
            self.line(f"    {self.out} += {data}")
        else:
            self.line(f"{self.out} += {data}")

    def records(self, field: FieldSpec, source: str, nullable: bool) -> None:
        """Record data: copied if it is bytes, detached if it is a file slice."""
        value = self.name(field.name)
        self.line(f"{value} = {source}")
        self.line(f"if {value} is None:")
        if nullable:
            self.line("    n = -1")
        else:
            self.line(f'    raise {self.constants.helper("fault_null")}("{field.name}")')
        buffers = self.constants.helper("BUFFERS")
        self.line(f"elif isinstance({value}, {buffers}):")
        self.line(f"    n = len({value})")
        self.line("else:")
        self.line(f"    n = {value}.size_bytes")
        if self.version in field.flexible:
            self.flush()
            self.line(f"{self.constants.helper('put_uvarint')}({self.out}, n + 1)")
        else:
            self.run.append(("i", "n"))
            self.flush()
        self.line(f"if {value} is not None and n:" if nullable else "if n:")
        self.line(f"    if isinstance({value}, {buffers}):")
        self.line(f"        {self.out} += {value}")
        self.line("    else:")
        self.line(f"        {self.constants.helper('detach')}({self.out}, {value})")

    def single_struct(self, field: FieldSpec, source: str, nullable: bool) -> None:
        assert field.struct is not None
        variable = self.name(field.name)
        flexible = self.version in field.flexible
        self.line(f"{variable} = {source}")
        if nullable:
            self.flush()
            self.line(f"if {variable} is None:")
            self.line(f"    {self.out}.append({0 if self.version in field.tagged else 255})")
            self.line("else:")
            with self.indented():
                self.run.append(("b", "1"))
                self.struct(field.struct, variable, flexible)
                self.flush()
            return
        if field.nullable or field.default is None:
            self.line(f"if {variable} is None:")
            self.line(f'    raise {self.constants.helper("fault_null")}("{field.name}")')
        self.struct(field.struct, variable, flexible)

    def array(self, field: FieldSpec, items: str, nullable: bool) -> None:
        self.length(field, f"len({items})", items if nullable else "", string=False)
        if nullable:
            self.line(f"if {items} is not None:")
            with self.indented():
                self.elements(field, items)
        else:
            self.elements(field, items)

    def elements(self, field: FieldSpec, items: str) -> None:
        if field.struct is None and field.type in FIXED_TYPES:
            if field.type == "uuid":
                self.line(f'{self.out} += b"".join({items})')
            else:
                pack = self.constants.method("pack", [FIXED_TYPES[field.type][0]])
                self.line(f'{self.out} += b"".join(map({pack}, {items}))')
            return
        item = self.element_name(field.name)
        self.line(f"for {item} in {items}:")
        with self.indented():
            if field.struct is None:
                self.variable(field, item, nullable=False)
            else:
                before = len(self.lines)
                self.struct(field.struct, item, self.version in field.flexible)
                self.flush()
                if len(self.lines) == before:
                    self.line("pass")

    def tag_buffer(self, tagged: list[FieldSpec], source: str) -> None:
        """Count, then tag, size and value of each field that is not at its default."""
        self.flush()
        present = []
        for field in tagged:
            variable = self.name(f"has_{field.name}")
            self.line(f"{variable} = {differs_from_default(field, f'{source}.{field.name}')}")
            if field.is_array and not field.nullable:
                self.lines[-1] = self.lines[-1].replace(" = ", " = bool(") + ")"
            present.append(variable)
        self.line(f"{self.out}.append({' + '.join(present)})")
        for field, variable in zip(tagged, present, strict=True):
            self.line(f"if {variable}:")
            with self.indented():
                outer = self.out
                self.out = self.name("part")
                self.line(f"{self.out} = bytearray()")
                self.field(field, f"{source}.{field.name}")
                self.flush()
                put = self.constants.helper("put_uvarint")
                self.line(f"{put}({outer}, {field.tag})")
                self.line(f"{put}({outer}, len({self.out}))")
                self.line(f"{outer} += {self.out}")
                self.out = outer
