"""`wirebroker`: runs the command, or the script of Apache Kafka, that its arguments name."""

from __future__ import annotations

import gc
import io
import os
import sys
from typing import TYPE_CHECKING

from wirebroker import __version__
from wirebroker.cli.command_table import HELP_FLAGS, USAGE_EXIT_CODE, UsageError
from wirebroker.cli.commands import TABLE
from wirebroker.cli.entry import THRESHOLDS
from wirebroker.cli.interrupt import EXIT_CODE as INTERRUPTED
from wirebroker.cli.interrupt import raise_on_interrupt
from wirebroker.cli.standard_streams import open_closed_streams, print_error

if TYPE_CHECKING:
    from collections.abc import Sequence

SCRIPT_PREFIX = "kafka-"
SCRIPT_SUFFIX = ".sh"
"""The names of Apache Kafka's scripts begin or end with these, those of commands do not."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code (see `command_table.EXIT_CODES`); wrong usage raises SystemExit(2)."""
    words = list(sys.argv[1:] if argv is None else argv)
    open_closed_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # for names of topics
    try:
        code = dispatch(words)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader (`| head`) has closed the pipe.  Python would complain when it flushes on the way out.
        sys.stdout = None
        return 0
    except KeyboardInterrupt:
        print_error("interrupted")
        return INTERRUPTED
    except UnicodeEncodeError as fault:
        # Arguments that are not UTF-8 have surrogates: right in a path or a value, not in the name of a topic.
        print_error(f"{os.fsencode(fault.object)!r} is not UTF-8")
        return USAGE_EXIT_CODE
    except OSError as fault:
        # Commands explain the errors that they expect; what is left is a full disk behind standard output, say.
        sys.stdout = None
        print_error(f"{fault.filename or 'standard output'}: {fault.strerror or fault}")
        return 1
    return code


def run_script(words: Sequence[str]) -> int:
    """Run one of Apache Kafka's scripts by its name, and return its exit code."""
    from wirebroker.cli.kafka_tools.scripts import CONTROLLERS, ELSEWHERE, equal_command, run_tool, script_name
    from wirebroker.cli.kafka_tools.tool import ToolError

    name = script_name(words[0])
    if name is None:
        TABLE.refuse(words)
    if name in ELSEWHERE:
        print_error(f"{words[0]} is not here: {ELSEWHERE[name]}")
        return USAGE_EXIT_CODE
    if "--version" in words[1:]:
        print(__version__)
        return 0
    if any(each.partition("=")[0] == CONTROLLERS for each in words[1:]):
        print_error(f"{CONTROLLERS} is for KRaft controllers; name brokers with --bootstrap-server, which ask them")
        return 1
    command = equal_command(name, words[1:])
    if command is not None:
        try:
            return dispatch(command)
        except SystemExit as end:
            if end.code == USAGE_EXIT_CODE:  # 1 of Apache Kafka's scripts
                raise SystemExit(1) from None
            raise
    _begin()
    try:
        return run_tool(name, words[1:])
    except ToolError as problem:
        print(problem, file=sys.stderr)
        return 1


def _begin() -> None:
    """Let the command handle interrupts, and let the garbage collector run, but not through what was imported.

    The broker has 60,000 objects by now: without the freeze a collection of 10 ms would soon visit them, before the
    port is open, and `short_collections` a second time.
    """
    raise_on_interrupt()
    if gc.get_threshold() != THRESHOLDS:
        gc.freeze()
        gc.set_threshold(*THRESHOLDS)


def dispatch(words: Sequence[str]) -> int:
    """Run the command that *words* begin with, or print the help that they ask for."""
    if not words or words[0] in HELP_FLAGS:
        print(TABLE.help(), end="")
        return 0
    if words[0] == "--version":
        print(f"wirebroker {__version__}")
        return 0
    if words[0] == "help":
        print(TABLE.help(words[1:]), end="")
        return 0
    if words[0].startswith(SCRIPT_PREFIX) or words[0].endswith(SCRIPT_SUFFIX):
        return run_script(words)
    command = TABLE.find(words)
    if command is None:
        if len(words) > 1 and words[1] in HELP_FLAGS:
            print(TABLE.help(words), end="")
            return 0
        TABLE.refuse(words)
    parser = TABLE.parser(command)
    try:
        args = parser.parse_args(words[len(command.words) :])
        if "prepare" in args:
            args.prepare(args)
        _begin()
        code: int = args.run(args)
    except UsageError as problem:
        parser.error(str(problem))
    except SystemExit:
        sys.stdout.flush()  # raises BrokenPipeError if the reader of the help has closed the pipe
        raise
    return code
