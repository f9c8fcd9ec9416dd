"""`wirebroker cluster up`: run a development cluster until Ctrl-C.

Prints the bootstrap servers and one table when every broker knows every other one and the controller.  Ctrl-C, SIGTERM
and SIGHUP stop all processes, as does a failed start; a broker that ends by itself, or is killed to see what happens,
leaves the others running.  Without `--data-dir` the files are temporary, and removed at the end.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from wirebroker.cli.cluster.development_cluster import (
    HIGHEST_PORT,
    OWN_SETTINGS,
    DevelopmentCluster,
    small_cluster_settings,
)
from wirebroker.cli.cluster.processes import POLL_INTERVAL_S, Processes, ProcessFailedError, StoppedBySignalError
from wirebroker.cli.command_table import UsageError
from wirebroker.cli.connection import positive
from wirebroker.cli.output import Column, print_lines, table_lines
from wirebroker.cli.standard_streams import print_error
from wirebroker.jvm.ivy import ResolveError
from wirebroker.jvm.java import NoJavaError, java
from wirebroker.jvm.kafka_jars import kafka_jars, zookeeper_jars
from wirebroker.storage.files import Files
from wirebroker.storage.log_dir import LOCK

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_VERSION: Final = re.compile(r"([23]\.\d+)\.\d+")
_BROKER_PORT: Final = 9092
_ZOOKEEPER_PORT: Final = 2181
_COLUMNS: Final = (
    Column("BROKER", "broker_id"),
    Column("PROGRAM", "program"),
    Column("ADDRESS", "address"),
    Column("PID", "pid", align=">"),
    Column("LOG", "log"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker cluster up`."""
    parser.add_argument("--brokers", type=_count, default=3, metavar="N", help="how many wirebrokers (default: 3)")
    parser.add_argument(
        "--kafka", type=_count, default=0, metavar="N", help="how many Apache Kafka brokers (default: 0)"
    )
    parser.add_argument(
        "--kafka-version", type=_release, default="3.9.1", metavar="X.Y.Z", help="their release, 2.0.0 to 3.9.1"
    )
    parser.add_argument(
        "--data-dir", type=Path, metavar="DIR", help="where to keep all files (default: temporary, removed at the end)"
    )
    parser.add_argument(
        "--port",
        type=_port,
        default=_BROKER_PORT,
        help=f"the first port to try for the brokers (default: {_BROKER_PORT})",
    )
    parser.add_argument(
        "--zookeeper-port",
        type=_port,
        default=_ZOOKEEPER_PORT,
        metavar="PORT",
        help=f"the first port to try for ZooKeeper (default: {_ZOOKEEPER_PORT})",
    )
    parser.add_argument("--racks", default="", metavar="A,B", help="racks, given to the brokers in turn")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of every broker; may be repeated"
    )


def run(args: argparse.Namespace) -> int:
    """Run the cluster until a signal stops it; return the exit code."""
    if not args.brokers + args.kafka:
        raise UsageError("a cluster without brokers: --brokers or --kafka has to be above 0")
    for setting in args.set:
        key, separator, _ = setting.partition("=")
        if not separator:
            raise UsageError(f"--set {setting}: not KEY=VALUE")
        if key.strip() in OWN_SETTINGS:
            raise UsageError(f"--set {setting}: each broker of the cluster gets a {key.strip()} of its own")
    try:
        with _directory(args.data_dir) as directory:
            java()
            jars = _fetch(args)
            with Processes() as processes:
                return _run(processes, directory, jars, args)
    except (_DirectoryInUseError, NoJavaError, ResolveError) as problem:
        print_error(str(problem))
        return 1


class _DirectoryInUseError(Exception):
    """Another cluster runs in the directory; the message is one line for the user."""


@contextmanager
def _directory(data_dir: Path | None) -> Iterator[Path]:
    """Lock *data_dir* for this command, or make a temporary directory, which is removed at the end.

    Nothing else would stop a second cluster in time: ZooKeeper locks no files, and each start takes free ports.

    Raises:
        _DirectoryInUseError: another process has locked it.
    """
    if data_dir is None:
        directory = Path(tempfile.mkdtemp(prefix="wirebroker-cluster-")).absolute()
        try:
            yield directory
        finally:
            shutil.rmtree(directory, ignore_errors=True)
        return
    directory = data_dir.absolute()
    directory.mkdir(parents=True, exist_ok=True)
    lock = Files().lock(str(directory / LOCK))
    if lock is None:
        raise _DirectoryInUseError(
            f"{directory} is in use by another `wirebroker cluster up` ({directory / LOCK} is locked): stop that one,"
            " or name another --data-dir"
        )
    try:
        yield directory
    finally:
        lock.close()


