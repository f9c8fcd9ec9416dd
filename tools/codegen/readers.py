"""Emits the body of one reader: version -> straight-line code.

Runs of fixed-size fields, and the length or count that follows them, become one `unpack_from` into attributes.  Strings
that run past the end are cut short by Python's slicing, so every reader ends by checking that it did not pass the end;
any read from behind the end fails at once.  Arrays are refused before allocating when their least size does not fit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.codegen.classes import element_type, fresh_default
from tools.codegen.emitter import SIZES, Constants, Emitter
from tools.codegen.model import FIXED_TYPES

if TYPE_CHECKING:
    from tools.codegen.model import FieldSpec, MessageSpec, StructSpec


def least_size(field: FieldSpec, version: int, element: bool = False) -> int:
    """The fewest bytes that *field* (or one element of it) can take."""
    if field.is_array and not element:
        return 1 if version in field.flexible else 4
    if field.struct is not None:
        if not field.is_array and version in field.nullable:
            return 1
        return sum(least_size(each, version) for each in field.struct.at(version)[0]) + (version in field.flexible)
    if field.type in FIXED_TYPES:
        return FIXED_TYPES[field.type][1]
    return 1 if version in field.flexible else {"string": 2, "bytes": 4, "records": 4}[field.type]


def emit_reader(message: MessageSpec, version: int, constants: Constants, copies: bool) -> list[str]:
    """The body of the reader of *message* at *version*; *copies*: the buffer is bytes, not a memoryview."""
    reader = _Reader(message, version, constants, copies)
    reader.line("size = len(b)")
    reader.struct(message.body, "m", version in message.flexible)
    reader.flush()
    reader.line("if at > size:")
    reader.line(f'    raise ProtocolError(f"{message.name} is {{at - size}} bytes short")')
    reader.line("return m, at")
    return reader.lines


class _Reader(Emitter):
    def __init__(self, message: MessageSpec, version: int, constants: Constants, copies: bool) -> None:
        super().__init__(constants)
        self.version = version
        self.copies = copies
        self.request = message.name.endswith("Request")
        self.run: list[tuple[str, str]] = []  # (format, target) not yet unpacked

    def flush(self) -> None:
        """Unpack the run of fixed-size values collected so far."""
        if not self.run:
            return
        formats = [each for each, _ in self.run]
        targets = ", ".join(target for _, target in self.run)
        if formats == ["B"]:
            self.line(f"{targets} = b[at]")
        elif len(formats) == 1:
            self.line(f"{targets} = {self.constants.method('unpack_from', formats)}(b, at)[0]")
        else:
            self.line(f"{targets} = {self.constants.method('unpack_from', formats)}(b, at)")
        self.line(f"at += {sum(SIZES[each] for each in formats)}")
        self.run = []

    def struct(self, struct: StructSpec, target: str, flexible: bool) -> None:
        """A new object in the variable *target*, filled from the wire; its last run may still be pending."""
        on_wire, tagged = struct.at(self.version)
        self.line(f"{target} = new({struct.name})")
        present = {each.name for each in on_wire}
        for each in struct.declared:
            if each.name not in present:
                self.line(f"{target}.{each.name} = {fresh_default(each)}")
        for each in on_wire:
            self.field(each, f"{target}.{each.name}")
        if flexible:
            self.tag_buffer(tagged, target)

    def field(self, field: FieldSpec, target: str) -> None:
        if field.is_array:
            self.array(field, target)
        elif field.struct is not None:
            self.single_struct(field, target)
        elif field.type in FIXED_TYPES:
            self.run.append((FIXED_TYPES[field.type][0], target))
        else:
            self.length(field)
            self.variable(field, target, nullable=self.version in field.nullable)

    def length(self, field: FieldSpec, element: bool = False) -> None:
        """Read the length or count of *field*, or the length of one *element* of it, into n."""
        flexible = self.version in field.flexible
        if flexible:
            self.run.append(("B", "n"))
            self.flush()
            self.line("if n > 127:")
            self.line(f"    n, at = {self.constants.helper('long_uvarint')}(b, at, n)")
        else:
            self.run.append(("h" if field.type == "string" and (element or not field.is_array) else "i", "n"))
            self.flush()

    def variable(self, field: FieldSpec, target: str, nullable: bool) -> None:
        """The n (compact: n - 1) bytes of a string, of bytes or of records."""
        flexible = self.version in field.flexible
        null = "n == 0" if flexible else "n < 0"
        end = "at + n - 1" if flexible else "at + n"
        copy = "" if self.copies or field.type == "records" else ".tobytes()"
        # as Java: malformed bytes become U+FFFD, so that a name nobody has is answered, not hung up on
        text = f"b[at:end]{copy}" + ('.decode("utf-8", "replace")' if field.type == "string" else "")
        self.line(f"if {null}:")
        if nullable:
            self.line(f"    {target} = None")
            self.line("else:")
            with self.indented():
                self.line(f"end = {end}")
                self.line(f"{target} = {text}")
                self.line("at = end")
        else:
            self.line(f'    raise ProtocolError("{field.name} is null")')
            self.line(f"end = {end}")
            self.line(f"{target} = {text}")
            self.line("at = end")

    def single_struct(self, field: FieldSpec, target: str) -> None:
        assert field.struct is not None
        variable = self.name(field.name)
        if self.version not in field.nullable:
            self.struct(field.struct, variable, self.version in field.flexible)
            self.flush()
            self.line(f"{target} = {variable}")
            return
        if self.version in field.tagged:  # Kafka marks a null struct in two ways: 0, not -1, where it is tagged
            self.line(f"n, at = {self.constants.helper('read_uvarint')}(b, at)")
            self.line("if n == 0:")
        else:
            self.run.append(("b", "n"))
            self.flush()
            self.line("if n < 0:")
        self.line(f"    {target} = None")
        self.line("else:")
        with self.indented():
            self.struct(field.struct, variable, self.version in field.flexible)
            self.flush()
            self.line(f"{target} = {variable}")

    def array(self, field: FieldSpec, target: str) -> None:
        flexible = self.version in field.flexible
        self.length(field)
        if flexible:
            self.line("n -= 1")
        least = least_size(field, self.version, element=True)
        room = "n > size - at" if least <= 1 else f"n * {least} > size - at"
        fault = f'raise {self.constants.helper("fault_length")}("{field.name}", n)'
        if self.version in field.nullable:
            self.line("if n < 0:")
            self.line(f"    {target} = None")
            self.line("else:")
            with self.indented():
                self.line(f"if {room}:")
                self.line(f"    {fault}")
                self.elements(field, target)
        else:
            self.line(f"if n < 0 or {room}:")
            self.line(f"    {fault}")
            self.elements(field, target)

    def elements(self, field: FieldSpec, target: str) -> None:
        """The n elements of an array."""
        flexible = self.version in field.flexible
        if field.struct is None and field.type in FIXED_TYPES:
            format_, width = FIXED_TYPES[field.type]
            unpack = self.constants.method("iter_unpack", [format_])
            self.line(f"end = at + n * {width}" if width > 1 else "end = at + n")
            self.line(f"{target} = [each for (each,) in {unpack}(b[at:end])]")
            self.line("at = end")
            return
        items = self.name(field.name)
        item = self.element_name(field.name)
        self.line(f"{items}: list[{element_type(field, self.request)}] = []")
        self.line(f"{target} = {items}")
        if field.struct is None:
            self.line("for _ in range(n):")
            with self.indented():
                self.length(field, element=True)
                self.variable(field, item, nullable=False)
                self.line(f"{items}.append({item})")
            return
        on_wire, _ = field.struct.at(self.version)
        if not flexible and on_wire and all(each.type in FIXED_TYPES and not each.is_array for each in on_wire):
            self.fixed_elements(field, on_wire, items, item)
            return
        self.line("for _ in range(n):")
        with self.indented():
            self.struct(field.struct, item, flexible)
            self.flush()
            self.line(f"{items}.append({item})")

    def fixed_elements(self, field: FieldSpec, on_wire: list[FieldSpec], items: str, item: str) -> None:
        """Structs of equal size, unpacked by one iterator."""
        assert field.struct is not None
        formats = [FIXED_TYPES[each.type][0] for each in on_wire]
        values = self.name("values")
        self.line(f"end = at + n * {sum(SIZES[each] for each in formats)}")
        self.line(f"for {values} in {self.constants.method('iter_unpack', formats)}(b[at:end]):")
        with self.indented():
            self.line(f"{item} = new({field.struct.name})")
            present = {each.name for each in on_wire}
            for each in field.struct.declared:
                if each.name not in present:
                    self.line(f"{item}.{each.name} = {fresh_default(each)}")
            targets = ", ".join(f"{item}.{each.name}" for each in on_wire)
            self.line(f"{targets}{',' if len(on_wire) == 1 else ''} = {values}")
            self.line(f"{items}.append({item})")
        self.line("at = end")

    def tag_buffer(self, tagged: list[FieldSpec], target: str) -> None:
        """The tagged fields that end a struct; those of the spec are read, the rest skipped."""
        self.run.append(("B", "tags"))
        self.flush()
        self.line("if tags:")
        if not tagged:
            self.line(f"    at = {self.constants.helper('skip_tags')}(b, at, tags)")
            return
        helper = self.constants.helper("read_uvarint")
        tag_end = self.name("tag_end")
        with self.indented():
            self.line("if tags > 127:")
            self.line(f"    tags, at = {self.constants.helper('long_uvarint')}(b, at, tags)")
            self.line("for _ in range(tags):")
            with self.indented():
                self.line(f"tag, at = {helper}(b, at)")
                self.line(f"n, at = {helper}(b, at)")
                self.line(f"{tag_end} = at + n")
                for position, field in enumerate(tagged):
                    self.line(f"{'el' if position else ''}if tag == {field.tag}:")
                    with self.indented():
                        self.field(field, f"{target}.{field.name}")
                        self.flush()
                self.line("else:")
                self.line(f"    at = {tag_end}")
                self.line(f"if at != {tag_end} or at > size:")
                self.line('    raise ProtocolError("a tagged field does not have the size it announces")')
