"""The base class of the emitters of readers and writers: lines, names, runs of values, and branches on the version.

One function is emitted for each layout of a message: for its flexible versions and for the others.  The emitter walks
through the fields of a struct with the *scope*, the versions that can get there:

- values of fixed size are collected into a run, which becomes one call of a `Struct` method; when fields of the run are
  not in all versions of the scope, there is one call per combination, in an `if version >= n` chain, newest first;
- a field of variable size that only some versions have gets an `if` of its own.  The run before it, and the values up
  to the next length, are emitted in both branches, so that each version still does them with one call.
"""

from __future__ import annotations

import keyword
from abc import ABC, abstractmethod
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tools.codegen.model import TAG_BUFFER, FieldSpec, StructSpec
from tools.codegen.names import singular

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tools.codegen.imports import ModuleNames
    from tools.codegen.model import Versions

# names that generated functions use for themselves
TAKEN = {"m", "b", "at", "n", "end", "size", "out", "tags", "tag", "each", "version"}
TAKEN |= {"len", "range", "bytes", "str", "list", "bool", "map", "isinstance"}
SIZES = {"x": 1, "B": 1, "b": 1, "?": 1, "h": 2, "H": 2, "i": 4, "I": 4, "q": 8, "d": 8, "16s": 16}


@dataclass(frozen=True, slots=True)
class Slot:
    """One value of a run.

    `expression` is a target to assign to, or a value to pack; empty for a byte of padding.  `field`, of the object in
    the variable `owner`, is None for lengths, counts and the like.
    """

    format: str
    expression: str
    versions: Versions
    field: FieldSpec | None = None
    owner: str = ""


