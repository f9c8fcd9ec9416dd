"""``python -m tools.bench.loop_lag``: how late the event loop is for one client while another makes heavy requests.

Each burden is legal and ordinary: what an administrator's tool, a Spark job or a badly set up producer sends.  The
probe (`loop_probe.py`) asks ApiVersions every 5 ms from a process of its own while the burden runs.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from tools.bench.brokers import BROKERS, Broker, Wirebroker, scratch
from tools.bench.loop_burdens import BURDENS, Burden, Client
from tools.bench.loop_probe import LoopProbe
from tools.bench.loop_report import SETTLE_S, WINDOW_S, Row, add_options, measure_on, publish

RESULTS = Path(__file__).with_name("RESULTS_LOOP_LAG.md")
INTRODUCTION = """\
# Lag of the event loop under heavy requests

Written by `python -m tools.bench.loop_lag`: one client makes the requests of a row, another asks
ApiVersions every 5 ms on its own connection, from a process of its own; the lag is how long it waits for
an answer, requests that were due during a stall included.  The target is p99.9 ≤ 50 ms in every row.
"""


class SlowSyncWirebroker(Wirebroker):
    """Every fsync and fdatasync takes 30 ms longer, as on a busy network disk."""

    name = "wirebroker, fsync 30 ms"

    def command(self) -> Sequence[str]:
        command = list(super().command())
        command[command.index("wirebroker")] = "tools.bench.slow_sync"
        return command


PLAN: dict[str, tuple[type[Broker], tuple[str, ...]]] = {
    "kafka": (BROKERS["kafka"], ()),
    "wirebroker": (Wirebroker, ()),
    "slow-sync": (SlowSyncWirebroker, ("nothing", "delete-records", "wide-topic", "topic-setting", "rolls")),
}
"""By the name on the command line: the broker and its burdens, all of them if none are named."""


def measure(broker: Broker, burdens: Sequence[Burden]) -> Iterator[Row]:
    """Start *broker* and run *burdens* on it."""
    broker.start()
    with Client(broker.address) as client, LoopProbe(*broker.address) as probe:
        for burden in burdens:
            prepared = burden.prepare(client)
            time.sleep(SETTLE_S)
            probe.read()
            began = time.perf_counter()
            prepared()
            seconds = time.perf_counter() - began
            time.sleep(max(0.0, WINDOW_S - seconds))
            yield Row(f"{burden.name}: {burden.what}", broker.name, seconds, probe.read())


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.bench.loop_lag", description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="this burden")
    parser.add_argument("--broker", action="append", choices=list(PLAN), help="default: wirebroker and slow-sync")
    parser.add_argument("--list", action="store_true", help="print the burdens and stop")
    add_options(parser, RESULTS)
    options = parser.parse_args(arguments)
    if options.list:
        print("\n".join(f"{burden.name:20} {burden.what}" for burden in BURDENS))
        return 0
    load_before = os.getloadavg()[0]
    rows: list[Row] = []
    with scratch(options.directory) as directory:
        for name in options.broker or ["wirebroker", "slow-sync"]:
            kind, names = PLAN[name]
            chosen = [each for each in BURDENS if not names or each.name in names]
            if options.only:
                chosen = [each for each in chosen if each.name in options.only]
            broker = kind(directory / name)
            found = measure_on(broker, partial(measure, broker, chosen))
            if found is None:
                return 1
            rows += found
    publish(INTRODUCTION, rows, load_before, RESULTS if options.keep else None)
    return 0


if __name__ == "__main__":
    sys.exit(main())
