"""ValueTrace: does any code that a broker can reach make use of a setting?  Found by following the value in the source.

A setting is read as `config.max_connections`, as `config.value("max.connections")` (or any other call with the key as
its first argument), or as something that config/server.py derives from it (`config.listeners`).  From there the value
is followed into local variables, attributes, arguments of classes, and into the settings of an internal topic.  It is
used where code decides or computes with it; a value that is only logged, stored in an attribute that nobody reads, or
read by a function that nothing calls is not used.

Calls are matched by name alone, so that a use may be found that is none; a setting without a use never has one.
"""

from __future__ import annotations

import ast
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

_LOG_METHODS = frozenset(("debug", "info", "warning", "error", "exception", "critical"))
_TRANSPARENT = (
    ast.BinOp,
    ast.BoolOp,
    ast.IfExp,
    ast.UnaryOp,
    ast.Starred,
    ast.FormattedValue,
    ast.JoinedStr,
    ast.Tuple,
)
_WRAPPERS = frozenset(("str", "int", "float", "min", "max", "abs", "cast", "number"))

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Read(NamedTuple):
    """One expression that reads a value, and the function that it stands in (None: outside of functions)."""

    node: ast.expr
    function: Function | None


class ValueTrace:
    """Follows values through *modules*.

    Args:
        modules: Name of a module -> its source, of all code that runs in a broker.
        roots: Names of functions that are called from outside.
        derived: Attribute of a config -> the keys that it is made of.
        topic_keys: Keys that may stand in the settings of an internal topic, whose effect the values then share.
    """

    def __init__(
        self,
        modules: Mapping[str, str],
        roots: Iterable[str],
        derived: Mapping[str, Collection[str]] | None = None,
        topic_keys: Collection[str] = (),
    ) -> None:
        self._trees = {name: ast.parse(source) for name, source in modules.items()}
        self._roots = frozenset(roots)
        self._derived = derived or {}
        self._topic_keys = topic_keys
        self._parents: dict[ast.AST, ast.AST] = {}
        self._functions: dict[ast.AST, Function | None] = {}
        for tree in self._trees.values():
            self._index(tree, None)

    def uses(self, key: str) -> bool:
        """Whether the value of *key* is used."""
        return any(self._is_used(read, frozenset((key,))) for read in self._reads(key))

    def _index(self, node: ast.AST, function: Function | None) -> None:
        for child in ast.iter_child_nodes(node):
            self._parents[child] = node
            inside = child if isinstance(child, Function) else function
            self._functions[child] = inside
            self._index(child, inside)

    @cached_property
    def _attribute_loads(self) -> dict[str, list[ast.Attribute]]:
        found: dict[str, list[ast.Attribute]] = {}
        for node in self._functions:
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                found.setdefault(node.attr, []).append(node)
        return found

    @cached_property
    def _calls(self) -> dict[str, list[ast.Call]]:
        """First argument, a text -> the calls that have it."""
        found: dict[str, list[ast.Call]] = {}
        for node in self._functions:
            if isinstance(node, ast.Call) and node.args:
                first = node.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    found.setdefault(first.value, []).append(node)
        return found

    @cached_property
    def _fields(self) -> dict[str, list[str]]:
        """Class -> the names of its arguments in order."""
        found = {}
        for node in self._functions:
            if isinstance(node, ast.ClassDef):
                init = next((each for each in node.body if getattr(each, "name", "") == "__init__"), None)
                if isinstance(init, ast.FunctionDef):
                    found[node.name] = [each.arg for each in init.args.args[1:]]
                else:
                    fields = (each.target for each in node.body if isinstance(each, ast.AnnAssign))
                    found[node.name] = [each.id for each in fields if isinstance(each, ast.Name)]
        return found

    @cached_property
    def _inits(self) -> dict[str, ast.FunctionDef]:
        """Class -> its `__init__`, if it has one."""
        classes = (node for node in self._functions if isinstance(node, ast.ClassDef))
        inits = ((node.name, each) for node in classes for each in node.body if isinstance(each, ast.FunctionDef))
        return {name: init for name, init in inits if init.name == "__init__"}

    @cached_property
    def _reached(self) -> frozenset[str]:
        """The names of functions that code reaches from the roots and from what runs when a module is imported."""
        named: dict[str, set[str]] = {}
        reached = set(self._roots)
        for node, function in self._functions.items():
            names = set(_names(node))
            if function is None:
                reached |= names
            else:
                named.setdefault(function.name, set()).update(names)
        reached |= {name for name in named if name.startswith("__")}
        fresh = set(reached)
        while fresh:
            fresh = set().union(*(named.get(name, ()) for name in fresh)) - reached
            reached |= fresh
        return frozenset(reached)

    def _reads(self, key: str) -> Iterator[Read]:
        attributes = [key.replace(".", "_"), *(name for name, keys in self._derived.items() if key in keys)]
        for attribute in attributes:
            for node in self._attribute_loads.get(attribute, ()):
                if _is_config(node.value):
                    yield Read(node, self._functions[node])
        for call in self._calls.get(key, ()):
            yield Read(call, self._functions[call])

    def _is_used(self, read: Read, seen: frozenset[str]) -> bool:
        if read.function is not None and read.function.name not in self._reached:
            return False
        node: ast.AST = read.node
        parent = self._parents[node]
        while isinstance(parent, _TRANSPARENT) or (_called(parent) in _WRAPPERS and node is not _callee(parent)):
            if isinstance(parent, ast.IfExp) and node is parent.test:
                return True
            node, parent = parent, self._parents[parent]
        if isinstance(parent, ast.keyword):
            call = self._parents[parent]
            return not _is_class(call) or self._class_argument_is_used(call, parent.arg or "", seen)
        if isinstance(parent, ast.Call) and node is not parent.func:
            return self._argument_is_used(parent, node, seen)
        if isinstance(parent, ast.Dict) and node in parent.values:
            key = next(key for key, value in zip(parent.keys, parent.values, strict=True) if value is node)
            name = key.value if isinstance(key, ast.Constant) else None
            if name in self._topic_keys and name not in seen:
                return any(self._is_used(each, seen | {str(name)}) for each in self._reads(str(name)))
            return name not in self._topic_keys
        if isinstance(parent, ast.Assign | ast.AnnAssign):
            targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target]
            return any(self._target_is_used(target, read.function, seen) for target in targets)
        return not isinstance(parent, ast.Expr)

    def _argument_is_used(self, call: ast.Call, node: ast.AST, seen: frozenset[str]) -> bool:
        if isinstance(call.func, ast.Attribute) and call.func.attr in _LOG_METHODS:
            return False
        names = self._fields.get(_called(call) or "") if _is_class(call) else None
        if names is None:
            return True
        position = next(index for index, each in enumerate(call.args) if each is node)
        return position >= len(names) or self._class_argument_is_used(call, names[position], seen)

    def _class_argument_is_used(self, call: ast.AST, name: str, seen: frozenset[str]) -> bool:
        """Whether what is made of the argument *name*, an attribute or a variable of `__init__`, is used."""
        if self._attribute_is_used(name, seen):
            return True
        init = self._inits.get(_called(call) or "")
        return init is not None and self._target_is_used(ast.Name(name), init, seen)

    def _target_is_used(self, target: ast.expr, function: Function | None, seen: frozenset[str]) -> bool:
        if isinstance(target, ast.Attribute):
            return self._attribute_is_used(target.attr, seen)
        if not isinstance(target, ast.Name) or function is None:
            return True
        if f"{function.name}.{target.id}" in seen:
            return False
        seen |= {f"{function.name}.{target.id}"}
        loads = (
            each
            for each in ast.walk(function)
            if isinstance(each, ast.Name) and each.id == target.id and isinstance(each.ctx, ast.Load)
        )
        return any(self._is_used(Read(each, function), seen) for each in loads)

    def _attribute_is_used(self, name: str, seen: frozenset[str]) -> bool:
        if f".{name}" in seen:
            return False
        seen |= {f".{name}"}
        loads = (*self._attribute_loads.get(name, ()), *self._attribute_loads.get(f"_{name}", ()))
        return any(self._is_used(Read(each, self._functions[each]), seen) for each in loads)