class Emitter(ABC):
    """Collects the body of one function; *flexible*: lengths are compact, and structs end with a tag buffer."""

    def __init__(self, names: ModuleNames, flexible: bool) -> None:
        self.names = names
        self.flexible = flexible
        self.lines: list[str] = []
        self.depth = 1
        self.taken = set(TAKEN)
        self.run: list[Slot] = []

    # -- the parts that are different in readers and in writers ------------------------------------------------------

    @abstractmethod
    def slot(self, field: FieldSpec, owner: str) -> Slot:
        """The value of a field of fixed size of the object in the variable *owner*."""

    @abstractmethod
    def emit_run(self, slots: Sequence[Slot]) -> None:
        """Emit one call for *slots*, which is not empty."""

    @abstractmethod
    def absent(self, field: FieldSpec, owner: str) -> None:
        """A field that no version of the current scope has."""

    @abstractmethod
    def single_struct(self, field: FieldSpec, owner: str, scope: Versions) -> None:
        """A field that is one struct."""

    @abstractmethod
    def prepare(self, field: FieldSpec, owner: str, scope: Versions) -> None:
        """Assign the variables that `length` and `after_length` use, ahead of branches with the length in them."""

    @abstractmethod
    def length(self, field: FieldSpec, owner: str, scope: Versions) -> None:
        """The length or count of *field*, as a part of the pending run where possible."""

    @abstractmethod
    def after_length(self, field: FieldSpec, owner: str, scope: Versions) -> None:
        """The bytes or the elements of *field*, or the tagged fields."""

    @abstractmethod
    def length_joins_run(self, field: FieldSpec) -> bool:
        """Whether the length of *field* becomes a part of the pending run."""

    # -- lines and names -------------------------------------------------------------------------------------------

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Emit *head*, and what the caller emits meanwhile below it."""
        self.line(head)
        self.depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.line("pass")
        self.depth -= 1

    def name(self, wanted: str) -> str:
        """*wanted*, or that with a number when it already means something else in this function."""
        candidate, number = wanted, 2
        while candidate in self.taken or keyword.iskeyword(candidate):
            candidate, number = f"{wanted}{number}", number + 1
        self.taken.add(candidate)
        return candidate

    def element_name(self, list_name: str) -> str:
        return self.name(singular(list_name))

    # -- versions --------------------------------------------------------------------------------------------------

    def branches(self, parts: Sequence[Versions]) -> Iterator[Versions]:
        """Yield each of *parts*, newest first; the lines emitted meanwhile become the branch of that part."""
        outer, bodies = self.lines, []
        newest_first = sorted(parts, key=lambda part: -part.low)
        self.depth += len(newest_first) > 1
        for part in newest_first:
            self.lines = []
            yield part
            bodies.append((part, self.lines))
        self.depth -= len(newest_first) > 1
        self.lines = outer
        self._chain(bodies)

    def _chain(self, bodies: list[tuple[Versions, list[str]]]) -> None:
        """Emit an if-elif chain of *bodies*, which are in order of falling versions and leave no version out."""
        if len(bodies) == 1:
            self.lines += bodies[0][1]
            return
        upward = not bodies[0][1]  # nothing to do in the newest versions: test for the oldest first
        if upward:
            bodies = bodies[::-1]
        count = len(bodies)
        while bodies and not bodies[-1][1]:
            bodies.pop()
        if upward and len(bodies) == 2 and not bodies[0][1]:
            part, body = bodies[1]
            self.line(f"if {part.low} <= version <= {part.high}:")
            self.lines += body
            return
        for position, (part, body) in enumerate(bodies):
            test = f"version <= {part.high}" if upward else f"version >= {part.low}"
            is_rest = position and position == count - 1
            self.line("else:" if is_rest else f"{'elif' if position else 'if'} {test}:")
            self.lines += body or ["    " * (self.depth + 1) + "pass"]

    # -- fields ----------------------------------------------------------------------------------------------------

    def fields(self, struct: StructSpec, owner: str, scope: Versions) -> None:
        """The fields of the object in the variable *owner*; the last run may still be pending."""
        on_wire, tagged = struct.within(scope)
        if self.flexible:
            tag_buffer = StructSpec(TAG_BUFFER, tagged)
            on_wire.append(FieldSpec("tags", TAG_BUFFER, False, scope, flexible=scope, struct=tag_buffer))
        self._sequence(on_wire, owner, scope)

    def _sequence(self, fields: Sequence[FieldSpec], owner: str, scope: Versions) -> None:
        """*fields* in this order, as far as versions of *scope* have them."""
        position = 0
        while position < len(fields):
            field, rest = fields[position], fields[position + 1 :]
            position += 1
            if field.is_fixed:
                self.run.append(self.slot(field, owner))
            elif not field.versions & scope:
                self.absent(field, owner)
            elif field.versions & scope == scope:
                self.variable(field, owner, scope)
            else:
                position += self._conditional(field, rest, owner, scope)

    def _conditional(self, field: FieldSpec, rest: Sequence[FieldSpec], owner: str, scope: Versions) -> int:
        """Emit *field*, which is of variable size, and which only some versions of *scope* have.

        The pending run goes into both branches.  So do the first fields of *rest*, and the length of the next one, when
        a version needs fewer calls for it; returns the number of these fields.
        """
        joined = self._joined(field, rest, scope)
        if not self.run and all(each.versions & scope == scope for each in joined):
            joined = []
        closing = rest[len(joined)] if (self.run or joined) and len(joined) < len(rest) else None
        if closing is not None and not (
            closing.has_length and closing.versions & scope == scope and self.length_joins_run(closing)
        ):
            closing = None
        if closing is not None:
            self.prepare(closing, owner, scope)
        else:
            while joined and joined[-1].is_fixed and joined[-1].versions & scope == scope:
                joined.pop()  # these can still begin the next run
        pending, self.run = self.run, []
        ranges = [slot.versions for slot in pending] + [each.versions for each in joined if each.is_fixed]
        parts = [
            part
            for branch in scope.split([field.versions])
            for part in ([branch] if branch & field.versions else branch.split(ranges))
        ]
        for part in self.branches(parts):
            self.run = list(pending)
            self._sequence([field, *joined], owner, part)
            if closing is not None:
                self.length(closing, owner, part)
            self.flush(part)
        if closing is None:
            return len(joined)
        self.after_length(closing, owner, scope)
        return len(joined) + 1

    @staticmethod
    def _joined(field: FieldSpec, rest: Sequence[FieldSpec], scope: Versions) -> list[FieldSpec]:
        """The fields after *field* that are emitted in its branches: all that need no second copy of their body.

        Those are the fixed ones, those that come with *field*, and those that stand in for it.
        """
        joined: list[FieldSpec] = []
        for each in rest:
            both = each.versions & field.versions & scope
            if not each.is_fixed and both and both != each.versions & scope:
                break
            joined.append(each)
        return joined

    def variable(self, field: FieldSpec, owner: str, scope: Versions) -> None:
        """A field that all versions of *scope* have, and that is not of fixed size."""
        if not field.has_length:
            self.single_struct(field, owner, scope)
            return
        self.prepare(field, owner, scope)
        self.length(field, owner, scope)
        self.flush(scope)
        self.after_length(field, owner, scope)

    def flush(self, scope: Versions) -> None:
        """Emit the pending run: one call for each combination of fields that occurs in *scope*."""
        run, self.run = self.run, []
        if not run:
            return
        for part in self.branches(scope.split([slot.versions for slot in run])):
            present = []
            for slot in run:
                if slot.versions & part:
                    present.append(slot)
                elif slot.field is not None:
                    self.absent(slot.field, slot.owner)
            if present:
                self.emit_run(present)
