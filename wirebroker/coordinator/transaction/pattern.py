"""Regular expressions that clients send (KIP-1152): RE2's syntax, as far as names need it, and its promise.

The promise is time in proportion to the text: Python's `re` backtracks, so that `(a+)+b` from a stranger would stop
the broker for good.  Here a pattern becomes a set of states, all followed at once, and each step is remembered.

Known: literals, `.`, classes, `\\d \\w \\s` and their opposites, `\\t \\n \\r \\f \\v \\xHH \\Q...\\E`, groups with or
without a name, `|`, `* + ? {n} {n,} {n,m}` and their lazy forms, `^ $ \\A \\z`, and the flags i and s at the start.
Everything else is refused, not guessed.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_REPEATS: Final = 1000  # as RE2
_MOST_STATES: Final = 20_000
_MOST_STEPS: Final = 10_000
_DIGITS: Final = frozenset("0123456789")
_WORD: Final = _DIGITS | frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
_SPACE: Final = frozenset("\t\n\f\r ")
_CLASSES: Final = {"d": _DIGITS, "w": _WORD, "s": _SPACE}
_CONTROLS: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
_REPEATS: Final[dict[str, tuple[int, int | None]]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_END: Final = ""


class _Chars(NamedTuple):
    """A set of characters: single ones and ranges, or all others."""

    single: frozenset[str]
    ranges: tuple[tuple[str, str], ...] = ()
    negated: bool = False
    ignore_case: bool = False

    def has(self, char: str) -> bool:
        forms = {char, char.lower(), char.upper()} if self.ignore_case else (char,)
        found = any(form in self.single or any(low <= form <= high for low, high in self.ranges) for form in forms)
        return found != self.negated


class _Node(NamedTuple):
    """Part of a pattern; *kind* is one of: chars, start, end, all (in a row), any (of them), repeat (of one)."""

    kind: str
    parts: tuple[_Node, ...] = ()
    chars: _Chars | None = None
    least: int = 0
    most: int | None = None


def compile_pattern(pattern: str) -> Callable[[str], bool]:
    """Whether a text as a whole matches *pattern*.

    Raises:
        ApiError: INVALID_REGULAR_EXPRESSION.
    """
    return _Machine(_Parser(pattern).parse()).matches


class _Parser:
    def __init__(self, pattern: str) -> None:
        self._text = pattern
        self._at = 0
        self._ignore_case = self._dot_all = False

    def _refuse(self, reason: str) -> NoReturn:
        raise ApiError(ErrorCode.INVALID_REGULAR_EXPRESSION, f"{self._text!r}, character {self._at}: {reason}")

    def _peek(self) -> str:
        return self._text[self._at] if self._at < len(self._text) else _END

    def _take(self) -> str:
        char = self._peek()
        self._at += 1
        return char

    def _accept(self, text: str) -> bool:
        if self._text.startswith(text, self._at):
            self._at += len(text)
            return True
        return False

    def parse(self) -> _Node:
        while self._text.startswith("(?", self._at):
            end = self._text.find(")", self._at)
            flags = self._text[self._at + 2 : end] if end > 0 else ""
            if not flags or flags.strip("is"):
                break
            self._ignore_case |= "i" in flags
            self._dot_all |= "s" in flags
            self._at = end + 1
        node = self._alternatives(0)
        if self._peek() != _END:
            self._refuse("unexpected )")
        return node

    def _alternatives(self, depth: int) -> _Node:
        if depth > 100:
            self._refuse("too many groups within each other")
        branches = [self._branch(depth)]
        while self._accept("|"):
            branches.append(self._branch(depth))
        return branches[0] if len(branches) == 1 else _Node("any", tuple(branches))

    def _branch(self, depth: int) -> _Node:
        parts: list[_Node] = []
        while self._peek() not in (_END, "|", ")"):
            if self._accept("\\Q"):
                end = self._text.find("\\E", self._at)
                quoted = self._text[self._at : end if end >= 0 else None]
                parts += [self._literal(char) for char in quoted]
                self._at += len(quoted) + (2 if end >= 0 else 0)
                if quoted:
                    parts[-1] = self._repeated(parts[-1])
            else:
                parts.append(self._repeated(self._atom(depth)))
        return _Node("all", tuple(parts))

    def _atom(self, depth: int) -> _Node:
        char = self._take()
        if char == "(":
            if self._accept("?P<") or self._accept("?<"):
                end = self._text.find(">", self._at)
                if end < 0 or not self._text[self._at : end].isidentifier():
                    self._refuse("a group without a name")
                self._at = end + 1
            elif not self._accept("?:") and self._peek() == "?":
                self._refuse("this kind of group is not known")
            node = self._alternatives(depth + 1)
            if not self._accept(")"):
                self._refuse("missing )")
            return node
        if char == "[":
            return _Node("chars", chars=self._class())
        if char == ".":
            excluded = frozenset() if self._dot_all else frozenset("\n")
            return _Node("chars", chars=_Chars(excluded, negated=True))
        if char in "^$":
            return _Node("start" if char == "^" else "end")
        if char in _REPEATS:
            self._refuse("nothing to repeat")
        if char == "\\":
            if self._peek() in ("A", "z"):
                return _Node("start" if self._take() == "A" else "end")
            chars = self._escape()
            return _Node("chars", chars=chars._replace(ignore_case=self._ignore_case and not chars.negated))
        return self._literal(char)

    def _literal(self, char: str) -> _Node:
        return _Node("chars", chars=_Chars(frozenset(char), ignore_case=self._ignore_case))

    def _escape(self) -> _Chars:
        char = self._take()
        if char.lower() in _CLASSES and char != _END:
            return _Chars(_CLASSES[char.lower()], negated=char.isupper())
        if char in _CONTROLS and char != _END:
            return _Chars(frozenset(_CONTROLS[char]))
        if char == "x":
            digits = self._take() + self._take()
            try:
                return _Chars(frozenset(chr(int(digits, 16))))
            except ValueError:
                self._refuse("two hexadecimal digits are missing")
        if char == _END or char.isalnum():
            self._refuse(f"\\{char} is not known")
        return _Chars(frozenset(char))

    def _class(self) -> _Chars:
        negated = self._accept("^")
        single: set[str] = set()
        ranges: list[tuple[str, str]] = []
        first = True
        while first or self._peek() != "]":
            first = False
            member = self._member()
            if member.negated:
                # its complement, as the ranges between its members
                bounds = ["\0", *sorted(member.single), chr(0x10FFFF)]
                ranges += [(chr(ord(a) + 1), chr(ord(b) - 1)) for a, b in pairwise(bounds)]
                ranges += [("\0", "\0"), (chr(0x10FFFF), chr(0x10FFFF))]
                continue
            if len(member.single) == 1 and self._peek() == "-" and self._text[self._at + 1 : self._at + 2] != "]":
                self._take()
                upper = self._member()
                (low,) = member.single
                if len(upper.single) != 1 or upper.negated or low > min(upper.single):
                    self._refuse("a range that is none")
                ranges.append((low, min(upper.single)))
            else:
                single |= member.single
        self._take()
        return _Chars(frozenset(single), tuple(ranges), negated, self._ignore_case)

    def _member(self) -> _Chars:
        char = self._take()
        if char == _END:
            self._refuse("missing ]")
        if char == "[" and self._peek() == ":":
            self._refuse("classes by name are not known")
        return self._escape() if char == "\\" else _Chars(frozenset(char))

    def _repeated(self, node: _Node) -> _Node:
        char = self._peek()
        if char == "{":
            least, most = self._counts()
        elif char and char in _REPEATS:
            least, most = _REPEATS[self._take()]
        else:
            return node
        self._accept("?")  # lazy or not, the whole text matches or does not
        if self._peek() in _REPEATS:
            self._refuse("repeated twice")
        if max(least, most or 0) > _MOST_REPEATS:
            self._refuse(f"more than {_MOST_REPEATS} repetitions")
        if most is not None and most < least:
            self._refuse("more at least than at most")
        return _Node("repeat", (node,), least=least, most=most)

    def _counts(self) -> tuple[int, int | None]:
        end = self._text.find("}", self._at)
        low, comma, high = self._text[self._at + 1 : end].partition(",")
        if end < 0 or not low.isdecimal() or (high and not high.isdecimal()) or len(low) > 5 or len(high) > 5:
            self._refuse("a brace that is no count")
        self._at = end + 1
        if not comma:
            return int(low), int(low)
        return int(low), int(high) if high else None


class _Machine:
    """The states of a pattern: each waits for a character, or leads on without one."""

    def __init__(self, node: _Node) -> None:
        self._waits: list[_Chars | None] = []
        self._kinds: list[str] = []
        self._leads: list[list[int]] = []
        self._accepting = self._state("accept")
        self._first = self._build(node, self._accepting)
        self._steps: dict[tuple[frozenset[int], str], frozenset[int]] = {}
        self._begin = self._closure([self._first], at_start=True)

    def _state(self, kind: str, chars: _Chars | None = None, leads: list[int] | None = None) -> int:
        if len(self._kinds) >= _MOST_STATES:
            raise ApiError(ErrorCode.INVALID_REGULAR_EXPRESSION, "the pattern is too large")
        self._kinds.append(kind)
        self._waits.append(chars)
        self._leads.append(leads if leads is not None else [])
        return len(self._kinds) - 1

    def _build(self, node: _Node, then: int) -> int:
        """The state that begins *node* and goes on with *then*."""
        if node.kind == "all":
            for part in reversed(node.parts):
                then = self._build(part, then)
            return then
        if node.kind == "any":
            return self._state("fork", leads=[self._build(part, then) for part in node.parts])
        if node.kind == "repeat":
            (part,) = node.parts
            if node.most is None:
                loop = self._state("fork", leads=[then])
                self._leads[loop].append(self._build(part, loop))
                then = loop
            else:
                done = then
                for _ in range(node.most - node.least):
                    then = self._state("fork", leads=[done, self._build(part, then)])
            for _ in range(node.least):
                then = self._build(part, then)
            return then
        return self._state(node.kind, node.chars, [then])

    def _closure(self, states: list[int], *, at_start: bool = False, at_end: bool = False) -> frozenset[int]:
        """All states that *states* lead to without a character."""
        found: set[int] = set()
        todo = list(states)
        while todo:
            state = todo.pop()
            if state in found:
                continue
            found.add(state)
            kind = self._kinds[state]
            if kind == "fork" or (kind == "start" and at_start) or (kind == "end" and at_end):
                todo += self._leads[state]
        return frozenset(found)

    def matches(self, text: str) -> bool:
        """Does *text* match, from its first character to its last?"""
        states = self._begin
        for char in text:
            key = (states, char)
            after = self._steps.get(key)
            if after is None:
                if len(self._steps) >= _MOST_STEPS:
                    self._steps.clear()
                after = self._steps[key] = self._step(states, char)
            states = after
            if not states:
                return False
        return self._accepting in self._closure(list(states), at_start=not text, at_end=True)

    def _step(self, states: frozenset[int], char: str) -> frozenset[int]:
        leads: list[int] = []
        for state in states:
            chars = self._waits[state]
            if chars is not None and chars.has(char):
                leads += self._leads[state]
        return self._closure(leads)
