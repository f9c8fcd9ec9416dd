"""The options of commands that send requests to a cluster, and how such a command connects and reports errors.

def run(args):
    return run_with(args, _list)

def _list(admin, args):
    ...
"""

from __future__ import annotations

import argparse
import math
import os
from typing import TYPE_CHECKING, Final

from wirebroker.cli.output import add_format
from wirebroker.cli.standard_streams import print_error
from wirebroker.client.connection import CLIENT_ID, ClientError, parse_addresses
from wirebroker.client.security import PLAINTEXT
from wirebroker.protocol.exceptions import ProtocolError

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.client.admin import Admin

DEFAULT_BOOTSTRAP_SERVER: Final = "127.0.0.1:9092"
BOOTSTRAP_SERVER_VARIABLE: Final = "WIREBROKER_BOOTSTRAP_SERVER"
_DEFAULT_TIMEOUT_MS: Final = 5000
_LEFT_OUT: Final = "what only this broker knows is left out; a dead broker is listed until its session has expired"
_INT16_MAX: Final = 0x7FFF
_INT32_MAX: Final = 0x7FFF_FFFF


def add_connection(parser: argparse.ArgumentParser) -> None:
    """Add `--bootstrap-server`, `--command-config`, `--timeout` and `--format`."""
    add_bootstrap_server(parser)
    add_command_config(parser)
    add_format(parser)


def add_command_config(parser: argparse.ArgumentParser) -> None:
    """Add `--command-config` and `--timeout`, for a command that connects with `connect`."""
    parser.add_argument(
        "--command-config",
        metavar="FILE",
        help="a client.properties with TLS, SASL, bootstrap.servers, client.id or request.timeout.ms; options "
        "override it",
    )
    parser.set_defaults(prepare=prepare_connection, client_id=None, security=PLAINTEXT)
    parser.add_argument(
        "--timeout",
        type=positive,
        metavar="MS",
        help="how long to wait for an answer, and for a coordinator that is still loading "
        f"(default: {_DEFAULT_TIMEOUT_MS})",
    )


def add_bootstrap_server(
    parser: argparse.ArgumentParser,
    *,
    default: str | None = DEFAULT_BOOTSTRAP_SERVER,
    help: str = f"where to connect first (default: {DEFAULT_BOOTSTRAP_SERVER})",
    from_environment: bool = True,
) -> None:
    """Add `--bootstrap-server`; the variable WIREBROKER_BOOTSTRAP_SERVER overrides *default* if *from_environment*."""
    parser.add_argument(
        "-b",
        "--bootstrap-server",
        action=_BootstrapServer,
        type=bootstrap_server,
        default=(from_environment and os.environ.get(BOOTSTRAP_SERVER_VARIABLE)) or default,
        metavar="HOST:PORT[,...]",
        help=f"{help}; environment: {BOOTSTRAP_SERVER_VARIABLE}" if from_environment else help,
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


def seconds(text: str) -> float:
    """Return *text* as a time in seconds, 0 or more.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")
    return number


def partition_count(text: str) -> int:
    """Return *text* as a number of partitions, which requests have as an int32.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    return _at_most(positive(text), _INT32_MAX)


def replication_factor(text: str) -> int:
    """Return *text* as a number of replicas, which requests have as an int16.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    return _at_most(positive(text), _INT16_MAX)


def _at_most(number: int, maximum: int) -> int:
    if number > maximum:
        raise argparse.ArgumentTypeError(f"{number} is above {maximum}")
    return number


def group_id(text: str) -> str:
    """Return *text*, the id of a group to be a member of.

    Raises:
        argparse.ArgumentTypeError: it is empty.
    """
    if not text:
        raise argparse.ArgumentTypeError("the id of a group cannot be empty")
    return text


def connect(args: argparse.Namespace) -> Admin:
    """Return the connection to the cluster that the options name.

    Raises:
        ClientError: no broker answers, or it refuses the credentials.
        ProtocolError: a broker's answer cannot be read.
    """
    from wirebroker.client.admin import Admin  # which commands with confluent-kafka do not need

    return Admin(args.bootstrap_server, args.timeout / 1000, args.client_id or CLIENT_ID, args.security)


def run_with(args: argparse.Namespace, work: Callable[[Admin, argparse.Namespace], int]) -> int:
    """Connect, call *work* and return its exit code; print an error of client or protocol in one line and return 1.

    Brokers that *work* could not reach are left out of its result: each is named in one line, and the exit code is 1.
    """
    try:
        with connect(args) as admin:
            admin.skips_unreachable = True
            try:
                code = work(admin, args)
            finally:
                for broker_id, problem in admin.unreachable.items():
                    print_error(f"broker {broker_id}: {problem}; {_LEFT_OUT}")
            return code or int(bool(admin.unreachable))
    except (ClientError, ProtocolError) as problem:
        print_error(str(problem))
        return 1
