"""`wirebroker start`: run one broker in the foreground.

Prints one line on stdout when the broker is ready, and on a terminal a second one with commands to try; the log goes to
stderr.  An error that an operator can fix (a port
in use, a directory that cannot be written, a wrong setting) is one line on stderr and exit code 1.

SIGTERM, SIGINT (Ctrl-C) and SIGHUP (unless it is ignored, as by nohup) stop the broker with exit code 0, also while it
loads its logs; the last line of the log says "stopped".  A second one cuts off the requests that are being served;
writes that have begun are finished, and logs are flushed and closed all the same.  With a third one logs are not
flushed, which is safe, but the next start has to check them.  Ctrl-C in the tenths of a second before that ends the
process with exit code 130.
"""

from __future__ import annotations

import logging
import os
import resource
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from wirebroker import __version__
from wirebroker.broker import BrokerFailed, run_broker
from wirebroker.cli import broker_options, start_options
from wirebroker.cli.interrupt import exiting_on_interrupt
from wirebroker.cli.log_format import FORMATS, configure_logging
from wirebroker.cli.standard_streams import print_error
from wirebroker.config.unsupported import UnsupportedSettings
from wirebroker.config.values import ConfigError
from wirebroker.startup import StartupError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from wirebroker.broker import Ready
    from wirebroker.cli.start_options import StartTopic
    from wirebroker.config.server import BrokerConfig

logger = logging.getLogger(__name__)

