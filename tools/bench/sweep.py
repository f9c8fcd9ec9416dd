"""``python -m tools.bench.sweep``: MB/s over record size, partitions, replicas and clients, with a chart.

Three wirebrokers beside three Apache Kafka 3.9.1, each cluster with a ZooKeeper of its own; they get each point one
after the other, in the other order at the next point.  Records of 10 B to 10 kB in 14 steps with 1, 2 and 3 replicas;
1 to 9 partitions and 1 to 3 producers and consumers with records of 1 kB and 3 replicas.  Producers have acks=all.

RESULTS_SWEEP.md and the chart, sweep.svg, are written beside this file (matplotlib is in the extra `demo`).  The
shapes of the curves are checked; the exit code is 1 if one does not hold.  The whole run takes about seven minutes.
"""

from __future__ import annotations

import argparse
import os
import platform
import signal
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from confluent_kafka.admin import NewTopic

from tools.bench.broker_cluster import BROKERS, kafka_cluster, wirebroker_cluster
from tools.bench.brokers import StartError, scratch
from tools.bench.client_processes import ClientFailed
from tools.bench.groups import OTHER, OURS, say
from tools.bench.sweep_chart import draw
from tools.bench.sweep_clients import ClientPool, JobSpec
from tools.bench.sweep_shapes import PLAIN_SIZE, SIZES, Point, Setup, Shape, shapes_of, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tools.bench.broker_cluster import BrokerCluster

RESULTS = Path(__file__).with_name("RESULTS_SWEEP.md")
CHART = Path(__file__).with_name("sweep.svg")
HEAD = f"""# Record sizes, partitions, replicas and clients: wirebroker beside Apache Kafka 3.9.1

`python -m tools.bench.sweep`: three brokers of each kind, each cluster with a ZooKeeper of its own, all on the same
cores, clients too.  Producers have acks=all.  A consumer reads what was just written, again and again; several of them
each read everything, and their rates are added.

![MB/s over record size, partitions and clients]({CHART.name})
"""
PARTITIONS, REPLICAS, CLIENTS = range(1, 10), (1, 2, 3), (1, 2, 3)
SECONDS, QUICK_SECONDS = 1.0, 0.4


def setups(*, is_quick: bool) -> list[Setup]:
    """Return the points to measure, in their order."""
    sizes = (10, 30, 100, 300, 1000, 3000, 10_000) if is_quick else SIZES
    found = [Setup(size, replicas=replicas) for replicas in ((1, 3) if is_quick else REPLICAS) for size in sizes]
    found += [Setup(PLAIN_SIZE, partitions=count) for count in ((3, 9) if is_quick else PARTITIONS)]
    found += [Setup(PLAIN_SIZE, clients=count) for count in ((3,) if is_quick else CLIENTS)]
    return list(dict.fromkeys(found))


def measure(cluster: BrokerCluster, pool: ClientPool, setup: Setup, number: int, seconds: float) -> Point:
    """Return one point, of a topic of its own that is deleted.

    Raises:
        ClientFailed: a client failed.
        StartError: the topic could not be created or deleted.
    """
    topic = f"sweep-{number:04d}"
    assignment = [
        [(partition + other) % len(BROKERS) for other in range(setup.replicas)] for partition in range(setup.partitions)
    ]
    cluster.create([NewTopic(topic, setup.partitions, replica_assignment=assignment)])
    cluster.await_all(
        lambda _, seen: (
            len(seen.partitions) == setup.partitions
            and all(len(each.isr) == setup.replicas for each in seen.partitions.values())
        ),
        [topic],
        f"{topic} in sync",
    )
    rates = []
    for what in ("produce", "consume"):
        job = JobSpec(what, cluster.bootstrap, topic, setup.partitions, setup.size, seconds)
        results = pool.run([job] * setup.clients)
        rates.append(sum(each.records * setup.size / each.seconds for each in results) / 1e6)
    cluster.delete([topic])
    return Point(cluster.name, setup, *rates)


def sweep(clusters: Sequence[BrokerCluster], *, is_quick: bool) -> list[Point]:
    """Measure all points of all clusters."""
    points: list[Point] = []
    seconds = QUICK_SECONDS if is_quick else SECONDS
    with ClientPool(max(CLIENTS)) as pool:
        for cluster in clusters:  # the first point of a cluster pays for what is done once
            measure(cluster, pool, Setup(PLAIN_SIZE), 0, seconds)
        for number, setup in enumerate(setups(is_quick=is_quick), 1):
            for cluster in clusters[:: 1 if number % 2 else -1]:
                point = measure(cluster, pool, setup, number, seconds)
                say(f"{point.cluster}: {setup}: {point.written:.1f} MB/s written, {point.read:.1f} MB/s read")
                points.append(point)
    return points


def report(points: Sequence[Point], shapes: Sequence[Shape], names: Sequence[str]) -> str:
    """Return the shapes and the table as markdown."""
    lines = [f"- {'holds' if each.holds else '**does not hold**'}: {each.what}: {each.figures}" for each in shapes]
    return "MB/s written / read:\n\n" + table(points, names) + "\n\n" + "\n".join(lines)


def write(text: str) -> None:
    """Write RESULTS_SWEEP.md."""
    RESULTS.write_text(f"{HEAD}\n{text}\n")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench.sweep", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cluster", choices=(OURS, OTHER), help="measure only this one")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter points; about three minutes")
    parser.add_argument("--no-write", action="store_true", help="leave RESULTS_SWEEP.md and sweep.svg as they are")
    parser.add_argument("--chart", type=Path, help="write the chart to this file, too (.svg or .png)")
    parser.add_argument("--directory", type=Path, help="where the data directories are made")
    options = parser.parse_args(arguments)
    load, began = os.getloadavg()[0], time.monotonic()
    kinds = {OURS: wirebroker_cluster, OTHER: kafka_cluster}
    with scratch(options.directory) as directory, ExitStack() as stack:
        try:
            clusters = [
                stack.enter_context(start(directory / name))
                for name, start in kinds.items()
                if options.cluster in (None, name)
            ]
            points = sweep(clusters, is_quick=options.quick)
        except (StartError, ClientFailed, RuntimeError) as fault:
            print(fault, file=sys.stderr)
            return 1
    names, shapes = [cluster.name for cluster in clusters], shapes_of(points)
    took = f"{(time.monotonic() - began) / 60:.0f} min; load average {load:.1f} before the run"
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}, {took}"
    text = f"{report(points, shapes, names)}\n\n{time.strftime('%Y-%m-%d %H:%M')}, {machine}"
    print(text)
    if options.chart is not None:
        draw(points, names, options.chart)
    if not (options.no_write or options.cluster or options.quick):
        write(text)
        draw(points, names, CHART)
    return 0 if all(each.holds for each in shapes) else 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # which ends all processes
    sys.exit(main())
