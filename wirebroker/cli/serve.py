"""`wirebroker start`: run one broker in the foreground.

Out: one ready line on stdout, the log on stderr.  What an operator can mend (a port in use, a directory that cannot be
written, a wrong setting) is one line on stderr and exit code 1.

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
from typing import TYPE_CHECKING

import trio

from wirebroker import __version__
from wirebroker.broker import BrokerFailed, run_broker
from wirebroker.cli import settings
from wirebroker.cli.interrupt import exiting_on_interrupt
from wirebroker.cli.output import print_error
from wirebroker.config.unsupported import UnsupportedSettings
from wirebroker.config.values import ConfigError
from wirebroker.startup import StartupError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from wirebroker.broker import Ready
    from wirebroker.config.server import BrokerConfig

logger = logging.getLogger(__name__)

EXPECTED = (ConfigError, StartupError, BrokerFailed, OSError)
"""What an operator can mend."""
SWITCH_INTERVAL_S = 0.001
"""How long a thread that runs Python code keeps the event loop waiting for the interpreter; Python's default is 5 ms.

Each system call of the loop gives the interpreter up, so a request waits for it several times: beside a thread that
computes all the time its median latency is 5.2 ms with the default and 1.2 ms with this, the thread is as fast.
"""
LEVELS = ("debug", "info", "warning", "error")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker start`."""
    settings.add_arguments(parser)
    parser.add_argument("--log-level", choices=LEVELS, default="info", help="how much to say on stderr (default: info)")


def run(args: argparse.Namespace) -> int:
    """Run the broker until it is told to stop; the result is the exit code."""
    with exiting_on_interrupt():  # until there is a broker to be stopped
        return _run(args)


def _run(args: argparse.Namespace) -> int:
    logging.basicConfig(
        level=args.log_level.upper(), stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    try:
        config, warnings = settings.from_arguments(args)
        for warning in warnings:
            logger.warning("%s", warning)
        raise_open_files_limit()
        sys.setswitchinterval(SWITCH_INTERVAL_S)
        trio.run(serve, config)
        logger.info("stopped")
        return 0
    except UnsupportedSettings as refused:
        return max(fail(str(finding)) for finding in refused.findings)
    except EXPECTED as problem:
        return fail(explain(problem))
    except ExceptionGroup as group:
        # Nurseries wrap; a plain cause inside is still the operator's business, anything else is ours.
        expected, rest = group.split(EXPECTED)
        if rest is not None or expected is None:
            raise
        return fail("; ".join(explain(problem) for problem in leaves(expected)))


def fail(line: str) -> int:
    """Say why there is no broker; the traceback is for `--log-level debug`."""
    logger.debug("not started", exc_info=True)
    print_error(line)
    return 1


def explain(problem: BaseException) -> str:
    """*problem* in one line, without Python's words around it."""
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
    """Use as many files as the system lets us: every partition keeps some open, every client one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        except (OSError, ValueError) as problem:  # macOS says "unlimited" and then refuses it
            logger.debug("open files stay limited to %s: %s", soft, problem)


def ready_line(node_id: int, listeners: Sequence[str], log_dirs: Sequence[str]) -> str:
    """The line that says a broker can be used now."""
    dirs = ", ".join(os.path.abspath(directory) for directory in log_dirs)
    return f"wirebroker {__version__} ready: broker {node_id} on {', '.join(listeners)}, data in {dirs}"


class _Stopping:
    """How far the broker was told to hurry."""

    def __init__(self) -> None:
        self.begun = trio.Event()
        self.requests = trio.CancelScope()
        """Cancelled when requests are to be cut off."""
        self.skip_flush = False


async def serve(config: BrokerConfig) -> None:
    """Run the broker until a signal."""

    def say_ready(ready: Ready) -> None:
        print(ready_line(ready.node_id, ready.listeners, ready.log_dirs), flush=True)

    stopping = _Stopping()
    async with trio.open_nursery() as nursery:
        await nursery.start(_stop_on_signal, stopping)
        with stopping.requests:
            await run_broker(config, stopping.begun, say_ready, lambda: stopping.skip_flush)
        nursery.cancel_scope.cancel()


async def _stop_on_signal(stopping: _Stopping, task_status: trio.TaskStatus[None]) -> None:
    numbers = [signal.SIGTERM, signal.SIGINT]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    with trio.open_signal_receiver(*numbers) as signals:
        task_status.started()
        async for number in signals:
            name = signal.Signals(number).name
            if not stopping.begun.is_set():
                logger.info("%s: stopping", name)
                stopping.begun.set()
            elif not stopping.requests.cancel_called:
                logger.warning("%s while stopping: requests are cut off; logs are still flushed and closed", name)
                stopping.requests.cancel()
            else:
                logger.warning("%s while stopping: logs are not flushed any more; the next start checks them", name)
                stopping.skip_flush = True
