"""What readers.py and writers.py share: lines with indentation, unused names, and the module's struct constants."""

from __future__ import annotations

import keyword
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tools.codegen.names import singular

if TYPE_CHECKING:
    from collections.abc import Iterator

# names that generated functions use for themselves
TAKEN = {"m", "b", "at", "n", "end", "size", "out", "new", "tags", "tag", "each"}
TAKEN |= {"len", "range", "bytes", "str", "list", "bool", "map", "isinstance"}
SIZES = {"x": 1, "B": 1, "b": 1, "?": 1, "h": 2, "H": 2, "i": 4, "I": 4, "q": 8, "d": 8, "16s": 16}
LETTERS = {"?": "t", "16s": "u"}  # what stands for a format character in a constant's name


class Constants:
    """The `Struct` methods that a module needs, by the name it calls them."""

    def __init__(self) -> None:
        self.used: dict[str, str] = {}  # name -> expression
        self.helpers: set[str] = set()  # names imported from primitives

    def method(self, method: str, formats: list[str]) -> str:
        prefix = {"unpack_from": "unpack", "iter_unpack": "iter", "pack": "pack"}[method]
        name = f"{prefix}_{''.join(LETTERS.get(each, each) for each in formats)}"
        self.used[name] = f'Struct(">{"".join(formats)}").{method}'
        return name

    def helper(self, name: str) -> str:
        self.helpers.add(name)
        return name

    def lines(self) -> list[str]:
        return [f"{name} = {expression}" for name, expression in sorted(self.used.items())]


class Emitter:
    """Collects the body of one function."""

    def __init__(self, constants: Constants) -> None:
        self.constants = constants
        self.lines: list[str] = []
        self.depth = 1
        self.taken = set(TAKEN)

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    @contextmanager
    def indented(self) -> Iterator[None]:
        self.depth += 1
        yield
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
