"""Emits the body of one reader: straight-line code for the versions of one layout.

Runs of fixed-size fields, and the length or count that follows them, become one `unpack_from` into attributes.  Strings
that run past the end are cut short by Python's slicing, so every reader ends by checking that it did not pass the end;
any read from behind the end fails at once.  Arrays are refused before allocating when their least size does not fit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.codegen.classes import element_type, fresh_default
from tools.codegen.emitter import SIZES, Emitter, Slot
from tools.codegen.model import FIXED_TYPES, NO_VERSIONS, TAG_BUFFER, Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tools.codegen.imports import ModuleNames
    from tools.codegen.model import FieldSpec, MessageSpec, StructSpec, Versions


def least_size(field: FieldSpec, version: int, element: bool = False) -> int:
    """The fewest bytes that *field* (or one element of it) can take at *version*."""
    if field.is_array and not element:
        return 1 if version in field.flexible else 4
    if field.struct is not None:
        if not field.is_array and version in field.nullable:
            return 1
        return sum(least_size(each, version) for each in field.struct.at(version)[0]) + (version in field.flexible)
    if field.type in FIXED_TYPES:
        return FIXED_TYPES[field.type][1]
    return 1 if version in field.flexible else {"string": 2, "bytes": 4, "records": 4}[field.type]


def emit_reader(message: MessageSpec, versions: Versions, flexible: bool, names: ModuleNames) -> list[str]:
    """The body of the reader of *message* for *versions*, which are flexible all or none."""
    reader = _Reader(message, names, flexible)
    reader.line("size = len(b)")
    reader.struct(message.body, "m", versions)
    reader.flush(versions)
    with reader.block("if at > size:"):
        reader.fail(f'f"{message.name} is {{at - size}} bytes short"')
    reader.line("return m, at")
    return reader.lines


class _Reader(Emitter):
    def __init__(self, message: MessageSpec, names: ModuleNames, flexible: bool) -> None:
        super().__init__(names, flexible)
        self.copies = not message.body.has_records()  # the buffer is bytes, not a memoryview
        self.is_request = message.kind is Kind.REQUEST

    def fail(self, message: str) -> None:
        self.line(f"raise {self.names.use('ProtocolError')}({message})")

    # -- runs ------------------------------------------------------------------------------------------------------

    def slot(self, field: FieldSpec, owner: str) -> Slot:
        return Slot(FIXED_TYPES[field.type][0], f"{owner}.{field.name}", field.versions, field, owner)

    def emit_run(self, slots: Sequence[Slot]) -> None:
        formats = [slot.format for slot in slots]
        targets = ", ".join(slot.expression for slot in slots)
        if formats == ["B"]:
            self.line(f"{targets} = b[at]")
        elif len(formats) == 1:
            self.line(f"{targets} = {self.names.method('unpack_from', formats)}(b, at)[0]")
        else:
            self.line(f"{targets} = {self.names.method('unpack_from', formats)}(b, at)")
        self.line(f"at += {sum(SIZES[each] for each in formats)}")

    def absent(self, field: FieldSpec, owner: str) -> None:
        self.line(f"{owner}.{field.name} = {fresh_default(field, self.names)}")

    # -- structs ---------------------------------------------------------------------------------------------------

    def struct(self, struct: StructSpec, target: str, scope: Versions) -> None:
        """A new object in the variable *target*, filled from the wire; its last run may still be pending."""
        self.line(f"{target} = {self.names.use('new')}({struct.name})")
        on_wire = {each.name for each in struct.within(scope)[0]}
        for each in struct.declared:
            if each.name not in on_wire:
                self.absent(each, target)
        self.fields(struct, target, scope)

    def single_struct(self, field: FieldSpec, owner: str, scope: Versions) -> None:
        assert field.struct is not None
        target, variable = f"{owner}.{field.name}", self.name(field.name)
        if not field.nullable & scope:
            self.struct(field.struct, variable, scope)
            self.flush(scope)
            self.line(f"{target} = {variable}")
            return
        if field.tag is not None:  # Kafka marks a null struct in two ways: 0, not -1, where it is tagged
            self.line(f"n, at = {self.names.use('read_uvarint')}(b, at)")
            test = "n == 0"
        else:
            self.run.append(Slot("b", "n", scope))
            self.flush(scope)
            test = "n < 0"
        with self.block(f"if {test}:"):
            self.line(f"{target} = None")
        with self.block("else:"):
            self.struct(field.struct, variable, scope)
            self.flush(scope)
            self.line(f"{target} = {variable}")

    # -- strings, bytes, records, arrays ---------------------------------------------------------------------------

    def length_joins_run(self, field: FieldSpec) -> bool:
        return True

    def prepare(self, field: FieldSpec, owner: str, scope: Versions) -> None:
        pass

    def length(self, field: FieldSpec, owner: str, scope: Versions) -> None:
        if field.type == TAG_BUFFER:
            self.run.append(Slot("B", "tags", scope))
        else:
            self._length(field, scope, is_count=field.is_array)

    def _length(self, field: FieldSpec, scope: Versions, *, is_count: bool) -> None:
        if field.flexible & scope:
            format_ = "B"
        else:
            format_ = "h" if field.type == "string" and not is_count else "i"
        self.run.append(Slot(format_, "n", scope))

    def after_length(self, field: FieldSpec, owner: str, scope: Versions) -> None:
        if field.type == TAG_BUFFER:
            self.tagged_fields(field.fields, owner, scope)
            return
        self._long_length(field, scope)
        if field.is_array:
            self.array(field, f"{owner}.{field.name}", scope)
        else:
            self.bytes_(field, f"{owner}.{field.name}", scope, field.nullable & scope)

    def _long_length(self, field: FieldSpec, scope: Versions) -> None:
        if field.flexible & scope:
            with self.block("if n > 127:"):
                self.line(f"n, at = {self.names.use('read_long_uvarint')}(b, at, n)")

    def bytes_(self, field: FieldSpec, target: str, scope: Versions, nullable: Versions) -> None:
        """The n (compact: n - 1) bytes of a string, of bytes or of records; versions of *nullable* may have none."""
        flexible = field.flexible & scope
        copy = "" if self.copies or field.type == "records" else ".tobytes()"
        # as Java: malformed bytes become U+FFFD, so that an unknown name is answered, and does not close the connection
        text = f"b[at:end]{copy}" + ('.decode("utf-8", "replace")' if field.type == "string" else "")
        with self.block("if n == 0:" if flexible else "if n < 0:"):
            if nullable != scope:
                error = f'{self.names.use("ProtocolError")}("{field.name} is null")'
                self._refuse_null(error, scope, nullable)
            if nullable:
                self.line(f"{target} = None")
        if nullable:
            with self.block("else:"):
                self._take(target, text, flexible)
        else:
            self._take(target, text, flexible)

    def _refuse_null(self, error: str, scope: Versions, nullable: Versions) -> None:
        """Raise *error* in those versions of *scope* that are not in *nullable*."""
        if not nullable:
            self.line(f"raise {error}")
        elif nullable != scope:
            with self.block(f"if {(scope - nullable).test(scope)}:"):
                self.line(f"raise {error}")

    def _take(self, target: str, text: str, flexible: Versions) -> None:
        self.line("end = at + n - 1" if flexible else "end = at + n")
        self.line(f"{target} = {text}")
        self.line("at = end")

    def array(self, field: FieldSpec, target: str, scope: Versions) -> None:
        """The n (compact: n - 1) elements of an array."""
        if field.flexible & scope:
            self.line("n -= 1")
        least = min(least_size(field, version, element=True) for version in scope)
        too_many = "n > size - at" if least <= 1 else f"n * {least} > size - at"
        error = f'{self.names.use("count_error")}("{field.name}", n)'
        nullable = field.nullable & scope
        if not nullable:
            with self.block(f"if n < 0 or {too_many}:"):
                self.line(f"raise {error}")
            self.elements(field, target, scope)
            return
        with self.block("if n < 0:"):
            self._refuse_null(error, scope, nullable)
            self.line(f"{target} = None")
        with self.block("else:"):
            with self.block(f"if {too_many}:"):
                self.line(f"raise {error}")
            self.elements(field, target, scope)

    def elements(self, field: FieldSpec, target: str, scope: Versions) -> None:
        if field.struct is None and field.type in FIXED_TYPES:
            format_, width = FIXED_TYPES[field.type]
            unpack = self.names.method("iter_unpack", [format_])
            self.line(f"end = at + n * {width}" if width > 1 else "end = at + n")
            self.line(f"{target} = [each for (each,) in {unpack}(b[at:end])]")
            self.line("at = end")
            return
        items = self.name(field.name)
        item = self.element_name(field.name)
        self.line(f"{items}: list[{element_type(field, self.is_request, self.names)}] = []")
        self.line(f"{target} = {items}")
        if field.struct is not None and self._are_fixed(field, scope):
            self.fixed_elements(field, field.struct, items, item, scope)
            return
        with self.block("for _ in range(n):"):
            if field.struct is None:
                self._length(field, scope, is_count=False)
                self.flush(scope)
                self._long_length(field, scope)
                self.bytes_(field, item, scope, NO_VERSIONS)
            else:
                self.struct(field.struct, item, scope)
                self.flush(scope)
            self.line(f"{items}.append({item})")

    @staticmethod
    def _are_fixed(field: FieldSpec, scope: Versions) -> bool:
        """Whether all elements of *field* have the same size, in each version of *scope*."""
        if field.struct is None or field.flexible & scope:
            return False
        by_version = [field.struct.at(version)[0] for version in scope]
        return all(on_wire and all(each.is_fixed for each in on_wire) for on_wire in by_version)

    def fixed_elements(self, field: FieldSpec, struct: StructSpec, items: str, item: str, scope: Versions) -> None:
        """Structs of equal size, unpacked by one iterator."""
        values = self.name("values")
        on_wire = struct.within(scope)[0]
        for part in self.branches(scope.split([each.versions for each in on_wire])):
            present = struct.within(part)[0]
            formats = [FIXED_TYPES[each.type][0] for each in present]
            self.line(f"end = at + n * {sum(SIZES[each] for each in formats)}")
            with self.block(f"for {values} in {self.names.method('iter_unpack', formats)}(b[at:end]):"):
                self.line(f"{item} = {self.names.use('new')}({struct.name})")
                for each in struct.declared:
                    if each.name not in {other.name for other in present}:
                        self.absent(each, item)
                targets = ", ".join(f"{item}.{each.name}" for each in present)
                self.line(f"{targets}{',' if len(present) == 1 else ''} = {values}")
                self.line(f"{items}.append({item})")
        self.line("at = end")

    # -- tagged fields ---------------------------------------------------------------------------------------------

    def tagged_fields(self, tagged: Sequence[FieldSpec], owner: str, scope: Versions) -> None:
        """The tagged fields that end a struct; those of the spec are read, the rest is skipped."""
        with self.block("if tags:"):
            if not tagged:
                self.line(f"at = {self.names.use('skip_tagged_fields')}(b, at, tags)")
                return
            read_uvarint = self.names.use("read_uvarint")
            tag_end = self.name("tag_end")
            with self.block("if tags > 127:"):
                self.line(f"tags, at = {self.names.use('read_long_uvarint')}(b, at, tags)")
            with self.block("for _ in range(tags):"):
                self.line(f"tag, at = {read_uvarint}(b, at)")
                self.line(f"n, at = {read_uvarint}(b, at)")
                self.line(f"{tag_end} = at + n")
                for position, field in enumerate(tagged):
                    here = field.versions & scope
                    also = "" if here == scope else f" and {here.test(scope)}"
                    with self.block(f"{'elif' if position else 'if'} tag == {field.tag}{also}:"):
                        if field.is_fixed:
                            self.run.append(self.slot(field, owner))
                            self.flush(here)
                        else:
                            self.variable(field, owner, here)
                with self.block("else:"):
                    self.line(f"at = {tag_end}")
                with self.block(f"if at != {tag_end} or at > size:"):
                    self.fail('"a tagged field does not have the size it announces"')
