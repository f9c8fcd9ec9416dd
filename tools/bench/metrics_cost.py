"""``python -m tools.bench.metrics_cost``: what metrics cost each request, and what a scrape costs.

The processor time of a request with and without its work for metrics is that of one broker process, which
`without_metrics.py` switches from one to the other and back, many times: processes differ by more than metrics cost.
Each pair of turns yields a difference.  After LAYOUT_PAIRS pairs the code is moved to another place in memory, where
the median difference is another one; reported is the mean of these medians, with its standard error.  A scrape is of a
broker with 1,000 partitions, while another client asks its event loop every 5 ms.
"""

import argparse
import os
import platform
import signal
import statistics
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.bench import raw_client, wire
from tools.bench.broker_session import BrokerSession, now_ms
from tools.bench.brokers import Wirebroker, scratch
from tools.bench.loop_probe import LoopProbe
from tools.jvm.ports import free_ports

RESULTS = Path(__file__).with_name("RESULTS_METRICS.md")
INTRODUCTION = """\
# The cost of metrics

Written by `python -m tools.bench.metrics_cost`.  Requests are of one record, on one connection; the processor
time of a request, user and system, is that of one process that serves them with and without its work for metrics in
turns.  The code of both is moved to other places in memory from time to time; the difference is the mean of the medians
of all places, with its standard error.
"""
MOST_SHARE = 0.01
MOST_SCRAPE_MS = 20.0
PARTITIONS = 1000
RECORD_BYTES = 100
TURN_REQUESTS = 200
"""Turns are short, so that both of a pair see the same machine."""
LAYOUT_PAIRS = 50
"""Pairs of turns for which the code stays where it is."""
WARM_TURNS = 5
"""The interpreter adapts code that has run some times."""
SCRAPES = 50
_PROCESS_CLOCK = 2
"""The kernel's number of the clock of processor time (CPUCLOCK_SCHED)."""


