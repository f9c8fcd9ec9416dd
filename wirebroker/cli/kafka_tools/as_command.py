"""Scripts that run a command of wirebroker with other words."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.kafka_tools.tool import ToolError
from wirebroker.cli.properties_file import read_properties

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType


def run_command(module: ModuleType, words: Sequence[str], **settings: Any) -> int:
    """Run the command of *module* with *words*, and with *settings* in its arguments; return its exit code.

    Raises:
        ToolError: the command refuses its arguments.
    """
    parser = argparse.ArgumentParser(add_help=False)
    module.add_arguments(parser)
    try:
        args = parser.parse_args(words)
        for name, value in settings.items():
            setattr(args, name, value)
        if "prepare" in args:
            args.prepare(args)
        code: int = module.run(args)
    except UsageError as problem:
        raise ToolError(str(problem)) from None
    return code


def properties(given: Sequence[str]) -> dict[str, str]:
    """Return the properties of `--property name=value` options.

    Raises:
        ToolError: one has no name.
    """
    found = {}
    for each in given:
        name, _, value = each.partition("=")
        if not name:
            raise ToolError(f"Invalid property: {each}")
        found[name] = value
    return found


def properties_of_file(path: str | None) -> dict[str, str]:
    """Return the properties of a file, none without one.

    Raises:
        ToolError: the file cannot be read.
    """
    try:
        return {} if path is None else read_properties(path)
    except OSError as problem:
        raise ToolError(f"{path}: {problem.strerror or problem}") from None


def add_print_metrics(parser: argparse.ArgumentParser) -> None:
    """Add `--print-metrics` of the scripts for performance."""
    parser.add_argument("--print-metrics", action="store_true", help="without effect: there is no Java client")


def warn_of_print_metrics(args: argparse.Namespace) -> None:
    """Print on standard error that `--print-metrics` has no effect, if it is given."""
    if args.print_metrics:
        print(
            "--print-metrics has no effect: it prints the metrics of the Java client, and this script uses librdkafka",
            file=sys.stderr,
        )


def is_true(text: str | None) -> bool:
    """Return whether a property is set to true."""
    return text is not None and text.strip().lower() == "true"
