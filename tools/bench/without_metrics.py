"""`python -m tools.bench.without_metrics start ...`: wirebroker that SIGUSR2 has serve requests without metrics.

The functions on the way of a request exist twice: as they are, and compiled anew without the statements that metrics
need.  After SIGUSR1 requests are served by the first ones, after SIGUSR2 by the others, so that one process is compared
with itself.  After SIGRTMIN both are copied to another place in memory: by the processor's caches two places differ by
as much as metrics cost.
"""

import __future__

import ast
import inspect
import signal
import sys
import textwrap
from collections.abc import Collection
from types import CodeType, ModuleType
from typing import Any, NamedTuple

from wirebroker.handlers import fetch, fetch_context, produce, produce_fast_path
from wirebroker.replication import fetch_reader
from wirebroker.server import connection, dispatch


class Measured(NamedTuple):
    """A function whose statements that use *names*, as variables or attributes, are work for metrics only."""

    module: ModuleType
    owner: Any
    function: str
    names: Collection[str]


FUNCTIONS = (
    Measured(connection, connection.Connection, "_serve_frames", {"left"}),
    Measured(connection, connection.Connection, "_serve_waiting", {"counter", "left", "from_follower", "metrics"}),
    Measured(connection, connection.Connection, "serve_known", {"left"}),
    Measured(dispatch, dispatch, "serve", {"searched_for_errors"}),
    Measured(dispatch, dispatch.DelayedResponse, "encode", {"left"}),
    Measured(produce, produce, "_append", {"stats", "topic_stats"}),
    Measured(produce_fast_path, produce_fast_path, "serve_known_produce", {"stats"}),
    Measured(fetch, fetch, "_respond", {"count_errors_now", "count_failed"}),
    Measured(fetch_context, fetch_context, "_add_results", {"records"}),
    Measured(fetch_reader, fetch_reader.FetchReader, "_read", {"stats"}),
)


class StatementRemover(ast.NodeTransformer):
    """Removes assignments, calls and branches that use one of *names*, and notes those names in `met`."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = frozenset(names)
        self.met: set[str] = set()

    def generic_visit(self, node: ast.AST) -> ast.AST | list[ast.stmt] | None:  # type: ignore[override]
        """Return *node* without such statements; None, or the other branch, if it is one itself."""
        is_simple = isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr)
        decisive: ast.AST | None = node if is_simple else None
        if isinstance(node, ast.If):
            decisive = node.test
        if decisive is not None and (used := _names(decisive) & self._names):
            self.met |= used
            return [self.visit(each) for each in node.orelse] if isinstance(node, ast.If) else None
        super().generic_visit(node)
        if isinstance(node, ast.If | ast.While | ast.For) and not node.body:
            node.body = [ast.Pass()]
        return node


def _names(tree: ast.AST) -> set[str]:
    nodes = list(ast.walk(tree))
    variables = {node.id for node in nodes if isinstance(node, ast.Name)}
    return variables | {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def without_metrics(measured: Measured) -> CodeType:
    """Return the code of the function without its work for metrics.

    Raises:
        LookupError: one of the names is not in the function any more.
    """
    tree = ast.parse(textwrap.dedent(inspect.getsource(getattr(measured.owner, measured.function))))
    remover = StatementRemover(measured.names)
    remover.visit(tree)
    missing = set(measured.names) - remover.met
    if missing:
        raise LookupError(f"{measured.function} of {measured.module.__name__} has no {', '.join(sorted(missing))}")
    source = measured.module.__file__ or "<bench>"
    module_code = compile(ast.fix_missing_locations(tree), source, "exec", flags=__future__.annotations.compiler_flag)
    found: dict[str, Any] = {}
    exec(module_code, measured.module.__dict__, found)
    code: CodeType = found[measured.function].__code__
    return code


def install() -> None:
    """Switch between the two by signals; a function keeps its identity, as routes refer to it, and gets other code."""
    functions: list[Any] = [getattr(each.owner, each.function) for each in FUNCTIONS]
    variants: dict[int, list[CodeType]] = {
        signal.SIGUSR1: [each.__code__ for each in functions],
        signal.SIGUSR2: [without_metrics(each) for each in FUNCTIONS],
    }
    former: list[CodeType] = []  # their places must not be used again

    def switch(number: int, _: object) -> None:
        for function, code in zip(functions, variants[number], strict=True):
            function.__code__ = code

    def relocate(_: int, __: object) -> None:
        for number, codes in variants.items():
            former.extend(codes)
            variants[number] = [code.replace() for code in codes]

    signal.signal(signal.SIGUSR1, switch)
    signal.signal(signal.SIGUSR2, switch)
    signal.signal(signal.SIGRTMIN, relocate)


if __name__ == "__main__":
    install()
    from wirebroker.cli.main import main

    sys.exit(main())
