"""The behaviour that Apache Kafka's scripts have in common: required options, --help, --version, errors."""

from __future__ import annotations

import argparse
import math
import os
import sys
from typing import TYPE_CHECKING, Final, NoReturn

from wirebroker import __version__
from wirebroker.cli.client_config import apply_command_config
from wirebroker.cli.command_table import UsageError
from wirebroker.cli.connection import BOOTSTRAP_SERVER_VARIABLE
from wirebroker.client.admin import Admin
from wirebroker.client.connection import CLIENT_ID, ClientError, ResponseError
from wirebroker.client.security import PLAINTEXT

if TYPE_CHECKING:
    from collections.abc import Sequence

FAILED: Final = 1
_TIMEOUT_MS: Final = 30_000


class ToolError(Exception):
    """A script ends with this text on standard error, and exit code 1."""


class ToolParser(argparse.ArgumentParser):
    """The options of a script, which take no abbreviations."""

    def __init__(self, script: str, about: str, *, with_bootstrap: bool = True) -> None:
        """Declare the options that all scripts have.

        Args:
            script: its name without .sh.
            about: the first line of its help.
            with_bootstrap: False for a script that has the address behind a subcommand.
        """
        super().__init__(prog=f"{script}.sh", description=about, allow_abbrev=False, add_help=False)
        self.add_argument("--help", action="store_true", help="print this text")
        self.add_argument("--version", action="store_true", help="print the version")
        if with_bootstrap:
            add_connection(self)

    def error(self, message: str) -> NoReturn:
        """End the script with *message*."""
        raise ToolError(message)

    def read(self, argv: Sequence[str]) -> argparse.Namespace:
        """Return the options of *argv*; print help or version and exit if they are asked for.

        Raises:
            ToolError: an option is not known, or one is missing.
        """
        if not argv:
            self.usage_error(self.description or "")
        args, rest = self.parse_known_args(argv)
        if args.help:
            self.usage_error(self.description or "")
        if args.version:
            print(__version__)
            raise SystemExit(0)
        if rest:
            raise ToolError(f"{rest[0].removeprefix('--')} is not a recognized option")
        return args

    def usage_error(self, message: str) -> NoReturn:
        """Print *message* and the options to standard error; exit with code 1."""
        print(message, file=sys.stderr)
        self.print_help(sys.stderr)
        raise SystemExit(FAILED)

    def require(self, args: argparse.Namespace, *options: str) -> None:
        """End with the usage if one of *options* is not given."""
        for option in options:
            if not is_given(args, option):
                self.usage_error(f'Missing required argument "[{option}]"')

    def refuse(self, args: argparse.Namespace, option: str, others: Sequence[str]) -> None:
        """End with the usage if *option* and one of *others* are given."""
        for other in others:
            if is_given(args, option) and is_given(args, other):
                self.usage_error(f'Option "[{option}]" can\'t be used with option "[{other}]"')


def is_given(args: argparse.Namespace, option: str) -> bool:
    """Return whether an option is on the command line."""
    value = getattr(args, option.replace("-", "_"))
    return value is not None and value is not False and value != []


def add_connection(parser: argparse.ArgumentParser) -> None:
    """Add --bootstrap-server and --command-config."""
    parser.add_argument(
        "--bootstrap-server",
        default=os.environ.get(BOOTSTRAP_SERVER_VARIABLE) or None,
        metavar="HOST:PORT,...",
        help="the brokers to connect to first",
    )
    parser.add_argument("--command-config", metavar="FILE", help="a client.properties")


def connect(args: argparse.Namespace) -> Admin:
    """Return the connection to the cluster that the options name.

    Raises:
        ToolError: no broker answers, or the file of --command-config cannot be used.
    """
    args.timeout, args.client_id, args.is_bootstrap_given = None, None, args.bootstrap_server is not None
    args.security = PLAINTEXT
    try:
        apply_command_config(args)
        timeout_ms = args.timeout or _TIMEOUT_MS
        return Admin(args.bootstrap_server, timeout_ms / 1000, args.client_id or CLIENT_ID, args.security)
    except (UsageError, ClientError) as problem:
        raise ToolError(str(problem)) from None


def message_of(problem: Exception) -> str:
    """Return the text of an error as a script prints it: the broker's own, if it sent one."""
    if isinstance(problem, ResponseError) and problem.broker_message:
        return problem.broker_message
    return str(problem)


def java_double(value: float) -> str:
    """Return a number as Java prints a double: 1024.0, 1.0E9, NaN."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(float(value))
    mantissa, _, power = repr(float(value)).partition("e")
    if not power:
        power = str(int(f"{value:e}".partition("e")[2]))
        mantissa = repr(float(f"{float(value) / 10.0 ** int(power):.16g}"))
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}E{int(power)}"
