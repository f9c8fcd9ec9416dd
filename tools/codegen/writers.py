"""Emits the body of one writer: straight-line code for the versions of one layout.

Runs of fixed-size fields, and the length or count that follows them, become one `pack`.  The empty tag buffer that ends
most flexible structs is a pad byte of the run before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.codegen.classes import differs_from_default
from tools.codegen.emitter import Emitter, Slot
from tools.codegen.model import FIXED_TYPES, TAG_BUFFER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tools.codegen.imports import ModuleNames
    from tools.codegen.model import FieldSpec, MessageSpec, StructSpec, Versions


def emit_writer(message: MessageSpec, versions: Versions, flexible: bool, names: ModuleNames) -> list[str]:
    """The body of the writer of *message* for *versions*, which are flexible all or none."""
    writer = _Writer(names, flexible)
    writer.struct(message.body, "m", versions)
    writer.flush(versions)
    return writer.lines or ["    pass"]


class _Writer(Emitter):
    def __init__(self, names: ModuleNames, flexible: bool) -> None:
        super().__init__(names, flexible)
        self.out = "out"
        self.variables: dict[str, tuple[str, str]] = {}  # field as an expression -> variables with its value, its bytes

    # -- runs ------------------------------------------------------------------------------------------------------

    def slot(self, field: FieldSpec, owner: str) -> Slot:
        return Slot(FIXED_TYPES[field.type][0], f"{owner}.{field.name}", field.versions, field, owner)

    def emit_run(self, slots: Sequence[Slot]) -> None:
        formats = [slot.format for slot in slots]
        values = ", ".join(slot.expression for slot in slots if slot.expression)
        if formats == ["B"]:
            self.line(f"{self.out}.append({values})")
        elif not values:
            zeros = "\\0" * len(formats)
            self.line(f"{self.out}.append(0)" if len(formats) == 1 else f'{self.out} += b"{zeros}"')
        else:
            self.line(f"{self.out} += {self.names.method('pack', formats)}({values})")

    def absent(self, field: FieldSpec, owner: str) -> None:
        if not field.ignorable:
            with self.block(f"if {differs_from_default(field, f'{owner}.{field.name}', self.names)}:"):
                self.line(f'raise {self.names.use("absent_field_error")}("{field.name}")')

    # -- structs ---------------------------------------------------------------------------------------------------

    def struct(self, struct: StructSpec, source: str, scope: Versions) -> None:
        """The object in the variable *source*; its last run may still be pending."""
        on_wire, tagged = struct.within(scope)
        present = {each.name for each in [*on_wire, *tagged]}
        for each in struct.declared:
            if each.name not in present:
                self.absent(each, source)
        self.fields(struct, source, scope)

    def single_struct(self, field: FieldSpec, owner: str, scope: Versions) -> None:
        assert field.struct is not None
        variable = self.name(field.name)
        self.line(f"{variable} = {owner}.{field.name}")
        self._refuse_null(field, variable, scope)
        if not field.nullable & scope:
            self.struct(field.struct, variable, scope)
            return
        self.flush(scope)
        with self.block(f"if {variable} is None:"):
            self.line(f"{self.out}.append({255 if field.tag is None else 0})")
        with self.block("else:"):
            self.run.append(Slot("b", "1", scope))
            self.struct(field.struct, variable, scope)
            self.flush(scope)

    def _refuse_null(self, field: FieldSpec, value: str, scope: Versions) -> None:
        """Refuse None where the class allows it, but not every version of *scope* does."""
        nullable = field.nullable & scope
        if nullable == scope or not (field.nullable or field.default is None):
            return
        also = f" and {(scope - nullable).test(scope)}" if nullable else ""
        with self.block(f"if {value} is None{also}:"):
            self.line(f'raise {self.names.use("null_field_error")}("{field.name}")')

    # -- strings, bytes, records, arrays ---------------------------------------------------------------------------

    def length_joins_run(self, field: FieldSpec) -> bool:
        return not (field.fields if field.type == TAG_BUFFER else self.flexible)

    def prepare(self, field: FieldSpec, owner: str, scope: Versions) -> None:
        if field.type == TAG_BUFFER:
            return
        source = f"{owner}.{field.name}"
        value = self.name(field.name)
        self.line(f"{value} = {source}")
        if field.type == "records" and not field.is_array:
            self._records_size(field, value, scope)
            self.variables[source] = value, value
            return
        self._refuse_null(field, value, scope)
        is_string = field.type == "string" and not field.is_array
        data = self._encoded(field, value, bool(field.nullable & scope)) if is_string else value
        self.variables[source] = value, data

    def _encoded(self, field: FieldSpec, value: str, nullable: bool) -> str:
        """The variable with the UTF-8 of the string in the variable *value*."""
        data = self.name(f"{field.name}_bytes")
        null_or = f'b"" if {value} is None else ' if nullable else ""
        self.line(f"{data} = {null_or}{value}.encode()")
        return data

    def _records_size(self, field: FieldSpec, value: str, scope: Versions) -> None:
        """The size of the records in the variable *value* as n, as it is written: -1 for null, one more if compact."""
        self._refuse_null(field, value, scope)
        compact = bool(field.flexible & scope)
        more = " + 1" if compact else ""
        head = "if"
        if field.nullable & scope:
            with self.block(f"if {value} is None:"):
                self.line(f"n = {compact - 1}")
            head = "elif"
        with self.block(f"{head} isinstance({value}, {self.names.use('BUFFERS')}):"):
            self.line(f"n = len({value}){more}")
        with self.block("else:"):
            self.line(f"n = {value}.size_bytes{more}")

    def length(self, field: FieldSpec, owner: str, scope: Versions) -> None:
        if field.type == TAG_BUFFER:
            if not field.fields:
                self.run.append(Slot("x", "", scope))
            return
        value, data = self.variables[f"{owner}.{field.name}"]
        if field.type == "records" and not field.is_array:
            if field.flexible & scope:
                self._compact_length(scope)
            else:
                self.run.append(Slot("i", "n", scope))
            return
        nullable = value if field.nullable & scope else ""
        self._length(field, f"len({data})", nullable, scope, is_count=field.is_array)

    def _length(self, field: FieldSpec, expression: str, nullable: str, scope: Versions, *, is_count: bool) -> None:
        """The length *expression*; *nullable* is the variable that may be None, or empty."""
        if field.flexible & scope:
            null_or = f"0 if {nullable} is None else " if nullable else ""
            self.line(f"n = {null_or}{expression} + 1")
            self._compact_length(scope)
            return
        if nullable:
            expression = f"-1 if {nullable} is None else {expression}"
        self.run.append(Slot("h" if field.type == "string" and not is_count else "i", expression, scope))

    def _compact_length(self, scope: Versions) -> None:
        """n as a varint, which is one byte mostly, and then part of the pending run."""
        if any(slot.versions & scope != scope for slot in self.run):
            self.flush(scope)
        before = self.run
        with self.block("if n > 127:"):
            self.flush(scope)
            self.line(f"{self.names.use('write_uvarint')}({self.out}, n)")
        with self.block("else:"):
            self.run = [*before, Slot("B", "n", scope)]
            self.flush(scope)

    def after_length(self, field: FieldSpec, owner: str, scope: Versions) -> None:
        if field.type == TAG_BUFFER:
            self.tagged_fields(field.fields, owner, scope)
            return
        value, data = self.variables[f"{owner}.{field.name}"]
        nullable = bool(field.nullable & scope)
        if field.is_array:
            if nullable:
                with self.block(f"if {value} is not None:"):
                    self.elements(field, value, scope)
            else:
                self.elements(field, value, scope)
        elif field.type == "records":
            self._records(value, nullable, empty=1 if field.flexible & scope else 0)
        elif nullable and data == value:
            with self.block(f"if {value} is not None:"):
                self.line(f"{self.out} += {data}")
        else:
            self.line(f"{self.out} += {data}")

    def _records(self, value: str, nullable: bool, empty: int) -> None:
        """Record data: copied if it is bytes, detached if it is a file slice; n is *empty* if there is none."""
        with self.block(f"if {value} is not None and n > {empty}:" if nullable else f"if n > {empty}:"):
            with self.block(f"if isinstance({value}, {self.names.use('BUFFERS')}):"):
                self.line(f"{self.out} += {value}")
            with self.block("else:"):
                self.line(f"{self.names.use('detach')}({self.out}, {value})")

    def elements(self, field: FieldSpec, items: str, scope: Versions) -> None:
        if field.struct is None and field.type in FIXED_TYPES:
            if field.type == "uuid":
                self.line(f'{self.out} += b"".join({items})')
            else:
                self.line(f"{self.out} += {self.names.array_packer(FIXED_TYPES[field.type][0])}({items})")
            return
        item = self.element_name(field.name)
        with self.block(f"for {item} in {items}:"):
            if field.struct is not None:
                self.struct(field.struct, item, scope)
                self.flush(scope)
                return
            data = self._encoded(field, item, nullable=False) if field.type == "string" else item
            self._length(field, f"len({data})", "", scope, is_count=False)
            self.flush(scope)
            self.line(f"{self.out} += {data}")

    # -- tagged fields ---------------------------------------------------------------------------------------------

    def tagged_fields(self, tagged: Sequence[FieldSpec], owner: str, scope: Versions) -> None:
        """Count, then tag, size and value of each field that is not at its default."""
        if len(tagged) == 1:
            field, here = tagged[0], tagged[0].versions & scope
            with self.block(f"if {self._is_set(field, owner, scope)}:"):
                self._refuse_tagged(field, scope)
                self.line(f"{self.out}.append(1)")
                self._tagged_field(field, owner, here)
            with self.block("else:"):
                self.line(f"{self.out}.append(0)")
        elif tagged:
            variables = []
            for field in tagged:
                variable = self.name(f"has_{field.name}")
                is_set = self._is_set(field, owner, scope)
                is_list = field.is_array and field.default is not None
                self.line(f"{variable} = bool({is_set})" if is_list else f"{variable} = {is_set}")
                variables.append(variable)
            self.line(f"n = {' + '.join(variables)}")
            self.line(f"{self.out}.append(n)")
            with self.block("if n:"):
                for field, variable in zip(tagged, variables, strict=True):
                    with self.block(f"if {variable}:"):
                        self._refuse_tagged(field, scope)
                        self._tagged_field(field, owner, field.versions & scope)

    def _is_set(self, field: FieldSpec, owner: str, scope: Versions) -> str:
        """A condition: *field* is written; those that are not ignorable are, or are refused."""
        is_set, here = differs_from_default(field, f"{owner}.{field.name}", self.names), field.versions & scope
        return f"{is_set} and {here.test(scope)}" if here != scope and field.ignorable else is_set

    def _refuse_tagged(self, field: FieldSpec, scope: Versions) -> None:
        """Refuse a field that is set in those versions of *scope* that lack it."""
        here = field.versions & scope
        if here != scope and not field.ignorable:
            with self.block(f"if {(scope - here).test(scope)}:"):
                self.line(f'raise {self.names.use("absent_field_error")}("{field.name}")')

    def _tagged_field(self, field: FieldSpec, owner: str, scope: Versions) -> None:
        outer, self.out = self.out, self.name("part")
        self.line(f"{self.out} = bytearray()")
        if field.is_fixed:
            self.run.append(self.slot(field, owner))
        else:
            self.variable(field, owner, scope)
        self.flush(scope)
        write_uvarint = self.names.use("write_uvarint")
        self.line(f"{write_uvarint}({outer}, {field.tag})")
        self.line(f"{write_uvarint}({outer}, len({self.out}))")
        self.line(f"{outer} += {self.out}")
        self.out = outer