EXPECTED = (ConfigError, StartupError, BrokerFailed, OSError)
"""Errors that an operator can fix."""
SWITCH_INTERVAL_S = 0.001
"""How long a thread that runs Python code keeps the event loop waiting for the interpreter; Python's default is 5 ms.

The loop releases the interpreter with each system call, so a request waits for it several times: beside a thread that
computes all the time its median latency is 5.2 ms with the default and 1.2 ms with this; the thread is as fast.
"""
LEVELS = ("debug", "info", "warning", "error")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker start`."""
    broker_options.add_arguments(parser)
    start_options.add_arguments(parser)
    parser.add_argument("--log-level", choices=LEVELS, default="info", help="lowest level to log (default: info)")
    parser.add_argument(
        "--state-change-log",
        type=Path,
        metavar="FILE",
        help="append what this broker does as the controller of a cluster, like Kafka's state-change.log",
    )
    parser.add_argument(
        "--log-format", choices=FORMATS, default="text", help="text (default), or json: one object a line, rate limited"
    )


def run(args: argparse.Namespace) -> int:
    """Run the broker until a signal stops it; return the exit code."""
    with start_options.ephemeral_directory(args), exiting_on_interrupt():  # until the broker handles signals itself
        return _run(args)


def _run(args: argparse.Namespace) -> int:
    """Load the configuration, run the broker, and turn expected errors into one line each."""
    configure_logging(args.log_level, args.log_format)
    try:
        config, warnings = broker_options.from_arguments(args)
        for warning in warnings:
            logger.warning("%s", warning)
        if config.value("zookeeper.connect"):
            _open_state_change_log(args.state_change_log)
        raise_open_files_limit()
        sys.setswitchinterval(SWITCH_INTERVAL_S)
        trio.run(serve, config, args.topics)
        logger.info("stopped")
        return 0
    except UnsupportedSettings as refused:
        return max(fail(str(finding)) for finding in refused.findings)
    except EXPECTED as problem:
        return fail(explain(problem))
    except ExceptionGroup as group:
        # Nurseries wrap exceptions; one that an operator can fix is reported like the plain ones.
        expected, rest = group.split(EXPECTED)
        if rest is not None or expected is None:
            raise
        return fail("; ".join(explain(problem) for problem in leaves(expected)))


def _open_state_change_log(path: Path | None) -> None:
    from wirebroker.kafka_controller.state_change_log import open_state_change_log

    open_state_change_log(path)


def fail(line: str) -> int:
    """Print why the broker did not start and return exit code 1; `--log-level debug` logs the traceback."""
    logger.debug("not started", exc_info=True)
    print_error(line)
    return 1


def explain(problem: BaseException) -> str:
    """Return *problem* as one line, an OSError without its number."""
    if isinstance(problem, OSError) and problem.strerror:
        about = f"{problem.filename}: " if problem.filename is not None else ""
        return f"{about}{problem.strerror}"
    return str(problem) or type(problem).__name__


def leaves(group: BaseExceptionGroup[BaseException]) -> list[BaseException]:
    """The exceptions in *group* and the groups within it."""
    found: list[BaseException] = []
    for each in group.exceptions:
        found += leaves(each) if isinstance(each, BaseExceptionGroup) else [each]
    return found


def raise_open_files_limit() -> None:
    """Raise the soft limit of open files to the hard limit: each partition keeps some open, each client one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        except (OSError, ValueError) as problem:  # macOS says "unlimited" and then refuses it
            logger.debug("open files stay limited to %s: %s", soft, problem)


def ready_line(node_id: int, listeners: Sequence[str], log_dirs: Sequence[str]) -> str:
    """Return the line that announces that the broker accepts connections."""
    dirs = ", ".join(os.path.abspath(directory) for directory in log_dirs)
    return f"wirebroker {__version__} ready: broker {node_id} on {', '.join(listeners)}, data in {dirs}"


class _Shutdown:
    """How the broker is asked to stop, one step for each signal."""

    def __init__(self) -> None:
        self.begun = trio.Event()
        self.requests = trio.CancelScope()
        """Cancelled when requests under way are to be cut off."""
        self.skip_flush = False
        """Whether logs are closed without a flush."""


async def serve(config: BrokerConfig, topics: Sequence[StartTopic] = ()) -> None:
    """Run the broker until a signal has stopped it; create *topics* before the ready line is printed."""
    shutdown = _Shutdown()
    async with trio.open_nursery() as nursery:
        await nursery.start(_stop_on_signal, shutdown)
        with shutdown.requests:
            await run_broker(
                config,
                shutdown.begun,
                lambda ready: nursery.start_soon(_announce, topics, ready),
                lambda: shutdown.skip_flush,
            )
        nursery.cancel_scope.cancel()


async def _announce(topics: Sequence[StartTopic], ready: Ready) -> None:
    """Create *topics*, and print the ready line; on a terminal, with commands to try.

    Raises:
        BrokerFailed: a topic cannot be created, or the line cannot be printed.
    """
    address = start_options.reachable_address(ready.listeners)
    if topics:
        from wirebroker.cli.start_topics import create_topics  # a broker without --topic needs no client
        from wirebroker.client.connection import ClientError

        try:
            if address is None:
                raise ClientError("--topic needs a PLAINTEXT listener")
            await trio.to_thread.run_sync(create_topics, address, topics, abandon_on_cancel=True)
        except ClientError as problem:
            raise BrokerFailed(str(problem)) from None
    try:
        print(ready_line(ready.node_id, ready.listeners, ready.log_dirs), flush=True)
    except OSError as problem:
        raise BrokerFailed(f"standard output: {problem.strerror or problem}") from None
    if address is not None and sys.stdout.isatty():
        print(start_options.hint(address, topics), flush=True)


async def _stop_on_signal(shutdown: _Shutdown, task_status: trio.TaskStatus[None]) -> None:
    """Take one step of *shutdown* for each SIGTERM, SIGINT and SIGHUP (unless ignored); runs until cancelled."""
    numbers = [signal.SIGTERM, signal.SIGINT]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    with trio.open_signal_receiver(*numbers) as signals:
        task_status.started()
        async for number in signals:
            name = signal.Signals(number).name
            if not shutdown.begun.is_set():
                logger.info("%s: stopping", name)
                shutdown.begun.set()
            elif not shutdown.requests.cancel_called:
                logger.warning("%s while stopping: requests are cut off; logs are still flushed and closed", name)
                shutdown.requests.cancel()
            else:
                logger.warning("%s while stopping: logs are closed without a flush; the next start recovers them", name)
                shutdown.skip_flush = True
