"""The options of commands that send requests to a cluster, and how such a command connects and reports errors.

def run(args):
    return run_with(args, _list)

def _list(admin, args):
    ...
"""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Final

from wirebroker.cli.output import add_format, print_error
from wirebroker.client.admin import Admin
from wirebroker.client.connection import CLIENT_ID, ClientError, parse_addresses
from wirebroker.protocol.exceptions import ProtocolError

if TYPE_CHECKING:
    from collections.abc import Callable

DEFAULT_BOOTSTRAP_SERVER: Final = "127.0.0.1:9092"
BOOTSTRAP_SERVER_VARIABLE: Final = "WIREBROKER_BOOTSTRAP_SERVER"
_DEFAULT_TIMEOUT_MS: Final = 5000


def add_connection(parser: argparse.ArgumentParser) -> None:
    """Add `--bootstrap-server`, `--command-config`, `--timeout` and `--format`."""
    add_bootstrap_server(parser)
    parser.add_argument(
        "--command-config",
        metavar="FILE",
        help="a client.properties with bootstrap.servers, client.id or request.timeout.ms; options override it",
    )
    parser.set_defaults(prepare=prepare_connection, client_id=None)
    parser.add_argument(
        "--timeout",
        type=positive,
        metavar="MS",
        help="how long to wait for an answer, and for a coordinator that is still loading "
        f"(default: {_DEFAULT_TIMEOUT_MS})",
    )
    add_format(parser)


def add_bootstrap_server(
    parser: argparse.ArgumentParser,
    *,
    default: str | None = DEFAULT_BOOTSTRAP_SERVER,
    help: str = f"where to connect first (default: {DEFAULT_BOOTSTRAP_SERVER})",
) -> None:
    """Add `--bootstrap-server`; the environment variable WIREBROKER_BOOTSTRAP_SERVER overrides *default*."""
    parser.add_argument(
        "-b",
        "--bootstrap-server",
        action=_BootstrapServer,
        type=bootstrap_server,
        default=os.environ.get(BOOTSTRAP_SERVER_VARIABLE) or default,
        metavar="HOST:PORT[,...]",
        help=f"{help}; environment: {BOOTSTRAP_SERVER_VARIABLE}",
    )
    parser.set_defaults(is_bootstrap_given=False)


class _BootstrapServer(argparse.Action):
    """Stores the address, and that it was given: the file of --command-config does not override it."""

    def __call__(self, parser: object, namespace: argparse.Namespace, values: object, option: object = None) -> None:
        namespace.bootstrap_server, namespace.is_bootstrap_given = values, True


def bootstrap_server(text: str) -> str:
    """Return *text* if it is a list of addresses.

    Raises:
        argparse.ArgumentTypeError: it is not.
    """
    try:
        parse_addresses(text)
    except ClientError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None
    return text


def prepare_connection(args: argparse.Namespace) -> None:
    """Complete the options of the connection by the file of --command-config and the defaults.

    Raises:
        UsageError: the file is wrong.
    """
    if args.command_config is not None:
        from wirebroker.cli.client_config import apply_command_config

        apply_command_config(args)
    if args.timeout is None:
        args.timeout = _DEFAULT_TIMEOUT_MS


def positive(text: str) -> int:
    """Return *text* as a number above zero.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return number


def run_with(args: argparse.Namespace, work: Callable[[Admin, argparse.Namespace], int]) -> int:
    """Connect, call *work* and return its exit code; print an error of client or protocol in one line and return 1."""
    try:
        with Admin(args.bootstrap_server, args.timeout / 1000, args.client_id or CLIENT_ID) as admin:
            return work(admin, args)
    except (ClientError, ProtocolError) as problem:
        print_error(str(problem))
        return 1
