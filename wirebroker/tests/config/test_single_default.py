"""A default of a config key stands in its declaration only: this test finds a second one in the source."""

from __future__ import annotations

import ast
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING, NamedTuple

import pytest

import wirebroker
from wirebroker.config.registry import BROKER_KEYS, TOPIC_KEYS

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(wirebroker.__file__).parent
NOT_SEARCHED = (
    "tests",
    "config/sections",
    "releases",
    "protocol/messages",
    "protocol/internal",
    "pipelines",
    "cli",
    "client",
)
"""Where a constant is no default of a broker: the declarations, other releases, generated code, and clients."""
ORDINARY = frozenset((-1, 0, 1, 2, 3, 5, 10, 50, 100, 1000))
"""Numbers so common that a constant of that value and a similar name proves nothing."""
NOISE = frozenset(("default", "standalone", "kafka"))


class SecondDefault(NamedTuple):
    """A place where the default of a key may stand once more."""

    place: str
    name: str
    value: object
    keys: tuple[str, ...]


def second_defaults(place: str, source: str) -> list[SecondDefault]:
    """Return the constants and default arguments in *source* that have the name and the default of a key."""
    found = []
    for line, name, node in _named_constants(ast.parse(source)):
        value = _constant(node)
        if isinstance(value, bool) or not isinstance(value, int | float) or value in ORDINARY:
            continue
        keys = tuple(each for each, default in _DEFAULTS.items() if default == value and _is_named_after(name, each))
        if keys:
            found.append(SecondDefault(f"{place}:{line}", name, value, keys))
    return found


_DEFAULTS = {key.name: key.default for key in (*BROKER_KEYS.values(), *TOPIC_KEYS.values())}
_UNITS = frozenset(("ms", "bytes", "s", "seconds", "minutes"))


def _is_named_after(name: str, key: str) -> bool:
    """Return whether all words of *name* are of *key*, and two of them are no units."""
    words = frozenset(name.lower().strip("_").split("_")) - NOISE
    return words <= frozenset(key.split(".")) and len(words - _UNITS) >= 1 and len(words) >= 2


def _named_constants(tree: ast.AST) -> Iterator[tuple[int, str, ast.expr]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name | ast.Attribute):
                    yield node.lineno, target.id if isinstance(target, ast.Name) else target.attr, node.value
        elif isinstance(node, ast.arguments):
            positional = [*node.posonlyargs, *node.args]
            defaults = [*node.defaults, *node.kw_defaults]
            names = [*positional[len(positional) - len(node.defaults) :], *node.kwonlyargs]
            for argument, default in zip(names, defaults, strict=True):
                if default is not None:
                    yield argument.lineno, argument.arg, default


def _constant(node: ast.expr) -> object:
    """Return the value of a constant expression such as ``7 * 24 * 60``, None for any other."""
    arithmetic = (ast.BinOp, ast.UnaryOp, ast.Constant, ast.operator, ast.unaryop)
    if not all(isinstance(each, arithmetic) for each in ast.walk(node)):
        return None
    try:
        return eval(compile(ast.Expression(node), "", "eval"))
    except TypeError:
        return None


def test_no_default_stands_a_second_time() -> None:
    found = [
        each
        for path in sorted(PACKAGE.rglob("*.py"))
        if not str(path.relative_to(PACKAGE)).startswith(NOT_SEARCHED)
        for each in second_defaults(str(path.relative_to(PACKAGE)), path.read_text())
    ]
    assert found == []


@pytest.mark.parametrize(
    ("source", "keys"),
    [
        ("MAX_TIMEOUT_MS = 900_000", ("transaction.max.timeout.ms",)),
        ("class S(NamedTuple):\n    max_timeout_ms: int = 15 * 60 * 1000", ("transaction.max.timeout.ms",)),
        ("def f(*, expiration_ms: int = 86_400_000): pass", ("producer.id.expiration.ms",)),
        ("DEFAULT_SEGMENT_BYTES = 1 << 30", ("log.segment.bytes", "metadata.log.segment.bytes", "segment.bytes")),
        ("self._max_bytes = 55 << 20", ("fetch.max.bytes",)),
        ("timeout_ms = 900_000 + other", None),
        ("max_timeout_ms = 5", None),
        ("patience_ms = 900_000", None),
    ],
)
def test_second_defaults_are_found(source: str, keys: tuple[str, ...] | None) -> None:
    found = second_defaults("m", dedent(source))
    assert [each.keys for each in found] == ([] if keys is None else [keys])