class SwitchingWirebroker(Wirebroker):
    """A broker that serves requests without metrics after SIGUSR2, and with them after SIGUSR1."""

    def command(self) -> Sequence[str]:
        command = list(super().command())
        command[command.index("wirebroker")] = "tools.bench.without_metrics"
        return command

    def switch(self, *, metrics: bool) -> None:
        os.kill(self.pid, signal.SIGUSR1 if metrics else signal.SIGUSR2)

    def relocate(self) -> None:
        """Have the code of both moved to another place in memory; it is used from the next `switch` on."""
        os.kill(self.pid, signal.SIGRTMIN)


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the page."""

    what: str
    figure: str
    target: str
    met: bool | None

    def __str__(self) -> str:
        verdict = {True: "yes", False: "**no**", None: ""}[self.met]
        return f"| {self.what} | {self.figure} | {self.target} | {verdict} |"


def cpu_seconds(pid: int) -> float:
    """Return the processor time of a process, to the nanosecond."""
    return time.clock_gettime(~pid << 3 | _PROCESS_CLOCK)


class Sender:
    """A connection that sends one request again and again, with as many unanswered as *in_flight*."""

    def __init__(self, address: raw_client.Address, frame: bytes, in_flight: int = 1) -> None:
        self._sock = raw_client.connect(address)
        answer_bytes = 4 + len(raw_client.ask(self._sock, frame))
        self._frames, self._rounds = frame * in_flight, TURN_REQUESTS // in_flight
        self._answers = memoryview(bytearray(answer_bytes * in_flight))

    def turn(self) -> None:
        """Send TURN_REQUESTS requests and receive their answers, which are as long each time."""
        for _ in range(self._rounds):
            self._sock.sendall(self._frames)
            raw_client.receive_into(self._sock, self._answers)


def share_of_request(broker: SwitchingWirebroker, what: str, sender: Sender, pairs: int) -> Figure:
    """Return how much more processor time a request takes with metrics."""
    costs: dict[bool, list[float]] = {True: [], False: []}
    for number in range(pairs):
        if number % LAYOUT_PAIRS == 0:
            broker.relocate()
            sender.turn()
            for metrics in (True, False):
                broker.switch(metrics=metrics)
                for _ in range(WARM_TURNS):
                    sender.turn()
        for metrics in (True, False) if number % 2 else (False, True):
            broker.switch(metrics=metrics)
            before = cpu_seconds(broker.pid)
            sender.turn()
            costs[metrics].append((cpu_seconds(broker.pid) - before) / TURN_REQUESTS * 1e6)
    differences = [on - off for on, off in zip(costs[True], costs[False], strict=True)]
    without = statistics.median(costs[False])
    medians = [statistics.median(differences[at : at + LAYOUT_PAIRS]) for at in range(0, pairs, LAYOUT_PAIRS)]
    share = statistics.fmean(medians) / without
    error = statistics.stdev(medians) / len(medians) ** 0.5 / without if len(medians) > 1 else 0.0
    figure = f"{share:+.2%} ± {error:.2%} of {without:.1f} µs"
    return Figure(what, figure, f"≤ {MOST_SHARE:.0%}", share <= MOST_SHARE)


def requests(directory: Path, pairs: int) -> Iterator[Figure]:
    """Measure Produce and Fetch requests of one record."""
    broker = SwitchingWirebroker(directory / "requests", {"wirebroker.metrics.port": str(free_ports(1)[0])})
    broker.start()
    try:
        topic = BrokerSession(broker).create_topic()
        batch = wire.record_batch(1, RECORD_BYTES, now_ms())
        produce, fetch = wire.produce(topic, [(0, batch)]), wire.fetch(topic, [(0, 0)], len(batch))
        for what, frame, in_flight in (
            ("Produce, one after the other", produce, 1),
            ("Produce, 5 in flight", produce, 5),
            ("Produce, 50 in flight", produce, 50),
            ("Fetch, one after the other", fetch, 1),
        ):
            yield share_of_request(broker, what, Sender(broker.address, frame, in_flight), pairs)
    finally:
        broker.stop()


def scrapes(directory: Path) -> Iterator[Figure]:
    """Measure scrapes of a broker with many partitions, and how late its event loop is meanwhile."""
    (port,) = free_ports(1)
    broker = Wirebroker(directory / "scrapes", {"wirebroker.metrics.port": str(port)})
    broker.start()
    try:
        BrokerSession(broker).create_topic(PARTITIONS)
        address = f"http://127.0.0.1:{port}/metrics"
        read(address)
        with LoopProbe(*broker.address) as probe, LoopProbe(*broker.address, pid=broker.pid) as own:
            time.sleep(2.0)
            idle = probe.read()
            own.read()
            seconds, lines = timed(SCRAPES, lambda: read(address))
            busy, own_busy = probe.read(), own.read()
        before = cpu_seconds(broker.pid)
        alone, _ = timed(SCRAPES, lambda: read(address))
        cpu_ms = (cpu_seconds(broker.pid) - before) / SCRAPES * 1000
    finally:
        broker.stop()
    what = f"scrape of {PARTITIONS:,} partitions, {lines:,} lines"
    for title, times in ((what, alone), (f"{what}, beside the other client", seconds)):
        median = statistics.median(times) * 1000
        figure = f"{median:.1f} ms ({min(times) * 1000:.1f}-{max(times) * 1000:.1f})"
        yield Figure(title, figure, f"≤ {MOST_SCRAPE_MS:g} ms", median <= MOST_SCRAPE_MS)
    yield Figure("its processor time", f"{cpu_ms:.1f} ms", "", None)
    yield Figure("lag of the event loop without scrapes", str(idle), "", None)
    yield Figure("lag of the event loop during scrapes, one after the other", str(busy), "", None)
    yield Figure("the same without waits for one of the processors, which all processes share", str(own_busy), "", None)


def read(address: str) -> int:
    """Scrape once; return the number of lines."""
    with urllib.request.urlopen(address) as response:
        return int(response.read().count(b"\n"))


def timed(count: int, scrape: Callable[[], int]) -> tuple[list[float], int]:
    """Return the seconds that each scrape took, and the lines of the last one."""
    seconds = []
    lines = 0
    for _ in range(count):
        began = time.perf_counter()
        lines = scrape()
        seconds.append(time.perf_counter() - began)
        time.sleep(0.01)
    return seconds, lines


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.bench.metrics_cost", description=__doc__)
    parser.add_argument("--directory", type=Path, help="where the data directories are made")
    parser.add_argument("--pairs", type=int, default=1000, help="turns with and without metrics, of each row (1000)")
    parser.add_argument("--only", choices=("requests", "scrapes"), help="measure these only")
    parser.add_argument("--keep", action="store_true", help=f"write the result to {RESULTS.name}")
    options = parser.parse_args(arguments)
    if options.keep and options.only:
        parser.error("--keep writes all rows; do without --only")
    load = os.getloadavg()[0]
    figures: list[Figure] = []
    with scratch(options.directory) as directory:
        if options.only != "scrapes":
            for figure in requests(directory, options.pairs):
                print(figure, flush=True)
                figures.append(figure)
        if options.only != "requests":
            for figure in scrapes(directory):
                print(figure, flush=True)
                figures.append(figure)
    if options.keep:
        RESULTS.write_text(page(figures, load))
        print(f"written to {RESULTS}")
    else:
        print(f"not kept; with --keep, and nothing else running, the figures go to {RESULTS}")
    return 0


def page(figures: Sequence[Figure], load: float) -> str:
    """Return the figures as Markdown."""
    when = time.strftime("%Y-%m-%d %H:%M")
    machine = f"{when}, {os.cpu_count()} cores, Python {platform.python_version()}; load average {load:.0f} at first"
    rows = "\n".join(str(figure) for figure in figures)
    return f"{INTRODUCTION}\n| what | figure | target | met |\n|---|---|---|---|\n{rows}\n\n{machine}\n"


if __name__ == "__main__":
    sys.exit(main())
