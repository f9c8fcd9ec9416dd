"""`wirebroker doctor`: check a configuration, this machine and a running cluster; each finding with the line to fix it.

With -b only the cluster is checked, as a client sees it, of any Kafka.  Exit code 1 if there is an error.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wirebroker.cli import broker_options
from wirebroker.cli.command_table import UsageError
from wirebroker.cli.connection import add_bootstrap_server, add_command_config
from wirebroker.cli.doctor.cluster import check_cluster
from wirebroker.cli.doctor.finding import Finding, Level
from wirebroker.cli.doctor.machine import check_clock, check_data_directory, check_descriptors, check_kernel
from wirebroker.cli.doctor.settings import check_listeners, check_settings
from wirebroker.cli.output import Column, add_format, print_records

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

COLUMNS = (
    Column("LEVEL", "level"),
    Column("CHECK", "check", max_width=40),
    Column("FINDING", "finding", max_width=80),
    Column("FIX", "fix"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker doctor`."""
    broker_options.add_arguments(parser)
    add_bootstrap_server(parser, default=None, help="check this cluster only, of any Kafka", from_environment=False)
    add_command_config(parser)
    parser.add_argument("--problems", action="store_true", help="leave out what is well")
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    """Print the findings; return the exit code."""
    timeout_s = args.timeout / 1000
    if args.command_config is not None and not args.is_bootstrap_given:
        raise UsageError("--command-config is for a cluster: name it with -b, or with bootstrap.servers in the file")
    if args.is_bootstrap_given:
        found = list(check_cluster(args.bootstrap_server, timeout_s, args.security))
    else:
        found = list(_check_here(args, timeout_s))
    shown = [each for each in found if not (args.problems and each.level is Level.OK)]
    print_records(COLUMNS, [(str(each.level), *each[1:]) for each in shown], args.format)
    return 1 if any(each.level is Level.ERROR for each in found) else 0


def _check_here(args: argparse.Namespace, timeout_s: float) -> Iterator[Finding]:
    """Check the configuration, the machine, and a broker that may listen already."""
    config, findings = check_settings(args)
    yield from findings
    if config is not None:
        for directory in config.log_dirs:
            yield from check_data_directory(Path(directory))
    yield from check_kernel()
    yield from check_descriptors()
    yield from check_clock()
    if config is not None:
        for finding, running in check_listeners(config):
            yield finding
            if running is not None:
                yield from check_cluster(running, timeout_s)
