"""`wirebroker top`: rates, slow requests, lag, connections and disks in the terminal, drawn again and again.

With a broker's metrics (--address) everything; with -b, or if only WIREBROKER_BOOTSTRAP_SERVER names a cluster, what
any Kafka says by its protocol.  The screen is drawn with two escape sequences, so it works in tmux and over SSH;
without a terminal each screen follows the one before.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import termios
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.connection import add_bootstrap_server, add_command_config, connect, seconds
from wirebroker.cli.interrupt import raise_lost
from wirebroker.cli.monitor import top_kafka, top_metrics
from wirebroker.cli.monitor.scrape import DEFAULT_ADDRESS, ScrapeError, add_address, host_and_port, read_metrics
from wirebroker.cli.standard_streams import print_error
from wirebroker.client.connection import ClientError
from wirebroker.protocol.exceptions import ProtocolError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from wirebroker.cli.monitor.screen import Screen
    from wirebroker.client.admin import Admin

_INTERVAL_S = 2.0
_LINES_WITHOUT_TERMINAL = 1000
_HOME, _CLEAR_LINE, _CLEAR_BELOW = "\x1b[H", "\x1b[K", "\x1b[J"
_OTHER_SCREEN, _OWN_SCREEN = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker top`."""
    add_address(parser)
    parser.set_defaults(address=None)
    add_bootstrap_server(parser, default=None, help="ask this cluster, any Kafka, instead of a broker's metrics")
    parser.add_argument(
        "--interval", type=seconds, default=_INTERVAL_S, metavar="S", help="seconds between two screens"
    )
    parser.add_argument("--once", action="store_true", help="print one screen, after one interval")
    add_command_config(parser)


def run(args: argparse.Namespace) -> int:
    """Draw until Ctrl-C; return the exit code."""
    if args.address is not None and args.is_bootstrap_given:
        raise UsageError("--address shows a broker's metrics, and -b a cluster: give one of them")
    has_cluster = args.address is None and args.bootstrap_server is not None
    if args.command_config is not None and not has_cluster:
        raise UsageError("--command-config is for a cluster: name it with -b, or with bootstrap.servers in the file")
    try:
        if not has_cluster:
            return _draw(args, _from_metrics(args.address or host_and_port(DEFAULT_ADDRESS)))
        with connect(args) as admin:
            return _draw(args, _from_kafka(admin))
    except (ScrapeError, ClientError, ProtocolError) as problem:
        print_error(str(problem))
        return 1


def _from_metrics(address: tuple[str, int]) -> Callable[[], Screen]:
    """Return a function that returns the next screen, with the rates since the one before."""
    before = top_metrics.Scrape(read_metrics(address), time.monotonic())

    def following() -> Screen:
        nonlocal before
        now = top_metrics.Scrape(read_metrics(address), time.monotonic())
        screen, before = top_metrics.screen_of(before, now), now
        return screen

    return following


def _from_kafka(admin: Admin) -> Callable[[], Screen]:
    before = top_kafka.read_cluster(admin)

    def following() -> Screen:
        nonlocal before
        now = top_kafka.read_cluster(admin)
        screen, before = top_kafka.screen_of(before, now), now
        return screen

    return following


def _draw(args: argparse.Namespace, following: Callable[[], Screen]) -> int:
    if args.once or not sys.stdout.isatty():
        while True:
            raise_lost()
            time.sleep(args.interval)
            width = shutil.get_terminal_size((200, 0)).columns
            print("\n".join(following().lines(width, _LINES_WITHOUT_TERMINAL)), flush=True)
            if args.once:
                return 0
            print()
    sys.stdout.flush()
    terminal = sys.stdout.fileno()
    with _other_screen(terminal):
        while True:
            size = shutil.get_terminal_size()
            lines = following().lines(size.columns, size.lines - 1)
            # every line is cleared behind its end, so nothing flickers
            _write(terminal, _HOME + "".join(f"{line}{_CLEAR_LINE}\n" for line in lines) + _CLEAR_BELOW)
            raise_lost()
            time.sleep(args.interval)


@contextmanager
def _other_screen(terminal: int) -> Iterator[None]:
    """Draw on the second screen of *terminal*, so that the first is as it was afterwards."""
    _write(terminal, _OTHER_SCREEN)
    try:
        yield
    finally:
        # A terminal that does not read now, such as one behind a connection that hangs, would let Ctrl-C wait for it.
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # which would stop a job in the background
        with suppress(termios.error):  # of a terminal that is gone
            termios.tcflush(terminal, termios.TCOFLUSH)
        _write(terminal, _OWN_SCREEN)


def _write(terminal: int, text: str) -> None:
    """Write *text* past the buffer of `sys.stdout`, which the interpreter would flush at its end."""
    left = memoryview(text.encode(sys.stdout.encoding, "backslashreplace"))
    while left:
        left = left[os.write(terminal, left) :]