def derived_attributes(source: str) -> dict[str, set[str]]:
    """Attribute -> the keys that it is made of, from the properties in *source* and each `put(self, "name", value)`."""
    tree = ast.parse(source)
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}

    def keys(node: ast.AST, seen: frozenset[str]) -> set[str]:
        found = set()
        for each in ast.walk(node):
            name = _called(each)
            if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and each.args:
                first = each.args[0]
                if name in ("value", "text", "words") and isinstance(first, ast.Constant):
                    found.add(str(first.value))
            if name in functions and name not in seen:
                found |= keys(functions[name], seen | {name})
        return found

    derived = {node.name: keys(node, frozenset()) for node in ast.walk(tree) if _is_property(node)}
    return derived | {
        str(node.args[1].value): keys(node.args[2], frozenset())
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and _called(node) == "put" and isinstance(node.args[1], ast.Constant)
    }


def properties(source: str) -> dict[str, set[str]]:
    """Property -> the fields that it reads, as keys, from the source of a class of settings."""
    return {
        node.name: {
            each.attr.replace("_", ".")
            for each in ast.walk(node)
            if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == "self"
        }
        for node in ast.walk(ast.parse(source))
        if _is_property(node)
    }


def _is_property(node: ast.AST) -> TypeGuard[ast.FunctionDef]:
    return isinstance(node, ast.FunctionDef) and any(_name_of(each) == "property" for each in node.decorator_list)


def _names(node: ast.AST) -> Iterator[str]:
    """The names that *node* itself mentions; a handler in a table of strings ("module:function") counts."""
    if isinstance(node, ast.Attribute | ast.Name):
        yield _name_of(node)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and ":" in node.value:
        yield node.value.rpartition(":")[2]


def _name_of(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _callee(node: ast.AST) -> ast.AST | None:
    return node.func if isinstance(node, ast.Call) else None


def _called(node: ast.AST) -> str | None:
    return _name_of(node.func) if isinstance(node, ast.Call) else None


def _is_class(node: ast.AST) -> bool:
    return (_called(node) or "")[:1].isupper()


def _is_config(receiver: ast.expr) -> bool:
    """Whether something is a config by its name: config, services.config.current."""
    return (_name_of(receiver) or _called(receiver) or "").endswith(("config", "current", "defaults", "self"))