def _run(processes: Processes, directory: Path, jars: tuple[list[Path], list[Path]], args: argparse.Namespace) -> int:
    """Start the processes, wait until they are to stop, and stop them; return the exit code."""
    protocol = _VERSION.match(args.kafka_version)
    settings = small_cluster_settings(args.brokers + args.kafka, protocol[1] if protocol and args.kafka else None)
    settings |= dict(each.split("=", 1) for each in args.set)
    cluster = DevelopmentCluster(processes, directory, settings, [each for each in args.racks.split(",") if each])
    try:
        _start(cluster, jars, args)
        _print_ready(cluster, directory, args)
        _wait(cluster, processes)
    except StoppedBySignalError:
        pass
    except ProcessFailedError as problem:
        print_error(str(problem))
        return 1
    if args.data_dir is not None:
        print("stopping; once more Ctrl-C kills", file=sys.stderr)
        cluster.stop()
    return 0


def _fetch(args: argparse.Namespace) -> tuple[list[Path], list[Path]]:
    """The jars of ZooKeeper, and those of Apache Kafka if it is asked for.

    Raises:
        ResolveError: they cannot be fetched.
        NoJavaError: there is no Java.
    """
    # the first time they are fetched, those of Apache Kafka are some 100 MB
    wanted = f"Apache Kafka {args.kafka_version}" if args.kafka else "ZooKeeper"
    print(f"looking for the jars of {wanted}, here or at Maven Central", file=sys.stderr)
    if not args.kafka:
        return zookeeper_jars(), []
    jars = kafka_jars(args.kafka_version)
    return jars, jars


def _start(cluster: DevelopmentCluster, jars: tuple[list[Path], list[Path]], args: argparse.Namespace) -> None:
    zookeeper, kafka = jars
    count = args.brokers + args.kafka
    print(f"starting ZooKeeper and {count} broker{'s' * (count != 1)}", file=sys.stderr)
    cluster.start_zookeeper(zookeeper, args.zookeeper_port)
    for broker_id in range(args.brokers):
        cluster.start_wirebroker(broker_id, args.port)
    for broker_id in range(args.brokers, args.brokers + args.kafka):
        cluster.start_kafka(broker_id, args.port, args.kafka_version, kafka)
    cluster.wait_until_complete()


def _print_ready(cluster: DevelopmentCluster, directory: Path, args: argparse.Namespace) -> None:
    assert cluster.zookeeper is not None
    rows: list[Sequence[object]] = [
        (each.broker_id, each.kind, each.address, each.child.process.pid, each.child.log_file)
        for each in cluster.members
    ]
    zookeeper = cluster.zookeeper
    rows.append((None, zookeeper.name, cluster.zookeeper_connect, zookeeper.process.pid, zookeeper.log_file))
    end = "" if args.data_dir is not None else ", removed at the end"
    print(f"bootstrap servers: {cluster.bootstrap_servers}")
    print(f"data: {directory}{end}\n")
    print_lines(table_lines(_COLUMNS, rows, separator="  "))
    print("\nCtrl-C stops all of them.", flush=True)


def _wait(cluster: DevelopmentCluster, processes: Processes) -> None:
    """Wait until the cluster is to stop, and report programs that end before.

    ZooKeeper goes on without a broker, for one that is started again by hand.
    """
    running = list(processes.children)
    restart = {member.child: member.restart_command for member in cluster.members if member.restart_command}
    while not processes.signals:
        for child in running:
            if not child.is_running:
                print_error(
                    f"{child.name} ended with exit code {child.process.returncode}; its log is {child.log_file}"
                )
                if child in restart:
                    print(f"start it again with: {restart[child]}", file=sys.stderr)
        running = [child for child in running if child.is_running]
        time.sleep(POLL_INTERVAL_S)


def _count(text: str) -> int:
    return int(text) if text == "0" else positive(text)


def _port(text: str) -> int:
    port = positive(text)
    if port > HIGHEST_PORT:
        raise argparse.ArgumentTypeError(f"{text} is above {HIGHEST_PORT}")
    return port


def _release(text: str) -> str:
    if _VERSION.fullmatch(text) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no release with ZooKeeper, such as 2.8.2 or 3.9.1")
    return text
