"""The options of `wirebroker start` for a broker to try things with: `--topic` and `--ephemeral`."""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.cli.command_table import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_DEFAULT_ADDRESS: Final = "127.0.0.1:9092"
_ANY_HOST: Final = ("", "0.0.0.0", "[::]", "::")


class StartTopic(NamedTuple):
    """A topic to create at the start."""

    name: str
    partitions: int | None
    """None for `num.partitions`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--topic` and `--ephemeral`."""
    parser.add_argument(
        "--topic",
        dest="topics",
        type=start_topic,
        metavar="NAME[:PARTITIONS]",
        action="append",
        default=[],
        help="create this topic, unless it exists, before the ready line; repeatable",
    )
    parser.add_argument(
        "--ephemeral", action="store_true", help="keep the data in a temporary directory, which is removed at the end"
    )


def start_topic(text: str) -> StartTopic:
    """Return the topic of `NAME[:PARTITIONS]`.

    Raises:
        argparse.ArgumentTypeError: *text* is none.
    """
    name, has_number, number = text.partition(":")
    if not name or (has_number and not (number.isascii() and number.isdigit() and int(number) > 0)):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME or NAME:PARTITIONS")
    return StartTopic(name, int(number) if has_number else None)


@contextmanager
def ephemeral_directory(args: argparse.Namespace) -> Iterator[None]:
    """With `--ephemeral`, set `args.data_dir` to a new path, and remove what is there at the end.

    The broker makes the directory when it handles signals already, so none is left behind.

    Raises:
        UsageError: `--data-dir` is given, too, or `--set log.dirs`.
    """
    if not args.ephemeral:
        yield
        return
    if args.data_dir is not None:
        raise UsageError("--ephemeral keeps its data nowhere; leave out --data-dir")
    if any(each.partition("=")[0].strip() in ("log.dir", "log.dirs") for each in args.set):
        raise UsageError("--ephemeral keeps its data nowhere; leave out --set log.dirs")
    args.data_dir = os.path.join(tempfile.gettempdir(), f"wirebroker-{os.urandom(8).hex()}")
    try:
        yield
    finally:
        shutil.rmtree(args.data_dir, ignore_errors=True)


def reachable_address(listeners: Sequence[str]) -> str | None:
    """The `host:port` at which this machine reaches the first PLAINTEXT listener of *listeners*, None without one."""
    for listener in listeners:
        protocol, _, address = listener.partition("://")
        if protocol == "PLAINTEXT":
            host, _, port = address.rpartition(":")
            return f"127.0.0.1:{port}" if host in _ANY_HOST else address
    return None


def hint(address: str, topics: Sequence[StartTopic]) -> str:
    """Return the line with the commands to try next."""
    at = "" if address == _DEFAULT_ADDRESS else f" -b {address}"
    topic = topics[0].name if topics else "greetings"
    produce = f"wirebroker produce {topic}{at} --value hello"
    return f"try in another terminal: {produce} && wirebroker consume {topic}{at} --from-beginning"
